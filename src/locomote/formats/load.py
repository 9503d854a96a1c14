"""A model out of a file, whatever its format."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path

from locomote.errors import ModelError, UnknownName
from locomote.formats import registry
from locomote.formats.inertias import check_policy
from locomote.formats.registry import Format
from locomote.formats.source import read_file
from locomote.formats.xml import parse
from locomote.model.description import Description


def load(
    path, *, base: str | None = None, mimic: bool = True, package_dirs=(), inertia: str = "warn", unsupported="error", **options
):
    """The Model of a file ({suffixes}); XML is told by its outermost element.

    base : how the root body moves: "fixed", "free", "planar", "x", "xy", "xyz" or "rotation". Without it the base is as the
        file has it, which for URDF and tables is fixed. A root that moves by a joint of the file keeps that joint
    mimic, package_dirs, inertia : see read_urdf
    unsupported : see read_mjcf
    options : others that the reader of the format has, as convention= of lo.read_dh

    Raises ModelError with all faults of the file. What the user should know of a file that loads is in `description.warnings`.
    """
    from locomote.model.model import Model  # here, so that reading a file does not import the compiler

    common = {"mimic": mimic, "package_dirs": package_dirs, "inertia": inertia, "unsupported": unsupported}
    return Model(read(path, base=base, **common, **options))


load.__doc__ = (load.__doc__ or "").replace("{suffixes}", ", ".join(registry.suffixes()))


def read(
    path, *, base: str | None = None, mimic: bool = True, package_dirs=(), inertia: str = "warn", unsupported="error", **options
) -> Description:
    """The Description of a file of any format; arguments as in `load`."""
    check_policy(inertia)
    if isinstance(path, str) and path.lstrip().startswith("<"):
        readers = " or ".join(f"read_{form.word}" for form in registry.formats() if form.root_tag)
        raise ModelError("text", f"load takes the path of a file; give text to {readers}")
    if not isinstance(path, str | os.PathLike):
        raise ModelError("model", f"expected the path of a file, got {type(path).__name__}")
    suffix = Path(path).suffix.lower()
    form, root = registry.of_suffix(suffix), None
    if form is None and os.path.isfile(path):
        known = ", ".join(registry.suffixes())
        raise ModelError(str(path), registry.hint(suffix) or f"unknown kind of file {suffix!r}; expected one of {known}")
    source = read_file(path)
    if form is None or form.root_tag:
        root = parse(source)
        form = registry.of_root(root.tag)
        if form is None:
            raise ModelError(source.name, registry.wrong_root(root))
    describe = form.reader()
    common = {"base": base, "mimic": mimic, "package_dirs": package_dirs, "inertia": inertia, "unsupported": unsupported}
    description = describe(source, root, **options_taken(form, describe, common, options))
    return description if "base" in _options(describe) else description.with_base(base or "fixed")


def _options(describe: Callable) -> list[str]:
    """Names of the options of a reader."""
    return [name for name, p in inspect.signature(describe).parameters.items() if p.kind == p.KEYWORD_ONLY]


def options_taken(form: Format, describe: Callable, common: dict, options: dict) -> dict:
    """The options that the reader has: of the common ones those that the format knows, of others all, or an error."""
    known = _options(describe)
    for name in options:
        if name not in known:
            raise UnknownName("option", name, [*common, *(own for own in known if own not in common)], f"{form.name} files")
    return {name: value for name, value in (common | options).items() if name in known}
