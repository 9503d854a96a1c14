"""What the parts of the OpenSim reader share while they read one file."""

from dataclasses import dataclass, field

import numpy as np

from locomote.formats.faults import Faults
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node


@dataclass
class Reading:
    """Where to note what is wrong, and the frames of a file: name -> body (None: ground) and pose in it."""

    faults: Faults
    unsupported: Unsupported
    policy: str
    frames: dict[str, tuple[str | None, np.ndarray]] = field(default_factory=dict)

    def frame(self, text: str, node: Node) -> tuple[str | None, np.ndarray] | None:
        """The frame of a path such as /bodyset/femur_r or ../pelvis_offset; None after a fault."""
        name = text.strip().rstrip("/").rsplit("/", 1)[-1]
        if name in ("ground", ""):
            return None, np.eye(4)
        if name not in self.frames:
            self.faults.add(node, f"frame {name[:60]!r} is not in the file{self.faults.nearest(name, self.frames)}")
            return None
        return self.frames[name]
