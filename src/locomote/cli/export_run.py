"""`locomote export csv RUN.h5` and the like: a run for other programs."""

from pathlib import Path
from typing import Any

from locomote.cli.settings import Mistake
from locomote.reopen import open_run
from locomote.view.exports.registry import export


def written(file: Path, ending: str, out: Path | None, force: bool) -> dict[str, Any]:
    """Write a run; what was written where, ready for JSON."""
    if file.suffix != ".h5":
        raise Mistake(f"{file} is no run file (.h5); locomote run writes them")
    path = out if out is not None else file.with_suffix(ending)
    if path.suffix.lower() != ending:
        raise Mistake(f"--out {path}: the name must {f'end in {ending}' if ending else 'have no ending, for a folder'}")
    if path.exists() and (path.is_dir() or not force):
        raise Mistake(f"{path} is there already; {'' if path.is_dir() else '--force replaces it, '}--out PATH writes elsewhere")
    run = open_run(file)
    export(run, path)
    size = sum(x.stat().st_size for x in (path.rglob("*") if path.is_dir() else [path]) if x.is_file())
    return {"file": str(path), "bytes": size, "samples": len(run), "model": run.model.name}
