"""Random problems of rods, water, soft ground and contacts, each from a seed, as no user would mix them.

`python random_soft_problems.py FIRST LAST [2]`, as `random_problems.py`.
"""

import sys

import numpy as np
import random_problems as plain

import locomote as lo


def random_section(rng):
    kind = rng.integers(4)
    a, b = rng.uniform(0.005, 0.03, 2)
    if kind == 0:
        return lo.Section.circle(a)
    if kind == 1:
        return lo.Section.rectangle(a, b)
    if kind == 2:
        return lo.Section.tube(0.03, 0.02)
    return lambda x: lo.Section.ellipse(a * (1 - 0.3 * x), b)


def random_basis(rng):
    kind = rng.integers(6)
    if kind == 0:
        return {"basis": lo.rods.Pieces(int(rng.integers(1, 4)), int(rng.integers(0, 3)))}
    if kind == 1:
        return {"basis": lo.rods.BSplines(int(rng.integers(3, 6)), 2)}
    if kind == 2:
        return {"basis": lo.rods.BeamModes(int(rng.integers(1, 4)))}
    if kind == 3:
        return {"basis": [lambda x: 1.0 + 0 * x, lambda x: x * x]}
    return {"order": int(rng.integers(0, 5))}


def random_rod(rng):
    strains = str(
        rng.choice(["all", "kirchhoff", "planar", "bending torsion", "bending_z", "stretch bending", "shear torsion"])
    )
    material = lo.Material(
        float(rng.uniform(300, 3000)), float(10 ** rng.uniform(4, 8)), damping=float(rng.choice([0.0, 0.01]))
    )
    rest = None if rng.random() < 0.7 else tuple(rng.normal(size=3))
    return lo.Rod(float(rng.uniform(0.1, 1.0)), random_section(rng), material, strains, rest=rest, **random_basis(rng))


def random_model(rng):
    """A tree of rods and rigid bodies; names of rods with their lengths."""
    base = str(rng.choice(["fixed", "free", "planar", "xyz"]))
    builder, names, rods = lo.Builder("soft", base=base), [], {}
    for k in range(int(rng.integers(1, 5))):
        name, given = f"b{k}", {}
        if names:
            parent = str(rng.choice(names))
            given["parent"] = parent
            if parent in rods and rng.random() < 0.5:
                given["along"] = float(rng.uniform(0, rods[parent]))
        if rng.random() < 0.6 or (base == "fixed" and not names):
            given["flex"] = random_rod(rng)
            rods[name] = given["flex"].length
        else:
            given["inertia"] = lo.Inertia.box(float(rng.uniform(0.1, 2.0)), tuple(rng.uniform(0.05, 0.3, 3)))
        if names and rng.random() < 0.6:
            kind = str(rng.choice(["revolute", "prismatic", "spherical", "universal"]))
            given["joint"] = lo.Joint(f"j{k}", kind)
        builder.body(name, at=plain.point(rng), **given)
        names.append(name)
    return builder.build(), names, rods


def random_force(rng, names, rods, n):
    name, label = str(rng.choice(names)), f"force {n}"
    flow = [None, lo.water.Uniform((0.2, 0.1, 0.0)), lo.water.Shear(0.5), lo.water.KarmanStreet((0.3, 0, 0), 0.2, 0.03, 0.02)][
        rng.integers(4)
    ]
    water = lo.Fluid(1000.0, 1e-3, flow)
    start, end = (0.0, rods[name]) if name in rods else ((0, 0, 0), (0.2, 0, 0))
    kind = rng.integers(9)
    if kind == 0:
        return lo.water.SlenderDrag(name, water, start, end, 0.05, name=label)
    if kind == 1:
        return lo.water.Resistive(name, water, start, end, along=0.3, across=0.6, name=label)
    if kind == 2:
        return lo.water.Lighthill(water, [lo.water.Segment(name, start, end, 0.05, 0.02)], name=label)
    if kind == 3:
        return lo.water.Wing(name, water, start, end, 0.05, forward=(0, 1, 0), name=label)
    if kind == 4:
        return lo.Buoyancy(name, water, name=label)
    if kind == 5:
        place = lo.rods.Along(name, 0.5 * rods[name]) if name in rods else name
        return lo.Spring(place, None, plain.point(rng), (1, 1, 1), stiffness=20.0, length=0.5, damping=0.1, name=label)
    if kind == 6:
        return lo.Drag(name, water, 0.01, name=label)
    if kind == 7:
        return lo.AddedMass(name, water, lo.Ellipsoid((0.1, 0.05, 0.05)), name=label)
    return lo.water.StokesDrag(name, lo.Fluid(1000.0, 0.1, flow), 0.03, name=label)


def random_actuator(rng, rods, n):
    name = str(rng.choice(list(rods)))
    path = ((0.0, 0.004, 0.0), (rods[name], 0.004, 0.0))
    kind = rng.integers(3)
    if kind == 0:
        return lo.Tendon(name, path, tension=lo.Sine(0.5, 3.0, offset=0.5), name=f"actuator {n}")
    if kind == 1:
        return lo.Chamber(name, 1e-5, 1e4, (0.0, 0.003), name=f"actuator {n}")
    return lo.Muscle(name, path, force=1.0, activation=0.5, speed=3.0, name=f"actuator {n}")


