"""Equations of motion in any coordinates of rotations, minimal or redundant.

x are coordinates in charts, x' their rates, v = T(x) x' the velocity of the model; of a free joint x holds the place in the
outer frame, so its rates are outer ones. With the mass matrix M, forces tau and h = bias force (wrenches taken in),

    M_x = T^T M T ,   h_x = T^T (M T' x' + h) ,   M_x x'' + h_x = T^T tau + C_x^T lam ,   C_x x'' + (C_x)' x' = 0        (1)

Every term but the last is T^T of something and T has full row rank, so the multiplier lam of redundant coordinates is zero on
the true motion and rank M_x = nv, however many coordinates there are. Three ways lead to x'':

    reduced      M a + h = tau ,  x'' from a = T x'' + T' x'                                                             (2)
    multiplier   [M_x C_x^T; C_x 0] (x'', -lam) = (T^T tau - h_x, -(C_x)' x')                                            (3)
    projected    P (M_x x'' + h_x - T^T tau) = 0 with C_x x'' + (C_x)' x' = 0, P = 1 - C_x^T (C_x C_x^T)^-1 C_x          (4)

(4) after Bouyarmane and Kheddar (2012), with the orthogonal projector; theirs for a quaternion, "oblique", is 1 - s x^T with s
the quaternion in its place and x all coordinates.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from locomote.dynamics.forces import forward_dynamics, inverse_dynamics
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import UnknownName
from locomote.model.joints import has_rates, is_floating, quaternion_of
from locomote.model.model import Model, checked_model, common_lead
from locomote.spatial.charts import CHARTS, Chart, chart
from locomote.spatial.charts_own import seeded
from locomote.spatial.jets import jet
from locomote.spatial.numbers import as_numbers

FORMS = ("reduced", "multiplier", "projected", "oblique")
TANGENT = 1e-6  # how far rates may be from those that keep constraints, over their size


class Equations(NamedTuple):
    """The equations of motion (1) at a state, N coordinates and c constraints.

    mass : (..., N, N) ; bias : (..., N) ; force : (..., N) that of tau
    constraint : (..., c) ; constraint_jacobian : (..., c, N)
    constraint_drift : (..., c) velocity terms of its second derivative
    rate_map : (..., nv, N) T
    """

    mass: np.ndarray
    bias: np.ndarray
    force: np.ndarray
    constraint: np.ndarray
    constraint_jacobian: np.ndarray
    constraint_drift: np.ndarray
    rate_map: np.ndarray


class Accelerations(NamedTuple):
    """second_rates : (..., N) x'' ; multiplier : (..., c), zero up to rounding"""

    second_rates: np.ndarray
    multiplier: np.ndarray


class Charted:
    """A model in coordinates of one's choice: its rotations in charts instead of quaternions with body velocities.

    chart : name of a chart, a chart (see `own_chart`), or a mapping from joints to such; joints not named keep the quaternion
    size : N, how many coordinates there are ; names : of all coordinates ; charts : by joint
    """

    def __init__(self, model: Model, chart: str | Chart | Mapping[str, str | Chart] = "quaternion"):
        self.model = checked_model(model)
        views = [model.joint(name) for name in model.joint_names if not model.joint(name).coupled]
        turning = [view.name for view in views if quaternion_of(view.kind) is not None]
        if isinstance(chart, Mapping):
            for name in chart:
                if name not in turning:
                    raise UnknownName("joint", name, turning, f"the joints of {model.name!r} that have a rotation")
            chosen = {name: _chart(chart.get(name, "quaternion")) for name in turning}
        else:
            chosen = {name: _chart(chart) for name in turning}
        self.charts: dict[str, Chart] = chosen
        self._parts, names, start = [], [], 0
        slots = [slot for slot in model.layout().slots if slot.vector == "q"]
        for view in views:
            own = [f"{view.name}.{slot.name}" for slot in slots[view.q.start : view.q.stop]]
            if view.name in chosen:
                before = quaternion_of(view.kind) or 0
                own = own[:before] + [f"{view.name}.{chosen[view.name].name}[{k}]" for k in range(chosen[view.name].size)]
            self._parts.append((view, chosen.get(view.name), slice(start, start + len(own))))
            names += own
            start += len(own)
        self.names, self.size = tuple(names), start
        self.constraint_count = sum(one.constraint_count for one in chosen.values())

    # states

    def coordinates(self, q) -> np.ndarray:
        """(..., N) coordinates x of a configuration q (..., nq)."""
        q = self.model.checked_q(q)
        x = np.empty((*q.shape[:-1], self.size))
        for view, own, part in self._parts:
            given, before = q[..., view.q], quaternion_of(view.kind) or 0
            if own is None:
                x[..., part] = given
            else:
                x[..., part.start : part.start + before] = given[..., :before]
                turn = CHARTS["quaternion"].rotation(given[..., before:])
                x[..., part.start + before : part.stop] = own.coordinates(turn)
        return x

    def configuration(self, x) -> np.ndarray:
        """(..., nq) the configuration q of coordinates x (..., N)."""
        x = self._checked(x, "x")
        q = np.empty((*x.shape[:-1], self.model.nq))
        for view, own, part in self._parts:
            given, before = x[..., part], quaternion_of(view.kind) or 0
            if own is None:
                q[..., view.q] = given
            else:
                turn = CHARTS["quaternion"].coordinates(own.rotation(given[..., before:]))
                q[..., view.q] = np.concatenate([given[..., :before], turn], axis=-1)
        return q

    def rate_map(self, x) -> np.ndarray:
        """(..., nv, N) T with v = T x'."""
        x = self._checked(x, "x")
        T = np.zeros((*x.shape[:-1], self.model.nv, self.size))
        for view, own, part in self._parts:
            T[..., view.v, part] = self._map(view, own, x[..., part])
        return T

    def inverse_rate_map(self, x) -> np.ndarray:
        """(..., N, nv) S with x' = S v; a ValueError where a chart is singular."""
        x = self._checked(x, "x")
        S = np.zeros((*x.shape[:-1], self.size, self.model.nv))
        for view, own, part in self._parts:
            given, before = x[..., part], quaternion_of(view.kind) or 0
            if own is None:
                S[..., part, view.v] = np.swapaxes(self._map(view, own, given), -1, -2)  # orthogonal
                continue
            if before:
                S[..., part.start : part.start + 3, view.v.start : view.v.start + 3] = own.rotation(given[..., before:])
            try:
                inverse = own.inverse_rate_map(given[..., before:])
            except ValueError as fault:
                raise ValueError(f"joint {view.name!r}: {fault}; choose another chart for it, or leave this attitude") from None
            S[..., part.start + before : part.stop, view.v.start + before : view.v.stop] = inverse
        return S

    def velocity(self, x, rates) -> np.ndarray:
        """(..., nv) the velocity v = T x' of rates (..., N)."""
        x, rates = self._checked_motion(x, rates)
        return _times(self.rate_map(x), rates)

    def rates(self, x, v) -> np.ndarray:
        """(..., N) rates x' of a velocity v (..., nv); they keep constraints."""
        return _times(self.inverse_rate_map(x), self.model.checked_v(v))

    def acceleration(self, x, rates, second_rates) -> np.ndarray:
        """(..., nv) the acceleration a = T x'' + T' x' of second rates (..., N)."""
        x, rates = self._checked_motion(x, rates)
        return _times(self.rate_map(x), self._checked(second_rates, "second_rates")) + self._drift(x, rates)

    def second_rates(self, x, rates, a) -> np.ndarray:
        """(..., N) second rates x'' of an acceleration a (..., nv); they keep constraints."""
        x, rates = self._checked_motion(x, rates)
        goal = self.model.checked_v(a, "a") - self._drift(x, rates)
        inverse = self.inverse_rate_map(x)
        if not self.constraint_count:
            return _times(inverse, goal)
        _, C, drift = self._constraints(x, rates)
        stack = np.concatenate([self.rate_map(x), C], axis=-2)  # has full rank, which T alone has not
        return _times(np.linalg.pinv(stack), np.concatenate([goal, -drift], axis=-1))

    def singularity(self, x) -> np.ndarray:
        """(...) distance to the nearest singularity of any chart: 1 far away, 0 there."""
        x = self._checked(x, "x")
        distance = np.ones(x.shape[:-1])
        for view, own, part in self._parts:
            if own is not None:
                first = part.start + (quaternion_of(view.kind) or 0)
                distance = np.minimum(distance, own.singularity(x[..., first : part.stop]))
        return distance[()]

    # equations

    def equations(self, x, rates, tau=None, *, wrenches=None) -> Equations:
        """The equations of motion (1) at coordinates x and rates (..., N).

        tau : (..., nv) forces on velocities, N or N m ; wrenches : as in `inverse_dynamics`
        """
        x, rates = self._checked_motion(x, rates)
        q, T = self.configuration(x), self.rate_map(x)
        v = _times(T, rates)
        tau = np.zeros(self.model.nv) if tau is None else self.model.checked_v(tau, "tau")
        M, Tt = mass_matrix(self.model, q), np.swapaxes(T, -1, -2)
        h = inverse_dynamics(self.model, q, v, np.zeros_like(v), wrenches=wrenches)
        bias = _times(Tt, _times(M, self._drift(x, rates)) + h)
        off, C, drift = self._constraints(x, rates)
        return Equations(Tt @ M @ T, bias, _times(Tt, tau), off, C, drift, T)

    def accelerations(
        self, x, rates, tau=None, *, wrenches=None, form: str = "reduced", stabilisation: float = 0.0
    ) -> Accelerations:
        """Second rates x'' for forces tau, and the multiplier of redundant coordinates.

        form : "reduced" (2), "multiplier" (3), "projected" (4), or "oblique": (4) with the projector as
            published, for one quaternion
        stabilisation : 1/s, of Baumgarte, draws coordinates back to their constraints (not in the reduced form)
        """
        if form not in FORMS:
            raise UnknownName("form", form, FORMS, "forms of the equations of motion")
        x, rates = self._checked_motion(x, rates)
        if form == "reduced":
            q, v = self.configuration(x), self.velocity(x, rates)
            tau = np.zeros(self.model.nv) if tau is None else tau
            a = forward_dynamics(self.model, q, v, tau, wrenches=wrenches)
            return Accelerations(self.second_rates(x, rates, a), np.zeros((*a.shape[:-1], self.constraint_count)))
        eq = self.equations(x, rates, tau, wrenches=wrenches)
        C, force = eq.constraint_jacobian, eq.force - eq.bias
        Ct = np.swapaxes(C, -1, -2)
        goal = -(eq.constraint_drift + 2.0 * stabilisation * _times(C, rates) + stabilisation**2 * eq.constraint)
        if form == "multiplier":
            zero = np.zeros((*C.shape[:-1], C.shape[-2]))
            K = np.concatenate([np.concatenate([eq.mass, Ct], -1), np.concatenate([C, zero], -1)], -2)  # (3)
            both = _times(np.linalg.inv(K), np.concatenate([force, goal], -1))
            return Accelerations(both[..., : self.size], -both[..., self.size :])
        P = self.projector(x, rates, form)
        K, rest = np.concatenate([P @ eq.mass, C], -2), np.concatenate([_times(P, force), goal], -1)  # (4)
        second = _times(np.linalg.pinv(K), rest)
        left = _times(eq.mass, second) - force
        return Accelerations(second, _times(np.linalg.pinv(Ct), left))

    def projector(self, x, rates, form: str = "projected") -> np.ndarray:
        """(..., N, N) P of (4), or that of the form "oblique"."""
        C = self._constraints(*self._checked_motion(x, rates))[1]
        if form == "projected":
            return np.eye(self.size) - np.linalg.pinv(C) @ C
        if [one.name for one in self.charts.values()] != ["quaternion"]:
            raise ValueError("the oblique projector is that of one joint with a quaternion; form='projected' is for all others")
        return np.eye(self.size) - 0.5 * C[..., 0, :, None] * x[..., None, :]

    # parts

    @staticmethod
    def _map(view, own, x):
        """The block of T of one joint."""
        if own is None:
            if has_rates(view.kind):
                return np.eye(x.shape[-1])
            c, s, z = np.cos(x[..., 2]), np.sin(x[..., 2]), np.zeros(x.shape[:-1])
            return np.stack([c, s, z, -s, c, z, z, z, z + 1.0], axis=-1).reshape(*x.shape[:-1], 3, 3)
        if not quaternion_of(view.kind):
            return own.rate_map(x)
        T = np.zeros((*x.shape[:-1], 6, 3 + own.size))
        T[..., :3, :3] = np.swapaxes(own.rotation(x[..., 3:]), -1, -2)
        T[..., 3:, 3:] = own.rate_map(x[..., 3:])
        return T

    def _drift(self, x, rates):
        """T' x', (..., nv)."""
        drift = np.zeros((*x.shape[:-1], self.model.nv))
        for view, own, part in self._parts:
            given, rate, before = x[..., part], rates[..., part], quaternion_of(view.kind) or 0
            if own is not None:
                turned = _times(own.rate_map_derivative(given[..., before:], rate[..., before:]), rate[..., before:])
                drift[..., view.v.start + before : view.v.stop] = turned
            if is_floating(view.kind):  # (R^T p')' = R^T p'' - w x R^T p'
                v = _times(self._map(view, own, given), rate)
                if own is not None:
                    drift[..., view.v.start : view.v.start + 3] = -np.cross(v[..., 3:], v[..., :3])
                else:
                    drift[..., view.v.start] = v[..., 2] * v[..., 1]
                    drift[..., view.v.start + 1] = -v[..., 2] * v[..., 0]
        return drift

    def _constraints(self, x, rates):
        """Constraints, their Jacobian over all coordinates, and the velocity terms of their second derivative."""
        lead = x.shape[:-1]
        value, drift = np.zeros((*lead, self.constraint_count)), np.zeros((*lead, self.constraint_count))
        C, row = np.zeros((*lead, self.constraint_count, self.size)), 0
        for view, own, part in self._parts:
            if own is None or own.constraint_of is None:
                continue
            first = part.start + (quaternion_of(view.kind) or 0)
            rows, places = slice(row, row + own.constraint_count), slice(first, part.stop)
            value[..., rows] = own.constraint(x[..., places])
            C[..., rows, places] = own.constraint_jacobian(x[..., places])
            rate = np.moveaxis(rates[..., places], -1, 0)
            bent = own.constraint_of(seeded(tuple(np.moveaxis(x[..., places], -1, 0)), rate, rate))
            drift[..., rows] = np.stack([np.broadcast_to(jet(c).c, lead) for c in bent], axis=-1)
            row += own.constraint_count
        return value, C, drift

    def _checked(self, x, label):
        x = as_numbers(x, label, f"(..., {self.size})")
        if x.ndim == 0 or x.shape[-1] != self.size:
            raise ValueError(f"{label} has shape {x.shape}, expected (..., {self.size}): see .names for all coordinates")
        if not np.isfinite(x).all():
            raise ValueError(f"{label} has values that are not finite")
        return x

    def _checked_motion(self, x, rates):
        x, rates = self._checked(x, "x"), self._checked(rates, "rates")
        lead = common_lead([x, rates])
        x, rates = np.broadcast_to(x, (*lead, self.size)), np.broadcast_to(rates, (*lead, self.size))
        if self.constraint_count:
            _, C, _ = self._constraints(x, rates)
            off = abs(_times(C, rates)).max(initial=0.0)
            if off > TANGENT * max(1.0, abs(rates).max(initial=0.0)):
                raise ValueError(
                    f"rates leave the constraints of redundant coordinates at {off:.3g} 1/s, expected 0; "
                    f"rates(x, v) gives ones that do not"
                )
        return x, rates

    def __repr__(self) -> str:
        charts = ", ".join(f"{joint}: {one.name}" for joint, one in self.charts.items()) or "no rotations"
        return f"<Charted {self.model.name!r}: {self.size} coordinates, {charts}>"


def _chart(given: str | Chart) -> Chart:
    return given if isinstance(given, Chart) else chart(given)


def _times(A, x):
    return (A @ x[..., None])[..., 0]
