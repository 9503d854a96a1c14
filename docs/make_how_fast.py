"""Write docs/how-fast.md: how long a run of every system of the catalogue takes, on this machine, today.
`python docs/make_how_fast.py`

The second run of each is timed, by the time of the process, so that neither compilation nor other programs count.
"""

import datetime
import math
import platform
import time
from pathlib import Path

import locomote as lo
from locomote.cli.doctor import processor
from locomote.systems.catalogue import groups

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
    ]
    for title, names in groups().items():
        lines += [f"## {title}", "", "| system | run, s | method | steps | takes, ms | times real time |"]
        lines += ["|---|---|---|---:|---:|---:|"]
        lines += [*(row(name, *timed(name)) for name in names), ""]
    return "\n".join(lines)


def row(name: str, length: float, took: float, method: str, steps: int) -> str:
    """The line of a system."""
    start = f"| [{name}](systems/{name}.md) | {length:.3g} | {method} | {steps:,}"
    return f"{start} | {two_digits(1e3 * took)} | {two_digits(length / took)} |"


def two_digits(x: float) -> str:
    """A number above zero without powers of ten."""
    digits = 1 - math.floor(math.log10(x))
    return f"{round(x, digits):,.{max(0, digits)}f}"


if __name__ == "__main__":
    (HERE / "how-fast.md").write_text(page(), encoding="utf-8")
