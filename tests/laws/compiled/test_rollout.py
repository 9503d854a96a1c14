"""Rollouts against runs of the same problem one by one."""

import numpy as np
import pytest

import locomote as lo
from locomote.compiled import step_loop
from locomote.compiled.who import Controls
from locomote.symbolic.plain import zeros
from locomote.symbolic.problem import Equations

OPEN = ("snakeboard", "unicycle", "chaplygin_sleigh", "roller_racer", "falling_cat", "space_robot", "mobile_pendulum")
CLOSED = ("four_bar", "bicycle")  # with holonomic constraints, to which both return, but not by the same way


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory):
    """Code of these tests goes to a folder of its own, that of compiled kernels stays where it is."""
    import locomote.compiled.library as library

    before, place = library.cache_folder, tmp_path_factory.mktemp("code")
    library.cache_folder = lambda: place
    yield
    library.cache_folder = before


@pytest.mark.parametrize("name", [*OPEN, *CLOSED])
def test_a_step_is_a_step_of_the_run(name):
    tolerance = 1e-7 if name in CLOSED else 1e-8 if name == "falling_cat" else 1e-11  # its drives are integrated, not set
    problem = lo.systems.load(name).problem()
    got = lo.rollout(problem, batch=5, duration=0.2, step=1e-3, keep=100)
    run = problem.simulate(0.2, method="rk4", step=1e-3, every=0.1)
    assert got.q.shape == (5, 3, problem.model.nq) and np.allclose(got.t, [0.0, 0.1, 0.2])
    for k in range(5):
        assert np.allclose(got.q[k], run.q, rtol=0, atol=tolerance)
        assert np.allclose(got.v[k], run.v, rtol=0, atol=10 * tolerance)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_controls_are_torques_that_are_constant_within_a_step(method):
    model, rng = lo.systems.load("quadruped").model, np.random.default_rng(0)
    problem = lo.Locomotion(model)
    controls = rng.normal(size=(7, 40, 12)) * 0.3
    q = np.array([model.integrate(model.neutral(), 0.1 * rng.normal(size=model.nv)) for _ in range(7)])
    v = 0.3 * rng.normal(size=(7, model.nv))
    got = lo.rollout(problem, controls, q=q, v=v, step=5e-4, method=method)
    for k in (0, 6):
        x, y = q[k], v[k]
        for n in range(40):
            tau = np.concatenate([np.zeros(6), controls[k, n]])
            x, y = STEP[method](model, x, y, tau, 5e-4)
        assert np.allclose(got.q[k, -1], x, atol=1e-9) and np.allclose(got.v[k, -1], y, atol=1e-8)


def fine_step(model, q, v, tau, h):
    """The exact flow of a constant torque, by many small steps of the library's own integrator."""
    run = lo.Locomotion(model, torques=lambda t, q, v: tau).simulate(h, q=q, v=v, rtol=1e-12, atol=1e-13, samples=[0.0, h])
    return run.q[-1], run.v[-1]


def euler(model, q, v, tau, h):
    """Velocity first, then positions: plain coordinates add, a free base moves along its world velocity and turns by exp."""
    v = v + h * lo.forward_dynamics(model, q, v, tau)
    moved = model.integrate(q, h * v)
    turn = lo.forward_kinematics(model, q)[0][:3, :3]
    moved[:3] = q[:3] + h * turn @ v[:3]
    return moved, v


STEP = {"rk4": fine_step, "euler": euler}


def test_driven_joints_follow_accelerations():
    problem = lo.systems.load("snakeboard").problem()
    q, v = problem.initial()
    given = np.random.default_rng(1).normal(size=(3, 50, 3))
    got = lo.rollout(problem, given, step=1e-2, keep=1)
    held = np.flatnonzero(problem.imposed)
    for k in range(3):
        speed = v[held] + np.concatenate([np.zeros((1, 3)), 1e-2 * np.cumsum(given[k], axis=0)])
        assert np.allclose(got.v[k][:, held], speed, atol=1e-13)
    A, _, speed, _ = problem.rows(0.0, got.q[0, -1], got.v[0, -1])
    assert abs(A @ got.v[0, -1] + speed).max() < 1e-6  # brought back at the start of each step


