"""Rigid links with springs (`lo.rods.segments`) against the rod that they stand for, in motion: order two, whatever holds the
rod
and whether its strain is passive, imposed, or both. Links are rigid bodies in a tree; they share nothing with its kernels."""

import numpy as np
import pytest

import locomote as lo

LENGTH, TIMES = 1.0, np.linspace(0.0, 0.3, 7)
AXES = {"bending_z": "z", "bending_y": "y", "torsion": "x"}


def a_rod(strains, order, damping=0.0, rest=None):
    material = lo.Material(1000.0, 2e6, damping=damping)
    return lo.Rod(LENGTH, lo.Section.ellipse(0.02, 0.03), material, strains=strains, order=order, nodes=32, rest=rest)


def places_of_rod(run):
    """(n, 4, 3) of the root, of both thirds and of the tip, in the world."""
    model = run.problem.model
    poses = forward(model, run.q)
    return np.stack([poses[:, model.body_index(name), :3, 3] for name in ("rod", "third", "two_thirds", "end")], axis=1)


def places_of_links(run, count):
    model = run.problem.model
    poses = forward(model, run.q)
    first = poses[:, model.body_index("link 1"), :3, 3]
    inner = []
    for part in (1 / 3, 2 / 3):  # on the chord of a link
        k, along = divmod(part * count, 1.0)
        pose = poses[:, model.body_index(f"link {int(k) + 1}")]
        inner.append(pose[:, :3, 3] + pose[:, :3, 0] * along * LENGTH / count)
    return np.stack([first, *inner, poses[:, model.body_index("tip"), :3, 3]], axis=1)


def forward(model, q):
    return lo.forward_kinematics(model, q)


def rod_model(rod, base, gravity):
    builder = lo.Builder("rod", base=base, gravity=gravity).body("rod", flex=rod)
    for name, part in (("third", 1 / 3), ("two_thirds", 2 / 3), ("end", 1.0)):
        builder.body(name, parent="rod", along=part * LENGTH)
    return builder.build()


def legendre(size, count):
    """Coefficients of a function of X in Legendre's basis along the rod."""
    x, w = np.polynomial.legendre.leggauss(30)
    values = w * np.broadcast_to(size((x + 1) / 2 * LENGTH), x.shape)
    return [(2 * k + 1) / 2 * np.sum(values * np.polynomial.legendre.Legendre.basis(k)(x)) for k in range(count)]


def of_rod(rod, base, gravity, drives, rates, twist):
    """Places of the rod over the times."""
    model = rod_model(rod, base, gravity)
    names = model.flexible.rods["rod"].names
    given, v = {}, np.zeros(model.nv)
    v[: len(twist)] = twist
    for strain, (size, speed) in drives.items():
        for k, part in enumerate(legendre(size, rod.order_of(strain) + 1)):
            given["rod", names.index(f"{strain} {k}")] = swing(part, speed)
    for strain, rate in rates.items():
        for k, part in enumerate(legendre(rate, rod.order_of(strain) + 1)):
            v[model.joint("rod").v.start + names.index(f"{strain} {k}")] = part
    problem = lo.Locomotion(model, drives=given)
    run = problem.simulate(TIMES[-1], v=v, samples=TIMES, rtol=1e-9, atol=1e-12, progress=False)
    assert run.audit.ok
    return places_of_rod(run)


def of_links(rod, count, base, gravity, drives, rates, twist):
    """Places of a number of links over the times."""
    links, h, given = lo.rods.segments(rod, count, base=base, gravity=gravity), LENGTH / count, {}
    v = np.zeros(links.nv)
    v[: len(twist)] = twist
    for k in range(count):
        cell = h if k else 0.5 * h
        for strain in (*drives, *rates):
            joint = f"joint {k + 1} {AXES[strain]}"
            if joint in links.joint_names and strain in drives:
                size, speed = drives[strain]
                given[joint] = swing(size(k * h) * cell, speed)
            elif joint in links.joint_names:
                v[links.joint(joint).v] = rates[strain](k * h) * cell
    problem, q = lo.Locomotion(links, drives=given), links.neutral()
    for k in range(count):
        for strain, rest in zip(("torsion", "bending_y", "bending_z"), rod.rest_at(k * h)[3:], strict=True):
            joint = f"joint {k + 1} {AXES[strain]}"
            if joint in links.joint_names:
                q[links.joint(joint).q] = rest * (h if k else 0.5 * h)
    run = problem.simulate(TIMES[-1], q=q, v=v, samples=TIMES, rtol=1e-8, atol=1e-10, progress=False)
    assert run.audit.ok
    return places_of_links(run, count)


def swing(size, speed):
    """size (1 - cos(speed t)), which starts at rest."""
    return lo.Sine(float(size), speed, phase=-np.pi / 2, offset=float(size))


def bump(size):
    """A function of X that is nothing at both ends, as curvature of a free rod is."""
    return lambda x: size * np.sin(np.pi * np.asarray(x) / LENGTH) ** 2


CASES = {  # rod, base, gravity, imposed strains (size at X, speed), at the start rates of strain and the twist of the base
    "a cantilever is let go": (a_rod("bending_z", 8), "fixed", (0, -9.81, 0), {}, {}, []),
    "and damped": (a_rod("bending_z", 8, damping=0.02), "fixed", (0, -9.81, 0), {}, {}, []),
    "precurved, in space": (a_rod("bending torsion", 6, 0.02, rest=(0.0, 0.5, 1.0)), "fixed", (0, -5.0, -8.0), {}, {}, []),
    "free in a plane": (a_rod("bending_z", 9), "planar", (0, 0, 0), {}, {"bending_z": bump(40.0)}, [0.2, 0.1, 1.0]),
    "free in space": (
        a_rod("bending", 9, 0.005), "free", (0, 0, -9.81), {}, {"bending_z": bump(30.0), "bending_y": bump(-20.0)},
        [0.3, 0.1, 0.2, 0.0, 1.0, -2.0],
    ),
    "imposed, free in a plane": (
        a_rod("bending_z", 2), "planar", (0, 0, 0), {"bending_z": (lambda x: 1.5 - 2.0 * np.asarray(x), 12.0)}, {}, [],
    ),
    "imposed to one side, passive to the other": (
        a_rod("bending", 6), "fixed", (0, 0, -9.81), {"bending_z": (lambda x: 1.0 + 0.5 * np.asarray(x), 10.0)}, {}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_links_converge_to_the_rod_with_order_two(case):
    rod, *rest = CASES[case]
    wanted = of_rod(rod, *rest)
    off = np.array([abs(of_links(rod, count, *rest) - wanted).max() for count in (12, 24, 48)])
    orders, moved = np.log2(off[:-1] / off[1:]), abs(wanted - wanted[0]).max()
    assert moved > 0.05 and off[-1] < 5e-3 * moved
    assert np.log2(off[0] / off[-1]) / 2 > 1.7 and orders.min() > 1.5
