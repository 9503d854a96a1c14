"""Which model of an SDF file is meant, and where it stands in its world."""

from pathlib import Path

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.sdf.elements import flag
from locomote.formats.sdf.frames import MODEL, WORLD, Frame, Frames
from locomote.formats.sdf.include import Includes
from locomote.formats.sdf.pose import read_pose, relative_to
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node

Choice = tuple[Node, Node | None, tuple[Path, ...]]


def all_models(root: Node, includes: Includes, faults: Faults) -> tuple[list[Choice], list[str]]:
    """The models of a file, each with the world that it stands in and the file that it is included from; and why others,
    which are included, could not be read."""
    found: list[Choice] = [(node, None, ()) for node in root.all("model")]
    worlds, missing = root.all("world"), []
    if len(worlds) > 1:
        raise ModelError(faults.source, f"{worlds[1]}: the file has {len(worlds)} worlds; keep one")
    for world in worlds:
        for child in world.children:
            if child.tag == "model":
                found.append((child, world, ()))
            elif child.tag == "include":
                own = Faults(faults.source)
                node, files = includes.model_of(child, (), own)
                missing.extend(own.faults)
                found.extend([] if node is None else [(node, world, files)])
    return found, missing


def chosen_model(root: Node, wanted: str | None, includes: Includes, faults: Faults) -> Choice:
    """The model of a file, the world that it stands in, and the file that it is included from."""
    found, missing = all_models(root, includes, faults)
    if wanted is not None:
        found = [choice for choice in found if choice[0].get("name") == wanted] or _refuse(found, wanted, missing, faults)
    if not found:
        reasons = "".join(f"; {sentence}" for sentence in missing[:3])
        raise ModelError(faults.source, f"{root}: the file has no <model>{reasons}")
    if len(found) > 1:
        names = _listed(found, faults)
        raise ModelError(faults.source, f"{root}: the file has {len(found)} models: {names}; choose one with model='...'")
    for sentence in missing:
        faults.warn(None, f"not read: {sentence}")
    return found[0]


def enter_world(world: Node, chosen: Node, frames: Frames, unsupported: Unsupported, faults: Faults) -> None:
    """Enter the frames of a world and the places of its other models, which the chosen one may be relative to."""
    for node in world.children:
        name = node.get("name")
        if node.tag == "joint":
            unsupported.refuse(node, "a joint of the world", "put it into the model, with the parent 'world'")
        if node.tag not in ("frame", "model") or not name or node is chosen or node.get("placement_frame"):
            continue
        own = Faults(faults.source)
        held = node.get("attached_to") or WORLD
        frame = Frame(node, "", relative_to(node) or held, read_pose(node, own), "", held)
        frames.all.setdefault(name if node.tag == "frame" else f"{name}::{MODEL}", frame)
        faults.faults.extend(own.faults if node.tag == "frame" else [])


def _refuse(found: list[Choice], wanted: str, missing: list[str], faults: Faults) -> list[Choice]:
    there = _listed(found, faults) or "none"
    reasons = "".join(f"; {sentence}" for sentence in missing[:3])
    raise ModelError(faults.source, f"there is no model {shown(wanted)}; the file has {there}{reasons}")


def _listed(found: list[Choice], faults: Faults) -> str:
    names = [f"{shown(node.get('name') or '')}{' (static)' * flag(node, 'static', False, faults)}" for node, _, _ in found]
    return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
