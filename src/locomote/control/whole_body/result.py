"""What one tick of a controller gives, with its own proof. What is not asked for is not computed."""

from functools import cached_property

import numpy as np

from locomote.control.whole_body.memory import Past
from locomote.control.whole_body.tables import CLASH, CLASH_ROW, ROWS
from locomote.control.whole_body.terms import contradicts
from locomote.control.whole_body.touching import axes_of, places_of
from locomote.dynamics.kinematics import forward_kinematics
from locomote.qp.active_set import INFEASIBLE, SOLVED

EXCEEDED = 1e-6  # share of a torque limit, and rad/s^2, from which an excess is said


class Now:
    """Torques at an instant and all that belongs to them.

    tau : (nv,) N or N m, within limits, zero where nothing drives; those of the last tick if there is no answer
    wanted : (nv,) the same before limits were kept ; a : (nv,) accelerations
    iterations ; dependent : rows of contacts that others already hold
    """

    def __init__(self, control, packed, t: float, status: int, before: "Now | Past | None"):
        k = packed.tick
        self._control, self._packed, self.t, self._status = control, packed, t, status
        self._contacts, self._apart, self._motors = dict(control.contacts), tuple(control.clearances), control.motors
        _, n, m, self.iterations, _, self.dependent, _, _ = k.count.tolist()
        self._results, self._q, self._sizes = packed.results.copy(), k.q.copy(), (n, m)
        self.solved = status == SOLVED
        if self.solved:
            self.tau, self.wanted, self.a = self._part("tau"), self._part("wanted"), self._part("a")
            return
        self._clash = k.clash.copy()
        self.tau = np.zeros(control.model.nv) if before is None else before.tau
        self.wanted, self.a = self.tau, np.full(control.model.nv, np.nan)
        for name in ("x", "force", "proof", "miss"):
            self._part(name)[:] = np.nan
        self._scales = np.sqrt((k.A[:m, :n] ** 2).sum(axis=1))

    def _part(self, name: str) -> np.ndarray:
        return self._results[self._packed.parts[name]]

    @property
    def slack(self) -> np.ndarray:
        """(2,) share by which torque limits are exceeded; rad/s^2 beyond limits of motion."""
        return self._part("x")[self._sizes[0] - 2 : self._sizes[0]]

    @property
    def residual(self) -> float:
        """The largest of the optimality conditions."""
        return float(np.max(self._part("proof")))

    @property
    def status(self) -> str:
        """ "solved", "torques exceeded by N %", "limits of motion exceeded", or "no answer ..." """
        if not self.solved:
            return "no answer" if self._status == INFEASIBLE else "no answer within the limit of iterations"
        if self.slack[0] > EXCEEDED:
            return f"torques exceeded by {100 * self.slack[0]:.3g} %"
        return "limits of motion exceeded" if self.slack[1] > EXCEEDED else "solved"

    @cached_property
    def forces(self) -> dict[str, np.ndarray]:
        """By contact, (points, 3) on its body in world axes, N; on the other body, if there is one, the opposite."""
        local = self._part("force").reshape(-1, 3)
        return {name: local[self._packed.points[name]] @ self._axes[name].T for name in self._contacts}

    @cached_property
    def _places(self) -> dict[str, np.ndarray]:
        model = self._control.model
        poses = forward_kinematics(model, self._q)
        return {name: places_of(model, c, poses) for name, c in self._contacts.items()}

    @cached_property
    def _axes(self) -> dict[str, np.ndarray]:
        """By contact, tangents and normal in the world."""
        if all(c.other is None for c in self._contacts.values()):
            return {name: c.axes for name, c in self._contacts.items()}
        model = self._control.model
        poses = forward_kinematics(model, self._q)
        return {name: axes_of(model, c, poses) for name, c in self._contacts.items()}

    def load(self, name: str) -> float | None:
        """N, the largest normal force of a point of a contact; None if it is not there."""
        if name not in self._contacts:
            return None
        return float((self.forces[name] @ self._axes[name][:, 2]).max())

    @cached_property
    def wrenches(self) -> dict[str, np.ndarray]:
        """By contact, (6,) about the middle of its points, world axes, N and N m."""
        found = {}
        for name, f in self.forces.items():
            arms = self._places[name] - self._places[name].mean(axis=0)
            found[name] = np.concatenate([f.sum(axis=0), np.cross(arms, f).sum(axis=0)])
        return found

    @cached_property
    def cop(self) -> dict[str, np.ndarray | None]:
        """By contact, (3,) center of pressure in the world, m; None where there is no force."""
        found: dict[str, np.ndarray | None] = {}
        for name, f in self.forces.items():
            normal = f @ self._axes[name][:, 2]
            found[name] = normal @ self._places[name] / normal.sum() if normal.sum() > 1e-6 else None
        return found

    @cached_property
    def friction_use(self) -> dict[str, float]:
        """By contact, the greatest share of its friction cone that a point uses."""
        found = {}
        for name, f in self.forces.items():
            n = self._axes[name][:, 2]
            normal = f @ n
            along = np.linalg.norm(f - normal[:, None] * n, axis=1)
            bound = np.maximum(self._contacts[name].friction * normal, 1e-9)
            found[name] = float(np.max(np.where(normal > 1e-6, along / bound, 0.0)))
        return found

    @property
    def clearances(self) -> dict[str, float]:
        """By name, m: how far bodies are apart beyond their margin."""
        return dict(zip(self._apart, self._part("gap").tolist(), strict=True))

    @property
    def torque_use(self) -> float:
        """The greatest share of a torque limit that is wanted."""
        use = self._motors.use(self.wanted)
        return min(use, 1.0) if self.solved and not self.slack[0] > EXCEEDED else use  # rounding is no excess

    @cached_property
    def task_errors(self) -> dict[str, float]:
        """By task, length of the acceleration that is missed, m/s^2 or rad/s^2."""
        miss = self._part("miss")
        return {name: float(np.sqrt((miss[rows] ** 2).sum())) for name, rows in self._packed.tasks.items()}

    @cached_property
    def why(self) -> list[tuple[str, str, float]]:
        """What stands in the way most, (what, in words, share), strongest first; from the certificate if there is no answer."""
        if not self.solved and contradicts(self._clash):
            said = f"contradicts other contacts by {self._clash[CLASH]:.3g} m/s^2 or rad/s^2"
            return [(self._contact_of(int(self._clash[CLASH_ROW])), said, 1.0)]
        multipliers = self._part("multiplier")[: self._sizes[1]]
        return reasons(self._packed.rows, multipliers, np.ones(len(multipliers)) if self.solved else self._scales)

    def _contact_of(self, row: int) -> str:
        """The contact that a row of J_c is of."""
        ends = np.cumsum(self._packed.tick.contact[:, ROWS])
        entry = int(np.searchsorted(ends, row, side="right"))
        return next(name for name, own in self._packed.entries.items() if own.start <= entry < own.stop)

    def __repr__(self) -> str:
        said = "; ".join(f"{what}: {words} ({share:.0%})" for what, words, share in self.why[:5])
        return f"<Now at {self.t:.4g} s: {self.status}" + (f", {said}>" if self.status != "solved" and said else ">")


def reasons(rows: list[tuple[str, str, str]], multipliers: np.ndarray, scales: np.ndarray) -> list[tuple[str, str, float]]:
    """Rows of a program with the largest multipliers, grouped by the task or contact they belong to."""
    found: dict[tuple[str, str], float] = {}
    for (kind, name, detail), y, scale in zip(rows, multipliers, scales, strict=False):
        if y == 0.0 or kind in ("balance", "slack"):
            continue
        words = {
            "torque": f"at its {detail} torque limit",
            "motion": f"at its {detail} limit of position or speed",
            "normal": "must push" if y > 0 else "may push no more",
            "friction": "at its friction",
            "distance": "as near as they may come",
            "task": "task of higher priority",
        }[kind]
        found[name, words] = found.get((name, words), 0.0) + float(abs(y) * scale)
    total = sum(found.values()) or 1.0
    return sorted(((name, words, share / total) for (name, words), share in found.items()), key=lambda r: -r[2])
