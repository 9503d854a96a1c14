"""A progress bar in simulated time."""

import sys
from collections.abc import Callable

import numpy as np

Shown = bool | Callable[[float], object]  # a bar or none; or what is told which share of the time is done


class Bar:
    """A progress bar in simulated time, with rate and remaining time; or a function that is told; or nothing."""

    def __init__(self, name: str, times: np.ndarray, shown: Shown):
        self._name, self._start, self._end, self._shown, self._bar = name, float(times[0]), float(times[-1]), shown, None

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, t: float, wall: float) -> None:
        """Say how far a run is at a time in seconds; the bar appears only if there is time to read it."""
        if callable(self._shown):
            self._shown(min(1.0, max(0.0, (t - self._start) / max(self._end - self._start, 1e-300))))
            return
        if not self._shown or (self._bar is None and wall < 0.5):
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._name, total=self._end - self._start, rate="")
            self._bar.start()
        rate = f"{t:.3g} of {self._end:.3g} s, {(t - self._start) / max(wall, 1e-9):.3g} x real time"
        self._bar.update(self._task, completed=t - self._start, rate=rate)


def shown_progress(progress: Shown | None) -> Shown:
    """Whether to show a progress bar: if asked, or if the output is a terminal; a function is told instead."""
    return sys.stderr.isatty() if progress is None else progress
