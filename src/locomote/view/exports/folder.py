"""A run with its model as a folder that needs nothing else: give it away, and it opens."""

import shutil
import warnings
from dataclasses import replace
from pathlib import Path

from locomote.errors import FileError, LocomoteError
from locomote.files import made_folder
from locomote.formats.draft import base_word
from locomote.formats.save import save
from locomote.model.model import Model
from locomote.runs.export import to_csv
from locomote.runs.trajectory import Trajectory
from locomote.view.report import report, title

MODEL, RUN, TABLE, PAGE, WORDS = "model.urdf", "run.h5", "run.csv", "report.html", "README.md"


def to_folder(run: Trajectory, path) -> Path:
    """Write a model file (URDF) with its meshes, the run, its table and its report into a new folder."""
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileError(folder, "is there already; give the name of a new folder")
    if why := made_folder(folder):
        raise FileError(folder, f"cannot be made: {why}")
    lines = [f"# {title(run)}", "", run.summary(), ""]
    lines += [f"- `{RUN}`: everything; `locomote.open_run(\"{RUN}\")` in Python, or `locomote view {RUN}`",
              f"- `{TABLE}`: every channel as a column, headed `name [unit]`",
              f"- `{PAGE}`: the report, for any browser"]  # fmt: skip
    run.save(folder / RUN)
    to_csv(run, folder / TABLE)
    report(run, folder / PAGE)
    lines.append(f"- {model_file(run.model, folder)}")
    (folder / WORDS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def model_file(model: Model, folder: Path) -> str:
    """Write the model, and its meshes beside it; what was written, in words."""
    own, meshes = with_meshes(model, folder)
    try:
        with warnings.catch_warnings(record=True) as left:
            warnings.simplefilter("always")
            save(own, folder / MODEL, unsupported="warn")
    except (LocomoteError, ValueError) as error:
        (folder / MODEL).unlink(missing_ok=True)
        return f"no model file, since URDF cannot say it: {error}"
    base = base_word(model.description)
    how = "" if base == "fixed" else f'; its base moves, which URDF does not say: `locomote.load("{MODEL}", base="{base}")`'
    lost = "".join(f"; {warning.message}" for warning in left)
    return f"`{MODEL}`: the model{f', with {meshes} meshes' if meshes else ''}{how}{lost}"


def with_meshes(model: Model, folder: Path) -> tuple[Model, int]:
    """The model with copies of its mesh files in the folder instead of the files themselves; how many there are."""
    description = model.description
    shapes = [x for body in description.bodies for x in (*body.visuals, *body.collisions)]
    found = [file for file in dict.fromkeys(x.file for x in shapes if x.file) if Path(file).is_file()]
    if not found:
        return model, 0
    (folder / "meshes").mkdir()
    copies = {}
    for n, file in enumerate(found):
        copies[file] = str(folder / "meshes" / f"{n}_{Path(file).name}")
        shutil.copyfile(file, copies[file])

    def moved(x):
        return replace(x, file=copies[x.file]) if x.file in copies else x

    bodies = tuple(
        replace(body, visuals=tuple(map(moved, body.visuals)), collisions=tuple(map(moved, body.collisions)))
        for body in description.bodies
    )
    return Model(replace(description, bodies=bodies)), len(found)
