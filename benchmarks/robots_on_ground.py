"""Robots of example-robot-data on a floor with all their collision shapes, side by side with MuJoCo.

    python benchmarks/robots_on_ground.py [--among] [part of a name ...]
    python benchmarks/robots_on_ground.py --trot

Needs MuJoCo and example-robot-data. Both have the same shapes (MuJoCo takes corners of our hulls), the same springs and dampers
in joints, the same start and steps of 2 ms; shapes touch the floor only, or with --among each other too.
With --trot both ANYmals trot with all their hulls, diagonal legs in turn, by the same torques.
Drift is the largest change of q from 5 s to 10 s; times are minima of short interleaved slices of the last second.
"""

import sys
import time
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np

import locomote as lo
from locomote.contact.collisions import parts_of
from locomote.geometry.shapes.hull import Hull

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.example_robots import ROBOTS, URDFS

STEP, SLICES, STEPS = 2e-3, 15, 100
LEGGED = (
    "a1.urdf anymal.urdf anymal-kinova.urdf b1.urdf b1-z1.urdf centauro.urdf g1_29dof_rev_1_0.urdf "
    "g1_29dof_with_hand_rev_1_0.urdf go1.urdf go2.urdf hyq_no_sensors.urdf icub_reduced.urdf icub.urdf laikago.urdf "
    "quadruped.urdf romeo.urdf romeo_small.urdf romeo_laas_small.urdf solo.urdf solo12.urdf talos_reduced.urdf "
    "talos_reduced_box.urdf talos_full_v2.urdf talos_full_v2_box.urdf"
).split()


def numbers(values) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def mujoco_of(problem: lo.Locomotion, among: bool = False, signals=()):
    """The same robot in MuJoCo: MJCF without shapes, and geoms, springs and a floor put into it; among : whether its bodies
    touch each other, but for those that are off ; signals : joints that torques act on"""
    model = problem.statement.model
    root = ET.fromstring(lo.write_mjcf(model, visuals=False, unsupported="warn"))
    ET.SubElement(root, "option", timestep=str(STEP), cone="elliptic", integrator="implicitfast")
    assets, world = ET.SubElement(root, "asset"), root.find("worldbody")
    ET.SubElement(world, "geom", type="plane", size="50 50 1", contype="0", conaffinity="1", friction="0.7 0 0", condim="3")
    bodies = {node.get("name"): node for node in root.iter("body")}
    common = {"contype": "1", "conaffinity": str(int(among)), "friction": "0.7 0 0", "condim": "3", "mass": "0"}
    for n, shape in enumerate(model.collisions):
        if shape.body not in bodies:
            continue
        place = np.asarray(shape.placement)
        turn = numbers(np.concatenate([place[:3, 0], place[:3, 1]]))
        geom = ET.SubElement(bodies[shape.body], "geom", pos=numbers(place[:3, 3]), xyaxes=turn, **common)
        size = np.array(shape.size, float)
        if shape.shape in ("mesh", "ellipsoid"):
            (part,) = parts_of(shape)
            assert isinstance(part.shape, Hull)
            ET.SubElement(assets, "mesh", name=f"hull{n}", vertex=numbers(part.shape.corners), inertia="shell")
            geom.attrib |= {"type": "mesh", "mesh": f"hull{n}"}
        else:
            half = size / 2 if shape.shape == "box" else np.array([size[0], *(size[1:] / 2)])
            geom.attrib |= {"type": shape.shape, "size": numbers(half)}
    if among:
        off = {(a.body, b.body) for a, b, _ in lo.collision_pairs(problem.model, problem.start[0]).off}
        apart = ET.SubElement(root, "contact")
        for one, two in off:
            ET.SubElement(apart, "exclude", body1=one, body2=two)
    for node in root.iter("joint"):
        if node.get("name") in problem.springs:
            stiffness, rest, damping = problem.springs[node.get("name")]
            node.attrib |= {"stiffness": repr(stiffness), "damping": repr(damping), "springref": repr(float(rest))}
    motors = ET.SubElement(root, "actuator")
    for name in signals:
        ET.SubElement(motors, "motor", joint=name)
    root.find("compiler").attrib |= {"balanceinertia": "true", "boundmass": "1e-9", "boundinertia": "1e-12"}
    return mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))


