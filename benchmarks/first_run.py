"""How long `locomote run snakeboard` takes: the first time, with nothing compiled, and again; waiting, and time of processors.

    python benchmarks/first_run.py [--python PATH] [--again 3]

The first run compiles in two processes; both count, also what is still compiling when the run has ended. PATH is the Python
of another environment, such as one with a wheel in it (`make wheel`), which compiles nothing. Linux only.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ADOPT = 36  # of prctl: processes whose parents have ended become ours, so that their time is counted


def measured(python: str, home: Path) -> tuple[float, float, int]:
    """Seconds of waiting, seconds of all processors, and how many kernels were put on disk."""
    settings = {"HOME": str(home), "LOCOMOTE_CACHE_DIR": str(home / "kernels")}
    before, start = os.times(), time.perf_counter()
    command = [python, "-m", "locomote", "run", "snakeboard", "--out", str(home / "runs")]
    subprocess.run(
        command, check=True, env=os.environ | settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home
    )
    waiting = time.perf_counter() - start
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return waiting, spent, len(list(home.rglob("*.kernel")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--again", type=int, default=3)
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(ADOPT, 1)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(1 + given.again):
            waiting, spent, kernels = measured(given.python, Path(folder))
            name = "again" if k else "first"
            print(f"{name}  {waiting:6.1f} s of waiting, {spent:6.1f} s of processors, {kernels} kernels on disk")


if __name__ == "__main__":
    main()
