"""Problems and runs that are copied, sent to other processes, shared by threads and called from within themselves."""

import copy
import gc
import multiprocessing
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import locomote as lo
from locomote.methods import state as at
from locomote.methods.advance import advance
from locomote.methods.options import Options
from locomote.methods.stepping import PAUSED
from locomote.runs.checkpoints import trajectory
from locomote.runs.runner import Runner
from locomote.runs.running import Running
from locomote.runs.schedule import schedule_of


def no_torque(t, q, v):
    return np.zeros(len(v))


def slope(x, y):
    return [0.1 * x, 0.1, 0.0, 0.0, 0.0, 0.0]


def row(t, q, v):
    return np.eye(len(v))[:1] * (1.0 + 0.1 * q[0])


def wind(t, q, v):
    return {}


def sway(t):
    return 0.1 * np.sin(t)


def problems():
    """One of every way in which a problem holds functions or open targets."""
    pendulum, board = lo.systems.load("simple_pendulum"), lo.systems.load("snakeboard").problem()
    double = lo.Builder("double")
    double.body("a", joint=lo.Joint("j1", axis="y"), inertia=lo.Inertia(1.0, (0, 0, -1.0)))
    double.body("b", parent="a", at=(0, 0, -1.0), joint=lo.Joint("j2", axis="y"), inertia=lo.Inertia(1.0, (0, 0, -1.0)))
    double = double.build()
    tie = lo.Distance("b", point=(0, 0, -1.0), other_point=(0.5, 0, 1.0))
    return {
        "catalogue": board,
        "torques": lo.Locomotion(pendulum.model, torques=no_torque, start=([0.5], [0.0])),
        "drive": lo.Locomotion(double, drives={"j1": sway}),
        "environment": lo.Locomotion(double, environment=[wind]),
        "open length": lo.Locomotion(double, constraints=[tie], start=([0.3, 0.2], [0.0, 0.0])),
        "custom": lo.Locomotion(double, constraints=[lo.Custom(rows=row)], start=([0.3, 0.2], [0.0, 0.0])),
    }


def numbers(problem):
    run = problem.simulate(0.3, progress=False, every=0.1)
    q, v = problem.initial()
    e = problem.evaluate(0.1, q, v)
    return np.concatenate([run.q.ravel(), run.v.ravel(), e.a, e.tau, e.reactions])


@pytest.mark.parametrize("name", problems())
@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
@pytest.mark.parametrize(
    "how", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["copy", "deep", "pickle"]
)
def test_copies_stand_for_themselves(how, used, name):
    """What a copy calls is its own, also when the original is gone and others have taken its memory."""
    problem = problems()[name]
    expected = numbers(problems()[name])
    if used:
        numbers(problem)
    other = how(problem)
    del problem
    gc.collect()
    _strangers = [lo.Locomotion(lo.systems.load("simple_pendulum").model, torques=lambda t, q, v: [5.0]) for _ in range(20)]
    assert np.array_equal(numbers(other), expected)


def test_plans_stay_at_home():
    problem = lo.systems.load("snakeboard").problem()
    for how in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="holds addresses of this process"):
            how(problem.plan)


def test_a_used_problem_in_a_new_process(tmp_path):
    problem = lo.systems.load("simple_pendulum").problem()
    run = problem.simulate(0.5, progress=False)
    code = (
        "import pickle, sys; x = pickle.load(open(sys.argv[1], 'rb')); "
        "print(getattr(x, 'problem', x).simulate(0.5).q[-1, 0].hex())"
    )
    for thing in (problem, run):
        (tmp_path / "it").write_bytes(pickle.dumps(thing))
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "it")], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.strip() == run.q[-1, 0].hex(), done.stderr


def last(problem):
    return problem.simulate(0.2, progress=False, samples=[0.2]).q[-1]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    problem = lo.systems.load("simple_pendulum").problem()
    last(problem)
    many = [lo.Locomotion(problem.model, torques=no_torque, start=([0.01 * k], [0.0])) for k in range(20)]
    expected = [last(one) for one in many]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert np.array_equal(list(pool.map(last, many)), expected)


# threads


def in_threads(work, count=4):
    faults = []

    def guarded(k):
        try:
            work(k)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults


