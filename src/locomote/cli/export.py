"""`locomote export`: a model into a file of another form."""

import re
import warnings
from pathlib import Path
from typing import Any

from rich.markup import escape

from locomote.cli.screen import console
from locomote.cli.settings import Mistake
from locomote.formats.save import WRITERS, save
from locomote.formats.write_urdf import base_word
from locomote.model.model import Model

UNSAFE = re.compile(r"[^\w.-]+")  # in the name of a file


def written(model: Model, suffix: str, out: Path | None, force: bool, unsupported: str, visuals: bool) -> dict[str, Any]:
    """Write a model; what was written where, ready for JSON."""
    path = target(model, suffix, out, force)
    with warnings.catch_warnings(record=True) as left_out:
        warnings.simplefilter("always")
        save(model, path, unsupported=unsupported, visuals=visuals)
    base = base_word(model.description) if suffix == ".urdf" else "fixed"
    return {
        "file": str(path),
        "model": model.name,
        "bodies": len(model.body_names),
        "nq": model.nq,
        "nv": model.nv,
        "load_with_base": None if base == "fixed" else base,
        "left_out": [str(warning.message) for warning in left_out],
    }


def target(model: Model, suffix: str, out: Path | None, force: bool) -> Path:
    """Where to write: the given file, or one in this folder that is named after the model; nothing is replaced unasked."""
    path = out if out is not None else Path((UNSAFE.sub("_", model.name).strip("._") or "model") + suffix)
    known = [other for other, writer in WRITERS.items() if writer is WRITERS[suffix]]
    if path.suffix.lower() not in known:
        raise Mistake(f"--out {path}: the name must end in {' or '.join(known)}, so that it can be loaded again")
    if path.exists() and not force:
        raise Mistake(f"{path} is there already; --force replaces it, --out FILE writes elsewhere")
    return path


def show(found: dict[str, Any]) -> None:
    """The same as text."""
    screen = console()
    for sentence in found["left_out"]:
        screen.print(f"[yellow]warning:[/] {escape(sentence)}", soft_wrap=True)
    counts = f"{found['bodies']} bodies, nq = {found['nq']}, nv = {found['nv']}"
    screen.print(f"{escape(found['file'])}  {escape(found['model'])}, {counts}", soft_wrap=True)
    if found["system"]:
        screen.print("the file has the model of the system, not what is imposed on it, holds it or acts on it", soft_wrap=True)
    if base := found["load_with_base"]:
        screen.print(f"how the root moves is not part of URDF: load it with base={base!r} (--base {base})", soft_wrap=True)