def test_one_joint_by_controls_others_by_their_drives():
    problem = lo.systems.load("snakeboard").problem()
    run = problem.simulate(0.05, method="rk4", step=1e-3)
    rotor = problem.model.joint("rotor").v
    times = np.arange(50) * 1e-3
    drive = np.array([problem.drives["rotor"](t + 5e-4)[2] for t in times])
    got = lo.rollout(problem, drive[:, None], joints=["rotor"], step=1e-3)
    others = np.delete(np.arange(problem.model.nv), rotor)
    assert np.allclose(got.v[0, -1], run.v[-1], atol=1e-7) and not np.array_equal(got.v[0, -1], run.v[-1])
    assert np.allclose(got.v[0, -1][others], run.v[-1][others], atol=1e-7)


def test_threads_give_the_same():
    problem = lo.systems.load("snakeboard").problem()
    rng = np.random.default_rng(2)
    controls = rng.normal(size=(37, 20, 3))
    one, three = (lo.rollout(problem, controls, step=1e-2, threads=n) for n in (1, 3))
    assert np.array_equal(one.q, three.q) and np.array_equal(one.v, three.v)
    alone = lo.rollout(problem, controls[4:5], step=1e-2)
    assert np.array_equal(alone.q[0], one.q[4])


def test_loops_stay_closed_and_energy_stays():
    """A four-bar that falls freely: holonomic rows, over many steps."""
    system = lo.systems.load("four_bar")
    problem = lo.Locomotion(system.model, constraints=system.problem().constraints, start=system.problem().start)
    got = lo.rollout(problem, batch=1, duration=3.0, step=1e-3, keep=500)
    model = problem.model
    energy = [lo.kinetic_energy(model, q, v) + lo.potential_energy(model, q) for q, v in zip(got.q[0], got.v[0], strict=True)]
    assert max(abs(problem.rows(0.0, q)[3]).max() for q in got.q[0]) < 1e-7
    assert np.ptp(energy) < 1e-5 * max(abs(np.array(energy)).max(), 1.0)


def test_the_equations_are_those_of_evaluate():
    for name in (*OPEN, *CLOSED):
        problem = lo.systems.load(name).problem()
        q, v = problem.initial()
        now = problem.evaluate(0.0, q, v)
        equations = Equations.of(problem)
        a = equations.state(
            q.astype(object), v.astype(object), np.where(problem.imposed, now.a, 0.0).astype(object), zeros(len(v))
        )
        assert np.allclose(a.acceleration().astype(float), now.a, rtol=1e-10, atol=1e-11)
        assert equations.digest == Equations.of(lo.systems.load(name).problem()).digest


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "without controls, rollout needs a duration"),
        ({"duration": -1.0}, "above 0, not -1.0"),
        ({"duration": 1.0, "step": 0.0}, "step must be a positive number of seconds, not 0.0"),
        ({"duration": 1.0, "method": "rk5"}, "no method named 'rk5' in rollout; did you mean 'rk4'"),
        ({"controls": np.zeros((2, 10, 4))}, "controls has 4 columns, expected 3"),
        ({"controls": np.zeros(3)}, r"controls has shape \(3,\), expected"),
        ({"controls": np.full((2, 3, 3), np.nan)}, "controls has a value that is not finite"),
        ({"controls": np.zeros((2, 10, 3)), "batch": 3}, "do not fit together"),
        ({"controls": np.zeros((2, 10, 3)), "duration": 1.0}, "10 steps of 0.001 s, that is 0.01 s and not 1 s"),
        ({"controls": np.zeros((2, 10, 1)), "joints": ["roter"]}, "did you mean 'rotor'"),
        ({"duration": 1.0, "keep": 0}, "keep must be an integer from 1, not 0"),
        ({"duration": 1.0, "batch": 0}, "at least one run"),
        ({"duration": 1.0, "q": np.zeros(3)}, "q has shape"),
    ],
)
def test_wrong_calls(arguments, sentence):
    with pytest.raises((ValueError, KeyError), match=sentence):
        lo.rollout(lo.systems.load("snakeboard").problem(), **arguments)


