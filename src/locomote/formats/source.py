"""Where the text of a model comes from: a file that the user names, or the text itself."""

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

from locomote.errors import ModelError
from locomote.files import opened
from locomote.formats.faults import shown
from locomote.formats.registry import suffixes

LARGEST_FILE = 64 * 2**20  # bytes; the largest robot files known are below 2 MiB


@dataclass(frozen=True)
class Source:
    """Text and where it came from. `name` is for messages; `folder` is None if the text came without a file."""

    name: str
    content: str | bytes
    path: Path | None = None

    @property
    def folder(self) -> Path | None:
        return None if self.path is None else self.path.parent

    @property
    def stem(self) -> str:
        return "" if self.path is None else self.path.name.split(".")[0]


def read_source(path_or_text, *, is_text) -> Source:
    """The Source of a path, or of text. `is_text(str)` tells whether a string is the text itself."""
    if isinstance(path_or_text, bytes | bytearray):
        return checked(Source("text", bytes(path_or_text)))
    if isinstance(path_or_text, str) and is_text(path_or_text):
        return checked(Source("text", path_or_text))
    if isinstance(path_or_text, str) and not path_or_text.strip():
        raise ModelError("text", "it is empty; give a path or the text of a model")
    if not isinstance(path_or_text, str | os.PathLike):
        raise ModelError("model", f"expected a path or text, got {type(path_or_text).__name__}")
    return read_file(path_or_text)


def read_file(path) -> Source:
    """The Source of a file. A missing file gets a sentence with the nearest names in its folder."""
    path = Path(path)
    name = str(path) if len(str(path)) <= 300 else str(path)[:297] + "..."
    try:
        if os.path.isdir(path):
            raise ModelError(name, "this is a folder; give the model file itself" + _models_inside(path))
        with opened(path) as stream:
            content = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise ModelError(name, "no such file" + _near_names(path)) from None
    except PermissionError:
        raise ModelError(name, "the file is not readable: permission denied") from None
    except (OSError, ValueError) as error:  # name too long, NUL in the name, not a folder, ...
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(name, f"the file cannot be read: {reason}") from None
    return checked(Source(name, content, path))


def path_inside(folder: Path, name: str) -> Path | None:
    """The path of a file that a model names, or None if it is not in the folder or below it: nothing else is opened."""
    try:
        folder = folder.resolve()
        path = (folder / name).resolve()
        return path if path.is_relative_to(folder) else None
    except (OSError, ValueError, RuntimeError):  # NUL, endless links
        return None


def path_beside(folder: Path, name: str, suffixes: tuple[str, ...], *, start: Path | None = None, others=()) -> Path | None:
    """`path_inside`, or the path of a file with one of the suffixes in a folder beside it, as parts of a project share them.

    start : folder that the name is meant from, the first one if None ; others : folders in which files may be opened too
    """
    if start is None and (path := path_inside(folder, name)) is not None:
        return path
    try:
        home = folder.resolve()
        path = ((start or home) / name).resolve()
        if path.suffix.lower() not in suffixes or Path(name).is_absolute():
            return None
        if any(path.is_relative_to(Path(other).resolve()) for other in others):
            return path
        return path if path.is_relative_to(home.parent) and len(path.relative_to(home.parent).parts) > 1 else None
    except (OSError, ValueError, RuntimeError, TypeError):  # NUL, endless links
        return None


def checked(source: Source) -> Source:
    """The same source, if its size is sane."""
    if len(source.content) > LARGEST_FILE:
        raise ModelError(source.name, f"larger than {LARGEST_FILE // 2**20} MiB: this is not a model file")
    if not source.content.strip():
        raise ModelError(source.name, "it is empty")
    return source


def _near_names(path: Path) -> str:
    if not os.path.isdir(path.parent):
        return f"; the folder {shown(path.parent)} does not exist either"
    close = difflib.get_close_matches(path.name, sorted(os.listdir(path.parent))[:3000], n=3, cutoff=0.5)
    return f"; in that folder there is {' or '.join(map(repr, close))}" if close else ""


def _models_inside(folder: Path) -> str:
    names = [name for name in sorted(os.listdir(folder)) if name.lower().endswith(tuple(suffixes(xml=True)))]
    return f", such as {' or '.join(map(repr, names[:3]))}" if names else ""
