"""A tree of elements as XML text that reads back the same, whatever its names hold."""

import re

from locomote.formats.xml import Node

DEEPEST_INDENT = 40
UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML does not have
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


def element(tag: str, *children: Node, **attributes: str | None) -> Node:
    """An element to be written; an attribute that is None is left out."""
    node = Node(tag, {name: value for name, value in attributes.items() if value is not None}, 0)
    node.children.extend(children)
    return node


def leaf(tag: str, text: str, **attributes: str | None) -> Node:
    """An element to be written that holds text."""
    node = element(tag, **attributes)
    node.text = text
    return node


def to_text(root: Node, comment: str = "") -> str:
    """The text of a tree, one element a line. `comment` goes before it and must not hold two hyphens in a row."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *([f"<!-- {comment} -->"] if comment else [])]
    waiting: list[tuple[Node, int] | str] = [(root, 0)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        node, depth = item
        indent = "  " * min(depth, DEEPEST_INDENT)
        start = "".join([indent, "<", node.tag, *(f' {name}="{v.translate(ESCAPES)}"' for name, v in node.attributes.items())])
        if not node.children:
            lines.append(f"{start}>{node.text.translate(ESCAPES)}</{node.tag}>" if node.text else f"{start}/>")
            continue
        lines.append(f"{start}>")
        waiting.append(f"{indent}</{node.tag}>")
        waiting.extend((child, depth + 1) for child in reversed(node.children))
    return "\n".join([*lines, ""])
