"""What stands beside the scene of the viewer: a time line with curves for runs, sliders for a model."""

import contextlib
import math
import threading
import time
from importlib import resources

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.errors import LocomoteError
from locomote.model.joints import quaternion_of
from locomote.model.model import Model
from locomote.runs.summary import number
from locomote.runs.trajectory import Trajectory
from locomote.view.colors import SCALE
from locomote.view.curves import packed_curves
from locomote.view.frames import frames_of, net_path, still_frames
from locomote.view.gait_page import GaitPages
from locomote.view.gate import as_json
from locomote.view.live import LiveScene, eight_bits
from locomote.view.page_words import Page, Scales, Words, as_script
from locomote.view.presses import largest_load
from locomote.view.scene import LAYERS, LOADS, Frames

PICTURES = 30.0  # a second while it plays
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
FREE = math.pi  # rad or m, limits of sliders where a joint has none
SLIDERS = 60  # joints of a model that get one
AS_IT_IS = "as it is"
ASPECT = 1.2  # width over height of what is seen, about, in a window with the panel beside it
MEASURED = 200  # instants by which the scale of forces is chosen


def check_boxes(server, scenes: list[LiveScene], hidden=(), changed=None) -> dict[str, object]:
    """A box for each layer."""
    boxes = {}
    with server.gui.add_folder("show", expand_by_default=False):
        for layer, (words, first) in LAYERS.items():
            if layer in hidden or not (
                layer == "frames"
                or any(s.nodes[layer] for s in scenes)
                or layer in LOADS
                or layer == "ghosts"
                or (layer in ("flow", "stream") and any(s.scene.stream for s in scenes))
            ):
                continue
            box = server.gui.add_checkbox(words, first)

            @box.on_update
            def _(_, layer=layer, box=box) -> None:
                for scene in scenes:
                    scene.show(layer, box.value)
                if changed is not None:
                    changed(layer)

            boxes[layer] = box
    return boxes


