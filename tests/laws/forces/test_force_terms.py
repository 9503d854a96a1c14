"""Force terms: springs, and laws that users write, against closed forms and against the slow way through Python callbacks."""

import pickle

import numpy as np
import pytest

import locomote as lo
from locomote.forces import kinds
from locomote.law import add, cross, dot, exp, log, rotate, scale, select, sin, sqrt, subtract, unrotate

NONE = (0.0, 0.0, 0.0)


@lo.force
def wind(t, R, o, u, w, drag, speed):
    """Quadratic drag in a wind that grows with height and time."""
    flow = subtract(unrotate(R, scale(1.0 + 0.3 * o[2] + 0.1 * sin(t), speed)), u)
    return scale(drag * sqrt(dot(flow, flow) + 1e-6), flow), scale(-0.02 * drag, w)


@lo.force(energy=True)
def magnet(t, R, o, u, w, strength, center):
    """A pull towards a point in the world, with a damper."""
    d = subtract(o, center)
    well = exp(-dot(d, d))
    return (
        add(unrotate(R, scale(-2.0 * strength * well, d)), scale(-0.1, u)), NONE, -strength * well, 0.1 * dot(u, u)
    )  # fmt: skip


@lo.force(bodies=2, energy=True)
def attraction(t, R, o, u, w, R2, o2, u2, w2, strength):
    """A pull between two bodies with a logarithm for energy."""
    d = subtract(o, o2)
    r2 = dot(d, d) + 0.04
    pull = scale(-strength / r2, d)
    return unrotate(R, pull), NONE, unrotate(R2, scale(-1.0, pull)), NONE, 0.5 * strength * log(r2), 0.0


@lo.force
def one_way(t, R, o, u, w, stiffness):
    """A floor without losses, as a law that branches: by select."""
    deep = select(o[2] < -1.0, -1.0 - o[2], 0.0)
    return unrotate(R, (0.0, 0.0, stiffness * deep)), cross((0.0, 0.0, 0.0), w)


def two_bodies():
    builder = lo.Builder("pair", base="free")
    builder.body("trunk", inertia=lo.Inertia.box(2.0, (0.3, 0.4, 0.5)))
    builder.body(
        "arm", parent="trunk", at=(0.1, 0.2, 0.3), joint=lo.Joint("elbow", axis=(1, 2, 3)),
        inertia=lo.Inertia.box(1.0, (0.2, 0.3, 0.1)),
    )  # fmt: skip
    return builder.build()


def forces():
    return [
        lo.Spring("arm", "trunk", (0.1, 0, 0.4), (-0.3, 0.2, 0), 20.0, 0.3, 0.5, name="strut"),
        lo.Spring("trunk", point=(0, 0, 0.2), other_point=(0.5, 0, 1), stiffness=3.0),
        wind("arm", point=(0.1, 0.2, 0.3), drag=0.4, speed=(1.0, -2.0, 0.5)),
        magnet("trunk", point=(0, 0.1, 0), strength=2.0, center=(0.3, 0.2, 0.1)),
        attraction("arm", "trunk", other_point=(0, 0, -0.3), strength=0.7),
        one_way("trunk", stiffness=50.0),
    ]


def as_callback(model):
    """The same six forces, by hand, in world axes."""

    def frame(t, q, v, body, point):
        pose = lo.forward_kinematics(model, q)[model.body_index(body)]
        V = lo.velocity(model, q, v, body, point=point, frame="aligned")
        return pose[:3, :3], pose[:3, :3] @ np.array(point) + pose[:3, 3], V[:3], V[3:]

    def environment(t, q, v):
        result = {"arm": np.zeros(6), "trunk": np.zeros(6)}

        def put(body, point, force, moment=(0, 0, 0)):
            R, *_ = frame(t, q, v, body, point)
            f = R.T @ force
            result[body] += np.concatenate([f, R.T @ np.array(moment, float) + np.cross(point, f)])

        _, x, u, _ = frame(t, q, v, "arm", (0.1, 0, 0.4))
        _, y, z, _ = frame(t, q, v, "trunk", (-0.3, 0.2, 0))
        along = (x - y) / np.linalg.norm(x - y)
        pull = (-20.0 * (np.linalg.norm(x - y) - 0.3) - 0.5 * along @ (u - z)) * along
        put("arm", (0.1, 0, 0.4), pull)
        put("trunk", (-0.3, 0.2, 0), -pull)
        _, x, *_ = frame(t, q, v, "trunk", (0, 0, 0.2))
        put("trunk", (0, 0, 0.2), -3.0 * (x - [0.5, 0, 1]))
        _, x, u, w = frame(t, q, v, "arm", (0.1, 0.2, 0.3))
        flow = (1 + 0.3 * x[2] + 0.1 * np.sin(t)) * np.array([1.0, -2.0, 0.5]) - u
        put("arm", (0.1, 0.2, 0.3), 0.4 * np.sqrt(flow @ flow + 1e-6) * flow, -0.008 * w)
        _, x, u, _ = frame(t, q, v, "trunk", (0, 0.1, 0))
        d = x - [0.3, 0.2, 0.1]
        put("trunk", (0, 0.1, 0), -4.0 * np.exp(-d @ d) * d - 0.1 * u)
        _, x, *_ = frame(t, q, v, "arm", (0, 0, 0))
        _, y, *_ = frame(t, q, v, "trunk", (0, 0, -0.3))
        d = x - y
        put("arm", (0, 0, 0), -0.7 / (d @ d + 0.04) * d)
        put("trunk", (0, 0, -0.3), 0.7 / (d @ d + 0.04) * d)
        _, x, *_ = frame(t, q, v, "trunk", (0, 0, 0))
        put("trunk", (0, 0, 0), [0, 0, 50.0 * max(0.0, -1.0 - x[2])])
        return result

    return environment


