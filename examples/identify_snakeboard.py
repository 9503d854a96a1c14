"""The masses and inertias of a snakeboard from its track and the torque of its rotor, with noise, an offset and a delay.

Measured are simulated by `simulate` with tight tolerances, which shares no step with the rollouts that the search takes, and
are written to a CSV file in millimetres and degrees, from which they are read again. The search begins with values that are
off by up to a third. What it finds is compared with the truth; what cannot be seen is said by name.
"""

import common
import numpy as np

import locomote as lo

NOISE = {"net.x": 1e-3, "net.y": 1e-3, "base.angle": 2e-3, "rotor.torque": 5e-3}
LATE = 0.03  # s, of the camera that sees the track


def measure(problem: lo.Locomotion, duration: float, file) -> None:
    """A log of the run as a rig would write it."""
    t = 0.02 * np.arange(round(duration / 0.02) + 1)
    run = problem.simulate(duration, rtol=1e-10, atol=1e-12, samples=t)
    seen = problem.simulate(duration, rtol=1e-10, atol=1e-12, samples=np.unique(np.concatenate([[0.0], t[2:] - LATE])))
    rng, columns = np.random.default_rng(0), [1e3 * t]
    for name, noise in NOISE.items():
        track = name != "rotor.torque"
        x = np.concatenate([[seen[name][0]] * 2, seen[name][1:]]) if track else run[name]
        columns.append((x + rng.normal(scale=noise, size=len(t))) * (np.degrees(1.0) if name == "base.angle" else 1e3))
    head = "time [ms],net.x [mm],net.y [mm],base.angle [deg],rotor.torque [N mm]"
    np.savetxt(file, np.column_stack(columns), delimiter=",", header=head, comments="", fmt="%.9g")


def main(given: list[str] | None = None) -> dict:
    """Measure, identify, compare, draw."""
    options = common.arguments(__doc__, given)
    truth = lo.systems.load("snakeboard").problem()
    log = options.out / "identify_snakeboard.csv"
    measure(truth, 4.0 if options.short else 10.0, log)
    inertia, rotor = (np.array(truth.parameters[f"{name}.inertia"]) for name in ("board", "rotor"))
    true = {"board.mass": truth.parameters["board.mass"], "board.inertia[5]": inertia[5], "rotor.inertia[5]": rotor[5]}
    guess = truth.with_parameters(
        {"board.mass": 3.0, "board.inertia": inertia * np.r_[np.ones(5), 0.8], "rotor.inertia": rotor * np.r_[np.ones(5), 1.3]}
    )
    camera = lo.Sensor(delay=True, most_delay=0.1)
    found = lo.identify(
        guess, lo.read_measured(log), [*true, "rear_steer.damping"], step=0.02, sensors={"net.*": camera, "base.angle": camera}
    )
    print(found)
    off = {name: (found[name][0] - value) / found[name][1] for name, value in true.items()}
    print("off by", ", ".join(f"{x:+.2f} deviations ({name})" for name, x in off.items()))
    figure = found.plot()
    figure.savefig(options.out / "identify_snakeboard.png", dpi=80)
    result = {"off": off, "delays": {name: x for name, (x, _) in found.delays.items()}, "unseen": list(found.unseen)}
    common.save(
        options.out, "identify_snakeboard", result | {"values": {n: np.asarray(x).tolist() for n, x in found.values.items()}}
    )
    return result


if __name__ == "__main__":
    main()
