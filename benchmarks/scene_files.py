"""MJCF files in folders, in MuJoCo and here: which load, and how far accelerations, tendon lengths and moment arms differ.

    python benchmarks/scene_files.py FOLDER ... [--package-dirs FOLDER] [--states 2]

States, controls and activations are random; constraints (contacts, limits, loops, dry friction) are off in both programs.
Equalities, which hold exactly here, are left out after the file was opened as it is. Where accelerations differ by more than
1e-8 they are compared once more with MuJoCo's masses and principal axes of inertia, which it finds to some 1e-6 rad, and with
its ranges of lengths of muscles, and where a file has free bodies only both programs are compared with 50 digits.
"""

import argparse
import warnings
from dataclasses import replace
from pathlib import Path

import mpmath
import mujoco
import numpy as np

import locomote as lo
from locomote.forces.paths import path_lengths
from locomote.locomotion.scene import problem_of
from locomote.locomotion.scene_motors import settled


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


def compare(path, theirs, rng, states, their_numbers=False, **options):
    """Largest relative difference of accelerations, and differences of tendon lengths and moment arms; ours and MuJoCo's
    difference from 50 digits if that is known."""
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    lo.load_scene(path, contacts=False, **options)
    scene = lo.read_scene(path, **options)
    scene = replace(scene, motors=tuple(settled(scene, lo.Model(scene.description))))  # limits give muscles their lengths
    scene = without_constraints(scene)
    scene = with_their_numbers(scene, theirs) if their_numbers else scene
    data, worst = mujoco.MjData(theirs), np.zeros(5)
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
        ours, scale = problem.evaluate(0.0, q, v).a, 1 + np.abs(expected).max()
        worst[0] = max(worst[0], np.abs(ours - expected).max() / scale)
        worst[1:3] = np.maximum(worst[1:3], tendons(scene, model, q, T, theirs, data))
        if their_numbers and (exact := of_free_bodies(scene, model, q, v)) is not None:
            worst[3:] = np.maximum(worst[3:], [np.abs(x - exact).max() / scale for x in (ours, expected)])
    return worst


def without_constraints(scene):
    """A scene without what MuJoCo counts as constraints: equalities, dry friction, limits of tendons."""
    bodies = [
        replace(body, joints=tuple(replace(joint, friction=0.0) for joint in body.joints)) for body in scene.description.bodies
    ]
    strands = tuple(replace(strand, limits=None) for strand in scene.strands)
    description = replace(scene.description, couplings=(), bodies=tuple(bodies))
    return replace(scene, relations=(), loops=(), strands=strands, description=description)


def with_their_numbers(scene, theirs):
    """A scene whose bodies have the masses, centers, moments and principal axes that MuJoCo computed, muscles its lengths."""
    bodies, axes = [], dict(scene.axes)
    for body in scene.description.bodies:
        k = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, body.name)
        if k >= 0 and body.inertia is not None:
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, theirs.body_iquat[k])
            R = axes[body.name] = R.reshape(3, 3)
            moment = R @ np.diag(theirs.body_inertia[k]) @ R.T
            body = replace(body, inertia=lo.Inertia(theirs.body_mass[k], theirs.body_ipos[k], moment))
        bodies.append(body)

    def ranged(motor):
        if motor.fibres is None:
            return motor
        low, high = theirs.actuator_lengthrange[motor.place]
        parts = {name: own for name in ("fibres", "stretched") if (own := getattr(motor, name)) is not None}
        return replace(motor, **{name: replace(own, lengths=(float(low), float(high))) for name, own in parts.items()})

    motors = tuple(map(ranged, scene.motors))
    return replace(scene, description=replace(scene.description, bodies=tuple(bodies)), axes=axes, motors=motors)


def of_free_bodies(scene, model, q, v):
    """Accelerations with 50 digits if all that moves are free bodies on their own, else None."""
    bodies = [body for body in scene.description.bodies if body.joints]
    alone = all(body.parent is None and body.joints[0].kind == "free" for body in bodies)
    if not alone or len(bodies) < len(scene.description.bodies) or scene.motors or scene.medium or scene.floating:
        return None

    def cross(a, b):
        return mpmath.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

    result = np.zeros(model.nv)
    with mpmath.workdps(50):
        vector = lambda values: mpmath.matrix([mpmath.mpf(float(x)) for x in values])  # noqa: E731
        for body in bodies:
            own, (x, y, z, w) = model.joint(body.joints[0].name), vector(q[model.joint(body.joints[0].name).q][3:])
            size = mpmath.sqrt(x * x + y * y + z * z + w * w)
            x, y, z, w = x / size, y / size, z / size, w / size
            up = mpmath.matrix([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])  # z of the world
            moment = mpmath.matrix([list(vector(row)) for row in body.inertia.moment])
            linear, angular, center = vector(v[own.v][:3]), vector(v[own.v][3:]), vector(body.inertia.com)
            turning = mpmath.lu_solve(moment, -cross(angular, moment * angular))
            falling = mpmath.mpf(float(scene.description.gravity[2])) * up
            a = falling - cross(turning, center) - cross(angular, cross(angular, center)) - cross(angular, linear)
            result[own.v] = [float(value) for value in (*a, *turning)]
    return result


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
        opened = loaded = near = axes = 0
        for path, theirs in files(folder):
            opened += 1
            try:
                worst = compare(path, theirs, rng, given.states, package_dirs=given.package_dirs)
                loaded += 1
            except lo.ModelError as error:
                print(f"refused   {path}: {error.faults[0][:160]}")
                continue
            near += worst[0] < 1e-8
            again = ""
            if worst[0] >= 1e-8:
                same, _, _, *exact = compare(
                    path, theirs, rng, given.states, their_numbers=True, package_dirs=given.package_dirs
                )
                axes += same < 1e-8
                again = f", with MuJoCo's inertias and lengths {same:.1e}"
                again += f" (from 50 digits {exact[0]:.1e} here, {exact[1]:.1e} MuJoCo)" if any(exact) else ""
            if worst[0] >= 1e-8 or worst[1:3].any():
                print(f"{worst[0]:9.1e}{again}; lengths {worst[1]:.1e} arms {worst[2]:.1e}  {path}")
        more = f", of {axes} more with MuJoCo's inertias and lengths" if axes else ""
        print(f"{folder}: MuJoCo opens {opened}, {loaded} load; accelerations of {near} within 1e-8{more}", flush=True)


if __name__ == "__main__":
    main()
