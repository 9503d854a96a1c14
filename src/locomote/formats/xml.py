"""XML into a tree that knows its line numbers, from untrusted text.

Document types and entities are refused, not expanded: no model format needs them and they are how XML reads other files
or fills the memory. Nothing but the given text is read.
"""

from collections.abc import Iterator
from typing import Any, overload
from xml.parsers import expat

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.source import Source

DEEPEST = 2_000
MOST_ELEMENTS = 1_000_000


class Node:
    """An element: its tag, attributes, children, text (not that of its children), and the place where it stands."""

    __slots__ = ("tag", "attributes", "children", "line", "file", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, file: str = ""):
        self.tag, self.attributes, self.line, self.file = tag, attributes, line, file
        self.children: list[Node] = []
        self.text = ""

    def __str__(self) -> str:
        name = self.attributes.get("name")
        label = f"<{self.tag[:60]}>" if name is None else f"<{self.tag[:60]} name={shown(name)}>"
        return f"{self.file + ' ' if self.file else ''}line {self.line}, {label}"

    @overload
    def get(self, attribute: str, default: str) -> str: ...

    @overload
    def get(self, attribute: str, default: None = None) -> str | None: ...

    def get(self, attribute: str, default: str | None = None) -> str | None:
        return self.attributes.get(attribute, default)

    def all(self, tag: str) -> list["Node"]:
        """The direct children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> "Node | None":
        """The first direct child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator["Node"]:
        """This element and all below it, in file order."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def only_child(node: Node, tag: str, faults: Faults) -> Node | None:
    """The child with this tag; a second one is a fault."""
    found = node.all(tag)
    if len(found) > 1:
        faults.add(node, f"has {len(found)} <{tag}> elements, expected one (the second is in line {found[1].line})")
    return found[0] if found else None


class _Refused(Exception):
    """A fault found inside a callback of the parser."""


def parse(source: Source, *, file: str = "") -> Node:
    """The root element of a source. `file` is put before line numbers; it is for files that another file includes."""
    tree = _Tree(file)
    try:
        content, encoding = source.content, None
        if isinstance(content, str):
            # the text is decoded already, so what its header says of an encoding no longer holds
            content, encoding = content.encode("utf-8"), "utf-8"
        tree.use(expat.ParserCreate(encoding)).Parse(without_comments(content), True)
    except _Refused as fault:
        raise ModelError(source.name, f"line {tree.parser.CurrentLineNumber}: {fault}") from None
    except expat.ExpatError as error:
        raise ModelError(source.name, _broken(source, error)) from None
    except (LookupError, ValueError, TypeError) as error:  # unknown or unusable encoding, surrogates in the text
        raise ModelError(source.name, f"its text cannot be decoded ({str(error)[:200]}); save it as UTF-8") from None
    assert tree.root is not None  # text without an element is not well-formed
    return tree.root


def without_comments(content: bytes) -> bytes:
    """The text without its comments, in which common writers leave what XML forbids there ("--"); lines keep their numbers."""
    if b"--" not in content or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content
    kept, place = [], 0
    while (start := content.find(b"<!--", place)) >= 0:
        end = content.find(b"-->", start + 4)
        if end < 0:
            break
        if content.find(b"<![CDATA[", place, start) >= 0:
            return content  # what looks like a comment may be text
        kept += [content[place:start], b"\n" * content.count(b"\n", start, end)]
        place = end + 3
    return b"".join([*kept, content[place:]])


class _Tree:
    """Builds Nodes while the parser calls back."""

    def __init__(self, file: str):
        self.file = file
        self.root: Node | None = None
        self.open: list[Node] = []
        self.texts: list[list[str]] = []  # pieces of text in each open element
        self.count = 0
        self.parser: Any = None

    def use(self, parser):
        self.parser = parser
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self.refuse_doctype
        parser.EntityDeclHandler = self.refuse_doctype
        parser.ExternalEntityRefHandler = self.refuse_doctype
        return parser

    def start(self, tag, attributes) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise _Refused(f"more than {MOST_ELEMENTS} elements: this is not a model file")
        if len(self.open) >= DEEPEST:
            raise _Refused(f"elements are nested more than {DEEPEST} deep: this is not a model file")
        node = Node(tag, attributes, self.parser.CurrentLineNumber, self.file)
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)
        self.texts.append([])

    def end(self, tag) -> None:
        self.open.pop().text = "".join(self.texts.pop())

    def characters(self, text) -> None:
        if not text.isspace():
            self.texts[-1].append(text)

    def refuse_doctype(self, *_):
        raise _Refused("it declares a document type or entities (<!DOCTYPE, <!ENTITY), which are refused; remove them")


def _broken(source: Source, error: expat.ExpatError) -> str:
    start = source.content[:200].lstrip()
    text = ("<", "\ufeff<"), (b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
    if not (start.startswith(text[0]) if isinstance(start, str) else start.startswith(text[1])):
        return f"this is not XML: it starts with {shown(start[:20] if isinstance(start, str) else repr(start[:20]))}"
    return f"line {error.lineno}: not well-formed XML ({expat.errors.messages.get(error.code, str(error))})"
