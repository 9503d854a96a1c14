"""Versions of SDF: which are read, and what older ones say in other words.

Until 1.6 a pose had no relative_to, and an axis could be along axes of the model: all of them were in 1.4, those with
<use_parent_model_frame> in 1.5 and 1.6. That is expressed_in="__model__" since 1.7.
"""

import re

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.sdf.elements import flag
from locomote.formats.sdf.frames import MODEL
from locomote.formats.source import Source
from locomote.formats.xml import Node

FIRST, FRAMES, LAST = (1, 4), (1, 7), (1, 12)


def version_of(root: Node, source: Source) -> tuple[int, int]:
    """The version that a file says it has, if it is one that is read."""
    text = (root.get("version") or "").strip()
    found = re.fullmatch(r"([0-9]{1,4})\.([0-9]{1,4})", text)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if not FIRST <= version <= LAST:
        known = "versions {}.{} to {}.{} are read".format(*FIRST, *LAST)
        raise ModelError(source.name, f"{root}: its version is {shown(text)}; {known}, say it as in <sdf version='1.9'>")
    return version


def modernise(root: Node, version: tuple[int, int], faults: Faults) -> None:
    """Say what an older file says in the words of newer ones."""
    if version >= FRAMES:
        return
    for node in root.walk():
        if node.tag == "pose" and (node.attributes.pop("frame", None) or node.get("relative_to")):
            advice = "give the pose in its parent, or convert the file with `gz sdf -p`"
            faults.add(node, f"poses in other frames have no clear meaning before version 1.7; {advice}")
        if node.tag in ("axis", "axis2"):
            if flag(node, "use_parent_model_frame", version == FIRST, faults):
                for xyz in node.all("xyz"):
                    xyz.attributes["expressed_in"] = MODEL
            node.children = [child for child in node.children if child.tag != "use_parent_model_frame"]
