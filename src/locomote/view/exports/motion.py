"""What exports of motion share: the scene of a run, its instants, and names that other programs take."""

import re
from dataclasses import dataclass

import numpy as np

from locomote.runs.trajectory import Trajectory
from locomote.view.build import scene_of
from locomote.view.frames import frames_of, shown
from locomote.view.scene import LAYERS, Frames, Piece, Scene

MOST = 2000  # instants
WORLD = "world"


def plain(name: str) -> str:
    """A name of letters, digits and lines only."""
    return re.sub(r"[^\w-]+", "_", name) or "_"


@dataclass(frozen=True, eq=False)
class Motion:
    """A run as it is exported: its samples, or some of them, and what there is to see then."""

    run: Trajectory
    scene: Scene
    frames: Frames

    @property
    def pieces(self) -> list[Piece]:
        """What moves with bodies, or stands in the world, and is shown at first."""
        return [piece for piece in self.scene.pieces if len(piece.mesh.faces) and LAYERS[piece.layer][1]]

    def body(self, piece: Piece) -> str:
        """The frame that a piece moves with."""
        return self.names[piece.body] if piece.body >= 0 else WORLD

    @property
    def names(self) -> list[str]:
        """Names of bodies, plain and different from each other and from the world."""
        found: list[str] = []
        for name in self.scene.bodies:
            own = plain(name)
            while own in (*found, WORLD):
                own += "_"
            found.append(own)
        return found


def motion_of(run: Trajectory) -> Motion:
    """A run at its samples, fewer where there are very many."""
    run = shown(run)
    scene = scene_of(run.model, run.problem, run.q)
    rows = np.unique(np.linspace(0, len(run) - 1, min(len(run), MOST)).round().astype(int))
    times = np.unique(run.t[rows])
    return Motion(run, scene, frames_of(scene, run, times))
