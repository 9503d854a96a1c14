"""The viewer: a model or runs in the browser, by viser. It listens on the local address and answers only its own page."""

import contextlib
import io
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping, Sequence
from typing import Any

from locomote.model.model import Model
from locomote.model.scene import Camera
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory
from locomote.view.build import scene_of
from locomote.view.gate import LOCAL, Gate, ViewerError
from locomote.view.live import LiveScene
from locomote.view.page_words import framed
from locomote.view.panel import ModelPanel, RunPanel
from locomote.view.scene import Tube

PORT = 8080
GONE = 3.0  # s without a page after which the viewer ends
START = 15.0  # s to wait for the server


class Viewer:
    """A viewer that is running. `url` is its address, `close()` ends it, `wait()` waits until its page is closed."""

    def __init__(self, title: str, host: str, port: int):
        viser = package("viser", "the viewer", "'locomote[view]'")
        self.gate = Gate(host)
        free = free_port(host, port)
        self.moved_from = port if port and free != port else None
        with self.gate.in_front(), quiet():
            self.server = viser.ViserServer(host=host, port=free, label=title, verbose=False)
        if not self.gate.used:
            self.server.stop()
            raise ViewerError(
                "this version of viser starts its server in a way that cannot be guarded: pip install 'locomote[view]'"
            )
        self.gate.port = self.port = self.server.get_port()
        self.host, self._closed, self._seen, self._left = host, threading.Event(), False, 0.0
        self.panel: RunPanel | ModelPanel | None = None
        self.server.scene.set_up_direction("+z")
        self.server.gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        self.server.gui.main_panel.dock_right()

        @self.server.on_client_connect
        def _(client) -> None:
            self._seen = True

        @self.server.on_client_disconnect
        def _(client) -> None:
            self._left = time.monotonic()

    @property
    def url(self) -> str:
        """What to open in a browser."""
        shown = "127.0.0.1" if self.host in (*LOCAL, "0.0.0.0", "", "::") else self.host
        return f"http://{shown}:{self.port}/" + ("" if self.gate.is_local else f"?token={self.gate.secret}")

    def wait(self) -> None:
        """Until the page was opened and closed again, or `close` was called, or Ctrl-C."""
        try:
            while not self._closed.wait(0.2):
                if self._seen and not self.server.get_clients() and time.monotonic() - self._left > GONE:
                    break
        finally:
            self.close()

    def close(self) -> None:
        """End the server and everything that it started."""
        if not self._closed.is_set():
            self._closed.set()
            if self.panel is not None:
                self.panel.stop()
            with quiet():
                self.server.stop()
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """In a notebook: the scene itself."""
        return framed(self.url, height="600px")

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}{', closed' if self._closed.is_set() else ''}>"


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
    viewer = started(next(iter(named)), host, port)
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
    viewer = started(model.name, host, port)
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


def started(title: str, host: str, port: int) -> Viewer:
    """A viewer that listens."""
    if not isinstance(port, int) or not 0 <= port <= 65535:
        raise ValueError(f"port is {port!r}, expected an integer from 0 (any that is free) to 65535")
    viewer = Viewer(title, host, port)
    if viewer.moved_from is not None:
        print(f"port {viewer.moved_from} is taken; the viewer is at port {viewer.port}", file=sys.stderr)
    return viewer


def opened(viewer: Viewer, browser: bool, wait: bool | None) -> Viewer:
    """Open a browser, or say that there is none; wait if that is wanted."""
    if browser and not browser_opened(viewer.url):
        print(f"no browser could be opened; open {viewer.url} in one", file=sys.stderr)
    if not interactive() if wait is None else wait:
        print(f"the viewer is at {viewer.url}; closing the page or Ctrl-C ends it", file=sys.stderr)
        with contextlib.suppress(KeyboardInterrupt):
            viewer.wait()
        viewer.close()
    return viewer


def browser_opened(url: str) -> bool:
    """Whether a browser took the address."""
    try:
        return webbrowser.open(url)
    except Exception:  # whatever a browser of the system does
        return False


def interactive() -> bool:
    """Whether Python goes on being there: a notebook or a prompt."""
    return hasattr(sys, "ps1") or "ipykernel" in sys.modules or bool(sys.flags.interactive)


def free_port(host: str, port: int) -> int:
    """The port if it is free, else 0, for any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if port == 0 or error.errno in (99, -2) or isinstance(error, socket.gaierror):
                raise ViewerError(f"this machine cannot listen on address {host!r}: {error.strerror or error}") from None
            return 0
    return port


@contextlib.contextmanager
def quiet():
    """Without what viser prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


__all__: list[Any] = ["Viewer", "ViewerError", "view", "view_model"]