class RunPanel:
    """Time line, speed, curves, layers; parameters of a system with a new run."""

    def __init__(self, viewer, scenes: list[tuple[str, Trajectory, LiveScene]], rerun=None, cameras=()):
        self.viewer, self.server, self.scenes = viewer, viewer.server, scenes
        self.cameras = {camera.name: camera for camera in cameras}
        self.lock, self.rerun = threading.RLock(), rerun
        self.first = min(float(run.t[0]) for _, run, _ in scenes)
        self.last = max(float(run.t[-1]) for _, run, _ in scenes)
        self.time, self.playing, self._ended, self._asked = self.first, False, threading.Event(), threading.Event()
        self.scales: dict[int, dict[str, float]] = {}
        self._ghosted = False
        self._gaits = GaitPages()
        self._gait_frame: Page | None = None
        self.latency = 0.0  # s that the last move took
        for _, run, live in scenes:
            live.path(net_path(run)[0])
        self._targets = self._look()
        self._make_time_line()
        if self.cameras:
            self._make_cameras()
        check_boxes(self.server, [live for *_, live in scenes], changed=self._layer)
        self._scales = Scales(self.server.gui)
        self._show_scales()
        self._make_curves()
        if rerun is not None:
            self._make_parameters()
        missing = [line for *_, live in scenes for line in live.scene.missing]
        if missing:
            Words(self.server.gui, *missing[:5])
        self.go(self.first)
        self._thread = threading.Thread(target=self._loop, daemon=True, name="locomote viewer")
        self._thread.start()

    def _look(self) -> tuple[np.ndarray, np.ndarray]:
        """Look at the first run; times and places that the camera goes along with."""
        from locomote.view.camera import ANGLE, camera_for

        _, run, live = self.scenes[0]
        frames = frames_of(live.scene, run, np.linspace(run.t[0], run.t[-1], 400 if len(run) > 1 else 1))
        live.measure(frames)
        camera = camera_for(live.scene, frames, ASPECT)
        start = self.server.initial_camera
        start.look_at = tuple(camera.targets[0])
        start.position = tuple(camera.targets[0] + 0.8 * camera.distance * camera.direction)
        start.fov = float(1.3 * ANGLE)
        start.near = 0.002 * camera.distance
        start.far = 200.0 * camera.distance
        self.goes = bool(np.ptp(camera.targets, axis=0).max() > 1e-9)
        self._looked_at, self._shift = camera.targets[0].copy(), np.zeros(3)
        return frames.t, camera.targets

    def _make_cameras(self) -> None:
        chosen = self.server.gui.add_dropdown("look from", (AS_IT_IS, *self.cameras), initial_value=AS_IT_IS)

        @chosen.on_update
        def _(_) -> None:
            if chosen.value != AS_IT_IS:
                self.look_from(chosen.value)

    def look_from(self, name: str) -> None:
        """Let all pages look as a camera of the file does, where it is now."""
        camera, run = self.cameras[name], self.scenes[0][1]
        pose = np.array(camera.placement)
        if camera.body is not None:
            q = run.model.normalize(run.at(self.time).q)
            pose = forward_kinematics(run.model, q)[run.model.body_index(camera.body)] @ pose
        pose[:3, 3] += self._shift
        place, at, up = (tuple(map(float, x)) for x in (pose[:3, 3], pose[:3, 3] - pose[:3, 2], pose[:3, 1]))
        start = self.server.initial_camera
        start.position, start.look_at, start.up, start.fov = place, at, up, camera.field
        for client in self.server.get_clients().values():
            with contextlib.suppress(AssertionError, AttributeError):  # a page that has not said yet where it looks from
                seen = client.camera
                seen.up_direction, seen.position, seen.look_at, seen.fov = up, place, at, camera.field

    def _go_along(self) -> None:
        """Shift the world by as much as the mechanism went: cameras stay where the hands of those who look have put them."""
        times, places = self._targets
        target = np.array([np.interp(self.time, times, places[:, k]) for k in range(3)])
        if self.follow.value:
            self._shift = self._shift - (target - self._looked_at)
        self._looked_at = target
        for *_, live in self.scenes:
            live.shift(self._shift)

    def _make_time_line(self) -> None:
        gui, span = self.server.gui, max(self.last - self.first, 1e-9)
        with gui.add_folder("time"):
            step = float(f"{span / 2000:.1g}")
            self._digits = max(0, -math.floor(math.log10(step)))
            self.slider = gui.add_slider("t, s", self.first, self.first + span, step, self.first)
            self.button = gui.add_button("play")
            self.steps = gui.add_button_group("step", ("-10", "-1", "+1", "+10"))
            near = min(SPEEDS, key=lambda s: abs(math.log(float(s)) - math.log(max(0.1, span / 20))))
            self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1" if span < 30 else near)
            self.loop = gui.add_checkbox("loop", True)
            self.follow = gui.add_checkbox("go along with it", self.goes)

        @self.slider.on_update
        def _(event) -> None:
            if event.client is not None:  # moved by a hand, not by the clock
                self.go(float(self.slider.value), from_slider=True)

        @self.button.on_click
        def _(_) -> None:
            self.play(not self.playing)

        @self.steps.on_click
        def _(_) -> None:
            self.play(False)
            self.go(self.time + int(self.steps.value) * self.spacing)

    @property
    def spacing(self) -> float:
        """Time from one sample to the next, s."""
        run = self.scenes[0][1]
        return (self.last - self.first) / max(1, len(run) - 1)

    def _show_scales(self) -> None:
        """What the colours of shapes that bend mean."""
        found = {(title, unit, low, high): None for *_, live in self.scenes for title, unit, low, high in live.scales()}
        rows = [(title, number(low, high), f"{number(high)} {unit}".rstrip()) for title, unit, low, high in found]
        self._scales.show(rows, [f"rgb({r} {g} {b})" for r, g, b in map(eight_bits, SCALE)])

    def _make_curves(self) -> None:
        gate, folder = self.viewer.gate, resources.files("locomote.view") / "pages"
        self._curves = {name: as_script(packed_curves(run)[0]) for name, run, _ in self.scenes}
        self._curves_of, key = self.scenes[0][0], gate.secret

        def page(query) -> tuple[str, str]:
            text = (folder / "curves.html").read_text(encoding="utf-8")
            script = (folder / "curves.js").read_text(encoding="utf-8")
            data = self._curves[self._curves_of]
            return "text/html", text.replace("<!--SCRIPT-->", script, 1).replace("<!--DATA-->", data, 1)

        def clock(query) -> tuple[str, str]:
            start = next(float(run.t[0]) for name, run, _ in self.scenes if name == self._curves_of)
            if "go" in query:
                self.go(float(query["go"]) + start)
            return as_json({"time": self.time - start, "playing": self.playing})

        gate.pages["/locomote/curves"], gate.pages["/locomote/time"] = page, clock
        with self.server.gui.add_folder("curves"):
            if len(self.scenes) > 1:
                chosen = self.server.gui.add_dropdown("of run", tuple(self._curves))

                @chosen.on_update
                def _(_) -> None:
                    self.choose_curves(chosen.value)

            self.frame = Page(self.server.gui, f"/locomote/curves?key={key}", height="420px", title="curves")
        gate.pages["/locomote/gait"] = lambda query: self._gaits.page(self._curves_of)
        made = [self._gaits.make(name, run) for name, run, _ in self.scenes]
        if any(made):
            with self.server.gui.add_folder("gait over curvature", expand_by_default=False):
                self._gait_frame = Page(self.server.gui, f"/locomote/gait?key={key}", height="420px", title="gait")

    def _make_parameters(self) -> None:
        from locomote.systems import catalogue

        gui, inputs, rerun = self.server.gui, {}, self.rerun
        assert rerun is not None
        with gui.add_folder("parameters", expand_by_default=False):
            for p in catalogue.parameters(rerun.name):
                value, label = rerun.parameters[p.name], f"{p.name}, {p.unit}" if p.unit else p.name
                if p.options:
                    inputs[p.name] = gui.add_dropdown(label, tuple(p.options), initial_value=value)
                elif isinstance(value, bool):
                    inputs[p.name] = gui.add_checkbox(label, value)
                elif isinstance(value, int | float):
                    step = 1 if isinstance(value, int) else float(f"{abs(value) / 100 or 0.01:.0e}")
                    inputs[p.name] = gui.add_number(label, value, step=step)
            again = gui.add_button("run again")
            words = Words(gui, "")

        @again.on_click
        def _(_) -> None:
            words.say("running")
            try:
                system = rerun.with_parameters({name: handle.value for name, handle in inputs.items()})
                q, v = system.initial
                run = system.problem().simulate(system.duration, q=q, v=v, progress=False)
                self.replace(run, system)
                words.say(run.summary().splitlines()[0])
            except (LocomoteError, ValueError, ArithmeticError) as error:
                words.say(error)

    def replace(self, run: Trajectory, system=None) -> None:
        """Show another run instead of the first one."""
        from locomote.view.build import scene_of
        from locomote.view.frames import shown

        run = shown(run)
        with self.lock:
            name, _, old = self.scenes[0]
            old.remove()
            live = LiveScene(self.server, scene_of(run.model, run.problem, run.q), old.root, old.run)
            for layer, on in old.shown.items():
                live.show(layer, on)
            live.path(net_path(run)[0])
            self.scenes[0] = (name, run, live)
            self.rerun = system or self.rerun
            self.scales.clear()
            self._curves[name] = as_script(packed_curves(run)[0])
            self._gaits.make(name, run)
            self._draw_curves_again()
            self.first = min(float(run.t[0]) for _, run, _ in self.scenes)
            self.last = max(float(run.t[-1]) for _, run, _ in self.scenes)
            self.slider.min, self.slider.max = self.first, max(self.last, self.first + 1e-9)
            self._targets = self._look()
            self._show_scales()
            self.go(self.first)

    def choose_curves(self, name: str) -> None:
        """Draw the curves of the run of this name."""
        self._curves_of = name
        self._draw_curves_again()

    def _draw_curves_again(self) -> None:
        """Let the page load its curves anew: an address that it has not seen yet."""
        once = f"n={time.monotonic_ns()}&key={self.viewer.gate.secret}"
        self.frame.go(f"/locomote/curves?{once}")
        if self._gait_frame is not None:
            self._gait_frame.go(f"/locomote/gait?{once}")

    def _layer(self, layer: str) -> None:
        if layer == "ghosts" and not self._ghosted:
            self._ghosted = True
            for _, run, live in self.scenes:
                live.ghosts(frames_of(live.scene, run, np.linspace(run.t[0], run.t[-1], 6)))
        self.go(self.time)

    def go(self, t: float, *, from_slider: bool = False) -> None:
        """Show time t, s; the nearest of the run if it is outside."""
        if not math.isfinite(t):
            raise ValueError(f"t is {t}, expected a number of seconds")
        with self.lock:
            began = time.perf_counter()
            self.time = float(min(max(t, self.first), self.last))
            for n, (_, run, live) in enumerate(self.scenes):
                own = min(max(self.time, float(run.t[0])), float(run.t[-1]))
                frames = frames_of(live.scene, run, np.array([own]), path=False)
                if any(live.shown[layer] for layer in LOADS):
                    frames = self._with_forces(frames, n, run, live, own)
                live.move(frames)
            self._go_along()
            if not from_slider:
                self.slider.value = round(self.time, self._digits)
            self.latency = time.perf_counter() - began

    def _with_forces(self, frames: Frames, n: int, run: Trajectory, live: LiveScene, t: float) -> Frames:
        """The frames with arrows, by one scale for the whole run."""
        if n not in self.scales:
            times = np.linspace(run.t[0], run.t[-1], min(len(run), MEASURED))
            some = frames_of(live.scene, run, times, forces=True, path=False)
            self.scales[n], live.largest = some.scales, largest_load(some.presses)
        found = frames_of(live.scene, run, np.array([t]), forces=True, scales=self.scales[n], path=False)
        return found

    def play(self, on: bool) -> None:
        """Let time run, or stop it."""
        self.playing = on
        self.button.label = "pause" if on else "play"
        if on:
            if self.time >= self.last:
                self.time = self.first
            self._asked.set()

    def _loop(self) -> None:
        while not self._ended.is_set():
            if not self.playing:
                self._asked.wait(0.2)
                self._asked.clear()
                continue
            began, before = time.monotonic(), self.time
            self._ended.wait(1 / PICTURES)
            if not self.playing or self.time != before:
                continue
            t = before + (time.monotonic() - began) * float(self.speed.value)
            if t > self.last:
                t = self.first if self.loop.value else self.last
                if not self.loop.value:
                    self.play(False)
            self.go(t)

    def stop(self) -> None:
        """End the clock."""
        self._ended.set()
        self._asked.set()
        if self._thread is not threading.current_thread():
            self._thread.join(2.0)


