"""SDF models in files of their own, put where <include> elements stand.

Only files in the folder of the main file, in those given as package_dirs, or below them are read. With merge="true" the parts
of the other model become parts of this one; a frame then stands for its __model__.
"""

import os
import re
from pathlib import Path

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.meshes import MeshFinder
from locomote.formats.registry import wrong_root
from locomote.formats.sdf import FORMAT
from locomote.formats.sdf.elements import attribute_flag, check, flag, word
from locomote.formats.sdf.frames import MODEL
from locomote.formats.sdf.versions import modernise, version_of
from locomote.formats.source import Source, path_inside, read_file
from locomote.formats.xml import MOST_ELEMENTS, Node, only_child, parse

MOST_FILES = 200
DEEPEST_MODELS = 50
PLACEMENT = "placement of a merged model"  # an attribute that no file can have
SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")
LOCAL = ("file", "model", "package")
NAMED = ("link", "joint", "frame", "model")


class Includes:
    """The files that one model includes."""

    def __init__(self, source: Source, meshes: MeshFinder, faults: Faults):
        self.source, self.faults = source, faults
        self.folders = [folder for folder in (meshes.folder, *meshes.package_dirs) if folder is not None]
        self.count = self.elements = 0

    def expand(self, model: Node, files: tuple[Path, ...] = (), depth: int = 1) -> None:
        """Put models in the places of the <include> elements of a model; files : those that it stands in."""
        if depth > DEEPEST_MODELS:
            self.faults.add(model, f"models are nested more than {DEEPEST_MODELS} deep: this is not a model file")
            model.children = []
            return
        children: list[Node] = []
        for child in model.children:
            found, inside = self.model_of(child, files, self.faults) if child.tag == "include" else (child, files)
            if found is None:
                continue
            if found.tag == "model":
                self.expand(found, inside, depth + 1)
            merges = child.tag == "include" and attribute_flag(child, "merge", self.faults)
            children.extend(_merged(found, self.faults) if merges else [found])
        model.children = children

    def model_of(self, node: Node, files: tuple[Path, ...], faults: Faults) -> tuple[Node | None, tuple[Path, ...]]:
        """The model that an <include> names, with what this says of it; the files that it stands in."""
        check(node, faults)
        uri = word(node, "uri")
        path = self._path(node, uri, files, faults)
        self.count += 1
        if path is None:
            return None, files
        if path in files or (self.source.path is not None and path == self.source.path.resolve()):
            faults.add(node, f"includes {shown(uri)}, a file that it stands in")
        elif self.count > MOST_FILES:
            faults.add(node, f"includes more than {MOST_FILES} files")
        else:
            try:
                return self._changed(self._read(path, uri, faults), node, faults), (*files, path)
            except ModelError as error:
                faults.add(node, f"the included file {shown(uri)}: {error.faults[0]}")
        return None, files

    def _path(self, node: Node, uri: str, files: tuple[Path, ...], faults: Faults) -> Path | None:
        scheme = SCHEME.match(uri)
        name = uri[scheme.end() :] if scheme else uri
        if not name:
            faults.add(node, "has no <uri>")
        elif scheme and scheme[1].lower() not in LOCAL:
            faults.add(node, f"includes {shown(uri)}: nothing is fetched; put the model into the folder of the file")
        elif not self.folders:
            faults.add(node, f"includes {shown(uri)}, but text has no folder to find it in; load the model from its file")
        else:
            starts = [*([files[-1].parent] if files else []), *self.folders]
            places = [path_inside(folder, str(start / name)) for start in starts for folder in self.folders]
            inside = [path for path in places if path is not None]
            found = next((path for path in map(_file_of, inside) if os.path.isfile(path)), None)
            if not inside:
                faults.add(node, f"includes {shown(uri)}, which is outside the folder of the model; move it there")
            elif found is None:
                faults.add(node, f"includes {shown(uri)}, which is not there; give its folder with package_dirs=[...]")
            return found
        return None

    def _read(self, path: Path, uri: str, faults: Faults) -> Node:
        source = read_file(path)
        root = parse(source, file=uri)
        self.elements += sum(1 for _ in root.walk())
        if root.tag != FORMAT.root_tag:
            raise ModelError(source.name, wrong_root(root, FORMAT))
        if self.elements > MOST_ELEMENTS:
            raise ModelError(source.name, f"more than {MOST_ELEMENTS} elements with the included files")
        modernise(root, version_of(root, source), faults)
        models = root.all("model")
        if len(models) != 1:
            raise ModelError(source.name, f"{root}: has {len(models)} models, expected one")
        return models[0]

    def _changed(self, model: Node, node: Node, faults: Faults) -> Node:
        """The model with the name, pose, placement frame and static of the <include>."""
        if word(node, "name"):
            model.attributes["name"] = word(node, "name")
        if word(node, "placement_frame"):
            model.attributes["placement_frame"] = word(node, "placement_frame")
            if node.first("pose") is None:
                faults.add(node, "has a <placement_frame>, so it needs a <pose>, too")
        given = [own for own in (node.first("pose"), node.first("static")) if own is not None]
        tags = {own.tag for own in given}
        model.children = [child for child in model.children if child.tag not in tags] + given
        return model


