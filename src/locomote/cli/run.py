"""`locomote run` and `locomote resume`: a run with its file, its film strip and its report, and what is said about it."""

import contextlib
import itertools
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from locomote.cli import report
from locomote.cli.of_file import OfFile, OfScene
from locomote.cli.screen import console
from locomote.cli.settings import Mistake
from locomote.compiler.background import expect
from locomote.errors import LocomoteError, UnknownName
from locomote.evaluation.protocol import Problem
from locomote.files import made_folder
from locomote.locomotion.problem import Locomotion
from locomote.methods.registry import METHODS, method_of
from locomote.needed import of_pictures
from locomote.reopen import open_run, resume
from locomote.runs.files.files import RunFileError
from locomote.runs.runner import RunFailed
from locomote.runs.summary import WIDTH
from locomote.runs.trajectory import Trajectory
from locomote.systems.catalogue import System

GOOD, FAILED, INTERRUPTED = 0, 1, 130
SHARE = 0.1  # share of the memory that samples may fill: while a file is closed there are some copies of them
WAITING = 2.0  # s without a word
FIRST_TIME = "getting ready: the first run compiles its kernels, which takes half a minute or more; later ones start at once"


@dataclass(frozen=True)
class Manner:
    """How a command talks: to a person, to a script or not at all; and whether it draws."""

    as_json: bool = False
    quiet: bool = False
    plot: bool = True
    film: bool = False

    @property
    def progress(self) -> bool | None:
        """Whether to show a bar; None: if there is a terminal."""
        return False if self.as_json or self.quiet else None

    def screen(self, *, errors: bool = False) -> Console:
        """Where it talks."""
        return Console(quiet=True) if self.as_json or self.quiet else console(errors=errors)


@dataclass(frozen=True)
class Options:
    """How to integrate, as far as it is said; see `Locomotion.simulate`."""

    method: str = "auto"
    step: float | None = None
    rtol: float | None = None
    atol: float | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the exit code of the command, and the data for a script."""

    code: int
    found: dict[str, Any]


def run_system(
    system: System | OfFile | OfScene,
    duration: float | None,
    every: float | None,
    options: Options,
    out: Path,
    manner: Manner,
    name: str | None = None,
):
    """Run a system, or a model of a file; its files go to the folder `out`, under a name that no finished run has."""
    duration = system.duration if duration is None else duration
    check(duration, every, options)
    if manner.plot or manner.film:
        expect("pictures", of_pictures)
    problem, (q, v) = stored(system), system.initial
    check_room(problem, duration, every)
    file = place(folder(out), system.name, name)
    manner.screen().print(f"[bold]{escape(system.name)}[/]: {escape(system.title)}")
    ready(problem, options, q, v, 0.0, manner)
    kept = unfinished(file, manner)
    outcome = ended(
        lambda: problem.simulate(
            duration, q=q, v=v, method=options.method, step=options.step, rtol=options.rtol, atol=options.atol, every=every,
            progress=manner.progress, checkpoint=file,
        ),
        file,
        manner,
    )  # fmt: skip
    changed = (problem.statement.origin or {}).get("changed", {})
    more = {"title": system.title, "parameters": report.plain(system.parameters), "changed": report.plain(changed)}
    return Outcome(outcome.code, outcome.found | more | ({"kept": str(kept)} if kept else {}))


def each(names: list[str], one: Callable[[str], Outcome]) -> Outcome:
    """Several runs one after the other; one that fails says so, and the others go on."""
    found, failed = {}, []
    for name in names:
        try:
            outcome = one(name)
        except (LocomoteError, ValueError, ArithmeticError, OSError) as error:
            outcome = Outcome(FAILED, {"error": str(error)})
            complain(f"{name}: {error}")
        found[name] = outcome.found
        if outcome.code == INTERRUPTED:
            return Outcome(INTERRUPTED, {"runs": found})
        failed += [name] if outcome.code else []
    if failed:
        complain(f"{len(failed)} of {len(names)} runs failed: {', '.join(failed)}")
    return Outcome(FAILED if failed else GOOD, {"runs": found})


def resume_file(file: Path, manner: Manner) -> Outcome:
    """Go on with the run of a file."""
    if not file.exists():
        raise Mistake(f"{file}: there is no such file")
    run = open_run(file)
    if run.info.get("status") == "finished":
        manner.screen().print(f"{escape(str(file))} holds a run that is finished; there is nothing left to do")
        return told(run, file, manner)
    if not len(run):
        raise LocomoteError(f"{file} holds no sample to go on from; start the run anew")
    manner.screen().print(f"{escape(str(file))}: going on from t = {run.t[-1]:.6g} s, after {len(run)} samples")
    if run.problem is not None:
        options = Options(**{name: run.info[name] for name in ("method", "step", "rtol", "atol")})
        ready(run.problem, options, run.q[0], run.v[0], float(run.t[0]), manner)
    return ended(lambda: resume(file, progress=manner.progress), file, manner)


def show_file(file: Path, as_json: bool) -> dict[str, Any]:
    """`locomote info` of a run file."""
    run = classified(open_run(file))
    if not as_json:
        screen = console()
        screen.print(escape(run.summary()), soft_wrap=True)
        if run.info.get("status") not in ("finished", "stopped"):
            screen.print(f"locomote resume {escape(str(file))} goes on with it")
    return report.gathered(run) | {"files": {"run": str(file)}}


# the steps


def check(duration: float, every: float | None, options: Options) -> None:
    """Refuse what makes no sense, in the words of the command line."""
    if options.method not in ("auto", *METHODS):
        raise UnknownName("method", options.method, ("auto", *METHODS), "the integrators")
    seconds = {"duration": duration, "every": every, "step": options.step}
    for name, value in (seconds | {"rtol": options.rtol, "atol": options.atol}).items():
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise Mistake(f"--{name} is {value:g}, expected a number{' of seconds' * (name in seconds)} above 0")


def check_room(problem: Locomotion, duration: float, every: float | None) -> None:
    """Refuse samples that would fill the memory."""
    numbers = problem.model.nq + 3 * problem.model.nv + len(problem.constraint_labels) + 14
    need = 8 * numbers * (duration / every if every else 500)
    if need > SHARE * memory():
        raise Mistake(f"--every {every:g} for {duration:g} s takes {need / 1e9:.3g} GB of memory; ask for fewer samples")


def memory() -> float:
    """The memory of the computer, bytes; what small ones have where it is not known."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return 4e9


