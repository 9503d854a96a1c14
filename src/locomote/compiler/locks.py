"""Who makes which piece: one process at a time, while others that need the same piece wait for it.

A claim is a lock on a file beside the piece. The system gives it back when its holder ends, however that ends. Where there are
no such locks, or no folder for them, no process waits, and some work may be done twice.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from locomote.compiler.disk import own_folder
from locomote.compiler.notice import while_compiling

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

SUFFIX = ".claim"
LONGEST, LOOK = 60.0, 0.02  # s: to wait for others, between two looks
_own = threading.local()


def claim(path: Path, name: str) -> None:
    """Claim a piece for this thread, until `give_back`; if another process makes it, wait for it first, but not for ever."""
    if fcntl is None or not own_folder(path.parent.parent) or not own_folder(path.parent):
        return
    held, file = _held(), path.with_suffix(SUFFIX)
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return
    try:
        if not _locked(descriptor):
            with while_compiling(name):
                # a process that holds a claim does not wait for another: two of them might wait for each other
                if held or not _locked_within(LONGEST, descriptor):
                    os.close(descriptor)
                    return
    except BaseException:
        os.close(descriptor)
        raise
    held.append((descriptor, file))


def give_back() -> None:
    """Give all claims of this thread back."""
    held = _held()
    while held:
        descriptor, file = held.pop()
        with suppress(OSError):
            os.unlink(file)
        os.close(descriptor)


def is_claimed(path: Path) -> bool:
    """Whether another process makes a piece just now."""
    if fcntl is None:
        return False
    try:
        descriptor = os.open(path.with_suffix(SUFFIX), os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locked(descriptor)
    finally:
        os.close(descriptor)


def _held() -> list[tuple[int, Path]]:
    return _own.__dict__.setdefault("held", [])


def _locked(descriptor: int) -> bool:
    """Lock a file if no other process has."""
    assert fcntl is not None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: as if there were nobody else
        return True


def _locked_within(seconds: float, descriptor: int) -> bool:
    end = time.monotonic() + seconds
    while not _locked(descriptor):
        if time.monotonic() > end:
            return False
        time.sleep(LOOK)
    return True


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether no other process is in a block of this name."""
    try:
        descriptor = os.open(path.with_suffix(SUFFIX), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield False
        return
    try:
        yield fcntl is None or _locked(descriptor)
    finally:
        os.close(descriptor)
