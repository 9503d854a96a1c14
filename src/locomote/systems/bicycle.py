"""A bicycle whose steering axis goes through the center of the front wheel, with a massless fork.

Two models of the contact. `exact`: wheels are thin discs that roll, contacts are their lowest points. `frozen`: the model of
the paper, with its constraints corrected: contacts stay at two points fixed to the frame (0 high, -l3 and l2 along x). With
s, c = sin and cos of the steer angle, a the tilt, h the radius, in axes of the frame (x forward, y left, z up):

    rear   Vz + l3 Wy = 0 ,   Vx - h rear' = 0 ,   Vy - l3 Wz = 0
    front  c Vx + cos a s (Vy + l2 Wz) - h (c^2 + cos^2 a s^2) front' - h sin a cos a s steer' = 0
           -sin a s (Vz - l2 Wy) - cos a s Vx + c (Vy + l2 Wz) - h sin a c steer' = 0 ,   Vz - l2 Wy = 0
"""

import numpy as np

from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.bicycle_parts import Wheel, bicycle, riding, rolling
from locomote.systems.parameters import choice, not_negative, number, positive

SOURCE = (
    "F. Boyer, A. Belkhiri: Reduced locomotion dynamics with passive internal DoFs. IEEE Transactions on Robotics 30 (2014), "
    "second example, with its constraints corrected; the paper prints no numbers, these are chosen"
)
SEE = "hands off it steers itself into the fall and comes upright; held straight (steering=imposed) it falls over"
PARAMETERS = {
    "model": choice("exact", ("exact", "frozen"), "contacts: lowest points of rolling discs, or fixed to the frame"),
    "steering": choice("free", ("free", "imposed", "feedback"), "hands off, a sine of time, or a torque into the fall"),
    "speed": positive(5.5, "m/s", "speed, imposed at the rear wheel"),
    "lean": number(0.05, "rad", "lean to the right at the start"),
    "gain": not_negative(2.0, "", "steer angle per lean that the feedback wants (try it at 4 m/s)"),
    "amplitude": number(0.0, "rad", "amplitude of the imposed steering; 0 holds it straight"),
    "rate": positive(3.0, "rad/s", "angular frequency of the imposed steering"),
    "tilt": number(0.31, "rad", "tilt of the steering axis, backwards"),
    "radius": positive(0.34, "m", "radius of both wheels"),
    "ahead": positive(0.62, "m", "front wheel ahead of the frame's origin"),
    "behind": positive(0.48, "m", "rear wheel behind it"),
    "wheel_mass": positive(2.1, "kg", "mass of each wheel"),
    "wheel_axial": positive(0.2428, "kg m^2", "moment of inertia of a wheel about its axle"),
    "wheel_across": positive(0.1214, "kg m^2", "and across it"),
    "mass": positive(80.0, "kg", "mass of frame and rider"),
    "mass_x": number(-0.08, "m", "their mass center ahead of the origin"),
    "mass_z": number(0.55, "m", "and above the axles"),
    "inertia_xx": positive(2.6, "kg m^2", "their moment of inertia about their mass center, along x"),
    "inertia_yy": positive(4.1, "kg m^2", "along y"),
    "inertia_zz": positive(3.2, "kg m^2", "along z"),
    "inertia_xz": number(0.4, "kg m^2", "and their product of inertia, an entry of the matrix"),
    "mass_y": number(0.0, "m", "their mass center to the left of the plane of the frame: a load on one side"),
    "inertia_xy": number(0.0, "kg m^2", "and their other products of inertia, which such a load has"),
    "inertia_yz": number(0.0, "kg m^2", "the last one"),
    "wheel_friction": not_negative(0.0, "N m s/rad", "friction in the bearing of the front wheel"),
    "gravity": not_negative(9.81, "m/s^2", "gravity"),
}
GRIP, DAMPING = 100.0, 5.0  # N m/rad, N m s/rad: of the arms that turn the steering to where the feedback wants it


