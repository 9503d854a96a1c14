"""What a file that somebody else wrote may not reach while it is read, run and drawn.

Readers of model files run nothing and fetch nothing by themselves. This is a second wall: while it is up, Python itself refuses
to open files outside of the working folder and of what the library is made of, to start programs, and to call other machines.
"""

import contextlib
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from locomote.compiler.disk import cache_folder

NEVER = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "subprocess.Popen", "socket.connect", "socket.bind",
         "socket.getaddrinfo", "ctypes.dlopen.url")  # fmt: skip
DEVICES = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/dev/null", "/dev/urandom")
_roots: list[Path] | None = None
_hooked = False


def roots(*folders: Path) -> list[Path]:
    """Folders whose files may be opened."""
    paths = {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, *filter(None, sys.path)}
    library = Path(__file__).resolve().parents[3]
    return [Path(os.path.realpath(x)) for x in (*folders, *paths, *DEVICES, library, cache_folder())]


def is_inside(path: object) -> bool:
    """Whether a path, its links followed, is in one of the folders."""
    if isinstance(path, int) or _roots is None:  # open already
        return True
    try:
        real = Path(os.path.realpath(os.fsdecode(path)))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return any(real.is_relative_to(root) for root in _roots)


def watch(event: str, arguments: tuple) -> None:
    """Refuse what is out of bounds."""
    if _roots is None:
        return
    if event in NEVER:
        raise PermissionError(1, f"a model file led to {event}, which is not allowed here")
    if event == "open" and not is_inside(arguments[0]):
        raise PermissionError(1, "outside of the working folder", os.fsdecode(arguments[0]))


@contextlib.contextmanager
def fenced(folder: Path, *others: Path) -> Iterator[None]:
    """While this lasts nothing but the working folder, some others, and the library can be reached."""
    global _roots, _hooked
    if not _hooked:
        sys.addaudithook(watch)
        _hooked = True
    before, _roots = _roots, roots(folder, *others, Path(tempfile.gettempdir()) / f"locomote-{os.getpid()}")
    try:
        yield
    finally:
        _roots = before
