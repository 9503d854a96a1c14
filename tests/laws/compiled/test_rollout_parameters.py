"""Rollouts whose runs have numbers of their own: each is the run of a problem built with them."""

import numpy as np
import pytest

import locomote as lo
from locomote.compiled.lots import lots_of

SAME = 1e-12


def built_anew(problem, values, n):
    """The problem that run n is of, packed from its statement as a whole."""
    other = problem.with_parameters({key: x[n] if np.ndim(x) else x for key, x in values.items()})
    return other.replaced()


def worst(problem, values, count, **options):
    """The largest difference between rollouts together and rollouts of problems built anew."""
    together = lo.rollout(problem, parameters=values, progress=False, **options)
    assert together.q.shape[0] == count and np.ptp(together.v[:, -1], axis=0).max() > 0.0
    found = 0.0
    for n in (0, count // 2, count - 1):
        alone = lo.rollout(built_anew(problem, values, n), batch=1, progress=False, **options)
        for ours, theirs in ((together.q[n], alone.q[0]), (together.v[n], alone.v[0])):
            found = max(found, abs(ours - theirs).max() / max(1.0, abs(theirs).max()))
    return found


def around(problem, rng, names, count):
    """Random values about those of the problem."""
    values = {}
    for name in names:
        own = np.array(problem.parameters[problem.parameters.matching(name)[0]])
        values[name] = own * rng.uniform(0.8, 1.2, (count, *[1] * own.ndim))
    return values


KINDS = {
    "masses": ("snakeboard", ("board.mass", "*_axle.mass", "rotor.mass"), {}),
    "drives": ("snakeboard", ("rotor.amplitude", "rotor.rate", "*_steer.amplitude"), {}),
    "geometry": ("snakeboard", ("front_axle.placement", "rotor.phase", "board.mass"), {"duration": 0.2}),
    "amplitudes": ("snakeboard", ("rotor.amplitude", "*_steer.amplitude", "rotor.offset"), {}),
    "inertias": ("snakeboard", ("rotor.inertia", "board.inertia"), {}),
    "places of loops": ("four_bar", ("coupler.placement", "crank.mass"), {"step": 1e-3, "duration": 0.05}),
    "loops": ("four_bar", ("*.mass", "gravity"), {"step": 1e-3, "duration": 0.05}),
    "free base": ("quadruped", ("*.mass", "gravity", "trunk.inertia"), {"method": "euler", "step": 1e-3, "duration": 0.02}),
    "rods": ("elastic_pendulum", ("*.young", "gravity"), {"method": "euler", "step": 1e-5, "duration": 1e-4}),
    "no inertia": ("scallop", ("hinge.terms.0.amplitude",), {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [5, 40])
def test_runs_are_those_of_problems_built_anew(kind, count):
    system, names, how = KINDS[kind]
    problem, rng = lo.systems.load(system).problem(), np.random.default_rng(3)
    options = {"step": 1e-2, "duration": 0.3} | how
    assert worst(problem, around(problem, rng, names, count), count, **options) < SAME


def ball():
    """A ball with a spring that is thrown onto the ground."""
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    contacts = [lo.Touch("ball", lo.Ground(friction=0.3), sphere=0.1)]
    start = np.array([0, 0, 0.1, 0, 0, 0, 1.0]), np.array([1.0, 0, 0, 0, 0, 0])
    return lo.Locomotion(model, contacts=contacts, start=start)


def test_contacts_go_lot_by_lot():
    friction = np.array([0.1, 0.3, 0.1, 0.5])
    problem, options = ball(), {"duration": 0.1, "step": 1e-3, "keep": 50}
    assert worst(problem, {"ground.friction": friction, "ball.mass": np.array([1.0, 2.0, 1.0, 1.0])}, 4, **options) < SAME
    runs = lo.rollout(problem, parameters={"ground.friction": friction}, progress=False, **options)
    assert runs.contact_law.shape == (4, 2) and runs.q.shape == (4, 3, 7)
    assert np.array_equal(runs.q[0], runs.q[2]) and runs.v[3, -1, 0] < runs.v[0, -1, 0]


def test_controls_and_starts_belong_to_their_runs():
    model = (
        lo.Builder("arm")
        .body("arm", joint=lo.Joint("j", axis="y"), inertia=lo.Inertia(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1)))
        .build()
    )
    problem, rng = lo.Locomotion(model), np.random.default_rng(0)
    controls, q = rng.normal(size=(6, 20, 1)), rng.normal(size=(6, 1))
    masses = np.array([3.0, 1.0, 2.0, 1.0, 5.0, 4.0])
    runs = lo.rollout(problem, controls, q=q, step=1e-2, parameters={"arm.mass": masses}, progress=False)
    for n in range(6):
        alone = lo.rollout(problem.with_parameters({"arm.mass": masses[n]}), controls[n], q=q[n], step=1e-2, progress=False)
        assert np.allclose(runs.q[n], alone.q[0], atol=1e-13)
    assert runs.balance.max() < 1e-3
    assert np.allclose(runs.balance[2], lo.rollout(problem.with_parameters({"arm.mass": 2.0}), controls[2], q=q[2], step=1e-2,
                                                  progress=False).balance[0])  # fmt: skip


def test_few_plans_say_those_of_many_lots():
    problem, rng = lo.systems.load("snakeboard").problem(), np.random.default_rng(1)
    _, lots, count = lots_of(problem, around(problem, rng, ["board.mass", "rotor.amplitude", "gravity"], 200), None)
    assert lots is not None and count == 200
    places, _, values = lots.differences
    assert len(lots._made) < 30  # most were never built
    for lot in (7, 100, 199):
        plan = lots.with_numbers(lots.table[lot]).plan
        exact = np.concatenate([getattr(plan, name).ravel()[flat] for name, flat in places.items()])
        assert np.abs(values[lot] - exact).max() < 1e-14 * np.abs(exact).max()


def test_what_was_found_out_about_a_problem_serves_again():
    problem, rng = lo.systems.load("snakeboard").problem(), np.random.default_rng(1)
    names, options = ["front_axle.placement", "rotor.amplitude"], {"duration": 0.1, "step": 1e-2}
    wide = around(problem, rng, names, 60)
    _, first, _ = lots_of(problem, wide, None)
    assert first is not None and first.form is not None
    inside = {key: x[:50] + 0.3 * (x[10:60] - x[:50]) for key, x in wide.items()}
    outside = {key: 1.4 * x[:50] for key, x in wide.items()}
    alike = inside | {"rotor.amplitude": np.full(50, np.median(wide["rotor.amplitude"]))}
    for values, anew in ((inside, False), (alike, False), (outside, True)):
        assert worst(problem, values, 50, **options) < SAME
        _, lots, _ = lots_of(problem, values, None)
        assert lots is not None and (lots.form is not first.form) == anew
    _, lots, _ = lots_of(problem, inside, None)
    assert lots is not None and lots.form is not None and lots.form.covers(first.table) and len(lots._made) == 0


def two_links(**more):
    """Two links, of which the end of the second slides."""
    inertia = lo.Inertia(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1))
    builder = lo.Builder("two").body("a", joint=lo.Joint("j", axis="y"), inertia=inertia)
    model = builder.body("b", parent="a", joint=lo.Joint("k", axis="y"), at=(0.5, 0, 0), inertia=inertia).build()
    return lo.Locomotion(model, constraints=[lo.PointContact("b", point=(0.6, 0, 0), directions="z", **more)])


@pytest.mark.parametrize("count", [5, 40])
def test_what_is_left_open_closes_where_each_run_starts(count):
    places = np.outer(np.linspace(0.45, 0.55, count), [1.0, 0.0, 0.0])
    options = {"q": np.array([0.5, 0.1]), "duration": 0.3, "step": 1e-3}
    assert worst(two_links(), {"b.placement": places}, count, **options) < SAME


@pytest.mark.parametrize("count", [5, 40])
def test_starts_that_are_given_meet_constraints_or_are_refused(count):
    problem = two_links(target=(0.0, 0.0, -0.3))
    places = np.outer(np.linspace(0.45, 0.55, count), [1.0, 0.0, 0.0])
    own = [problem.with_parameters({"b.placement": x}).initial() for x in places]
    q, v = (np.array(x) for x in zip(*own, strict=True))
    options = {"duration": 0.2, "step": 1e-3, "progress": False}
    given = lo.rollout(problem, q=q, v=v, parameters={"b.placement": places}, **options)
    found = lo.rollout(problem, parameters={"b.placement": places}, **options)
    assert abs(given.q - found.q).max() < SAME and given.start_change is None and np.ptp(q, axis=0).max() > 0.01
    with pytest.raises(lo.InconsistentStart):
        lo.rollout(problem, q=q[::-1] + 0.3, v=v, parameters={"b.placement": places}, **options)


def test_a_lot_that_cannot_be_assembled_says_so():
    places = np.outer(np.linspace(0.05, 0.5, 40), [1.0, 0.0, 0.0])
    with pytest.raises(lo.InconsistentStart, match="cannot be assembled"):
        lo.rollout(two_links(target=(0.0, 0.0, -0.9)), parameters={"b.placement": places}, duration=0.1, progress=False)


def test_a_moment_that_no_body_has_is_refused_wherever_it_stands():
    problem = lo.systems.load("snakeboard").problem()
    moments = np.outer(np.linspace(0.8, 1.2, 60), problem.parameters["board.inertia"])
    moments[7, 5] *= 2.5
    moments[40, :] *= 3.0  # so that no number of run 7 is the largest
    with pytest.raises(ValueError, match="principal moments"):
        lo.rollout(problem, parameters={"board.inertia": moments}, duration=0.1, progress=False)


def test_random_draws():
    problem = lo.systems.load("snakeboard").problem()
    drawn = lo.sweeps.draws({"board.mass": (3.0, 5.0), "rotor.amplitude": (0.5, 0.8)}, 12, seed=4)
    first, again = (lo.rollout(problem, parameters=drawn.columns, duration=0.1, progress=False) for _ in range(2))
    assert np.array_equal(first.q, again.q) and len(np.unique(first.v[:, -1, 0])) == 12


def test_one_value_is_for_all_runs():
    problem = lo.systems.load("snakeboard").problem()
    q = np.tile(problem.initial()[0], (3, 1))
    runs = lo.rollout(problem, q=q, parameters={"board.mass": 2.0}, duration=0.1, progress=False)
    alone = lo.rollout(problem.with_parameters({"board.mass": 2.0}), q=q, duration=0.1, progress=False)
    assert np.array_equal(runs.q, alone.q) and len(runs.q) == 3


REFUSED = [
    ({"board.mas": np.ones(3)}, lo.UnknownName, "did you mean 'board.mass'"),
    ({"board.mass": np.ones(3), "rotor.mass": np.ones(4)}, ValueError, "for 3, 4 runs"),
    ({"board.mass": np.array([1.0, -1.0, 2.0])}, ValueError, "negative mass"),
    ({"board.mass": np.array([1.0, np.nan])}, ValueError, "not finite"),
    ({"rotor.ramp": np.array([0.0, 1.0])}, ValueError, "run 1: rotor.ramp = 1 changes the structure"),
    ({"gravity": np.ones((2, 2))}, ValueError, "gravity"),
    (3.0, TypeError, "given by name"),
]


@pytest.mark.parametrize(("parameters", "error", "sentence"), REFUSED, ids=lambda x: str(x)[:30])
def test_refused(parameters, error, sentence):
    with pytest.raises(error, match=sentence):
        lo.rollout(lo.systems.load("snakeboard").problem(), parameters=parameters, duration=0.1, progress=False)
