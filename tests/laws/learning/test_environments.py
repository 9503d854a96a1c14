"""Copies that go on from tick to tick are rollouts, and environments are what gymnasium asks for."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import locomote as lo
from locomote.compiled.copies import Copies
from locomote.learning.ready import TASKS

NAMES = list(TASKS)


@pytest.mark.parametrize("name", NAMES)
def test_ticks_are_a_rollout(name):
    """Three ticks of held controls against one rollout of all steps: the same digits."""
    task, random = lo.learning.task_of(name), np.random.default_rng(3)
    q, v = task.starts(random, 5)
    actions = random.uniform(-0.5, 0.5, (3, 5, task.size))
    copies = task.copies(5)
    copies.put(np.arange(5), q, v)
    for given in actions:
        copies.advance(task.controls(given))
    held = np.repeat(task.controls(actions).transpose(1, 0, 2), task.substeps, axis=1)
    runs = lo.rollout(task.acted(), held, q=q, v=v, step=task.step, joints=list(task.joints), progress=False, start="project")
    assert np.abs(copies.q - runs.q[:, -1]).max() < 1e-12 and np.abs(copies.v - runs.v[:, -1]).max() < 1e-10
    assert np.allclose(copies.t, 3 * task.tick)


def test_a_target_is_pd_control_at_every_step():
    """Springs and a constant push against torques of the law kp (target - q) - kd v in a run of its own."""
    task = lo.learning.task_of("quadruped")
    model, rest = task.problem.model, task.rest()
    copies = task.copies(1)
    action = np.linspace(-0.5, 0.5, 12)
    copies.advance(task.controls(action[None]))
    slots = np.array([model.joint(name).v.start for name in task.joints])
    places = np.array([model.joint(name).q.start for name in task.joints])

    def law(t, q, v):
        tau = np.zeros(model.nv)
        tau[slots] = task.stiffness * (rest + task.scale * action - q[places]) - task.damping * v[slots]
        return tau

    fine = task.problem.replaced(torques=lo.Sampled(law, 1e-4)).simulate(task.tick, step=1e-4, samples=[0.0, task.tick])
    errors = []
    for h, n in ((4e-3, 5), (1e-3, 20)):  # both go to the same motion as steps shrink
        one = Copies(task.acted(), 1, step=h, substeps=n, joints=list(task.joints))
        one.advance(task.controls(action[None]))
        errors.append(np.abs(one.v[0, slots] - fine.v[-1, slots]).max())
    assert errors[1] < 0.05 * np.abs(fine.v[-1, slots]).max() and errors[1] < errors[0]


@pytest.mark.parametrize(
    ("name", "ranges"),
    [("quadruped", {"trunk.mass": (6.0, 10.0), "ground.friction": (0.3, 1.0)}), ("snakeboard", {"rotor.mass": (1.0, 2.0)})],
)
def test_copies_with_numbers_of_their_own(name, ranges):
    """Every copy against copies of the problem with its numbers alone."""
    task = replace(lo.learning.task_of(name), parameters=ranges, alike=3)
    drawn, random = task.drawn(6, 1), np.random.default_rng(3)
    q, v = task.starts(random, 6)
    actions = random.uniform(-0.5, 0.5, (3, 6, task.size))
    many = task.copies(6, seed=1)
    many.put(np.arange(6), q, v)
    for given in actions:
        many.advance(task.controls(given))
    for rows in (slice(0, 3), slice(3, 6)):
        numbers = {name: float(values[rows][0]) for name, values in drawn.items()}
        own = replace(task, parameters={}, problem=task.problem.with_parameters(numbers))
        some = own.copies(3)
        some.put(np.arange(3), q[rows], v[rows])
        for given in actions:
            some.advance(own.controls(given[rows]))
        assert np.abs(many.q[rows] - some.q).max() < 1e-11
        assert np.allclose(many.contact_forces[rows], some.contact_forces, atol=1e-6)
    assert len({float(x) for x in drawn[next(iter(ranges))]}) == 2
    env = lo.learning.VectorEnv(task, 6, seed=2)
    env.reset(seed=0)
    assert np.isfinite(env.step(actions[0])[0]).all()


def test_heights_around_a_base():
    """On stairs that go up along y, ahead of a robot that looks along y."""
    task = lo.learning.task_of("quadruped")
    stairs = lo.Ground(lo.Steps(0.3, 0.1, count=4, point=(0.0, 1.0, 0.2), heading=np.pi / 2))
    level = lo.Ground(lo.Plane((0, 0, 0.25)))
    touches = [lo.Touch("trunk", ground, sphere=0.1, name=name) for ground, name in ((stairs, "a"), (level, "b"))]
    heights = lo.learning.Heights(task.problem.replaced(contacts=touches), [(0.0, 0.0), (1.05, 0.0), (1.35, 0.2), (9.0, 0.0)])
    copies = task.copies(2)
    copies.q[1, :3] = 5.0, 0.0, 1.0
    copies.q[1, 3:7] = 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)
    found = heights(copies) + copies.q[:, 2:3]
    assert np.allclose(found[1], [0.25, 0.3, 0.4, 0.6]) and np.allclose(found[0], 0.25)
    wavy = lo.Ground(lo.HeightField(lambda x, y: (np.cos(x) * (1 + y), 0, 0, 0, 0, 0)))
    waves = lo.learning.Heights(task.problem.replaced(contacts=[lo.Touch("trunk", wavy, sphere=0.1)]), [(0.0, 2.0)])
    assert np.allclose(waves(copies)[:, 0] + copies.q[:, 2], [3.0, np.cos(3.0)])  # two to the left of each
    with pytest.raises(ValueError, match="no ground"):
        lo.learning.Heights(task.problem.replaced(contacts=[]), [(0.0, 0.0)])
    with pytest.raises(ValueError, match="no free base"):
        lo.learning.Heights(lo.learning.task_of("cart_pole").problem, [(0.0, 0.0)])


def test_rates_are_reached_at_the_end_of_a_tick():
    task = replace(lo.learning.task_of("snakeboard"), action="rate", scale=1.5)
    env, random = lo.learning.VectorEnv(task, 4), np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(3):
        actions = random.uniform(-1, 1, env.action_space.shape)
        env.step(actions)
        assert np.allclose(env.copies.v[:, task.slots], 1.5 * actions, atol=1e-12)


def test_some_copies_begin_anew_and_the_others_go_on():
    task = lo.learning.task_of("quadruped")
    both, alone = task.copies(4), task.copies(4)
    push = task.controls(np.full((4, 12), 0.2))
    for copies in (both, alone):
        copies.advance(push)
    q, v = task.starts(np.random.default_rng(1), 2)
    both.put(np.array([1, 3]), q, v)
    assert list(both.t) == [task.tick, 0.0, task.tick, 0.0] and not both.contact_forces[[1, 3]].any()
    for copies in (both, alone):
        copies.advance(push)
    assert np.array_equal(both.q[[0, 2]], alone.q[[0, 2]]) and not np.array_equal(both.q[1], alone.q[1])


def test_feet_carry_the_weight():
    task = lo.learning.task_of("quadruped")
    copies = task.copies(3)
    for _ in range(100):
        copies.advance(np.zeros((3, 12)))
    forces, mass = copies.contact_forces, task.problem.model.mass
    assert np.allclose(forces.sum(axis=1)[:, 2], 9.81 * mass, rtol=2e-3) and (forces[:, :, 2] > 0).all()
    assert not copies.missed[:, 0].any()


@pytest.mark.parametrize("file", ["go2", "anymal", "solo"])
def test_robots_of_files_stand_and_step_in_place(file):
    """Their feet carry them; with a clock, two of four feet are lifted in turn."""
    env = lo.learning.VectorEnv("quadruped", 3, file=file)
    env.reset(seed=0)
    for _ in range(60):
        _, _, ended, _, _ = env.step(np.zeros(env.action_space.shape))
        assert not ended.any()
    forces = env.copies.contact_forces.sum(axis=1)[:, 2]
    assert np.allclose(forces, 9.81 * env.task.problem.model.mass, rtol=0.05) and env.single_action_space.shape == (12,)
    task = lo.learning.task_of("quadruped", file=file, period=0.4)
    copies = task.copies(1)
    copies.t[:] = 0.1
    lifted = task.gait(copies)[0].reshape(4, 3)
    assert np.array_equal(lifted.any(axis=1), [True, False, False, True]) or np.array_equal(
        lifted.any(axis=1), [False, True, True, False]
    )
    assert (lifted * task.rest().reshape(4, 3) >= 0).all()  # bent more


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_gymnasium_finds_no_fault(name):
    lo.learning.register()
    word = "".join(part.capitalize() for part in name.split("_"))
    env = gymnasium.make(f"locomote.learning.registered:locomote/{word}-v0")
    check_env(env.unwrapped, skip_render_check=True)
    many = gymnasium.make_vec(f"locomote/{word}-v0", num_envs=3, vectorization_mode="vector_entry_point")
    seen, _ = many.reset(seed=2)
    assert seen.shape == many.observation_space.shape and many.observation_space.contains(seen)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_copies_that_end_begin_anew(mode):
    """A cart-pole without pushes falls: as each mode says what comes next."""
    env = lo.learning.VectorEnv("cart_pole", 6, autoreset=mode, duration=0.6)
    seen, _ = env.reset(seed=4)
    assert np.abs(seen).max() < 0.06
    still = np.zeros((6, 1))
    for tick in range(1, 31):  # 0.6 s: nobody has fallen before the end
        seen, rewards, ended, cut, info = env.step(still)
        assert cut.all() == (tick == 30) and not ended.any()
    if mode == "same_step":
        assert np.abs(seen).max() < 0.06 and info["_final_obs"].all() and np.abs(info["final_obs"]).max() > 0.05
        assert np.allclose(env.copies.t, 0.0)
    else:
        assert np.abs(seen).max() > 0.05
    if mode == "next_step":
        seen, rewards, ended, cut, _ = env.step(still)
        assert np.abs(seen).max() < 0.06 and not rewards.any() and not cut.any() and np.allclose(env.copies.t, 0.0)
    if mode == "disabled":
        before = env.copies.q.copy()
        seen, _ = env.reset(options={"reset_mask": np.array([True, False] * 3)})
        assert np.abs(seen[::2]).max() < 0.06 and np.array_equal(env.copies.q[1::2], before[1::2])


def test_seeds_noise_delay_and_pushes():
    def course(**changes):
        from dataclasses import replace

        task = replace(lo.learning.task_of("quadruped"), **changes)
        env = lo.learning.VectorEnv(task, 4)
        seen, _ = env.reset(seed=7)
        random, found = np.random.default_rng(0), [seen]
        for _ in range(6):
            found.append(env.step(random.uniform(-0.3, 0.3, (4, 12)))[0])
        return np.array(found)

    plain = course()
    assert np.array_equal(plain, course())
    noisy = course(noise=0.01)
    assert 0.005 < np.std(noisy - plain) and np.abs(noisy[0] - plain[0]).max() < 0.06
    late = course(delay=1)
    assert np.array_equal(late[0], plain[0]) and not np.array_equal(late[2], plain[2])
    pushed = course(push=(0.5, 0.02))
    assert np.abs(pushed[1, :, 6:8] - plain[1, :, 6:8]).max() > 0.1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lo.learning.VectorEnv("quadrupd", 4), "did you mean 'quadruped'"),
        (lambda: lo.learning.VectorEnv("cart_pole", 0), "expected an integer from 1"),
        (lambda: lo.learning.VectorEnv("cart_pole", 2, autoreset="never"), "expected one of"),
        (lambda: lo.learning.VectorEnv("cart_pole", 2).step(np.zeros((3, 1))), "expected (2, 1)"),
        (lambda: lo.learning.VectorEnv("cart_pole", 2).step(np.full((2, 1), np.nan)), "not finite; all must be"),
        (lambda: bad(observe=lambda copies: np.zeros(3)), "expected (2, size)"),
        (lambda: bad(reward=lambda copies, actions: 1.0).step(np.zeros((2, 1))), "reward of task"),
        (lambda: bad(begin=lambda random, count: (np.zeros(2), np.zeros(2))).reset(), "begin of task"),
        (lambda: bad(action="target"), "no stiffness"),
        (lambda: bad(action="push"), "expected one of"),
        (lambda: bad(action="rate"), "joints without a drive"),
        (lambda: bad(substeps=0), "expected an integer from 1"),
        (lambda: bad(push=(0.5, 5.0)), "no base that can go sideways"),
        (lambda: lo.learning.VectorEnv(lo.learning.task_of("cart_pole"), 2, force=5.0), "options are for ready tasks"),
    ],
)
def test_wrong_calls(call, words):
    with pytest.raises((lo.LocomoteError, ValueError)) as error:
        call()
    assert words in str(error.value)


def bad(**changes):
    from dataclasses import replace

    return lo.learning.VectorEnv(replace(lo.learning.task_of("cart_pole"), **changes), 2)


def test_numbers_that_leave_float64_end_their_copy():
    env = lo.learning.VectorEnv("cart_pole", 3)
    env.reset(seed=0)
    env.copies.v[1] = 1e300
    seen, rewards, ended, _, _ = env.step(np.zeros((3, 1)))
    assert list(ended) == [False, True, False] and np.isfinite(seen).all() and rewards[1] == 0.0
