"""NAME-or-FILE: what a word of the command line means, a system of the catalogue or a model file."""

from pathlib import Path
from typing import TYPE_CHECKING

from locomote.cli.settings import Mistake, loaded, reader_options
from locomote.errors import ModelError, UnknownName

if TYPE_CHECKING:
    from locomote.cli.of_file import OfFile, OfScene
    from locomote.model.model import Model
    from locomote.systems.catalogue import System


def model_of(
    target: str,
    setting: list[str],
    base: str | None,
    package_dirs: list[Path],
    unsupported: str,
    option: list[str] | None = None,
) -> "Model":
    """The model of a system of the catalogue, or of a file."""
    from locomote.systems import catalogue

    if is_system(target):
        if package_dirs or option:
            raise Mistake(f"--package-dir and --option are for files; {target!r} is a system of the catalogue")
        return loaded(target, setting, **({"base": base} if base else {})).model
    if setting:
        raise Mistake(f"--set is for systems of the catalogue: {', '.join(catalogue.names())}")
    return read(target, base, True, package_dirs, unsupported, option)


def runnable(
    name: str,
    setting: list[str],
    drive: list[str],
    base: str | None,
    option: list[str] | None = None,
    *,
    ground: str = "auto",
    posture: str | None = None,
    drop: float | None = None,
) -> "System | OfFile | OfScene":
    """What `locomote run` runs: a system of the catalogue, or the scene or model of a file."""
    path = Path(name)
    if is_system(name) or not (path.exists() or path.suffix):
        if drive or base or option or ground != "auto" or posture or drop is not None:
            of_files = "--drive, --base, --option, --ground, --posture and --drop are for model files"
            raise Mistake(f"{of_files}; a system has parameters: locomote info {name} lists them")
        return loaded(name, setting)
    if setting:
        raise Mistake("--set is for systems of the catalogue; the joints of a model file are held by --drive JOINT=VALUE")
    if path.suffix == ".h5":
        raise Mistake(f"{name} is a run file: locomote resume goes on with it, locomote info shows it")
    from locomote.cli.of_file import of_file, of_scene

    if not (drive or base or option or ground != "auto" or drop is not None) and (scene := of_scene(name, posture)):
        return scene
    return of_file(name, read(name, base, True, [], "error", option), drive, ground, posture, drop)


def is_system(target: str) -> bool:
    """Whether a word is a system of the catalogue, and not a file that is called like one."""
    from locomote.systems import catalogue

    return target in catalogue.names() and not Path(target).exists()


def described(
    target: str, base: str | None, mimic: bool, package_dirs: list[Path], unsupported: str, option: list[str] | None = None
) -> "Model":
    """The model of a file, that of its scene if a model alone cannot say all of it."""
    from locomote.formats.scenes import scene_of
    from locomote.model.model import Model

    try:
        return read(target, base, mimic, package_dirs, unsupported, option)
    except ModelError:
        if base or option or not mimic or not Path(target).exists():
            raise
        if (scene := scene_of(target, package_dirs=package_dirs, unsupported=unsupported)) is None:
            raise
        return Model(scene.description)


def read(
    target: str,
    base: str | None,
    mimic: bool,
    package_dirs: list[Path],
    unsupported: str,
    option: list[str] | None = None,
) -> "Model":
    """The model of a file."""
    from locomote.formats.load import load
    from locomote.systems import catalogue

    path = Path(target)
    if not path.exists() and not path.suffix and path.parent == Path("."):
        raise UnknownName("file or system", target, catalogue.names(), "this folder or the catalogue")
    options = reader_options(option or [], ("base", "mimic", "package_dirs", "unsupported"))
    try:
        return load(target, base=base, mimic=mimic, package_dirs=package_dirs, unsupported=unsupported, **options)
    except ModelError as error:
        if path.exists():
            raise
        raise Mistake(str(error)) from None  # no such file
