"""Random scenes of what falls, bounces, rubs and spins: discs, boxes, points, pairs of balls, and chains of unequal masses.

python tests/helpers/contact_scenes.py 0 300 [step ...]      how much energy grows in these, and whether the law is met
"""

import sys

import numpy as np

import locomote as lo

JOINTS = ("revolute", "prismatic", "universal", "spherical")


def chain(rng, ground):
    """Balls in a row, one of which is up to 1e4 times as heavy as the others."""
    builder, contacts = lo.Builder("chain"), []
    count, ratio = int(rng.integers(2, 5)), 10 ** rng.uniform(0, 4)
    heavy = int(rng.integers(0, count))
    for k in range(count):
        mass, radius = (
            0.01 * float(10 ** rng.uniform(-0.5, 0.5)) * (ratio if k == heavy else 1.0),
            float(rng.uniform(0.03, 0.2)),
        )
        joint = lo.Joint(f"j{k}", str(rng.choice(JOINTS)) if k else "free")
        hung = {"parent": f"b{k - 1}", "at": tuple(rng.uniform(-0.3, 0.3, 3))} if k else {}
        builder.body(f"b{k}", joint=joint, inertia=lo.Inertia.sphere(mass, radius), **hung)
        contacts.append(lo.Touch(f"b{k}", ground, sphere=radius))
    return builder, contacts


def pair(rng, ground):
    """Two balls that hit the ground and each other."""
    builder = lo.Builder("pair")
    for k in range(2):
        inertia = lo.Inertia.sphere(float(10 ** rng.uniform(-1, 1)), 0.1)
        builder.body(f"b{k}", joint=lo.Joint(f"j{k}", "free"), inertia=inertia)
    between = lo.balls("b0", 0.1, "b1", 0.1, friction=ground.friction, restitution=ground.restitution)
    return builder, [*(lo.Touch(f"b{k}", ground, sphere=0.1) for k in range(2)), *between]


def single(rng, ground, kind):
    """A disc, a box, or three points of a body."""
    half = rng.uniform(0.03, 0.2, 3)
    inertia = lo.Inertia.cylinder(1.0, 0.1, 0.02) if kind == "disc" else lo.Inertia.box(1.0, tuple(2 * half))
    shape = {"disc": {"disc": 0.1}, "box": {"box": tuple(half)}, "points": {"points": rng.uniform(-0.2, 0.2, (3, 3))}}[kind]
    return lo.Builder(kind, base="free").body("b0", inertia=inertia), [lo.Touch("b0", ground, **shape)]


def scene(seed, **more):
    """A problem with its start; friction is 0, up to 2, or 1e4, restitution 0 to 1."""
    rng = np.random.default_rng([seed, 77])
    friction = float(rng.choice([0.0, *rng.uniform(0, 2, 3), 1e4]))
    restitution = float(rng.choice([0.0, 1.0, *rng.uniform(0, 1, 2)]))
    ground = lo.Ground(friction=friction, restitution=restitution, **more)
    kind = str(rng.choice(["disc", "box", "points", "chain", "chain", "chain", "pair"]))
    made = {"chain": chain, "pair": pair}.get(kind)
    builder, contacts = made(rng, ground) if made else single(rng, ground, kind)
    model = builder.build()
    q, v, turn = model.neutral(), 2 * rng.normal(size=model.nv), rng.normal(size=4)
    q[:3], q[3:7], v[3:6] = (0, 0, 0.8), turn / np.linalg.norm(turn), 3 * v[3:6]
    if kind == "pair":
        q[7:10] = 0.05, 0.02, 1.2
    return lo.Locomotion(model, contacts=contacts), q, v


def growth(run):
    """The most that energy ever grew by, as a part of the largest kinetic energy."""
    energy = run.kinetic + run.potential
    return float((energy - np.minimum.accumulate(energy)).max() / run.kinetic.max())


def main(first, last, steps):
    found = np.zeros((last - first, len(steps)))
    left = 0.0
    for seed in range(first, last):
        for k, step in enumerate(steps):
            problem, q, v = scene(seed)
            run = problem.simulate(0.8, q=q, v=v, step=step, every=2e-3, progress=False)
            found[seed - first, k], left = growth(run), max(left, run.tracked["contact_law"][1])
    for k, step in enumerate(steps):
        middle, high, most = np.quantile(found[:, k], [0.5, 0.95, 1.0])
        print(f"step {step:g} s: energy grows by {middle:.1e} (median), {high:.1e} (95 %), {most:.1e} (most)")
    print(f"law: {left:.1e} m/s at worst")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), [float(x) for x in sys.argv[3:]] or [1e-3])
