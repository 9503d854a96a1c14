"""Every force and every flow lives four lives: compiled, plain Python, vector code of many runs, symbols; and has exact slopes
by dual numbers. All give the same accelerations."""

import casadi
import numpy as np
import pytest

import locomote as lo
from locomote.law import cos, exp, sin


@lo.water.flow
def swell(t, x, height, k):
    decay = height * exp(k * x[2])
    return (decay * cos(k * x[0] - 2.0 * t), 0.0, decay * sin(k * x[0] - 2.0 * t))


FLOWS = {
    "still": None,
    "uniform": lo.water.Uniform((1.0, -2.0, 0.5)),
    "shear": lo.water.Shear(0.7, (1, 0, 0), (0, 1, 2), (0.1, 0, 0), (0, 0.3, 0)),
    "gust": lo.water.Gust((0.0, 1.0, 2.0), 0.1, 1.5, (3.0, 1.0, 0.0)),
    "rankine": lo.water.Vortex(0.4, 0.1, (0.1, 0, 0), (0, 1, 1), (0.3, 0, 0), "rankine"),
    "lamb-oseen": lo.water.Vortex(0.4, 0.1, (0.1, 0, 0), (1, 0.2, 0), (0, 0.2, 0.3)),
    "street": lo.water.KarmanStreet((-0.3, 0.1, 0.0), 0.2, 0.06, 0.02),
    "sum": lo.water.KarmanStreet((-0.3, 0, 0), 0.2, 0.06, 0.02) + lo.water.Shear(0.7),
    "function": swell(height=0.3, k=2.0),
}
STREET = lo.Fluid(1000.0, 1.0, FLOWS["sum"])
SEGMENTS = [lo.water.Segment(f"l{k}", (0, 0, 0), (0.1, 0, 0), 0.03 * (k + 1), 0.02) for k in range(3)]
FORCES = {
    "buoyancy": lambda f: [lo.Buoyancy("l0", f, 1e-4, center=(0, 0, 0.03))],
    "added mass": lambda f: [lo.AddedMass("l1", f, lo.Ellipsoid((0.1, 0.03, 0.05)), (0.01, 0.02, 0))],
    "drag": lambda f: [lo.Drag("l0", f, (0.01, 0.02, 0.03), 1e-5)],
    "slender": lambda f: [lo.water.SlenderDrag("l1", f, (0, 0, 0), (0.1, 0, 0), 0.03, 0.02)],
    "stokes": lambda f: [lo.water.StokesDrag("l2", f, 0.02)],
    "resistive": lambda f: [lo.water.Resistive("l0", f, (-0.1, 0, 0), (0.1, 0.1, 0), radius=0.005, elements=3)],
    "lighthill": lambda f: [lo.water.Lighthill(f, SEGMENTS), lo.water.SectionDrag(f, SEGMENTS)],
    "wing": lambda f: [lo.water.Wing("l0", f, (0, 0, 0), (0, 0.3, 0), 0.05, elements=3)],
    "plate": lambda f: [lo.water.Plate("l1", f, (0, 0, 0), (0, 0.2, 0), 0.05, speed=0.4)],
    "spheres": lambda f: [lo.water.ViscousSpheres(lo.Fluid(1000.0, 1.0), {"l0": 0.01, "l2": 0.02})],
    "sand": lambda f: [lo.water.Granular("l0", (0, 0, 0), (0.1, 0, 0), 0.01, 3e4, 5e3, slow=0.1)],
    "scales": lambda f: [lo.water.Scales("l2", 1.0, 0.1, 0.3, 0.5, ((0, 0, 0), (0.1, 0, 0)), slow=0.1)],
    "intrusion": lambda f: [
        lo.water.Intrusion("l1", [(0, 0, 0), (0.05, 0, 0)], [(0, 0, 1), (1, 0, 1)], 1e-3, level=0.1, slow=0.1)
    ],
}


def chain():
    builder = lo.Builder("chain", base="free")
    for k in range(3):
        more = {} if k == 0 else {"parent": f"l{k - 1}", "at": (0.1, 0, 0), "joint": lo.Joint(f"j{k}", axis="zy"[k % 2])}
        builder.body(f"l{k}", inertia=lo.Inertia(0.2, (0.05, 0, 0), (1e-3, 3e-3, 3e-3)), **more)
    return builder.build()


def states(model, count=3):
    rng = np.random.default_rng(4)
    for _ in range(count):
        yield rng.uniform(0, 1), model.random(rng), 0.5 * rng.normal(size=model.nv)


def alike(environment):
    problem = lo.Locomotion(chain(), environment=environment)
    model = problem.model
    symbolic = lo.symbolic_problem(problem)
    given = symbolic.sx_in()
    by_v = casadi.Function("by_v", given, [casadi.jacobian(symbolic(*given), given[2])])
    for t, q, v in states(model):
        q[:3] *= 0.1
        here, a = (t, q, v, np.zeros(model.nv)), problem.evaluate(t, q, v).a
        np.testing.assert_allclose(np.array(symbolic(*here)).ravel(), a, atol=1e-10 * abs(a).max())
        slopes = np.array(by_v(*here))
        np.testing.assert_allclose(problem.derivatives(t, q, v).a.v, slopes, atol=1e-9 * abs(slopes).max())
    t, q, v = 0.0, model.neutral(), np.linspace(-0.2, 0.3, model.nv)
    runs = lo.rollout(problem, batch=9, q=q, v=v, duration=2e-4, step=1e-5)  # steps on the group differ a little
    run = problem.simulate(2e-4, q=q, v=v, method="rk4", step=1e-5)
    np.testing.assert_allclose(runs.q[:, -1], np.tile(run.q[-1], (9, 1)), atol=1e-10)
    assert run.audit.ok, str(run.audit)  # calls the laws as plain Python


@pytest.mark.parametrize("name", FORCES)
def test_forces_live_four_lives(name):
    alike(FORCES[name](STREET))


@pytest.mark.parametrize("name", FLOWS)
def test_flows_live_four_lives(name):
    fluid = lo.Fluid(1000.0, 1.0, FLOWS[name])
    alike([lo.Drag("l0", fluid, 0.01), lo.AddedMass("l1", fluid, lo.Ellipsoid((0.1, 0.03, 0.05)))])
