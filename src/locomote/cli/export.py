"""`locomote export`: a model into a file of another form."""

import re
import warnings
from pathlib import Path
from typing import Any

from rich.markup import escape

from locomote.cli.screen import console
from locomote.cli.settings import Mistake
from locomote.formats.draft import base_word
from locomote.formats.registry import Format
from locomote.formats.save import save
from locomote.model.model import Model

UNSAFE = re.compile(r"[^\w.-]+")  # in the name of a file


def written(model: Model, form: Format, out: Path | None, force: bool, unsupported: str, visuals: bool) -> dict[str, Any]:
    """Write a model; what was written where, ready for JSON."""
    path = target(model, form, out, force)
    with warnings.catch_warnings(record=True) as left_out:
        warnings.simplefilter("always")
        save(model, path, unsupported=unsupported, visuals=visuals)
    base = "fixed" if form.says_base else base_word(model.description)
    return {
        "file": str(path),
        "format": form.name,
        "model": model.name,
        "bodies": len(model.body_names),
        "nq": model.nq,
        "nv": model.nv,
        "load_with_base": None if base == "fixed" else base,
        "left_out": [str(warning.message) for warning in left_out],
    }


def target(model: Model, form: Format, out: Path | None, force: bool) -> Path:
    """Where to write: the given file, or one in this folder that is named after the model; nothing is replaced unasked."""
    path = out if out is not None else Path((UNSAFE.sub("_", model.name).strip("._") or "model") + form.suffixes[0])
    if path.suffix.lower() not in form.suffixes:
        raise Mistake(f"--out {path}: the name must end in {' or '.join(form.suffixes)}, so that it can be loaded again")
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
        sentence = f"how the root moves is not part of {found['format']}: load it with base={base!r} (--base {base})"
        screen.print(sentence, soft_wrap=True)
