"""All flexible bodies of a model as packed arrays, and the record that their kernels read (`kernels.flexible.columns`)."""

from functools import cached_property

import numpy as np

from locomote.compiler.records import Floats, Ints, Matrix, Record, Table
from locomote.model import columns as col
from locomote.model.description import Body
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.modes_packing import pack_modes
from locomote.model.flexible.rod_limits import RodLimits
from locomote.model.flexible.rod_packing import PackedRod, pack_rod
from locomote.model.joints import ATTACHED

RODS, STRAINS = 14, 36  # columns of `rods` and of `strain`


class Tree(Record):
    """A model with flexible bodies, for kernels."""

    topology: Table
    constants: Matrix
    rods: Table
    stations: Matrix
    basis: Floats
    components: Ints
    hung: Table
    elastic: Floats
    viscous: Floats


def band_of(rod: PackedRod) -> int:
    """How far from the diagonal stiffness and damping of a rod are not zero: 0 if both are diagonal."""
    rows, columns = np.nonzero((rod.elastic != 0) | (rod.viscous != 0))
    return int(abs(rows - columns).max(initial=0))


class Flexible:
    """The flexible bodies of a description, packed one by one as their rows are made.

    rods : by name of the body ; hung : (station, first coordinate of v, first after it) of what hangs on stations
    strain : (stations, 36) without load
    """

    def __init__(self, rods: dict[str, PackedRod]):
        self.rods, self.order, self._first, self._start, self._places = rods, [], {}, {}, {}
        self._table: list[list[int]] = []
        self.hung = np.zeros((0, 3), np.int64)

    @classmethod
    def of(cls, bodies: list[Body]) -> "Flexible":
        """All rods among the bodies, with stations wherever a body hangs."""
        attached: dict[str, list[float]] = {body.name: [] for body in bodies if body.flex is not None}
        modal = {body.name for body in bodies if isinstance(body.flex, Modes)}
        for body in bodies:
            if body.parent in attached and body.along is not None and (body.along > 0.0 or body.parent in modal):
                attached[body.parent].append(float(body.along))
        packed = {}
        for body in bodies:
            if isinstance(body.flex, Modes):
                packed[body.name] = pack_modes(body.flex, body.name, attached[body.name])
            elif body.flex is not None:
                packed[body.name] = pack_rod(body.flex, body.name, attached[body.name])
        return cls(packed)

    @property
    def count(self) -> int:
        """How many have been packed."""
        return len(self.order)

    def add(self, name: str, row: int, nq: int, nv: int) -> int:
        """Note that the row of a body is this one; gives its number among flexible bodies."""
        rod, before = self.rods[name], [self.rods[n] for n in self.order]
        first = sum(len(r.places) for r in before)
        size = len(rod.names)
        active = int(sum({1 << int(c) for c in rod.components}))
        self._first[name], self._start[name] = row, first
        self._table.append([
            row, first, len(rod.places), nq, nv, size, sum(r.basis.size for r in before),
            sum(len(r.names) for r in before), sum(r.elastic.size for r in before), 0, 0, active, rod.modal, band_of(rod),
        ])  # fmt: skip
        self.order.append(name)
        return len(self.order) - 1

    def stations(self, name: str) -> range:
        """Numbers of the stations of a body among all."""
        return range(self._start[name], self._start[name] + len(self.rods[name].places))

    def carrier(self, body: Body) -> int:
        """The row that a body on a rod hangs on."""
        assert body.parent is not None
        rod, row = self.rods[body.parent], self._first[body.parent]
        if body.along is None:
            return row + len(rod.places)
        return row if body.along == 0.0 and not rod.modal else row + 1 + rod.station(body.along)

    def put_inertias(self, topology: np.ndarray, constants: np.ndarray) -> None:
        """Add the inertias of stations to the rows of constants."""
        for name in self.order:
            first, inertias = self._first[name] + 1, self.rods[name].inertias
            constants[first : first + len(inertias), col.MASS : col.MASS + col.INERTIA_WIDTH] += inertias

    def own_inertia(self, row: int) -> np.ndarray:
        """(10,) inertia that a row has of a flexible body itself: zero if it is none of its stations."""
        for name in self.order:
            station = row - self._first[name] - 1
            if 0 <= station < len(self.rods[name].inertias):
                return self.rods[name].inertias[station]
        return np.zeros(col.INERTIA_WIDTH)

    def hang(self, topology: np.ndarray) -> None:
        """Find what hangs on stations."""
        hung, ends = [], topology[:, col.V] + topology[:, col.V_COUNT]
        for n, (row, first, count, *_) in enumerate(self._table):
            own = []
            for i in range(row + 1, int(topology[row, col.LAST]) + 1):
                on = int(topology[i, col.PARENT]) - row - 1
                if topology[i, col.KIND] != ATTACHED and 0 <= on < count:
                    stop = int(ends[i : int(topology[i, col.LAST]) + 1].max())
                    own.append((first + on, int(topology[i, col.V]), stop))
            self._table[n][9], self._table[n][10] = len(hung), len(own)
            hung += sorted(own)
        self.hung = np.array(hung, np.int64).reshape(-1, 3)

    def tree(self, topology: np.ndarray, constants: np.ndarray) -> Tree:
        """The record for kernels."""
        rods = [self.rods[name] for name in self.order]
        steps = np.concatenate([rod.steps for rod in rods])
        return Tree(
            topology=topology, constants=constants, rods=np.array(self._table, np.int64),
            stations=np.stack([steps, np.sqrt(3.0) / 12.0 * steps**2], axis=1),
            basis=np.concatenate([rod.basis.ravel() for rod in rods]),
            components=np.concatenate([rod.components for rod in rods]).astype(np.int64), hung=self.hung,
            elastic=np.concatenate([rod.elastic.ravel() for rod in rods]),
            viscous=np.concatenate([rod.viscous.ravel() for rod in rods]),
        )  # fmt: skip

    @cached_property
    def limits(self) -> RodLimits:
        """What its rods cannot do."""
        own = {name: self.rods[name] for name in self.order}
        starts = {name: int(row[3]) for name, row in zip(self.order, self._table, strict=True)}
        nq = max(starts[name] + len(rod.names) for name, rod in own.items())
        return RodLimits({name: (rod, starts[name]) for name, rod in own.items() if not rod.modal}, nq)

    def strain(self) -> np.ndarray:
        """(stations, 36) strains at the Gauss points without load, and no rates."""
        own = np.concatenate([self.rods[name].strain.reshape(-1, 12) for name in self.order])
        return np.hstack([own, np.zeros((len(own), STRAINS - 12))])