@pytest.mark.parametrize("name", problems())
def test_one_problem_in_many_threads(name):
    """Bit for bit as in one."""
    problem = problems()[name]
    model, (q0, _) = problem.model, problem.initial()
    rng = np.random.default_rng(0)
    states = [(model.integrate(q0, 0.1 * rng.normal(size=model.nv)), rng.normal(size=model.nv)) for _ in range(40)]

    def one(k):
        e = problem.evaluate(0.1, *states[k])
        rows = problem.rows(0.1, *states[k])
        start = problem.initial(*states[0])
        return np.concatenate([e.a, e.tau, e.reactions, *(x.ravel() for x in rows), *start])

    expected, wrong = [one(k) for k in range(40)], []
    motion = numbers(problem)

    def work(thread):
        for repeat in range(5):
            wrong.extend(k for k in range(40) if not np.array_equal(one(k), expected[k]))
            if repeat == 2 and not np.array_equal(numbers(problem), motion):
                wrong.append("run")

    in_threads(work)
    assert not wrong


def test_faults_stay_in_their_thread():
    def torques(t, q, v):
        if threading.current_thread().name == "bad":
            raise RuntimeError("mine")
        return np.zeros(1)

    problem = lo.Locomotion(lo.systems.load("simple_pendulum").model, torques=torques)
    problem.evaluate(0.0, [0.1], [0.0])
    seen = []

    def work(k):
        threading.current_thread().name = "bad" if k == 0 else "good"
        for _ in range(200):
            try:
                problem.evaluate(0.0, [0.1], [0.0])
                seen.append((k, None))
            except RuntimeError as error:
                seen.append((k, str(error)))

    in_threads(work)
    assert {entry for entry in seen if entry[0] == 0} == {(0, "mine")}
    assert {entry[1] for entry in seen if entry[0] != 0} == {None}


def test_a_function_may_evaluate_its_own_problem():
    """A controller that looks ahead."""
    system = lo.systems.load("snakeboard")
    plain = system.problem()
    q, v = plain.initial()
    calls = []

    def look_ahead(t, q_now, v_now):
        if not calls:
            calls.append(t)
            problem.evaluate(t, q + 0.2, v + 1.0)
            problem.initial(q + 0.01, v)
        return {}

    problem = lo.Locomotion(system.model, drives=plain.drives, constraints=plain.constraints, environment=[look_ahead])
    nested = problem.evaluate(0.1, q, v)
    expected = plain.evaluate(0.1, q, v)
    assert calls and np.array_equal(nested.a, expected.a) and np.array_equal(nested.tau, expected.tau)
    calls.clear()
    run = problem.simulate(0.1, progress=False, every=0.05)
    assert np.array_equal(run.q, plain.simulate(0.1, progress=False, every=0.05).q)


def test_a_start_sought_during_a_run_takes_nothing_from_it():
    problem = problems()["open length"]
    expected = problem.simulate(1.0, progress=False, every=0.1)

    def then(t, q, v):
        problem.initial(q, v, t)
        gc.collect()
        return v

    run = problem.simulate(1.0, progress=False, every=0.1, events=[lo.When(lambda t, q, v: t - 0.5, then=then)])
    assert run.q[-1] == pytest.approx(expected.q[-1], abs=1e-6)
    assert np.array_equal(problem.rows(0.0, [0.3, 0.2])[3], [0.0])


def last_state(problem):
    """The end of a run of a problem that came from elsewhere."""
    run = problem.simulate(0.3, samples=[0.0, 0.3], progress=False)
    return run.q[-1].tobytes() + run.v[-1].tobytes()


def test_two_processes_with_200_pickled_problems_give_the_same_bits():
    systems = [("snakeboard", "amplitude", 0.2 + 0.004 * k) for k in range(100)]
    systems += [("simple_pendulum", "length", 0.5 + 0.01 * k) for k in range(100)]
    problems = [lo.systems.load(name, **{key: value}).problem() for name, key, value in systems]
    own = [last_state(problem) for problem in problems]  # used before they travel, too
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = list(pool.map(last_state, problems, chunksize=10))
    assert there == own and len(set(own)) == 200


def test_what_was_computed_so_far_stays_when_the_run_goes_on():
    problem = lo.systems.load("simple_pendulum").problem()
    schedule, options = schedule_of(0.0, 2.0, None, np.linspace(0.0, 2.0, 21)), Options("rk4", step=1e-2)
    runner = Running(problem, schedule, options, (), problem.initial(), 0.0)
    runner.method.fill_calls(runner.plan, runner.work, runner.state, problem.terms)
    runner.state.choices[at.BUDGET] = 30
    assert advance(runner.plan, runner.work, runner.state.common, runner.samples) == PAUSED
    early = trajectory(runner)
    kept = {name: np.array(values) for name, values in early.tracked.items()}
    Runner(runner).go()
    assert any((kept[name] != values).any() for name, values in trajectory(runner).tracked.items())
    for name, values in early.tracked.items():
        assert (kept[name] == values).all(), name
