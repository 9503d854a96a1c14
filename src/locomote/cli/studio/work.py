"""What a process of the studio does: it takes orders, a line of JSON each, and answers in lines: shares of a run, then an end.

{"do": "look", "what": ...}                      the form of a system or file
{"do": "run", "what": ..., "values": ...}        a run: scene, curves and words into result.json of the job's folder
{"do": "save", "what": ..., "kind": "report"}    a file about a run into the working folder

what        {"system": NAME}, or {"file": PATH, "said": how the page calls it}
"""

import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from locomote.cli.of_file import OfFile, of_file
from locomote.cli.run import Options, check, check_room, stored
from locomote.cli.studio import forms, repeat
from locomote.cli.studio.fence import fenced
from locomote.cli.targets import read
from locomote.locomotion.problem import Locomotion
from locomote.reopen import open_run
from locomote.runs.runner import RunFailed
from locomote.runs.trajectory import Trajectory
from locomote.systems import catalogue
from locomote.view.first_sight import verdict
from locomote.view.report import moving, report

RESULT, RUN, PROGRAM = "result.json", "run.h5", "program.py"
SUFFIXES = {"report": ".html", "python": ".py", "run": ".h5"}
Say = Callable[[float], None]


def duration_of(values: Mapping[str, Any], default: float) -> float:
    """How long to run, s."""
    given = values.get("duration", default)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= forms.LONGEST:
        raise ValueError(f"'duration' is {given!r:.60}, expected a number above 0 to {forms.LONGEST:g} s")
    return float(given)


def model_of(what: Mapping[str, Any], values: Mapping[str, Any], folder: Path) -> OfFile:
    """The model of a file; how its root moves and what is below it are the values `base` and `ground`."""
    base = values.get("base", forms.AS_FILE)
    model = read(what["file"], None if base == forms.AS_FILE else str(base), True, [folder], "warn")
    return of_file(what["file"], model, [], str(values.get("ground", "auto")), None, None)


def problem_of(what: Mapping[str, Any], values: Mapping[str, Any], folder: Path) -> tuple[Locomotion, tuple, float, str]:
    """The problem with the values of a form, its start, its duration, and the Python that makes it."""
    if "system" in what:
        own = {key: value for key, value in values.items() if key != "duration"}
        system = catalogue.load(what["system"], **own)
        duration = duration_of(values, system.duration)
        return stored(system), system.initial, duration, repeat.of_system(system.name, values, duration)
    thing = model_of(what, values, folder)
    numbers = {key: value for key, value in values.items() if key not in repeat.OWN}
    problem, duration = thing.problem(), duration_of(values, thing.duration)
    start = thing.initial
    if numbers:
        problem = problem.with_parameters(numbers)
    said = str(what.get("said", Path(what["file"]).name))
    return problem, start, duration, repeat.of_file(said, values, duration, stands=thing.standing is not None)


def look(order: Mapping[str, Any], folder: Path, say: Say) -> dict[str, Any]:
    """The form of a system or file."""
    what = order["what"]
    if "system" in what:
        return forms.of_system(what["system"])
    thing = model_of(what, {}, folder)
    return forms.of_model(thing.name, f"the model of {what.get('said', thing.name)}", thing.problem(), thing.duration)


def run(order: Mapping[str, Any], folder: Path, say: Say) -> dict[str, Any]:
    """Run, and leave the result in the job's folder."""
    place, values = Path(order["place"]), order.get("values", {})
    problem, (q, v), duration, program = problem_of(order["what"], values, folder)
    check(duration, None, Options())
    check_room(problem, duration, None)
    why = ""
    try:
        done = problem.simulate(duration, q=q, v=v, progress=say)
    except RunFailed as failure:
        done, why = failure.run, str(failure)
        if len(done) < 2:
            raise
    done.save(place / RUN)
    (place / PROGRAM).write_text(program, encoding="utf-8")
    shown, data, missing = moving(done)
    found = words(shown) | data | {"python": program, "missing": list(missing[:5]), "failed": why}
    (place / RESULT).write_text(json.dumps(found, allow_nan=False), encoding="utf-8")
    return {"ok": found["audit"]["ok"]}


def words(done: Trajectory) -> dict[str, Any]:
    """What is said about a run."""
    checks = [{"name": c.name, "value": f"{c.value:.3g}", "allowed": f"{c.allowed:.1e}", "passed": bool(c.passed)}
              for c in done.audit.checks]  # fmt: skip
    audit = {"ok": bool(done.audit.ok), "headline": done.audit.headline, "checks": checks}
    return {"verdict": verdict(done), "summary": done.summary(), "audit": audit}


def save(order: Mapping[str, Any], folder: Path, say: Say) -> dict[str, Any]:
    """A file about a run, in the folder `runs` of the working folder, under a name that is free."""
    place, kind = Path(order["place"]), order["kind"]
    out = folder / "runs"
    out.mkdir(exist_ok=True)
    if not out.resolve().is_relative_to(folder.resolve()):
        raise ValueError("the folder runs leads out of the working folder; remove that link")
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in str(order["name"]))[:60] or "run"
    n = 1
    while (path := out / f"{name}{f'-{n}' if n > 1 else ''}{SUFFIXES[kind]}").exists() or path.is_symlink():
        n += 1
    if kind == "report":
        report(open_run(place / RUN), path)
    else:
        shutil.copyfile(place / (RUN if kind == "run" else PROGRAM), path)
    return {"file": path.relative_to(folder).as_posix()}


DO = {"look": look, "run": run, "save": save}


def obey(order: Mapping[str, Any], folder: Path, say: Say) -> dict[str, Any]:
    """Do as told; files of other people are read behind a fence."""
    if "file" not in order.get("what", {}):
        return DO[order["do"]](order, folder, say)
    others = [Path(order[key]) for key in ("place", "dropped") if key in order]
    with fenced(folder, *others):
        return DO[order["do"]](order, folder, say)


def main() -> None:
    """Orders from standard input until it ends; whatever else prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = sys.stderr = open(os.devnull, "w")
    os.dup2(sys.stdout.fileno(), 1)
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1])

    def answer(data: Mapping[str, Any]) -> None:
        answers.write(json.dumps(data, allow_nan=False) + "\n")
        answers.flush()

    answer({"ready": True})
    for line in sys.stdin:
        try:
            answer({"done": obey(json.loads(line), folder, lambda share: answer({"share": share}))})
        except Exception as error:  # whatever it is, the studio goes on
            answer({"refused": str(error)[:4000] or type(error).__name__})


if __name__ == "__main__":
    main()
