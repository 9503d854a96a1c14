"""Twenty synthetic problems: do 95 % intervals of `lo.identify` hold in 95 % of repeats, and how many simulations does it take?

    python benchmarks/identification.py [--repeats 1000] [--only snakeboard,arm]

Measurements are runs of a problem with normal noise. Each repeat has noise of its own and is a full search, begun at the true
values (the likelihood is the same wherever it begins); once for each problem the search begins away from them, and there the
simulations are counted, beside those of SciPy's least squares on the same rows with differences of two and of three points.
A pass with all slopes counts as one simulation of each run that was measured; its time beside a plain one is measured, too.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import least_squares

import locomote as lo
from locomote.identification.by_differences import ByDifferences
from locomote.identification.by_run import ByRun, Refused
from locomote.identification.fit import fit
from locomote.identification.identified import identified
from locomote.identification.rows import Rows
from locomote.identification.sensors import Sensors
from locomote.identification.unknowns import Unknowns


@dataclass
class Trial:
    """A problem with what is unknown of it, what is measured with which noise, and what acts."""

    problem: lo.Locomotion
    by: list
    noise: dict[str, float]
    duration: float
    every: float
    step: float
    sensors: dict[str, lo.Sensor] = field(default_factory=dict)
    inputs: dict[str, Callable] = field(default_factory=dict)
    start: tuple = (None, None)
    truth: dict[str, float] = field(default_factory=dict)  # of sensors: offsets and delays
    off: float = 0.1  # share by which a search begins away from the truth

    def means(self, problem: lo.Locomotion):
        """Rows of the problem; measured are zeros as yet."""
        t = self.every * np.arange(1, round(self.duration / self.every) + 1)
        t = np.concatenate([[0.0], t])
        data = lo.Measured(
            t, {name: np.zeros(len(t)) for name in self.noise}, {name: f(t) for name, f in self.inputs.items()}, *self.start
        )
        unknowns, sensors = Unknowns.of(problem, self.by), Sensors.of(list(self.noise), self.sensors)
        kind = ByDifferences if problem.contacts else ByRun
        options = {"step": self.step, "method": "rk4", "start": "check", "threads": 1}
        return kind.of(unknowns, [data], sensors, Rows.of([data], sensors), **options), [data]


def search(means, first, values):
    """One search."""
    noises = np.full(len(means.sensors.channels), np.nan)
    means.rows = replace(means.rows, values=values)
    return fit(means.at, first, values, means.rows.channels, noises, Refused, means.unknowns.limited, 50, lambda *_: None)


def tried(trial: Trial, repeats: int) -> dict:
    """Coverage, and simulations from a start away from the truth."""
    means, data = trial.means(trial.problem)
    P, Z, _ = means.sizes
    own = np.array([trial.truth.get(name, 0.0) for name in means.sensors.names])
    true = np.concatenate([means.unknowns.first, np.zeros(Z), own])
    clean, slopes = means.at(true)
    scale = np.array(list(trial.noise.values()))[means.rows.channels]
    rng, held, counted = np.random.default_rng(1), np.zeros(P + len(own)), 0
    memory, at = {true.tobytes(): (clean, slopes)}, means.at
    means.at = lambda x: memory[x.tobytes()] if x.tobytes() in memory else at(x)
    target = np.concatenate([means.unknowns.values, own])
    for _ in range(repeats):
        found = identified(means, search(means, true, clean + rng.normal(scale=scale)), data, 0.95)
        sensors = [*found.offsets.values(), *found.delays.values()]
        values = np.concatenate([found.found, [x for x, _ in sensors]])
        half = found.quantile * np.concatenate([found.deviations, [d for _, d in sensors]])
        held += abs(values - target) <= half
        counted += 1
    weak = [name for name, d in zip(found.names, found.deviations, strict=True) if not np.isfinite(d)]
    assert not weak, f"{weak} are not seen"
    return {"unknowns": P + Z + len(own), "numbers": len(held), "held": held / counted} | counts(trial, clean, scale, rng)


def counts(trial: Trial, clean, scale, rng) -> dict:
    """Simulations from values off the truth, by this library and by SciPy with differences."""
    unknowns = Unknowns.of(trial.problem, trial.by)
    signs = np.where(np.arange(len(unknowns.values)) % 2, 1.0, -1.0)
    away = unknowns.problem_of(unknowns.values * (1.0 + trial.off * signs))
    values, found = clean + rng.normal(scale=scale), {}
    means, _ = trial.means(away)
    P, Z, _ = means.sizes
    first = np.concatenate([means.unknowns.first, np.zeros(Z), [0.5 * trial.sensors[k.split(" of ")[1]].most_delay
                            if k.startswith("delay") else 0.0 for k in means.sensors.names]])  # fmt: skip
    means.passes = 0
    done = search(means, first, values)
    found["own"], ends = means.passes, [done.x]
    rows, calls = means.rows, [0]

    def residuals(x):
        calls[0] += 1
        try:
            return (means.at(x)[0] - values) / scale
        except Refused:
            return np.full(len(values), 1e6)

    for points in ("2-point", "3-point"):
        calls[0] = 0
        result = least_squares(residuals, first, jac=points, x_scale="jac", max_nfev=100)
        found[points] = calls[0]
        ends.append(result.x)
    if isinstance(means, ByRun):
        plain = replace(means, unknowns=Unknowns(away, (), ()), sampled=replace(means.sampled, numbers=()))
        plain.sampled = replace(plain.sampled, case=replace(plain.sampled.case, known=()))
        found["pass"] = least_time(lambda: means.sampled.run(means.starts(first[P : P + Z])[2])) / least_time(plain.sampled.run)
    noise = np.linalg.norm(done.J / scale[:, None], axis=0)
    found["apart"] = float(np.max(abs(ends[0] - ends[2]) * noise))
    assert len(rows)
    return found


def least_time(call: Callable, rounds: int = 7) -> float:
    """Least of several times, s."""
    call()
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(5):
            call()
        times.append(time.process_time() - begin)
    return min(times)


def waves(*rows: tuple[float, float]) -> Callable:
    """A sum of sines: (amplitude, rad/s)."""
    return lambda t: sum(a * np.sin(w * t + k) for k, (a, w) in enumerate(rows))


def arm(count: int, **joint) -> lo.Locomotion:
    """Links on hinges about y, hanging."""
    builder = lo.Builder(f"arm of {count}")
    for k in range(count):
        builder = builder.body(
            f"link{k + 1}", parent=f"link{k}" if k else None, at=(0.0, 0.0, -0.4) if k else (0.0, 0.0, 0.0),
            joint=lo.Joint(f"joint{k + 1}", axis="y", damping=0.2, **joint),
            inertia=lo.Inertia(2.0 - 0.4 * k, (0.02, 0, -0.2), (0.03, 0.03, 0.01)),
        )  # fmt: skip
    return lo.Locomotion(builder.build())


def cart() -> lo.Locomotion:
    """A cart on a rail with a pole."""
    pole = lo.Inertia(0.3, (0, 0, -0.25), (2e-3, 2e-3, 1e-4))
    model = (
        lo.Builder("cart with a pole")
        .body("cart", joint=lo.Joint("slide", "prismatic", axis="x", damping=0.5), inertia=lo.Inertia(1.0))
        .body("pole", parent="cart", joint=lo.Joint("hip", axis="y", damping=0.01), inertia=pole)
        .build()
    )  # fmt: skip
    return lo.Locomotion(model)


def slider(soft: bool) -> lo.Locomotion:
    """A block thrown along the ground, which is soft or rigid with dry friction."""
    body = lo.Inertia.box(1.0, (0.2, 0.2, 0.1))
    model = lo.Builder("thrown block").body("block", joint=lo.Joint("base", "free"), inertia=body).build()
    corners = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    if soft:
        ground = lo.SoftGround({"block": corners}, stiffness=5e3, damping=100.0, friction=0.4, slow=0.05)
        return lo.Locomotion(model, environment=[ground])
    return lo.Locomotion(model, contacts=[lo.Touch("block", lo.Ground(friction=0.4), points=corners)])


def catalogue(name: str, **given) -> lo.Locomotion:
    """A problem of the catalogue."""
    return lo.systems.load(name, **given).problem()


def trials() -> dict[str, Callable[[], Trial]]:
    """All of them, by name."""
    angle, torque = 2e-3, 2e-2
    return {
        "pendulum": lambda: Trial(arm(1), ["joint1.damping", "link1.inertia[3]", "link1.center[2]", "v"],
                                  {"joint1.angle": angle}, 4.0, 0.02, 0.01, {"*": lo.Sensor(offset=True)},
                                  start=([1.0], [0.0])),
        "arm of two, torques": lambda: Trial(
            arm(2), ["*.mass", "joint*.damping", "link*.center[2]"], {"joint1.angle": angle, "joint2.angle": angle},
            4.0, 0.02, 0.01, inputs={"joint1": waves((6, 3.0), (3, 7.0)), "joint2": waves((2, 4.0), (1, 9.0))},
            sensors={"*": lo.Sensor(offset=True)}),
        "arm of three, torques": lambda: Trial(
            arm(3), ["*.mass", "joint*.damping", "v"], {f"joint{k}.angle": angle for k in (1, 2, 3)}, 3.0, 0.02, 0.01,
            inputs={f"joint{k}": waves((6 / k, 2.0 + k), (3 / k, 7.0)) for k in (1, 2, 3)}),
        "arm, dry friction": lambda: Trial(
            arm(2, friction=0.3).with_parameters({"friction_speed": 0.2}), ["joint*.friction", "joint*.damping", "link*.mass"],
            {"joint1.velocity": 1e-2, "joint2.velocity": 1e-2}, 4.0, 0.02, 0.01,
            inputs={"joint1": waves((6, 3.0), (3, 7.0)), "joint2": waves((2, 4.0), (1, 9.0))}),
        "arm, armature and spring": lambda: Trial(
            arm(2, stiffness=3.0, armature=0.05), ["joint*.stiffness", "joint*.armature", "joint*.damping"],
            {"joint1.angle": angle, "joint2.angle": angle}, 4.0, 0.02, 0.01, start=([0.8, -0.5], [0.0, 0.0])),
        "cart and pole, late sensors": lambda: Trial(
            cart(), ["cart.mass", "slide.damping", "hip.damping", "pole.center[2]"], {"slide.shift": 1e-3, "hip.angle": angle},
            4.0, 0.02, 0.01, {"*": lo.Sensor(offset=True, delay=True, most_delay=0.08)},
            inputs={"slide": waves((4, 3.0), (2, 8.0))}, truth={"delay of *": 0.033, "offset of slide.shift": 0.02}),
        "snakeboard": lambda: Trial(
            catalogue("snakeboard"), ["board.mass", "rotor.inertia[5]", "board.inertia[5]", "v"],
            {"net.x": 1e-3, "net.y": 1e-3, "base.angle": angle, "rotor.torque": torque}, 4.0, 0.04, 0.02,
            {"net.*": lo.Sensor(offset=True)}),
        "snakeboard, drives": lambda: Trial(
            catalogue("snakeboard"), ["rotor.amplitude", "rotor.rate", "*_steer.amplitude", "board.mass", "v"],
            {"net.x": 1e-3, "net.y": 1e-3, "base.angle": angle, "rotor.angle": angle, "rear_steer.angle": angle},
            4.0, 0.04, 0.02, off=0.05),
        "roller racer": lambda: Trial(
            catalogue("roller_racer"), ["seat.mass", "seat.inertia[5]", "handlebar.mass", "handle.amplitude", "v"],
            {"net.x": 1e-3, "base.angle": angle, "handle.torque": torque}, 4.0, 0.02, 0.01),
        "sleigh": lambda: Trial(
            catalogue("chaplygin_sleigh"), ["sleigh.center[0]", "sleigh.inertia[5]", "v"],
            {"base.x": 1e-3, "base.y": 1e-3, "base.angle": angle}, 5.0, 0.05, 0.025, {"*": lo.Sensor(offset=True)}),
        "trikke": lambda: Trial(
            catalogue("trikke"), ["frame.mass", "rider.mass", "v"],
            {"net.x": 1e-3, "base.angle": angle, "steer.torque": torque, "sway.force": 0.2}, 5.0, 0.05, 0.025,
            {"steer.torque": lo.Sensor(offset=True), "sway.force": lo.Sensor(offset=True)}),
        "four-bar (loop)": lambda: Trial(
            catalogue("four_bar").with_parameters({"*.damping": 2e-2}),
            ["crank.damping", "output.damping", "coupler.center[0]", "coupler.mass", "v"],
            {"crank.angle": angle, "coupler.angle": angle}, 1.2, 0.01, 0.005, {"*": lo.Sensor(offset=True)}),
        "heavy top": lambda: Trial(
            catalogue("heavy_top"), ["top.mass", "top.center[1]", "v"],
            {"base.wx": 1e-1, "base.wy": 1e-1, "base.wz": 1e-1}, 1.0, 0.01, 0.001, off=0.03),
        "space robot": lambda: Trial(
            catalogue("space_robot"), ["base.inertia[5]", "link*.mass", "v"],
            {"base.x": 1e-4, "base.y": 1e-4, "base.angle": 1e-4}, 20.0, 0.1, 0.05),
        "beam on a hub (rod)": lambda: Trial(
            lo.Locomotion(catalogue("spin_up_beam").model, drives={"hub": lo.Sine(0.5, 1.2)}),
            ["beam.young", "beam.density", "hub.amplitude"],
            {"hub.torque": 2.0, "beam.bending_z 0": 1e-4, "hub.angle": angle}, 10.0, 0.1, 0.02,
            {"hub.torque": lo.Sensor(offset=True), "beam*": lo.Sensor(offset=True)}, off=0.05),
        "tuna robot (water)": lambda: Trial(
            catalogue("tuna_robot"), ["fin.stiffness", "fin.damping", "body.mass", "tail.amplitude"],
            {"net.x": 1e-3, "base.angle": angle, "fin.angle": angle}, 2.0, 0.02, 0.005,
            {"net.x": lo.Sensor(offset=True)}, off=0.05),
        "swimmer in honey": lambda: Trial(
            catalogue("purcell_swimmer"), ["*.amplitude", "*.phase", "q"],
            {"base.x": 1e-3, "base.y": 1e-3, "base.angle": angle},
            6.0, 0.05, 0.025, off=0.05),
        "swimmer in a perfect fluid": lambda: Trial(
            catalogue("perfect_fluid_swimmer"), ["middle.mass", "front.inertia[5]", "v"],
            {"base.x": 1e-3, "base.y": 1e-3, "base.angle": angle}, 6.0, 0.05, 0.025, off=0.05),
        "block on soft ground": lambda: Trial(
            slider(True), ["ground.friction", "ground.stiffness", "ground.damping"],
            {"base.x": 1e-4, "base.z": 1e-5}, 0.4, 4e-3,
            1e-3, {"*": lo.Sensor(offset=True)}, start=([0, 0, 0.05 - 9.81 / 2e4, 0, 0, 0, 1], [2.5, 0, 0.02, 0, 0, 0])),
        "block on rigid ground (contacts)": lambda: Trial(
            slider(False), ["ground.friction"], {"base.x": 1e-3, "base.y": 1e-3}, 0.3, 5e-3, 5e-3,
            {"*": lo.Sensor(offset=True)}, start=([0, 0, 0.05, 0, 0, 0, 1], [2.5, 0.1, 0, 0, 0, 0.0])),
    }  # fmt: skip


def main() -> None:
    """Print the table, a row for each problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    head = (
        "problem",
        "unknowns",
        "intervals hold, % (least, most of one number)",
        "simulations",
        "2-point",
        "3-point",
        "pass / run",
    )
    print(f"| {' | '.join(head)} |")
    print("|---|---|---|---|---|---|---|")
    total, sums = [], np.zeros(3)
    for name, make in trials().items():
        if options.only and not any(word in name for word in options.only.split(",")):
            continue
        row = tried(make(), options.repeats)
        held = 100.0 * row["held"]
        total.append(held)
        sums += [row["own"], row["2-point"], row["3-point"]]
        ratio = f"{row['pass']:.1f}" if "pass" in row else "differences"
        print(
            f"| {name} | {row['unknowns']} | {held.mean():.1f} ({held.min():.1f}, {held.max():.1f}) | {row['own']} | "
            f"{row['2-point']} | {row['3-point']} | {ratio} |", flush=True,
        )  # fmt: skip
    together = np.concatenate(total)
    print(f"all {len(together)} numbers: {together.mean():.2f} %; simulations {sums.astype(int).tolist()}, ratios "
          f"{(sums[1:] / sums[0]).round(1).tolist()}")  # fmt: skip


if __name__ == "__main__":
    main()
