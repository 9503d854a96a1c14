"""Small pictures for notebooks: models, problems, systems and swings as the last line of a cell.

A picture is left out, not waited for: where what draws it would have to be compiled first, or a package is missing.
"""

import base64
import io
import math

import numpy as np
from numba import config

from locomote.errors import LocomoteError
from locomote.model.model import Model
from locomote.tables import escape, table
from locomote.view.build import scene_of
from locomote.view.camera import camera_for
from locomote.view.draw import Painter
from locomote.view.film import chosen_layers
from locomote.view.frames import still_frames
from locomote.view.needed import PICTURES, WATER

SIZE = (320, 240)  # pixels
LISTED = 12  # joints in a table
NOTHING = 1e-12  # below which numbers have no colour: what rounding left


def is_ready(water: bool = False) -> bool:
    """Whether nothing has to be compiled for a picture; water : of a scene in water."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    kernels = ((kernel, tuple(types)) for kernel, types in (*PICTURES, *(WATER if water else ())))
    return not any(x not in k.overloads and k._cache.is_missing(x, k.targetctx.codegen()) for k, x in kernels)


def png(picture: np.ndarray) -> str:
    """A picture (h, w, 3) as an element of a page."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, format="png", optimize=True)
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<img alt="" width="{picture.shape[1]}" src="data:image/png;base64,{data}">'


def stills(model: Model, problem, q: np.ndarray, size: tuple[int, int] = SIZE) -> list[str]:
    """Pictures of a model in configurations (n, nq), by one camera; none where they cannot be had at once."""
    if not is_ready():
        return []
    try:
        scene = scene_of(model, problem, q)
        if scene.water and not is_ready(water=True):
            return []
        frames = still_frames(scene, model, q)
        painter = Painter(scene, camera_for(scene, frames, size[0] / size[1]), *size, chosen_layers((), ()))
        return [png(painter.picture(frames, row)) for row in range(len(q))]
    except (LocomoteError, ImportError, ValueError, ArithmeticError):
        return []


def beside(words: str, pictures: list[str]) -> str:
    """Words and pictures side by side."""
    return f'<div style="display: flex; gap: 1em; flex-wrap: wrap; align-items: start">{"".join(pictures)}{words}</div>'


def of_model(model: Model) -> str:
    """A model: what it looks like, and its joints."""
    rows = [(name, model.joint(name).joint.kind, f"{model.joint(name).v.stop - model.joint(name).v.start}")
            for name in model.joint_names[:LISTED]]  # fmt: skip
    more = len(model.joint_names) - LISTED
    rows += [(f"and {more} more", "", "")] if more > 0 else []
    title = f"{model.name}: {len(model.body_names)} bodies, nq = {model.nq}, nv = {model.nv}, {model.mass:.6g} kg"
    return beside(table(rows, ("joint", "kind", "freedoms"), title=title), stills(model, None, model.neutral()[None]))


def of_problem(problem) -> str:
    """A problem where it starts: what is imposed, held, acts."""
    said = problem.statement
    parts = {"drives": said.drives, "constraints": said.constraints, "environment": said.environment, "contacts": said.contacts}
    rows = [(word, len(found) if hasattr(found, "__len__") else 1) for word, found in parts.items() if found]
    rows += [("imposed coordinates", int(problem.imposed.sum())), ("constraint rows", len(problem.constraint_labels))]
    title = f"{problem.name}: nv = {problem.model.nv}"
    start = problem.start[0] if problem.start is not None else problem.model.neutral()
    return beside(table(rows, title=title), stills(problem.model, problem, np.asarray(start)[None]))


def of_system(system) -> str:
    """A system of the catalogue: what it is, and its parameters."""
    rows = [(name, f"{value:.6g}" if isinstance(value, float) else value, system.units.get(name, ""))
            for name, value in system.parameters.items()]  # fmt: skip
    words = table(rows, ("parameter", "value", "unit"), title=f"{system.name}: {system.title}")
    q, problem = np.asarray(system.initial[0])[None], system.problem()
    return beside(f"<div>{words}<p>{escape(system.see)}</p></div>", stills(problem.model, problem, q))


def heat(values: np.ndarray, rows: list[str], head: list[str], title: str) -> str:
    """Numbers in cells whose colour says their sign and size."""
    largest = float(abs(values).max(initial=0.0))
    largest = largest if largest > NOTHING else 1.0
    lines = []
    for name, row in zip(rows, values.tolist(), strict=True):
        cells = ""
        for x in row:
            color = "0, 114, 178" if x >= 0 else "213, 94, 0"
            cells += f'<td style="background: rgba({color}, {0.6 * abs(x) / largest:.2f}); text-align: right">{x:.3g}</td>'
        lines.append(f"<tr><th>{escape(name)}</th>{cells}</tr>")
    top = "".join(f"<th>{escape(x)}</th>" for x in ["", *head])
    caption = f'<caption style="white-space: nowrap"><b>{escape(title)}</b></caption>'
    return f"<table>{caption}<tr>{top}</tr>{''.join(lines)}</table>"


def of_connection(found) -> str:
    """The local form of a connection: how much each shape velocity moves the base."""
    rows, head = [f"v[{k}]" for k in found.base.tolist()], [f"v[{k}]" for k in found.shape.tolist()]
    return heat(found.A, rows, head, f"{found.kind} connection A: base velocity = -A (shape velocity)")


def of_swings(found) -> str:
    """Rates of small swings, and how each one moves the coordinates."""
    shapes = np.real(found.shapes)
    rows = []
    for k, rate in enumerate(found.rates.tolist()[:LISTED]):
        growth = f", growth {found.growth[k]:.3g} 1/s" if np.any(found.growth) else ""
        rows.append(f"{rate:.4g} rad/s, {abs(rate) / (2 * math.pi):.3g} Hz{growth}")
    shown = shapes[: len(rows), :LISTED]
    shown = shown / np.maximum(abs(shown).max(axis=1, initial=0.0, keepdims=True), 1e-300)
    words = "stable" if found.stable else "unstable: a negative rate grows"
    head = [f"v[{k}]" for k in range(shown.shape[1])]
    return heat(shown, rows, head, f"{len(found.rates)} small swings, {words}; each by its largest entry")


def of_sweep(found, words: str) -> str:
    """The head of a table of many runs, and its first measure over its axes."""
    axes = [name for name in found.axes if np.asarray(found[name]).dtype.kind in "fi"]
    taken = (*found.axes, "failed", "error", "seed")
    measures = [x for x in found.columns if x not in taken and np.asarray(found[x]).dtype.kind in "fi"]
    if not 1 <= len(axes) <= 2 or not measures or len(found) < 3:
        return words
    try:
        picture = found.plot(axes[0], measures[0]) if len(axes) == 1 else found.plot(axes[0], axes[1], measures[0])
        stream = io.BytesIO()
        picture.savefig(stream, format="png", dpi=80)
        data = base64.b64encode(stream.getvalue()).decode()
    except (LocomoteError, ImportError, ValueError, ArithmeticError):
        return words
    return beside(words, [f'<img alt="" width="400" src="data:image/png;base64,{data}">'])