def wheels(p) -> tuple[Wheel, Wheel]:
    """Rear and front wheel."""
    same = (p.radius, p.wheel_mass, p.wheel_axial, p.wheel_across)
    return Wheel(-p.behind, *same), Wheel(p.ahead, *same)


def build(p) -> Model:
    """Frame, fork, front and rear wheel."""
    rear, front = wheels(p)
    moment = (p.inertia_xx, p.inertia_xy, p.inertia_xz, p.inertia_yy, p.inertia_yz, p.inertia_zz)
    frame = Inertia(p.mass, (p.mass_x, p.mass_y, p.radius + p.mass_z), moment)
    return bicycle("bicycle", frame, None, rear, front, (p.ahead, 0.0, p.radius), p.tilt, p.gravity)


def setting(p) -> dict:
    """The rear wheel turns at a constant rate; the steering is free, imposed, or turned into the fall by a torque."""
    from locomote.drives.drive import Drive
    from locomote.drives.kinds.polynomial import Polynomial
    from locomote.drives.kinds.sine import Sine

    drives: dict[str, Drive] = {"rear": Polynomial((0.0, p.speed / p.radius))}
    constraints = rolling(*wheels(p)) if p.model == "exact" else [frozen_contacts(p)]
    if p.steering == "imposed":
        drives["steer"] = Sine(p.amplitude, p.rate)
    said = {"drives": drives, "constraints": constraints}
    if p.wheel_friction:
        said["springs"] = {"front": (0.0, 0.0, p.wheel_friction)}
    return said | ({"torques": feedback(p)} if p.steering == "feedback" else {})


def feedback(p):
    """(t, q, v) -> torques: a spring and a damper that pull the steering towards `gain` times the lean, to the right."""

    def torques(t, q, v):
        x, y, z, w = q[3:7]
        lean = np.arcsin(2.0 * (y * z + w * x))  # the height of the frame's left side
        tau = np.zeros(len(v))
        tau[6] = GRIP * (-p.gain * lean - q[7]) - DAMPING * v[6]
        return tau

    return torques


def frozen_contacts(p):
    """The six rows of the paper's model, in the order of this file's header."""
    from locomote.constraints.custom import Custom

    h, l2, l3, sa, ca = p.radius, p.ahead, p.behind, np.sin(p.tilt), np.cos(p.tilt)
    rear = np.zeros((6, 9))
    rear[0, [2, 4]], rear[1, [0, 8]], rear[2, [1, 5]] = (1, l3), (1, -h), (1, -l3)
    rear[5, [2, 4]] = 1, -l2

    def rows(t, q, v):
        s, c, A = np.sin(q[7]), np.cos(q[7]), rear.copy()
        A[3, [0, 1, 5, 7, 6]] = c, ca * s, ca * s * l2, -h * (c * c + ca * ca * s * s), -h * sa * ca * s
        A[4, [2, 4, 0, 1, 5, 6]] = -sa * s, sa * s * l2, -ca * s, c, c * l2, -h * sa * c
        return A

    def drift(t, q, v):
        s, c, rate, D = np.sin(q[7]), np.cos(q[7]), np.zeros(6), np.zeros((2, 9))
        D[0, [0, 1, 5, 7, 6]] = -s, ca * c, ca * c * l2, 2 * h * s * c * (1 - ca * ca), -h * sa * ca * c
        D[1, [2, 4, 0, 1, 5, 6]] = -sa * c, sa * c * l2, -ca * c, -s, -s * l2, h * sa * s
        rate[3:5] = v[6] * (D @ v)
        return rate

    return Custom(rows=rows, drift=drift, count=6, name="contacts")


def initial(p, model: Model):
    """Riding straight, leaning a little."""
    return riding(model, *wheels(p), p.speed, p.lean, 0.0)


def duration(p) -> float:
    """s"""
    return 1.0 if p.steering == "imposed" else 6.0
