"""A run as a file of rerun (.rrd): bodies with their shapes, and every channel as a curve."""

import os
from pathlib import Path

import numpy as np

from locomote.errors import FileError
from locomote.files import reason
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory
from locomote.spatial.rotations import quaternion_of_matrix
from locomote.view.exports.motion import WORLD, motion_of, plain

CLOCK = "t"


def to_rerun(run: Trajectory, path) -> Path:
    """Write a run for the viewer of rerun."""
    rr = package("rerun", "a run for rerun", "rerun-sdk")
    path, motion = Path(path), motion_of(run)
    run, frames = motion.run, motion.frames
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.touch()  # says why, if nothing can be written there
        stream = rr.RecordingStream("locomote", recording_id=None)
        stream.save(str(draft))
        stream.log(WORLD, rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        for n, piece in enumerate(motion.pieces):
            place = piece.placement
            corners = piece.mesh.vertices @ place[:3, :3].T + place[:3, 3]
            own = f"{WORLD}/{motion.body(piece)}" if piece.body >= 0 else WORLD
            tint = [round(255 * x) for x in piece.color]
            normals = piece.mesh.normals.reshape(-1, 3) @ place[:3, :3].T
            faces = piece.mesh.faces
            flat = corners[faces].reshape(-1, 3)  # a normal for each corner of each face
            given = {"vertex_normals": normals} if len(normals) == len(flat) else {}
            mesh = rr.Mesh3D(vertex_positions=flat, triangle_indices=np.arange(len(flat)).reshape(-1, 3),
                             vertex_colors=np.tile(tint, (len(flat), 1)), **given)  # fmt: skip
            stream.log(f"{own}/shapes/{n}", mesh, static=True)
        clock = [rr.TimeColumn(CLOCK, duration=frames.t - run.t[0])]
        for k, name in enumerate(motion.names):
            poses = frames.poses[:, k]
            turns = np.stack(quaternion_of_matrix(tuple(poses[:, :3, :3].reshape(-1, 9).T)), axis=-1)
            moves = rr.Transform3D.columns(translation=poses[:, :3, 3], quaternion=turns)
            stream.send_columns(f"{WORLD}/{name}", indexes=clock, columns=moves)
        for tube, (poses, _) in zip(motion.scene.tubes, frames.tubes, strict=True):
            for t, places in zip(frames.t - run.t[0], poses[..., :3, 3], strict=True):
                stream.set_time(CLOCK, duration=float(t))
                wide, tint = float(np.mean(tube.radius)), [round(255 * x) for x in tube.color]
                stream.log(f"{WORLD}/rods/{plain(tube.name)}", rr.LineStrips3D([places], radii=wide, colors=[tint]))
        samples = [rr.TimeColumn(CLOCK, duration=run.t - run.t[0])]
        for channel in run.channels:
            if channel.name != "t":
                own = "/".join(["channels", *map(plain, channel.name.split("."))])
                stream.send_columns(own, indexes=samples, columns=rr.Scalars.columns(scalars=np.asarray(run[channel.name])))
        stream.flush()
        stream.disconnect()
        os.replace(draft, path)
    except OSError as error:
        raise FileError(path, f"cannot be written: {reason(error)}") from None
    finally:
        draft.unlink(missing_ok=True)
    return path
