"""MJCF files that include others.

Only files in the folder of the main file, in folders beside it (as models that share a scene have them), in folders that the
user names and in folders below these are read, each once: a model from an unknown source must not open anything else.
Names are meant from the folder of the main file, or, if there is no such file, from that of the file that includes.
"""

import os
from pathlib import Path

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.source import Source, path_beside, read_file
from locomote.formats.xml import MOST_ELEMENTS, Node, parse

MOST_FILES = 200
SUFFIXES = (".xml", ".mjcf")


def splice(root: Node, source: Source, faults: Faults, others=(), start: Path | None = None) -> None:
    """Put the contents of included files where the <include> elements stand.

    others : folders that may be read besides ; start : folder that names are meant from, that of the source if None
    """
    read: set[Path] = set() if source.path is None else {source.path.resolve()}
    waiting = [root]
    count = 0
    while waiting:
        node = waiting.pop()
        if any(child.tag == "include" for child in node.children):
            children = []
            for child in node.children:
                children.extend(_contents(child, source, read, faults, others, start) if child.tag == "include" else [child])
            node.children = children
            waiting.append(node)  # what came in may include more
            continue
        count += len(node.children)
        if count > MOST_ELEMENTS:
            faults.add(None, f"more than {MOST_ELEMENTS} elements with the included files: this is not a model file")
            return
        waiting.extend(node.children)


def _contents(node: Node, source: Source, read: set[Path], faults: Faults, others, start: Path | None) -> list[Node]:
    name = node.get("file")
    if not name:
        faults.add(node, "attribute 'file' is missing")
    elif source.folder is None:
        faults.add(node, f"includes {shown(name)}, but text has no folder to find it in; load the model from its file")
    else:
        return _read(node, name, source.folder, read, faults, others, start)
    return []


def _found(node: Node, name: str, folder: Path, others, start: Path | None) -> Path | None:
    """The path of an included file, if it may be read."""
    path = path_beside(folder, name, SUFFIXES, start=start, others=others)
    if node.file and (path is None or not path.is_file()):
        near = path_beside(folder, name, SUFFIXES, start=(folder / node.file).resolve().parent, others=others)
        return near if near is not None and near.is_file() else path
    return path


def _read(node: Node, name: str, folder: Path, read: set[Path], faults: Faults, others, start: Path | None) -> list[Node]:
    path = _found(node, name, folder, others, start)
    if path is None:
        faults.add(node, f"includes {shown(name)}, which is outside the folder of the model; move it there, or name its folder"
                   " in package_dirs")  # fmt: skip
    elif path in read:
        faults.add(node, f"includes {shown(name)} a second time; a file can be included once")
    elif len(read) > MOST_FILES:
        faults.add(node, f"includes more than {MOST_FILES} files")
    else:
        read.add(path)
        try:
            return parse(read_file(path), file=relative_name(path, folder)).children
        except ModelError as error:
            faults.add(node, f"the included file {shown(name)}: {error.faults[0]}")
    return []


def relative_name(path: Path, folder: Path) -> str:
    """The path of a file as it is named from a folder."""
    return Path(os.path.relpath(path, folder.resolve())).as_posix()
