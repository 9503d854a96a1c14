"""What the parts of the SDF reader share while they read one file."""

from dataclasses import dataclass

from locomote.formats.faults import Faults
from locomote.formats.meshes import MeshFinder
from locomote.formats.sdf.frames import Frames
from locomote.formats.unsupported import Unsupported


@dataclass(frozen=True)
class Reading:
    """The frames of a file, and where to note what is wrong.

    prefix : of full names in the model that is read ; policy : of inertias
    """

    frames: Frames
    prefix: str
    meshes: MeshFinder
    unsupported: Unsupported
    policy: str
    faults: Faults

    def named(self, full: str) -> str:
        """A full name as the model knows it."""
        return full.removeprefix(self.prefix)
