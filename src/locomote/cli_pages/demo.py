"""`locomote demo`: runs the demonstration with a progress bar and prints its audit."""

import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from locomote import demo
from locomote.cli_pages.screen import console, short


def run(seconds: float, step: float, seed: int, out: Path, as_json: bool) -> bool:
    """Simulate with twice the step, then with the step; write the second run; whether its audit passed."""
    screen = Console(quiet=True) if as_json else console()
    screen.print("getting ready (the first time ever, compiling takes some seconds) ...")
    model, q, v = demo.thrown(seed, seconds)
    times, steps = demo.sampled(seconds, step)
    h = seconds / (len(times) - 1) / steps
    demo.simulated(model, q, v, times[:2], 1)  # compiles
    screen.print(
        f"[bold]{model.name}[/]: {short(model.mass)} kg, {model.nv} coordinates of motion, thrown up with a spin of "
        f"{demo.SPIN:g} rad/s, in free flight for {seconds:g} s"
    )
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        runs = []
        for count in (steps // 2, steps):
            task = progress.add_task(f"steps of {1e3 * h * steps / count:.3g} ms", total=len(times) - 1)
            runs.append(demo.simulated(model, q, v, times, count, lambda task=task: progress.advance(task)))
    coarse, _ = demo.audited(model, runs[0])
    checks, series = demo.audited(model, runs[1])
    files = demo.write(out, model, runs[1], series)
    passed = all(check.passed for check in checks)
    if as_json:
        print(json.dumps(summary(checks, coarse, runs[1], h, files, passed), indent=2))
        return passed
    screen.print(audit_table(checks, coarse, h))
    if seconds / runs[1].wall >= 1:
        pace = f"{seconds / runs[1].wall:.1f} s of motion a second"
    else:
        pace = f"{runs[1].wall / seconds:.1f} s for a second of motion"
    screen.print(f"{seconds:g} s of motion in {runs[1].wall:.1f} s, with steps of {1e3 * h:.3g} ms: {pace}, one core")
    for path in files:
        screen.print(f"written: {escape(str(path))}")
    if not any(path.suffix == ".png" for path in files):
        screen.print("for a picture too: pip install matplotlib")
    if passed:
        screen.print(f"[green]audit passed[/]: nothing drifted by more than {demo.DRIFT_ALLOWED:g} of its scale")
    else:
        failed = ", ".join(check.name for check in checks if not check.passed)
        screen.print(f"[red]audit failed[/]: {failed}, by more than {demo.DRIFT_ALLOWED:g} of its scale; try a smaller --step")
    return passed


def audit_table(checks: list[demo.Check], coarse: list[demo.Check], step: float) -> Table:
    """One row a check, with the same check at twice the step."""
    table = Table("must stay", "scale", "drift", "relative", box=None, pad_edge=False, header_style="bold")
    table.add_column(f"at {2e3 * step:.3g} ms")
    table.add_column("halving divides by")
    for check, before in zip(checks, coarse, strict=True):
        mark = "green" if check.passed else "red"
        gain = f"{before.drift / check.drift:.1f}" if check.drift > 0 else "-"
        table.add_row(
            f"{check.name}", f"{check.scale:.4g} {check.unit}", f"{check.drift:.2e}", f"[{mark}]{check.relative:.1e}[/]",
            f"{before.relative:.1e}", gain,
        )  # fmt: skip
    table.caption = "halving the step divides the error of a method of order 4 by 16 or more, until only rounding is left"
    table.caption_justify = "left"
    return table


def summary(checks, coarse, run: demo.Run, step: float, files: list[Path], passed: bool) -> dict:
    """What a script needs."""
    audit = [
        {"name": c.name, "unit": c.unit, "scale": c.scale, "drift": c.drift, "relative": c.relative, "passed": c.passed,
         "relative_at_twice_the_step": before.relative}
        for c, before in zip(checks, coarse, strict=True)
    ]  # fmt: skip
    timing = {"seconds": float(run.t[-1]), "step": step, "wall_seconds": run.wall}
    return {"passed": passed, **timing, "audit": audit, "files": [str(path) for path in files]}
