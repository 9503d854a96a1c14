"""First runs of all systems from a wheel in an empty environment: `python packaging/first_runs.py WHEEL [NAME ...]`.

Every system is run as a newcomer runs it, `locomote run NAME`, with strip and report, each with an empty cache of kernels.
Printed are the kernels that it had to compile, processor time (what counts on a machine that does other things too) and time
on the wall. It fails where something is compiled, or takes more than LIMIT seconds of processors.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 5.0  # s of processors


def prepared(wheel: Path, folder: Path, python: str) -> str:
    """The Python of an empty environment with the wheel and what pictures need."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    inside = str(folder / "bin" / "python")
    subprocess.run([inside, "-m", "pip", "install", "--quiet", f"{wheel.resolve()}[view]"], check=True)
    return inside


def outside(cache: Path) -> dict[str, str]:
    """The environment of a process that knows the installed library only, and no kernels but its own."""
    left = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "LOCOMOTE_", "PYTHON"))}
    return left | {"LOCOMOTE_CACHE_DIR": str(cache)}


def first_run(python: str, name: str, folder: Path) -> tuple[list[str], float, float, str]:
    """(kernels compiled, processor time, time on the wall, what went wrong) of the first run of a system."""
    cache, out = folder / "kernels", folder / "run.h5"
    shutil.rmtree(cache, ignore_errors=True)
    start, worked = time.perf_counter(), os.times()
    command = [python, "-m", "locomote", "run", name, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=outside(cache))
    wall, busy = time.perf_counter() - start, sum(os.times()[2:4]) - sum(worked[2:4])
    compiled = sorted(file.relative_to(cache).name for file in cache.rglob("*.kernel"))
    return compiled, busy, wall, done.stderr.strip()[-300:] if done.returncode else ""


def main() -> int:
    """A line a system; the number of those that compile something, are slow, or fail."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("names", nargs="*", help="systems (without names: all)")
    parser.add_argument("--python", default=sys.executable, help="the Python that the wheel is for")
    given = parser.parse_args()
    bad = []
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        python = prepared(given.wheel, folder / "empty", given.python)
        listing = [python, "-c", "from locomote import systems; print(*systems.names())"]
        every = subprocess.run(listing, capture_output=True, text=True, cwd=folder, env=outside(folder / "none"))
        names = given.names or every.stdout.split()
        first_run(python, "simple_pendulum", folder)  # reads files of Python and of libraries for the first time
        print(f"{given.wheel.name}: {given.wheel.stat().st_size / 1e6:.1f} MB\n")
        print(f"{'system':22} compiled  processors, s  wall, s")
        for name in names:
            compiled, busy, wall, fault = first_run(python, name, folder)
            print(f"{name:24}{len(compiled):6}{busy:14.2f}{wall:10.2f}  {' '.join(compiled)}{fault}", flush=True)
            if compiled or busy > LIMIT or fault:
                bad.append(name)
    print(f"\n{len(names)} systems; compiling, above {LIMIT:g} s of processors, or failing: {', '.join(bad) or 'none'}")
    return len(bad)


if __name__ == "__main__":
    sys.exit(bool(main()))
