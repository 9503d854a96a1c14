"""Slender bodies as chains of links: head first, x of every link towards the tail, joints about z, elliptic sections."""

from collections.abc import Callable

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.spatial.inertia import Inertia

Section = Callable[[float], tuple[float, float]]  # X in 0..1 from head to tail -> height and width, m


def link_inertia(length: float, sections: list[tuple[float, float]], density: float) -> Inertia:
    """Mass, center and moments of a link, from its sections at Gauss points."""
    s, share = np.polynomial.legendre.leggauss(len(sections))
    x, dx = (s + 1) / 2 * length, share / 2 * length
    h, w = np.array(sections).T / 2
    mass = density * np.pi * h * w * dx
    total, com = mass.sum(), (mass * x).sum() / mass.sum()
    spread = (mass * (x - com) ** 2).sum()
    along_z, along_y = (mass * h * h).sum() / 4, (mass * w * w).sum() / 4
    return Inertia(total, (com, 0, 0), (along_z + along_y, along_z + spread, along_y + spread))


def ends(k: int, links: int) -> tuple[float, float]:
    """Where link k begins and ends along 0..1."""
    return k / links, (k + 1) / links


def chain(
    name: str,
    links: int,
    length: float,
    section: Section,
    density: float,
    *,
    stiffness: Callable | None = None,
    rail: bool = False,
) -> Builder:
    """Links `link_0`, `link_1`, ... with joints `bend_1`, ...; stiffness : of joint k, (N m/rad, N m s/rad) ; rail : the head
    can only move along x, on a joint `heading`."""
    builder, h = Builder(name, base="x" if rail else "planar"), length / links
    nodes = (np.polynomial.legendre.leggauss(4)[0] + 1) / 2
    for k in range(links):
        first, last = ends(k, links)
        inertia = link_inertia(h, [section(first + x * (last - first)) for x in nodes], density)
        height, width = section((first + last) / 2)
        shape = np.eye(4)
        shape[0, 3] = h / 2
        look = Visual("ellipsoid", (0.6 * h, width / 2, height / 2), shape)
        if k == 0:
            on_rail = {"parent": "slider", "joint": Joint("heading")} if rail else {}
            if rail:
                builder.body("slider", visuals=(Visual("sphere", (0.02 * length,)),))
            builder.body("link_0", inertia=inertia, visuals=(look,), **on_rail)
            continue
        spring, damper = stiffness(k) if stiffness else (0.0, 0.0)
        joint = Joint(f"bend_{k}", stiffness=spring, damping=damper)
        builder.body(f"link_{k}", parent=f"link_{k - 1}", at=(h, 0, 0), joint=joint, inertia=inertia, visuals=(look,))
    return builder


def water_forces(links: int, length: float, section: Section, fluid, across: float, along: float) -> list:
    """Reactive force and drag on a chain."""
    from locomote.forces.water.lighthill import Lighthill, Segment
    from locomote.forces.water.section_drag import SectionDrag

    h, segments = length / links, []
    for k in range(links):
        first, last = ends(k, links)

        def height(x, first=first, last=last):
            return section(first + x * (last - first))[0]

        def width(x, first=first, last=last):
            return section(first + x * (last - first))[1]

        segments.append(Segment(f"link_{k}", (0, 0, 0), (h, 0, 0), height, width))
    return [Lighthill(fluid, segments), SectionDrag(fluid, segments, across, along)]


def water_on_rod(body: str, length: float, section: Section, fluid, across: float, along: float) -> list:
    """The same on a rod, head first."""
    from locomote.forces.water.lighthill import Lighthill, Segment
    from locomote.forces.water.section_drag import SectionDrag

    whole = Segment(body, 0.0, length, lambda x: section(x)[0], lambda x: section(x)[1])
    return [Lighthill(fluid, [whole]), SectionDrag(fluid, [whole], across, along)]


def wave(links: int, amplitude: Callable[[float], float], wavelength: float, frequency: float, ramp: float) -> dict:
    """Drives of a travelling wave of bending: amplitude(X), rad over the whole length; wavelength in lengths; Hz; s."""
    from locomote.drives.kinds.sine import Sine

    drives = {}
    for k in range(1, links):
        X = k / links
        drives[f"bend_{k}"] = Sine(-amplitude(X) / links, 2 * np.pi * frequency, -2 * np.pi * X / wavelength, ramp=ramp)
    return drives


def turning(size: float, start: float, time: float, ramp: float):
    """The drive of bending to one side: from `start` on for `time`, s, with a rise and a fall of a quarter of it; or for ever,
    if that is 0, with a ramp."""
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.spline import Spline

    if time:
        return Spline(start + time * np.array([0.0, 0.25, 0.75, 1.0]), [0.0, size, size, 0.0], end="clamped", order=5)
    return Spline([start, start + ramp], [0.0, size], end="clamped", order=5) if start else Constant(size, ramp=ramp)
