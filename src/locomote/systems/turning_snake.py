"""A snake without links in space, on soft ground: it goes straight, turns, and goes straight again.

x from the head to the tail. Both curvatures are imposed: what the head bends to goes down the body at the speed of the wave, so
that each section does what the one before it did, the turn too. Bends are lifted a little (twice the frequency of the wave),
so that parts of the belly carry more, as with snakes on hard ground. Nothing holds the snake but springs below its sections and
friction, which is small along the body and large across. With gait="sidewinding" the lift has the frequency of the wave, a
quarter ahead, friction may be the same in all directions, and the snake goes sideways, by two or three places that lie still.
rise= puts stairs in its way.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.flexible.bases import Points
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.systems.parameters import choice, not_negative, number, positive, whole

SOURCE = (
    "F. Boyer, M. Porez: Multibody system dynamics for bio-inspired locomotion: from geometric structures to computational "
    "aspects. Bioinspiration and Biomimetics 10 (2015), figure 10, left; F. Boyer, S. Ali, M. Porez: Macrocontinuous dynamics "
    "for hyperredundant robots (2012); sidewinding after H. Marvi et al.: Sidewinding with minimal slip. Science 346 (2014); "
    "numbers chosen"
)
SEE = "every section follows the head, through the turn too, and slips a little; the head's path is straight before and after"
PARAMETERS = {
    "gait": choice("undulation", ("undulation", "sidewinding"), "how bends are lifted"),
    "length": positive(1.0, "m", "length of the snake"),
    "radius": positive(0.02, "m", "radius of its section"),
    "density": positive(1000.0, "kg/m^3", "density"),
    "amplitude": number(6.0, "1/m", "curvature of the wave, to the sides"),
    "lift": number(0.3, "1/m", "curvature of the wave, up and down"),
    "wavelength": positive(0.7, "m", "length of the wave along the body"),
    "speed": positive(0.7, "m/s", "speed of the wave along the body"),
    "turn": number(3.2, "1/m", "largest curvature of the turn"),
    "turn_start": positive(1.5, "s", "when the head begins to turn"),
    "turn_time": positive(1.4, "s", "how long a section turns"),
    "along": not_negative(0.1, "-", "coefficient of friction along the body"),
    "across": not_negative(0.8, "-", "coefficient of friction across the body"),
    "slow": positive(0.03, "m/s", "speed below which friction fades"),
    "sink": positive(0.002, "m", "how deep the snake sinks in at rest"),
    "rise": not_negative(0.0, "m", "of the steps of stairs, if there are any"),
    "run": positive(0.3, "m", "of the steps of stairs"),
    "nodes": whole(10, "of the rod", lowest=6, highest=40),
    "duration": positive(5.0, "s", "of a run"),
}
RAMP = 1.0  # s, in which the wave grows
STAIRS = -0.5  # m, where they begin


def build(p) -> Model:
    """One rod on a free base."""
    skin, flesh = Section.circle(p.radius), Material(p.density, 1e6)
    rod = Rod(p.length, skin, flesh, strains="bending_y bending_z", basis=Points(), nodes=p.nodes)
    return Builder("turning_snake", base="free").body("snake", flex=rod).build()


def curvatures(p, rod: Rod) -> list:
    """The drive of each coordinate: the wave and the turn, as late as the wave takes to get there."""
    from locomote.drives.kinds.sine import Sine
    from locomote.drives.kinds.spline import Spline

    w, drives = 2 * np.pi * p.speed / p.wavelength, []
    times, way = 2 if p.gait == "undulation" else 1, rod.points.ravel()
    for k, label in enumerate(rod.names):
        late = way[k % len(way)] / p.speed
        if label.startswith("bending_y"):
            drives.append(Sine(p.lift, times * w, -times * w * late, ramp=RAMP))
            continue
        wave = Sine(p.amplitude, w, np.pi / 2 - w * late, ramp=RAMP)
        knots = p.turn_start + late + np.array([0.0, 0.5, 1.0]) * p.turn_time
        drives.append(wave + Spline(knots, [0.0, p.turn, 0.0], end="clamped", order=5) if p.turn else wave)
    return drives


def setting(p) -> dict:
    """Curvatures, and ground that carries the weight at its depth, well damped."""
    from locomote.forces.soft_ground import SoftGround
    from locomote.geometry.shapes.plane import Plane
    from locomote.geometry.shapes.steps import Steps

    mass = p.density * np.pi * p.radius**2  # per metre
    stiffness = mass * 9.81 / p.sink
    ground = Steps(p.run, p.rise, 20, (STAIRS, 0.0, 0.0), heading=np.pi) if p.rise else Plane()
    feet, damping = {"snake": (0.0, p.length)}, 2 * np.sqrt(stiffness * mass)
    soft = SoftGround(feet, stiffness, damping, (p.along, p.across), ground, slow=p.slow, elements=p.nodes)
    flexible = build(p).flexible
    assert flexible is not None
    return {"drives": {"snake": curvatures(p, flexible.rods["snake"])}, "environment": [soft]}


def initial(p, model: Model):
    """Straight, on the ground, as deep as it lies."""
    q = model.neutral()
    q[2] = p.radius - p.sink
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return p.duration
