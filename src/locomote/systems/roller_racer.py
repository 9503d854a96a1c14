"""Two bodies on wheels, hinged together: a seat with its rear axle, and a handlebar with a short axle.

x forward. The origin is the mass center of the seat, which is above its axle. The hinge is ahead of it, and the axle of the
handlebar behind the hinge (ahead if negative). The only input is the angle of the handlebar.
"""

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import number, positive
from locomote.systems.parts import along_y, at

SOURCE = (
    "P.S. Krishnaprasad, D.P. Tsakiris: Oscillations, SE(2)-snakes and motion control: a study of the roller racer. "
    "Dynamical Systems 16 (2001); numbers chosen"
)
SEE = "wiggling the handlebar alone drives it forward; about a straight mean angle it goes straight, otherwise in a curve"
PARAMETERS = {
    "amplitude": number(0.6, "rad", "amplitude of the handlebar"),
    "rate": positive(6.0, "rad/s", "its angular frequency"),
    "offset": number(0.0, "rad", "its mean angle"),
    "hinge": positive(0.5, "m", "from the rear axle to the hinge"),
    "handle": number(0.1, "m", "from the hinge back to the axle of the handlebar"),
    "seat_mass": positive(35.0, "kg", "mass of seat and rider"),
    "seat_inertia": positive(1.5, "kg m^2", "their moment of inertia"),
    "handle_mass": positive(1.5, "kg", "mass of the handlebar, at its axle"),
    "handle_inertia": positive(0.03, "kg m^2", "its moment of inertia"),
    "gait": gait_choice("fast"),
}


def build(p) -> Model:
    """Seat and handlebar."""
    seat = (Visual("box", (p.hinge, 0.06, 0.04), at(p.hinge / 2, 0, 0)), Visual("cylinder", (0.08, 0.3), along_y()))
    bar = (Visual("cylinder", (0.06, 0.12), at(-p.handle, 0, 0) @ along_y()), Visual("box", (0.03, 0.5, 0.03), at(0, 0, 0.3)))
    bar += (Visual("box", (0.03, 0.03, 0.3), at(0, 0, 0.15)), Visual("box", (p.handle, 0.03, 0.03), at(-p.handle / 2, 0, 0)))
    handle = Inertia(p.handle_mass, (-p.handle, 0.0, 0.0), [p.handle_inertia] * 3)
    builder = Builder("roller racer", base="planar")
    builder.body("seat", inertia=Inertia(p.seat_mass, moment=[p.seat_inertia] * 3), visuals=seat)
    builder.body("handlebar", parent="seat", at=(p.hinge, 0, 0), joint=Joint("handle"), inertia=handle, visuals=bar)
    return builder.build()


def setting(p) -> dict:
    """The handlebar swings; no axle slides sideways."""
    from locomote.constraints.kinds import Blade
    from locomote.drives.kinds.sine import Sine

    axles = [Blade("seat", name="rear"), Blade("handlebar", (-p.handle, 0.0, 0.0), name="front")]
    return {"drives": {"handle": Sine(p.amplitude, p.rate, offset=p.offset)}, "constraints": axles}


def duration(p) -> float:
    """s"""
    return 15.0
