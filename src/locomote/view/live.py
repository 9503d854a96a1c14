"""A scene in viser: made once, then moved."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from locomote.geometry.meshes import Mesh, along, cylinder, plate, simplified, sphere
from locomote.view.bent import tube_faces, tube_vertices
from locomote.view.colors import ARROWS, CENTER, DEEP, PATH, RUNS, SPECK, STREAM, rgba, scaled, surroundings
from locomote.view.draw import CONE, grid_spacing
from locomote.view.presses import cone, cone_pose, disc, disc_pose
from locomote.view.scene import LAYERS, Frames, Scene, world_point
from locomote.view.waters import STEPS, at_time, stream_arrows, stream_colors

FACES = 400_000  # most faces of all meshes together
GHOSTS = 6
LINES = 0.93  # brightness of lines of the ground over that of its fields; squared for every fifth
BANDS = 24  # bands of a tube, each of one colour: viser gives a mesh no more


def eight_bits(color) -> tuple[int, int, int]:
    """A colour as viser takes it."""
    red, green, blue = (int(255 * float(x) + 0.5) for x in color[:3])
    return (red, green, blue)


def quaternions(R: np.ndarray) -> np.ndarray:
    """(n, 4) w x y z of rotations (n, 3, 3)."""
    return Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]]


class LiveScene:
    """Handles of everything that is drawn of one model.

    root : where it is in viser's tree ; run : number of its run, if there are several, which gives its colour
    """

    def __init__(self, server, scene: Scene, root: str, run: int | None):
        self.server, self.scene, self.root, self.run = server, scene, root, run
        if scene.up[2] != 1.0:
            server.scene.set_up_direction(scene.up)
        self.nodes: dict[str, list] = {layer: [] for layer in LAYERS}
        self.shown = {layer: first for layer, (_, first) in LAYERS.items()}
        self.world = server.scene.add_frame(root, show_axes=False)
        sky, fields = surroundings(scene.water)
        server.scene.set_background_image(backdrop(sky), format="png")
        self.bodies = [server.scene.add_frame(f"{root}/bodies/{k}", show_axes=False) for k in range(len(scene.bodies))]
        self.labels: dict[int, tuple[Any, ...]] = {}
        self._arrows: dict[str, object] = {}
        self._ghosts: list = []
        self._presses: dict[tuple[str, str], Any] = {}  # by layer and name
        self.turning = 0.0  # 1/s, the largest vorticity that was seen
        self.largest = 0.0  # N, of all loads of contacts over time
        self._make_pieces()
        for n, strut in enumerate(scene.struts):
            mesh = cylinder(1.0, 1.0)
            own = self._mesh(f"{root}/struts/{n}", mesh, strut.color, strut.layer)
            self.nodes[strut.layer].append(own)
            self.nodes.setdefault("_struts", []).append(own)
        self._tubes: dict[tuple[int, int], Any] = {}  # by number of the tube and of its band
        self._limits: dict[tuple[str, str], tuple[float, float]] = {}  # limits of colour scales
        self.center = self._mesh(f"{root}/center", sphere(0.05 * scene.size, rings=8), rgba(CENTER), "center")
        self.nodes["center"].append(self.center)
        self._make_water()
        if scene.ground is not None:
            cell = grid_spacing(2.5 * scene.size)
            grid = server.scene.add_grid(
                f"{root}/ground", 200 * cell, 200 * cell, cell_size=cell, section_size=5 * cell, infinite_grid=True,
                cell_color=eight_bits(LINES * fields[1]), section_color=eight_bits(LINES**2 * fields[1]),
                fade_distance=60 * scene.size, position=(0.0, 0.0, float(scene.ground)),
            )  # fmt: skip
            self.nodes["ground"].append(grid)
        for layer, on in self.shown.items():
            self.show(layer, on)

    def _mesh(self, name: str, mesh: Mesh, color, layer: str, **options):
        options = {"position": (0.0, 0.0, 0.0), "wxyz": (1.0, 0.0, 0.0, 0.0)} | options
        return self.server.scene.add_mesh_simple(
            name, np.asarray(mesh.vertices, dtype=np.float32), np.asarray(mesh.faces, dtype=np.uint32),
            color=eight_bits(self.tinted(color, layer)), opacity=None if color[3] >= 1 else float(color[3]), side="double",
            flat_shading=mesh.shades is not None or len(mesh.faces) < 40, **options,
        )  # fmt: skip

    def tinted(self, color, layer: str):
        """A colour, tinted by that of its run where several runs are shown."""
        if self.run is None or layer not in ("shapes", "joints", "wheels"):
            return color
        own = rgba(RUNS[self.run % len(RUNS)])
        return tuple(0.45 * a + 0.55 * b for a, b in zip(color[:3], own[:3], strict=True))

    def _make_pieces(self) -> None:
        pieces = self.scene.pieces
        share = min(1.0, FACES / max(1, sum(len(piece.mesh.faces) for piece in pieces)))
        for n, piece in enumerate(pieces):
            mesh = piece.mesh if share >= 1 else simplified(piece.mesh, max(60, int(share * len(piece.mesh.faces))))
            place = {"position": tuple(piece.placement[:3, 3]), "wxyz": tuple(quaternions(piece.placement[None, :3, :3])[0])}
            above = f"{self.root}/bodies/{piece.body}" if piece.body >= 0 else f"{self.root}/world"
            for part, shade in parts_of(mesh):
                color = (*(shade * c for c in piece.color[:3]), piece.color[3])
                node = self._mesh(f"{above}/{n} {int(100 * shade)}", part, color, piece.layer, **place)
                self.nodes[piece.layer].append(node)
                if piece.body >= 0:
                    self._name_on_click(node, piece.body)

    def _make_water(self) -> None:
        """Specks in the water and its surface."""
        scene, add = self.scene, self.server.scene
        if len(scene.specks):
            dots, size = scene.specks.astype(np.float32), 0.01 * scene.size
            self.nodes["water"].append(
                add.add_point_cloud(f"{self.root}/specks", dots, eight_bits(rgba(SPECK)), point_size=size, point_shape="circle")
            )
        if scene.water and scene.surface is not None:
            sheet, place = plate(60 * scene.size, 60 * scene.size), (0.0, 0.0, float(scene.surface))
            options = {"position": place, "cast_shadow": False}
            self.nodes["water"].append(self._mesh(f"{self.root}/surface", sheet, (*DEEP[1], 0.15), "water", **options))

    def _stream(self, frames: Frames, row: int) -> None:
        """The flow: its vorticity as a picture in the plane, its velocity as arrows."""
        stream, flow = self.scene.stream, frames.flow
        if stream is None or flow is None:
            return
        self.turning = max(self.turning, float(abs(flow.vorticity).max()))
        for layer in ("flow", "stream"):
            if not self.shown[layer] or (layer == "flow" and not self.turning > 0):
                continue
            for node in self.nodes[layer]:
                node.remove()
            if layer == "flow":
                colors, opacity = stream_colors(at_time(flow, float(frames.t[row]))[0][::-1], self.turning)
                picture = np.round(255 * np.concatenate([colors, opacity[..., None]], axis=-1)).astype(np.uint8)
                middle = (float(np.mean(stream.x)), float(np.mean(stream.y)), stream.level)
                wide, high = float(np.ptp(stream.x)), float(np.ptp(stream.y))
                options = {"position": middle, "wxyz": (0.0, 1.0, 0.0, 0.0), "cast_shadow": False, "receive_shadow": False}
                node = self.server.scene.add_image(f"{self.root}/flow", picture, wide, high, format="png", **options)
            else:
                at, vectors = stream_arrows(stream, flow, float(frames.t[row]))
                points, radius = np.stack([at, at + vectors], axis=1), 0.035 * STEPS * float(stream.x[1] - stream.x[0])
                node = self.server.scene.add_arrows(
                    f"{self.root}/stream", points.astype(np.float32), eight_bits(rgba(STREAM)),
                    shaft_radius=radius, head_radius=2.6 * radius, head_length=5 * radius,
                )  # fmt: skip
            self.nodes[layer] = [node]

    def _name_on_click(self, node, body: int) -> None:
        """A click on a body shows, and hides, its name and its axes."""

        @node.on_click
        def _(_) -> None:
            self.name(body, body not in self.labels)

    def name(self, body: int, on: bool) -> None:
        """Show or hide the name and the axes of a body."""
        above = f"{self.root}/bodies/{body}"
        if on and body not in self.labels:
            label = self.server.scene.add_label(f"{above}/name", self.scene.bodies[body])
            axes = self.server.scene.add_frame(
                f"{above}/axes", axes_length=0.25 * self.scene.size, axes_radius=0.008 * self.scene.size, origin_radius=0.0
            )
            self.labels[body] = (label, axes)
        elif not on and body in self.labels:
            for node in self.labels.pop(body):
                node.remove()

    def show(self, layer: str, on: bool) -> None:
        """Draw a layer, or not."""
        self.shown[layer] = on
        if layer == "frames":
            for body in range(len(self.scene.bodies)):
                self.name(body, on)
            return
        for node in self.nodes[layer]:
            node.visible = on

    def shift(self, way: np.ndarray) -> None:
        """Put the whole scene elsewhere, m."""
        self.world.position = tuple(float(x) for x in way)

    def move(self, frames: Frames, row: int = 0) -> None:
        """Put everything where it is in a row of the frames."""
        poses = frames.poses[row]
        turns = quaternions(poses[:, :3, :3])
        with self.server.atomic():
            for handle, pose, turn in zip(self.bodies, poses, turns, strict=True):
                handle.position, handle.wxyz = pose[:3, 3], turn
            for strut, node in zip(self.scene.struts, self.nodes.get("_struts", []), strict=True):
                start, end = (world_point(poses, b, x) for b, x in zip(strut.bodies, strut.points, strict=True))
                node.position, node.wxyz = (start + end) / 2, quaternions(along(start, end)[None])[0]
                node.scale = (strut.radius, strut.radius, max(1e-9, float(np.linalg.norm(end - start))))
            self._bend(frames, row)
            if frames.center is not None:
                self.center.position = frames.center[row]
            if self.shown["forces"]:
                self._point(frames, row)
            self._stream(frames, row)
            for layer in ("cones", "pressure"):
                if self.shown[layer]:
                    self._press(frames, row, layer)

    def measure(self, frames: Frames) -> None:
        """Widen the colour scales of tubes to the values in frames; those of a whole run make colours comparable over time."""
        for tube, (_, values) in zip(self.scene.tubes, frames.tubes, strict=True):
            if tube.limits is not None or values is None or np.isnan(values).all():
                continue
            kind = (tube.title, tube.unit)  # tubes of one kind share a scale
            low, high = self._limits.get(kind, (np.inf, -np.inf))
            self._limits[kind] = min(low, float(np.nanmin(values))), max(high, float(np.nanmax(values)))

    def scales(self) -> list[tuple[str, str, float, float]]:
        """Title, unit and limits of the scales by which shapes that bend are coloured."""
        fixed = {(tube.title, tube.unit): tube.limits for tube in self.scene.tubes if tube.limits is not None}
        return [(*kind, float(low), float(high)) for kind, (low, high) in (self._limits | fixed).items()]

    def _bend(self, frames: Frames, row: int) -> None:
        """Shapes that bend, in bands of one colour each: new corners for the same faces."""
        self.measure(frames)
        for n, (tube, (poses, values)) in enumerate(zip(self.scene.tubes, frames.tubes, strict=True)):
            ends = bands(poses.shape[1], values is not None)
            radius = np.asarray(tube.radius, dtype=float)
            for k, (first, last) in enumerate(zip(ends[:-1], ends[1:], strict=True)):
                part = slice(first, last + 1)
                corners = tube_vertices(poses[row, part], radius[part] if radius.ndim else radius, tube.profile).astype(
                    np.float32
                )
                color = tube.color
                if values is not None:
                    low, high = tube.limits or self._limits.get((tube.title, tube.unit), (0.0, 1.0))
                    color = (*scaled(np.array(np.mean(values[row, part])), low, high), 1.0)
                if (n, k) in self._tubes:
                    node = self._tubes[n, k]
                    node.vertices, node.color = corners, eight_bits(self.tinted(color, tube.layer))
                    continue
                faces = tube_faces(last + 1 - first, first=k == 0, last=k == len(ends) - 2)
                node = self._mesh(f"{self.root}/tubes/{n}/{k}", Mesh(corners, faces), color, tube.layer)
                node.visible = self.shown[tube.layer]
                self._tubes[n, k] = node
                self.nodes[tube.layer].append(node)

    def _point(self, frames: Frames, row: int) -> None:
        """Arrows of forces, one node a kind."""
        radius = 0.011 * self.scene.size
        for kind in ARROWS:
            chosen = [a for a in frames.arrows if a.kind == kind]
            if not chosen and kind not in self._arrows:
                continue
            ends = [(a.at[row], a.at[row] + a.vector[row] / frames.scales.get(a.unit, np.inf)) for a in chosen]
            ends = [pair for pair in ends if np.linalg.norm(pair[1] - pair[0]) > 0.01 * self.scene.size]
            points = np.array(ends, dtype=np.float32).reshape(-1, 2, 3)
            if kind in self._arrows:
                self.nodes["forces"].remove(self._arrows[kind])
                self._arrows.pop(kind).remove()  # type: ignore[attr-defined]
            if len(points):
                node = self.server.scene.add_arrows(
                    f"{self.root}/forces/{kind}", points, eight_bits(rgba(ARROWS[kind])),
                    shaft_radius=radius, head_radius=2.4 * radius, head_length=5 * radius,
                )  # fmt: skip
                self._arrows[kind] = node
                self.nodes["forces"].append(node)

    def _press(self, frames: Frames, row: int, layer: str) -> None:
        """Discs of what contacts carry, or their cones of friction: made once, then moved, hidden while nothing is carried."""
        seen = set()
        for press in frames.presses:
            pose = cone_pose(press, row, frames.scales, self.largest) if layer == "cones" else None
            pose = disc_pose(press, row, self.scene.size, self.largest) if layer == "pressure" else pose
            if pose is None:
                continue
            key, mesh, color = (layer, press.name), cone(), rgba(ARROWS["cone"], CONE)
            if layer == "pressure":
                mesh, color = disc(), (*scaled(np.array(press.load[row]), 0.0, self.largest), 1.0)
            if key not in self._presses:
                self._presses[key] = self._mesh(f"{self.root}/{layer}/{len(self._presses)}", mesh, color, layer)
                self.nodes[layer].append(self._presses[key])
            node, size = self._presses[key], np.linalg.norm(pose[:3, :3], axis=0)
            node.position, node.wxyz = pose[:3, 3], quaternions(pose[None, :3, :3] / size)[0]
            node.scale, node.visible = tuple(float(x) for x in size), True
            if layer == "pressure":
                node.color = eight_bits(color)
            seen.add(key)
        for key, node in self._presses.items():
            if key[0] == layer and key not in seen:
                node.visible = False

    def path(self, points: np.ndarray | None) -> None:
        """The way of the base."""
        if points is not None and len(points) > 1:
            segments = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
            color = eight_bits(rgba(PATH) if self.run is None else rgba(RUNS[self.run % len(RUNS)]))
            line = self.server.scene.add_line_segments(
                f"{self.root}/path", segments, color, thickness=3.0, thickness_units="screen"
            )
            line.visible = self.shown["path"]
            self.nodes["path"].append(line)

    def ghosts(self, frames: Frames) -> None:
        """Pale copies at some instants."""
        for row in np.unique(np.linspace(0, len(frames.t) - 1, GHOSTS).astype(int)):
            for n, piece in enumerate(self.scene.pieces):
                if piece.body < 0 or len(piece.mesh.faces) > 4000:
                    continue
                pose = frames.poses[row, piece.body] @ piece.placement
                color = (*piece.color[:3], 0.18)
                place = {"position": tuple(pose[:3, 3]), "wxyz": tuple(quaternions(pose[None, :3, :3])[0])}
                node = self._mesh(f"{self.root}/ghosts/{row}/{n}", piece.mesh, color, piece.layer, **place)
                node.visible = self.shown["ghosts"]
                self.nodes["ghosts"].append(node)

    def remove(self) -> None:
        """Take everything out of the scene."""
        for nodes in self.nodes.values():
            for node in nodes:
                node.remove()
            nodes.clear()
        for handle in (*self.bodies, self.world):
            handle.remove()


def backdrop(sky: np.ndarray) -> np.ndarray:
    """(64, 4, 3) bytes that go from one colour above to another below."""
    share = np.linspace(0.0, 1.0, 64)[:, None, None]
    return np.round(255 * ((1 - share) * sky[0] + share * sky[1]) * np.ones((1, 4, 1))).astype(np.uint8)


def parts_of(mesh: Mesh):
    """The mesh by shades: viser gives each mesh one colour."""
    if mesh.shades is None:
        yield mesh, 1.0
        return
    for shade in np.unique(mesh.shades):
        yield Mesh(mesh.vertices, mesh.faces[mesh.shades == shade]), float(shade)


def bands(sections: int, colored: bool) -> np.ndarray:
    """Numbers of the sections at which the bands of a tube end."""
    return np.unique(np.linspace(0, sections - 1, (min(BANDS, sections - 1) if colored else 1) + 1).round().astype(int))
