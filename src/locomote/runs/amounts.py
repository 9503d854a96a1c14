"""How much a run asks for: samples that must fit into memory, and steps that must come to an end."""

import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

MOST_TICKS = 10**9  # most calls of controllers by Python
MOST_STEPS = 10**12  # days of computing for the smallest of systems
UNKNOWN = 8 * 2**30  # bytes that are taken to be there where the system does not say
CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Bytes of memory that are free for this process, as far as the system says."""
    found = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        found.append(int(lines["MemAvailable"].split()[0]) * 1024)
    with suppress(OSError, ValueError):  # what a container may have
        found.append(int((CGROUP / "memory.max").read_text()) - int((CGROUP / "memory.current").read_text()))
    return max(0, min(found, default=UNKNOWN))


def row_bytes(nq: int, nv: int, rows: int) -> int:
    """Bytes of one sample of a run: t, q, v, a, tau, reactions, energies, work, residuals and rank."""
    return 8 * (nq + 3 * nv + rows + 12)


def check_fits(count: int, bytes_each: int, what: str, advice: str) -> None:
    """A ValueError, with count and size, if they would not fit into memory."""
    needed, free = count * bytes_each, available_memory()
    if needed > free:
        raise ValueError(
            f"{what} are {size(count)}, which takes {size(needed / 1e9)} GB of memory; {free / 1e9:.3g} GB are free. {advice}"
        )


def size(value: float) -> str:
    """A large number in few digits."""
    return f"{value:,.0f}" if isinstance(value, int) and value < 10**9 else f"{value:.3g}"


def checked_steps(duration: float, step: float, what: str = "step", most: int = MOST_STEPS) -> int:
    """How many steps (s) a duration (s) has, at least one, if they come to an end within days."""
    ratio = quotient(duration, step)
    if not ratio <= most:
        raise ValueError(
            f"{what} is {step:g} s, of which {duration:g} s have {size(ratio)}: that would not end; at most {most:.0e} "
            f"are taken, so make it longer or the duration shorter"
        )
    return max(1, round(ratio))


def quotient(duration: float, part: Any) -> float:
    """How often one number goes into another; infinite if floats cannot say."""
    with suppress(OverflowError, ZeroDivisionError):
        return float(duration) / float(part)
    return math.inf
