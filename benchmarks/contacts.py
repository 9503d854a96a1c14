"""Robots, chains and heaps on the ground: time a step, drift and what is left of the law, next to MuJoCo's loop in C.

    python benchmarks/contacts.py                   all scenes of the table
    python benchmarks/contacts.py stand16 trot4     some of them
    python benchmarks/contacts.py slope             ANYmal on a slope of 10 degrees for 60 s
    python benchmarks/contacts.py rollouts          many runs of a robot, beside mujoco.rollout
    python benchmarks/contacts.py dropped throws    flat feet dropped from a dozen starts; a dozen throws of the chain
    python benchmarks/contacts.py thrown nudged     a throw of the chain; nine that differ in the last digits of its start
    python benchmarks/contacts.py grasp funnel wall heap    bodies that touch each other (`contact_heaps.py`)
    python benchmarks/contacts.py --table [...]     the table of docs/contacts.md, at the end

Needs MuJoCo and example-robot-data. Both hold their joints by the same springs and dampers and step by 2 ms; MuJoCo finds its
contacts (spheres of 1 mm on a plane), ours are spheres of 1 mm too. Times are process times, minima of interleaved repeats of
the same slices of both; `unsolved` counts steps that miss the contact law by more than 1e-8 m/s, of all that were timed.
"""

import sys
import time
from dataclasses import dataclass

import contact_heaps
import mujoco
import mujoco.rollout
import numpy as np
from scipy.spatial.transform import Rotation

import locomote as lo
from locomote.bench.peers import mujoco_model, numbers, robot_file
from locomote.methods.timestep.runs import SteppedRuns

STEP, FRICTION, RADIUS = 2e-3, 0.8, 1e-3
STIFFNESS, DAMPING = 200.0, 8.0
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
POINT = [(0.0, 0.0, 0.0)]
CORNERS = [(x, y, 0.0) for x in (-0.03, 0.03) for y in (-0.03, 0.03)]
TABLE_ROWS: list[str] = []
PACE, SWING, LIFT = 2 * np.pi * 2.0, 0.03, 0.2  # rad/s, rad, rad: of the trot


@dataclass
class Scene:
    """A problem with its start, and MuJoCo's model with the same start and controls a step."""

    problem: lo.Locomotion
    q: np.ndarray
    v: np.ndarray
    twin: mujoco.MjModel
    signals: dict

    def twin_state(self) -> np.ndarray:
        """Start of MuJoCo's rollout."""
        q = self.q.copy()
        for k in self.problem.model.coordinates.quaternions:
            q[k : k + 4] = q[[k + 3, k, k + 1, k + 2]]
        return np.r_[0.0, q, self.twin_velocity(self.q, self.v)]

    def twin_velocity(self, q, v):
        """MuJoCo has the velocity of a free body in world axes."""
        v = np.array(v)
        for name in self.problem.model.joint_names:
            joint = self.problem.model.joint(name)
            if joint.v.stop - joint.v.start == 6:
                turn = Rotation.from_quat(q[joint.q][3:])
                v[joint.v.start : joint.v.start + 3] = turn.apply(v[joint.v.start : joint.v.start + 3])
        return v

    def controls(self, steps: int) -> np.ndarray:
        """(steps, nu) torques that our signals give, at the middle of each step."""
        t = (np.arange(steps) + 0.5) * STEP
        return np.array([[signal(x)[0] for signal in self.signals.values()] for x in t]).reshape(steps, len(self.signals))


