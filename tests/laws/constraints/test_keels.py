"""Keels: no sideways motion all along a rod, imposed or free; against closed forms of the continuous snake, and differences."""

import pickle

import numpy as np
import pytest
from numpy.polynomial.legendre import Legendre, leggauss

import locomote as lo
from locomote.locomotion.record import problem_from_record

LENGTH, RADIUS, DENSITY, YOUNG = 1.0, 0.02, 1000.0, 1e3
AMPLITUDE, WAVELENGTH, SPEED, TURN = 4.0, 0.7, 0.35, 0.3
FREQUENCY = 2 * np.pi * SPEED / WAVELENGTH


def point_weights(model, name, strain):
    """X of the points of a strain over points, the lengths that they stand for, and their coordinates in v."""
    rod = model.flexible.rods[name]
    own = np.array([k for k, label in enumerate(rod.names) if label.startswith(strain + " at ")])
    return rod.points.ravel(), np.repeat(0.5 * rod.steps, 2), model.joint(name).v.start + own


def wave(nodes=12, **keel):
    """A snake on a planar base, whose curvature is a wave that fits a track, held by a keel."""
    rod = lo.Rod(
        LENGTH,
        lo.Section.circle(RADIUS),
        lo.Material(DENSITY, YOUNG),
        strains="bending_z",
        basis={"bending_z": lo.rods.Points()},
        nodes=nodes,
    )
    model = lo.Builder("snake", base="planar").body("snake", flex=rod).build()
    drives = {"snake": lo.StrainWave(AMPLITUDE, WAVELENGTH, FREQUENCY, offset=TURN)}
    return lo.Locomotion(model, drives=drives, constraints=[lo.Keel("snake", name="keel", **keel)])


def free_snake(order, base="planar", **keel):
    """The same with bending that is free."""
    rod = lo.Rod(
        LENGTH, lo.Section.circle(RADIUS), lo.Material(DENSITY, 1e5, damping=0.02), strains="bending_z", order=order, nodes=40
    )
    model = lo.Builder("snake", base=base, gravity=(0, 0, 0)).body("snake", flex=rod).build()
    return lo.Locomotion(model, constraints=[lo.Keel("snake", **keel)])


def sideways(problem, q, v, x, side=(0.0, 1.0, 0.0)):
    """Sideways velocity of sections, from poses alone."""
    model, h = problem.model, 1e-6
    names = [f"snake@{place:.9g}" for place in x]
    index = [model.body_index(name) for name in names]
    poses = [lo.forward_kinematics(model, model.integrate(q, s * v))[index] for s in (-h, 0.0, h)]
    return np.einsum("sij,j,si->s", poses[1][:, :3, :3], side, (poses[2] - poses[0])[:, :3, 3] / (2 * h))


def mean_velocities(problem, q, v, keel):
    """Rows of motions from poses alone: the power of sideways velocities on those of unit motions of the root."""
    model = problem.model
    root = lo.forward_kinematics(model, q)[model.body_index("snake")]
    own, rows = sideways(problem, q, v, keel.sections), []
    for letter in keel.motions:
        twist, k = np.zeros(6), "xyzabc".index(letter)
        twist[k] = 1.0
        poses = lo.forward_kinematics(model, q)[[model.body_index(str(s)) for s in keel.bodies]]
        arm = poses[:, :3, 3] - root[:3, 3]
        moved = np.broadcast_to(root[:3, k], arm.shape) if k < 3 else np.cross(root[:3, k - 3], arm)
        rows.append(np.sum(keel.shares * own * np.einsum("si,si->s", poses[:, :3, 1], moved)))
    return np.array(rows)


