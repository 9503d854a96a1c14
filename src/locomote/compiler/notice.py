"""A word to the waiting user: which kernel is being compiled, when that takes long."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 2.0  # s
_state = {"told": False}


@contextmanager
def while_compiling(name: str) -> Iterator[None]:
    """Say on stderr what is compiled if the block takes longer than two seconds; LOCOMOTE_QUIET=1 says nothing."""
    if os.environ.get("LOCOMOTE_QUIET", "0") not in ("", "0"):
        yield
        return
    timer = threading.Timer(PATIENCE, tell, [name])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def tell(name: str) -> None:
    why = "" if _state["told"] else " (once for this version, then it is kept on disk; LOCOMOTE_QUIET=1 hides these lines)"
    _state["told"] = True
    print(f"locomote: compiling {name} ...{why}", file=sys.stderr, flush=True)
