"""A cart on a rail, on two wheels that do not slip, with a pendulum below.

The rail is the world's x axis. The pendulum angle counts from straight down, forward; wheel angles forward. Both wheels are
imposed, so that one contact is redundant: the torques of the two wheels are known only up to a self-stress, the force
with which they pull against each other.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive
from locomote.systems.parts import at, box, wheel

SOURCE = (
    "F. Boyer, A. Belkhiri: Reduced locomotion dynamics with passive internal DoFs. IEEE Transactions on Robotics 30 (2014), "
    "first example; the paper prints no numbers, these are chosen"
)
SEE = "the pendulum is shaken up by the cart; one self-stress: the wheels can pull against each other at no effect"
PARAMETERS = {
    "cart_mass": positive(2.0, "kg", "mass of the cart without wheels"),
    "wheel_mass": positive(0.5, "kg", "mass of each wheel, a full disc"),
    "radius": positive(0.1, "m", "radius of the wheels"),
    "mass": positive(0.4, "kg", "mass of the bob"),
    "length": positive(0.6, "m", "length of the pendulum"),
    "amplitude": number(3.0, "rad", "amplitude of the wheels"),
    "rate": positive(4.0, "rad/s", "angular frequency of the wheels"),
    "angle": number(0.3, "rad", "angle of the pendulum at the start"),
}
WHEELBASE = 0.4  # m, without effect


def build(p) -> Model:
    """The cart at the height of its axles, the pendulum, the front and the rear wheel."""
    bob = Inertia(p.mass, (0.0, 0.0, -p.length))
    looks = (Visual("sphere", (0.05,), at(0.0, 0.0, -p.length)), Visual("box", (0.01, 0.01, p.length), at(0, 0, -p.length / 2)))
    disc = wheel(p.wheel_mass, p.wheel_mass * p.radius**2 / 2, p.wheel_mass * p.radius**2 / 4, p.radius)
    builder = Builder("mobile pendulum", base="x")
    builder.body("cart", at=(0.0, 0.0, p.radius), **box(p.cart_mass, (0.5, 0.2, 0.06)))
    builder.body("pendulum", parent="cart", joint=Joint("swing", axis=(0.0, -1.0, 0.0)), inertia=bob, visuals=looks)
    for name, x in (("front", WHEELBASE / 2), ("rear", -WHEELBASE / 2)):
        builder.body(f"{name}_wheel", parent="cart", at=(x, 0.0, 0.0), joint=Joint(name, axis="y"), **disc)
    return builder.build()


def setting(p) -> dict:
    """Both wheels turn alike and roll."""
    from locomote.constraints.kinds import Rolling
    from locomote.drives.kinds.sine import Sine

    wheels = [Rolling(f"{side}_wheel", p.radius, axle=(0, 1, 0), directions="f", name=side) for side in ("front", "rear")]
    return {"drives": {side: Sine(p.amplitude, p.rate) for side in ("front", "rear")}, "constraints": wheels}


def initial(p, model: Model):
    """The pendulum at its angle, at rest."""
    q = model.neutral()
    q[model.joint("swing").q] = p.angle
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 10.0
