"""`locomote info`: what a model is made of, as data and as text."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from locomote.cli.screen import console, short
from locomote.contact.pairs import collision_pairs
from locomote.formats import registry
from locomote.formats.scenes import read_scene
from locomote.model.description import Collision, Joint
from locomote.model.joints import WORDS
from locomote.model.joints.axes import AXES
from locomote.model.model import Model
from locomote.model.scene import Motor

MOST_ROWS, DEEPEST, MOST_NAMES = 120, 30, 12


def gathered(model: Model) -> dict[str, Any]:
    """All that is shown, ready for JSON: numbers that are not finite are null."""
    limits = {"q": (model.lower, model.upper), "v": (-model.velocity_limit, model.velocity_limit)}
    slots = []
    for slot in model.layout():
        lower, upper = limits[slot.vector]
        entry = {"slot": f"{slot.vector}[{slot.index}]", "joint": slot.joint, "kind": slot.kind, "coordinate": slot.name}
        entry |= {"unit": slot.unit, "lower": number(lower[slot.index]), "upper": number(upper[slot.index])}
        if slot.vector == "v":
            entry["effort"] = number(model.effort_limit[slot.index])
        slots.append(entry)
    return {
        "name": model.name,
        "source": model.description.source,
        "nq": model.nq,
        "nv": model.nv,
        "mass": model.mass,
        "gravity": [float(x) for x in model.gravity],
        "bodies": [body_entry(model, name) for name in model.body_names],
        "joints": [joint_entry(model, name) for name in model.joint_names],
        "layout": slots,
        "collisions": [collision_entry(shape) for shape in model.collisions],
        "pairs": pairs_entry(model),
        "keyframes": list(model.keyframes),
        "couplings": list(model.layout().notes),
        "warnings": list(model.warnings),
    }


def body_entry(model: Model, name: str) -> dict[str, Any]:
    """A body as plain data."""
    view = model.body(name)
    com = [0.0] * 3 if view.body.inertia is None else [float(x) for x in view.body.inertia.com]
    return {"name": name, "parent": view.parent, "mass": view.mass, "com": com, "joints": list(view.joints)}


def collision_entry(shape: Collision) -> dict[str, Any]:
    """A collision shape as plain data."""
    return {
        "body": shape.body,
        "shape": shape.shape,
        "size": [float(x) for x in shape.size],
        "name": shape.name,
        "file": shape.file,
    }


def pairs_entry(model: Model) -> dict[str, int]:
    """How many pairs of collision shapes may touch, and how many are off, by the reason."""
    if len(model.collisions) < 2:
        return {}
    found = collision_pairs(model)
    return {"may touch": len(found.pairs)} | dict(Counter(f"kept apart by {reason}" for _, _, reason in found.off))


def actuators_of(target: str) -> list[dict[str, Any]]:
    """Motors and thrusters of a scene file, in the order of the file; empty of others."""
    form = registry.of_suffix(Path(target).suffix.lower())
    if form is None or form.word != "mjcf":
        return []
    scene = read_scene(target, unsupported="warn")
    made = [own for own in (*scene.motors, *scene.thrusters) if own.place >= 0]
    return [
        {
            "name": own.name,
            "acts on": acted_on(own) if isinstance(own, Motor) else [own.body],
            "lower": number(own.control_range[0]),
            "upper": number(own.control_range[1]),
        }
        for own in sorted(made, key=lambda own: own.place)
    ]


def acted_on(motor: Motor) -> list[str]:
    """Joints, tendon or bodies that a motor acts on."""
    if motor.site is not None:
        return [name for name in (motor.site.body, motor.site.other) if name]
    return list(motor.joints) or [name for name in (motor.tendon, motor.pad) if name]


def actuator_words(actuators: list[dict[str, Any]]) -> str:
    """Names of motors, and what they act on where it is called otherwise."""
    shown = [
        own["name"] + ("" if own["acts on"] == [own["name"]] else f" ({', '.join(own['acts on'])})")
        for own in actuators[:MOST_NAMES]
    ]
    return f"{len(actuators)} actuators: {', '.join(shown)}" + (" ..." if len(actuators) > MOST_NAMES else "")


def joint_entry(model: Model, name: str) -> dict[str, Any]:
    """A joint as plain data."""
    view = model.joint(name)
    joint = view.joint
    passive = {label: per_coordinate(getattr(joint, label)) for label in ("stiffness", "damping", "friction", "armature")}
    return {
        "name": name,
        "kind": view.kind,
        "body": view.body,
        "axis": axis_of(joint),
        "q": [view.q.start, view.q.stop],
        "v": [view.v.start, view.v.stop],
        "coupled": view.coupled,
        **passive,
    }


def number(value: Any) -> float | None:
    """A finite number, or None."""
    return float(value) if math.isfinite(value) else None


def per_coordinate(value: Any) -> float | list[float]:
    """A number, or a list of numbers."""
    return np.asarray(value, dtype=float).tolist()


def axis_of(joint: Joint) -> str:
    """The axes of a joint in few letters; empty where the kind says them."""
    axes = WORDS[joint.kind].axes if joint.kind in WORDS else ()  # coordinates of a rod have none
    return ", ".join(axis_words(getattr(joint, label)) for label in axes)


def axis_words(axis: Any) -> str:
    """x, y, z, -x, ... or three numbers."""
    if isinstance(axis, str):
        return axis
    values = tuple(float(x) for x in axis)
    for letter, unit in AXES.items():
        if values == unit:
            return letter
        if values == tuple(-x for x in unit):
            return f"-{letter}"
    return "(" + " ".join(short(x) for x in values) + ")"


def show(found: dict[str, Any], everything: bool) -> None:
    """The same as text."""
    screen = console()
    moving = sum(bool(body["joints"]) for body in found["bodies"])
    screen.print(f"[bold]{escape(found['name'])}[/]  {escape(found['source'])}".rstrip() if "title" not in found else "")
    screen.print(
        f"{len(found['bodies'])} bodies ({moving} moved by a joint), {len(found['joints'])} joints, nq = {found['nq']}, "
        f"nv = {found['nv']}, {short(found['mass'])} kg, gravity ({' '.join(short(x) for x in found['gravity'])}) m/s^2"
    )
    for root in (body for body in found["bodies"] if body["parent"] is None):
        screen.print()
        screen.print(tree_of(found, root["name"], everything))
    screen.print()
    screen.print(layout_table(found["layout"], everything))
    if found["collisions"]:
        screen.print(escape(collision_words(found["collisions"])), soft_wrap=True)
    if found["pairs"]:
        counted = ", ".join(f"{count} {word}" for word, count in found["pairs"].items())
        screen.print(f"pairs of shapes: {counted}", soft_wrap=True)
    if found.get("actuators"):
        screen.print(escape(actuator_words(found["actuators"])), soft_wrap=True)
    if found["keyframes"]:
        screen.print(escape(f"keyframes: {', '.join(found['keyframes'])}"), soft_wrap=True)
    for note in found["couplings"]:
        screen.print(escape(note))
    for warning in found["warnings"]:
        screen.print(f"[yellow]warning:[/] {escape(warning)}")


def collision_words(shapes: list[dict[str, Any]]) -> str:
    """How many collision shapes of each kind there are, and on which bodies."""
    kinds = Counter(entry["shape"] for entry in shapes)
    bodies = list(dict.fromkeys(entry["body"] for entry in shapes))
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"collision shapes: {counted}, on {len(bodies)} bodies: {', '.join(bodies[:MOST_NAMES])}" + (
        " ..." if len(bodies) > MOST_NAMES else ""
    )


def tree_of(found: dict[str, Any], root: str, everything: bool) -> Tree:
    """The bodies as a tree: name, mass, joints."""
    bodies = {body["name"]: body for body in found["bodies"]}
    joints = {joint["name"]: joint for joint in found["joints"]}
    children: dict[str, list[str]] = {name: [] for name in bodies}
    for body in found["bodies"]:
        if body["parent"] is not None:
            children[body["parent"]].append(body["name"])
    tree = Tree(body_words(bodies[root], joints), guide_style="dim")
    waiting, drawn = [(root, tree, 1)], 1
    while waiting:
        name, branch, depth = waiting.pop()
        if not everything and children[name] and (depth >= DEEPEST or drawn >= MOST_ROWS):
            branch.add(f"[dim]... {below(name, children)} more bodies; --all shows them[/]")
            continue
        branches = [(child, branch.add(body_words(bodies[child], joints)), depth + 1) for child in children[name]]
        drawn += len(branches)
        waiting.extend(reversed(branches))
    return tree


def below(name: str, children: dict[str, list[str]]) -> int:
    """How many bodies hang below one."""
    waiting, count = list(children[name]), 0
    while waiting:
        count += 1
        waiting.extend(children[waiting.pop()])
    return count


def body_words(body: dict[str, Any], joints: dict[str, dict[str, Any]]) -> str:
    """A line of the tree."""
    words = [f"[bold]{escape(body['name'])}[/]"]
    if body["mass"]:
        words.append(f"{short(body['mass'])} kg")
    for name in body["joints"]:
        joint = joints[name]
        axis = f" {joint['axis']}" if joint["axis"] else ""
        words.append(f"[cyan]{escape(name)}[/] [dim]{joint['kind']}{escape(axis)}{', coupled' if joint['coupled'] else ''}[/]")
    return "  ".join(words)


def layout_table(slots: list[dict[str, Any]], everything: bool) -> Table:
    """Every slot of q and v with its limits."""
    columns = ("slot", "joint", "kind", "coordinate", "unit")
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for name in ("lower", "upper", "effort"):
        table.add_column(name, justify="right")
    shown = slots if everything or len(slots) <= MOST_ROWS else slots[: MOST_ROWS - 20]
    for slot in shown:
        limits = ["" if slot.get(name) is None else short(slot[name]) for name in ("lower", "upper", "effort")]
        table.add_row(*(escape(slot[name]) for name in columns), *limits)
    if len(shown) < len(slots):
        table.add_row("...", f"{len(slots) - len(shown)} more; --all shows them")
    return table
