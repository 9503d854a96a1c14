"""A step over contacts as programs: brought to the law, and its derivative with the ways of all contacts as they are.

x = (q, v) goes to the end by `methods.timestep`, here with its bias at the mean velocity and its law met to rounding:

    q_m = q (+) h/2 v ;   F = (M + D) (v+ - v) + h bias(q_m, (v + v+)/2) - h tau - J^T p = 0                     (1)
    open  p = 0 ;   stick  J v+ + e n = 0 ;   slide  J_n v+ + e = 0 , p_t + mu p_n u_t/|u_t| = 0                    (2)
    lift  (M + D) dq = J_n^T z ,  gap + J_n dq = 0  for those that are lifted                                      (3)
    q_end = (q_m (+) dq) (+) h/2 v+                                                                              (4)

    forwards   K dy = -(F, law)_x dx ;   backwards   K^T (l, m) = ybar ,  xbar -= (F, law)_x^T (l, m)              (5)

K is that of `contact_matrix`. e is left out of the derivative unless that of the steps as such is wanted ("discrete"):
gaps of closed contacts are zero but for what steps leave, and what a first touch does is in `touch_down`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from locomote.compiled.kernel import RowKernel, code_of
from locomote.compiled.library import kept, key_of
from locomote.compiled.program import Program
from locomote.compiled.rollout import acting
from locomote.compiled.vectors import Lanes
from locomote.compiler.fingerprint import source_stamp
from locomote.compiler.lanes import WIDTH
from locomote.compiler.scalars import select, sqrt
from locomote.contact import spots as at
from locomote.contact.states import turning
from locomote.contact.sweep_columns import OPEN, SLIDE, SLOW, STICK
from locomote.evaluation.evaluate import body_forces, needs_bodies
from locomote.gradients.channels import Instant
from locomote.gradients.contact_matrix import Blocks, StepMatrix, dot
from locomote.gradients.programs import Step, gathered, places
from locomote.kernels.kinematics import ORIGIN, ROTATION
from locomote.methods.entries import bias_one, mass_one, rows_one
from locomote.methods.timestep.end_rows import follows_body
from locomote.methods.timestep.moves import half_move, resist, steady
from locomote.methods.timestep.rows import put_row
from locomote.model.joints import joint_turned_back
from locomote.spatial.algebra import add, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, load9
from locomote.symbolic.adjoint import adjoint, tangent
from locomote.symbolic.plain import boxed, objects, zeros
from locomote.symbolic.problem import Equations, moved_by, plain, plain_work, with_servos
from locomote.symbolic.trace import Trace

NEWTON = 3  # rounds with one matrix that bring a step to its law
# times the small number, in these rounds: steps take what turns at its end, and not by the mean velocity as here, so that
# contacts of several bodies may contradict each other by the square of the step, and loads that they share would run away
SOFTER = 1e2
# m/s, change of a round, and times all loads that one pulls with, from which on rounds led astray: the step stays as run
ASTRAY, PULL = 1.0, 100.0
LOADED: dict[str, RowKernel] = {}


@dataclass(frozen=True)
class ContactStep(Step):
    """A step; discrete : whether its derivative is that of the step as such."""

    discrete: bool = False

    @property
    def spots(self) -> int:
        """How many places may touch."""
        return len(self.equations.plan.spots)

    @property
    def sizes(self) -> dict[str, int]:
        """Columns of what a step takes; `shared` are torques over time at its middle, and time."""
        return {"controls": len(self.controls.given), "shared": len(self.controls.timed) + 1}

    def inputs(self, trace: Trace) -> SimpleNamespace:
        """Those that all programs begin with: state, entries of the plan, controls, what is shared, the length of the step,
        the inertia that each coordinate typically has, and the small number of `contact_matrix` for each contact."""
        model, sizes = self.model, self.sizes
        counts = (model.nq, model.nv, len(self.entries.places), sizes["controls"], sizes["shared"], 1, model.nv, self.spots)
        q, v, e, u, s, (h,), typical, small = (boxed(trace.input(n)) for n in counts)
        rest = {"h": h, "typical": typical, "small": small, "all": [*q, *v, *e, *u, *s], "counts": counts}
        return SimpleNamespace(q=q, v=v, e=e, u=u, s=s, **rest)

    def ends(self, trace: Trace) -> SimpleNamespace:
        """v+, p and ways of a step, and which contacts were closed before it."""
        nv, count = self.model.nv, self.spots
        counts = (nv, 3 * count, count, count)
        v, p, ways, touched = (boxed(trace.input(n)) for n in counts)
        return SimpleNamespace(v=v, p=p.reshape(count, 3), ways=ways, touched=touched, counts=counts)

    def middle(self, now: SimpleNamespace) -> "Middle":
        """The middle of the step, from its inputs."""
        return Middle(self, self.with_numbers(now.e), now)

    def polished(self) -> Program:
        """A guess (q_end, v_end, forces of contacts, ways, whether each was closed before) brought to (1) and (2): the end
        without lift, v+, p, ways, gaps, normal speeds before and after, and by how much the last round changed v+."""
        trace, model, count = Trace(), self.model, self.spots
        now, sizes = self.inputs(trace), (model.nq, model.nv, 3 * count, count, count)
        q_end, v_end, forces, ways, touched = (boxed(trace.input(n)) for n in sizes)
        middle, h = self.middle(now), now.h
        v, p = v_end.copy(), objects((count, 3))
        for i in range(middle.plan.topology.shape[0] - 1):
            joint_turned_back(middle.plan.topology, i, q_end, middle.q, v)
        for c in range(count):
            for k in range(3):
                p[c, k] = dot(middle.axes[c][k], forces[3 * c : 3 * c + 3]) * h
        matrix, given, before = None, v.copy(), p.copy()
        change: Any = 0.0
        for _ in range(NEWTON):
            if matrix is None:
                u = middle.speeds(v) + middle.turned(v)
                square = [one[0] * one[0] + one[1] * one[1] for one in u]
                moves = [select(x > SLOW * SLOW, SLIDE, STICK) for x in square]
                ways = boxed([select(way == SLIDE, own, way) for way, own in zip(ways, moves, strict=True)])
                matrix = middle.matrix(None, v, p, ways, u=u)
            force, law = middle.residual(v, p, ways, touched)
            dv, dp = matrix._solved(-force, -law)
            v, p = v + dv, p + dp
            change = dot(dv, dv)
        whole, astray = dot(before[:, 2], zeros(count) + 1.0), select(change < ASTRAY * ASTRAY, 0.0, 1.0)
        for c in range(count):
            astray = astray + select(p[c, 2] + PULL * whole >= 0.0, 0.0, 1.0)
        v = boxed([select(astray < 0.5, x, y) for x, y in zip(v, given, strict=True)])
        p = boxed([select(astray < 0.5, x, y) for x, y in zip(p.ravel(), before.ravel(), strict=True)]).reshape(count, 3)
        end = middle.end(v, None)
        speeds = middle.speeds(v)
        results = (
            places(trace, end), places(trace, v), places(trace, p.ravel()), places(trace, ways),
            places(trace, middle.gaps), places(trace, middle.speeds(middle.v)[:, 2]), places(trace, speeds[:, 2]),
            places(trace, [sqrt(change)]),
        )  # fmt: skip
        return Program(trace, (*now.counts, *sizes), results)

    def lifted(self) -> Program:
        """(3) and (4): the end, dq and z, for contacts marked in the last input."""
        trace = Trace()
        now, y = self.inputs(trace), self.ends(trace)
        (marks,) = (boxed(trace.input(n)) for n in (self.spots,))
        middle = self.middle(now)
        dq, z = middle.lift(marks)
        results = places(trace, middle.end(y.v, dq)), places(trace, dq), places(trace, z)
        return Program(trace, (*now.counts, *y.counts, len(marks)), results)

    def lift_inputs(self, trace: Trace, lifts: bool) -> SimpleNamespace:
        """dq, z and marks of what is lifted, if anything is."""
        if not lifts:
            return SimpleNamespace(dq=None, z=None, marks=None, all=[], counts=())
        dq, z, marks = (boxed(trace.input(n)) for n in (self.model.nv, self.spots, self.spots))
        return SimpleNamespace(dq=dq, z=z, marks=marks, counts=(len(dq), len(z), len(marks)))

    def backwards_over(self, lifts: bool) -> Program:
        """(5) backwards: slopes by q and v, entries, controls and what is shared, from slopes by the end and by gaps."""
        trace = Trace()
        now, y = self.inputs(trace), self.ends(trace)
        up, bars, by_gaps = self.lift_inputs(trace, lifts), boxed(trace.input(self.size)), boxed(trace.input(self.spots))
        middle = self.middle(now)
        end = middle.end(y.v, up.dq)
        force, law = middle.residual(y.v, y.p, y.ways, y.touched if self.discrete else None)
        matrix = middle.matrix(trace, y.v, y.p, y.ways, y.touched if self.discrete else None)
        seeds = gathered(trace, [*end, *middle.gaps], [*bars, *by_gaps])
        first = adjoint(trace, seeds, [k.place for k in (*y.v, *(up.dq if lifts else ()))])
        l, m = matrix.transposed(boxed(first[: self.model.nv]))
        outputs, weights = [*force, *law.ravel()], [*(-l), *(-m).ravel()]
        if lifts:
            balance, height = middle.lift_residual(up.dq, up.z, up.marks)
            l, m = middle.lift_matrix(up.marks).transposed(boxed(first[self.model.nv :]))
            outputs, weights = [*outputs, *balance, *height], [*weights, *(-l), *(-m)[:, 2]]
        seeds = gathered(trace, [*end, *middle.gaps, *outputs], [*bars, *by_gaps, *weights])
        slopes = adjoint(trace, seeds, [k.place for k in now.all])
        ends = np.cumsum(now.counts[:5])[:-1]
        parts = np.split(np.array(places(trace, slopes), dtype=int), ends)
        results = tuple(tuple(int(k) for k in part) for part in parts)
        return Program(trace, (*now.counts, *y.counts, *up.counts, self.size, self.spots), results)

    def along_over(self, lifts: bool) -> Program:
        """(5) forwards, along a direction of all inputs: rates of the end and of gaps."""
        trace = Trace()
        now, y = self.inputs(trace), self.ends(trace)
        up, rates = self.lift_inputs(trace, lifts), boxed(trace.input(len(now.all)))
        middle = self.middle(now)
        end = middle.end(y.v, up.dq)
        force, law = middle.residual(y.v, y.p, y.ways, y.touched if self.discrete else None)
        seeds: dict[int, Any] = {k.place: rate for k, rate in zip(now.all, rates, strict=True)}

        def pushed(numbers) -> np.ndarray:
            return boxed(tangent(trace, seeds, places(trace, numbers)))

        f, g = pushed(force), pushed(law.ravel()).reshape(-1, 3)
        dv, _ = middle.matrix(trace, y.v, y.p, y.ways, y.touched if self.discrete else None).solved(-f, -g)
        by_gaps = pushed(middle.gaps)
        if lifts:
            balance, height = middle.lift_residual(up.dq, up.z, up.marks)
            f, g = pushed(balance), zeros((self.spots, 3))
            g[:, 2] = pushed(height)
            ddq, _ = middle.lift_matrix(up.marks).solved(-f, -g)
            seeds |= {k.place: rate for k, rate in zip(up.dq, ddq, strict=True)}
        seeds |= {k.place: rate for k, rate in zip(y.v, dv, strict=True)}
        results = places(trace, pushed(end)), places(trace, by_gaps)
        return Program(trace, (*now.counts, *y.counts, *up.counts, len(rates)), results)

    def path(self) -> Program:
        """How a configuration changes with a velocity."""
        trace, model = Trace(), self.model
        q, still, v = boxed(trace.input(model.nq)), boxed(trace.input(model.nv)), boxed(trace.input(model.nv))
        moved = places(trace, moved_by(self.equations, q, still))
        rates = tangent(trace, {k.place: rate for k, rate in zip(still, v, strict=True)}, moved)
        return Program(trace, (model.nq, model.nv, model.nv), (places(trace, rates),))

    def kernel(self, kind: str, program: Callable[[], Program]) -> RowKernel:
        """The compiled function of rows of one of these."""
        lanes, plan = Lanes(WIDTH), self.controls
        names = tuple(channel.key for channel in self.integrands)
        parts = repr((plan.given, plan.timed, names, self.discrete))
        key = key_of(lanes, "contact", kind, self.digest, parts, source_stamp("gradients"))
        if key not in LOADED:
            code, _ = kept(key, lambda: compiled(program(), lanes))
            if not code.binary:
                raise ValueError(
                    f"a step of {self.equations.problem.name!r} over its {self.spots} contacts takes more operations than make "
                    f"sense as one formula; leave out contacts that nothing touches"
                )
            LOADED[key] = RowKernel(lanes, code)
        return LOADED[key]


def compiled(program: Program, lanes: Lanes):
    """Code of a program whose results are rows."""
    return code_of(program, [(len(group),) for group in program.results], lanes)


class Middle:
    """The middle of a step: where it is, what acts there, rows and gaps of contacts."""

    def __init__(self, step: ContactStep, equations: Equations, now: SimpleNamespace):
        self.step, self.equations, self.plan, self.h = step, equations, equations.plan, now.h
        plan, nv, h = self.plan, step.model.nv, self.h
        self.work, self.integrals = plain_work(plan), []
        self.q, self.v = objects(step.model.nq), now.v.copy()
        self.room = SimpleNamespace(y_try=zeros(nv), scratch_v=objects(nv))
        half_move(plan, self.room, now.q, now.v, h, self.q)
        self.turn(now.q, self.q, self.v)
        self.t = now.s[-1] + 0.5 * h
        self.D = objects(nv)
        resist(plan, now.typical, h, self.v, self.D)
        self.small = now.small
        given = acting(equations, step.controls, now.u, now.s, 1)[1][0]
        self.force = with_servos(plan, self.work, self.t, self.q, self.v, given) + self.work.passive
        coasting = zeros(nv)
        steady(plan, self.v, coasting)
        plain(rows_one)(plan, self.work, self.t, self.q, self.v, coasting)
        if needs_bodies(plan):
            body_forces(plan, self.work, self.t, self.q, self.v)
        self.place()

    def turn(self, q_from, q_to, v) -> None:
        """Velocities of free bodies, in axes that turn."""
        for i in range(self.plan.topology.shape[0] - 1):
            joint_turned_back(self.plan.topology, i, q_from, q_to, v)

    def place(self) -> None:
        """Axes, rows and gaps of all contacts."""
        plan, count, nv = self.plan, self.step.spots, self.step.model.nv
        placed = objects((count, at.PLACED))
        self.J, self.axes, self.points = zeros((count, 3, nv)), [], []
        for c in range(count):
            at.place_spot(plan, self.work.place, self.work.shape, self.work.bodies, c, placed)
            x = tuple(placed[c, at.POINT : at.POINT + 3])
            self.points.append(x)
            self.axes.append([tuple(placed[c, k : k + 3]) for k in (at.FIRST_AXIS, at.SECOND_AXIS, at.NORMAL)])
            for k, axis in enumerate(self.axes[-1]):
                put_row(plan, self.work, self.J[c], k, plan.spots[c, at.BODY], x, axis, 1.0, False)
                put_row(plan, self.work, self.J[c], k, plan.spots[c, at.OTHER], x, axis, -1.0, False)
        self.gaps = boxed(placed[:, at.GAP])

    def speeds(self, v) -> np.ndarray:
        """(S, 3) of contacts."""
        return np.array([[dot(row, v) for row in rows] for rows in self.J], dtype=object).reshape(-1, 3)

    def bias(self, mean, rise) -> np.ndarray:
        """Inverse dynamics with a mean velocity, and the change of velocity over the step."""
        a = zeros(len(mean))
        steady(self.plan, mean, a)
        plain(bias_one)(self.plan, self.work, self.q, mean, a + rise / self.h)
        return self.work.bias.copy()

    def residual(self, v, p, ways, touched) -> tuple[np.ndarray, np.ndarray]:
        """F of (1), and (2) (S, 3); touched : which contacts were closed before, None leaves e out"""
        rise, laws = v - self.v, self.plan.spot_laws
        force = self.D * rise + (self.bias((self.v + v) * 0.5, rise) - self.force) * self.h
        for rows, own in zip(self.J, p, strict=True):
            for row, x in zip(rows, own, strict=True):
                force = force - row * x
        law, u = objects(p.shape), self.speeds(v)
        turned = self.turned_by(rise)
        u = u if touched is None else u + turned
        for c, way in enumerate(ways):
            mu, closed, slides, sticks = laws[c, at.FRICTION], way != OPEN, way == SLIDE, way == STICK
            e = 0.0 if touched is None else self.offset(c, touched[c], turned[c, 2])
            law[c, 2] = select(closed, u[c, 2] + e, p[c, 2])
            speed = sqrt(select(slides, u[c, 0] * u[c, 0] + u[c, 1] * u[c, 1], 1.0))
            for k in range(2):
                rubbed = p[c, k] + select(slides, mu * p[c, 2] * (u[c, k] / speed), 0.0)
                law[c, k] = select(sticks, u[c, k], rubbed)
        return force, law

    def offset(self, c: int, touched, turned) -> Any:
        """e of contact c beside what turns; touched : 0, 1 if it was closed before, 2 if its gap is not looked at"""
        gap = self.gaps[c]
        arrives = at.room(gap, self.h, turned) - turned
        e = select(touched > 0.5, at.room(at.stays_shut(gap, self.h), self.h, 0.0), arrives)
        return select(touched > 1.5, 0.0, e)

    def turned(self, v) -> np.ndarray:
        """(S, 3) h/2 s of (10) of `timestep.touching`, for velocities v at the end."""
        rise = v - self.v
        self.bias((self.v + v) * 0.5, rise)
        return self.turned_by(rise)

    def turned_by(self, rise) -> np.ndarray:
        """The same after `bias`."""
        plan, work, world = self.plan, self.work, self.plan.topology.shape[0] - 1
        result = zeros((self.step.spots, 3))
        for c in range(self.step.spots):
            if not follows_body(plan, c):
                continue
            s: Any = (0.0, 0.0, 0.0)
            for i, sign in ((plan.spots[c, at.BODY], 1.0), (plan.spots[c, at.OTHER], -1.0)):
                if i < world:
                    R = load9(work.bodies, i, ROTATION)
                    r = unrotate(R, subtract(self.points[c], load(work.bodies, i, ORIGIN)))
                    own = sign > 0.0 and plan.spot_laws[c, at.RIM] == 0.0
                    place = load(plan.spot_laws, c, at.PLACE) if own else r
                    s = add(s, scale(sign, rotate(R, turning(work.newton, world, i, R, r, place))))
            for k, axis in enumerate(self.axes[c]):
                result[c, k] = (dot(axis, s) * self.h - dot(self.J[c, k], rise)) * 0.5
        return result

    def matrix(self, trace: Trace | None, v, p, ways, touched=None, u=None) -> StepMatrix:
        """K; without a trace, without what the bias and what turns have in it, which rounds of Newton's method do not need.
        touched : as for `residual`; u : speeds that directions of friction go by, those of the middle if none are given"""
        nv, count, u = len(v), self.step.spots, self.speeds(v) if u is None else u
        mean, A, L = (self.v + v) * 0.5, self.inertia(), self.J
        if trace is not None:
            bias, turned = places(trace, self.bias(mean, zeros(nv))), zeros((count, 3))
            if touched is not None:
                turned, L = self.turned_by(zeros(nv)), self.J.copy()
                u = u + turned
                for c in range(count):
                    turned[c, 2] = turned[c, 2] + self.offset(c, touched[c], turned[c, 2])
            results = [*bias, *(places(trace, turned.ravel()) if touched is not None else [])]
            for k in range(nv):
                column = tangent(trace, {trace.place(mean[k]): 1.0}, results)
                for i in range(nv):
                    A[i, k] = A[i, k] + column[i] * (0.5 * self.h)
                for n, by in enumerate(column[nv:]):
                    L[n // 3, n % 3, k] = L[n // 3, n % 3, k] + by * 0.5
        friction = [self.plan.spot_laws[c, at.FRICTION] for c in range(count)]
        small = self.small * SOFTER if trace is None else self.small
        return StepMatrix(A, self.J, Blocks(ways, friction, p, u, small), L)

    def inertia(self) -> np.ndarray:
        """M + D."""
        plain(mass_one)(self.plan, self.work, self.q)
        A = self.work.M.copy()
        for k in range(len(A)):
            A[k, k] = A[k, k] + self.D[k]
        return A

    def end(self, v, dq) -> list:
        """(4), with integrals of the step."""
        nq = self.step.model.nq
        q, after = self.q, v.copy()
        if dq is not None:
            q = objects(nq)
            half_move(self.plan, self.room, self.q, dq, 2.0, q)
            self.turn(self.q, q, after)
        last = objects(nq)
        half_move(self.plan, self.room, q, after, self.h, last)
        self.turn(q, last, after)
        now = Instant(self.equations.problem, self.equations, self.t, self.q, (self.v + v) * 0.5)
        return [*last, *after, *(channel.of(now) * self.h for channel in self.step.integrands)]

    def lift(self, marks) -> tuple[np.ndarray, np.ndarray]:
        """dq and z of (3)."""
        g = zeros((self.step.spots, 3))
        for c, mark in enumerate(marks):
            g[c, 2] = select(mark > 0.5, -self.gaps[c], 0.0)
        dq, z = self.lift_matrix(marks).solved(zeros(self.step.model.nv), g)
        return dq, z[:, 2]

    def lift_matrix(self, marks) -> StepMatrix:
        """That of (3): contacts that are lifted, as if they stuck along the normal."""
        count = self.step.spots
        rows = self.J.copy()
        rows[:, :2] = 0.0
        ways = boxed([select(mark > 0.5, SLIDE, OPEN) for mark in marks])
        nothing = zeros((count, 3))
        return StepMatrix(self.inertia(), rows, Blocks(ways, [0.0] * count, nothing, nothing + 1.0, self.small))

    def lift_residual(self, dq, z, marks) -> tuple[np.ndarray, np.ndarray]:
        """What (3) misses."""
        still = zeros(len(dq))
        plain(bias_one)(self.plan, self.work, self.q, still, dq)
        balance = self.work.bias.copy()
        plain(bias_one)(self.plan, self.work, self.q, still, still)
        balance = balance - self.work.bias + self.D * dq
        height = objects(len(z))
        for c, mark in enumerate(marks):
            balance = balance - self.J[c, 2] * z[c]
            height[c] = select(mark > 0.5, self.gaps[c] + dot(self.J[c, 2], dq), z[c])
        return balance, height