def states(model, count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        q = model.random(rng)
        q[2] -= 1.0
        yield float(rng.uniform(0, 3)), q, rng.normal(size=model.nv)


def test_terms_give_the_forces_that_are_written_by_hand():
    model = two_bodies()
    fast = lo.Locomotion(model, environment=forces())
    slow = lo.Locomotion(model, environment=[as_callback(model)])
    for t, q, v in states(model, 20):
        np.testing.assert_allclose(fast.evaluate(t, q, v).a, slow.evaluate(t, q, v).a, rtol=1e-11, atol=1e-11)


def test_every_term_has_its_work_energy_and_force_and_the_audit_looks_at_them():
    model = two_bodies()
    problem = lo.Locomotion(model, environment=forces(), drives={"elbow": lo.Sine(0.5, 3.0, ramp=0.5)})
    run = problem.simulate(2.0, v=0.3 * np.arange(model.nv))
    assert run.audit.ok, str(run.audit)
    names = ["strut", "spring trunk world", "wind arm", "magnet trunk", "attraction arm", "one_way trunk"]
    assert {f"force {name}" for name in names} <= {check.name for check in run.audit.checks}
    assert list(run.work)[-6:] == names
    assert set(run.energies) == {"strut", "spring trunk world", "magnet trunk", "attraction arm"}
    np.testing.assert_allclose(run.elastic, run["energy.strut"] + run["energy.spring trunk world"], rtol=1e-12)
    power = -run["work.strut"]
    assert power[-1] > 0 and (np.diff(power) >= 0).all()  # its damper takes
    assert abs(run.work["attraction arm"]).max() == 0
    R, x = (lo.forward_kinematics(model, run.q)[:, 0, :3, k] for k in (slice(3), 3))
    place = x + R @ [0, 0, 0.2]
    force = np.column_stack([run[f"spring trunk world.force {axis}"] for axis in "xyz"])
    np.testing.assert_allclose(force, -3.0 * (place - [0.5, 0, 1]), atol=1e-12)


def test_a_wrong_force_in_a_run_fails_its_audit():
    import dataclasses

    run = lo.Locomotion(two_bodies(), environment=forces()).simulate(0.3)
    loads = {name: np.array(x) for name, x in run.loads.items()}
    loads["strut"][5] *= 1.01
    bad = dataclasses.replace(run, loads=loads)
    assert "force strut" in [check.name for check in bad.audit.deep().failed]
    energies = {name: np.array(x) for name, x in run.energies.items()}
    energies["magnet trunk"] += 0.1
    assert "energies" in [check.name for check in dataclasses.replace(run, energies=energies).audit.failed]


def test_terms_run_on_symbols_and_vectors_as_compiled():
    model = two_bodies()
    problem = lo.Locomotion(model, environment=forces())
    q, v = problem.initial(v=0.5 * np.ones(model.nv))
    runs = lo.rollout(problem, batch=9, q=q, v=v, duration=0.4, step=2e-3)
    run = problem.simulate(0.4, q=q, v=v, method="rk4", step=2e-3)
    np.testing.assert_allclose(runs.q[:, -1], np.tile(run.q[-1], (9, 1)), atol=1e-10)
    np.testing.assert_allclose(runs.v[:, -1], np.tile(run.v[-1], (9, 1)), atol=1e-10)


def test_terms_travel_and_are_saved(tmp_path):
    model = two_bodies()
    problem = lo.Locomotion(model, environment=forces())
    copy = pickle.loads(pickle.dumps(problem))
    for t, q, v in states(model, 3):
        np.testing.assert_array_equal(copy.evaluate(t, q, v).a, problem.evaluate(t, q, v).a)
    own = lo.Locomotion(model, environment=forces()[:2])
    own.simulate(0.2).save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert again.problem is not None and again.audit.ok
    assert set(again.energies) == {"strut", "spring trunk world"} and again.loads["strut"].shape[1:] == (1, 6)
    problem.simulate(0.2).save(tmp_path / "own.h5")
    assert "function" in lo.open_run(tmp_path / "own.h5").problem_missing


def test_a_run_with_terms_is_resumed_and_extended_bit_for_bit(tmp_path):
    problem = lo.Locomotion(two_bodies(), environment=forces()[:2])
    whole = problem.simulate(1.0, every=0.05)
    part = problem.simulate(0.5, every=0.05)
    longer = part.extend(0.5, every=0.05)
    np.testing.assert_allclose(longer.q[-1], whole.q[-1], atol=1e-7)
    np.testing.assert_allclose(longer["work.strut"][-1], whole["work.strut"][-1], atol=1e-7)
    assert longer.audit.ok


def test_a_law_is_compiled_once_for_all_numbers_and_found_again():
    one, two = (wind("arm", drag=d, speed=(1.0, 0.0, 0.0)).term(two_bodies()) for d in (0.1, 0.7))
    assert one.kind == two.kind and one.kind.rule is two.kind.rule and one.kind.address == two.kind.address
    assert one.kind.stamp == two.kind.stamp != kinds.Kind("spring", one.kind.law, (0, 0)).stamp


def test_wrong_laws_and_numbers_get_a_sentence():
    model = two_bodies()
    with pytest.raises(TypeError, match=r"takes \(t, q\), expected \(t, R, o, u, w\)"):
        lo.force(lambda t, q: 0)
    with pytest.raises(TypeError, match=r"missing: \['speed'\]"):
        wind("arm", drag=1.0)
    with pytest.raises(ValueError, match="drag of force 'wind arm' is nan"):
        lo.Locomotion(model, environment=[wind("arm", drag=np.nan, speed=(0, 0, 1))])
    with pytest.raises(ValueError, match="two forces are called 'strut'"):
        lo.Locomotion(model, environment=[forces()[0], forces()[0]])
    with pytest.raises(lo.UnknownName, match="leg"):
        lo.Locomotion(model, environment=[wind("leg", drag=1.0, speed=(0, 0, 1))])
    with pytest.raises(TypeError, match="environment holds 3"):
        lo.Locomotion(model, environment=[3])

    @lo.force
    def short(t, R, o, u, w):
        return (0.0, 0.0, 1.0)

    with pytest.raises(TypeError, match="force 'short' gives .* expected .force, moment."):
        lo.Locomotion(model, environment=[short("arm")])

    @lo.force
    def python(t, R, o, u, w):
        return tuple(np.random.rand(3).tolist()), tuple([str(x) and 0.0 for x in range(3)])

    with pytest.raises(TypeError, match="force 'python' cannot be compiled"):
        lo.Locomotion(model, environment=[python("arm")])


def test_rotate_is_what_laws_are_told():
    R = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert rotate(R, (1.0, 0.0, 0.0)) == (0.0, 1.0, 0.0)


def test_laws_compiled_in_different_processes_keep_their_own_code(tmp_path):
    """Each law is compiled in a process of its own; one that loads both must not take one for the other."""
    import os
    import subprocess
    import sys

    code = (
        "import sys, locomote as lo; from locomote.forces.water.drag import quadratic, stokes; "
        "from locomote.forces.kinds import Kind; from locomote.forces.flows.fields import still; "
        "laws = [Kind('a', quadratic, (3, 3), flow=(still, 0)), Kind('b', stokes, (0, 0), flow=(still, 0))]; "
        "print(len({laws[int(k)].address for k in sys.argv[1]}))"
    )
    environment = os.environ | {"LOCOMOTE_CACHE_DIR": str(tmp_path / "cache"), "LOCOMOTE_QUIET": "1"}
    counts = []
    for which in ("0", "1", "01"):
        done = subprocess.run([sys.executable, "-c", code, which], env=environment, capture_output=True, text=True, check=True)
        counts.append(int(done.stdout))
    assert counts == [1, 1, 2]


def test_forces_are_casadi_functions_with_derivatives():
    model = two_bodies()
    problem = lo.Locomotion(model, environment=forces())
    import casadi

    a = lo.symbolic_problem(problem)
    change = casadi.Function("da", a.sx_in(), [casadi.jacobian(a(*a.sx_in()), a.sx_in()[2])])
    for t, q, v in states(model, 5):
        found = np.array(a(t, q, v, np.zeros(model.nv))).ravel()
        np.testing.assert_allclose(found, problem.evaluate(t, q, v).a, rtol=1e-10, atol=1e-10)
        step = 1e-6
        sides = [[problem.evaluate(t, q, v + side * step * e).a for e in np.eye(model.nv)] for side in (1, -1)]
        numeric = np.subtract(*sides) / (2 * step)
        np.testing.assert_allclose(np.array(change(t, q, v, np.zeros(model.nv))), np.transpose(numeric), rtol=1e-5, atol=1e-5)
