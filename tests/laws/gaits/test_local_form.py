"""Connection, exterior derivative, bracket and curvature against 50 digits of another computation, on six systems."""

import mpmath as mp
import numpy as np
import pytest
from helpers import gait_references as reference

import locomote as lo
from locomote.gaits.local_form import local_form
from locomote.gaits.net_motion import brackets, curvature

PLANE, SPACE, TURNS = (0, 1, 5), (0, 1, 2, 3, 4, 5), (3, 4, 5)


def chain(name, base, bodies, **said):
    """A problem of bodies as the reference has them."""
    builder = lo.Builder(name, base=base, gravity=(0, 0, 0))
    for k, body in enumerate(bodies):
        inertia = lo.Inertia(body.get("mass", 1.0), body.get("center", (0, 0, 0)), body.get("inertia", (1, 1, 1)))
        if body["parent"] is None:
            builder.body("b0", inertia=inertia)
        else:
            joint = lo.Joint(f"j{k}", axis=body["axis"])
            builder.body(f"b{k}", parent=f"b{body['parent']}", at=body["place"], joint=joint, inertia=inertia)
    return lo.Locomotion(builder.build(), **said)


def link(parent, place=(0, 0, 0), axis="z", **more):
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    return {"parent": parent, "place": place, "axis": axes[axis], **more}


def solid(mass, center, inertia):
    return {"mass": mass, "center": center, "inertia": inertia}


def swimmer():
    rods = [(-0.5, 0.5, 1.0, 2.0), (0.0, 0.8, 1.0, 1.7), (-0.7, 0.0, 1.2, 2.0)]
    places = [(0, 0, 0), (0.5, 0, 0), (-0.5, 0, 0)]
    bodies = [link(None if k == 0 else 0, places[k], rod=rod) for k, rod in enumerate(rods)]
    honey = lo.Fluid(1000.0, 1.0)
    drag = [lo.water.Resistive(f"b{k}", honey, (a, 0, 0), (b, 0, 0), along=c, across=d) for k, (a, b, c, d) in enumerate(rods)]
    return chain("swimmer", "planar", bodies, environment=drag, inertia=False), bodies, PLANE, [0.7, -0.4], ()


def floating():
    bodies = [link(None, **solid(1.0, (0.1, 0.05, 0), (1, 1, 0.3)))]
    bodies += [link(0, (0.5, 0.1, 0), **solid(1.3, (0.4, 0, 0), (1, 1, 0.2)))]
    bodies += [link(1, (0.6, 0, 0), **solid(0.7, (0.3, -0.1, 0), (1, 1, 0.1)))]
    return chain("floating", "planar", bodies), bodies, PLANE, [0.9, -1.1], ()


def perfect_fluid():
    a, b, density = 0.5, 0.1, 1.0
    mass, pi = np.pi * a * b, np.pi
    added = (density * pi * b * b, density * pi * a * a, density * pi * (a * a - b * b) ** 2 / 8)
    bodies = []
    for k, x in enumerate((0.0, 0.6, -0.6)):
        own = solid(mass, (x, 0, 0), (mass, mass, mass * (a * a + b * b) / 4))
        bodies.append(link(None if k == 0 else 0, (x, 0, 0), added=added, **own))
    problem = lo.systems.load("perfect_fluid_swimmer").problem()
    return problem, bodies, PLANE, [0.6, 0.8], ()


def wheeled():
    bodies = [link(None, **solid(1.0, (0, 0, 0), (1, 1, 1)))]
    bodies += [
        link(0, (0.5, 0, 0), **solid(1.0, (0, 0, 0), (1, 1, 1))),
        link(0, (-0.6, 0, 0), **solid(1.0, (0, 0, 0), (1, 1, 1))),
    ]
    blades = [(0, (0, 0, 0)), (1, (0.5, 0, 0)), (2, (-0.4, 0, 0))]
    made = [lo.Blade(f"b{b}", point) for b, point in blades]
    return chain("wheeled", "planar", bodies, constraints=made), bodies, PLANE, [0.8, 0.5], blades


def in_space():
    bodies = [link(None, **solid(2.0, (0.1, 0.0, 0.2), (0.3, 0.4, 0.5)))]
    bodies += [link(0, (0.2, 0.1, 0), "x", **solid(0.8, (0.3, 0.1, 0), (0.05, 0.06, 0.07)))]
    bodies += [link(1, (0.4, 0, 0.1), "y", **solid(0.6, (0.2, 0, -0.1), (0.02, 0.03, 0.04)))]
    bodies += [link(0, (-0.3, 0, 0), "z", **solid(0.9, (-0.2, 0.1, 0), (0.03, 0.05, 0.06)))]
    return chain("in space", "free", bodies), bodies, SPACE, [0.5, -0.9, 0.7], ()


def on_a_ball_joint():
    bodies = [link(None, **solid(2.0, (0.1, 0.0, 0.2), (0.3, 0.4, 0.5)))]
    for k, axis in enumerate(("y", "z", "x", "y")):
        bodies.append(link(k, (0.3, 0.1, -0.1), axis, **solid(0.5 + 0.1 * k, (0.1, 0.2, 0), (0.02, 0.03, 0.04))))
    return chain("on a ball joint", "rotation", bodies), bodies, TURNS, [0.5, -0.4, 0.7, 0.3], ()


SYSTEMS = (swimmer, floating, perfect_fluid, wheeled, in_space, on_a_ball_joint)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.__name__)
def test_connection_and_curvature_to_50_digits(system):
    problem, bodies, axes, r, blades = system()
    form = local_form(problem)
    assert form.kernel is not None and form.group.axes == axes
    found = form(np.array([r]))
    with mp.workdps(50):
        A, exterior, bracket = reference.parts(bodies, axes, r, blades)
    numbers = [np.array(part.tolist() if isinstance(part, mp.matrix) else part, dtype=float) for part in (A, exterior, bracket)]
    d = found.dA[0].transpose(0, 2, 1)
    for mine, wanted in (
        (found.A[0], numbers[0]), (d - d.transpose(1, 0, 2), numbers[1]), (brackets(form.group, found.A)[0], numbers[2]),
        (curvature(form, found)[0], numbers[1] - numbers[2]),
    ):  # fmt: skip
        assert abs(mine - wanted).max() < 1e-11 * max(1.0, abs(wanted).max())


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.__name__)
def test_traced_code_and_single_shapes_agree(system):
    problem, _, _, r, _ = system()
    form = local_form(problem)
    x = np.array(r) + 0.1 * np.random.default_rng(0).normal(size=(2, len(r)))
    fast = form(x)
    form.kernel = None  # shape by shape, with derivatives by differences
    slow = form(x)
    for name in ("A", "dA", "P", "G", "dG"):
        assert np.allclose(getattr(fast, name), getattr(slow, name), rtol=1e-8, atol=1e-8), name
