"""Reactive force on a slender body: Lighthill's large-amplitude elongated-body theory, in space, on a chain of straight bodies.

x runs along the body from head to tail. A slice of water of mass m_y, m_z per length moves across with each section; with W =
u - U the velocity of the section relative to the water,

    P = (0, m_y W_y, m_z W_z)            momentum of the slice                                                       (1)
    L = W_x P - 1/2 (P . W) e_x          momentum that passes through the section, and its suction                   (2)
    force per length = -(dP/dt) + dL/dx  ,   L = 0 ahead of the head, and L of the last section behind the tail      (3)

-(dP/dt), the inertia of the slices, joins the inertia of the bodies. The rest of (3) between two sections is the difference of
L there: where two bodies meet, one of them has L and the other -L of the section between them, whose axes are half way between
theirs; at the tail nothing takes L back, which is the thrust (Lighthill, Proc. R. Soc. B 179 (1971); Candelier, Boyer,
Leroyer, J. Fluid Mech. 674 (2011)). So the total force is that of Lighthill exactly: what passes the tail, less the rate of
all P. There is no force concentrated at the trailing edge beyond it. In a flow the slices are carried by it: at Gauss points
along each body

    force per length = M (dU/dt - w x U) + w x M U - G^T M W + rho A DU/Dt ,   moment = u x M u - W x M W            (4)

with M = (0, m_y, m_z), G the gradient of U, and dU/dt that of the water at the section, which moves (after Candelier, Porez,
Boyer, J. Fluid Mech. 716 (2013), for weak gradients). -G^T M W is the force of an energy 1/2 W . M W that depends on the place:
with the suction in (2) it pulls where the body gets higher, so that a body held in water that moves to and fro across it is
drawn ahead by 1/2 m' U_y^2 per length.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.sections import sections
from locomote.forces.along import Line
from locomote.forces.kinds import ANGULAR, ENERGY, LINEAR, LOSS, ORIGIN, ROTATION, Kind, adopt, power, put
from locomote.forces.numbers import Vector, a_vector, whole_number
from locomote.forces.terms import Place, Term
from locomote.forces.water.drag import section_value
from locomote.forces.water.fluid import Fluid
from locomote.model.flexible.along import Along
from locomote.model.model import Model
from locomote.model.packing import moved_matrix
from locomote.spatial.algebra import add, cross, dot, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, load9

GAP = 0.5  # gap between two segments, as a share of the shorter one
POINTS = 6  # Gauss points along a body, for its added inertia


@helper
def passing(W, m_y, m_z):
    """(2), in axes of the section."""
    P_y, P_z = m_y * W[1], m_z * W[2]
    return -0.5 * (P_y * W[1] + P_z * W[2]), W[0] * P_y, W[0] * P_z


@helper
def unit(a):
    """Along a, of length one."""
    return scale(1.0 / sqrt(dot(a, a)), a)


@helper
def between(R, S):
    """Axes half way between those of R and S: x along the sum, y as near to the sum of their y as possible."""
    x = unit((R[0] + S[0], R[3] + S[3], R[6] + S[6]))
    y = (R[1] + S[1], R[4] + S[4], R[7] + S[7])
    y = unit(subtract(y, scale(dot(x, y), x)))
    z = cross(x, y)
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@functools.cache
def swims(flow: Callable, count: int, moves: bool) -> Callable:
    """The rule. Numbers after those of the flow: how many bodies; m_y, m_z where each body ends; then
    m_y, m_z, rho A, each times its length, at every Gauss point. Places: ends and starts of neighbours in pairs, the tail,
    Gauss points."""
    adopt(flow)

    def rule(t, places, first, number, numbers, start, wrenches, results, row) -> None:
        own = start + count
        bodies = int(numbers[own])
        none, loss = (0.0, 0.0, 0.0), 0.0
        for b in range(bodies):
            end = first + 2 * b
            R, o, u = load9(places, end, ROTATION), load(places, end, ORIGIN), load(places, end, LINEAR)
            S = load9(places, end + 1, ROTATION) if b < bodies - 1 else R
            B = between(R, S)
            U, G, rate = flow(t, o, numbers, start)
            W = unrotate(B, subtract(rotate(R, u), U))
            L = rotate(B, passing(W, numbers[own + 1 + 2 * b], numbers[own + 2 + 2 * b]))
            force = unrotate(R, L)
            put(wrenches, end, force, none)
            loss = loss - dot(force, u)
            if b < bodies - 1:
                force = scale(-1.0, unrotate(S, L))
                put(wrenches, end + 1, force, none)
                loss = loss - dot(force, load(places, end + 1, LINEAR))
        if moves:
            base = own + 1 + 2 * bodies
            for k in range(number - (2 * bodies - 1)):
                n = first + 2 * bodies - 1 + k
                R, o = load9(places, n, ROTATION), load(places, n, ORIGIN)
                u, w = load(places, n, LINEAR), load(places, n, ANGULAR)
                U, G, rate = flow(t, o, numbers, start)
                here = unrotate(R, U)
                seen = unrotate(R, add(rate, rotate(G, rotate(R, u))))
                water = unrotate(R, add(rate, rotate(G, U)))
                m_y, m_z, displaced = numbers[base + 3 * k], numbers[base + 3 * k + 1], numbers[base + 3 * k + 2]
                turned = subtract(seen, cross(w, here))
                drift = (0.0, m_y * here[1], m_z * here[2])
                W = subtract(u, here)
                P = (0.0, m_y * W[1], m_z * W[2])
                uphill = unrotate(R, unrotate(G, rotate(R, P)))
                force = add((0.0, m_y * turned[1], m_z * turned[2]), add(cross(w, drift), scale(displaced, water)))
                force = subtract(force, uphill)  # (4)
                moment = subtract(cross(u, (0.0, m_y * u[1], m_z * u[2])), cross(W, P))
                put(wrenches, n, force, moment)
                loss = loss - power(u, w, force, moment)
        results[row, ENERGY] = 0.0
        results[row, LOSS] = loss

    return rule


@brief
@dataclass(frozen=True)
class Segment:
    """A piece of a slender body: straight, or along a rod.

    body : its name ; start, end : towards the tail, in the body frame, m; on a rod X of two sections, m
    height, width : of the section along `up` and across, m: numbers, or functions of 0..1 from start to end
    """

    body: str
    start: Vector | float
    end: Vector | float
    height: Any
    width: Any = 0.0
    up: Vector = (0.0, 0.0, 1.0)

    @property
    def line(self) -> Line:
        """Where it lies; x of its frames towards the tail, z up."""
        return Line(self.body, self.start, self.end, a_vector("up", self.up))

    def masses(self, density: float, x: float) -> tuple[float, float, float]:
        """m_y, m_z and rho A, kg/m, at x in 0..1: those of an ellipse of this height and width."""
        h, b = section_value("height", self.height, x) / 2, section_value("width", self.width, x) / 2
        return density * math.pi * h * h, density * math.pi * b * b, density * math.pi * h * b


@brief
@dataclass(frozen=True)
class Lighthill:
    """Reactive force of elongated-body theory on straight bodies and rods; segments : lo.water.Segment, from head to tail, each
    beginning where the one before ends; elements : Gauss points on each, 6 if None, on a rod its mass nodes."""

    fluid: Fluid
    segments: Sequence[Segment]
    name: str = "lighthill"
    elements: int | None = None

    def slices(self, model: Model) -> Iterator[tuple[Place, tuple[float, float, float]]]:
        """Places of slices of water, with their m_y, m_z and rho A times length, kg."""
        for segment in self.segments:
            line = segment.line
            for x, length in zip(*line.nodes(model, self.elements, POINTS), strict=True):
                m_y, m_z, displaced = segment.masses(self.fluid.density, x)
                yield line.place(x), (m_y * length, m_z * length, displaced * length)

    def _refuse_gaps(self, model: Model) -> None:
        """Raise if a segment does not begin where the one before ends, with the model in its neutral configuration."""
        poses = forward_kinematics(model, model.neutral())
        ends = []
        for segment in self.segments:
            line = segment.line
            if line.on_rod:
                along, frames = sections(model, model.neutral(), segment.body)[:2]
                places = [[float(np.interp(x, along, frames[:, c, 3])) for c in range(3)] for x in line.ends[:, 0]]
            else:
                pose = poses[model.body_index(segment.body)]
                places = line.ends @ pose[:3, :3].T + pose[:3, 3]
            ends.append(np.array(places))
        for n, (before, after) in enumerate(zip(ends, ends[1:], strict=False), 1):
            gap = np.linalg.norm(after[0] - before[1])
            if gap > GAP * min(np.linalg.norm(x[1] - x[0]) for x in (before, after)):
                raise ValueError(
                    f"segments of {self.name!r} go from head to tail, each beginning where the one before ends, but number {n} "
                    f"(on {self.segments[n].body!r}) begins {gap:.3g} m from there: swap start and end, or the segments"
                )

    def added_inertia(self, model: Model) -> dict[str | Along | None, np.ndarray]:
        """(6, 6) of the slices of each body, or section of a rod."""
        result: dict[str | Along | None, np.ndarray] = {}
        for (body, pose), (m_y, m_z, _) in self.slices(model):
            slice_ = moved_matrix(np.diag([0.0, m_y, m_z, 0.0, 0.0, 0.0]), pose)
            result[body] = result.get(body, 0.0) + slice_
        return result

    def term(self, model: Model) -> Term:
        """What passes between sections and behind the tail, and what the flow carries along, as a force term."""
        whole_number("number of segments", len(self.segments))
        self._refuse_gaps(model)
        (law, count), density = self.fluid.law, self.fluid.density
        places, numbers = [], [float(len(self.segments))]
        for n, segment in enumerate(self.segments):
            places += [segment.line.place(x) for x in ((0.0, 1.0) if n > 0 else (1.0,))]
            here = segment.masses(density, 1.0)
            after = self.segments[n + 1].masses(density, 0.0) if n + 1 < len(self.segments) else here
            numbers += [0.5 * (here[0] + after[0]), 0.5 * (here[1] + after[1])]
        if self.fluid.moves:
            for place, masses in self.slices(model):
                places.append(place)
                numbers += masses
        kind = Kind("lighthill", swims(law, count, self.fluid.moves), (), whole=True)
        return Term(self.name, kind, tuple(places), (*self.fluid.numbers, *numbers))
