"""`locomote export c` and `locomote export casadi`: functions of a model for other programs."""

import os
from pathlib import Path
from typing import Any

from rich.markup import escape

from locomote.cli.screen import console
from locomote.cli.settings import Mistake
from locomote.compiled.c_code import USUAL, c_sources, identifier, write_c
from locomote.errors import FileError
from locomote.files import reason
from locomote.model.model import Model

__all__ = ["USUAL", "show", "written_c", "written_casadi"]


def written_c(model: Model, functions: list[str], out: Path, name: str | None, force: bool) -> dict[str, Any]:
    """Write functions of a model as C; what was written where, ready for JSON."""
    sources = c_sources(model, functions, name)
    refuse_replacing([out / file for file in sources.files], force)
    files = [str(path) for path in write_c(model, out, functions, name=name)]
    use = f"cc -O2 {files[1]} {files[2]} -lm && ./a.out compares the code with this library and times it"
    return {"files": files, "model": model.name, "operations": sources.operations, "use": use}


def written_casadi(model: Model, functions: list[str], out: Path, name: str | None, force: bool) -> dict[str, Any]:
    """Write functions of a model as files of CasADi; what was written where, ready for JSON."""
    from locomote.symbolic.casadi_model import symbolic

    symbols, prefix = symbolic(model), identifier(name or model.name)
    made = {out / f"{prefix}_{function}.casadi": symbols.function(function) for function in functions}
    refuse_replacing(list(made), force)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for path, function in made.items():
            draft = path.with_name(f"{path.name}.draft")
            draft.write_text(function.serialize())
            os.replace(draft, path)
    except OSError as error:
        raise FileError(out, f"cannot be written: {reason(error)}") from None
    files = [str(path) for path in made]
    operations = {function.name(): function.n_instructions() for function in made.values()}
    use = f"casadi.Function.deserialize(open({files[0]!r}).read()) gives a function of q, v, ... by name"
    return {"files": files, "model": model.name, "operations": operations, "use": use}


def refuse_replacing(paths: list[Path], force: bool) -> None:
    """A Mistake if a file is there already, unless it may be replaced."""
    there = [path for path in paths if path.exists()]
    if there and not force:
        raise Mistake(f"{there[0]} is there already; --force replaces it, --out FOLDER writes elsewhere")


def show(found: dict[str, Any]) -> None:
    """What was written, as text."""
    screen = console()
    for function, operations in found["operations"].items():
        screen.print(f"{function}: {operations} operations", soft_wrap=True)
    for file in found["files"]:
        screen.print(escape(file), soft_wrap=True)
    screen.print(escape(found["use"]), soft_wrap=True)
