"""Which contact to make or break next: from a stance to another one, over stances that can be held still.

A stance is a set of supports, one a limb at most. From one to the next a single support is left or taken. Both need a posture
in which all supports of the larger stance are in place and those of the smaller one bear the robot alone, within friction,
torque limits and limits of joints: then the support in question carries nothing, and can be left or reached.

Stances are tried best first, by how far limbs are from their goal and how many changes there were, as A. Escande, A. Kheddar
and S. Miossec do (Planning contact points for humanoid robots, Robotics and Autonomous Systems 61, 2013); K. Bouyarmane and
A. Kheddar (2012) follow such sequences. Motions between postures, and bodies in each other's way, are not looked at.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.machine import Phase
from locomote.control.whole_body.regions import eroded, middle_of, within
from locomote.control.whole_body.stances import Stance, find_stance, hold_stance, support_region
from locomote.dynamics.momentum import center_of_mass
from locomote.errors import UnknownName
from locomote.forces.numbers import a_number
from locomote.model.model import Model
from locomote.spatial.numbers import as_numbers, integer
from locomote.spatial.rotations_arrays import split_rotation

MISS = 1e-6  # m or rad, by which contacts may be off
ROOM = 0.01  # m, beyond the margin, where the mass center is sent
CHANGE = 0.1  # m of limbs' ways that a change more is worth
HALVINGS = 12


@brief
@dataclass(frozen=True)
class Support:
    """A place for a contact.

    name ; contact : its points, normal and friction there; its name is that of the limb, which has one support at a time
    place : (4, 4) pose of the contact's body, or (3,) of the middle of its points, m, world
    """

    name: str
    contact: Contact
    place: Any

    def __post_init__(self) -> None:
        place = as_numbers(self.place, f"place of support {self.name!r:.40}", "(4, 4) or (3,)")
        if place.shape not in ((4, 4), (3,)) or not np.isfinite(place).all():
            raise ValueError(f"place of support {self.name!r:.40} has shape {place.shape}, expected finite (4, 4) or (3,)")
        if place.shape == (4, 4):
            split_rotation(place[:3, :3])

    @property
    def limb(self) -> str:
        """Name of the contact."""
        return self.contact.name

    @property
    def middle(self) -> np.ndarray:
        """(3,) of its points in the world, m."""
        place = np.asarray(self.place, dtype=float)
        return place if place.shape == (3,) else place[:3, :3] @ self.contact.points.mean(axis=0) + place[:3, 3]


@brief
@dataclass(frozen=True)
class Change:
    """A support that is taken or left, and the posture in which this is done.

    support ; taken : or left ; supports : names of the stance after it
    stance : all supports of the larger stance in place, borne by the smaller one
    """

    support: Support
    taken: bool
    supports: tuple[str, ...]
    stance: Stance = field(repr=False)


@brief
@dataclass(frozen=True)
class ContactPlan:
    """A way from a stance to another.

    changes : one after the other, none if there is no way ; found : whether the goal was reached
    tried : stances that were looked at ; postures : that were computed
    """

    changes: tuple[Change, ...]
    found: bool
    tried: int
    postures: int

    def phases(self, *, shift: float = 1.2, swing: float = 0.8, clearance: float = 0.06, edges: bool = False) -> list[Phase]:
        """Phases of a lo.control.ContactMachine: the mass center goes to where it bears each change, then the limb moves.

        shift, swing : s ; clearance : m. A limb that is left and taken elsewhere next goes there in one swing.
        edges : limbs go to above their place first, and feet straight up before, clear of edges by the clearance
        """
        found, skip = [], False
        for k, change in enumerate(self.changes):
            if skip:
                skip = False
                continue
            support, limb = change.support, change.support.limb
            goes: dict[str, Any] = {"lift": limb, "clearance": clearance}
            early = not (change.taken and edges)  # the posture has the limb in place, and would take it there through edges
            found.append(Phase(f"shift {k}", shift, center=change.stance.center, posture=change.stance.q if early else None))
            later = self.changes[k + 1] if k + 1 < len(self.changes) else None
            moves = later is not None and later.taken and later.support.limb == limb
            skip = moves and not change.taken
            to = later.support if skip and later is not None else support
            if not change.taken:
                rise = clearance + max(to.middle[2] - support.middle[2], 0.0)
                if not skip or edges:
                    found.append(Phase(f"leave {support.name}", swing, up=True, lift=limb, clearance=rise))
            if change.taken and edges:
                above = Phase(f"above {to.name}", swing, up=True, place=to.middle, posture=change.stance.q, **goes)
                found.append(above)
            if change.taken or skip:
                word = "take" if change.taken else "to"
                found.append(Phase(f"{word} {to.name}", swing, place=to.middle, **goes))
        return found


def plan_contacts(
    model: Model,
    supports: Sequence[Support],
    start: Iterable[str],
    goal: Iterable[str],
    *,
    posture,
    stride: float = 0.6,
    margin: float = 0.0,
    most: int = 500,
    **motors: Any,
) -> ContactPlan:
    """A sequence of contacts from supports named by `start` to those named by `goal`.

    posture : (nq,) in the start ; stride : m, farthest way of a limb from support to support
    margin : m, of the mass center within the support region ; most : postures that are computed at most
    motors : torque_limits, passive, ... as of lo.control.hold_stance
    """
    stride, margin = a_number("stride", stride, least=0.0), a_number("margin", margin, least=0.0)
    most = integer(most, "most", 0)
    search = _Search(model, supports, goal, stride, margin, motors)
    first = frozenset(search.known(name) for name in start)
    search.one_a_limb(first)
    q0, order = model.checked_q(posture), count()
    queue: list[tuple] = [(search.far(first), next(order), 0, first, None, None)]
    reached: dict[frozenset[str], tuple[np.ndarray, frozenset[str] | None, Change | None]] = {}
    while queue and search.postures < most:
        _, _, changes, there, before, name = heapq.heappop(queue)
        if there in reached:
            continue
        q, change = q0, None
        if before is not None:
            stance = search.between(before, there, reached[before][0])
            if stance is None:
                continue
            change = Change(search.supports[name], name in there, tuple(sorted(there)), stance)
            q = stance.q
        reached[there] = q, before, change
        if there == search.goal:
            return ContactPlan(_way(reached, there), True, len(reached), search.postures)
        for then, changed in search.next(there, before):
            if then not in reached:
                rank = search.far(then) + CHANGE * (changes + 1)
                heapq.heappush(queue, (rank, next(order), changes + 1, then, there, changed))
    return ContactPlan((), False, len(reached), search.postures)


def _way(reached, there) -> tuple[Change, ...]:
    """Changes from the start."""
    found = []
    while (entry := reached[there])[1] is not None:
        found.append(entry[2])
        there = entry[1]
    return tuple(reversed(found))


class _Search:
    """What there is to support on to, and the tests of stances."""

    def __init__(
        self, model: Model, supports: Sequence[Support], goal: Iterable[str], stride: float, margin: float, motors: dict
    ):
        self.model, self.supports = model, {support.name: support for support in supports}
        if len(self.supports) < len(supports):
            raise ValueError("two supports have one name: give each a name of its own")
        self.goal = frozenset(self.known(name) for name in goal)
        self.one_a_limb(self.goal)
        self.targets = {self.supports[name].limb: self.supports[name].middle for name in self.goal}
        self.stride, self.margin, self.motors, self.postures = stride, margin, motors, 0

    def known(self, name: str) -> str:
        if name not in self.supports:
            raise UnknownName("support", name, self.supports, "supports of this plan")
        return name

    def one_a_limb(self, names: frozenset[str]) -> None:
        limbs = [self.supports[name].limb for name in sorted(names)]
        for limb in limbs:
            if limbs.count(limb) > 1:
                raise ValueError(f"limb {limb!r} has two supports in one stance: {sorted(names)}")

    def far(self, names: frozenset[str]) -> float:
        """m, how far limbs are from their goal; half a stride for each limb that only one of both has."""
        held = {self.supports[name].limb: self.supports[name].middle for name in names}
        both = held.keys() & self.targets.keys()
        return sum(float(np.linalg.norm(held[limb] - self.targets[limb])) for limb in both) + 0.5 * self.stride * len(
            held.keys() ^ self.targets.keys()
        )

    def next(self, names: frozenset[str], before: frozenset[str] | None) -> Iterable[tuple[frozenset[str], str]]:
        """Stances with one support more or less, and which; a limb goes no farther than a stride from where it was."""
        held = {self.supports[name].limb: name for name in names}
        for name in sorted(names):
            if len(names) > 1:
                yield names - {name}, name
        left = {self.supports[name].limb: self.supports[name].middle for name in (before or ()) if name not in names}
        for name, support in self.supports.items():
            if support.limb in held:
                continue
            if support.limb not in left or np.linalg.norm(support.middle - left[support.limb]) <= self.stride:
                yield names | {name}, name

    def between(self, one: frozenset[str], two: frozenset[str], q: np.ndarray) -> Stance | None:
        """The posture of a change: all supports in place, the smaller stance bears; None if none was found."""
        large, small = (one, two) if len(one) > len(two) else (two, one)
        self.postures += 1
        placed = [self.supports[name] for name in sorted(large)]
        bearing = [self.supports[name].contact for name in sorted(small)]
        places, contacts = {support.limb: support.place for support in placed}, [support.contact for support in placed]
        center = None
        for _ in range(2):  # where the region is depends a little on the posture
            try:
                found = find_stance(
                    self.model, contacts, places, posture=q, center=self.center(bearing, q, center), **self.motors
                )
            except ValueError:  # nowhere is it borne
                return None
            q, center = found.q, found.center[:2]
        if found.error > MISS:
            return None
        held = hold_stance(self.model, bearing, found.q, margin=self.margin, **self.motors)
        return held if held.holds else None

    def center(self, bearing: list[Contact], q: np.ndarray, now) -> np.ndarray:
        """Where the mass center is to be: where it is, or on the way from there to the middle of the support region."""
        now = center_of_mass(self.model, q)[:2] if now is None else now
        region = support_region(self.model, q, bearing)
        if not len(eroded(region, self.margin)):
            raise ValueError("the region is too small")
        middle, enough = middle_of(region), self.margin + ROOM
        inside, outside = 1.0, 0.0  # shares of the way
        if within(region, now) >= enough:
            return now
        for _ in range(HALVINGS):
            share = 0.5 * (inside + outside)
            if within(region, now + share * (middle - now)) >= enough:
                inside = share
            else:
                outside = share
        return now + inside * (middle - now)