def ready(problem: Problem, options: Options, q, v, t: float, manner: Manner) -> None:
    """Have everything compiled that the run needs; if that takes long, say so."""
    chosen: dict[str, Any] = {"method": options.method, "step": options.step, "rtol": options.rtol, "atol": options.atol}
    with patience(manner.screen(errors=True)), contextlib.suppress(RunFailed):  # the run itself says what fails
        problem.simulate(1e-6, q=q, v=v, t=t, samples=[t], progress=False, **chosen)


def stored(system: System | OfFile | OfScene) -> Locomotion:
    """The problem of a system, which a file can hold: as its parts, or, where some are functions, by its name."""
    problem = system.problem()
    try:
        problem.to_record()
    except ValueError:
        return problem.replaced(origin={"system": system.name, "parameters": report.plain(system.parameters)})
    return problem


def folder(out: Path) -> Path:
    """The folder for the results, made if it is not there."""
    if why := made_folder(out):
        raise Mistake(f"{out} cannot be the folder for results: {why}; --out chooses another")
    return out


def place(out: Path, system: str, name: str | None) -> Path:
    """The file of a new run: of the name that was asked for, else of the system, with a number if a finished run has it."""
    if name is not None:
        if not name or Path(name).name != name or name in (".", ".."):
            raise Mistake(f"--name {name!r}: expected the name of a file without its folder and ending, such as --name fast")
        file = out / f"{name}.h5"
        if is_finished(file):
            raise Mistake(f"--name {name!r}: {file} holds a finished run; choose another name, or remove it")
        return file
    files = (out / f"{system}{f'-{n}' if n > 1 else ''}.h5" for n in itertools.count(1))
    return next(file for file in files if not is_finished(file))


def is_finished(file: Path) -> bool:
    """Whether a file holds a run that came to its end."""
    try:
        return file.exists() and open_run(file).info.get("status") in ("finished", "stopped")
    except LocomoteError:  # no run
        return False