@pytest.mark.parametrize("motions", [None, "xyc", "xyzabc"])
@pytest.mark.parametrize("base", ["planar", "free"])
def test_rows_against_differences_of_poses(base, motions):
    rng = np.random.default_rng(5)
    rod = lo.Rod(LENGTH, strains="bending torsion", order=2)
    model = lo.Builder("snake", base=base).body("snake", flex=rod).build()
    problem = lo.Locomotion(model, constraints=[lo.Keel("snake", 0.2, 0.9, rows=None if motions else 4, motions=motions)])
    keel = problem.constraints[0]
    q, v = problem.model.random(rng), rng.normal(size=model.nv)
    A, drift, _, _ = problem.rows(0.0, q, v)
    expected = mean_velocities(problem, q, v, keel) if motions else keel.shares * sideways(problem, q, v, keel.sections)
    assert np.allclose(A @ v, expected, atol=1e-8)
    h = 1e-4  # along a motion without acceleration: what the rows change is their drift
    rate = sum(
        c * problem.rows(0.0, problem.model.integrate(q, s * h * v))[0] @ v
        for s, c in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))
    )
    assert np.allclose(drift, rate / h, atol=1e-7 * max(1.0, abs(drift).max()))


def test_a_wave_that_fits_a_track_goes_along_it():
    """Its speed is that of the wave, with the order four of the rod; every section runs where the head was."""
    errors = []
    for nodes in (12, 24, 48):
        problem = wave(nodes)
        case = problem.classify()
        assert (case.name, case.rank, case.free) == ("kinematic", 3, 0)
        q, v = problem.initial(t=0.4)
        errors.append(abs(v[0] + SPEED) + abs(v[1]))
        worst = abs(sideways(problem, q, v, problem.constraints[0].sections)).max()
        assert worst < 3 * errors[-1]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.5).all() and errors[-1] < 3e-6, errors
    problem, index = wave(32), None
    T = LENGTH / SPEED
    run = problem.simulate(T, every=T / 200, progress=False)
    assert run.audit.ok
    names = [str(section) for section in problem.constraints[0].bodies]
    poses = lo.forward_kinematics(problem.model, run.q)[:, [problem.model.body_index(name) for name in ("snake", *names)]]
    track, body = poses[:, 0, :2, 3], poses[-1, 1:, :2, 3]
    index = [np.argmin(np.linalg.norm(track - place, axis=1)) for place in body]
    # a section at X is where the head was at T - X / speed
    for x, k, place in zip(problem.constraints[0].sections, index, body, strict=True):
        exact = [np.interp(T - x / SPEED, run.t, track[:, c]) for c in range(2)]
        assert abs(run.t[k] - (T - x / SPEED)) < 0.02 and np.linalg.norm(place - exact) < 3e-4


def continuous(t, count=400):
    """Force per length of least mean square and moment along the continuous snake at time t, by quadrature: with V_x = -v and
    kappa_t = -v kappa_X, sections have the acceleration v^2 kappa n and the angular acceleration v^2 kappa_X."""
    k = 2 * np.pi / WAVELENGTH

    def kappa(x):
        return TURN + AMPLITUDE * np.sin(FREQUENCY * t - k * x)

    def angle(x):
        return TURN * x + AMPLITUDE / k * (np.cos(FREQUENCY * t - k * x) - np.cos(FREQUENCY * t))

    z, w = leggauss(count)
    x, w = (z + 1) / 2 * LENGTH, w / 2 * LENGTH

    def places(end):  # (n, 2), the integral of the tangent from 0 to each end
        s = end[:, None] * (z + 1) / 2
        return np.stack([np.sum(np.cos(angle(s)) * w, axis=1), np.sum(np.sin(angle(s)) * w, axis=1)], axis=1) * end[:, None]

    normal = np.stack([-np.sin(angle(x)), np.cos(angle(x))], axis=1)
    area, second = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
    mass, spin = (
        DENSITY * area * SPEED**2 * kappa(x),
        DENSITY * second * SPEED**2 * -AMPLITUDE * k * np.cos(FREQUENCY * t - k * x),
    )
    at = places(x)
    phi = np.stack([normal[:, 0], normal[:, 1], at[:, 0] * normal[:, 1] - at[:, 1] * normal[:, 0]])
    load = phi @ (w * mass) + np.array([0.0, 0.0, np.sum(w * spin)])
    mu = np.linalg.solve(phi * w @ phi.T, load)

    def force(places_x):
        n, p = np.stack([-np.sin(angle(places_x)), np.cos(angle(places_x))], axis=1), places(places_x)
        return np.stack([n[:, 0], n[:, 1], p[:, 0] * n[:, 1] - p[:, 1] * n[:, 0]]).T @ mu

    def moment(places_x):
        result = []
        for start, origin in zip(places_x, places(places_x), strict=True):
            s = start + (LENGTH - start) * (z + 1) / 2
            share = (LENGTH - start) / LENGTH * w
            n, arm = np.stack([-np.sin(angle(s)), np.cos(angle(s))], axis=1), places(s) - origin
            f = DENSITY * area * SPEED**2 * kappa(s) - force(s)
            spun = DENSITY * second * SPEED**2 * -AMPLITUDE * k * np.cos(FREQUENCY * t - k * s)
            result.append(np.sum(share * (f * (arm[:, 0] * n[:, 1] - arm[:, 1] * n[:, 0]) + spun)))
        return np.array(result) + YOUNG * second * kappa(places_x)

    return force, moment


