"""A lizard that swims within sand: links with an imposed wave, in a medium whose resistance does not grow with speed.

The head is at the origin and x runs to the tail, so that it swims towards -x. Inertia does not matter.
"""

from locomote.model.model import Model
from locomote.systems.links import chain, wave
from locomote.systems.parameters import number, positive, whole

SOURCE = (
    "R.D. Maladen, Y. Ding, C. Li, D.I. Goldman: Undulatory swimming in sand: subsurface locomotion of the sandfish lizard. "
    "Science 325 "
    "(2009), law of resistance; R.D. Maladen, Y. Ding, P.B. Umbanhowar, A. Kamor, D.I. Goldman: Biophysically inspired "
    "development of a sand-swimming robot. Robotics: Science and Systems (2010), speed; numbers chosen"
)
SEE = "it moves by 0.4 of its length with every period, as the lizard does, whatever the period"
PARAMETERS = {
    "links": whole(16, "number of links", lowest=2, highest=100),
    "length": positive(0.1, "m", "length"),
    "radius": positive(0.008, "m", "of the body"),
    "bend": number(5.65, "rad", "bending of the wave, times the length"),
    "wavelength": positive(1.0, "1", "wavelength over length"),
    "frequency": positive(2.0, "Hz", "of the wave"),
    "plough": positive(3.2e4, "N/m^2", "resistance of sand that is pushed aside"),
    "slide": positive(1.35e4, "N/m^2", "resistance of sand that slides along"),
}


def build(p) -> Model:
    """A chain in the plane."""
    return chain("sandfish", p.links, p.length, lambda X: (2 * p.radius, 2 * p.radius), 1000.0).build()


def setting(p) -> dict:
    """The wave, and sand."""
    from locomote.forces.granular import Granular

    h = p.length / p.links
    sand = [
        Granular(f"link_{k}", (0, 0, 0), (h, 0, 0), p.radius, p.plough, p.slide, elements=2, name=f"sand {k}")
        for k in range(p.links)
    ]
    drives = wave(p.links, lambda X: p.bend, p.wavelength, p.frequency, 0.0)
    return {"drives": drives, "environment": sand, "inertia": False}


def duration(p) -> float:
    """s"""
    return 3 / p.frequency
