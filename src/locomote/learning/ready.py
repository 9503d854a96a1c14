"""Ready tasks by name, one file each in `learning.tasks`: a function `task(**options)`."""

import importlib

from locomote.errors import UnknownName
from locomote.learning.task import Task

TASKS = {
    "cart_pole": "keep a pole upright on a cart by pushing the cart",
    "snakeboard": "drive a snakeboard forward by its rotor and its axles",
    "eel": "swim forward by bending",
    "soft_snake": "creep forward by bending a body without links",
    "hopper": "hop forward on one leg",
    "humanoid": "stay standing, pushed now and then",
    "quadruped": "walk forward on four legs over hard ground",
}


def task_of(name: str, **options) -> Task:
    """A ready task of the library, by its name."""
    if name not in TASKS:
        raise UnknownName("task", name, TASKS, "lo.learning")
    return importlib.import_module(f"locomote.learning.tasks.{name}").task(**options)