def scene(model, q, places, *, slope=0.0, signals=None, v=None, stiffness=STIFFNESS, damping=DAMPING, lift=None):
    """A model on a plane with balls of 1 mm at places of bodies; it stands on the lowest of them unless lifted."""
    poses, signals = lo.forward_kinematics(model, q), signals or {}
    lowest = min((poses[model.body(f).index] @ [*p, 1.0])[2] for f, points in places.items() for p in points)
    if lift is None:
        q[2] += RADIUS - lowest
    else:
        q[2] += lift - lowest
    surface = lo.Plane.slope(slope)
    if slope:
        q[:3], q[3:7] = q[2] * np.array(surface.normal), [0.0, np.sin(slope / 2), 0.0, np.cos(slope / 2)]
    ground = lo.Ground(surface, friction=FRICTION)
    touches = [lo.Touch(f, ground, sphere=RADIUS, at=p, name=f"{f}{k}") for f in places for k, p in enumerate(places[f])]
    rest = {
        name: float(q[model.joint(name).q][0])
        for name in model.joint_names
        if model.joint(name).q.stop - model.joint(name).q.start == 1
    }
    springs = {name: (stiffness, rest[name], damping) for name in rest}
    problem = lo.Locomotion(model, springs=springs, contacts=touches, torques=signals, name=model.name, limits=False)
    parts = {}
    for f, points in places.items():
        index = model.body(f).index
        for p in points:
            place = (model.placement[index] @ [*p, 1.0])[:3]
            geom = f'<geom type="sphere" size="{RADIUS}" pos="{numbers(place)}" mass="0" contype="1" conaffinity="0"/>'
            parts[int(model.carrier[index])] = parts.get(int(model.carrier[index]), "") + geom
    masks = 'contype="0" conaffinity="1" condim="3"'
    world = f'<geom type="plane" size="50 50 1" euler="0 {slope} 0" friction="{FRICTION} 0 0" {masks}/>'
    spec = mujoco_model(
        model, joint=f'stiffness="{stiffness}" damping="{damping}"', parts=parts, rest=q, world=world,
        option=f'timestep="{STEP}" cone="elliptic"', motors=[joint_number(model, name) for name in signals],
    )  # fmt: skip
    return Scene(problem, q, np.zeros(model.nv) if v is None else v, spec, signals)


def joint_number(model, name) -> int:
    """The moving body that a joint moves."""
    return int(np.searchsorted(model.topology[:-1, 3], model.joint(name).v.start, side="right") - 1)


def anymal():
    """The robot, and the posture that it holds."""
    model = lo.load(robot_file("anymal"), base="free")
    q = model.neutral()
    for name in model.joint_names[1:]:
        front = name[1] == "F"
        q[model.joint(name).q] = {"HAA": 0.0, "HFE": 0.7 if front else -0.7, "KFE": -1.4 if front else 1.4}[name[3:]]
    return model, q


def feet_at(model, q, corners):
    """Places of contacts by foot, given in axes of the world about each foot, as places in the foot's frame."""
    poses = lo.forward_kinematics(model, q)
    return {f: [poses[model.body(f).index][:3, :3].T @ np.array(c) for c in corners] for f in FEET}


def quadruped(corners, **more):
    model, q = anymal()
    return scene(model, q, feet_at(model, q, corners), **more)


def trot(corners):
    """Diagonal legs swing and lift in turn."""
    signals = {}
    for foot in FEET:
        leg, phase = foot[:2], 0.0 if foot[:2] in ("LF", "RH") else np.pi
        sign = 1.0 if leg[1] == "F" else -1.0
        signals[f"{leg}_HFE"] = lo.Sine(STIFFNESS * (SWING + sign * 0.5 * LIFT), PACE, phase)
        signals[f"{leg}_KFE"] = lo.Sine(-sign * STIFFNESS * LIFT, PACE, phase)
    return quadruped(corners, signals=signals)


def tumble():
    """ANYmal dropped tilted and spinning, with points on feet, knees and trunk."""
    model, q = anymal()
    places = feet_at(model, q, POINT)
    places |= {f"{leg}_SHANK": [np.zeros(3)] for leg in ("LF", "RF", "LH", "RH")}
    places["base"] = [np.array([x, y, z]) for x in (-0.3, 0.3) for y in (-0.15, 0.15) for z in (-0.1, 0.1)]
    q[3:7] = Rotation.from_euler("xyz", [2.0, 0.5, 0.3]).as_quat()
    v = np.zeros(model.nv)
    v[:6] = 0.5, 0.0, 0.0, 2.0, 1.0, 0.5
    return scene(model, q, places, v=v, lift=0.1)


