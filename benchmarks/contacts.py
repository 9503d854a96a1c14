"""Robots on the ground: time a step and drift, next to MuJoCo's loop in C on the same robot, contacts and step.

    python benchmarks/contacts.py            all scenes
    python benchmarks/contacts.py slope      ANYmal on a slope of 10 degrees for 60 s

Needs MuJoCo and example-robot-data. Both hold their joints by the same springs and dampers and step by 2 ms; MuJoCo finds its
contacts (spheres of 1 mm on a plane), ours are spheres of 1 mm too. Times are minima of interleaved repeats; `unsolved` counts
steps that miss the contact law by more than 1e-8 m/s.
"""

import sys
import time

import mujoco
import numpy as np

import locomote as lo
from locomote.bench.peers import mujoco_model, numbers, robot_file

STEP, FRICTION, RADIUS = 2e-3, 0.8, 1e-3
STIFFNESS, DAMPING = 200.0, 8.0
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
CORNERS = [(x, y, 0.0) for x in (-0.03, 0.03) for y in (-0.03, 0.03)]


def anymal():
    """The robot, and the posture that it holds."""
    model = lo.load(robot_file("anymal"), base="free")
    q = model.neutral()
    for name in model.joint_names[1:]:
        front = name[1] == "F"
        angle = {"HAA": 0.0, "HFE": 0.7 if front else -0.7, "KFE": -1.4 if front else 1.4}[name[3:]]
        q[model.joint(name).q] = angle
    return model, q


def feet_at(model, q, corners):
    """Places of contacts by foot, in axes of the world about each foot, as places in the foot's frame."""
    poses = lo.forward_kinematics(model, q)
    return {f: [poses[model.body(f).index][:3, :3].T @ np.array(c) for c in corners] for f in FEET}


def scene(corners, slope=0.0):
    """Our problem and its start, and MuJoCo's model and data in the same state."""
    model, q = anymal()
    places = feet_at(model, q, corners)
    poses = lo.forward_kinematics(model, q)
    q[2] = RADIUS - min(poses[model.body(f).index][2, 3] for f in FEET)
    surface = lo.Plane.slope(slope)
    turn = np.array([0.0, np.sin(slope / 2), 0.0, np.cos(slope / 2)])
    height = q[2]
    q[:3], q[3:7] = height * np.array(surface.normal), turn
    ground = lo.Ground(surface, friction=FRICTION)
    touches = [lo.Touch(f, ground, sphere=RADIUS, at=p, name=f"{f}{k}") for f in FEET for k, p in enumerate(places[f])]
    rest = {name: float(q[model.joint(name).q][0]) for name in model.joint_names[1:]}
    springs = {name: (STIFFNESS, rest[name], DAMPING) for name in rest}
    problem = lo.Locomotion(model, springs=springs, contacts=touches, name="anymal")
    parts = {}
    for f in FEET:
        index = model.body(f).index
        for p in places[f]:
            place = (model.placement[index] @ [*p, 1.0])[:3]
            geom = f'<geom type="sphere" size="{RADIUS}" pos="{numbers(place)}" mass="0" contype="1" conaffinity="0"/>'
            parts[int(model.carrier[index])] = parts.get(int(model.carrier[index]), "") + geom
    masks = 'contype="0" conaffinity="1" condim="3"'
    world = f'<geom type="plane" size="50 50 1" euler="0 {slope} 0" friction="{FRICTION} 0 0" {masks}/>'
    twin = mujoco_model(
        model, joint=f'stiffness="{STIFFNESS}" damping="{DAMPING}"', parts=parts, rest=q, world=world,
        option=f'timestep="{STEP}" cone="elliptic"',
    )  # fmt: skip
    data = mujoco.MjData(twin)
    data.qpos[:] = q
    data.qpos[3:7] = q[[6, 3, 4, 5]]
    return problem, q, twin, data


def ours(problem, q, T):
    """(run, seconds of stepping)."""
    run = problem.simulate(T, q=q, method="timestep", step=STEP, samples=[0.0, T], progress=False)
    return run, run.info["wall"]


def foot_places(problem, q):
    poses = lo.forward_kinematics(problem.model, q)
    return np.array([poses[problem.model.body(f).index][:3, 3] for f in FEET])


def timed(title, corners, T=1.0, repeats=25):
    problem, q, twin, data = scene(corners)
    run, _ = ours(problem, q, 1.0)
    settled = np.array(run.q[-1])
    best, other = np.inf, np.inf
    steps = int(T / STEP)
    mujoco.mj_step(twin, data, 500)
    for _ in range(repeats):
        run, wall = ours(problem, settled, T)
        best = min(best, wall / run.info["steps"])
        tick = time.perf_counter()
        mujoco.mj_step(twin, data, steps)
        other = min(other, (time.perf_counter() - tick) / steps)
    law = run.tracked["contact_law"]
    print(
        f"{title:28s} ours {1e6 * best:6.2f} us   MuJoCo {1e6 * other:6.2f} us   ratio {other / best:5.2f}   "
        f"unsolved {int(law[0])} of {run.info['steps']} (worst {law[1]:.1e} m/s)"
    )


def slope(T=60.0):
    problem, q, twin, data = scene([(0.0, 0.0, 0.0)], np.radians(10))
    run, _ = ours(problem, q, 2.0)
    start = np.array(run.q[-1])
    run, wall = ours(problem, start, T)
    drift = np.abs(foot_places(problem, run.q[-1]) - foot_places(problem, start)).max()
    depth = max(0.0, -min((foot_places(problem, run.q[-1]) @ np.array(problem.contacts[0].ground.surface.normal)) - RADIUS))
    mujoco.mj_step(twin, data, int(2.0 / STEP))

    def twin_feet():
        return np.array([data.geom_xpos[k] for k in range(1, 5)])

    before = twin_feet().copy()
    mujoco.mj_step(twin, data, int(T / STEP))
    law = run.tracked["contact_law"]
    print(f"ANYmal on a slope of 10 degrees, {T:g} s: feet drift {drift:.1e} m, sink {depth:.1e} m")
    print(f"  steps above 1e-8 m/s: {int(law[0])} of {run.info['steps']}, worst {law[1]:.1e} m/s")
    print(f"  MuJoCo (elliptic cone, default contact): feet drift {np.abs(twin_feet() - before).max():.2e} m")


if __name__ == "__main__":
    asked = sys.argv[1:] or ["stand", "slope"]
    if "stand" in asked:
        timed("ANYmal stands, 4 points", [(0.0, 0.0, 0.0)])
        timed("ANYmal stands, 16 corners", CORNERS)
    if "slope" in asked:
        slope()
