"""Random good runs of every kind, each from a seed: few samples and many, short and long, soft, wet, controlled, in flows, over
contacts, in pieces, saved and opened. None of them may fail its audit.

`python random_good_runs.py FIRST LAST` prints those that do, and how many runs there were of each kind.
"""

import collections
import os
import sys
import tempfile
import warnings

import numpy as np

import locomote as lo
from locomote.systems.catalogue import names

DEEP = 60  # samples up to which the deep audit is asked, too
SYSTEMS = names()


def link(rng, length=0.5):
    mass = float(rng.uniform(0.3, 3.0))
    return lo.Inertia(mass, (0, 0, -0.5 * length), mass * length**2 / 12 * np.diag([1.0, 1.0, rng.uniform(0.05, 1.0)]))


def links(rng, count=None, base="fixed", **joint):
    """A chain of links that hang from a base, about axes that are not parallel."""
    builder, parent = lo.Builder("links", base=base), None
    if base != "fixed":
        builder.body("trunk", inertia=lo.Inertia.box(float(rng.uniform(1, 5)), (0.4, 0.3, 0.2)))
        parent = "trunk"
    for k in range(count or int(rng.integers(1, 4))):
        axis, at = ("y", "x", "y", "z")[k % 4], (0.2, 0.1, 0) if parent == "trunk" else (0, 0, -0.5 if parent else 0)
        options = {"damping": float(rng.choice([0.0, 0.05]))} | joint
        builder.body(f"l{k}", parent=parent, at=at, joint=lo.Joint(f"j{k}", axis=axis, **options), inertia=link(rng))
        parent = f"l{k}"
    return builder.build()


def start(rng, model, fast=1.0):
    q = model.integrate(model.neutral(), 0.4 * rng.normal(size=model.nv))
    return {"q": q, "v": fast * rng.normal(size=model.nv)}


def law(t, q, v):
    return -5.0 * v + np.sin(3 * t)


def flow_of(rng):
    kind = rng.integers(5)
    if kind == 0:
        return lo.water.Uniform(tuple(rng.normal(size=3)))
    if kind == 1:
        return lo.water.Shear(float(rng.uniform(-1, 1)))
    if kind == 2:
        return lo.water.KarmanStreet((0.4, 0, 0), 0.3, 0.05, 0.05)
    if kind == 3:
        return lo.water.Gust(tuple(rng.normal(size=3)), 0.3)
    return None


def free_of_forces(rng):
    inertia = lo.Inertia.sphere(1.0, 0.1) if rng.random() < 0.5 else lo.Inertia(1.0, moment=(0.1, 0.12, 0.15))
    joint = str(rng.choice(["free", "spherical", "xyz", "planar"]))
    model = lo.Builder("free", gravity=(0, 0, 0)).body("b", joint=lo.Joint("j", joint), inertia=inertia).build()
    return lo.Locomotion(model), start(rng, model, float(rng.choice([0.0, 0.3, 10.0])))


def spinning(rng):
    """A fast spin with something that swings on it."""
    builder = lo.Builder("governor").body(
        "shaft", joint=lo.Joint("spin", axis="z"), inertia=lo.Inertia(1.0, moment=(0.05,) * 3)
    )
    for name, x in (("left", 0.05), ("right", -0.07)):
        ball = lo.Inertia(0.5, (0, 0, -0.3), 1e-3 * np.eye(3))
        builder.body(name, parent="shaft", at=(x, 0, 0), joint=lo.Joint(name, axis="y"), inertia=ball)
    spin = float(rng.uniform(3, 40))
    drives = {"spin": lo.Polynomial([0.0, spin])} if rng.random() < 0.5 else {}
    return lo.Locomotion(builder.build(), drives=drives), {"q": 0.5 * rng.normal(size=3), "v": [spin, *rng.normal(size=2)]}


def stiff(rng):
    model = links(rng)
    springs = {name: (float(10 ** rng.uniform(0, 4)), 0.1, float(rng.choice([0.0, 1.0]))) for name in model.joint_names}
    return lo.Locomotion(model, springs=springs), start(rng, model)


def controlled(rng):
    model, kind = links(rng), rng.integers(5)
    every, targets = float(rng.choice([0.001, 0.01, 0.033])), {"j0": lo.Sine(0.4, float(rng.uniform(1, 6)))}
    torques = [
        lambda: lo.Sampled(law, every=every),
        lambda: lo.PD(targets, 20.0, 2.0, every=every, gravity=bool(rng.random() < 0.5)),
        lambda: lo.Servo(targets, 20.0, 2.0),
        lambda: lo.ComputedTorque(targets, 25.0, 10.0),
        lambda: law,
    ][kind]()
    return lo.Locomotion(model, torques=torques), start(rng, model)


