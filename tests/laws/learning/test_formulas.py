"""Functions of a task as compiled formulas: the same numbers as the functions, or a sentence; and gymnasium's wrappers."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import locomote as lo
from locomote.learning.ready import TASKS


def rich(copies):
    """All that formulas know."""
    q, v = copies.q, copies.v
    return np.stack(
        [
            np.where(q[:, 0] > 0, np.clip(v[:, 0], -0.5, 0.5), np.maximum(q[:, 1], 0.1)), np.tanh(q[:, 1]) - np.abs(v[:, 1]),
            np.arctan2(q[:, 1], 1 + v[:, 0] ** 2), np.linalg.norm(v, axis=1), np.sign(q[:, 0]) * np.floor(3 * v[:, 1]),
            np.hypot(q[:, 0], 0.2), ((q > 0) & (v < 0)).any(axis=1), (np.abs(q) < 1).all(axis=1), q.max(axis=1),
            np.einsum("ij,ij->i", q, v), np.sqrt(1 + q[:, 0] ** 2), np.exp(q[:, 0]) * np.sin(copies.t), ~(q[:, 0] > v[:, 0]),
        ],
        axis=1,
    )  # fmt: skip


def test_formulas_are_the_functions():
    task = replace(lo.learning.task_of("cart_pole"), observe=rich)
    for count in (1, 5, 19):
        env, other = (lo.learning.VectorEnv(replace(task, compiled=flag), count) for flag in (True, False))
        assert env.formulas is not None and other.formulas is None
        first, second = env.reset(seed=3)[0], other.reset(seed=3)[0]
        random = np.random.default_rng(count)
        for _ in range(40):
            assert np.allclose(first, second, rtol=1e-6, atol=1e-6)
            actions = random.uniform(-1.5, 1.5, (count, 1))
            (first, *ours, _), (second, *theirs, _) = env.step(actions), other.step(actions)
            assert all(np.allclose(a, b, atol=1e-9) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("name", TASKS)
def test_ready_tasks_are_formulas(name):
    env = lo.learning.VectorEnv(name, 3)
    env.reset(seed=0)
    env.step(np.full(env.action_space.shape, 0.3))
    task, copies = env.task, env.copies
    assert env.formulas is not None
    assert np.allclose(env.formulas.observed, task.observe(copies), atol=1e-12)
    assert np.allclose(env.formulas.rewards, task.reward(copies, env.formulas.actions), atol=1e-12)


def test_a_copy_that_is_lost_is_ended():
    env = lo.learning.VectorEnv("cart_pole", 3)
    env.reset(seed=0)
    env.copies.v[1] = np.nan
    seen, rewards, ended, cut, _ = env.step(np.zeros((3, 1)))
    assert ended.tolist() == [False, True, False] and np.isfinite(seen).all() and rewards[1] == 0.0 and not cut.any()


def test_what_is_no_formula_is_said():
    task, calls = lo.learning.task_of("cart_pole"), []

    def remembers(copies):
        calls.append(1)
        return copies.q * len(calls)

    with pytest.raises(lo.learning.TaskError, match="it may draw numbers, or remember some; give the task compiled=False"):
        lo.learning.VectorEnv(replace(task, observe=remembers), 2)

    def decides(copies):
        return copies.q if copies.q[0, 0] > 0 else copies.v

    with pytest.raises(lo.learning.TaskError, match="cannot be written down as a formula"):
        lo.learning.VectorEnv(replace(task, observe=decides), 2)
    assert lo.learning.VectorEnv(replace(task, observe=decides, compiled=False), 2).single_observation_space.shape == (2,)


def test_delays_of_copies():
    """Each copy gets its actions later by its own number of ticks: as copies that are told so by hand."""
    task = replace(lo.learning.task_of("cart_pole"), delay=(0, 3))
    env, random = lo.learning.VectorEnv(task, 24), np.random.default_rng(0)
    env.reset(seed=5)
    lag, given = env._lag.copy(), random.uniform(-1, 1, (6, 24, 1))
    assert set(lag) == {0, 1, 2, 3}
    by_hand = replace(task, delay=0).copies(24)
    by_hand.put(np.arange(24), env.copies.q, env.copies.v)
    for n, actions in enumerate(given):
        env.step(actions)
        late = np.array([given[n - k, c] if n >= k else [0.0] for c, k in enumerate(lag)])
        by_hand.advance(task.controls(late))
    assert np.abs(env.copies.q - by_hand.q).max() < 1e-12
    with pytest.raises(lo.learning.TaskError, match="expected ticks from 0"):
        replace(task, delay=(3, 1))
    with pytest.raises(lo.learning.TaskError, match=r"noise of task 'cart_pole' has shape \(3,\), expected \(4,\)"):
        lo.learning.VectorEnv(replace(task, noise=[0.1, 0.1, 0.1]), 2)


def test_wrappers_as_programs_for_learning_stack_them():
    """A loop in the shape of single-file programs: environments by name, wrapped, in gymnasium's own vector of them."""
    lo.learning.register()
    wrap = gymnasium.wrappers

    def one():
        env = wrap.ClipAction(wrap.RecordEpisodeStatistics(wrap.FlattenObservation(gymnasium.make("locomote/CartPole-v0"))))
        env = wrap.TransformObservation(wrap.NormalizeObservation(env), lambda x: np.clip(x, -10, 10), env.observation_space)
        return wrap.TransformReward(wrap.NormalizeReward(env, gamma=0.99), lambda x: np.clip(x, -10, 10))

    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    envs = gymnasium.vector.SyncVectorEnv([one] * 3, autoreset_mode=mode)
    seen, _ = envs.reset(seed=1)
    ends = 0
    for _ in range(200):
        seen, rewards, ended, cut, info = envs.step(np.full((3, 1), 3.0, np.float32))
        assert np.isfinite(seen).all() and np.isfinite(rewards).all()
        if "final_info" in info:
            done = np.flatnonzero(info["final_info"]["_episode"])
            assert np.array_equal(done, np.flatnonzero(ended | cut)) and (info["final_info"]["episode"]["l"][done] > 5).all()
            ends += len(done)
    assert ends > 6
