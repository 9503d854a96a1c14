"""Shapes of bodies that touch each other, side by side with MuJoCo: robots with all their hulls, a hand, a heap of meshes.

    python benchmarks/bodies_in_contact.py [part of a name ...]

Needs MuJoCo and example-robot-data. Both have the same shapes and pairs of bodies, springs, start and steps of 2 ms; times are
minima of short interleaved slices. A heap: 30 hulls of 40 corners thrown on a floor; times of its first second, and at rest.
"""

import sys
import time
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
from robots_on_ground import ROBOTS, STEP, mujoco_of, numbers, started

import locomote as lo

SLICES, STEPS = 12, 60


def heap(count: int = 30, corners: int = 40, seed: int = 1):
    """Hulls of random points in two towers above a floor."""
    rng = np.random.default_rng(seed)
    hulls = []
    for _ in range(count):
        points = rng.normal(size=(corners, 3))
        hulls.append(lo.Hull(points / np.linalg.norm(points, axis=1, keepdims=True) * rng.uniform(0.04, 0.07, 3)))
    builder = lo.Builder("heap")
    for k in range(count):
        inertia = lo.Inertia.sphere(0.3, 0.05)
        builder = builder.body(f"b{k}", joint=lo.Joint(f"j{k}", "free"), inertia=inertia)
    model = builder.build()
    solids = tuple(lo.Solid(f"b{k}", hull) for k, hull in enumerate(hulls))
    pairs = tuple((i, j) for i in range(count) for j in range(i + 1, count))
    touches = [lo.Touch(f"b{k}", lo.Ground(), shape=hull) for k, hull in enumerate(hulls)]
    q = model.neutral()
    for k in range(count):
        turn = rng.normal(size=4)
        place = [0.15 * (k % 2), 0.15 * (k // 2 % 2), 0.1 + 0.15 * (k // 4)]
        q[model.joint(f"j{k}").q] = [*place, *turn / np.linalg.norm(turn)]
    return lo.Locomotion(model, contacts=[*touches, lo.BodyContacts(solids, pairs)], name="heap"), q, hulls


def heap_in_mujoco(problem, q, hulls):
    root = ET.Element("mujoco")
    ET.SubElement(root, "option", timestep=str(STEP), cone="elliptic", integrator="implicitfast")
    assets, world = ET.SubElement(root, "asset"), ET.SubElement(root, "worldbody")
    ET.SubElement(world, "geom", type="plane", size="50 50 1", friction="0.7 0 0", condim="3")
    for k, hull in enumerate(hulls):
        ET.SubElement(assets, "mesh", name=f"m{k}", vertex=numbers(hull.corners), inertia="shell")
        body = ET.SubElement(world, "body", name=f"b{k}")
        ET.SubElement(body, "freejoint", name=f"j{k}")
        inertia = problem.model.body(f"b{k}").body.inertia
        ET.SubElement(body, "inertial", pos="0 0 0", mass="0.3", diaginertia=numbers(np.diag(inertia.moment)))
        middle = "0 0 0"
        ET.SubElement(body, "geom", type="mesh", mesh=f"m{k}", friction="0.7 0 0", condim="3", pos=middle)
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    for k in range(model.nmesh):  # the geom where the mesh was, not about its center of mass
        model.geom_pos[k + 1], model.geom_quat[k + 1] = model.mesh_pos[k], model.mesh_quat[k]
    data = mujoco.MjData(model)
    for k in range(len(hulls)):
        own = q[problem.model.joint(f"j{k}").q]
        data.qpos[7 * k : 7 * k + 7] = [*own[:3], own[6], *own[3:6]]
    return model, data


def timed(steps, robot, data, slices, count):
    ours, theirs = [], []
    for _ in range(slices):
        begin = time.process_time()
        steps.advance(steps=count)
        middle = time.process_time()
        mujoco.mj_step(robot, data, count)
        ours.append(middle - begin)
        theirs.append(time.process_time() - middle)
    return np.array(ours) / count * 1e6, np.array(theirs) / count * 1e6


def of_heap() -> None:
    problem, q, hulls = heap()
    robot, data = heap_in_mujoco(problem, q, hulls)
    steps = problem.stepper(q, np.zeros(problem.model.nv), step=STEP)
    for part, slices in (("0 to 1 s", 10), ("1 to 2 s", 10), ("2 to 4 s", 20)):
        ours, theirs = timed(steps, robot, data, slices, 50)
        print(f"heap {part}: us a step {ours.mean():.0f}, MuJoCo's {theirs.mean():.0f}, ratio {theirs.sum() / ours.sum():.2f}")
    law = problem.simulate(3.0, q=q, step=STEP, every=0.1, progress=False).tracked["contact_law"]
    print(f"   law missed in {int(law[0])} of 1500 steps, by {law[1]:.0e} m/s at most")
    print("   highest", max(steps.q[2::7]), data.qpos[2::7].max(), "fastest", abs(steps.v).max(), abs(data.qvel).max())


def of_hand() -> None:
    """Three fingers hold a box above the floor (`examples/three_fingers.py`)."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
    import three_fingers

    press = 2.5 * three_fingers.MASS * 9.81 / (3 * three_fingers.FRICTION)
    problem = three_fingers.scene(press)
    run = problem.simulate(2.0, step=STEP, every=0.1)
    robot = mujoco.MjModel.from_xml_string(three_fingers.text())
    robot.opt.cone, robot.opt.integrator = mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data, told = mujoco.MjData(robot), list(three_fingers.told(press).values())
    for n in range(1000):
        data.ctrl[:] = [drive(n * STEP)[0] for drive in told]
        mujoco.mj_step(robot, data)
    steps = problem.stepper(run.q[-1], run.v[-1], t=2.0, step=STEP)
    ours, theirs = timed(steps, robot, data, SLICES, STEPS)
    law = run.tracked["contact_law"]
    print(f"hand: us a step {ours.min():.1f}, MuJoCo's {theirs.min():.1f}, ratio {theirs.min() / ours.min():.2f}, law {law}")


def of_robot(name: str) -> None:
    problem = lo.on_ground(lo.load(ROBOTS / name, base="free"))
    run = problem.simulate(4.0, step=STEP, every=0.05)
    law = run.tracked["contact_law"]
    robot = mujoco_of(problem, among=True)
    data = started(robot, problem)
    mujoco.mj_step(robot, data, 2000)
    steps = problem.stepper(run.q[-1], run.v[-1], step=STEP)
    ours, theirs = timed(steps, robot, data, SLICES, STEPS)
    ratio = theirs.min() / ours.min()
    drift = abs(run.q[run.t >= 3.0] - run.q[-1]).max()
    pairs = len(problem.plan.pairs)
    print(
        f"| {Path(name).stem} | {pairs} | {drift:.0e} | {run.q[-1, 2]:.4f} | {data.qpos[2]:.4f} | {ours.min():.1f} | "
        f"{theirs.min():.1f} | {ratio:.2f} | {int(law[0])} of 2000, {law[1]:.0e} |",
        flush=True,
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    from robots_on_ground import LEGGED, URDFS

    wanted = sys.argv[1:]
    if not wanted or "heap" in wanted:
        of_heap()
    if not wanted or "hand" in wanted:
        of_hand()
    for name in URDFS:
        if Path(name).name in LEGGED and any(x in name for x in wanted):
            of_robot(name)
