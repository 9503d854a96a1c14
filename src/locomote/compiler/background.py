"""Two processes at a first run: another one compiles, from its end, the list of what will be needed, while this one goes on.

`expect` says what will be needed. When a kernel is missing, `start` hands that over to a process which takes the last one
that is missing and that no process is at, until nothing is left or this process ends. Both put what they make on disk,
where the other finds it (`compiler.cache`), and neither begins what the other is at (`compiler.locks`). Nothing depends on it:
without a second core, without a folder to write to, with LOCOMOTE_HELPER=0, or if it is killed, this process compiles all by
itself.
"""

import contextlib
import importlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol

from locomote.compiler import locks as claims
from locomote.compiler.disk import cache_folder, own_folder

FEW = 3  # missing kernels from which on another process is worth its start
IDLE = 5.0  # s that it waits for more to do
PROGRAM = "from locomote.compiler.background import serve; serve()"
_expected: dict[str, Callable[[], Iterable["Needed"]]] = {}
_helpers: list["_Helper"] = []


class Needed(Protocol):
    """Something to compile."""

    def is_missing(self) -> bool:
        """Whether it has to be compiled, and no process is at it."""
        ...

    def make(self) -> None:
        """Compile it, or load it from disk."""
        ...


class Need(NamedTuple):
    """A kernel for argument types: the module it is in, its name, the types."""

    module: str
    name: str
    signature: tuple

    @property
    def kernel(self) -> Any:
        return getattr(importlib.import_module(self.module), self.name)

    def is_missing(self) -> bool:
        kernel = self.kernel
        return self.signature not in kernel.overloads and kernel._cache.is_missing(self.signature, kernel.targetctx.codegen())

    def make(self) -> None:
        self.kernel.compile(self.signature)


def need(kernel, signature: Sequence) -> Need:
    """A kernel for argument types, as something to compile."""
    function = getattr(kernel, "py_func", kernel)
    return Need(function.__module__, function.__name__, tuple(signature))


def expect(what: str, needs: Callable[[], Iterable[Needed]]) -> None:
    """Say what will be needed, in this order; `needs` is asked if and when something is missing."""
    _expected[what] = needs


def start() -> None:
    """Have another process compile what is expected and missing, from the end on."""
    if not _expected or not is_possible():
        return
    wanted = [x for needs in list(_expected.values()) for x in needs()]
    _expected.clear()
    missing = [text for x in wanted if x.is_missing() and (text := pickled(x)) is not None]
    if _helpers and _helpers[0].take(missing):
        return
    _helpers.clear()
    if len(missing) >= FEW:
        with contextlib.suppress(OSError):  # no room for another process
            _helpers.append(_Helper())
            _helpers[0].take(missing)


def is_possible() -> bool:
    """Whether there are a second core, a Python to start, and a folder through which two processes can meet."""
    if os.environ.get("LOCOMOTE_HELPER", "1") == "0" or not sys.executable or getattr(sys, "frozen", False):
        return False
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    folder = cache_folder()
    return cores > 1 and own_folder(folder) and os.access(folder, os.W_OK)


def pickled(x: Needed) -> bytes | None:
    """Something to compile as bytes; None if only this process knows it."""
    try:
        return pickle.dumps(x)
    except Exception:
        return None


class _Helper:
    """Another process, as this one sees it. It ends with this one: then its input does."""

    def __init__(self):
        path = os.pathsep.join(os.getcwd() if not x else x for x in sys.path)
        environment = os.environ | {"LOCOMOTE_HELPER": "0", "LOCOMOTE_QUIET": "1", "PYTHONPATH": path}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        window = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        command = [sys.executable, "-P", "-c", PROGRAM]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, creationflags=window, **quiet)
        threading.Thread(target=self.process.wait, daemon=True).start()  # so that it can go when it has ended

    def take(self, missing: list[bytes]) -> bool:
        """Hand over what is to be compiled; False if no process takes it."""
        data = pickle.dumps(missing)
        try:
            assert self.process.stdin is not None
            self.process.stdin.write(len(data).to_bytes(8, "little") + data)
            self.process.stdin.flush()
            return self.process.poll() is None
        except (OSError, ValueError):
            return False


def serve(source: BinaryIO | None = None) -> None:
    """What the other process does: compile what it is told, the last first."""
    stream: BinaryIO = sys.stdin.buffer if source is None else source
    waiting, arrived = [], threading.Condition()

    def listen() -> None:
        while size := stream.read(8):
            data = stream.read(int.from_bytes(size, "little"))
            with arrived:
                waiting.extend(pickle.loads(data))
                arrived.notify()
        os._exit(0)  # the process that started this has ended

    threading.Thread(target=listen, daemon=True).start()
    with claims.alone(cache_folder() / "helper") as alone:
        while alone:
            with arrived:
                if not waiting and not arrived.wait(IDLE):
                    return
                text = waiting.pop()
            with contextlib.suppress(Exception):  # the process that needs it will say what is wrong
                x = pickle.loads(text)
                if x.is_missing():
                    x.make()
