"""A soft robot with four pneumatic legs that crawls on the ground.

x forwards. The legs are rods that lie flat and bend in the plane, each by a chamber at its rear side; they are inflated in
diagonal pairs. Feet carry the weight and have bristles: they slide forwards more easily than backwards.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import CLOSING, not_negative, positive

SOURCE = (
    "R.F. Shepherd et al.: Multigait soft robot. PNAS 108 (2011): four pneumatic legs "
    "in diagonal pairs; rods in the plane, feet with bristles, numbers chosen"
)
SEE = "diagonal legs sweep back in turn; the feet that grip push the trunk ahead, the others slide after it"
TOLERANCES = CLOSING
PARAMETERS = {
    "trunk_length": positive(0.08, "m", "length of the trunk"),
    "trunk_width": positive(0.03, "m", "its width"),
    "trunk_mass": positive(0.03, "kg", "its mass"),
    "leg_length": positive(0.06, "m", "length of a leg"),
    "leg_radius": positive(0.006, "m", "radius of a leg"),
    "foot_mass": positive(0.008, "kg", "mass of a foot"),
    "young": positive(8e5, "Pa", "Young's modulus of the legs"),
    "density": positive(1100.0, "kg/m^3", "their density"),
    "damping": positive(0.02, "s", "their Kelvin-Voigt time"),
    "pressure": positive(1.8e5, "Pa", "pressure in a leg, at most"),
    "period": positive(1.0, "s", "time of a stride"),
    "forwards": not_negative(0.15, "-", "coefficient of friction of feet forwards"),
    "backwards": not_negative(0.7, "-", "coefficient of friction backwards"),
    "slow": positive(0.05, "m/s", "speed below which friction fades"),
}
LEGS = {"front_left": (1, 1), "rear_right": (-1, -1), "front_right": (1, -1), "rear_left": (-1, 1)}


def build(p) -> Model:
    """A trunk, four legs that stand out to the sides, four feet that look forwards."""
    material = Material(p.density, p.young, damping=p.damping)
    rod = Rod(p.leg_length, Section.circle(p.leg_radius), material, strains="bending_z", order=1)
    size = (p.trunk_length, p.trunk_width, 0.015)
    J = p.trunk_mass * (size[0] ** 2 + size[1] ** 2) / 12
    builder = Builder("soft_quadruped", base="planar")
    builder.body("trunk", inertia=Inertia(p.trunk_mass, moment=(J, J, J)), visuals=[Visual("box", size)])
    for name, (x, y) in LEGS.items():
        place, back = np.eye(4), np.eye(4)
        place[:3, :3] = [[0.0, -y, 0.0], [y, 0.0, 0.0], [0.0, 0.0, 1.0]]  # x of the leg to its side
        place[:3, 3] = 0.42 * x * p.trunk_length, 0.5 * y * p.trunk_width, 0.0
        back[:3, :3] = place[:3, :3].T
        builder.body(f"{name}_leg", parent="trunk", at=place, flex=rod)
        foot = Visual("sphere", (1.4 * p.leg_radius,), color=(0.25, 0.25, 0.3, 1.0))
        moment = 1e-6 * p.foot_mass
        inertia = Inertia(p.foot_mass, moment=(moment, moment, moment))
        builder.body(f"{name}_foot", parent=f"{name}_leg", at=back, inertia=inertia, visuals=[foot])
    return builder.build()


def setting(p) -> dict:
    """A chamber at the front side of each leg, which sweeps it back; diagonal pairs in turn; the ground."""
    from locomote.actuation.actuators import Chamber
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.granular import Scales

    w, chambers, ground = 2 * np.pi / p.period, [], []
    leg_mass = p.density * np.pi * p.leg_radius**2 * p.leg_length
    weight = (p.trunk_mass + 4 * (leg_mass + p.foot_mass)) * 9.81
    for name, (x, y) in LEGS.items():
        phase = -np.pi / 2 if x * y > 0 else np.pi / 2
        push = Sine(0.5 * p.pressure, w, phase=phase, offset=0.5 * p.pressure, ramp=0.5 * p.period)
        area, offset = 0.3 * np.pi * p.leg_radius**2, -y * 0.5 * p.leg_radius  # y of a leg at the left looks backwards
        chambers.append(Chamber(f"{name}_leg", area, push, (offset, 0.0), name=name))
        ground.append(Scales(f"{name}_foot", weight / 4, p.forwards, p.backwards, 0.3, slow=p.slow, name=f"ground {name}"))
    return {"actuators": chambers, "environment": ground}


def duration(p) -> float:
    """s"""
    return 6 * p.period