def test_a_problem_is_needed():
    with pytest.raises(TypeError, match="expected a lo.Locomotion, not 'snakeboard'; a system of the catalogue has one"):
        lo.rollout("snakeboard", batch=2, duration=1.0)  # type: ignore[arg-type]


def test_coupled_joints_may_be_left_out_of_starts():
    builder = lo.Builder("gripper").body("a", joint=lo.Joint("left", "prismatic"), inertia=lo.Inertia(1.0))
    builder.body("b", joint=lo.Joint("right", "prismatic", "x"), inertia=lo.Inertia(2.0))
    builder.couple("right", {"left": -0.5})
    problem = lo.Locomotion(builder.build())
    got = lo.rollout(problem, q=[[0.1], [0.2]], v=[[0.0], [1.0]], duration=0.5)
    # (1 + 2 / 4) a = -9.81: the left one falls and drags the right one along
    left, right = got.q[:, -1].T
    assert np.allclose(left, np.array([0.1, 0.7]) - 0.125 * 9.81 / 1.5) and np.allclose(right, -0.5 * left)


def test_what_is_no_formula_is_refused():
    model = lo.systems.load("quadruped").model
    with pytest.raises(ValueError, match="its torques are a function; give them as controls"):
        lo.rollout(lo.Locomotion(model, torques=lambda t, q, v: np.zeros(model.nv)), batch=2, duration=0.1)
    with pytest.raises(ValueError, match="its environment has a function"):
        lo.rollout(lo.Locomotion(model, environment=[lambda t, q, v: {}]), batch=2, duration=0.1)


def test_a_step_that_is_too_long_says_so_and_spoils_no_other_run():
    problem = lo.Locomotion(lo.systems.load("quadruped").model)
    controls = np.full((3, 60, 12), 1e9)
    controls[1] = 0.0
    with pytest.warns(RuntimeWarning, match="2 of 3 rollouts of 'quadruped' left what numbers can hold"):
        runs = lo.rollout(problem, controls, step=0.1)
    assert runs.lost.tolist() == [True, False, True] and np.isfinite(runs.q[1]).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_gives_what_was_kept(threads, monkeypatch):
    """The drive of the rotor raises it in the middle of the run."""
    problem = lo.systems.load("snakeboard").problem()
    whole = lo.rollout(problem, batch=16, duration=0.02, keep=2)
    drive = type(problem.drives["rotor"])

    def interrupt(self, t, once=drive.__call__):
        if np.max(t) > 0.0105:
            raise KeyboardInterrupt
        return once(self, t)

    monkeypatch.setattr(drive, "__call__", interrupt)
    monkeypatch.setattr(step_loop, "LONGEST", 4)
    with pytest.warns(UserWarning, match="interrupted: 'snakeboard' has run for .* of 0.02 s"):
        part = lo.rollout(problem, batch=16, duration=0.02, keep=2, threads=threads)
    least = 5 if threads == 1 else 1  # one thread may be there before the other has started
    assert least <= len(part.t) < len(whole.t) and np.array_equal(part.q, whole.q[:, : len(part.t)])


def test_progress_is_shown_if_asked(monkeypatch):
    shown = []
    monkeypatch.setattr(step_loop, "LONGEST", 1)
    monkeypatch.setattr("locomote.runs.progress.Bar.show", lambda self, t, wall: shown.append((self._shown, t)))
    problem = lo.systems.load("snakeboard").problem()
    for progress in (True, False):
        lo.rollout(problem, batch=4, duration=0.02, progress=progress)
    assert [flag for flag, _ in shown] == [True] * 20 + [False] * 20
    assert np.allclose([t for _, t in shown[:20]], 1e-3 * np.arange(1, 21))