def humanoid():
    model = lo.load(robot_file("talos"), base="free")
    q = model.neutral()
    bent = {"leg_left_3_joint": -0.4, "leg_left_4_joint": 0.8, "leg_left_5_joint": -0.4}
    for name, angle in bent.items():
        for side in (name, name.replace("left", "right")):
            q[model.joint(side).q] = angle
    poses, places = lo.forward_kinematics(model, q), {}
    for side in ("left", "right"):
        foot = f"leg_{side}_6_joint" if f"leg_{side}_6_joint" in model.body_names else f"leg_{side}_6_link"
        turn = poses[model.body(foot).index][:3, :3].T
        places[foot] = [turn @ np.array([x, y, -0.1]) for x in (-0.1, 0.1) for y in (-0.06, 0.06)]
    return scene(model, q, places, stiffness=3000.0, damping=60.0)


def chain(thrown=False, seed=None):
    """Ten boxes on universal joints, three points below each; thrown as ever, or as a random number says."""
    builder, size = lo.Builder("chain", base="free"), (0.2, 0.1, 0.06)
    for k in range(10):
        inertia = lo.Inertia.box(1.0, size)
        joint = {} if k == 0 else {"parent": f"box{k - 1}", "at": (0.22, 0, 0)}
        if k > 0:
            axis = (0, 1, 0) if k % 2 else (0, 0, 1)
            joint["joint"] = lo.Joint(f"joint{k}", axis=axis)
        builder.body(f"box{k}", inertia=inertia, **joint)
    model = builder.build()
    points = [np.array(p) for p in ((0.1, 0.0, -0.03), (-0.1, 0.05, -0.03), (-0.1, -0.05, -0.03))]
    q, v = model.neutral(), np.zeros(model.nv)
    if thrown:
        q[3:7], v[:6] = Rotation.from_euler("xyz", [0.3, 0.4, 0.2]).as_quat(), (1.0, 0.5, 0.0, 1.0, 2.0, -1.0)
    if seed is not None:
        rng = np.random.default_rng(seed)
        q[3:7], v[:6] = Rotation.random(random_state=seed).as_quat(), rng.normal(size=6) * (1.0, 1.0, 0.3, 2.0, 2.0, 2.0)
    places = {f"box{k}": points for k in range(10)}
    return scene(model, q, places, stiffness=5.0, damping=0.1, v=v, lift=0.3 if thrown else None)


def nudged(k):
    """The chain thrown as ever, but for the last digits of its start: it is chaotic, and one run says little."""
    case = chain(True)
    case.v[0] += 1e-10 * k
    return case


def ours(case: Scene, q, v, T):
    return case.problem.simulate(T, q=q, v=v, method="timestep", step=STEP, samples=[0.0, T], progress=False)


