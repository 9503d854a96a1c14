"""Many copies of a task as a `gymnasium.vector.VectorEnv`."""

from typing import Any

import numpy as np

from locomote.learning.task import Task, TaskError
from locomote.runs.optional import package

gymnasium = package("gymnasium", "learning", "'locomote[learn]'")
package("gymnasium.vector", "learning", "'locomote[learn]'")
NEXT_STEP, SAME_STEP, DISABLED = gymnasium.vector.AutoresetMode


class VectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[name-defined,misc]
    """Copies of a task, side by side in compiled code.

    task : a Task, or the name of a ready one (lo.learning.tasks) ; copies : how many ; threads : that share them
    seed : of numbers that copies have of their own (parameters of a Task)
    autoreset : when copies that ended begin anew: "next_step" (gymnasium's default: the next action is not used), "same_step"
        (at once; the last observation is in info["final_obs"]), "disabled" (reset(options={"reset_mask": ...}) does it)
    options of a ready task go on to it

    Observations are float32 (copies, size), actions float32 (copies, joints) from -1 to 1. A copy whose numbers leave what
    float64 holds is ended, and begins anew.
    """

    metadata = {"render_modes": []}

    def __init__(
        self, task: Task | str, copies: int, *, threads: int = 1, autoreset: str = "next_step", seed: int = 0, **options
    ):
        from locomote.learning.ready import task_of

        if isinstance(task, Task) and options:
            raise TaskError(f"{', '.join(options)}: options are for ready tasks by name; a Task of your own has its fields")
        self.task = task if isinstance(task, Task) else task_of(task, **options)
        if isinstance(copies, bool) or not isinstance(copies, int | np.integer) or copies < 1:
            raise TaskError(f"copies is {copies!r:.40}, expected an integer from 1")
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise TaskError(f"seed is {seed!r:.40}, expected an integer from 0")
        modes = {"next_step": NEXT_STEP, "same_step": SAME_STEP, "disabled": DISABLED}
        if autoreset not in modes:
            raise TaskError(f"autoreset is {autoreset!r:.40}, expected one of {', '.join(map(repr, modes))}")
        self.autoreset = modes[autoreset]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset}
        self.num_envs = int(copies)
        self.copies = self.task.copies(self.num_envs, threads, seed)
        self.base = self.task.problem.model.joint(self.task.problem.model.joint_names[0])
        size = self._seen(np.random.default_rng(0)).shape[1]
        box, batch = gymnasium.spaces.Box, gymnasium.vector.utils.batch_space
        self.single_observation_space = box(-np.inf, np.inf, (size,), np.float32)
        self.single_action_space = box(-1.0, 1.0, (self.task.size,), np.float32)
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self.action_space = batch(self.single_action_space, self.num_envs)
        self._ended = np.zeros(self.num_envs, bool)  # copies that begin anew at the next step
        self._late = np.zeros((self.task.delay, self.num_envs, self.task.size))

    def __repr__(self):
        return f"<VectorEnv of {self.num_envs} copies of task {self.task.name!r}>"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """All copies at a start, or those of options["reset_mask"] (copies,)."""
        super().reset(seed=seed)
        mask = None if options is None else options.get("reset_mask")
        which = np.arange(self.num_envs) if mask is None else np.flatnonzero(np.asarray(mask, bool))
        self._begin(which)
        return self._seen(self.np_random), {}

    def step(self, actions):
        """One tick of all copies: observations, rewards, ended, cut off, info."""
        task, copies = self.task, self.copies
        actions = np.asarray(actions, float)
        if actions.shape != self.action_space.shape or not np.isfinite(actions).all():
            raise TaskError(f"actions have shape {actions.shape}, expected {self.action_space.shape}, all of them finite")
        anew = self._ended.copy() if self.autoreset == NEXT_STEP else np.zeros(self.num_envs, bool)
        self._push()
        copies.advance(task.told(copies, self._delayed(actions)))
        if anew.any():  # whatever their action did
            self._begin(np.flatnonzero(anew))
        lost = self._lost()
        rewards = np.array(task.checked("reward", task.reward(copies, actions), (self.num_envs,)), float)
        ended = np.array(task.checked("ended", task.ended(copies), (self.num_envs,)), bool) | lost
        cut = (copies.t >= task.duration - 0.5 * task.tick) & ~ended
        rewards[anew | lost], ended[anew], cut[anew] = 0.0, False, False
        seen, info = self._seen(self.np_random), {}
        done = ended | cut
        if self.autoreset == SAME_STEP and done.any():
            info = {"final_obs": seen.copy(), "_final_obs": done.copy()}
            self._begin(np.flatnonzero(done))
            seen[done] = self._seen(self.np_random)[done]
        self._ended = done
        return seen, rewards, ended, cut, info

    def _lost(self) -> np.ndarray:
        """(copies,) those whose numbers left what float64 holds; they are at new starts."""
        q, v = self.copies.q, self.copies.v
        if np.isfinite(q.sum() + v.sum()):
            return np.zeros(self.num_envs, bool)
        lost = ~np.isfinite(np.concatenate([q, v], axis=1)).all(axis=1)
        self._begin(np.flatnonzero(lost))
        return np.asarray(lost)

    def _begin(self, which: np.ndarray) -> None:
        """Copies at new starts."""
        self.copies.put(which, *self.task.starts(self.np_random, len(which)))
        self._late[:, which] = 0.0
        self._ended[which] = False

    def _seen(self, random: np.random.Generator) -> np.ndarray:
        """(copies, size) float32, with noise."""
        values = np.asarray(self.task.observe(self.copies), float)
        if values.ndim != 2 or len(values) != self.num_envs:
            raise TaskError(
                f"observe of task {self.task.name!r} gave an array of shape {values.shape}, expected ({self.num_envs}, size)"
            )
        if self.task.noise:
            values = values + self.task.noise * random.standard_normal(values.shape)
        return values.astype(np.float32)

    def _delayed(self, actions: np.ndarray) -> np.ndarray:
        """Actions as they arrive."""
        if not self.task.delay:
            return actions
        arrived = self._late[0].copy()
        self._late = np.concatenate([self._late[1:], actions[None]])
        return arrived

    def _push(self) -> None:
        """Some bases are pushed sideways."""
        if self.task.push is None:
            return
        size, time = self.task.push
        hit = np.flatnonzero(self.np_random.random(self.num_envs) < self.task.tick / time)
        if len(hit):
            angle = self.np_random.uniform(0, 2 * np.pi, len(hit))
            self.copies.v[hit, self.base.v.start] += size * np.cos(angle)
            self.copies.v[hit, self.base.v.start + 1] += size * np.sin(angle)
