"""One copy of a task as a `gymnasium.Env`; the ready ones are registered as `locomote/Name-v0`."""

from typing import Any

from locomote.learning.task import Task
from locomote.learning.vector_env import VectorEnv, gymnasium


class Env(gymnasium.Env):  # type: ignore[name-defined,misc]
    """One copy of a task; as VectorEnv, without the first axis."""

    metadata = {"render_modes": []}

    def __init__(self, task: Task | str, render_mode: str | None = None, **options):
        self.many = VectorEnv(task, 1, autoreset="disabled", **options)
        self.observation_space, self.action_space = self.many.single_observation_space, self.many.single_action_space
        self.render_mode = render_mode

    def __repr__(self):
        return f"<Env of task {self.task.name!r}>"

    @property
    def task(self) -> Task:
        """What is to be learned."""
        return self.many.task

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """At a start: observation, info."""
        super().reset(seed=seed)
        seen, info = self.many.reset(seed=seed)
        return seen[0], info

    def step(self, action):
        """One tick: observation, reward, ended, cut off, info."""
        seen, rewards, ended, cut, info = self.many.step(action[None])
        return seen[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), info


def register() -> None:
    """Register the ready tasks with gymnasium: `gymnasium.make("locomote/CartPole-v0")`."""
    from locomote.learning.ready import TASKS

    for word in TASKS:
        name = f"locomote/{''.join(part.capitalize() for part in word.split('_'))}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="locomote.learning.env:Env",
                vector_entry_point="locomote.learning.env:made",
                kwargs={"task": word},
            )


def made(num_envs: int, task: str, **options) -> VectorEnv:
    """As `gymnasium.make_vec` asks for it."""
    return VectorEnv(task, num_envs, **options)