def large_rod(**more):
    """A driven hub, a joint with a motor, and a rod of 36 coordinates: more than one formula takes."""
    rod = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1000.0, 1e6), order=5, nodes=20)
    hub = {"joint": lo.Joint("hub", axis="y"), "inertia": lo.Inertia(1.0, moment=(0.1, 0.1, 0.1))}
    arm = {"joint": lo.Joint("motor", axis="z"), "inertia": lo.Inertia(0.5, moment=(0.01, 0.01, 0.01))}
    builder = lo.Builder("large").body("hub", **hub).body("arm", parent="hub", at=(0.1, 0, 0), **arm)
    return lo.Locomotion(builder.body("rod", parent="arm", flex=rod).build(), **more)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_rods_that_are_too_much_for_one_formula(method):
    problem = large_rod(drives={"hub": lo.Sine(0.3, 5.0, ramp=0.1)})
    plan = Controls.of(problem, ["motor"], True)
    assert step_loop.StepLoop(problem, plan, 5e-5, method).scan is None
    rng, steps, h = np.random.default_rng(0), 40, 5e-5
    controls, slot = rng.normal(size=(3, steps, 1)), problem.model.joint("motor").v.start
    got = lo.rollout(problem, controls, joints=["motor"], step=h, keep=20, method=method, threads=2)
    assert got.t.tolist() == [0.0, 20 * h, 40 * h] and not got.lost.any() and got.contact_law is None
    for n in range(3):
        by_hand = problem.stepper(step=h, method=method)
        for i in range(steps):
            tau = np.zeros(problem.model.nv)
            tau[slot] = controls[n, i, 0]
            by_hand.advance(tau)
            if i + 1 in (20, 40):
                place = (i + 1) // 20
                assert np.allclose(got.q[n, place], by_hand.q, rtol=0, atol=1e-12 * max(1, abs(by_hand.q).max()))
                assert np.allclose(got.v[n, place], by_hand.v, rtol=0, atol=1e-9 * abs(by_hand.v).max())
    assert abs(got.v[0, -1] - got.v[1, -1]).max() > 1e-4


def test_large_rods_that_are_lost_and_what_they_do_not_take():
    problem = large_rod(drives={"hub": 0.0})
    with pytest.warns(RuntimeWarning, match="2 of 2 rollouts of 'large' left what numbers can hold"):
        assert lo.rollout(problem, batch=2, duration=2.0, step=2e-2).lost.all()
    with pytest.raises(ValueError, match="accelerations, which rollouts of a model as large as 'large' do not take"):
        lo.rollout(problem, np.zeros((4, 1)), joints=["hub"], step=1e-4)


def test_what_compiled_steps_do_not_know_is_refused():
    builder = lo.Builder("ball with an arm", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1))
    arm = lo.Inertia(0.1, (0.1, 0, 0), (1e-3, 1e-3, 1e-3))
    model = builder.body("arm", parent="ball", joint=lo.Joint("hip", axis=(0, 1, 0)), inertia=arm).build()
    touch, foot = lo.Touch("ball", lo.Ground(), sphere=0.1), lo.PointContact("arm", point=(0.2, 0, 0), unilateral=True)
    start = {"q": [0, 0, 0.3, 0, 0, 0, 1, 0], "duration": 0.1, "step": 1e-3}
    with pytest.raises(ValueError, match="opens and closes at events"):
        lo.rollout(lo.Locomotion(model, contacts=[touch], constraints=[foot]), None, 3, **start)
    sampled = lo.Sampled(lambda t, q, v: np.zeros(7), every=0.01)
    with pytest.raises(ValueError, match="sampled controller"):
        lo.rollout(lo.Locomotion(model, contacts=[touch], torques=sampled), None, 3, **start)
    held = lo.Locomotion(model, contacts=[touch], torques=lo.PD({"hip": 0.3}, 1.0, 0.1, every=0.01))
    runs, run = lo.rollout(held, None, 3, **start), held.simulate(0.1, q=start["q"], step=1e-3, every=0.1, progress=False)
    assert np.allclose(runs.q[:, -1], run.q[-1], atol=1e-9) and not runs.lost.any()
