"""MJCF's <attach>: bodies of another file, with everything there that names them, under names with a prefix.

Classes, assets and names of the other file get the prefix; its bodies stand in a frame where the element stood. Elements of
its other sections come along if all that they name does. What its compiler says of angles and inertias has to be what the main
file says: options of the main file hold for all.
"""

import os
from pathlib import Path, PurePosixPath

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.mjcf.defaults import MAIN
from locomote.formats.mjcf.include import SUFFIXES, relative_name, splice
from locomote.formats.mjcf.replicate import NAMED, OTHERS, REFERENCES
from locomote.formats.source import Source, path_beside, read_file
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node, parse

MOST, DEEP = 200, 8  # attached bodies of a file; files that attach files that attach files
ASSETS = ("mesh", "material", "texture", "hfield", "skin")  # attributes that name assets
# what a compiler says of how numbers are read, and what it says if it says nothing
SAID = {
    "angle": "degree", "eulerseq": "xyz", "autolimits": "true", "inertiafromgeom": "auto", "inertiagrouprange": "0 5",
    "boundmass": "0", "boundinertia": "0", "balanceinertia": "false", "settotalmass": "-1", "fitaabb": "false",
    "exactmeshinertia": "false",
}  # fmt: skip


def attach(root: Node, source: Source, unsupported: Unsupported, others=(), start: Path | None = None, depth: int = 0) -> None:
    """Put the bodies of other files where <attach> elements stand; their classes become `attached` sections of `root`.

    source : the main file, beside which all files are ; others : folders that may be read besides ; start : folder of the file
    that `root` is, that of the main file if None
    """
    nodes = [node for world in root.all("worldbody") for node in world.walk()]
    around = {id(child): node for node in nodes for child in node.children}
    found = [(around[id(node)], node) for node in nodes if node.tag == "attach"]
    if not found:
        return
    models = {node.get("name") or "": node for section in root.all("asset") for node in section.all("model")}
    if len(found) > MOST or depth > DEEP:
        unsupported.faults.add(found[0][1], f"there are more than {MOST} of them, or more than {DEEP} one in the other")
        return
    for parent, node in found:
        place = parent.children.index(node)
        parent.children[place : place + 1] = _attached(root, node, models, source, unsupported, others, start, depth)


def _attached(
    root: Node, node: Node, models: dict, source: Source, unsupported: Unsupported, others, start: Path | None, depth: int
) -> list[Node]:
    """What stands in the place of one <attach>; the rest goes to other sections of `root`."""
    name, prefix, faults = node.get("model"), node.get("prefix") or "", unsupported.faults
    if node.get("frame") is not None:
        unsupported.refuse(node, "a frame that is attached", "name a body, or attach the whole file")
    elif name is None:
        unsupported.refuse(node, "a body of the same file that is attached again", "write a <replicate>, or name a model")
    elif name not in models:
        faults.add(node, f"there is no <model> {shown(name)} among the assets{faults.nearest(name, models)}")
    elif (read := _read(models[name], source, unsupported, others, start, depth)) is not None:
        child, folder = read
        if different := [word for word in SAID if _said(child, word) != _said(root, word)]:
            said = ", ".join(f"{word} is {_said(child, word)!r}, {_said(root, word)!r} in the main file" for word in different)
            unsupported.refuse(node, f"an attached file whose compiler says something else ({said})", "write both files alike")
            return []
        return _taken(root, child, node, prefix, (folder, start or source.folder or folder), faults)
    return []


def _read(
    model: Node, source: Source, unsupported: Unsupported, others, start: Path | None, depth: int
) -> tuple[Node, Path] | None:
    """The other file, with what it includes and attaches itself, and its folder."""
    name, faults = model.get("file") or "", unsupported.faults
    path = None if source.folder is None else path_beside(source.folder, name, SUFFIXES, start=start, others=others)
    if source.folder is None:
        faults.add(model, f"names the file {shown(name)}, but text has no folder to find it in; load the model from its file")
    elif path is None:
        faults.add(model, f"names the file {shown(name)}, which is outside the folder of the model; move it there, or name its"
                   " folder in package_dirs")  # fmt: skip
    else:
        try:
            child = parse(read_file(path), file=relative_name(path, source.folder))
        except ModelError as error:
            faults.add(model, f"the file {shown(name)}: {error.faults[0]}")
            return None
        splice(child, source, faults, others, path.parent)
        attach(child, source, unsupported, others, path.parent, depth + 1)
        return child, path.parent
    return None


