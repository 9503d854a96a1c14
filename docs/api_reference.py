"""The API reference, made from the package itself when the HTML pages are built: one page a group, every name in
Sphinx's Python domain, with the types of its arguments, links between names, and its formula."""

import inspect
import re

from docstring_rst import blocks, inset, linked

from locomote import public
from locomote.dynamics.function import all_functions

MARK = re.compile(r"<!-- reference: ([\w-]+) -->")
# page -> title, and the modules or prefixes of names that it has; the first page that fits
GROUPS = {
    "rods": ("Rods and modal bodies", "rods.", ("locomote.model.flexible", "locomote.actuation")),
    "water": ("Water and air", "water.", ("locomote.forces.water", "locomote.forces.flows")),
    "control": ("Control", "control.", ("locomote.control",)),
    "gaits": ("Gaits and connections", "gaits.", ("locomote.gaits",)),
    "many-runs": ("Many runs", "", ("locomote.sweeps", "locomote.learning")),
    "errors": ("Errors", "", ("locomote.errors",)),
    "models": ("Models and files", "", ("locomote.model", "locomote.formats", "locomote.spatial")),
    "dynamics": ("Dynamics", "", ("locomote.dynamics",)),
    "problems": (
        "Problems, constraints and forces",
        "",
        ("locomote.locomotion", "locomote.constraints", "locomote.geometry", "locomote.contact", "locomote.forces"),
    ),
    "runs": (
        "Drives and runs",
        "",
        ("locomote.drives", "locomote.evaluation", "locomote.methods", "locomote.runs", "locomote.reopen"),
    ),
    "symbols": (
        "Symbols, gradients and speed",
        "",
        ("locomote.symbolic", "locomote.gradients", "locomote.compiled", "locomote.identification", "locomote.bridges"),
    ),  # fmt: skip
    "results": ("Results", "", ()),
}
# functions of models have theirs in their declarations
FORMULAS = {name: function.formula for name, function in all_functions().items() if function.formula} | {
    "bias_force": r"b(q, v) = C(q, v)\, v + g(q)",
    "gravity_force": r"g(q) = \frac{\partial E_\mathrm{pot}}{\partial q}",
    "Sine": r"x(t) = x_0 + A \sin(\omega t + \varphi)",
}


def results() -> dict[str, object]:
    """Classes that functions return and nobody makes."""
    return {name: public.find(name) for names in public.RESULTS.values() for name in names.split()}


def names() -> dict[str, object]:
    """Every public name that is a function or a class."""
    return {name: value for name, value in public.everything().items() if callable(value)}


def page_of(name: str, thing) -> str:
    """The page that a name stands on."""
    for page, (_, prefix, modules) in GROUPS.items():
        if prefix and name.startswith(prefix) or thing.__module__.startswith(modules or ("-",)):
            return page
    return "problems"


def on_page(page: str) -> dict[str, object]:
    """The names of a page in the order of the alphabet."""
    if page == "results":
        return results()
    found = names()
    return {name: found[name] for name in sorted(found, key=str.lower) if page_of(name, found[name]) == page}


def targets() -> dict[str, str]:
    """What a text may call a name by -> its full name: with its group, and without if no other one is called so."""
    full = {name: f"locomote.{name}" for name in (*names(), *results())}
    return {name.rpartition(".")[2]: target for name, target in full.items()} | full


TARGETS = targets()


def reference(page: str) -> str:
    """All names of a page, as a block of MyST."""
    entries = "\n".join(entry(name, thing) for name, thing in on_page(page).items())
    return f"```{{eval-rst}}\n.. py:currentmodule:: locomote\n\n{entries}\n```\n"


def entry(name: str, thing) -> str:
    """One name: signature, formula, docstring; and members of a class."""
    kind = "class" if inspect.isclass(thing) else "function"
    kind = "exception" if kind == "class" and issubclass(thing, Exception) else kind
    parts = [formula(name), *blocks(inspect.getdoc(thing) or "", TARGETS)]
    if kind == "class":
        parts += [member(thing, key, value) for key, value in vars(thing).items() if is_documented(thing, key, value)]
    return f".. py:{kind}:: {name}{signature(thing)}\n\n" + inset("\n".join(part for part in parts if part)) + "\n"


def plain(value):
    """The function of a property, of a cached one, of a class or static method."""
    return value.fget if isinstance(value, property) else getattr(value, "func", getattr(value, "__func__", value))


def is_documented(thing, key: str, value) -> bool:
    """Whether a member is for users."""
    hidden = key.startswith("_") or key in getattr(thing, "__dataclass_fields__", {})
    return not hidden and inspect.isfunction(plain(value)) and bool(inspect.getdoc(plain(value)))


def member(thing, key: str, value) -> str:
    """A method or property of a class."""
    text = "\n".join(blocks(inspect.getdoc(plain(value)) or "", TARGETS))
    if isinstance(value, property) or hasattr(value, "attrname"):
        returned = short(inspect.signature(plain(value)).return_annotation)
        return f".. py:property:: {key}\n" + (f"   :type: {returned}\n" if returned else "") + "\n" + inset(text)
    option = {staticmethod: "   :staticmethod:\n", classmethod: "   :classmethod:\n"}.get(type(value), "")
    return f".. py:method:: {key}{signature(plain(value), not isinstance(value, staticmethod))}\n{option}\n" + inset(text)


def signature(thing, bound: bool = False) -> str:
    """How it is called, with types and defaults; bound : without its first argument, the object whose method it is."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    given = [
        p.replace(annotation=Words(p.annotation), default=p.default if p.default is p.empty else Words(p.default))
        for p in list(found.parameters.values())[int(bound) :]
    ]
    given = [p if short(p.annotation.what) else p.replace(annotation=p.empty) for p in given]
    returned = "" if inspect.isclass(thing) else short(found.return_annotation)
    return f"{found.replace(parameters=given, return_annotation=found.empty)}" + (f" -> {returned}" if returned else "")


class Words:
    """A type or default that is written in the short form."""

    def __init__(self, what):
        self.what = what

    def __repr__(self):
        return short(self.what) if not isinstance(self.what, str) or self.what.isidentifier() is False else repr(self.what)


def short(what) -> str:
    """A type or a value as users write it: without modules, public ones by their full names."""
    if what is inspect.Parameter.empty or what is inspect.Signature.empty:
        return ""
    text = inspect.formatannotation(what) if not isinstance(what, str) else what
    text = re.sub(r"<[^<>]*>", "...", text)  # a default that has no notation
    text = re.sub(r"\b(?:[A-Za-z_]\w*\.)+([A-Za-z_]\w*)", r"\1", text)
    return re.sub(r"\b[A-Z]\w+\b", lambda m: TARGETS.get(m[0], m[0]), text)


def formula(name: str) -> str:
    """What it computes, typeset."""
    return f".. math:: {FORMULAS[name]}\n" if name in FORMULAS else ""


def contents() -> str:
    """A table of all names by page, for the first page of the reference."""
    rows = []
    for page, (title, *_) in GROUPS.items():
        words = " ".join(linked(f"`{name}`", TARGETS) for name in on_page(page))
        rows.append(f"{title}\n{inset(words)}\n")
    return "```{eval-rst}\n" + "\n".join(rows) + "\n```\n"


def fill(app, name: str, source: list[str]) -> None:
    """Put the reference into its pages (Sphinx calls this for every page that it reads)."""
    source[0] = MARK.sub(lambda found: contents() if found[1] == "contents" else reference(found[1]), source[0])