def _file_of(path: Path) -> Path:
    """The model file of a folder, else the path itself."""
    if not os.path.isdir(path):
        return path
    try:
        config = parse(read_file(path / "model.config"))
        named = {node.get("version") or "": node.text.strip() for node in config.all("sdf")}
        last = max(named, key=lambda version: [int(part) for part in version.split(".") if part.isdigit()])
        return path_inside(path, named[last]) or path
    except (ModelError, ValueError):
        return path / "model.sdf"


def _merged(model: Node, faults: Faults) -> list[Node]:
    """The parts of a model that another one takes in, and the frame that stands for its __model__."""
    check(model, faults)
    if flag(model, "static", False, faults):
        faults.add(model, "is static, so it cannot be merged into another model; include it without merge")
    if model.first("link") is None and model.first("model") is None:
        faults.add(model, "has no <link>, so nothing of it can be merged")
    proxy = f"_merged__{model.get('name') or ''}__model__"
    stand_in = _frame(model, proxy, faults)
    parts = [child for child in model.children if child.tag in NAMED]
    for part in parts:
        _point(part, "relative_to", MODEL, proxy)
        for node in part.walk():
            for name in ("relative_to", "expressed_in"):
                if node.tag in ("pose", "xyz") and node.get(name) == MODEL and part.tag != "model":
                    node.attributes[name] = proxy
            if part.tag == "joint" and node.tag in ("parent", "child") and node.text.strip() == MODEL:
                node.text = proxy
        if part.tag == "frame" and (part.get("attached_to") or MODEL) == MODEL:
            part.attributes["attached_to"] = proxy
    return [stand_in, *parts]


def _frame(model: Node, proxy: str, faults: Faults) -> Node:
    frame = Node("frame", {"name": proxy}, model.line, model.file)
    first = next((child for tag in ("link", "model") for child in model.all(tag)), None)
    frame.attributes["attached_to"] = model.get("canonical_link") or (first.get("name") or "" if first is not None else "")
    if model.get("placement_frame"):
        placement = model.get("placement_frame") or ""
        frame.attributes[PLACEMENT] = proxy if placement == MODEL else placement
    own = only_child(model, "pose", faults)
    pose = Node("pose", {}, model.line, model.file) if own is None else own
    pose.attributes["relative_to"] = pose.get("relative_to") or MODEL
    frame.children.append(pose)
    return frame


def _point(part: Node, attribute: str, old: str, new: str) -> None:
    """Make the pose of a part relative to the frame of its old model, where it was said or meant."""
    pose = part.first("pose")
    meant = part.tag in ("link", "model") or (part.tag == "frame" and (part.get("attached_to") or old) == old)
    if pose is None and meant:
        pose = Node("pose", {}, part.line, part.file)
        part.children.append(pose)
    if pose is not None and ((pose.get(attribute) or "") == old or (meant and not pose.get(attribute))):
        pose.attributes[attribute] = new