def driven(rng):
    """Drives that begin at once, with a jump of velocity or acceleration."""
    model = links(rng, 3, str(rng.choice(["fixed", "free", "planar"])))
    drives = {"j0": lo.Sine(0.5, float(rng.uniform(1, 8)), float(rng.uniform(0, 6)), ramp=float(rng.choice([0.0, 0.2])))}
    return lo.Locomotion(model, drives=drives), start(rng, model, 0.3)


def afloat(rng):
    """In water that flows, at rest, carried along, or swimming."""
    model = links(rng, 2, "free")
    flow = flow_of(rng)
    water = lo.Fluid(1000.0, float(rng.choice([1e-3, 0.5])), flow)
    forces = [lo.Drag("trunk", water, 0.05, name="drag")]
    forces.append(lo.water.SlenderDrag("l0", water, (0, 0, 0), (0.3, 0, -0.3), 0.08))
    if rng.random() < 0.5:
        forces.append(lo.Buoyancy("trunk", water, volume=float(rng.uniform(1e-3, 4e-3))))
    if rng.random() < 0.4:
        forces.append(lo.AddedMass("trunk", water, lo.Ellipsoid((0.2, 0.15, 0.1))))
    if rng.random() < 0.4:
        forces.append(lo.water.Wing("l1", water, (0, 0, 0), (0.4, 0, 0), 0.1, forward=(0, 1, 0)))
    how = start(rng, model, 0.3)
    if isinstance(flow, lo.water.Uniform) and rng.random() < 0.5:
        how["q"], how["v"] = model.neutral(), np.concatenate([flow.velocity, np.zeros(model.nv - 3)])
    drives = {"j0": lo.Sine(0.4, 5.0)} if rng.random() < 0.5 else {}
    return lo.Locomotion(model, environment=forces, drives=drives), how


def adrift(rng):
    """One body that a uniform flow carries along."""
    flow = rng.normal(size=3)
    water = lo.Fluid(1000.0, 0.1, lo.water.Uniform(tuple(flow)))
    force = [
        lo.Drag("b", water, 0.01), lo.water.StokesDrag("b", water, 0.1), lo.water.SlenderDrag("b", water, (0, 0, 0), (0.2, 0,
        0), 0.05),
        lo.water.Resistive("b", water, (0, 0, 0), (0.2, 0, 0), along=0.3, across=0.6),
    ][rng.integers(4)]  # fmt: skip
    model = lo.Builder("adrift", base="free", gravity=(0, 0, 0)).body("b", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    spin = rng.normal(size=3) if rng.random() < 0.5 else np.zeros(3)
    return lo.Locomotion(model, environment=[force]), {"v": [*flow, *spin]}


def rod_of(rng, damping):
    material = lo.Material(float(rng.uniform(800, 2000)), float(10 ** rng.uniform(5.5, 8)), damping=damping)
    strains = str(rng.choice(["bending", "bending torsion", "kirchhoff", "planar"]))
    return lo.Rod(float(rng.uniform(0.2, 0.6)), lo.Section.circle(float(rng.uniform(0.005, 0.015))), material, strains, order=2)


def soft(rng):
    rod = rod_of(rng, float(rng.choice([0.0, 0.005, 0.03])))
    base = {} if rng.random() < 0.6 else {"joint": lo.Joint("hinge", axis="y")}
    model = lo.Builder("soft").body("arm", flex=rod, **base).body("tip", parent="arm", inertia=lo.Inertia(0.01)).build()
    drives = {"hinge": lo.Sine(0.5, 4.0)} if base and rng.random() < 0.6 else {}
    actuators = []
    if rng.random() < 0.4:
        path = ((0.0, 0.004, 0.0), (rod.length, 0.004, 0.0))
        actuators = [lo.Tendon("arm", path, lo.Sine(0.3, 3.0, offset=0.3, ramp=float(rng.choice([0.0, 0.3]))))]
    return lo.Locomotion(model, drives=drives, actuators=actuators), {}


def modal(rng):
    """A plate of given shapes on a hinge whose drive may begin with a jump."""
    x, y = np.meshgrid(np.linspace(0, 1, 5), np.linspace(-0.2, 0.2, 3))
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    bend, twist = np.zeros((2, 15, 3))
    bend[:, 2], twist[:, 2] = points[:, 0] ** 2, points[:, 0] * points[:, 1]
    stiffness = float(10 ** rng.uniform(1, 4))
    panel = lo.rods.Modes(
        points, np.full(15, 0.1), [bend, twist], stiffness=[stiffness, 0.7 * stiffness], ratio=float(rng.choice([0.0, 0.02]))
    )
    builder = lo.Builder("satellite", base=str(rng.choice(["free", "fixed"])), gravity=(0, 0, 0))
    builder.body("hub", inertia=lo.Inertia(5.0, moment=(0.3, 0.3, 0.3)))
    builder.body("panel", parent="hub", joint=lo.Joint("hinge", axis="y"), flex=panel)
    drives = {"hinge": lo.Sine(0.2, float(rng.uniform(1, 6)), float(rng.uniform(0, 6)), ramp=float(rng.choice([0.0, 0.3])))}
    return lo.Locomotion(builder.build(), drives=drives if rng.random() < 0.7 else {}), {}


def touching(rng):
    ground = [
        lambda: lo.Ground(friction=float(rng.uniform(0, 1))),
        lambda: lo.Ground(friction=0.4, restitution=float(rng.uniform(0.2, 0.8))),
        lambda: lo.Ground(friction=0.5, stiffness=2e4, damping=50.0),
        lambda: lo.Ground(lo.Plane(normal=(0.2, 0, 1)), friction=0.2),
        lambda: lo.Ground(friction=0.5, rolling=0.01, torsion=0.01),
        lambda: lo.Ground(friction=0.5, stiffness=2e4, damping=50.0, shear=1e4),
    ][rng.integers(6)]()
    shapes = [{"sphere": 0.05}, {"box": (0.1, 0.05, 0.03)}, {"disc": 0.1}, {"capsule": (0.03, 0.1)}]
    builder = lo.Builder("thrown", base="free").body("b", inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.06)))
    torques = None
    if rng.random() < 0.5:
        builder.body(
            "arm",
            parent="b",
            joint=lo.Joint("j", axis="y", damping=0.05),
            inertia=lo.Inertia(0.1, (0.05, 0, 0), 1e-3 * np.eye(3)),
        )
        torques = [None, {"j": lo.Sine(0.2, 6.0)}, lo.PD({"j": 0.3}, 1.0, 0.1, every=0.005)][rng.integers(3)]
    model = builder.build()
    q = model.neutral()
    q[2] = 0.15
    v = np.concatenate([rng.normal(size=2), [0.0], 3 * rng.normal(size=3), np.zeros(model.nv - 6)])
    touch = lo.Touch("b", ground, **shapes[rng.integers(4)])
    return lo.Locomotion(model, contacts=[touch], torques=torques), {"q": q, "v": v}


