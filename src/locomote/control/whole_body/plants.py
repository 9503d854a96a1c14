"""Plants that a controller does not own: a compliant ground with stick and slip, pushes, late torques.

Compliant: each point is a spring and damper along the normal, and one along the tangents that is anchored where the point
touched; where it would pull with more than Coulomb's friction its anchor slides. The state goes on by semi-implicit steps.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import short
from locomote.dynamics.forces import forward_dynamics
from locomote.dynamics.kinematics import forward_kinematics, motion
from locomote.locomotion.springs import joint_springs, passive_forces
from locomote.model.model import Model


@dataclass(frozen=True)
class Push:
    """A force (3,), N, world axes, at the frame of a body from `start` to `stop`, s; a term of `environment`."""

    model: Model
    body: str
    force: Sequence[float]
    start: float
    stop: float

    def __call__(self, t, q, v) -> dict[str, np.ndarray]:
        """Wrenches by body, in its frame."""
        if not self.start <= t < self.stop:
            return {}
        R = forward_kinematics(self.model, q)[self.model.body(self.body).index][:3, :3]
        return {self.body: np.concatenate([R.T @ np.array(self.force, dtype=float), np.zeros(3)])}


class Late:
    """A controller whose torques arrive some ticks late; until the first arrive, they are those of the first."""

    def __init__(self, function: Callable[[float, Any, Any], np.ndarray], ticks: int):
        if ticks < 0:
            raise ValueError(f"torques come {ticks!r} ticks late, expected a count from 0")
        self.function, self.queue = function, deque(maxlen=int(ticks) + 1)

    def __call__(self, t, q, v) -> np.ndarray:
        """(nv,) torques that arrive at time t."""
        self.queue.append(self.function(t, q, v))
        return self.queue[0]


class LateControl(Late):
    """The same for a controller that remembers (lo.control.WholeBody, lo.control.ContactMachine): it keeps the torques on
    their way, too."""

    def __init__(self, function: Any, ticks: int):
        super().__init__(function, ticks)
        self._room = (self.queue.maxlen or 1) * function.model.nv

    @property
    def turn(self):
        """The controller's."""
        return self.function.turn  # type: ignore[attr-defined]

    @property
    def present(self) -> np.ndarray | None:
        """(n,) what it knows now, None after ticks of others; the controller keeps it."""
        return self.function.present  # type: ignore[attr-defined]

    @present.setter
    def present(self, row: np.ndarray | None) -> None:
        self.function.present = row  # type: ignore[attr-defined]

    def fresh(self) -> np.ndarray:
        """What it knows at the start of a run: how many torques are on their way, these, and what the controller knows."""
        return np.concatenate([np.zeros(1 + self._room), self.function.fresh()])  # type: ignore[attr-defined]

    def remembered(self) -> np.ndarray:
        """(n,) what it knows now."""
        on_way = np.zeros(1 + self._room)
        given = np.ravel(list(self.queue))
        on_way[0], on_way[1 : 1 + len(given)] = len(self.queue), given
        self.present = np.concatenate([on_way, self.function.remembered()])  # type: ignore[attr-defined]
        return self.present

    def recall(self, row: np.ndarray) -> None:
        """Go back to what a row (n,) says."""
        self.queue.clear()
        self.queue.extend(np.array(row[1 : 1 + self._room]).reshape(self.queue.maxlen or 1, -1)[: int(row[0])])
        self.function.recall(row[1 + self._room :])  # type: ignore[attr-defined]
        self.present = row


class CompliantPlant:
    """Points of bodies over planes with springs, dampers and friction.

    touching : body -> (points (n, 3), normal (3,), offset): the plane is normal . x = offset, m
    stiffness : N/m, damping : N s/m, of a point ; step : s
    q, v : the state ; slid : by body, (n,) m, how far points slid ; forces : by body, (n, 3) N, world axes
    """

    def __init__(
        self,
        model: Model,
        touching: Mapping[str, tuple],
        q,
        v=None,
        *,
        friction: float = 0.7,
        stiffness: float = 1e5,
        damping: float = 600.0,
        step: float = 2.5e-4,
        push: Callable | None = None,
    ):
        self.model, self.q = model, model.checked_q(q).copy()
        self.v = np.zeros(model.nv) if v is None else model.checked_v(v).copy()
        for body, given in touching.items():
            if not isinstance(given, (tuple, list)) or len(given) != 3:
                raise ValueError(f"touching[{body!r}] must be (points, normal, offset), not {given!r:.60}")
        self.friction, self.stiffness, self.damping, self.step, self.push = friction, stiffness, damping, step, push
        self._passive = joint_springs(model, {})
        self._bodies = {
            body: (model.body(body).index, np.atleast_2d(points), np.array(normal, dtype=float), float(offset))
            for body, (points, normal, offset) in touching.items()
        }
        self._anchors = {body: np.full(one[1].shape, np.nan) for body, one in self._bodies.items()}
        self.slid = {body: np.zeros(len(one[1])) for body, one in self._bodies.items()}
        self.forces = {body: np.zeros(one[1].shape) for body, one in self._bodies.items()}

    def __repr__(self) -> str:
        return f"<CompliantPlant of {self.model.name!r}: {short(list(self._bodies))} may touch>"

    def wrenches(self, t: float) -> np.ndarray:
        """(bodies, 6) of the ground and of the push, in body frames; anchors follow points that slide."""
        moved = motion(self.model, self.q, self.v, np.zeros(self.model.nv))
        W = np.zeros((len(self.model.body_names), 6))
        for body, (index, points, normal, offset) in self._bodies.items():
            R, o, twist = moved.poses[index, :3, :3], moved.poses[index, :3, 3], moved.twists[index]
            place = points @ R.T + o
            speed = (twist[:3] + np.cross(twist[3:], points)) @ R.T
            depth, rate = offset - place @ normal, -(speed @ normal)
            f_n = np.where(depth > 0, np.maximum(self.stiffness * depth + self.damping * rate, 0.0), 0.0)
            off, anchor = f_n <= 0, self._anchors[body]
            fresh = ~off & np.isnan(anchor[:, 0])
            anchor[fresh] = place[fresh]
            anchor[off] = np.nan
            flat = np.eye(3) - np.outer(normal, normal)
            f_t = -self.stiffness * np.nan_to_num(place - anchor) @ flat - self.damping * speed @ flat
            size, bound = np.linalg.norm(f_t, axis=1), self.friction * f_n
            slip = ~off & (size > bound)
            f_t[slip] *= (bound[slip] / size[slip])[:, None]
            f_t[off] = 0.0
            if slip.any():
                new = place[slip] + f_t[slip] / self.stiffness
                self.slid[body][slip] += np.linalg.norm((new - anchor[slip]) @ flat, axis=1)
                anchor[slip] = new
            f = f_n[:, None] * normal + f_t
            self.forces[body] = f
            local = f @ R
            W[index, :3] += local.sum(axis=0)
            W[index, 3:] += np.cross(points, local).sum(axis=0)
        if self.push is not None:
            for body, wrench in self.push(t, self.q, self.v).items():
                W[self.model.body(body).index] += wrench
        return W

    def advance(self, t: float, tau, duration: float) -> None:
        """Go on for a duration (s) with torques tau (nv,)."""
        for k in range(round(duration / self.step)):
            acting = tau + passive_forces(self.model, self._passive, self.q, self.v)
            a = forward_dynamics(self.model, self.q, self.v, acting, wrenches=self.wrenches(t + k * self.step))
            self.v = self.v + self.step * a
            self.q = self.model.integrate(self.q, self.step * self.v)
        self.q = self.model.normalize(self.q)
