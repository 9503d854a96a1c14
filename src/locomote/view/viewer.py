"""The viewer: a model or runs in the browser, by viser. It listens on the local address and answers only its own page."""

import contextlib
import io
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from locomote.model.model import Model
from locomote.model.scene import Camera
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory
from locomote.view.build import scene_of
from locomote.view.gate import ViewerError
from locomote.view.live import LiveScene
from locomote.view.page_server import PageServer
from locomote.view.page_words import framed
from locomote.view.panel import ModelPanel, RunPanel
from locomote.view.scene import Tube

PORT = 8080


class Viewer(PageServer):
    """A viewer that is running. `url` is its address, `close()` ends it, `wait()` waits until its page is closed."""

    def __init__(self, title: str, host: str, port: int):
        viser = package("viser", "the viewer", "'locomote[view]'")
        super().__init__("viewer", host, port)
        with self.gate.in_front(), quiet():
            self.server = viser.ViserServer(host=host, port=self.port, label=title, verbose=False)
        if not self.gate.used:
            self.server.stop()
            raise ViewerError(
                "this version of viser starts its server in a way that cannot be guarded: pip install 'locomote[view]'"
            )
        self.listens(self.server.get_port())
        self.panel: RunPanel | ModelPanel | None = None
        self.server.scene.set_up_direction("+z")
        self.server.gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        self.server.gui.main_panel.dock_right()
        self.server.on_client_connect(lambda client: self.came())
        self.server.on_client_disconnect(lambda client: self.left())

    def is_seen(self) -> bool:
        """Whether a page is open."""
        return bool(self.server.get_clients())

    def end(self) -> None:
        """End the server and everything that it started."""
        if self.panel is not None:
            self.panel.stop()
        with quiet():
            self.server.stop()
            time.sleep(0.1)

    def _repr_html_(self) -> str:
        """In a notebook: the scene itself."""
        return framed(self.url, height="600px")

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}{', closed' if self.is_closed else ''}>"


def view(
    runs: Trajectory | Sequence[Trajectory] | Mapping[str, Trajectory],
    *,
    port: int = PORT,
    host: str = "127.0.0.1",
    browser: bool = True,
    wait: bool | None = None,
    rerun=None,
    tubes: tuple[Tube, ...] = (),
    cameras: Sequence[Camera] = (),
) -> Viewer:
    """Show runs in the browser: a time line, curves, forces, and what else can be drawn.

    port : where; another one is taken, and said, if it is not free ; host : address to listen on; others than the local one
        need the token that is part of the link
    browser : open one ; wait : until the page is closed; None: unless Python is interactive
    rerun : name of a system of the catalogue whose parameters can be changed, with a new run
    cameras : of a scene file (`lo.read_scene(path).cameras`), from which pages can look
    """
    named = named_runs(runs)
    viewer = Viewer(next(iter(named)), host, port)
    try:
        scenes = []
        for n, (name, run) in enumerate(named.items()):
            scene = scene_of(run.model, run.problem, run.q, tubes=tubes)
            scenes.append((name, run, LiveScene(viewer.server, scene, f"/{n}", n if len(named) > 1 else None)))
        viewer.panel = RunPanel(viewer, scenes, rerun, cameras)
    except BaseException:
        viewer.close()
        raise
    return opened(viewer, browser, wait)


def view_model(
    model: Model,
    q=None,
    *,
    problem=None,
    port: int = PORT,
    host: str = "127.0.0.1",
    browser: bool = True,
    wait: bool | None = None,
    tubes: tuple[Tube, ...] = (),
) -> Viewer:
    """Show a model with a slider for each joint; options as in `view`."""
    q = model.neutral() if q is None else model.checked_q(q)
    viewer = Viewer(model.name, host, port)
    try:
        live = LiveScene(viewer.server, scene_of(model, problem, q[None], tubes=tubes), "/0", None)
        viewer.panel = ModelPanel(viewer, model, live, q)
    except BaseException:
        viewer.close()
        raise
    return opened(viewer, browser, wait)


def named_runs(runs) -> dict[str, Trajectory]:
    """Runs with names."""
    from locomote.runs.compare import named_runs as named
    from locomote.view.frames import shown

    return {name: shown(run) for name, run in named([runs] if isinstance(runs, Trajectory) else runs).items()}


def opened(viewer: Viewer, browser: bool, wait: bool | None) -> Viewer:
    """Open a browser, or say that there is none; wait if that is wanted."""
    if browser:
        viewer.open_browser()
    if not interactive() if wait is None else wait:
        viewer.stay()
    return viewer


def interactive() -> bool:
    """Whether Python goes on being there: a notebook or a prompt."""
    return hasattr(sys, "ps1") or "ipykernel" in sys.modules or bool(sys.flags.interactive)


@contextlib.contextmanager
def quiet():
    """Without what viser prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


__all__: list[Any] = ["Viewer", "ViewerError", "view", "view_model"]
