"""MJCF files in folders, in MuJoCo and here: which load, and how far accelerations, tendon lengths and moment arms differ.

    python benchmarks/scene_files.py FOLDER ... [--package-dirs FOLDER] [--states 2]

States, controls and activations are random; constraints (contacts, limits, loops, dry friction) are off in both programs.
Equalities, which hold exactly here, are left out after the file was opened as it is.
"""

import argparse
import warnings
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

import locomote as lo
from locomote.forces.paths import path_lengths
from locomote.locomotion.scene import problem_of


def files(folder):
    """MJCF files below a folder that MuJoCo opens and that move."""
    for path in sorted(Path(folder).rglob("*.xml")):
        if b"<mujoco" in path.read_bytes():
            try:
                model = mujoco.MjModel.from_xml_path(str(path))
            except ValueError:
                continue
            if model.nv:
                yield path, model


def maps(model, q, v):
    """MuJoCo's qpos, the matrix T that turns our velocities into MuJoCo's, and T' v."""
    qpos, T, drift = np.array(q), np.eye(model.nv), np.zeros(model.nv)
    for name in model.joint_names:
        view = model.joint(name)
        if view.kind in ("free", "spherical"):
            k = view.q.stop - 4
            qpos[k : k + 4] = np.roll(q[k : k + 4], 1)
            if view.kind == "free":
                R, p = np.zeros(9), view.v.start
                mujoco.mju_quat2Mat(R, qpos[k : k + 4])
                T[p : p + 3, p : p + 3] = R.reshape(3, 3)
                drift[p : p + 3] = R.reshape(3, 3) @ np.cross(v[p + 3 : p + 6], v[p : p + 3])
    return qpos, T, drift


def compare(path, theirs, rng, states, **options):
    """Largest relative difference of accelerations, and differences of tendon lengths and moment arms."""
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    lo.load_scene(path, contacts=False, **options)
    scene = lo.read_scene(path, **options)
    scene = without_constraints(scene)
    data, worst = mujoco.MjData(theirs), np.zeros(3)
    for _ in range(states):
        low, high = np.where(theirs.actuator_ctrllimited[:, None], theirs.actuator_ctrlrange, (0, 1)).T
        controls, act = rng.uniform(low, high), rng.uniform(0, 1, theirs.na)
        named = {motor.place: motor.name for motor in scene.motors}
        lagging = {named[i]: act[theirs.actuator_actadr[i]] for i in range(theirs.nu) if theirs.actuator_actadr[i] >= 0}
        problem = problem_of(scene, controls=controls, contacts=False, activations=lagging)
        model = problem.model
        q = model.integrate(problem.start[0], 0.1 * rng.normal(size=model.nv))
        v = rng.normal(size=model.nv)
        data.qpos[:], T, drift = maps(model, q, v)
        data.qvel[:], data.ctrl[:], data.act[:] = T @ v, controls, np.clip(act, *activation_ranges(theirs))
        mujoco.mj_forward(theirs, data)
        expected = T.T @ (data.qacc - drift)
        away = np.abs(problem.evaluate(0.0, q, v).a - expected).max() / (1 + np.abs(expected).max())
        worst[0] = max(worst[0], away)
        worst[1:] = np.maximum(worst[1:], tendons(scene, model, q, T, theirs, data))
    return worst


def without_constraints(scene):
    """A scene without what MuJoCo counts as constraints: equalities, dry friction, limits of tendons."""
    bodies = [
        replace(body, joints=tuple(replace(joint, friction=0.0) for joint in body.joints)) for body in scene.description.bodies
    ]
    strands = tuple(replace(strand, limits=None) for strand in scene.strands)
    description = replace(scene.description, couplings=(), bodies=tuple(bodies))
    return replace(scene, relations=(), loops=(), strands=strands, description=description)


def activation_ranges(theirs):
    low, high = np.full(theirs.na, -np.inf), np.full(theirs.na, np.inf)
    for i in range(theirs.nu):
        if theirs.actuator_actadr[i] >= 0 and theirs.actuator_actlimited[i]:
            low[theirs.actuator_actadr[i]], high[theirs.actuator_actadr[i]] = theirs.actuator_actrange[i]
    return low, high


def tendons(scene, model, q, T, theirs, data):
    """Largest difference of lengths and moment arms of the paths that motors pull along."""
    away = np.zeros(2)
    motors = [motor for motor in scene.motors if motor.path is not None]
    if not motors:
        return away
    lengths, arms = path_lengths(model, [motor.path for motor in motors], q)
    for motor, length, arm in zip(motors, lengths, arms, strict=True):
        t = theirs.actuator_trnid[motor.place, 0]
        J, start, count = np.zeros(theirs.nv), theirs.ten_J_rowadr[t], theirs.ten_J_rownnz[t]
        J[theirs.ten_J_colind[start : start + count]] = data.ten_J[start : start + count]
        away = np.maximum(away, [abs(length - data.ten_length[t]), np.abs(arm - T.T @ J).max()])
    return away


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--package-dirs", nargs="*", default=())
    parser.add_argument("--states", type=int, default=2)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    for folder in given.folders:
        opened = loaded = near = 0
        for path, theirs in files(folder):
            opened += 1
            try:
                worst = compare(path, theirs, rng, given.states, package_dirs=given.package_dirs)
                loaded += 1
            except lo.ModelError as error:
                print(f"refused   {path}: {error.faults[0][:160]}")
                continue
            near += worst[0] < 1e-8
            if worst[0] >= 1e-8 or worst[1:].any():
                print(f"{worst[0]:9.1e} lengths {worst[1]:.1e} arms {worst[2]:.1e}  {path}")
        print(f"{folder}: MuJoCo opens {opened}, {loaded} load; accelerations of {near} within 1e-8", flush=True)


if __name__ == "__main__":
    main()