def test_forces_and_moments_of_the_continuous_snake():
    """Boyer and Porez's minimum-norm reactions and torque field, by quadrature of the continuous snake."""
    errors = []
    for nodes in (12, 24, 48):
        problem = wave(nodes)
        run = problem.simulate(0.5, samples=[0.0, 0.37, 0.5], progress=False)
        field = lo.rods.reaction_field(run, "keel")
        force, moment = continuous(0.37)
        x, lengths, own = point_weights(problem.model, "snake", "bending_z")
        exact, torque = force(field.along), moment(x)
        errors.append(
            (
                abs(field.force[1] - exact).max() / abs(exact).max(),
                abs(run.tau[1, own] / lengths - torque).max() / abs(torque).max(),
            )
        )
        assert field.force.shape == (3, nodes) and np.isclose(field.shares.sum(), LENGTH)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[-1][0] < 3e-4 and errors[-1][1] < 3e-3 and (orders > 1.5).all(), (errors, orders)


def test_a_free_snake_follows_its_head():
    """One row more than coordinates of bending leaves a snake two motions, to go on and to steer; going on, its curvature
    travels: kappa_t = -v kappa_X, the better the more rows there are."""

    def kappa(x):
        return 4 * np.sin(2 * np.pi * x / 0.9 + 0.4) + 0.5

    def slope(x):
        return 4 * 2 * np.pi / 0.9 * np.cos(2 * np.pi * x / 0.9 + 0.4)

    z, w = leggauss(60)
    x, errors = np.linspace(0.0, LENGTH, 101), []
    for order in (4, 6, 8, 10):
        problem = free_snake(order)
        shapes = [Legendre.basis(k) for k in range(order + 1)]
        q = problem.model.neutral()
        q[3:] = [(k + 0.5) * np.sum(w * kappa((z + 1) / 2) * p(z)) for k, p in enumerate(shapes)]
        A = problem.rows(0.0, q)[0]
        case = problem.classify(0.0, q)
        assert A.shape == (order + 2, order + 4) and (case.rank, case.free) == (order + 2, 2)
        H = np.linalg.svd(A)[2][order + 2 :].T
        head = np.array([p(-1.0) for p in shapes])
        v = H @ np.linalg.solve(np.stack([H[0], head @ H[3:]]), [-1.0, -slope(0.0)])
        rate = np.sum([p(2 * x - 1) * r for p, r in zip(shapes, v[3:], strict=True)], axis=0)
        errors.append(np.sqrt(np.mean((rate + slope(x)) ** 2)) / abs(slope(x)).max())
    assert errors[-1] < 1e-4 and (np.array(errors[1:]) < 0.2 * np.array(errors[:-1])).all(), errors


def test_a_free_snake_unbends_along_its_track():
    """Elastic, damped and held: let go bent, it stays on its track between the points, too."""
    slips = {}
    for order in (4, 8):
        problem = free_snake(order)
        start = problem.model.neutral()
        start[3:6] = 1.5, -2.0, 1.0
        run = problem.simulate(0.5, q=start, every=0.05, progress=False, rtol=1e-10, atol=1e-13)
        assert run.audit.ok and run.audit.balance < 1e-8 and abs(run.q[-1, :2]).max() > 1e-3, str(run.audit)
        keel = problem.constraints[0]
        ends = np.concatenate([[0.0], keel.sections[:-1]])
        between = lo.Locomotion(
            problem.statement.model,
            constraints=[lo.Blade(lo.rods.Along("snake", float(x))) for x in 0.5 * (ends + keel.sections)],
        )
        slips[order] = (
            max(abs(between.rows(0.0, q, v)[0] @ v).max() for q, v in zip(run.q[2:], run.v[2:], strict=True)) / abs(run.v).max()
        )
        field = lo.rods.reaction_field(run, "keel_snake")
        assert np.allclose(field.force, run.reactions)
    assert slips[8] < 0.3 * slips[4], slips


