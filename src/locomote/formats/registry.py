"""The formats of model files. A format is a folder here whose `__init__` holds a record FORMAT; nothing else lists them.

A new one is a folder with that record, a reader and, if models can be written, a writer. `load`, `save`, the command line,
hints in errors and the tests of formats find it by itself.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import locomote.formats as folder

if TYPE_CHECKING:
    from locomote.formats.xml import Node
    from locomote.model.description import Description
    from locomote.model.scene import Scene

# files that are no models, by suffix or outermost element
NO_MODELS = {
    ".h5": "this is a run, not a model; open it with lo.open_run",
    "COLLADA": "this is a COLLADA mesh, not a robot",
}


@dataclass(frozen=True)
class Format:
    """A format of model files.

    name : in sentences ; word : in lo.read_word, lo.write_word and `locomote export word`
    suffixes : of its files, lower case ; the first is that of new files
    root_tag : the outermost XML element, "" if files are not XML
    reader : gives (Source, Node or None, keyword options) -> Description, and imports it only then
    writer : gives (Model, path, unsupported=, visuals=) -> text, and imports it only then; None if there is none
    users : programs that read what is written
    says_base : whether a file says how the root moves
    hints : what to do with files near this format that are not read, by suffix
    scene : gives (Source, Node or None, keyword options) -> Scene, for lo.load_scene; None if files say no more than a model
    """

    name: str
    word: str
    suffixes: tuple[str, ...]
    root_tag: str
    reader: "Callable[[], Callable[..., Description]]"
    writer: Callable[[], Callable[..., str]] | None = None
    users: str = ""
    says_base: bool = True
    hints: Mapping[str, str] = field(default_factory=dict)
    scene: "Callable[[], Callable[..., Scene]] | None" = None


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order of their names."""
    folders = [found.name for found in pkgutil.iter_modules(folder.__path__) if found.ispkg]
    records = [importlib.import_module(f"{folder.__name__}.{name}").FORMAT for name in folders]
    return tuple(sorted(records, key=lambda form: form.name))


def of_root(tag: str) -> Format | None:
    """The format whose files have this outermost element."""
    return next((form for form in formats() if form.root_tag == tag), None)


def of_suffix(suffix: str, *, written: bool = False) -> Format | None:
    """The format that has this suffix; written : among those that can be written."""
    return next((form for form in formats() if suffix in form.suffixes and (form.writer or not written)), None)


def suffixes(*, written: bool = False, xml: bool = False) -> list[str]:
    """Suffixes of all formats; of those that can be written, or are XML, only."""
    chosen = [form for form in formats() if (form.writer or not written) and (form.root_tag or not xml)]
    return [suffix for form in chosen for suffix in form.suffixes]


def named(*, written: bool = False, last: str = "or") -> str:
    """The names of all formats in a row, as in "DH table, MJCF or URDF"."""
    names = [form.name for form in formats() if form.writer or not written]
    return " ".join([", ".join(names[:-1]), last, names[-1]] if len(names) > 1 else names)


def hint(word: str) -> str | None:
    """What to say of a file that is not read, by its suffix or outermost element."""
    known = NO_MODELS | {near: sentence for form in formats() for near, sentence in form.hints.items()}
    return known[word].format(formats=named(written=True)) if word in known else None


def wrong_root(root: "Node", form: Format | None = None) -> str:
    """Why a file with this outermost element is no file of the format, or of any."""
    other, wanted = of_root(root.tag), [form] if form is not None else [found for found in formats() if found.root_tag]
    if other is not None:
        return f"{root}: this is {other.name}, not {wanted[0].name}: use read_{other.word}"
    tags = " or ".join(f"<{found.root_tag}>" for found in wanted)
    names = " or ".join(found.name for found in wanted)
    return f"{root}: {hint(root.tag) or f'the outermost element of {names} is {tags}'}"