def started(robot, problem):
    """MuJoCo's state at our start."""
    data, model, q = mujoco.MjData(robot), problem.model, problem.start[0]
    for name in model.joint_names:
        own = q[model.joint(name).q]
        at = robot.jnt_qposadr[mujoco.mj_name2id(robot, mujoco.mjtObj.mjOBJ_JOINT, name)]
        data.qpos[at : at + len(own)] = [*own[:3], own[6], *own[3:6]] if len(own) == 7 else own
    return data


def compared(name: str, among: bool) -> str:
    problem = lo.on_ground(lo.load(ROBOTS / name, base="free"), self_contact=among)
    run = problem.simulate(10.0, step=STEP, every=0.05)
    drift, law = abs(run.q[run.t >= 5.0] - run.q[-1]).max(), run.tracked["contact_law"]
    steps = problem.stepper(run.q[-1], run.v[-1], step=STEP)
    shapes = f"{len(problem.contacts)}, {len(problem.contact_names)}"
    if among:
        shapes = str(len(lo.collision_pairs(problem.model, problem.start[0])))
    row = f"{Path(name).stem} | {shapes} | {drift:.0e} | {run.q[-1, 2]:.4f}"
    try:
        robot = mujoco_of(problem, among)
    except (ValueError, lo.ModelError) as error:
        return f"| {row} | {str(error)[:60]} |"
    data = started(robot, problem)
    mujoco.mj_step(robot, data, 5000)
    ours, theirs = [], []
    for _ in range(SLICES):
        begin = time.process_time()
        steps.advance(steps=STEPS)
        middle = time.process_time()
        mujoco.mj_step(robot, data, STEPS)
        ours.append(middle - begin)
        theirs.append(time.process_time() - middle)
    us, other = (1e6 * min(x) / STEPS for x in (ours, theirs))
    return f"| {row} | {data.qpos[2]:.4f} | {us:.1f} | {other:.1f} | {other / us:.1f} | {int(law[0])} of 5000, {law[1]:.0e} |"


def trots() -> None:
    """Both ANYmals trot, on feet, shanks and all other hulls."""
    import contacts  # beside this file

    for name in [name for name in URDFS if Path(name).name == "anymal.urdf"]:
        robot = lo.load(ROBOTS / name, base="free")
        bent = {"HAA": 0.0, "HFE": 0.7, "KFE": -1.4}
        sign = {joint: -1.0 if joint[1] == "H" else 1.0 for joint in robot.joint_names if joint[3:] in bent}
        standing = lo.on_ground(robot, posture={joint: sign[joint] * bent[joint[3:]] for joint in sign})
        signals = {}
        for leg, phase in (("LF", 0.0), ("RH", 0.0), ("RF", np.pi), ("LH", np.pi)):
            for joint, swing in ((f"{leg}_HFE", contacts.SWING + 0.5 * sign[f"{leg}_HFE"] * contacts.LIFT),
                                 (f"{leg}_KFE", -sign[f"{leg}_KFE"] * contacts.LIFT)):  # fmt: skip
                signals[joint] = lo.Sine(standing.springs[joint][0] * swing, contacts.PACE, phase)
        problem = standing.replaced(torques=signals)
        q, v = problem.start
        twin = mujoco_of(problem, True, signals)
        case = contacts.Scene(problem, q, v, twin, signals)
        run = problem.simulate(4.0, step=STEP, every=0.01)
        feet = abs(np.diff(run.contact_forces[200:, :, 2] > 1.0, axis=0)).sum() / 2
        law, lift = run.tracked["contact_law"], np.ptp(run.q[200:, 2])
        contacts.timed(f"{Path(name).parts[-3]} trots", case, repeats=5)
        print(
            f"   trunk up and down {lift:.4f} m, {feet:.0f} steps of feet in 2 s, law {int(law[0])} of 2000, {law[1]:.0e} m/s"
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--trot" in sys.argv:
        trots()
        raise SystemExit
    among, parts = "--among" in sys.argv, [x for x in sys.argv[1:] if x != "--among"]
    wanted = [name for name in URDFS if Path(name).name in LEGGED and any(x in name for x in parts or [""])]
    columns = ["robot", "pairs" if among else "shapes, spots", "drift, m or rad", "height, m", "MuJoCo's", "us a step"]
    print("|", " | ".join([*columns, "MuJoCo's", "ratio", "law missed"]), "|")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in wanted:
        print(compared(name, among), flush=True)