def measured(case: Scene, T=1.0, repeats=15, settle=1.0):
    """s a step of both, minima over repeats, slice by slice; how many of our steps, and how far, missed the law; how many."""
    first, steps = round(settle / STEP), round(T / STEP)
    data, state, controls = mujoco.MjData(case.twin), case.twin_state(), case.controls(first + steps)
    runs = SteppedRuns(case.problem, case.q[None], case.v[None], np.zeros((1, first + steps, 0)), np.zeros(0, np.int64), STEP)
    worker = runs.worker()
    if settle:
        runs.go(worker, 0, 1, 0, first)
        states, _ = mujoco.rollout.rollout(case.twin, data, state[None], controls[None, :first])
        state = states[0, -1]
    kept = [x.copy() for x in (runs.q, runs.v, runs.touch, runs.rates)]
    chunk = max(1, steps // 10)
    slices = [(n, min(n + chunk, steps)) for n in range(0, steps, chunk)]
    best, other = np.full(len(slices), np.inf), np.full(len(slices), np.inf)
    for _ in range(repeats):
        for x, start in zip((runs.q, runs.v, runs.touch, runs.rates), kept, strict=True):
            x[:] = start
        runs.law[:] = 0.0
        mujoco.mj_setState(case.twin, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        for n, (start, stop) in enumerate(slices):
            tick = time.process_time()
            runs.go(worker, 0, 1, first + start, first + stop)
            best[n] = min(best[n], time.process_time() - tick)
            part = controls[first + start : first + stop]
            tick = time.process_time()
            if len(case.signals):
                mujoco.rollout.rollout(case.twin, data, state_of(case.twin, data)[None], part[None])
            else:
                mujoco.mj_step(case.twin, data, len(part))
            other[n] = min(other[n], time.process_time() - tick)
    return np.array([best.sum() / steps, other.sum() / steps, *runs.law[0], steps])


def show(title, ours, theirs, unsolved, worst, steps, more=""):
    ratio, law = theirs / ours, f"{int(unsolved)} of {int(steps)}"
    print(
        f"{title:34s} ours {1e6 * ours:7.2f} us   MuJoCo {1e6 * theirs:7.2f} us   ratio {ratio:5.2f}   "
        f"unsolved {law} (worst {worst:.1e} m/s){more}",
        flush=True,
    )
    times = " | ".join(f"{1e6 * x:.0f}" if x > 1e-4 else f"{1e6 * x:.3g}" for x in (ours, theirs)) + f" | {ratio:.2g}"
    TABLE_ROWS.append(f"| {title}{more} | {times} | {law}, {worst:.0e} m/s |")


def timed(title, case: Scene, **how):
    show(title, *measured(case, **how))


def several(title, cases, **how):
    """The mean of some scenes of a kind, and the least ratio."""
    found = np.array([measured(case, **how) for case in cases])
    (ours, theirs, unsolved, _, steps), least = found.sum(axis=0) / len(found), (found[:, 1] / found[:, 0]).min()
    show(title, ours, theirs, unsolved * len(found), found[:, 3].max(), steps * len(found), f", least ratio {least:.2f}")


def dropped(seed):
    """ANYmal on 16 corners, dropped from up to 2 cm, off its posture and moving."""
    case, rng = quadruped(CORNERS), np.random.default_rng(seed)
    case.q[2] += rng.uniform(0.0, 0.02)
    case.q[7:] += 0.02 * rng.normal(size=len(case.q) - 7)
    case.v[:] = 0.1 * rng.normal(size=len(case.v))
    return case


def piled(made):
    """A scene of `contact_heaps`."""
    problem, q, v, twin = made
    return Scene(problem, q, v, twin, {})


def state_of(twin, data) -> np.ndarray:
    """MuJoCo's state as an array."""
    state = np.empty(mujoco.mj_stateSize(twin, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(twin, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return state


def foot_places(problem, q):
    poses = lo.forward_kinematics(problem.model, q)
    return np.array([poses[problem.model.body(f).index][:3, 3] for f in FEET])


def slope(T=60.0):
    case = quadruped(POINT, slope=np.radians(10))
    problem, data = case.problem, mujoco.MjData(case.twin)
    start = np.array(ours(case, case.q, case.v, 2.0).q[-1])
    run = ours(case, start, case.v, T)
    drift = np.abs(foot_places(problem, run.q[-1]) - foot_places(problem, start)).max()
    depth = max(0.0, -min((foot_places(problem, run.q[-1]) @ np.array(problem.contacts[0].ground.surface.normal)) - RADIUS))
    mujoco.mj_setState(case.twin, data, case.twin_state(), mujoco.mjtState.mjSTATE_FULLPHYSICS)
    mujoco.mj_step(case.twin, data, int(2.0 / STEP))

    def twin_feet():
        return np.array([data.geom_xpos[k] for k in range(1, 5)])

    before = twin_feet().copy()
    mujoco.mj_step(case.twin, data, int(T / STEP))
    law = run.tracked["contact_law"]
    print(f"ANYmal on a slope of 10 degrees, {T:g} s: feet drift {drift:.1e} m, sink {depth:.1e} m")
    print(f"  steps above 1e-8 m/s: {int(law[0])} of {run.info['steps']}, worst {law[1]:.1e} m/s")
    print(f"  MuJoCo (elliptic cone, default contact): feet drift {np.abs(twin_feet() - before).max():.2e} m")


def rollouts(count=16, T=1.0, repeats=5):
    """Many starts of the trot on one thread."""
    for title, case in (
        ("ANYmal stands", quadruped(POINT)),
        ("ANYmal trots", trot(POINT)),
        ("ANYmal trots, corners", trot(CORNERS)),
    ):
        rng, steps = np.random.default_rng(1), round(T / STEP)
        q, v = np.tile(case.q, (count, 1)), np.tile(case.v, (count, 1))
        q[:, 7:] += 0.02 * rng.normal(size=(count, q.shape[1] - 7))
        q[:, 2] += 0.02
        states = np.array([Scene(case.problem, q[k], v[k], case.twin, case.signals).twin_state() for k in range(count)])
        controls, data = np.tile(case.controls(steps), (count, 1, 1)), mujoco.MjData(case.twin)
        best, other, runs = np.inf, np.inf, None
        for _ in range(repeats):
            tick = time.process_time()
            runs = lo.rollout(case.problem, q=q, v=v, duration=T, step=STEP, progress=False)
            best = min(best, time.process_time() - tick)
            tick = time.process_time()
            mujoco.rollout.rollout(case.twin, data, states, controls)
            other = min(other, time.process_time() - tick)
        total, law = count * steps, runs.contact_law
        show(f"{count} rollouts, {title}", best / total, other / total, law[:, 0].sum(), law[:, 1].max(), total)


TABLE = {
    "stand4": lambda: timed("ANYmal stands, 4 points", quadruped(POINT)),
    "stand16": lambda: timed("ANYmal stands, 16 corners", quadruped(CORNERS)),
    "humanoid": lambda: timed("Talos stands, 8 corners", humanoid()),
    "chain": lambda: timed("chain lies on 30 points", chain()),
    "trot4": lambda: timed("ANYmal trots, 4 points", trot(POINT)),
    "trot16": lambda: timed("ANYmal trots, 16 corners", trot(CORNERS), repeats=5),
    "tumble": lambda: timed("ANYmal tumbles, 16 points", tumble(), settle=0.0, repeats=5),
    "thrown": lambda: timed("chain thrown, 30 points", chain(True), settle=0.0, T=2.0, repeats=2),
    "nudged": lambda: several("the same, 9 starts 1e-10 apart", [nudged(k) for k in range(9)], settle=0.0, T=2.0, repeats=2),
    "throws": lambda: several("chain thrown, 12 times", [chain(True, k) for k in range(12)], settle=0.0, T=2.0, repeats=2),
    "dropped": lambda: several("ANYmal dropped, 16 corners", [dropped(k) for k in range(12)], settle=2.0, repeats=5),
    "grasp": lambda: timed("three fingers hold a box", piled(contact_heaps.grasp()), settle=0.0, T=0.3, repeats=15),
    "funnel": lambda: timed("12 balls in a funnel", piled(contact_heaps.funnel()), settle=0.0, T=2.0, repeats=3),
    "wall": lambda: timed("wall of 20 boxes, kicked", piled(contact_heaps.wall()), settle=0.0, T=1.0, repeats=2),
    "heap": lambda: timed("heap of 30 boxes", piled(contact_heaps.heap()), settle=0.0, T=2.0, repeats=2),
}
OTHERS = {"slope": slope, "rollouts": rollouts}

if __name__ == "__main__":
    for asked in [name for name in sys.argv[1:] if name != "--table"] or [*TABLE, *OTHERS]:
        (TABLE | OTHERS)[asked]()
    if "--table" in sys.argv:
        print(
            "| | this, us | MuJoCo, us | ratio | steps above 1e-8 m/s, worst |", "|---|---|---|---|---|", *TABLE_ROWS, sep="\n"
        )
