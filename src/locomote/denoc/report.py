"""The modules of a mechanism and how well each could be solved for: a table."""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.denoc.elements import elements
from locomote.denoc.factor import SINGULAR
from locomote.denoc.inertia import composites
from locomote.denoc.links import at
from locomote.denoc.modules import Modules
from locomote.model.model import Model

POOR = 1e8  # condition of an articulated module from which half of the digits are lost


@dataclass(frozen=True)
class ModuleRow:
    """One module at one configuration.

    condition : of the articulated-module inertia D_i, scaled to a unit diagonal of the stiff one
    lowest : the smallest part of a coordinate's inertia that is left when all else is free, 0 to 1
    """

    name: str
    parent: str
    joints: tuple[str, ...]
    links: int
    coordinates: int
    mass: float
    condition: float
    lowest: float

    @property
    def verdict(self) -> str:
        """good, poor or singular."""
        return "singular" if self.lowest <= SINGULAR else "poor" if self.condition > POOR else "good"


@brief
@dataclass(frozen=True)
class ModuleReport:
    """All modules of a model at a configuration; print it."""

    model: str
    rows: tuple[ModuleRow, ...]

    def __str__(self) -> str:
        head = ("module", "on", "links", "coordinates", "mass kg", "condition", "verdict", "joints")
        rows = [
            (
                r.name,
                r.parent,
                str(r.links),
                str(r.coordinates),
                f"{r.mass:.6g}",
                f"{r.condition:.3g}",
                r.verdict,
                shown(r.joints),
            )
            for r in self.rows
        ]
        widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)
        )
        return "\n".join(lines)


def shown(names: tuple[str, ...]) -> str:
    """Names, shortened if there are many."""
    return ", ".join(names if len(names) <= 6 else (*names[:3], f"... {len(names) - 4} more ...", names[-1]))


def module_report(model: Model, q=None, *, modules: Modules | None = None) -> ModuleReport:
    """The modules of a model with the condition of each articulated module at q (nq,), the neutral one if not given.

    A module without mass, or with axes that have come to align (gimbal lock), shows as singular; nothing is raised.
    """
    links = at(model, model.neutral() if q is None else q, modules=modules)
    parts = elements(links, "module")
    hat, stiff, rows = [part.M.copy() for part in parts], composites(parts), []
    for i in range(len(parts) - 1, -1, -1):
        part = parts[i]
        psihat = hat[i] @ part.P
        pivot = part.P.T @ psihat + part.armature
        size = np.sqrt(np.maximum(np.diag(part.P.T @ stiff[i] @ part.P + part.armature), 0.0))
        scale = np.where(size > 0, size, 1.0)
        values = np.linalg.eigvalsh(pivot / np.outer(scale, scale))
        lowest = max(float(values[0]), 0.0)
        condition = float(values[-1]) / lowest if lowest > 0 else float("inf")
        module = links.modules[i]
        parent = "world" if module.parent < 0 else links.modules[module.parent].name
        mass = float(sum(np.trace(links.M[k, 3:, 3:]) / 3 for k in part.links))
        rows.append(ModuleRow(module.name, parent, module.joints, len(part.links), len(part.columns), mass, condition, lowest))
        if part.A is not None:
            left = hat[i] - psihat @ np.linalg.pinv(pivot, rcond=SINGULAR, hermitian=True) @ psihat.T
            hat[part.parent] += part.A.T @ left @ part.A
    return ModuleReport(model.name, tuple(reversed(rows)))
