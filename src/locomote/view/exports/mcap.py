"""A run as an MCAP file, which Foxglove opens: `/tf` moves the bodies, `/scene` has their shapes, `/run` every channel.

Messages are JSON with the schemas of Foxglove (foxglove.FrameTransforms, foxglove.SceneUpdate), so that its panels show them
without any set-up. The clock starts at the time of the run.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from locomote.runs.files.files import whole_file
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory
from locomote.spatial.rotations import quaternion_of_matrix
from locomote.view.exports.motion import WORLD, Motion, motion_of

XYZ, XYZW = ("x", "y", "z"), ("x", "y", "z", "w")
STAMP = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}


def vector(values, names=XYZ) -> dict[str, float]:
    """Numbers by names."""
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def stamp(t: int) -> dict[str, int]:
    """A time, ns, as Foxglove has it."""
    return {"sec": t // 10**9, "nsec": t % 10**9}


def turned(R: np.ndarray) -> dict[str, float]:
    """A rotation (3, 3) as a quaternion."""
    return vector(np.ravel(quaternion_of_matrix(tuple(R.reshape(9)))), XYZW)


def pose(T: np.ndarray) -> dict[str, Any]:
    """A pose (4, 4)."""
    return {"position": vector(T[:3, 3]), "orientation": turned(T[:3, :3])}


def color(values) -> dict[str, float]:
    """A colour with its opacity."""
    return vector(values, ("r", "g", "b", "a"))


def transforms(motion: Motion, row: int, t: int) -> dict[str, Any]:
    """Where all bodies are."""
    poses = motion.frames.poses[row]
    return {"transforms": [
        {"timestamp": stamp(t), "parent_frame_id": WORLD, "child_frame_id": name, "translation": vector(T[:3, 3]),
         "rotation": turned(T[:3, :3])} for name, T in zip(motion.names, poses, strict=True)
    ]}  # fmt: skip


def entity(name: str, frame: str, t: int, **shapes) -> dict[str, Any]:
    """Something to see, until it is replaced."""
    empty = {kind: [] for kind in ("arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models")}
    own = {"timestamp": stamp(t), "frame_id": frame, "id": name, "lifetime": stamp(0), "frame_locked": True, "metadata": []}
    return own | empty | shapes


def shapes(motion: Motion, t: int) -> dict[str, Any]:
    """All pieces, each on its body."""
    found = []
    for n, piece in enumerate(motion.pieces):
        mesh = piece.mesh
        triangles = {"pose": pose(piece.placement), "points": [vector(p) for p in mesh.vertices.tolist()],
                     "indices": np.ravel(mesh.faces).tolist(), "color": color(piece.color), "colors": []}  # fmt: skip
        found.append(entity(f"{n} {piece.name}", motion.body(piece), t, triangles=[triangles]))
    return {"deletions": [], "entities": found}


def bent(motion: Motion, row: int, t: int) -> dict[str, Any]:
    """Shapes that bend, as thick lines."""
    found = []
    for tube, (poses, _) in zip(motion.scene.tubes, motion.frames.tubes, strict=True):
        line = {"type": 0, "pose": pose(np.eye(4)), "thickness": 2 * float(np.mean(tube.radius)), "scale_invariant": False,
                "points": [vector(p) for p in poses[row, :, :3, 3].tolist()], "color": color(tube.color), "colors": [],
                "indices": []}  # fmt: skip
        found.append(entity(tube.name, WORLD, t, lines=[line]))
    return {"deletions": [], "entities": found}


def channels(run: Trajectory) -> dict[str, Any]:
    """The schema of the numbers of a run."""
    own = {c.name: {"type": "number", "description": c.unit} for c in run.channels}
    return {"type": "object", "title": "run", "properties": own}


def to_mcap(run: Trajectory, path) -> Path:
    """Write a run as MCAP."""
    package("mcap", "a run as MCAP", "mcap")
    from mcap.writer import Writer

    motion = motion_of(run)
    run = motion.run
    schemas = {"/tf": "foxglove.FrameTransforms", "/scene": "foxglove.SceneUpdate", "/run": "locomote.Run"}
    with whole_file(path) as stream:
        writer = Writer(stream)
        writer.start(profile="", library="locomote")
        topics = {}
        for topic, name in schemas.items():
            said = channels(run) if topic == "/run" else {"type": "object", "title": name, "properties": {"timestamp": STAMP}}
            schema = writer.register_schema(name=name, encoding="jsonschema", data=json.dumps(said).encode())
            topics[topic] = writer.register_channel(topic=topic, message_encoding="json", schema_id=schema)

        def put(topic: str, t: int, data: dict[str, Any]) -> None:
            writer.add_message(topics[topic], log_time=t, publish_time=t, data=json.dumps(data).encode())

        start = min(0, round(1e9 * float(run.t[0])))  # times of files are not negative
        at = [round(1e9 * float(t)) - start for t in motion.frames.t]
        put("/scene", at[0], shapes(motion, at[0]))
        for row, t in enumerate(at):
            put("/tf", t, transforms(motion, row, t))
            if motion.scene.tubes:
                put("/scene", t, bent(motion, row, t))
        columns = {c.name: np.asarray(run[c.name]) for c in run.channels}
        for k, time in enumerate(run.t):
            row = {name: float(values[k]) for name, values in columns.items()}
            put("/run", round(1e9 * float(time)) - start, {x: v if np.isfinite(v) else None for x, v in row.items()})
        told = {"model": run.model.name} | {x: str(v) for x, v in run.info.items() if isinstance(v, str | int | float)}
        writer.add_metadata("locomote", told)
        writer.finish()
    return Path(path)
