"""The same model in Pinocchio and in MuJoCo, built from our packed arrays: equal joints, order and coordinates."""

import importlib.metadata
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from locomote.model import columns as col
from locomote.model.joints import FREE, PRISMATIC, REVOLUTE, SCREWS, screw_turn
from locomote.model.model import Model

ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "fixed"),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", "free"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "free"),
}


def robot_file(name: str) -> Path | None:
    """The URDF file of a robot of the package example-robot-data, if that is installed."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    wanted = ROBOTS[name][0]
    return next((Path(str(f.locate())) for f in files if str(f).endswith(wanted)), None)


def body_rows(model: Model):
    """For each moving body: parent (-1 for the world), kind, pose in the parent, mass, center and moment about it."""
    for i, row in enumerate(model.topology[:-1]):
        parent = int(row[col.PARENT]) if row[col.PARENT] < len(model.topology) - 1 else -1
        c = model.constants[i]
        m, first = c[col.MASS], c[col.MOMENT_1 : col.MOMENT_1 + 3]
        xx, xy, xz, yy, yz, zz = c[col.MOMENT_2 : col.MOMENT_2 + 6]
        center = first / m if m else np.zeros(3)
        second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * np.outer(center, center)
        about = np.trace(second) * np.eye(3) - second
        turn = c[col.ROTATION : col.ROTATION + 9]
        if row[col.KIND] in SCREWS:
            turn = np.array(screw_turn(model.constants, i, c[col.SIN_START], c[col.COS_START]))
        shift = c[col.DISPLACEMENT : col.DISPLACEMENT + 3]
        yield parent, int(row[col.KIND]), turn.reshape(3, 3), shift, m, center, about


def pinocchio_model(model: Model):
    """The model in Pinocchio."""
    pin: Any = import_module("pinocchio")

    kinds = {REVOLUTE: pin.JointModelRZ, PRISMATIC: pin.JointModelPZ, FREE: pin.JointModelFreeFlyer}
    twin, places = pin.Model(), {-1: 0}
    twin.gravity.linear[:] = model.gravity
    for i, (parent, kind, turn, shift, mass, center, moment) in enumerate(body_rows(model)):
        places[i] = twin.addJoint(places[parent], kinds[kind](), pin.SE3(turn, shift), f"joint{i}")
        twin.appendBodyToJoint(places[i], pin.Inertia(mass, center, moment), pin.SE3.Identity())
    return twin


def mujoco_model(
    model: Model,
    *,
    joint: str = "",
    parts: dict[int, str] | None = None,
    rest=None,
    world: str = "",
    option: str = "",
    motors: Sequence[int] = (),
):
    """The model in MuJoCo, without contacts, or with them.

    joint : attributes of all joints but free ones ; rest : (nq,) where their springs rest ; parts : geoms of moving bodies ;
    world : geoms of the world ; option : attributes of `option` ; motors : moving bodies whose joints have one
    """
    mujoco: Any = import_module("mujoco")

    children: dict[int, list[int]] = {}
    rows = list(body_rows(model))
    for i, row in enumerate(rows):
        children.setdefault(row[0], []).append(i)
    lines, pending = [], [(i, False) for i in reversed(children.get(-1, []))]
    while pending:
        i, done = pending.pop()
        if done:
            lines.append("</body>")
            continue
        _, kind, turn, shift, mass, center, moment = rows[i]
        axes = " ".join(f"{x:.17g}" for x in (*turn[:, 0], *turn[:, 1]))
        lines.append(f'<body pos="{numbers(shift)}" xyaxes="{axes}">')
        lines.append(
            "<freejoint/>"
            if kind == FREE
            else f'<joint name="joint{i}" type="{"hinge" if kind == REVOLUTE else "slide"}" axis="0 0 1" {joint} '
            f"{spring(model, i, rest)}/>"
        )
        full = [moment[0, 0], moment[1, 1], moment[2, 2], moment[0, 1], moment[0, 2], moment[1, 2]]
        lines.append(f'<inertial pos="{numbers(center)}" mass="{mass:.17g}" fullinertia="{numbers(full)}"/>')
        lines.append((parts or {}).get(i, ""))
        pending.append((i, True))
        pending.extend((k, False) for k in reversed(children.get(i, [])))
    flag = "" if parts else '<flag contact="disable" constraint="disable"/>'
    text = f"""<mujoco><compiler angle="radian" balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/>
    <option gravity="{numbers(model.gravity)}" {option}>{flag}</option>
    <worldbody>{world}{"".join(lines)}</worldbody>
    <actuator>{"".join(f'<motor joint="joint{i}"/>' for i in motors)}</actuator></mujoco>"""
    return mujoco.MjModel.from_xml_string(text)


def spring(model: Model, i: int, rest) -> str:
    """Where the spring of a joint rests, as an attribute."""
    return "" if rest is None else f'springref="{rest[model.topology[i, col.Q]]:.17g}"'


def numbers(values) -> str:
    """Numbers as an attribute."""
    return " ".join(f"{x:.17g}" for x in values)
