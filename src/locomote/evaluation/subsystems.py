"""In which parts the constraints of a problem can be eliminated: found once, from the tree and from what rows can touch.

A subsystem has bodies, their free coordinates (its own), and the rows that are eliminated on these. Bodies that rows hold
together are one subsystem, hung on its anchor, the body from which on all of them have the same ancestors; a body that no row
touches is one by itself. Rows of one subsystem have no entries elsewhere, so that ranks, free motions and self-stress are
its own, and the rest of the tree knows it by the inertia that it adds to its anchor.

Where many branches of one anchor are held together in a row, such as the uprights of a fence by its rails, each branch is a
subsystem of its own as long as it is held to few others. Its rows have then entries at some coordinates of those too, its
border. It is eliminated for any motion of the border, and leaves its inertia there, in the subsystem that comes next.

`local` does that; `pays` says whether it is worth while.
"""

from collections.abc import Iterable

import numpy as np

from locomote.constraints.columns import COUNT as ROW_COUNT
from locomote.constraints.columns import CUSTOM, FIRST, KIND, LINEAR
from locomote.constraints.touched import coordinates_of, joints_between, meeting, owners, path
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.model.model import Model

# columns of `subsystems`: how many there are of what, and from where on they stand in the lists
BODY_FIRST, BODIES, OWN_FIRST, OWN, BORDER_FIRST, BORDER, ROW_FIRST, ROWS = range(8)
ANCHOR, NEXT = 8, 9  # the body that it hangs on; the subsystem that has the border, or -1
EDGE = 10  # entries of the border with the motion of the anchor, which has six if it moves
SQUARE, SIDE, CORNER, ROW_SQUARE, ACROSS, EDGE_FIRST = range(11, 17)  # where its matrices begin, see `local`
COLUMNS = 17
# columns of `part_bodies` of a work: inertia in three blocks, bias wrench, acceleration
LINEAR_BLOCK, COUPLING_BLOCK, ANGULAR_BLOCK, BIAS, ACCELERATION = 0, 6, 15, 21, 27
PART_WIDTH = 33
SPLIT = 16  # coordinates from which on a subsystem is taken apart into branches
WORTH = 0.4  # what the work in parts may be of that on the whole
EACH, EACH_BODY = 400.0, 300.0  # operations of a subsystem and of a body, beside those of its matrices