def _said(root: Node, word: str) -> str:
    """What the compiler of a file says, the last word."""
    values = [value for node in root.all("compiler") if (value := node.get(word)) is not None]
    return " ".join(values[-1].split(None, 20)) if values else SAID[word]


def _taken(root: Node, child: Node, node: Node, prefix: str, folders: tuple[Path, Path], faults: Faults) -> list[Node]:
    """The bodies that are attached, in a frame; all other sections of the child go to `root`."""
    body = node.get("body")
    tops = [own for world in child.all("worldbody") for own in world.children]
    if body is not None:
        tops = [own for top in tops for own in top.walk() if own.tag == "body" and own.get("name") == body]
        if not tops:
            faults.add(node, f"there is no body {shown(body)} in the file of model {shown(node.get('model'))}")
            return []
    inside = {name for top in tops for own in top.walk() if own.tag in NAMED and (name := own.get("name"))}
    frame = Node("frame", {"childclass": prefix + MAIN}, node.line, node.file)
    frame.children = tops
    sections = [_assets(child, root, folders), *_others(child, inside)]
    sections += [_classes(section, prefix) for section in child.all("default")] or [_classes(Node("default", {}, 0), prefix)]
    inside |= {name for section in sections for own in section.walk() if (name := own.get("name"))}
    for section in (frame, *sections):
        for own in section.walk():
            _prefixed(own, inside, prefix, section is frame)
    if all(section.get("class") != prefix + MAIN for section in root.all("attached")):  # a file may be attached several times
        root.children.extend(section for section in sections if section.tag != "asset")
        root.children[:0] = [section for section in sections if section.tag == "asset"]
    else:
        faults.add(node, f"its prefix {shown(prefix)} is that of another attached file")
    return [frame]


def _classes(section: Node, prefix: str) -> Node:
    """The classes of a file, which begin with nothing, whatever those of the main file are."""
    own = Node("attached", {"class": prefix + MAIN}, section.line, section.file)
    own.children = section.children
    for node in own.walk():
        if node.tag == "default" and (name := node.get("class")):
            node.attributes["class"] = prefix + name
    return own


def _assets(child: Node, root: Node, folders: tuple[Path, Path]) -> Node:
    """The assets of a file, their files named from the folder of the one that it is attached to, and its folder of meshes."""
    own = Node("asset", {}, 0)
    own.children = [node for section in child.all("asset") for node in section.children if node.tag != "model"]
    words = ("meshdir", "assetdir")
    there, here = (
        next((x for node in reversed(tree.all("compiler")) for word in words if (x := node.get(word))), "")
        for tree in (child, root)
    )
    strip = _stripped(child)
    for node in own.children:
        if file := node.get("file"):
            if node.get("name") is None:
                node.attributes["name"] = PurePosixPath(file).stem
            file = PurePosixPath(file.replace("\\", "/")).name if strip else file
            if "://" not in file:
                node.attributes["file"] = Path(os.path.relpath(folders[0] / there / file, folders[1] / here)).as_posix()
    return own


def _stripped(root: Node) -> bool:
    return any(node.get("strippath") == "true" for node in root.all("compiler"))


def _others(child: Node, inside: set[str]) -> list[Node]:
    """Elements of other sections that name nothing but what comes along, and each other."""
    known, taken = set(inside) | {"world"}, []
    for tag in OTHERS:
        section = Node(tag, {}, 0)
        for node in (node for own in child.all(tag) for node in own.children):
            named = {own.attributes[word] for own in node.walk() for word in REFERENCES if word in own.attributes}
            if named <= known:
                section.children.append(node)
                known |= {name} if tag in ("tendon", "actuator") and (name := node.get("name")) else set()
        taken.append(section)
    return [section for section in taken if section.children]


def _prefixed(node: Node, inside: set[str], prefix: str, in_tree: bool) -> None:
    """Give an element, its class and what it names the prefix."""
    if node.tag in ("attached", "default"):
        return
    for name, value in node.attributes.items():
        own = name == "name" or name in ASSETS or (name in REFERENCES and value in inside)
        if own or name in ("class", "childclass") and not value.startswith(prefix + MAIN):
            node.attributes[name] = prefix + value
    if not in_tree and "class" not in node.attributes:
        node.attributes["class"] = prefix + MAIN
