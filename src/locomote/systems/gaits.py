"""Best gaits of systems, as a parameter: `lo.systems.load("purcell_swimmer", gait="fast")`.

`best_gaits.json` holds them, made by `python docs/systems/make_gaits.py` for the default numbers of each system; with others
they are gaits all the same, but no longer the best. A system has them by `"gait": gait_choice(...)` among its PARAMETERS.
"""

import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.systems.parameters import Parameter, choice

if TYPE_CHECKING:
    from locomote.gaits.gait import Gait
    from locomote.locomotion.problem import Locomotion

FILE = Path(__file__).with_name("best_gaits.json")
OWN = "own"
MEANING = {
    "fast": "most displacement a period",
    "efficient": "most for the length of the path",
    "turn": "most turn a period",
    "park": "most displacement aside a period",
}


def gait_choice(*names: str) -> Parameter:
    """The parameter of a system that has best gaits of these names."""
    words = "; ".join(f"{name!r}: {MEANING[name]}" for name in names)
    return choice(OWN, (OWN, *names), f"'own': the motion that the other parameters say; {words}")


@cache
def stored() -> dict[str, dict[str, dict[str, Any]]]:
    """Records by system and gait."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def best_gait(system: str, name: str, period: float = 1.0) -> "Gait":
    """The stored gait of a system, with a period, s."""
    from locomote.drives.kinds.fourier import Fourier
    from locomote.gaits.gait import Gait

    paths = stored()[system][name]["paths"]
    return Gait({joint: Fourier(c["mean"], c["cosines"], c["sines"], frequency=1.0 / period) for joint, c in paths.items()})


def period_of(p: SimpleNamespace) -> float:
    """s, of a system with parameters p."""
    rate = getattr(p, "swing_rate", getattr(p, "rate", None))
    return 2 * np.pi / rate if rate else getattr(p, "time", 1.0)


def with_gait(problem: "Locomotion", system: str, p: SimpleNamespace) -> "Locomotion":
    """The problem with the gait that a parameter asks for, from rest but for what the gait itself moves; as it is if the
    system has a motion of its own."""
    if p.gait not in stored().get(system, {}):
        return problem
    from locomote.gaits.local_form import local_form

    gait = best_gait(system, p.gait, period_of(p))
    drives = {**problem.drives, **gait.drives()}
    for name, drive in problem.drives.items():
        if name not in gait.paths:  # other joints stay where they begin
            drives[name] = drive(0.0)[0]
    form = local_form(problem, list(gait.names))
    x, dx, _ = gait.shapes(0.0)
    q = form.coordinates.configurations(x)
    start = np.array(problem.initial()[0] if problem.statement.start is None else problem.statement.start[0])
    for joint in map(problem.model.joint, problem.model.joint_names):
        if joint.v.start in problem.external:
            q[joint.q] = start[joint.q]
    v = np.zeros(problem.model.nv)
    v[form.base], v[form.coordinates.shape] = -form(x[None]).A[0] @ dx, form.coordinates.directions @ dx
    return problem.replaced(drives=drives, start=(q, v), origin=problem.statement.origin)