def subsystems_of(model: Model, imposed: np.ndarray, integers: np.ndarray, linear: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of a plan about subsystems, in the order in which they are eliminated; none if there is no such order."""
    parts = []
    if len(integers) and not model.flexible and not (integers[:, KIND] == CUSTOM).any():
        parts = _Parts(model.topology, imposed, integers, linear).parts()
    return {"owner": owners(integers), **_packed(parts, model.topology, imposed)}


class _Part:
    """A subsystem under construction: lists of numbers, ascending."""

    def __init__(self, bodies: list[int], own: list[int], anchor: int, rows: Iterable[int], border: Iterable[int] = ()):
        self.bodies, self.own, self.anchor, self.rows, self.border = bodies, own, anchor, sorted(rows), sorted(border)


class _Parts:
    """Which bodies belong together, and in which order they go."""

    def __init__(self, topology: np.ndarray, imposed: np.ndarray, integers: np.ndarray, linear: np.ndarray):
        self.topology, self.imposed = topology, imposed
        self.world = len(topology) - 1
        self.body_of_v = np.repeat(np.arange(self.world), topology[:-1, V_COUNT])
        self.leader = list(range(self.world))
        self.holds = [self._bodies_of(row, linear) for row in integers]
        for bodies in self.holds:
            for i in bodies[1:]:
                self.leader[self._leader(i)] = self._leader(bodies[0])
        self.rows = [range(row[FIRST], row[FIRST] + row[ROW_COUNT]) for row in integers]

    def _leader(self, i: int) -> int:
        while self.leader[i] != i:
            self.leader[i] = self.leader[self.leader[i]]
            i = self.leader[i]
        return i

    def _bodies_of(self, row: np.ndarray, linear: np.ndarray) -> list[int]:
        """The bodies that an elementary constraint holds together: whole paths up to one anchor."""
        if row[KIND] != LINEAR:
            return sorted(set(joints_between(self.topology, row)))
        moved = sorted(set(self.body_of_v[coordinates_of(row, linear)].tolist()))
        top = moved[0]
        for i in moved[1:]:
            top = meeting(self.topology, top, i)
        top = int(self.topology[top, PARENT]) if top in moved else top
        return sorted({j for i in moved for j in path(self.topology, i, top)})

    def _own(self, bodies: Iterable[int]) -> list[int]:
        slots = (range(self.topology[i, V], self.topology[i, V] + self.topology[i, V_COUNT]) for i in bodies)
        return [k for part in slots for k in part if not self.imposed[k]]

    def parts(self) -> list[_Part]:
        """All subsystems: what hangs on a body comes before it."""
        groups: dict[int, list[int]] = {}
        for i in range(self.world):
            groups.setdefault(self._leader(i), []).append(i)
        held: dict[int, list[int]] = {leader: [] for leader in groups}
        for c, bodies in enumerate(self.holds):
            held[self._leader(bodies[0])].append(c)
        found = []
        for leader, bodies in sorted(groups.items(), key=lambda item: -item[1][0]):
            anchor, rows = int(self.topology[bodies[0], PARENT]), [r for c in held[leader] for r in self.rows[c]]
            whole = [_Part(bodies, self._own(bodies), anchor, rows)]
            split = self._branches(bodies, anchor, held[leader]) if len(whole[0].own) > SPLIT else whole
            found += split if work_of_parts(split) < WORTH * work_of_parts(whole) else whole
        return found

    def _branches(self, bodies: list[int], anchor: int, held: list[int]) -> list[_Part]:
        """Branches of an anchor one by one, that with the narrowest border first."""
        branch_of: dict[int, int] = {}
        for i in bodies:
            parent = int(self.topology[i, PARENT])
            branch_of[i] = i if parent == anchor else branch_of[parent]
        branches: dict[int, list[int]] = {}
        for i in bodies:
            branches.setdefault(branch_of[i], []).append(i)
        # what is coupled: coordinates of a constraint, and later those of a border, by the branches they are of
        couplings: dict[int, tuple[frozenset[int], int, set[int]]] = {}  # number -> coordinates, constraint or -1, branches
        at_branch: dict[int, set[int]] = {b: set() for b in branches}
        owns = {b: frozenset(self._own(members)) for b, members in branches.items()}
        branch_of_v = {k: b for b, own in owns.items() for k in own}

        def couple(coordinates: frozenset[int], constraint: int, among: set[int]) -> None:
            couplings[number := len(couplings)] = (coordinates, constraint, among)
            for b in among:
                at_branch[b].add(number)

        for c in held:
            couple(frozenset(self._own(self.holds[c])), c, {branch_of[i] for i in self.holds[c]})

        def border(b: int) -> frozenset[int]:
            return frozenset().union(*(couplings[n][0] for n in at_branch[b])) - owns[b]

        found, waiting = [], dict.fromkeys(branches)

        def width(b: int) -> tuple[bool, int, int]:  # a body without coordinates takes no rows, unless all are
            return not owns[b], len(border(b)), b

        widths = {b: width(b) for b in branches}
        while waiting:
            b = min(waiting, key=widths.__getitem__)
            del waiting[b]
            edge, taken = border(b), at_branch[b]
            rows = [r for n in taken if couplings[n][1] >= 0 for r in self.rows[couplings[n][1]]]
            found.append(_Part(branches[b], sorted(owns[b]), anchor, rows, edge))
            near = {branch_of_v[k] for k in edge}
            for other in set().union(*(couplings[n][2] for n in taken)) - {b}:
                at_branch[other] -= taken
            couple(edge, -1, near)
            for other in near:
                widths[other] = width(other)
        return found


def work_of_parts(parts: list[_Part]) -> float:
    """Operations that an evaluation takes in these parts, roughly."""
    total = 0.0
    for part in parts:
        n, m, b = len(part.own), min(len(part.rows), len(part.own)), len(part.border) + 6
        total += EACH + EACH_BODY * len(part.bodies) + _operations(n, m) + 2 * n * (m + n) * b + n * b * b
    return total


def _operations(n: int, m: int) -> float:
    """Operations of elimination: m rows of n coordinates, the mass matrix turned and factored."""
    return 4.0 * m * m * n + 8.0 * m * n * n + n**3 / 3.0


def pays(subsystems: np.ndarray, imposed: np.ndarray, rows: int) -> bool:
    """Whether elimination in parts takes clearly less work than that of all rows at once."""
    if not len(subsystems):
        return False
    n, m, b = subsystems[:, OWN].astype(float), np.minimum(subsystems[:, ROWS], subsystems[:, OWN]), subsystems[:, EDGE]
    each = 4.0 * m * m * n + 8.0 * m * n * n + n**3 / 3.0 + 2 * n * (m + n) * b + n * b * b
    parts = float((EACH + EACH_BODY * subsystems[:, BODIES] + each).sum())
    free = int((~imposed).sum())
    return parts < WORTH * (_operations(free, min(rows, free)) + EACH_BODY * subsystems[:, BODIES].sum())


def size_of_parts(subsystems: np.ndarray) -> tuple[int, int]:
    """How many subsystems there are, and the most coordinates that one of them has, with those of its border."""
    return len(subsystems), int((subsystems[:, OWN] + subsystems[:, BORDER]).max())


def _packed(parts: list[_Part], topology: np.ndarray, imposed: np.ndarray) -> dict[str, np.ndarray]:
    """Subsystems as tables."""
    table, world = np.zeros((len(parts), COLUMNS), np.int64), len(topology) - 1
    lists: dict[str, list[int]] = {"bodies": [], "own": [], "border": [], "place": [], "rows": []}
    own_of_v, part_of_v = np.full(len(imposed), -1, np.int64), np.full(len(imposed), -1, np.int64)
    for n, part in enumerate(parts):
        own_of_v[part.own], part_of_v[part.own] = range(len(part.own)), n
    at = dict.fromkeys((SQUARE, SIDE, CORNER, ROW_SQUARE, ACROSS, EDGE_FIRST), 0)
    for row, part in zip(table, parts, strict=True):
        own, held, border = len(part.own), len(part.rows), len(part.border)
        edge = border + (6 if part.anchor != world else 0)
        row[[BODY_FIRST, OWN_FIRST, BORDER_FIRST, ROW_FIRST]] = [len(lists[x]) for x in ("bodies", "own", "border", "rows")]
        row[[BODIES, OWN, BORDER, ROWS]] = len(part.bodies), own, border, held
        row[[ANCHOR, NEXT, EDGE]] = part.anchor, min((part_of_v[k] for k in part.border), default=-1), edge
        for column, size in zip(at, (own * own, own * edge, edge * edge, held * own, held * edge, edge), strict=True):
            row[column] = at[column]
            at[column] += size
        lists["bodies"] += part.bodies
        lists["own"] += part.own
        lists["rows"] += part.rows
        lists["border"] += part.border
        if part.border:  # where the border is in the subsystem that comes next: among its own, or in its border behind them
            after = parts[row[NEXT]]
            place = {k: j for j, k in enumerate((*after.own, *after.border))}
            lists["place"] += [place[k] for k in part.border]
    arrays = {f"subsystem_{name}": np.array(numbers, dtype=np.int64) for name, numbers in lists.items()}
    return {"subsystems": table, "own_of_v": own_of_v, **arrays}
