"""One picture of a scene: everything packed into one list of faces, drawn by the rasteriser."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import uniform_filter

from locomote.geometry.meshes import Mesh, corner_normals, joined, simplified, sphere
from locomote.view import raster
from locomote.view.bent import arrow_mesh, path_mesh, strut_mesh, tube_faces, tube_values, tube_vertices
from locomote.view.camera import ANGLE, Camera, upright
from locomote.view.colors import ARROWS, CENTER, GLINT, PATH, SPECK, STREAM, rgba, scaled, surroundings
from locomote.view.presses import cone, cone_pose, disc, disc_pose, largest_load
from locomote.view.scene import LAYERS, WORLD, Frames, Scene, tube_limits
from locomote.view.waters import STEPS, stream_arrows, stream_mesh

SMOOTH = 2  # pixels drawn for each that is shown, along each side
LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
SHADOW = 0.28  # how much darker the middle of a shadow is
SOFT = 0.006  # how far the edge of a shadow reaches, over the height of the picture
GHOST = 0.28
CLEAR = 2.5  # how far one sees in water beyond what is looked at, over the distance of the eye
CONE = 0.3  # how much of a cone of friction is seen
THINNEST = 0.003  # radius of a tube over its distance from the eye, below which it would be invisible
FACES = 60_000  # most faces of all meshes together


@dataclass(eq=False)
class Painter:
    """A scene ready to be drawn many times.

    width, height : of a picture, pixels ; layers : what is drawn
    """

    scene: Scene
    camera: Camera
    width: int
    height: int
    layers: frozenset[str] = frozenset(name for name, (_, first) in LAYERS.items() if first)

    def __post_init__(self) -> None:
        pieces = [piece for piece in self.scene.pieces if piece.layer in self.layers]
        total = sum(len(piece.mesh.faces) for piece in pieces)
        share = min(1.0, FACES / max(total, 1))
        vertices, faces, normals, colors, opacity, owners = [], [], [], [], [], []
        count = 0
        for n, piece in enumerate(pieces):
            size = len(piece.mesh.faces)
            mesh = piece.mesh if share >= 1 else simplified(piece.mesh, max(60, int(share * size)))
            shades = np.ones(len(mesh.faces)) if mesh.shades is None else mesh.shades
            vertices.append(mesh.vertices)
            faces.append(mesh.faces + count)
            normals.append(mesh.normals)
            colors.append(shades[:, None] * np.array(piece.color[:3]))
            opacity.append(np.full(len(mesh.faces), piece.color[3]))
            owners.append(np.full(len(mesh.vertices), n))
            count += len(mesh.vertices)
        empty = np.zeros((0, 3))
        self._pieces = pieces
        self._vertices = np.concatenate([*vertices, empty])
        self._faces = np.concatenate([*faces, empty]).astype(np.int64)
        self._normals = np.concatenate([*normals, np.zeros((0, 3, 3))])
        self._colors = np.concatenate([*colors, empty])
        self._opacity = np.concatenate([*opacity, np.zeros(0)])
        self._owners = np.concatenate([*owners, np.zeros(0)]).astype(np.int64)
        self._places = np.array([piece.placement for piece in pieces]).reshape(-1, 4, 4)
        self._bodies = np.array([piece.body for piece in pieces], dtype=int)
        self._light = upright(self.scene.up).T @ LIGHT
        self._standing = self._bodies == WORLD

    def picture(self, frames: Frames, row: int, *, ghosts: tuple[int, ...] = ()) -> np.ndarray:
        """(height, width, 3) bytes: the scene at a row of the frames, with the poses of other rows as ghosts."""
        high, wide = SMOOTH * self.height, SMOOTH * self.width
        image, depth = np.empty((high, wide, 3), dtype=np.float32), np.empty((high, wide), dtype=np.float32)
        axes, target = self.camera.axes(), self.camera.targets[row]
        eye = target + self.camera.distance * self.camera.direction
        focal = 0.5 * high / np.tan(ANGLE / 2)
        near = 1e-3 * self.camera.distance

        solid = [self._bodies_at(frames, row), *self._bent(frames, row)]
        parts = [*solid, *self._marks(frames, row)]
        ground = self.scene.ground
        level = float(ground) if ground is not None and "ground" in self.layers and eye[2] > ground else np.nan
        reach, spacing = 4.0 * max(self.camera.span, 0.35 * self.camera.distance), grid_spacing(self.camera.span)
        right, up, back = np.ascontiguousarray(axes.T)
        sky, fields = surroundings(self.scene.water)
        raster.draw_background(right, up, back, eye, focal, level, spacing, np.array(target), reach, sky, fields, depth, image)
        if np.isfinite(level):
            mask = np.zeros((high, wide), dtype=np.float32)
            for points, faces, *_ in solid:
                flat = points - np.maximum(points[:, 2] - level, 0.0)[:, None] * LIGHT / LIGHT[2]
                flat[:, 2] = level
                raster.draw_shadow(np.ascontiguousarray((flat - eye) @ axes), faces, focal, near, depth, mask)
            soft = uniform_filter(uniform_filter(mask, max(1, int(SOFT * high))), max(1, int(SOFT * high)))
            image *= 1.0 - SHADOW * soft[..., None]
        for other in ghosts:
            self._paint(self._bodies_at(frames, other), GHOST, eye, axes, focal, near, depth, image)
        for part in parts:
            self._paint(part, 1.0, eye, axes, focal, near, depth, image)
        if self.scene.water:
            shown = self.scene.surface is not None and "water" in self.layers and eye[2] > self.scene.surface
            surface = float(self.scene.surface) if shown and self.scene.surface is not None else np.nan
            clear = np.array([self.camera.distance, CLEAR * self.camera.distance])
            wave = 0.9 * grid_spacing(self.camera.span)
            look = (reach, clear, sky.mean(axis=0), np.array(GLINT))
            raster.draw_water(right, up, back, eye, focal, surface, wave, np.array(target), *look, depth, image)
        picture = np.empty((self.height, self.width, 3), dtype=np.uint8)
        raster.smaller(image, SMOOTH, picture)
        return picture

    def _paint(self, part, share, eye, axes, focal, near, depth, image) -> None:
        points, faces, normals, colors, opacity = part
        sun = normals @ self._light
        lights = raster.AMBIENT + (1 - raster.AMBIENT) * np.where(sun > 0, sun, -0.25 * sun)
        lights = np.minimum(lights * 1.12, 1.1)
        seen = np.ascontiguousarray((points - eye) @ axes)
        order = np.argsort(-opacity, kind="stable") if np.any(opacity != 1.0) else slice(None)  # clear ones last
        arrays = (np.ascontiguousarray(x[order]) for x in (faces, colors, lights))
        faces, colors, lights = arrays
        raster.draw_faces(seen, faces, colors, lights, focal, near, depth, image, share * np.ascontiguousarray(opacity[order]))

    def _bodies_at(self, frames: Frames, row: int):
        poses = (
            np.where(self._standing[:, None, None], np.eye(4), frames.poses[row][np.maximum(self._bodies, 0)])
            if len(self._bodies)
            else np.zeros((0, 4, 4))
        )
        poses = poses @ self._places
        turn, shift = poses[:, :3, :3], poses[:, :3, 3]
        own = turn[self._owners]
        points = (own @ self._vertices[:, :, None])[:, :, 0] + shift[self._owners]
        normals = np.einsum("mij,mkj->mki", turn[self._owners[self._faces[:, 0]]], self._normals)
        return points, self._faces, normals, self._colors, self._opacity

    def _bent(self, frames: Frames, row: int) -> list:
        """Struts and tubes."""
        found = []
        for strut in self.scene.struts:
            if strut.layer in self.layers:
                found.append((strut_mesh(strut, frames.poses[row]), strut.color))
        shared = tube_limits(self.scene.tubes, frames.tubes)
        for tube, (poses, values) in zip(self.scene.tubes, frames.tubes, strict=True):
            radius = np.maximum(tube.radius, THINNEST * self.camera.distance)
            mesh = Mesh(tube_vertices(poses[row], radius, tube.profile), tube_faces(poses.shape[1]))
            limits = tube.limits or shared.get((tube.title, tube.unit), (0.0, 1.0))
            found.append((mesh, tube.color if values is None else scaled(tube_values(values[row]), *limits)))
        return painted(found)

    def _marks(self, frames: Frames, row: int) -> list:
        """What is not there: arrows, the net path, the center of mass."""
        found, size = [], self.scene.size
        if "forces" in self.layers:
            for arrow in frames.arrows:
                vector = arrow.vector[row] / frames.scales.get(arrow.unit, np.inf)
                if np.linalg.norm(vector) > 0.01 * size:
                    found.append((arrow_mesh(arrow.at[row], vector, 0.011 * size), rgba(ARROWS[arrow.kind])))
        if "path" in self.layers and frames.path is not None:
            until = frames.path[: int(np.searchsorted(np.asarray(frames.path_t), frames.t[row], side="right"))]
            if len(until) > 1:
                found.append((path_mesh(until, 0.0022 * self.camera.distance), rgba(PATH)))
        if "center" in self.layers and frames.center is not None:
            found.append((sphere(0.05 * size, rings=8).moved(shifted(frames.center[row])), rgba(CENTER)))
        if "water" in self.layers and len(self.scene.specks):
            speck = sphere(0.0022 * self.camera.distance, rings=3).vertices, sphere(1.0, rings=3).faces
            dots = [Mesh(speck[0] + place, speck[1]) for place in self.scene.specks]
            found.append((joined(dots), rgba(SPECK)))
        return painted(found) + self._presses(frames, row) + self._flow(frames, row)

    def _flow(self, frames: Frames, row: int) -> list:
        """The plane of the flow: its vorticity, and arrows of its velocity."""
        stream, flow, found = self.scene.stream, frames.flow, []
        if stream is None or flow is None:
            return []
        if "stream" in self.layers:
            for at, vector in zip(*stream_arrows(stream, flow, float(frames.t[row])), strict=True):
                found.append((arrow_mesh(at, vector, 0.035 * (stream.x[1] - stream.x[0]) * STEPS), rgba(STREAM)))
        plane, largest = [], float(abs(flow.vorticity).max())
        if "flow" in self.layers and largest > 0:
            mesh, colors, opacity = stream_mesh(stream, flow, float(frames.t[row]), largest)
            lit = np.broadcast_to(self._light, (len(mesh.faces), 3, 3))
            plane = [(mesh.vertices, mesh.faces.astype(np.int64), lit, colors, opacity)]
        return painted(found) + plane

    def _presses(self, frames: Frames, row: int) -> list:
        """Discs of what contacts carry, and their cones of friction."""
        largest, discs, cones = largest_load(frames.presses), [], []
        for press in frames.presses:
            pose = disc_pose(press, row, self.scene.size, largest) if "pressure" in self.layers else None
            if pose is not None:
                discs.append((disc().moved(pose), scaled(press.load[row : row + 1], 0.0, largest)))
            pose = cone_pose(press, row, frames.scales, largest) if "cones" in self.layers else None
            if pose is not None:
                cones.append((cone().moved(pose), rgba(ARROWS["cone"])))
        return painted(discs) + painted(cones, CONE)


def painted(found: list[tuple[Mesh, Any]], opacity: float = 1.0) -> list:
    """Meshes with a colour each, or one for each face, as one part of a picture; no part if there are none."""
    if not found:
        return []
    whole = joined([mesh for mesh, _ in found])
    normals = corner_normals(whole.vertices, whole.faces, merge=False)
    colors = [np.broadcast_to(np.asarray(color)[..., :3], (len(mesh.faces), 3)) for mesh, color in found]
    return [(whole.vertices, whole.faces.astype(np.int64), normals, np.concatenate(colors), np.full(len(whole.faces), opacity))]


def shifted(point: np.ndarray) -> np.ndarray:
    """(4, 4) pose of a displacement."""
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose


def grid_spacing(span: float) -> float:
    """A round length of about a third of what is seen, m."""
    raw = max(span, 1e-9) / 3
    power = 10.0 ** np.floor(np.log10(raw))
    return float(max(k * power for k in (1, 2, 5) if k * power <= raw * 1.0001))