class ModelPanel:
    """A slider for each joint coordinate, within its limits."""

    def __init__(self, viewer, model: Model, live: LiveScene, q: np.ndarray):
        self.viewer, self.server, self.model, self.live, self.q = viewer, viewer.server, model, live, np.array(q)
        self.lock, self.sliders, self.latency = threading.RLock(), {}, 0.0
        from locomote.view.camera import ANGLE, camera_for

        camera = camera_for(live.scene, still_frames(live.scene, model, self.q[None]), ASPECT)
        start = self.server.initial_camera
        start.look_at = tuple(camera.targets[0])
        start.position = tuple(camera.targets[0] + 0.8 * camera.distance * camera.direction)
        start.fov = float(1.3 * ANGLE)
        start.near, start.far = 0.002 * camera.distance, 200.0 * camera.distance
        with self.server.gui.add_folder("joints"):
            self._make_sliders()
        check_boxes(self.server, [live], hidden=("path", "ghosts", *LOADS))
        if live.scene.missing:
            Words(self.server.gui, *live.scene.missing[:5])
        live.move(still_frames(live.scene, model, self.q[None]))

    def _make_sliders(self) -> None:
        gui, places = self.server.gui, [int(k) for k in np.ravel(plain_places(self.model))]
        names = {slot.index: slot for slot in self.model.layout() if slot.vector == "q"}
        for k in places[:SLIDERS]:
            slot = names[k]
            low, high = float(self.model.lower[k]), float(self.model.upper[k])
            low, high = (low if np.isfinite(low) else -FREE), (high if np.isfinite(high) else FREE)
            low, high = min(low, float(self.q[k])), max(high, float(self.q[k]), low + 1e-6)
            name = slot.joint if slot.name in ("angle", "position", "value") else f"{slot.joint}.{slot.name}"
            slider = gui.add_slider(f"{name}, {slot.unit}", low, high, (high - low) / 500, float(self.q[k]))

            @slider.on_update
            def _(_, k=k, slider=slider) -> None:
                self.set(k, float(slider.value))

            self.sliders[k] = slider
        if len(places) > SLIDERS:
            Words(gui, f"and {len(places) - SLIDERS} more; model.view(q) shows any configuration")
        reset = gui.add_button("back to the start")
        began = self.q.copy()

        @reset.on_click
        def _(_) -> None:
            for k, slider in self.sliders.items():
                slider.value = float(began[k])
                self.set(k, float(began[k]))

    def set(self, k: int, value: float) -> None:
        """Put coordinate k of q at a value, rad or m."""
        with self.lock:
            began = time.perf_counter()
            self.q[k] = value
            self.live.move(still_frames(self.live.scene, self.model, self.q[None]))
            self.latency = time.perf_counter() - began

    def stop(self) -> None:
        """Nothing runs by itself."""


def plain_places(model: Model) -> list[int]:
    """Places in q of coordinates that are numbers of their own: not those of quaternions, nor of a base that is free."""
    places = []
    for name in model.joint_names:
        joint = model.joint(name)
        if not joint.coupled and quaternion_of(joint.kind) is None:
            places += range(joint.q.start, joint.q.stop)
    return places