def unfinished(file: Path, manner: Manner) -> Path | None:
    """Put a run that was not finished aside instead of writing over it; where it is now."""
    try:
        run = open_run(file)
    except LocomoteError:  # there is none, or it is none
        return None
    if run.info.get("status") != "interrupted" or not len(run) or run.t[-1] == run.t[0]:
        return None
    aside = file.with_suffix(".unfinished.h5")
    file.replace(aside)
    words = f"the run that was there had come to t = {run.t[-1]:.6g} s; it is kept: locomote resume {aside} goes on with it"
    manner.screen().print(escape(words))
    return aside


def ended(go: Callable[[], Trajectory], file: Path, manner: Manner) -> Outcome:
    """Run, and tell how it went, whatever happens on the way."""
    try:
        return told(go(), file, manner)
    except RunFailed as failure:
        if isinstance(failure.__cause__, RunFileError):  # it says what is safe
            manner.screen().print(escape(failure.run.summary()), soft_wrap=True)
            complain(str(failure))
            return Outcome(FAILED, report.gathered(failure.run) | {"files": {"run": str(file)}})
        return told(failure.run, file, manner)
    except KeyboardInterrupt:  # not while the run computed: it would have ended itself
        say(f"interrupted; what was computed until the last checkpoint is in {file}")
        return Outcome(INTERRUPTED, {"status": "interrupted", "files": {"run": str(file)}})


def told(run: Trajectory, file: Path, manner: Manner) -> Outcome:
    """Print the summary, draw the pictures, say where everything is."""
    run, screen = classified(run), manner.screen()
    files = {"run": str(file)}
    screen.print(escape(run.summary()), soft_wrap=True)
    screen.print(f"{'run file':<{WIDTH}}{escape(str(file))}", soft_wrap=True)
    wanted = {"picture": ".png", "report": ".html"} if manner.plot else {}
    for word, suffix in (wanted | ({"film": ".mp4"} if manner.film else {})).items():
        path = file.with_suffix(suffix)
        why = draw(run, path)
        screen.print(f"{word:<{WIDTH}}{escape(f'none: {why}' if why else str(path))}", soft_wrap=True)
        files |= {} if why else {word: str(path)}
    if "report" in files:
        words = f"open {files['report']} in a browser, or say locomote view {file}"
        screen.print(f"{'to see it move':<{WIDTH}}{escape(words)}", soft_wrap=True)
    code = GOOD
    if run.info.get("status") == "failed":
        code = FAILED
        complain(f"{run.info.get('message')}; {count(run)} kept in {file}")
    elif run.info.get("status") == "interrupted":
        code = INTERRUPTED
        say(f"{run.info.get('message')}; {count(run)} kept, locomote resume {file} goes on from there")
    elif not run.audit.ok:
        code = FAILED
        names = ", ".join(f"{check.name} {check.value:.2g}, allowed {check.allowed:.0e}" for check in run.audit.failed)
        advice = "tighten --rtol and --atol" if method_of(run.info).chooses else "take a smaller --step"
        complain(f"the audit failed: {names}; {advice}")
    return Outcome(code, report.gathered(run) | {"files": files})


def classified(run: Trajectory) -> Trajectory:
    """The run with its classification at the start in words, where its problem is known."""
    if "classification" in run.info or run.problem is None or not len(run):
        return run
    return replace(run, info=dict(run.info) | {"classification": str(run.problem.classify(float(run.t[0]), run.q[0]))})


def draw(run: Trajectory, path: Path) -> str | None:
    """Write a film, a strip or a report; why not, if not: a picture that fails must not take the run with it."""
    try:
        run.report(path) if path.suffix == ".html" else run.film(path)
    except (LocomoteError, ValueError, OSError, ArithmeticError) as error:
        return str(error)
    return None


def count(run: Trajectory) -> str:
    """How many samples there are."""
    return "1 sample is" if len(run) == 1 else f"{len(run)} samples are"


def complain(sentence: str) -> None:
    """What went wrong, on stderr."""
    console(errors=True).print(f"[bold red]error:[/] {escape(sentence)}", soft_wrap=True)


def say(sentence: str) -> None:
    """What the user brought about, on stderr."""
    console(errors=True).print(escape(sentence), soft_wrap=True)


@contextlib.contextmanager
def patience(screen: Console) -> Iterator[None]:
    """Say why nothing happens, if nothing happens for some seconds."""
    sys.stdout.flush()
    timer = threading.Timer(WAITING, screen.print, [FIRST_TIME])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
