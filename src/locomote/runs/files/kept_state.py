"""What a run keeps to go on from: all that its next step starts from, and nothing that follows from it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.methods.events.ignored import put, standing_of


def saved_state(run: Any) -> dict[str, Any]:
    """The state of a run (`run.Runner`), as arrays of their own."""
    state = {name: getattr(run.state, name).copy() for name in run.method.all_kept}
    contacts = {"active": standing_of(run.plan), "numbers": run.plan.numbers.copy(), "stops": run.contacts.lying()}
    states = [np.ravel(held.state) for held in run.controllers if held.state is not None]
    kept = {"controllers": np.concatenate([np.zeros(0), *states]), "copy": copy_of(run).copy(), "wall": run.wall}
    return state | contacts | kept


def copy_of(run: Any) -> np.ndarray:
    """The copy of the robot that feed-forward moves along: whether it has a motion of its own, and which."""
    work = run.work
    return np.concatenate([work.copying[: len(work.copy_q)], work.copy_q, work.copy_v]).astype(float)


def go_back(run: Any, saved: Mapping[str, Any]) -> None:
    """Go back to a saved state."""
    if "stops" in saved:  # first, since what was made for other coordinates is forgotten with them
        run.contacts.lie(np.flatnonzero(saved["stops"]).tolist())
        run.take_plan()
    for name in run.method.all_kept:
        getattr(run.state, name)[:] = saved[name]
    run.method.resumed(run.state)
    run.plan.numbers[:] = saved["numbers"]
    for c, standing in enumerate(saved["active"]):
        put(run.plan, c, int(standing))
    if len(run.work.copy_q):
        run.work.copying[0] = int(saved["copy"][0])
        run.work.copy_q[:], run.work.copy_v[:] = np.split(saved["copy"][1:], [len(run.work.copy_q)])
    first = 0
    for held in (held for held in run.controllers if held.state is not None):
        last = first + held.state.size
        held.state, first = np.array(saved["controllers"][first:last]).reshape(held.state.shape), last
