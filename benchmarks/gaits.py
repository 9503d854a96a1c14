"""What gaits by geometry cost: fields over 200 x 200 shapes, net motions, searches; s of process time, the least of some.

python benchmarks/gaits.py
"""

import time

import locomote as lo


def chain(links: int) -> lo.Locomotion:
    """A swimmer of equal links at low Reynolds number, of total length 1, drag 1:2."""
    honey, length = lo.Fluid(1000.0, 1.0), 1.0 / links
    builder, inertia = lo.Builder("swimmer", base="planar", gravity=(0, 0, 0)), lo.Inertia(1.0, moment=(1, 1, 1))
    builder.body("link_0", inertia=inertia)
    for k in range(1, links):
        joint = lo.Joint(f"bend_{k}")
        builder.body(f"link_{k}", parent=f"link_{k - 1}", at=(length, 0, 0), joint=joint, inertia=inertia)
    ends = (0, 0, 0), (length, 0, 0)
    drag = [lo.water.Resistive(f"link_{k}", honey, *ends, along=1.0, across=2.0) for k in range(links)]
    return lo.Locomotion(builder.build(), environment=drag, inertia=False)


def least(action, times: int = 3) -> float:
    """s of process time, after a first call that compiles."""
    action()
    found = []
    for _ in range(times):
        begin = time.process_time()
        action()
        found.append(time.process_time() - begin)
    return min(found)


def main() -> None:
    """Print a table."""
    three, ten = chain(3), chain(10)
    region = {"bend_1": (-2, 2, 200), "bend_2": (-2, 2, 200)}
    circle = lo.gaits.Gait({"bend_1": lo.Fourier(0, [1.0], frequency=1.0), "bend_2": lo.Fourier(0, [], [1.0], frequency=1.0)})
    field = three.connection_field(region)
    rows = {
        "field, 200 x 200 shapes, three links": lambda: three.connection_field(region),
        "best frame of it": lambda: field.best_frame(),
        "net motion of a circle": lambda: lo.gaits.displacement(three, circle),
        "best gait over length, three links": lambda: lo.gaits.optimize(three, "distance"),
        "best gait a cycle, three links": lambda: lo.gaits.optimize(three, "distance", cost="none", harmonics=8),
        "best gait over length, ten links": lambda: lo.gaits.optimize(ten, "distance", harmonics=3, amplitude=0.5),
    }
    for name, action in rows.items():
        print(f"{name:<42}{least(action):8.3f} s")


if __name__ == "__main__":
    main()
