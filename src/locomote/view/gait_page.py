"""The gait beside the scene of the viewer: a page with the curvature of the connection under the closed path of the shape, and
a dot where the shape is at the time of the scene."""

import threading
from importlib import resources
from typing import Any

import numpy as np

from locomote.runs.trajectory import Trajectory
from locomote.view.gait_drawings import arrows, dot, drawn, gait_of, on_drawing, sight_of
from locomote.view.page_words import as_html, as_script

POINTS = 4000  # of the way of the dot, over a whole run
NOTHING = "The shape alone does not decide how this base moves, or it has no curvature, so that there is no field to draw."


def gait_page(run: Trajectory) -> str:
    """The page of a run."""
    seen = sight_of(run)
    data: dict[str, Any] = {"t": [], "x": [], "y": []}
    body = f"<p>{as_html(NOTHING)}</p>"
    if seen is not None and seen.rows:
        x, y = on_drawing(seen.field, np.asarray(run.q)[:, seen.places])
        rows = np.unique(np.linspace(0, len(run) - 1, min(len(run), POINTS)).astype(int))
        t = np.asarray(run.t)[rows] - float(run.t[0])
        data = {"t": t.round(6).tolist(), "x": x[rows].round(2).tolist(), "y": y[rows].round(2).tolist()}
        body = "".join(drawn(seen.field, k, seen.x, dot(x[0], y[0]), arrows(seen.field, k)) for k in seen.rows)
    text = (resources.files("locomote.view") / "pages" / "gait.html").read_text(encoding="utf-8")
    return text.replace("<!--BODY-->", body, 1).replace("<!--DATA-->", as_script(data), 1)


class GaitPages:
    """Pages of runs by name, made beside the viewer, which does not wait for them."""

    def __init__(self):
        self._pages: dict[str, str] = {}

    def make(self, name: str, run: Trajectory) -> bool:
        """Begin to make the page of a run, if two drives of one period move it; whether they do."""
        self._pages.pop(name, None)
        if gait_of(run) is None:
            return False

        def made() -> None:
            self._pages[name] = gait_page(run)

        threading.Thread(target=made, daemon=True, name="locomote gait page").start()
        return True

    def page(self, name: str) -> tuple[str, str]:
        """Content type and text."""
        return "text/html", self._pages.get(name, '<!doctype html><meta http-equiv="refresh" content="1"><p>one moment</p>')
