"""xacro, the macro language of URDF, expanded: properties, arguments, macros, blocks, conditions, includes, arithmetic.

Elements keep the file and line where they were written. No code is run (`expressions`), no file outside the folder of the
model, one beside it and its packages is opened, and what is made is bounded, however macros call each other.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from locomote.errors import ModelError
from locomote.formats.faults import shown
from locomote.formats.source import Source, path_beside, path_inside, read_file
from locomote.formats.urdf.expressions import CONSTANTS, BadExpression, Value, value_of
from locomote.formats.xml import Node, parse

PREFIX = "xacro:"
MOST_MADE = 50_000  # elements
MOST_VALUES = 200_000  # attributes, expressions and calls of macros
DEEPEST = 100  # macros within macros, properties of properties
MOST_FILES = 200
LONGEST = 100_000  # letters of an attribute
_PART = re.compile(r"\$\$(?=[{(])|\$\{([^}]*)\}|\$\(([^)]*)\)")
_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
SUFFIXES = (".xacro", ".urdf", ".xml")


def is_xacro(root: Node) -> bool:
    """Whether a robot is written in xacro."""
    mechanical = [child for child in root.children if child.tag in ("link", "joint")]
    for node in [root, *root.children, *(part for child in mechanical for part in child.walk())]:
        if node.tag.startswith(PREFIX) or any("${" in value or "$(" in value for value in node.attributes.values()):
            return True
    return False


def expanded(root: Node, source: Source, *, arguments: Mapping[str, Any] | None = None, package_dirs: Iterable = ()) -> Node:
    """The robot that a xacro file makes; arguments : values of its <xacro:arg> elements."""
    return _Expansion(source, dict(arguments or {}), [Path(folder) for folder in package_dirs]).whole(root)


class _Scope:
    """Properties, blocks and macros by name, within those of another scope."""

    def __init__(self, around: "_Scope | None" = None):
        self.around = around
        self.properties: dict[str, Any] = {}
        self.blocks: dict[str, list[Node]] = {}
        self.macros: dict[str, Node] = {}

    def find(self, kind: str, name: str) -> Any:
        scope: _Scope | None = self
        while scope is not None:
            if name in (known := getattr(scope, kind)):
                return known[name], scope
            scope = scope.around
        return None, None

    @property
    def outermost(self) -> "_Scope":
        scope = self
        while scope.around is not None:
            scope = scope.around
        return scope


class _Expansion:
    """One file that is expanded."""

    def __init__(self, source: Source, arguments: dict[str, Any], package_dirs: list[Path]):
        self.source, self.package_dirs = source, package_dirs
        self.arguments = {name: str(value) for name, value in arguments.items()}
        self.made = self.values = self.depth = self.files = 0

    def fail(self, node: Node, sentence: str):
        raise ModelError(self.source.name, f"{node}: {sentence}")

    def whole(self, root: Node) -> Node:
        scope = _Scope()
        made = Node(root.tag, {}, root.line, root.file)
        made.children = self.contents(root.children, scope, root)
        kept = {name: value for name, value in root.attributes.items() if not name.startswith("xmlns")}
        made.attributes = {name: self.text(value, scope, root) for name, value in kept.items()}
        return made

    def contents(self, nodes: list[Node], scope: _Scope, owner: Node) -> list[Node]:
        """What elements are expanded to."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(owner, f"macros and elements are nested more than {DEEPEST} deep")
        made: list[Node] = []
        for node in nodes:
            if node.tag.startswith(PREFIX):
                made += self.special(node, node.tag[len(PREFIX) :], scope)
            else:
                made.append(self.plain(node, scope))
        self.depth -= 1
        return made

    def plain(self, node: Node, scope: _Scope) -> Node:
        self.made += 1
        if self.made > MOST_MADE:
            self.fail(node, f"its macros make more than {MOST_MADE} elements: this is not a model file")
        made = Node(node.tag, {}, node.line, node.file)
        made.attributes = {name: self.text(value, scope, node) for name, value in node.attributes.items()}
        made.text = self.text(node.text, scope, node) if node.text else ""
        made.children = self.contents(node.children, scope, node)
        return made

    def special(self, node: Node, word: str, scope: _Scope) -> list[Node]:
        """What an element of xacro itself makes."""
        self.count(node)
        known = {
            "property": self.define, "arg": self.argument, "macro": self.keep_macro, "if": self.choose, "unless": self.choose,
            "include": self.include, "insert_block": self.insert, "call": self.call_named,
        }  # fmt: skip
        if word in known:
            return known[word](node, scope) or []
        macro, home = scope.find("macros", word)
        if macro is None:
            reason = "is not supported" if word in ("element", "attribute") else "is no macro of the file"
            self.fail(node, f"<{node.tag[:60]}> {reason}")
        return self.call(node, word, macro, home, scope)

    def define(self, node: Node, scope: _Scope) -> None:
        name = self.needed(node, "name", scope)
        where = node.get("scope")
        into = scope.outermost if where == "global" else (scope.around or scope) if where == "parent" else scope
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            self.fail(node, f"{shown(name)} is no name for a property")
        if node.get("value") is not None:
            self.count(node)
            text = node.get("value") or ""
            lazy = into is scope and "$" in text
            into.properties[name] = _Later(text, node, scope) if lazy else self.typed(text, scope, node)
        elif node.get("default") is not None:
            if scope.find("properties", name)[1] is None:
                into.properties[name] = self.typed(node.get("default") or "", scope, node)
        else:
            into.blocks[name] = self.contents(node.children, scope, node)

    def argument(self, node: Node, scope: _Scope) -> None:
        name = self.needed(node, "name", scope)
        if name not in self.arguments:
            if node.get("default") is None:
                self.fail(node, f"argument {shown(name)} has no default; give it, arguments={{{name[:40]!r}: ...}}")
            self.arguments[name] = self.text(node.get("default") or "", scope, node)

    def keep_macro(self, node: Node, scope: _Scope) -> None:
        name = self.needed(node, "name", scope)
        scope.macros[name.removeprefix(PREFIX)] = node

    def choose(self, node: Node, scope: _Scope) -> list[Node]:
        value = self.typed(self.needed(node, "value", scope, raw=True), scope, node)
        if isinstance(value, str):
            if value.strip().lower() not in ("true", "false"):
                self.fail(node, f"its value is {shown(value)}, expected true, false or a number")
            value = value.strip().lower() == "true"
        return self.contents(node.children, scope, node) if bool(value) is (node.tag == PREFIX + "if") else []

    def insert(self, node: Node, scope: _Scope) -> list[Node]:
        name = self.needed(node, "name", scope)
        block, home = scope.find("blocks", name)
        if home is None:
            self.fail(node, f"there is no block {shown(name)}")
        self.made += sum(1 for part in block for _ in part.walk())
        if self.made > MOST_MADE:
            self.fail(node, f"its macros make more than {MOST_MADE} elements: this is not a model file")
        return [_copied(part) for part in block]

    def call_named(self, node: Node, scope: _Scope) -> list[Node]:
        word = self.needed(node, "macro", scope)
        macro, home = scope.find("macros", word)
        if macro is None:
            self.fail(node, f"there is no macro {shown(word)}")
        return self.call(node, word, macro, home, scope)

    def call(self, node: Node, word: str, macro: Node, home: _Scope, scope: _Scope) -> list[Node]:
        """What a macro makes."""
        inner = _Scope(home)
        given = {
            name: value for name, value in node.attributes.items() if not (node.tag == PREFIX + "call" and name == "macro")
        }
        children = self.contents(node.children, scope, node) if node.children else []
        for name, default in _parameters(macro):
            if name.startswith("*"):
                block = name.lstrip("*")
                own = next((child for child in children if child.tag == block), children[0] if children else None)
                if own is None:
                    self.fail(node, f"macro {shown(word)} needs a block {shown(block)}")
                children = [child for child in children if child is not own]
                inner.blocks[block] = own.children if name.startswith("**") else [own]
            elif name in given:
                inner.properties[name] = self.typed(given.pop(name), scope, node)
            elif default is None:
                self.fail(node, f"macro {shown(word)} needs {shown(name)}")
            elif default.startswith("^"):
                value, found = scope.find("properties", name)
                if found is None and not default.startswith("^|"):
                    self.fail(node, f"macro {shown(word)} takes {shown(name)} from around it, where it is not")
                inner.properties[name] = value if found is not None else self.typed(default[2:], scope, node)
            else:
                inner.properties[name] = self.typed(default, home, node)
        if given:
            self.fail(node, f"macro {shown(word)} has no parameter {shown(next(iter(given)))}")
        return self.contents(macro.children, inner, node)

    def include(self, node: Node, scope: _Scope) -> list[Node]:
        name = self.needed(node, "filename", scope)
        if node.get("ns") is not None:
            self.fail(node, "an include with a namespace (ns) is not supported")
        self.files += 1
        if self.files > MOST_FILES:
            self.fail(node, f"includes more than {MOST_FILES} files")
        path = self.found(node, name)
        try:
            inner = parse(read_file(path), file=os.path.relpath(path, self.home or path.parent))
        except ModelError as error:
            if node.get("optional") == "true" and not path.is_file():
                return []
            self.fail(node, f"the included file {shown(name)}: {error.faults[0]}")
        return self.contents(inner.children, scope, node)

    @property
    def home(self) -> Path | None:
        return None if self.source.folder is None else self.source.folder.resolve()

    def found(self, node: Node, name: str) -> Path:
        """The path of an included file, if it may be read."""
        if self.home is None:
            self.fail(node, f"includes {shown(name)}, but text has no folder to find it in; load the model from its file")
        assert self.home is not None
        given = Path(name)
        allowed = [*self.package_dirs, *self.packages.values()]
        if given.is_absolute():
            for folder in allowed:
                if (path := path_inside(folder, str(given))) is not None and path.suffix.lower() in SUFFIXES:
                    return path
        start = (self.home / node.file).parent if node.file else None
        near = path_beside(self.home, name, SUFFIXES, start=start, others=allowed) if start is not None else None
        path = near if near is not None and near.is_file() else path_beside(self.home, name, SUFFIXES, others=allowed)
        if path is None:
            self.fail(
                node, f"includes {shown(name)}, which is outside the folder of the model; move it there, or name its folder in"
                " package_dirs",
            )  # fmt: skip
        return path  # type: ignore[return-value]

    packages: dict[str, Path] = {}

    def package(self, name: str) -> Path:
        """The folder of a package: one of package_dirs, or above the file, with a package.xml."""
        if not _PACKAGE.fullmatch(name):
            raise BadExpression(f"a package {shown(name)}")
        above = [] if self.home is None else [self.home, *self.home.parents]
        places = [folder / name for folder in self.package_dirs] + [f for f in self.package_dirs if f.name == name]
        places += [f for f in above if f.name == name and (f / "package.xml").is_file()]
        places += [f / name for f in above if (f / name / "package.xml").is_file()]
        for place in places:
            if place.is_dir():
                self.packages = {**self.packages, name: place.resolve()}
                return place.resolve()
        raise BadExpression(f"package {shown(name)}, which was not found; give the folder that holds it with package_dirs")

    def needed(self, node: Node, attribute: str, scope: _Scope, raw: bool = False) -> str:
        value = node.get(attribute)
        if value is None:
            self.fail(node, f"attribute {attribute!r} is missing")
        return value if raw else self.text(value or "", scope, node)  # type: ignore[return-value]

    def count(self, node: Node) -> None:
        self.values += 1
        if self.values > MOST_VALUES:
            self.fail(node, f"more than {MOST_VALUES} values: this is not a model file")

    def typed(self, text: str, scope: _Scope, node: Node) -> Value:
        """The value of an attribute: a number where it is one."""
        whole = _PART.fullmatch(text.strip())
        if whole is not None and whole[1] is not None:
            return self.expression(whole[1], scope, node)
        return _plain_value(self.text(text, scope, node))

    def text(self, text: str, scope: _Scope, node: Node) -> str:
        """An attribute with its expressions and arguments put in."""
        self.count(node)
        if "$" not in text:
            return text
        pieces, place = [], 0
        for part in _PART.finditer(text):
            pieces.append(text[place : part.start()])
            place = part.end()
            if part[1] is not None:
                pieces.append(_words(self.expression(part[1], scope, node)))
            elif part[2] is not None:
                pieces.append(self.substitution(part[2], scope, node))
            else:
                pieces.append("$")
        result = "".join([*pieces, text[place:]])
        if len(result) > LONGEST:
            self.fail(node, f"an attribute of more than {LONGEST} letters")
        return result

    def substitution(self, text: str, scope: _Scope, node: Node) -> str:
        word, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        if word == "arg":
            if rest not in self.arguments:
                self.fail(node, f"there is no argument {shown(rest)}; known are {', '.join(self.arguments) or 'none'}")
            return self.arguments[rest]
        if word == "find":
            try:
                return str(self.package(rest))
            except BadExpression as error:
                self.fail(node, f"names {error}")
        return self.fail(node, f"$({word[:40]} ...) is not supported; $(arg ...) and $(find ...) are")  # type: ignore[return-value]

    def expression(self, text: str, scope: _Scope, node: Node) -> Value:
        self.count(node)
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(node, "its properties depend on each other in a circle, or too deep")
        try:
            return value_of(text, lambda name: self.property(name, scope, node))
        except BadExpression as error:
            return self.fail(node, f"in ${{{text[:80]}}}: {error}")  # type: ignore[return-value]
        finally:
            self.depth -= 1

    def property(self, name: str, scope: _Scope, node: Node) -> Value:
        value, home = scope.find("properties", name)
        if home is None:
            if name in CONSTANTS:
                return CONSTANTS[name]
            raise BadExpression(f"property {shown(name)} is not defined")
        if isinstance(value, _Later):
            home.properties[name] = value = self.typed(value.text, value.scope, value.node)
        return value


class _Later:
    """A property whose value is found when it is asked for."""

    def __init__(self, text: str, node: Node, scope: _Scope):
        self.text, self.node, self.scope = text, node, scope


def _parameters(macro: Node) -> list[tuple[str, str | None]]:
    """Names and defaults of the parameters of a macro: "a b:=2 c:='x y' *block"."""
    text = (macro.get("params") or "")[:LONGEST]
    found = re.findall(r"([^\s:=]+)(?::?=((?:'[^']*')|(?:\"[^\"]*\")|(?:\$\{[^}]*\})|\S+))?", text)
    return [(name, (default[1:-1] if default[:1] in "'\"" else default) if default else None) for name, default in found]


def _plain_value(text: str) -> Value:
    word = text.strip()
    if word in ("true", "True", "false", "False"):
        return word.lower() == "true"
    if len(word) < 60 and _NUMBER.fullmatch(word):
        return int(word) if re.fullmatch(r"[+-]?\d{1,15}", word) else float(word)
    return text


def _words(value: Value) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _copied(node: Node) -> Node:
    made = Node(node.tag, dict(node.attributes), node.line, node.file)
    made.text = node.text
    made.children = [_copied(child) for child in node.children]
    return made
