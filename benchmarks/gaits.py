"""What gaits by geometry cost: fields over 200 x 200 shapes, net motions, searches; s of process time, the least of some. Then
the best gaits of a swimmer in honey, one in a perfect fluid, a snake on wheels, a floating arm and a unicycle, without cost,
beside the bound by the area rule.

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


def snake() -> lo.Locomotion:
    """Three links of 1 m, each on an axle: its shape decides all, but at shapes whose axles meet in a point."""
    builder, link = lo.Builder("snake", base="planar"), lo.Inertia.box(1.0, (1.0, 0.1, 0.1))
    builder.body("middle", inertia=link)
    builder.body("head", parent="middle", at=(0.5, 0, 0), joint=lo.Joint("front"), inertia=link)
    builder.body("tail", parent="middle", at=(-0.5, 0, 0), joint=lo.Joint("rear"), inertia=link)
    axles = [lo.Blade("middle"), lo.Blade("head", (0.5, 0, 0)), lo.Blade("tail", (-0.5, 0, 0))]
    return lo.Locomotion(builder.build(), constraints=axles)


def bounded() -> None:
    """Best gaits beside their bounds."""
    load = lo.systems.load
    rows = {
        "swimmer in honey, length 1": (chain(3), "distance", None, (-2.0, 2.0), 8),
        "swimmer in honey, turn": (chain(3), "turn", None, (-2.0, 2.0), 8),
        "perfect fluid swimmer": (load("perfect_fluid_swimmer").problem(), "distance", None, (-2.0, 2.0), 8),
        "perfect fluid swimmer, turn": (load("perfect_fluid_swimmer").problem(), "turn", None, (-2.0, 2.0), 8),
        "snake on wheels": (snake(), "distance", None, (0.2, 1.5), 6),
        "floating arm, turn": (load("space_robot").problem(), "turn", ["joint1", "joint2"], (-1.5, 1.5), 8),
        "unicycle": (load("unicycle").problem(), "distance", None, (-3.0, 3.0), 6),
    }
    print(f"\n{'best gait a cycle, m or rad':<32}{'found':>10}{'bound':>10}{'share':>8}{'search':>10}{'bound':>10}")
    for name, (problem, goal, joints, bounds, harmonics) in rows.items():
        said = {"coordinates": joints, "bounds": bounds}
        begin = time.process_time()
        best = lo.gaits.optimize(problem, goal, cost="none", harmonics=harmonics, **said)
        middle = time.process_time()
        center = None if goal == "turn" else [best.gait.paths[own].mean for own in best.gait.names]
        most = lo.gaits.bound(problem, goal, center=center, **said)
        end, amount = time.process_time(), abs(best.amount)
        times = f"{middle - begin:>8.2f} s{end - middle:>8.2f} s"
        print(f"{name:<32}{amount:>10.5f}{most.value:>10.5f}{amount / most.value:>8.3f}{times}")


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
    bounded()


if __name__ == "__main__":
    main()