def random_touch(rng, names, n):
    ground = lo.Ground(
        lo.Plane(point=(0, 0, -float(rng.uniform(0.0, 1.0)))),
        friction=float(rng.uniform(0, 1)),
        restitution=float(rng.choice([0.0, 0.5])),
    )
    shape = [
        {"sphere": 0.05},
        {"points": [plain.point(rng)]},
        {"box": (0.05, 0.05, 0.02)},
        {"capsule": (0.03, 0.1)},
        {"disc": 0.1},
    ]
    return lo.Touch(str(rng.choice(names)), ground, **shape[rng.integers(len(shape))])


def random_problem(seed):
    """A problem, and how to run it."""
    rng = np.random.default_rng([seed, 15])
    model, names, rods = random_model(rng)
    drives = {}
    for name in rods:
        if rng.random() < 0.2:
            drives[name] = [
                lo.Sine(float(rng.uniform(0, 1)), 3.0) for _ in range(int(model.joint(name).v.stop - model.joint(name).v.start))
            ]
    for joint in model.joint_names:
        if joint.startswith("j") and rng.random() < 0.2 and model.joint(joint).kind in ("revolute", "prismatic"):
            drives[joint] = plain.random_drive(rng)
    forces = [random_force(rng, names, rods, n) for n in range(int(rng.integers(0, 4)))]
    actuators = [random_actuator(rng, rods, n) for n in range(int(rng.integers(0, 3)))] if rods else []
    touching = [random_touch(rng, names, 0)] if rng.random() < 0.25 and not drives else []
    constraints = []
    if not touching and rng.random() < 0.25:
        constraints = [plain.random_constraint(rng, model, 0)]
    creeping = not touching and not constraints and rng.random() < 0.15
    if creeping:
        honey = lo.Fluid(1000.0, 1.0)
        forces = [
            lo.water.Resistive(
                n, honey, *((0.0, rods[n]) if n in rods else ((0, 0, 0), (0.2, 0, 0))), radius=0.004, name=f"honey {n}"
            )
            for n in names
        ]
    problem = lo.Locomotion(
        model, drives=drives, environment=forces, actuators=actuators, contacts=touching, constraints=constraints,
        inertia=not creeping,
    )  # fmt: skip
    method = "auto" if touching else str(rng.choice(["auto", "auto", "gauss", "adaptive", "implicit"]))
    how = {"method": "auto" if creeping else method, "step": 1e-3 if touching else None, "rtol": None if touching else 1e-6}
    if rng.random() < 0.3:
        how["every"] = 0.05
    start = {"q": model.random(rng) if rng.random() < 0.5 else model.neutral(), "v": 0.2 * rng.normal(size=model.nv)}
    return problem, how | start


def touching_problem(seed):
    """Rods above the ground, with contacts on sections and stretches, some imposed, some pulled from within."""
    rng = np.random.default_rng([seed, 77])
    model, _, rods = random_model(rng)
    if not rods:
        raise lo.ModelError("the model", "it has no rod")
    places = [lo.forward_kinematics(model, model.neutral())[:, 2, 3]]
    places += [lo.rods.sections(model, model.neutral(), name).poses[:, 2, 3] for name in rods]
    low = float(np.concatenate(places).min()) - 0.05
    surface = [lo.Plane((0, 0, low)), lo.Sphere((0, 0, low - 2.0), 2.0), lo.Plane((0, 0, low))][rng.integers(3)]
    law = {"friction": rng.uniform(0, 1), "restitution": rng.choice([0, 0, 0.5]), "rolling": rng.choice([0, 1e-3])}
    ground, contacts, drives = lo.Ground(surface, **{name: float(x) for name, x in law.items()}), [], {}
    for name, length in rods.items():
        kind = rng.integers(4)
        if kind == 0:
            contacts.append(lo.Touch(lo.rods.Along(name, float(rng.uniform(0, length))), ground, sphere=0.02))
        elif kind == 1:
            contacts.append(lo.Touch(name, ground, start=0.0, sphere=0.01))
        elif kind == 2:
            edges = [(0, 0.01, 0), (0, -0.01, 0)]
            contacts.append(lo.Touch(name, ground, start=0.1 * length, end=0.9 * length, points=edges, elements=3))
    for name in rods:
        if rng.random() < 0.2:
            own = model.joint(name).v
            drives[name] = [lo.Sine(float(rng.uniform(0, 1)), 3.0) for _ in range(own.stop - own.start)]
    actuators = [random_actuator(rng, rods, n) for n in range(int(rng.integers(0, 2)))]
    problem = lo.Locomotion(model, drives=drives, contacts=contacts, actuators=actuators)
    return problem, {"method": "auto", "step": 1e-3, "rtol": None, "projection": True}


if __name__ == "__main__":
    plain.main(sys.argv[1:], random_problem, __file__)
