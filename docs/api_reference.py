"""The API reference, made from the package itself when the HTML pages are built: signatures with their defaults, docstrings,
and formulas as MathML, which browsers show without any script or network."""

import html
import inspect

import latex2mathml.converter

from locomote import public
from locomote.dynamics.function import all_functions

MARK = "<!-- reference -->"
GROUPS = {
    "Models and files": ("locomote.model", "locomote.formats", "locomote.spatial"),
    "Dynamics": ("locomote.dynamics",),
    "Problems and constraints": (
        "locomote.locomotion",
        "locomote.constraints",
        "locomote.geometry",
        "locomote.contact",
        "locomote.forces",
    ),
    "Runs": (
        "locomote.drives",
        "locomote.actuation",
        "locomote.evaluation",
        "locomote.methods",
        "locomote.runs",
        "locomote.reopen",
    ),
    "Gaits": ("locomote.gaits",),
    "Many runs": ("locomote.sweeps", "locomote.learning"),
    "Control": ("locomote.control",),
    "Symbols, gradients and speed": ("locomote.symbolic", "locomote.gradients", "locomote.compiled"),
    "Errors": ("locomote.errors",),
}
# functions of models have theirs in their declarations
FORMULAS = {name: function.formula for name, function in all_functions().items() if function.formula} | {
    "bias_force": r"b(q, v) = C(q, v)\, v + g(q)",
    "gravity_force": r"g(q) = \frac{\partial E_\mathrm{pot}}{\partial q}",
    "Sine": r"x(t) = x_0 + A \sin(\omega t + \varphi)",
}


def reference() -> str:
    """All public names, in groups, as Markdown; classes of results after them."""
    found = {name: value for name, value in public.everything().items() if callable(value)}
    parts = []
    for title, modules in GROUPS.items():
        parts.append(f"## {title}\n")
        parts += [
            entry(name, found[name]) for name in sorted(found, key=str.lower) if found[name].__module__.startswith(modules)
        ]
    parts.append("## Results\n")
    parts += [entry(name, public.find(name)) for names in public.RESULTS.values() for name in names.split()]
    return "\n".join(parts)


def entry(name: str, thing) -> str:
    """One name: signature, formula, docstring; and members of a class."""
    lines = [f"### {name}\n", shown(signature(name, thing)), formula(name), document(thing)]
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for member, value in vars(thing).items():
            if member.startswith("_") or member in getattr(thing, "__dataclass_fields__", {}):
                continue
            inner = value.fget if isinstance(value, property) else getattr(value, "func", getattr(value, "__func__", value))
            if inspect.isfunction(inner) and inspect.getdoc(inner):
                called, bound = f"{name}.{member}", not isinstance(value, staticmethod)
                words = called if isinstance(value, property) else signature(called, inner, bound)
                lines += [shown(words), document(inner)]
    return "\n".join(line for line in lines if line)


def signature(name: str, thing, bound: bool = False) -> str:
    """How it is called, with defaults; bound : without its first argument, the object whose method it is."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    given = [p.replace(annotation=p.empty) for p in found.parameters.values()][int(bound) :]
    return f"{name}{found.replace(parameters=given, return_annotation=found.empty)}"


def shown(code: str) -> str:
    """A line of code."""
    return f"```python\n{code}\n```\n"


def document(thing) -> str:
    """A docstring as it is written: its columns and line ends mean something."""
    text = inspect.getdoc(thing) or ""
    kept = html.escape(text).replace("\n\n", "\n&#8203;\n")  # a blank line would end the block
    return f'<pre style="white-space: pre-wrap">{kept}</pre>\n' if text else ""


def formula(name: str) -> str:
    """What it computes, typeset."""
    if name not in FORMULAS:
        return ""
    return f"<p>{latex2mathml.converter.convert(FORMULAS[name], display='block')}</p>\n"


def fill(app, name: str, source: list[str]) -> None:
    """Put the reference into its page (Sphinx calls this for every page that it reads)."""
    source[0] = source[0].replace(MARK, reference()) if MARK in source[0] else source[0]
