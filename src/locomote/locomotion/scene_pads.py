"""Pads of scene files that stick as strongly as they are told: forces where their bodies touch, along the normals.

A pad that gives the force F has a part of it at each of the places where its body touches something, F over their number, that
pulls both together, as in MuJoCo. Loads of contacts then carry it, with friction. A place counts as touching while its gap is
below NEAR when the pad is asked, once a time step of the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.contact import spots as at
from locomote.formats.record import description_from_record
from locomote.locomotion.problem import Locomotion
from locomote.methods.gaps import placed_at
from locomote.model.model import Model
from locomote.model.scene import Motor

NEAR = 1e-4  # m


@brief
@dataclass(frozen=True, eq=False)
class Pads:
    """Torques of pads as a function of t and q, for lo.Sampled.

    mechanism : the record of the description of the whole model ; contacts : all that may touch
    pads : motors with a `pad` ; told : a drive for each
    """

    mechanism: Mapping[str, Any]
    contacts: tuple[Any, ...]
    pads: tuple[Motor, ...]
    told: tuple[Any, ...]

    @cached_property
    def problem(self) -> Locomotion:
        """What may touch, without all else."""
        return Locomotion(Model(description_from_record(self.mechanism)), contacts=self.contacts)

    @cached_property
    def bodies(self) -> list[int]:
        """Row of the packed model that each pad is on."""
        model = self.problem.model
        return [int(model.carrier[model.body_index(pad.pad)]) for pad in self.pads]

    def __call__(self, t, q, v):
        problem, pull = self.problem, np.zeros(len(v))
        plan = problem.plan
        with problem.scratch(plan) as work:
            placed, rows, _ = placed_at(problem, plan, work, t, q)
        touching = {int(c): at.sides(plan, placed, c) for c in np.flatnonzero(placed[:, at.GAP] < NEAR)}
        for pad, body, drive in zip(self.pads, self.bodies, self.told, strict=True):
            own = [3 * c + 2 for c, both in touching.items() if body in both]
            force = np.clip(pad.gain[0] * np.clip(drive(t)[0], *pad.control_range), *pad.force_range)
            if own:
                pull -= force * rows[own].mean(axis=0)
        return pull
