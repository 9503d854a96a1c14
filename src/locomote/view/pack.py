"""A scene and its motion as text for a page: small numbers in base64, so that one file holds everything."""

import base64
from typing import Any

import numpy as np

from locomote.geometry.meshes import Mesh, simplified
from locomote.spatial.rotations import quaternion_of_matrix
from locomote.view.bent import AROUND, round_profile
from locomote.view.camera import camera_for, upright
from locomote.view.colors import ARROWS, CENTER, PATH, SCALE, SPECK, STREAM, VORTICITY, rgba, surroundings
from locomote.view.draw import CLEAR, CONE, grid_spacing
from locomote.view.presses import DISC, LIFT, SEEN, largest_load
from locomote.view.scene import LAYERS, Flowing, Frames, Press, Scene, Stream, tube_limits
from locomote.view.waters import STEPS, STRONG, stream_arrows

FACES = 24_000  # most faces of all pieces together
MOMENTS = 160  # at which a flow is kept
ARROW_COUNT, PRESS_COUNT = 40, 24  # most of each: the largest


def text(array: np.ndarray, kind: str) -> str:
    """An array as base64 of little-endian numbers of a kind, such as "<f4"."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def turns(R: np.ndarray) -> np.ndarray:
    """(..., 4) quaternions x y z w as integers of 16 bits."""
    q = np.stack(quaternion_of_matrix(tuple(R.reshape(-1, 9).T)), axis=-1)
    return np.round(q * 32767).reshape(*R.shape[:-2], 4)


def packed_mesh(mesh: Mesh) -> dict[str, Any]:
    """Corners in 16 bits of their box, faces, normals in 8 bits, shades in 8 bits."""
    low, span = mesh.vertices.min(axis=0), np.ptp(mesh.vertices, axis=0).max() or 1.0
    places = np.round((mesh.vertices - low) / span * 65535)
    wide = len(mesh.vertices) > 65535
    return {
        "low": low.tolist(),
        "span": float(span),
        "v": text(places, "<u2"),
        "f": text(mesh.faces, "<u4" if wide else "<u2"),
        "wide": wide,
        "n": text(np.round(mesh.normals * 127), "<i1"),
        "s": None if mesh.shades is None else text(np.round(mesh.shades * 200), "<u1"),
    }


def packed_scene(scene: Scene, frames: Frames, *, faces: int = FACES) -> dict[str, Any]:
    """Everything that the page draws."""
    pieces = [piece for piece in scene.pieces if len(piece.mesh.faces)]
    share = min(1.0, faces / max(1, sum(len(piece.mesh.faces) for piece in pieces)))
    packed = []
    for piece in pieces:
        mesh = piece.mesh if share >= 1 else simplified(piece.mesh, max(40, int(share * len(piece.mesh.faces))))
        own = {"name": piece.name, "body": int(piece.body), "layer": piece.layer, "color": list(piece.color)}
        packed.append(own | {"place": piece.placement.T.ravel().tolist()} | packed_mesh(mesh))
    camera = camera_for(scene, frames, 1.5)
    sky, fields = surroundings(scene.water)
    shared = tube_limits(scene.tubes, frames.tubes)
    arrows = sorted(frames.arrows, key=lambda a: -float(np.nanmax(np.linalg.norm(a.vector, axis=1))))[:ARROW_COUNT]
    return {
        "name": scene.name,
        "size": scene.size,
        "bodies": list(scene.bodies),
        "layers": {name: list(words) for name, words in LAYERS.items() if name not in ("frames", "ghosts")},
        "pieces": packed,
        "struts": [
            {"color": list(s.color), "radius": s.radius, "bodies": list(s.bodies), "points": [p.tolist() for p in s.points],
             "layer": s.layer} for s in scene.struts
        ],
        "ground": scene.ground,
        "spacing": grid_spacing(camera.span),
        "camera": {"direction": camera.direction.tolist(), "distance": camera.distance, "targets": text(camera.targets, "<f4"),
                   "turn": upright(scene.up).tolist(),
                   "whole": camera.whole and {"target": camera.whole[0].tolist(), "distance": camera.whole[1]}},
        "t": text(frames.t - frames.t[0], "<f4"),
        "start": float(frames.t[0]),
        "positions": text(frames.poses[:, :, :3, 3], "<f4"),
        "turns": text(turns(frames.poses[:, :, :3, :3]), "<i2"),
        "arrows": [
            {"name": a.name, "kind": a.kind, "unit": a.unit, "color": list(rgba(ARROWS[a.kind])), "at": text(a.at, "<f4"),
             "vector": text(a.vector / frames.scales.get(a.unit, 1.0), "<f4")} for a in arrows
        ],
        "scales": frames.scales,
        "surface": scene.surface if scene.water else None,
        "water": sky.mean(axis=0).tolist() if scene.water else None,
        "clear": CLEAR,
        "specks": text(scene.specks, "<f4"),
        "flow": None if scene.stream is None or frames.flow is None else packed_flow(scene.stream, frames.flow, frames.t[0]),
        "presses": packed_presses(frames.presses),
        "center": None if frames.center is None else text(frames.center, "<f4"),
        "path": None if frames.path is None or frames.path_t is None else
        {"points": text(frames.path, "<f4"), "t": text(frames.path_t - frames.t[0], "<f4")},
        "colors": {"path": list(rgba(PATH)), "center": list(rgba(CENTER)), "scale": SCALE.tolist(),
                   "speck": list(rgba(SPECK)), "stream": list(rgba(STREAM)),
                   "cone": [*rgba(ARROWS["cone"], CONE)], "sky": sky.mean(axis=0).tolist(), "fields": fields.tolist()},
        "tubes": [packed_tube(tube, *moves, shared) for tube, moves in zip(scene.tubes, frames.tubes, strict=True)],
        "around": AROUND,
    }  # fmt: skip


def packed_flow(stream: Stream, flow: Flowing, start: float) -> dict[str, Any]:
    """A flow on its grid over time: vorticity in 8 bits, and arrows of some places."""
    rows = np.unique(np.linspace(0, len(flow.t) - 1, min(len(flow.t), MOMENTS)).astype(int))
    largest = float(abs(flow.vorticity).max())
    places, arrows = zip(*(stream_arrows(stream, flow, float(t)) for t in flow.t[rows]), strict=True)
    share = flow.vorticity[rows] / (largest or 1.0)
    return {
        "x": stream.x.tolist(), "y": stream.y.tolist(), "level": stream.level, "largest": largest, "strong": STRONG,
        "t": text(flow.t[rows] - start, "<f4"), "turns": text(np.round(127 * share), "<i1"), "colors": VORTICITY.tolist(),
        "wide": STEPS * float(stream.x[1] - stream.x[0]), "at": places[0].tolist(), "arrows": text(np.array(arrows), "<f4"),
    }  # fmt: skip


def packed_presses(presses: tuple[Press, ...]) -> dict[str, Any]:
    """What contacts carry over time, those with the largest loads."""
    chosen = sorted(presses, key=lambda press: -float(np.nanmax(press.load)))[:PRESS_COUNT]
    numbers = {"largest": largest_load(presses), "disc": DISC, "lift": LIFT, "seen": SEEN}
    return numbers | {"places": [
        {"name": press.name, "friction": list(press.friction), "at": text(press.at, "<f4"),
         "turns": text(turns(press.axes), "<i2"), "load": text(press.load, "<f4")} for press in chosen
    ]}  # fmt: skip


def packed_tube(tube, poses: np.ndarray, values: np.ndarray | None, shared) -> dict[str, Any]:
    """A shape that bends: sections over time."""
    radius = np.asarray(tube.radius, dtype=float)
    radii = np.broadcast_to(np.column_stack([radius, radius]) if radius.ndim < 2 else radius, (poses.shape[1], 2))
    limits = tube.limits or shared.get((tube.title, tube.unit), (0.0, 1.0))
    return {
        "name": tube.name, "layer": tube.layer, "color": list(tube.color), "title": tube.title, "unit": tube.unit,
        "profile": (round_profile() if tube.profile is None else tube.profile).tolist(), "count": poses.shape[1],
        "radii": radii.tolist(), "positions": text(poses[..., :3, 3], "<f4"),
        "turns": text(turns(poses[..., :3, :3]), "<i2"), "limits": list(limits),
        "values": None if values is None else text(values, "<f4"),
    }  # fmt: skip
