"""A flier of a hawkmoth's size with soft wings, its body free: wings are rods that bend and twist, and lift it by that.

x ahead, y to the left, z up. Each wing is a spar at its leading edge, a rod with torsion and bending, with ribs behind it that
carry most of its mass; the first torsion in air has the frequency of a stiff wing on a spring, as in hovering_moth. Motors at
the roots make the wings stroke. With control="strokes" a controller changes, by means over the last stroke, the amplitude of
the strokes (height) and where they are about (pitch, and by it the way ahead); with control="none" strokes are always the
same: the body leans back by 45 degrees within four strokes, sinks and goes off backwards, as hovering is not stable by itself.
"""

from types import SimpleNamespace

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.flexible.cross_sections import SectionConstants
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems import hovering_moth
from locomote.systems.hovering_moth import outline, strip_inertia
from locomote.systems.parameters import CLOSING, choice, not_negative, positive, whole
from locomote.systems.parts import at, turned

SOURCE = (
    f"F. Boyer, M. Porez: Multibody system dynamics for bio-inspired locomotion (2015), figure 12, left; {hovering_moth.SOURCE}"
)
SEE = "soft wings bend and twist and carry the weight while the body nods; with control='none' it leans back and sinks"
SHARED = ("mass", "span", "chord", "axis", "wing_mass", "frequency", "air")
PARAMETERS = {
    "control": choice("strokes", ("strokes", "none"), "strokes follow means over the last one, or are always the same"),
    **{name: hovering_moth.PARAMETERS[name] for name in SHARED},
    "stroke": positive(57.0, "deg", "amplitude of the stroke, as it is without control"),
    "hinge": not_negative(0.004, "m", "height of the wing roots above the body's mass center"),
    "body_length": positive(0.045, "m", "length of the body"),
    "stiffness": positive(2e-4, "N m/rad", "of a spring with which a stiff wing has the frequency of torsion of these"),
    "bending_frequency": positive(90.0, "Hz", "first frequency of bending of a wing, as of a uniform one"),
    "loss": not_negative(5e-4, "s", "damping of the spars, a time"),
    "ribs": whole(4, "of a wing", lowest=2, highest=10),
    "ticks": whole(100, "of the controller in a stroke", lowest=40, highest=400),
    "strokes": positive(4.0, "strokes", "of a run"),
}
TOLERANCES = CLOSING
LIGHT = 0.1  # part of the mass of a wing that its spar has
MOTOR = 4e-8  # kg m^2, inertia of what moves a wing
SERVO = 6.0  # frequency of the servo of a stroke, over that of the strokes


def spar(p) -> Rod:
    """A rod along the span, y of its sections against x of the body."""
    pieces = 12
    cut = SimpleNamespace(**{**vars(p), "wings": "flexible", "strips": pieces})
    twist = hovering_moth.stiffening(cut) * p.stiffness * p.span / pieces
    mass = LIGHT * p.wing_mass / p.span
    bend = (2 * np.pi * p.bending_frequency / 1.8751040687119611**2) ** 2 * p.wing_mass * p.span**3
    section = SectionConstants(mass, torsion=twist, bending=bend, inertia=mass * 1e-6, damping=p.loss, size=(5e-4, 1e-3))
    return Rod(p.span, section, strains="torsion bending_z", order=1, nodes=6)


