"""Many copies of a task as a `gymnasium.vector.VectorEnv`."""

from typing import Any

import numpy as np

from locomote.learning.formulas import Formulas
from locomote.learning.task import Task, TaskError
from locomote.runs.optional import package
from locomote.spatial.numbers import all_finite

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
        self._is_noisy = bool(np.any(self.task.noise))
        self.formulas = Formulas(self.task, self.copies) if self.task.compiled else None
        seen = self.task.observed(self.copies) if self.formulas is None else self.formulas.observed
        size = seen.shape[1]
        if np.ndim(self.task.noise) and np.shape(self.task.noise) != (size,):
            raise TaskError(f"noise of task {self.task.name!r} has shape {np.shape(self.task.noise)}, expected ({size},)")
        box, batch = gymnasium.spaces.Box, gymnasium.vector.utils.batch_space
        self.single_observation_space = box(-np.inf, np.inf, (size,), np.float32)
        self.single_action_space = box(-1.0, 1.0, (self.task.size,), np.float32)
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self.action_space = batch(self.single_action_space, self.num_envs)
        self._ended = np.zeros(self.num_envs, bool)  # copies that begin anew at the next step
        self._some_ended, self._none = False, np.zeros(self.num_envs, bool)
        self._late = np.zeros((self.task.longest + 1, self.num_envs, self.task.size))  # the last actions, the newest first
        self._lag = np.zeros(self.num_envs, int)  # by how many ticks those of each copy come late
        self._shape = self.action_space.shape

    def __repr__(self):
        return f"<VectorEnv of {self.num_envs} copies of task {self.task.name!r}>"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """All copies at a start, or those of options["reset_mask"] (copies,)."""
        super().reset(seed=seed)
        mask = None if options is None else options.get("reset_mask")
        which = np.arange(self.num_envs) if mask is None else np.flatnonzero(np.asarray(mask, bool))
        self._begin(which)
        return self._observed(), {}

    def step(self, actions):
        """One tick of all copies: observations, rewards, ended, cut off, info."""
        actions = self._checked(actions)
        anew = self._ended.copy() if self._some_ended and self.autoreset == NEXT_STEP else None
        if self.task.push is not None:
            self._push()
        self.copies.advance(self._told(actions))
        if anew is not None:  # whatever their action did
            self._begin(np.flatnonzero(anew))
        if self.formulas is None:
            seen, rewards, ended, cut = self._by_functions(actions)
        else:
            self.formulas.look()
            if anew is None and not self.formulas.alarm.any():  # as most often, nothing happened
                self._some_ended, no = False, self._none
                return self._noisy(self.formulas.observed), self.formulas.rewards.copy(), no.copy(), no.copy(), {}
            seen, rewards, ended, cut = self._by_formulas(self.formulas)
        if anew is not None:
            rewards[anew], ended[anew], cut[anew] = 0.0, False, False
        info, done = {}, ended | cut
        self._some_ended = bool(done.any())
        if self._some_ended and self.autoreset == SAME_STEP:
            info = {"final_obs": seen.copy(), "_final_obs": done.copy()}
            self._begin(np.flatnonzero(done))
            seen[done] = self._observed()[done]
        self._ended = done
        return seen, rewards, ended, cut, info

    def _checked(self, actions) -> np.ndarray:
        """(copies, size) finite actions."""
        given = np.asarray(actions)
        if given.shape != self._shape:
            raise TaskError(f"actions have shape {given.shape}, expected {self._shape}, all of them finite")
        found = given.astype(float) if self.formulas is None else self.formulas.actions
        np.copyto(found, given)
        if not all_finite(found):
            raise TaskError(f"actions of shape {self._shape} have a value that is not finite; all must be")
        return found

    def _told(self, actions: np.ndarray) -> np.ndarray:
        """Controls of copies, for actions as they arrive."""
        arrived = self._delayed(actions)
        if self.formulas is None:
            return self.task.told(self.copies, arrived)
        if arrived is not self.formulas.arrived:
            self.formulas.arrived[:] = arrived
        return self.formulas.told()

    def _by_formulas(self, formulas: Formulas) -> tuple[np.ndarray, ...]:
        """What is seen, rewards, ended, cut off."""
        lost = self._lost()
        if lost.any():
            formulas.look()
        rewards, ended, cut = formulas.rewards.copy(), (formulas.ended > 0.5) | lost, (formulas.cut > 0.5) & ~lost
        rewards[lost] = 0.0
        return self._noisy(formulas.observed), rewards, ended, cut

    def _by_functions(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """The same."""
        task, copies = self.task, self.copies
        lost = self._lost()
        rewards = np.array(task.checked("reward", task.reward(copies, actions), (self.num_envs,)), float)
        ended = np.array(task.checked("ended", task.ended(copies), (self.num_envs,)), bool) | lost
        cut = (copies.t >= task.duration - 0.5 * task.tick) & ~ended
        rewards[lost] = 0.0
        return self._observed(), rewards, ended, cut

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
        self._ended[which] = False
        if self.task.longest:
            least, most = self.task.delays
            self._late[:, which], self._lag[which] = 0.0, self.np_random.integers(least, most + 1, len(which))

    def _observed(self) -> np.ndarray:
        """(copies, size) float32, with noise."""
        if self.formulas is not None:
            self.formulas.look()
            return self._noisy(self.formulas.observed)
        return self._noisy(self.task.observed(self.copies))

    def _noisy(self, values: np.ndarray) -> np.ndarray:
        """(copies, size) float32, a new array."""
        if self._is_noisy:
            values = values + np.asarray(self.task.noise) * self.np_random.standard_normal(values.shape)
        return values.astype(np.float32)

    def _delayed(self, actions: np.ndarray) -> np.ndarray:
        """Actions as they arrive."""
        if not self.task.longest:
            return actions
        self._late[1:] = self._late[:-1].copy()
        self._late[0] = actions
        return self._late[self._lag, np.arange(self.num_envs)]

    def _push(self) -> None:
        """Some bases are pushed sideways."""
        assert self.task.push is not None
        size, time = self.task.push
        hit = np.flatnonzero(self.np_random.random(self.num_envs) < self.task.tick / time)
        if len(hit):
            angle = self.np_random.uniform(0, 2 * np.pi, len(hit))
            self.copies.v[hit, self.base.v.start] += size * np.cos(angle)
            self.copies.v[hit, self.base.v.start + 1] += size * np.sin(angle)
