"""Write docs/how-fast.md: how long a run of every system of the catalogue takes, on this machine, today.
`python docs/make_how_fast.py`

The second run of each is timed, by the time of the process, so that neither compilation nor other programs count.
"""

import datetime
import platform
import time
from pathlib import Path

import locomote as lo
from locomote.cli.doctor import processor

HERE = Path(__file__).parent


def timed(name: str) -> tuple[float, float, str, int]:
    """Length of a run (s), seconds that it takes, its method and number of steps."""
    system = lo.systems.load(name)
    problem = system.problem()
    problem.simulate(system.duration, progress=False)
    best, run = float("inf"), None
    for _ in range(2):
        start = time.process_time()
        run = problem.simulate(system.duration, progress=False)
        best = min(best, time.process_time() - start)
    assert run is not None
    return system.duration, best, run.info["method"], run.info["steps"]


def page() -> str:
    """The text of the page."""
    cpu, lines = processor(), ["# How fast?", ""]
    lines += [
        "Runs of the catalogue with its own lengths, tolerances and samples, by `python docs/make_how_fast.py` on",
        f"{cpu['name']} with {cpu['lanes']} lanes, Python {platform.python_version()}, one core,",
        f"{datetime.date.today():%d %B %Y}.",
        "Seconds are those of the process, the audit not counted. How functions compare with Pinocchio and MuJoCo,",
        "state by state, is on the page of [benchmarks](benchmarks.md); how to be faster on that of [speed](speed.md).",
        "",
        "| system | run | method | steps | takes | times real time |",
        "|---|---|---|---|---|---|",
    ]
    for name in lo.systems.names():
        length, took, method, steps = timed(name)
        lines.append(
            f"| [{name}](systems/{name}.md) | {length:.3g} s | {method} | {steps} | {took:.2g} s | {length / took:.2g} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    (HERE / "how-fast.md").write_text(page(), encoding="utf-8")
