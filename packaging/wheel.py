"""Make a wheel with compiled kernels, for every level of processors that code can be made for here; see docs/inside/kernels.md.

    python packaging/wheel.py [--levels x86-64-v3,x86-64-v2] [--out dist]

Kernels of functions, runs and pictures, and forces of the catalogue, are compiled and not run, so that this machine need not
have the instructions of a level. With --keep, what is in build/ready already is not compiled again; see that it is not old.
"""

import argparse
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READY = ROOT / "build" / "ready"

# without a compiler problems are built in a second, and name their forces; and systems with forces that are made by functions,
# which other processes have to make anew
FORCES = """
import pickle, sys
from locomote.forces.kinds import Kind
from locomote.systems.catalogue import load, names
found, own, real = {}, {}, Kind.address.fget
def address(kind):
    try:
        found[pickle.dumps(kind)] = None
    except (AttributeError, pickle.PicklingError):
        own[name] = None
    return real(kind)
Kind.address = property(address)
for name in names():
    load(name).problem().plan
sys.stdout.buffer.write(pickle.dumps((list(found), sorted(own))))
"""
KERNELS = """
import pickle, sys
from locomote.forces.kinds import Kind
from locomote.needed import Force, everything, make
from locomote.systems.catalogue import load
texts, systems, runs_here = pickle.load(sys.stdin.buffer)
kinds, real = [pickle.loads(text) for text in texts], Kind.address
Kind.address = property(lambda kind: kinds.append(kind) or 0)
for name in systems if runs_here else ():
    load(name).problem().plan
Kind.address = real
make([*everything(), *map(Force, dict.fromkeys(kinds))])
"""


def environment(**settings: str) -> dict[str, str]:
    """That of a process that imports the library from here."""
    left = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return left | {"PYTHONPATH": str(ROOT / "src"), "LOCOMOTE_QUIET": "1", "PYTHONHASHSEED": "0"} | settings


def python(program: str, given: bytes, **settings: str) -> bytes:
    """What a program prints."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, input=given, env=environment(**settings), stdout=subprocess.PIPE, check=True).stdout


def main() -> None:
    sys.path.insert(0, str(ROOT / "src"))
    from locomote.compiler.processor import LEVELS, architecture, levels_here

    parser = argparse.ArgumentParser(description=__doc__)
    levels = LEVELS.get(architecture(), ())
    parser.add_argument("--levels", default=",".join(level.name for level in levels), help="names of levels, with commas")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--keep", action="store_true", help="start from what is in build/ready")
    given = parser.parse_args()
    wanted = given.levels.split(",")
    if unknown := set(wanted) - {level.name for level in levels}:
        parser.error(f"unknown levels {', '.join(sorted(unknown))}; known here: {', '.join(level.name for level in levels)}")
    if not given.keep:
        shutil.rmtree(READY, ignore_errors=True)
    forces = python(FORCES, b"", NUMBA_DISABLE_JIT="1")
    texts, systems = pickle.loads(forces)
    here = {level.name for level in levels_here()}
    print(f"{len(texts)} forces of the catalogue, and those of {', '.join(systems)}")
    for level in levels:
        folder, start = READY / level.name, time.perf_counter()
        if level.name not in wanted:
            continue
        if level.name not in here:
            print(f"{level.name}: its code does not run here, so that forces of {', '.join(systems)} are left out")
        python(KERNELS, pickle.dumps((texts, systems, level.name in here)), LOCOMOTE_CACHE_DIR=str(folder), **level.settings)
        for left in [*folder.glob("*.claim"), *folder.glob("*/*.claim")]:
            left.unlink()
        files = list(folder.rglob("*.kernel"))
        size = sum(file.stat().st_size for file in files) / 1e6
        print(f"{level.name}: {len(files)} kernels, {size:.1f} MB, after {time.perf_counter() - start:.0f} s", flush=True)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, str(given.out), str(ROOT)], env=os.environ | {"LOCOMOTE_READY_KERNELS": str(READY)}, check=True)
    for wheel in given.out.glob("*.whl"):
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
