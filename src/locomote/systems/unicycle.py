"""A platform on two wheels of one axle, each driven by itself.

The origin is the middle of the axle. The wheels roll, so that their rates say how the platform moves at once:

    v = R (left' + right') / 2 ,   omega = R (right' - left') / (2 d)            d half the track

Both wheels hold the platform sideways: one of the two is redundant and the share of each is a self-stress.
"""

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import number, positive
from locomote.systems.parts import box, wheel

SOURCE = (
    "F. Boyer, M. Porez: Multibody system dynamics for bio-inspired locomotion: from geometric structures to computational "
    "aspects. Bioinspiration & Biomimetics 10 (2015); numbers chosen"
)
SEE = "a path of loops that depends on how the wheels turn, not on how fast; masses matter to torques only"
PARAMETERS = {
    "radius": positive(0.05, "m", "radius of the wheels"),
    "half_track": positive(0.15, "m", "from the middle to each wheel"),
    "mass": positive(3.0, "kg", "mass of the platform"),
    "wheel_mass": positive(0.3, "kg", "mass of each wheel, a full disc"),
    "rate": number(6.0, "rad/s", "mean rate of the wheels"),
    "swing": number(4.0, "rad", "amplitude by which the wheels turn against each other"),
    "swing_rate": positive(1.0, "rad/s", "its angular frequency"),
    "gait": gait_choice("park"),
}


def build(p) -> Model:
    """The platform, the left and the right wheel."""
    builder = Builder("unicycle", base="planar")
    builder.body("platform", at=(0.0, 0.0, p.radius), **box(p.mass, (0.3, 1.6 * p.half_track, 0.06)))
    disc = wheel(p.wheel_mass, p.wheel_mass * p.radius**2 / 2, p.wheel_mass * p.radius**2 / 4, p.radius)
    for name, y in (("left", p.half_track), ("right", -p.half_track)):
        builder.body(f"{name}_wheel", parent="platform", at=(0.0, y, 0.0), joint=Joint(name, axis="y"), **disc)
    return builder.build()


def setting(p) -> dict:
    """Both wheels turn forward, and swing against each other."""
    from locomote.constraints.kinds import Rolling
    from locomote.drives.kinds.polynomial import Polynomial
    from locomote.drives.kinds.sine import Sine

    forward, swing = Polynomial((0.0, p.rate)), Sine(p.swing, p.swing_rate)
    wheels = [Rolling(f"{s}_wheel", p.radius, axle=(0, 1, 0), directions="fl", name=s) for s in ("left", "right")]
    return {"drives": {"left": forward + (-swing), "right": forward + swing}, "constraints": wheels}


def duration(p) -> float:
    """s"""
    return 20.0
