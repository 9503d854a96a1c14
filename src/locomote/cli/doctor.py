"""`locomote doctor`: is everything here that is needed, and where do compiled kernels go?"""

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from locomote import __version__
from locomote.cli.screen import console, megabytes
from locomote.compiler.cache import SUFFIX, kernel_folder
from locomote.compiler.disk import cache_folder, is_own

CORE = ("numpy", "scipy", "numba", "llvmlite", "h5py", "typer", "rich")
EXTRAS = {  # extra -> (packages, what it gives); a test compares the packages with pyproject.toml
    "view": (("matplotlib", "pillow", "av", "trimesh", "pycollada", "viser"), "plots, films, the viewer in the browser"),
    "symbolic": (("casadi", "sympy"), "the recursions on symbols: equations, code, optimal control"),
    "control": (("daqp",), "another solver for whole-body control"),
    "yaml": (("pyyaml",), "Denavit-Hartenberg tables in YAML"),
    "sweep": (("pyarrow",), "many runs in one table"),
    "cluster": (("pyarrow", "distributed"), "sweeps on a Dask cluster"),
    "optimize": (("pyarrow", "cmaes"), "the best parameters, by CMA"),
    "learn": (("gymnasium",), "problems as environments for learning"),
}
PEERS = {"pin": "locomote bench, tests", "mujoco": "tests"}
STAMP = re.compile(r"[0-9a-f]{16}")


def gathered() -> dict[str, Any]:
    """All that is shown, ready for JSON."""
    packages = {name: version(name) for name in CORE}
    cache = cache_state()
    problems = [f"{name} is not installed: pip install {name}" for name, found in packages.items() if found is None]
    notes = []
    if not cache["writable"]:
        notes.append("the cache folder cannot be written: every process compiles again; set LOCOMOTE_CACHE_DIR to one that can")
    if not cache["own"]:
        notes.append(
            "the cache folder belongs to somebody else, or others can write to it: what is in there is not used; "
            "set LOCOMOTE_CACHE_DIR to a folder of your own (chmod 700)"
        )
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        notes.append("NUMBA_DISABLE_JIT is set: nothing is compiled and everything is slow")
    return {
        "locomote": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "packages": packages,
        "processor": processor(),
        "cache": cache,
        "extras": {
            extra: {"missing": [name for name in needed if version(name) is None], "gives": gives}
            for extra, (needed, gives) in EXTRAS.items()
        },
        "peers": {name: version(name) for name in PEERS},
        "problems": problems,
        "notes": notes,
    }


def version(package: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def processor() -> dict[str, Any]:
    """Its name, its cores, and how many configurations one instruction takes."""
    if importlib.util.find_spec("llvmlite") is None or importlib.util.find_spec("numba") is None:
        return {"name": platform.processor(), "cores": os.cpu_count(), "lanes": None}
    import llvmlite.binding as llvm

    from locomote.compiler.lanes import WIDTH

    return {"name": llvm.get_host_cpu_name(), "cores": os.cpu_count(), "lanes": WIDTH}


def cache_state() -> dict[str, Any]:
    """Where compiled kernels are, how many, and how large."""
    from locomote.compiled.library import own_stamp

    folder = cache_folder()
    current = [f for own in (folder / own_stamp(), kernel_folder()) for f in kernels(own)]
    others = [f for stamp in stamps(folder) for f in kernels(stamp)]
    total, own = sum(f.stat().st_size for f in others), sum(f.stat().st_size for f in current)
    compiled, special = (sum(f.suffix == suffix for f in current) for suffix in (SUFFIX, ".o"))
    sizes = {"kernels": compiled, "specialised": special, "bytes": own, "stale_bytes": total - own}
    return {"folder": str(folder), "writable": writable(folder), "own": not folder.exists() or is_own(folder.stat()), **sizes}


def stamps(folder: Path) -> list[Path]:
    """The folders of all versions of the sources."""
    return [path for path in folder.iterdir() if path.is_dir() and STAMP.fullmatch(path.name)] if folder.is_dir() else []


def kernels(folder: Path) -> list[Path]:
    """The compiled kernels of one version, and functions specialised to a model."""
    return (
        [path for path in folder.iterdir() if path.suffix in (SUFFIX, ".nbi", ".nbc", ".o", ".claim")]
        if folder.is_dir()
        else []
    )


def writable(folder: Path) -> bool:
    """Whether a file can be made in a folder, or the folder in its nearest parent that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def clear_cache() -> int:
    """Delete the compiled kernels of all versions, and nothing else; returns the bytes freed."""
    freed = 0
    for stamp in stamps(cache_folder()):
        for path in kernels(stamp):
            freed += path.stat().st_size
            path.unlink(missing_ok=True)
        if not any(stamp.iterdir()):
            shutil.rmtree(stamp)
    return freed


def compile_all() -> dict[str, Any]:
    """Compile every kernel behind the public functions, runs and pictures, in two processes; what there is and the seconds it
    took."""
    from locomote.methods.registry import METHODS
    from locomote.needed import make, usual

    needs, start = usual(), time.perf_counter()
    with console(errors=True).status("compiling the functions of the library and the methods of runs ..."):
        make(needs)
    return {"kernels": len(needs), "methods": list(METHODS), "seconds": round(time.perf_counter() - start, 1)}


def show(found: dict[str, Any]) -> None:
    """The same as text."""
    screen = console()
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("locomote", found["locomote"])
    table.add_row("python", f"{found['python']}  {found['executable']}")
    table.add_row("platform", found["platform"])
    lanes = found["processor"]["lanes"]
    width = f", batches run {lanes} configurations at once" if lanes else ""
    table.add_row("processor", f"{found['processor']['name']}, {found['processor']['cores']} cores{width}")
    for name, number in found["packages"].items():
        table.add_row(name, number or "[red]missing[/]")
    cache = found["cache"]
    state = "" if cache["writable"] else ", [red]not writable[/]"
    table.add_row("compile cache", f"{escape(cache['folder'])}{state}")
    stale = megabytes(cache["stale_bytes"])
    table.add_row(
        "",
        f"{cache['kernels']} kernels, {cache['specialised']} specialised functions, {megabytes(cache['bytes'])}; older {stale}",
    )
    for name, extra in found["extras"].items():
        ready = f"[green]ready[/]   {extra['gives']}"
        lack = f"[yellow]missing[/] {', '.join(extra['missing'])} ({extra['gives']}): pip install 'locomote\\[{name}]'"
        table.add_row(f"extra {name}", lack if extra["missing"] else ready)
    for name, number in found["peers"].items():
        table.add_row(name, f"{number or 'missing'} (for {PEERS[name]})")
    screen.print(table)
    if "cleared_bytes" in found:
        screen.print(f"deleted {megabytes(found['cleared_bytes'])} of compiled kernels")
    if "compiled" in found:
        done = found["compiled"]
        runs = ", ".join(done["methods"])
        screen.print(f"{done['kernels']} kernels of functions, runs ({runs}) and pictures are ready after {done['seconds']} s")
    for note in found["notes"]:
        screen.print(f"[yellow]note:[/] {escape(note)}")
    for problem in found["problems"]:
        screen.print(f"[red]problem:[/] {escape(problem)}")
    if not found["problems"]:
        screen.print("[green]all that is needed is here[/]")
