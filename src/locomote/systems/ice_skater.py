"""A skater who pulls in both arms, gliding on one blade or spinning in a jump.

The trunk stays upright: it moves in the plane, turns, and rises. Arms are point masses on slides to both sides. On the
blade the skater glides and turns but does not slide sideways; in the jump nothing holds. In both, angular momentum about the
vertical stays, so that the spin grows by the ratio of the moments of inertia. To jump after gliding, start the problem of
the jump where a run on the blade ended. On a slope, x downhill, it is a skier on edges who turns to and fro: the heading is
imposed, arms stay out, and only the part of the weight along the skis makes it faster, V' = g sin(slope) cos(heading).
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, number, positive
from locomote.systems.parts import at

SOURCE = (
    "F. Boyer, M. Porez: Multibody system dynamics for bio-inspired locomotion: from geometric structures to computational "
    "aspects. Bioinspiration & Biomimetics 10 (2015); numbers chosen"
)
SEE = "spin-up by 4.5 when the arms come in; on the blade the glide winds into a tighter and tighter circle"
PARAMETERS = {
    "phase": choice("jump", ("blade", "jump", "slope"), "what holds: a blade on the ice, nothing, or edges on a slope"),
    "speed": number(2.0, "m/s", "speed forward at the start"),
    "jump": number(3.0, "m/s", "speed upwards at the start of a jump"),
    "spin": number(3.0, "rad/s", "spin at the start"),
    "reach": positive(0.9, "m", "distance of the arms at the start"),
    "tuck": positive(0.25, "m", "distance of the arms at the end"),
    "time": positive(0.5, "s", "time to pull in the arms"),
    "mass": positive(60.0, "kg", "mass of the trunk"),
    "inertia": positive(1.2, "kg m^2", "moment of inertia of the trunk"),
    "arm_mass": positive(4.0, "kg", "mass of each arm, a point"),
    "slope": number(15.0, "deg", "of a slope"),
    "turn": number(0.8, "rad", "how far a skier turns to each side"),
    "turn_rate": positive(1.5, "rad/s", "angular frequency of these turns"),
}


def build(p) -> Model:
    """The trunk, the left and the right arm."""
    upright = [Joint("base", "planar"), Joint("height", "prismatic", axis="z")]
    if p.phase == "slope":  # a heading that can be imposed
        upright = [Joint("down", "prismatic", axis="x"), Joint("across", "prismatic", axis="y"), Joint("heading"), upright[1]]
    trunk = [Visual("capsule", (0.15, 1.2), at(0, 0, 0.9)), Visual("box", (0.3, 0.005, 0.05), at(0, 0, 0.025))]
    tilt = np.radians(p.slope) if p.phase == "slope" else 0.0
    builder = Builder("ice skater", gravity=(9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)))
    builder.body("trunk", joint=upright, inertia=Inertia(p.mass, moment=[p.inertia] * 3), visuals=trunk)
    for name, side in (("left", 1.0), ("right", -1.0)):
        slide, hand = Joint(name, "prismatic", axis=(0.0, side, 0.0)), Visual("sphere", (0.08,), at(0, 0, 1.3))
        builder.body(f"{name}_arm", parent="trunk", joint=slide, inertia=Inertia(p.arm_mass), visuals=[hand])
    return builder.build()


def setting(p) -> dict:
    """The arms come in; on the blade the height is held too."""
    from locomote.constraints.kinds import Blade
    from locomote.drives.drive import Drive
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.cycloid import Cycloid
    from locomote.drives.kinds.sine import Sine

    drives: dict[str, Drive] = dict.fromkeys(("left", "right"), Cycloid(p.reach, p.tuck, p.time))
    if p.phase == "slope":
        drives = dict.fromkeys(("left", "right"), Constant(p.reach)) | {"heading": Sine(p.turn, p.turn_rate)}
    if p.phase == "jump":
        return {"drives": drives}
    return {"drives": drives | {"height": Constant(0.0)}, "constraints": [Blade("trunk", name="blade")]}


def initial(p, model: Model):
    """Arms out, gliding and spinning, rising if in a jump."""
    q, v = model.neutral(), np.zeros(model.nv)
    q[4:] = p.reach
    v[0], v[2], v[3] = p.speed, p.spin if p.phase != "slope" else p.turn * p.turn_rate, p.jump if p.phase == "jump" else 0.0
    return q, v


def duration(p) -> float:
    """Until landing, or a glide of three seconds, or two turns, s."""
    if p.phase == "slope":
        return 4 * np.pi / p.turn_rate
    return 2 * p.jump / 9.81 if p.phase == "jump" and p.jump > 0 else 3.0
