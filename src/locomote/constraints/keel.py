"""No sideways motion anywhere along a rod: a field of rows, made finite in one of two ways.

With w(X) the sideways velocity of the section at X, and lam(X) the force per length that keeps it zero,

    at points     w(X_s) = 0 at Gauss points X_s ,   lam(X_s) is the reaction of row s                                      (1)
    by motions    sum of l_s phi_j(X_s) w(X_s) = 0 ,   lam = sum of phi_j mu_j                                              (2)

l_s is the length that section s stands for, phi_j the sideways velocity of its sections that a motion j of the root of the rod
alone would give. (1) suits a rod that bends as it likes: with one row more than it has coordinates of bending, what is left
free is to go along the track, and to steer at the end. Where bending is imposed there are more sections than motions that
could meet them; (2) then gives the motion that slips least, and of all forces that can hold it the least in the mean square, as
Boyer and Porez do. If the imposed wave fits a track, both are those of the continuous rod.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.constraints import columns as col
from locomote.constraints.kinds import Constraint, y_along
from locomote.geometry.shape import Vector
from locomote.model.flexible.along import Along, own_nodes, rod_of
from locomote.model.flexible.rod_packing import gauss, shapes_of
from locomote.model.flexible.rods import STRAINS
from locomote.model.model import Model, twelve

LETTERS = "xyzabc"  # shifts along and turns about the axes of the root
SIDEWAYS = (("stretch",), ("bending_z", "shear_y"), ("bending_y", "shear_z"))  # what moves sections along x, y, z


@dataclass(frozen=True)
class Keel(Constraint):
    """No sideways motion of a rod from `start` to `end`: the keel of a boat, the belly of a snake in its track.

    body : name of the rod ; start, end : X of the stretch, m; to the tip if end is None
    side : the held direction, in the axes of the sections
    rows : at how many Gauss points of the stretch it is held ; motions : or, letters of "xyzabc", for which motions of the root
        in the mean. If neither is said: one more point than the rod has free coordinates that bend it to that side; if it has
        none, all motions that its root can make
    The force per length that holds it is `lo.rods.reaction_field`; at points it is the reaction of the row, N/m.
    """

    body: str
    start: float = 0.0
    end: float | None = None
    side: Vector = (0.0, 1.0, 0.0)
    other: str | None = None
    rows: int | None = None
    motions: str | None = None

    def on(self, model: Model, imposed: Sequence[bool], root: str) -> "KeelRows":
        """Its rows on a model. imposed : whether each coordinate of the rod is ; root : letters of what its root can do"""
        rod = rod_of(model, self.body)
        end = float(rod.length) if self.end is None else self.end
        if not 0.0 <= self.start < end <= float(rod.length) * (1 + 1e-12):
            raise ValueError(
                f"it goes from X = {self.start!r} to {end!r} m, expected a stretch of rod {self.body!r}, which is "
                f"{rod.length:g} m long"
            )
        if self.rows is not None and self.motions is not None:
            raise ValueError("give either rows, which are points, or motions, not both")
        if self.rows is not None and (not isinstance(self.rows, int) or isinstance(self.rows, bool) or self.rows < 1):
            raise ValueError(f"rows is {self.rows!r}, expected the number of points, 1 or more")
        letters, rows = self.motions, self.rows
        if letters is not None and (not letters or not set(letters) <= set(LETTERS) or len(set(letters)) != len(letters)):
            raise ValueError(f"motions is {letters!r}, expected some of the letters {LETTERS!r}, each once")
        if letters is None and rows is None:
            rows = self._points(rod, imposed)
            letters = None if rows else root
            if not rows and not root:
                raise ValueError(f"rod {self.body!r} is imposed and its root cannot move: there is nothing that it could hold")
        places, shares = gauss([(self.start, end)], rows or own_nodes(rod, end - self.start))
        return KeelRows(
            self.body, tuple(map(float, places)), tuple(map(float, shares)), self.side, self.other, letters or "",
            name=self.title,
        )  # fmt: skip

    def _points(self, rod, imposed: Sequence[bool]) -> int:
        free = [STRAINS[c] for (c, _, _), held in zip(shapes_of(rod)[0], imposed, strict=True) if not held]
        counts = [free.count(name) for x, names in zip(self.side, SIDEWAYS, strict=True) if x for name in names]
        return max(counts, default=0) + 1 if any(counts) else 0


@dataclass(frozen=True)
class KeelRows(Constraint):
    """A keel whose rows are decided.

    sections, shares : X of where it is looked at, and the length that each stands for, m
    motions : letters of the motions of (2); empty: (1)
    """

    body: str
    sections: tuple[float, ...]
    shares: tuple[float, ...]
    side: Vector
    other: str | None
    motions: str

    @property
    def bodies(self) -> list[Along]:
        """The sections."""
        return [Along(self.body, x) for x in self.sections]

    @property
    def labels(self):
        return tuple(self.motions or (f"side at {x:.4g} m" for x in self.sections))

    @property
    def units(self):
        return tuple("N/m" if letter in "xyz" else "N/m^2" for letter in self.motions) or ("N/m",) * len(self.sections)

    @property
    def holonomic(self):
        return (False,) * len(self.labels)

    @property
    def mask(self) -> int:
        """The motions as one number, one bit each; they are in the order of their letters."""
        return sum(1 << LETTERS.index(letter) for letter in self.motions)

    def pack(self, tables, owner):
        """One elementary constraint for each section; those of motions add up in the same rows."""
        first, frame = tables.rows, np.eye(4)
        frame[:3, :3] = y_along(self.side)
        root, pose = tables.carried(self.body, np.eye(4))
        sections = list(zip(self.bodies, self.shares, strict=True))
        for section, share in reversed(sections) if self.motions else sections:  # from the tip on, see `keel_rows`
            count = len(self.motions) or 1
            integers, numbers = tables.put(owner, col.KEEL, count, str(section), self.other, frame, np.eye(4))
            numbers[col.FRAME_A : col.FRAME_A + 12], numbers[col.LENGTH] = twelve(pose), share
            integers[[col.ROOT, col.MOTIONS]] = root, self.mask
            if self.motions:
                integers[col.FIRST], tables.rows = first, first + count

    def densities(self, rotations: np.ndarray, places: np.ndarray, root: np.ndarray, reactions: np.ndarray) -> np.ndarray:
        """(n, sections) force per length along `side`, N/m, from reactions (n, rows), rotations and places of the sections
        (n, sections, 3, 3) and (n, sections, 3), and poses of the root (n, 4, 4), in the world."""
        if not self.motions:
            return reactions
        side = rotations @ (np.asarray(self.side) / np.linalg.norm(self.side))
        arm = places - root[:, None, :3, 3]
        result = np.zeros(places.shape[:2])
        for letter, mu in zip(self.motions, reactions.T, strict=True):
            k = LETTERS.index(letter)
            axis = root[:, None, :3, k % 3]
            moved = np.broadcast_to(axis, arm.shape) if k < 3 else np.cross(axis, arm)
            result += np.einsum("nsi,nsi->ns", side, moved) * mu[:, None]
        return result