def test_constraints_on_sections_are_those_on_bodies_there():
    rod = lo.Rod(LENGTH, strains="bending_z", order=3)
    builder = lo.Builder("rod", base="planar").body("rod", flex=rod)
    plain, marked = builder.build(), builder.body("mark", parent="rod", along=0.4).build()
    by_x = lo.Locomotion(plain, constraints=[lo.Blade(lo.rods.Along("rod", 0.4), name="keel")])
    by_body = lo.Locomotion(marked, constraints=[lo.Blade("mark", name="keel")])
    rng = np.random.default_rng(0)
    q, v = plain.random(rng), rng.normal(size=plain.nv)
    one, other = by_x.evaluate(0.0, q, v), by_body.evaluate(0.0, q, v)
    assert np.allclose(one.a, other.a, atol=1e-9) and np.allclose(one.reactions, other.reactions, atol=1e-9)
    held = lo.LoopClosure(lo.rods.Along("rod", 0.8), lo.rods.Along("rod", 0.2), kind="spherical", other_frame=(0.6, 0.0, 0.0))
    assert lo.Locomotion(plain, constraints=[held]).rows(0.0, plain.neutral())[0].shape == (3, plain.nv)


def test_copies_and_records():
    for problem in (wave(), free_snake(3, rows=2)):
        keel = problem.constraints[0]
        for again in (pickle.loads(pickle.dumps(problem)), problem_from_record(problem.to_record())):
            assert again.constraints[0] == keel and again.statement.constraints == problem.statement.constraints
            assert again.model.nv == problem.model.nv
    model = wave().statement.model
    for field, said in (
        (lo.StrainWave(lambda x: 1.0 + x, 0.7, 1.0), "its amplitude is a Python function"),
        (lo.StrainField(lambda x, t: x * t), "its function is a Python function"),
    ):
        with pytest.raises(ValueError, match=said):
            lo.Locomotion(model, drives={"snake": field}).to_record()


@pytest.mark.parametrize(
    ("keel", "said"),
    [
        (lo.Keel("snake", 0.5, 0.2), "it goes from X = 0.5 to 0.2 m, expected a stretch of rod 'snake', which is 1 m long"),
        (lo.Keel("snake", end=1.5), "it goes from X = 0.0 to 1.5 m"),
        (lo.Keel("snake", rows=0), "rows is 0, expected the number of points, 1 or more"),
        (lo.Keel("snake", rows=2, motions="x"), "give either rows, which are points, or motions, not both"),
        (lo.Keel("snake", motions="xx"), "motions is 'xx', expected some of the letters 'xyzabc', each once"),
        (lo.Keel("snail"), "no body named 'snail'"),
        (lo.Keel("snake", side=(0, 0, 0)), "side"),
        (lo.Blade(lo.rods.Along("snake", 1.2)), "a constraint is at X = 1.2 m of rod 'snake', which is 1 m long"),
    ],
)
def test_wrong_keels(keel, said):
    model = lo.Builder("snake", base="planar").body("snake", flex=lo.Rod(1.0, strains="bending_z", order=2)).build()
    with pytest.raises((ValueError, lo.UnknownName), match=said.replace("(", "\\(")):
        lo.Locomotion(model, constraints=[keel])


def test_nothing_to_hold():
    rod = lo.Rod(1.0, strains="bending_z", order=0)
    model = lo.Builder("arm").body("snake", flex=rod).build()
    with pytest.raises(ValueError, match="is imposed and its root cannot move"):
        lo.Locomotion(model, drives={"snake": lo.Sine(1.0, 1.0)}, constraints=[lo.Keel("snake")])
    with pytest.raises(lo.UnknownName, match="no keel named 'kiel'"):
        lo.rods.reaction_field(wave().simulate(0.01, samples=[0.0]), "kiel")