def build(p) -> Model:
    """A body with two spars, and ribs on them."""
    half = (p.body_length / 2, 0.006, 0.006)
    builder = Builder("soft_moth", base="free")
    builder.body("body", inertia=Inertia.ellipsoid(p.mass, half), visuals=(Visual("ellipsoid", half),))
    for name, side in (("left", 1.0), ("right", -1.0)):
        root = turned(side * np.pi / 2)
        motor = Inertia(1e-5, moment=(MOTOR,) * 3)
        stroke = Joint(f"{name}_stroke", axis=(0, 0, side))
        builder.body(f"{name}_root", parent="body", at=(0, 0, p.hinge), joint=stroke, inertia=motor)
        builder.body(name, parent=f"{name}_root", at=root, flex=spar(p))
        for k in range(p.ribs):
            first, last = k / p.ribs, (k + 1) / p.ribs
            whole_ = strip_inertia(p, side, first, last)
            light = Inertia((1 - LIGHT) * whole_.mass, whole_.com, (1 - LIGHT) * np.asarray(whole_.moment))
            width, c = p.span / p.ribs, outline(p)((first + last) / 2)
            look = Visual("box", (3e-4, width, c), at(0.0, side * width / 2, (p.axis - 1 / 2) * c))
            place = {"along": (first + last) / 2 * p.span, "at": turned(-side * np.pi / 2) @ at(0.0, -side * width / 2, 0.0)}
            builder.body(f"{name}_rib_{k + 1}", parent=name, inertia=light, visuals=(look,), **place)
    return builder.build()


class Strokes:
    """The controller: servos of both strokes, and what strokes should be, from means over the last one.

    State: rows of x, z, pitch and their rates over a stroke, the oldest first.
    """

    def __init__(self, p, model: Model):
        self.rate, self.size, self.free = 2 * np.pi * p.frequency, np.radians(p.stroke), p.control == "none"
        self.at = [(model.joint(f"{side}_stroke").q.start, model.joint(f"{side}_stroke").v.start) for side in ("left", "right")]
        wing = p.wing_mass * p.span**2 / 6 + np.pi / 4 * p.air * p.chord**2 * p.span**3 / 3 + MOTOR
        servo = SERVO * self.rate
        self.inertia, self.stiffness, self.damping = wing, wing * servo**2, 1.4 * wing * servo
        self.nv = model.nv

    def __call__(self, t, q, v, state):
        qx, qy, qz, qw = q[3:7]
        pitch = np.arcsin(np.clip(2 * (qw * qy - qz * qx), -1.0, 1.0))
        up = 1 - 2 * (qx * qx + qy * qy)
        ahead = np.cos(pitch) * v[0] + np.sin(pitch) * v[2]
        rise = up * v[2] - np.sin(pitch) * v[0]
        state = np.vstack([state[1:], [q[0], q[2], pitch, ahead, rise, v[4]]])
        x, z, mean_pitch, ahead, rise, nod = state.mean(axis=0)
        size, about = self.size, 0.0
        if not self.free:
            size *= np.clip(1.0 - 3.0 * z - 0.6 * rise, 0.8, 1.2)
            lean = np.clip(-1.5 * x - 0.8 * ahead, -0.3, 0.3)
            about = np.clip(-0.12 * (mean_pitch - lean) - 0.010 * nod, -0.3, 0.3)
        angle = self.rate * t
        goal, goal_rate = about + size * np.cos(angle), -size * self.rate * np.sin(angle)
        tau = np.zeros(self.nv)
        for k, j in self.at:
            wanted = -(self.rate**2) * size * np.cos(angle)
            tau[j] = self.inertia * wanted + self.stiffness * (goal - q[k]) + self.damping * (goal_rate - v[j])
        return tau, state


def setting(p) -> dict:
    """Air on both wings, motors at their roots."""
    from locomote.actuation.controllers import Sampled
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.wing import Wing

    air = Fluid(p.air, 1.8e-5)
    wings = [Wing(name, air, 0.0, p.span, outline(p), (0, 0, 1), axis=p.axis) for name in ("left", "right")]
    clock = Sampled(Strokes(p, build(p)), every=1 / (p.frequency * p.ticks), state=np.zeros((p.ticks, 6)), name="strokes")
    return {"environment": wings, "torques": clock}


def initial(p, model: Model):
    """Wings back, at rest."""
    q = model.neutral()
    for side in ("left", "right"):
        q[model.joint(f"{side}_stroke").q] = np.radians(p.stroke)
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return p.strokes / p.frequency
