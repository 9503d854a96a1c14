"""MJCF files that include others.

Only files in the folder of the main file, in folders beside it (as models that share a scene have them) and in folders below
these are read, each once: a model from an unknown source must not be able to open anything else.
"""

from pathlib import Path

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.source import Source, path_beside, read_file
from locomote.formats.xml import MOST_ELEMENTS, Node, parse

MOST_FILES = 200
SUFFIXES = (".xml", ".mjcf")


def splice(root: Node, source: Source, faults: Faults) -> None:
    """Put the contents of included files where the <include> elements stand."""
    read: set[Path] = set() if source.path is None else {source.path.resolve()}
    waiting = [root]
    count = 0
    while waiting:
        node = waiting.pop()
        if any(child.tag == "include" for child in node.children):
            children = []
            for child in node.children:
                children.extend(_contents(child, source, read, faults) if child.tag == "include" else [child])
            node.children = children
            waiting.append(node)  # what came in may include more
            continue
        count += len(node.children)
        if count > MOST_ELEMENTS:
            faults.add(None, f"more than {MOST_ELEMENTS} elements with the included files: this is not a model file")
            return
        waiting.extend(node.children)


def _contents(node: Node, source: Source, read: set[Path], faults: Faults) -> list[Node]:
    name = node.get("file")
    if not name:
        faults.add(node, "attribute 'file' is missing")
    elif source.folder is None:
        faults.add(node, f"includes {shown(name)}, but text has no folder to find it in; load the model from its file")
    else:
        return _read(node, name, source, source.folder, read, faults)
    return []


def _read(node: Node, name: str, source: Source, folder: Path, read: set[Path], faults: Faults) -> list[Node]:
    path = path_beside(folder, name, SUFFIXES)
    if path is None:
        faults.add(node, f"includes {shown(name)}, which is outside the folder of the model; move it there")
    elif path in read:
        faults.add(node, f"includes {shown(name)} a second time; a file can be included once")
    elif len(read) > MOST_FILES:
        faults.add(node, f"includes more than {MOST_FILES} files")
    else:
        read.add(path)
        try:
            return parse(read_file(path), file=name).children
        except ModelError as error:
            faults.add(node, f"the included file {shown(name)}: {error.faults[0]}")
    return []
