"""The audit sees every kind of damage to a run, and nothing in runs that are right."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import locomote as lo
from locomote.runs.trajectory import Event, Trajectory


@cache
def run_of(name):
    return lo.systems.load(name).problem().simulate(3.0, progress=False)


def failed(run):
    return {check.name for check in run.audit.failed}


def one(array, row, column, value):
    array = np.array(array)
    array[row, column] = value
    return array


DAMAGE = {
    "kinetic energy": ("simple_pendulum", lambda r: {"kinetic": r.kinetic * (1 + 1e-5)}, "energies"),
    "q shifted": ("simple_pendulum", lambda r: {"q": r.q + 0.1}, "energies"),
    "one q": ("simple_pendulum", lambda r: {"q": one(r.q, 250, 0, 1e6)}, "energies"),
    "one q that nothing depends on": ("snakeboard", lambda r: {"q": one(r.q, 250, 0, r.q[250, 0] + 0.01)}, "q follows v"),
    "v halved": ("simple_pendulum", lambda r: {"v": r.v / 2}, "q follows v"),
    "a reversed": ("simple_pendulum", lambda r: {"a": -r.a}, "v follows a"),
    "a reversed, in the equations": ("simple_pendulum", lambda r: {"a": -r.a}, "equations of motion"),
    "t stretched": ("simple_pendulum", lambda r: {"t": 2 * r.t}, "q follows v"),
    "torques of drives": ("snakeboard", lambda r: {"tau": 10 * r.tau}, "equations of motion"),
    "torques against work": ("snakeboard", lambda r: {"tau": 10 * r.tau}, "work of drives"),
    "no reactions": ("snakeboard", lambda r: {"reactions": 0 * r.reactions}, "equations of motion"),
    "torque of a free joint": ("simple_pendulum", lambda r: {"tau": r.tau + 1e-3}, "drives and torques"),
    "imposed angle": ("snakeboard", lambda r: {"q": one(r.q, slice(None), 5, r.q[:, 5] + 1e-6)}, "drives and torques"),
    "sideways velocity": ("snakeboard", lambda r: {"v": one(r.v, slice(None), 1, r.v[:, 1] + 1e-3)}, "constraint errors"),
    "sideways acceleration": ("snakeboard", lambda r: {"a": r.a + np.array([0, 1e-2, 0, 0, 0, 0])}, "constraint accelerations"),
    "elastic energy": ("pumped_pendulum", lambda r: {"elastic": r.elastic + np.sin(r.t)}, "energies"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_seen(what):
    name, change, check = DAMAGE[what]
    run = run_of(name)
    assert run.audit.ok, run.audit
    assert check in failed(replace(run, **change(run)))


@pytest.mark.parametrize(
    "name", ["snakeboard", "walker_cases", "falling_cat", "four_bar", "bicycle", "rattleback", "heavy_top"]
)
def test_runs_that_are_right_pass_in_every_sample(name):
    system = lo.systems.load(name)
    q, v = system.initial
    deep = system.problem().simulate(1.0, q=q, v=v, progress=False).audit.deep()
    assert deep.ok, deep
    assert {"energies", "equations of motion", "drives and torques"} <= {check.name for check in deep.checks}


def test_a_sample_between_those_that_are_looked_at_is_seen_by_the_deep_audit():
    run = run_of("snakeboard")
    within = 0.5 * run.reactions[:, 0].max()  # less than the largest, which the run tracked
    wrong = replace(run, reactions=one(run.reactions, 7, 0, within))
    assert wrong.audit.ok and [check.name for check in wrong.audit.deep().failed] == ["equations of motion"]


def two_masses(**options):
    """Two masses on rails with springs, dampers and friction, a spring between points that goes askew, and a torque."""
    box = lo.Inertia(1.5, (0.05, 0, 0), np.diag([0.03, 0.02, 0.01]))
    model = (
        lo.Builder("masses")
        .body("one", joint=lo.Joint("rail", "prismatic", axis="x", stiffness=4.0, rest=0.1, damping=0.3), inertia=box)
        .body("two", joint=lo.Joint("hinge", axis="y", damping=0.1, friction=0.2), at=(1, 0.5, 0), inertia=box)
        .build()
    )
    spring = lo.Spring("one", "two", (0, 0, 0.2), (0.1, 0, -0.3), stiffness=20.0, length=0.5, damping=0.7)
    ground = lo.Spring("two", None, (0.3, 0, 0), (0, 1, 2), stiffness=5.0, length=1.0, damping=0.2)
    given = {"springs": {"hinge": (3.0, 0.2, 0.1)}, "environment": [spring, ground], "torques": {"rail": lo.Sine(2.0, 5.0)}}
    return lo.Locomotion(model, **given | options)


def test_springs_dampers_and_friction_are_in_the_equations():
    run = two_masses().simulate(2.0, progress=False)
    deep = run.audit.deep()
    assert deep.ok and not deep.unchecked, deep
    assert np.any(run.elastic > 0.1) and run.work["losses"][-1] < -0.1
    for other in ({"springs": {}}, {"environment": []}):
        assert {"equations of motion", "energies"} <= failed(replace(run, problem=two_masses(**other)))
    assert "drives and torques" in failed(replace(run, problem=two_masses(torques={})))


def test_functions_of_the_user_are_called_by_the_deep_audit_only():
    calls = []

    def push(t, q, v):
        calls.append(t)
        return {"one": [0.3 * np.sin(3 * t), 0, 0, 0, 0, 0]}

    def torque(t, q, v):
        calls.append(t)
        return np.array([0.0, -0.5 * q[1]])

    def angle(t):
        calls.append(t)
        return 0.3 * np.sin(2 * t)

    for options, words in (
        ({"environment": [push]}, "the environment is a Python function"),
        ({"torques": torque}, "torques as given: they are a Python function"),
        ({"drives": {"hinge": lo.Function(angle)}}, "a drive is a Python function"),
    ):
        run = two_masses(**options).simulate(1.0, progress=False)
        calls.clear()
        audit = run.audit
        assert audit.ok and not calls and any(words in sentence for sentence in audit.unchecked), audit
        deep = audit.deep()
        assert deep.ok and calls and not deep.unchecked, deep
        wrong = replace(run, tau=run.tau + 0.01, work={})
        assert not wrong.audit.deep().ok


def test_what_cannot_be_checked_is_said():
    run = replace(run_of("snakeboard"), problem=None, problem_missing="the torques cannot be stored")
    assert run.audit.ok and any("the torques cannot be stored" in sentence for sentence in run.audit.unchecked)
    assert "  not checked: accelerations, forces and reactions: the torques" in str(run.audit)
    assert failed(replace(run, v=run.v / 2)) >= {"energies", "q follows v"}


def test_contacts_are_those_of_the_run_and_not_of_the_next_one():
    """A foot without a place of its own stands where the run starts, whatever the problem was asked since."""
    builder = lo.Builder("foot", base="free").body("foot", inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.05)))
    problem = lo.Locomotion(builder.build(), constraints=[lo.SurfaceContact("foot")])
    turned, other = problem.model.neutral(), problem.model.neutral()
    turned[3:7] = [0.6, 0, 0, 0.8]
    run = problem.simulate(0.1, q=turned, progress=False)
    problem.simulate(0.1, q=other, progress=False)
    assert run.audit.ok and run.audit.deep().ok, run.audit
    assert not run.between(0.05, 0.1).audit.failed


def test_torques_of_a_function_leave_imposed_coordinates_to_their_drives():
    builder = lo.Builder("arm").body("a", joint=lo.Joint("j1", axis="y"), inertia=lo.Inertia(1.0, (0, 0, -1.0)))
    builder.body("b", parent="a", at=(0, 0, -1.0), joint=lo.Joint("j2", axis="y"), inertia=lo.Inertia(1.0, (0, 0, -1.0)))
    runs = []
    for extra in (0.0, 3.0):
        drives, torques = {"j1": lo.Sine(0.3, 1.0)}, lambda t, q, v, extra=extra: np.array([extra, -0.1 * v[1]])
        runs.append(lo.Locomotion(builder.build(), drives=drives, torques=torques).simulate(1.0, every=0.05, progress=False))
        assert runs[-1].audit.deep().ok, runs[-1].audit.deep()
    assert np.array_equal(runs[0].tau, runs[1].tau) and abs(runs[0].tau[:, 0]).max() > 1.0


# impacts


def ball(restitution=0.5, samples=None):
    builder = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1))
    contact = lo.PointContact("ball", target=(0, 0, 0), directions="z", unilateral=True, restitution=restitution)
    return lo.Locomotion(builder.build(), constraints=[contact])


def test_a_bounce_is_not_lost_momentum():
    run = ball().simulate(0.8, q=[0, 0, 1.0], v=[0.3, 0, 0], progress=False)
    assert any(event.kind == "impact" for event in run.events)
    assert run.audit.ok, run.audit
    assert "linear z" in run.audit.conserved and run.audit.deep().ok


@pytest.mark.parametrize("duration", [0.05, 0.1, 0.2, 0.4])
def test_a_start_from_rest_loses_no_momentum(duration):
    """Forces that begin as rounding, and grow: what they change is theirs."""
    system = lo.systems.load("snakeboard")
    q, v = system.initial
    run = system.problem().simulate(duration, q=q, v=v, progress=False)
    assert run.audit.ok, run.audit


def bounce_by_hand(impulse_factor=1.0):
    """A ball that falls from 1 m and bounces once, by formula, with a sample before and one after the impact."""
    problem, g = ball(), 9.81
    fall = np.sqrt(2 / g)
    down, up = np.linspace(0, fall, 30), np.linspace(0, 0.3, 30)
    speed = g * fall / 2
    z = np.concatenate([1 - g * down**2 / 2, speed * up - g * up**2 / 2])
    vz = np.concatenate([-g * down, speed - g * up])
    zero = 0 * z
    q, v, a = (np.stack([zero, zero, x], axis=1) for x in (z, vz, zero - g))
    lost = -0.5 * (g * fall) ** 2 + 0.5 * speed**2
    data = {"constraint": "floor", "energy": lost, "impulses": [impulse_factor * 1.5 * g * fall]}
    return Trajectory(
        model=problem.model, problem=problem, t=np.concatenate([down, fall + up]), q=q, v=v, a=a, tau=0 * v,
        kinetic=vz**2 / 2, potential=g * z, reactions=zero[:, None], residual=zero, position_residual=zero,
        work={"losses": np.repeat([0.0, lost], 30)}, events=[Event(fall, "impact", "it hits", data)],
    )  # fmt: skip


def test_impulses_must_give_the_change_of_velocities():
    good = bounce_by_hand().audit
    assert good.ok and any(check.name == "impulses of impacts" for check in good.checks), good
    assert failed(bounce_by_hand(1.01)) == {"impulses of impacts"}


def test_contacts_must_push():
    run = ball(0.0).simulate(0.4, q=[0, 0, 0], progress=False)
    assert run.audit.ok and run.reactions[:, 0].min() > 9
    assert failed(replace(run, reactions=-run.reactions)) >= {"contacts that pull", "equations of motion"}


# rest


@pytest.mark.parametrize("method", ["adaptive", "rk4", "implicit", "variational"])
@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, 0, 0)], ids=["weight", "no weight"])
def test_systems_at_rest_pass(method, gravity):
    """Whatever rounding does to an energy of zero."""
    body = lo.Inertia(1.0, com=(0, 0, -0.5))
    builder = lo.Builder("double", gravity=gravity).body("a", joint=lo.Joint("first", axis="y"), inertia=body)
    model = builder.body("b", parent="a", joint=lo.Joint("second", axis="y"), at=(0, 0, -1), inertia=body).build()
    run = lo.Locomotion(model).simulate(0.5, method=method, step=1e-2, every=1e-2, progress=False)
    assert run.audit.ok, run.audit
    noise = 1e-31 * np.random.default_rng(0).normal(size=len(run))
    assert replace(run, kinetic=run.kinetic + noise).audit.ok


# extremes


def test_samples_beyond_tracked_extremes_are_seen():
    run = run_of("simple_pendulum")
    tracked = {
        f"{x}.{end}": getattr(np, end)(getattr(run, x), axis=0) for x in ("q", "v", "a", "tau") for end in ("max", "min")
    }
    assert replace(run, tracked=tracked).audit.ok
    tracked["v.max"] = tracked["v.max"] * 0.9
    assert failed(replace(run, tracked=tracked)) == {"tracked extremes"}


def test_numbers_that_nothing_can_be_computed_from_fail_in_words():
    run = run_of("simple_pendulum")
    wrong = replace(run, v=run.v * 1e200).audit
    assert not wrong.ok and str(wrong)
    fall = lo.systems.load("falling_cat").problem().simulate(0.2, progress=False)
    assert "quaternion norms" in failed(replace(fall, q=one(fall.q, 3, slice(3, 7), 0.0)))


def test_samples_that_do_not_follow_a_rod_say_nothing_of_its_base():
    """A thrown rod shakes its base many times between two samples, which may look smooth by chance."""
    rod = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1000.0, 2e7), strains="bending torsion", order=3)
    model = lo.Builder("thrown", base="free").body("rod", flex=rod).build()
    names = [slot.name for slot in model.layout() if slot.vector == "q"]
    q, v = model.neutral(), np.zeros(model.nv)
    q[names.index("bending_z 1")], q[names.index("torsion 0")] = 1.0, 2.0
    v[:6] = 1.0, -1.0, 2.0, 5.0, 4.0, -3.0
    problem = lo.Locomotion(model)
    for count, said in ((13, True), (301, False)):
        run = problem.simulate(0.2, samples=np.linspace(0.0, 0.2, count), q=q, v=v, rtol=1e-5, progress=False)
        assert run.audit.ok, str(run.audit)
        assert any("v follows a" in words for words in run.audit.unchecked) is said