def bouncing(rng):
    builder = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1))
    floor = lo.PointContact("ball", target=(0, 0, 0), directions="z", unilateral=True, restitution=float(rng.uniform(0, 0.7)))
    return lo.Locomotion(builder.build(), constraints=[floor]), {
        "q": [0, 0, float(rng.uniform(0.1, 1))],
        "v": [*rng.normal(size=2), 0],
    }


def of_catalogue(rng):
    system = lo.systems.load(str(rng.choice(SYSTEMS)))
    q, v = system.initial
    return system.problem(), {"q": q, "v": v, "duration": min(system.duration, float(rng.choice([0.5, 2.0, 6.0])))}


MAKERS = (
    free_of_forces, spinning, stiff, controlled, driven, afloat, adrift, soft, modal, touching, bouncing, of_catalogue,
    of_catalogue,
)  # fmt: skip


def good_run(seed: int):
    """(kind, run) of a seed."""
    rng = np.random.default_rng([seed, 24])
    make = MAKERS[seed % len(MAKERS)]
    problem, how = make(rng)
    duration = how.pop("duration", float(rng.choice([0.3, 1.0, 3.0, 12.0], p=[0.3, 0.4, 0.2, 0.1])))
    kind = rng.integers(4)
    if kind == 0:
        how["samples"] = np.linspace(0.0, duration, int(rng.integers(5, 40)))
    elif kind == 1:
        how["samples"] = np.sort(rng.uniform(0.0, duration, int(rng.integers(3, 60))))
    elif kind == 2:
        how["every"] = duration / int(rng.integers(50, 400))
    return make.__name__, problem.simulate(duration, progress=False, **how)


def faults(seed: int, folder) -> list[str]:
    """What is wrong with the audits of a run: of itself, deep, of a part, and saved and opened again."""
    kind, run = good_run(seed)
    found = [f"audit: {check}" for check in run.audit.failed]
    if len(run) <= DEEP:
        found += [f"deep: {check}" for check in run.audit.deep().failed]
    path = os.path.join(folder, "run.h5")
    run.save(path)
    opened = lo.open_run(path)
    found += [f"opened: {check}" for check in opened.audit.failed if check.name not in [c.name for c in run.audit.failed]]
    if len(run) > 4 and run.t[-2] > run.t[1]:
        part = run.between(float(run.t[1]), float(run.t[-2]))
        found += [f"part: {check}" for check in part.audit.failed if check.name not in [c.name for c in run.audit.failed]]
    return [f"{seed} {kind} {run.info['method']} {len(run)} samples {run.t[-1]:.3g} s: {fault}" for fault in found]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    counted = collections.Counter()
    with tempfile.TemporaryDirectory() as where:
        for number in range(int(sys.argv[1]), int(sys.argv[2])):
            counted[MAKERS[number % len(MAKERS)].__name__] += 1
            try:
                for line in faults(number, where):
                    print(line[:300], flush=True)
            except Exception as error:
                print(
                    f"{number} {MAKERS[number % len(MAKERS)].__name__} raised {type(error).__name__}: {error!s:.200}",
                    flush=True,
                )
    print(dict(counted))
