"""A problem as numbers and words that JSON can hold, so that a run file can repeat the run."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from locomote.constraints import kinds
from locomote.constraints.keel import Keel
from locomote.drives.drives import as_drive, drive_from_record
from locomote.drives.strains import StrainField, StrainWave, are_strains, several
from locomote.environment import flows
from locomote.environment.added import AddedMass
from locomote.environment.added_mass import EllipticCylinder
from locomote.environment.buoyancy import Buoyancy
from locomote.environment.drag import Drag, SlenderDrag, StokesDrag
from locomote.environment.fluid import Fluid
from locomote.environment.granular import Granular, Scales
from locomote.environment.grid import Grid
from locomote.environment.intrusion import Intrusion
from locomote.environment.lighthill import Lighthill, Segment
from locomote.environment.loads import Load
from locomote.environment.plate import Plate
from locomote.environment.resistive import Resistive
from locomote.environment.samples import Samples, tabulated
from locomote.environment.section_drag import SectionDrag
from locomote.environment.soft_ground import SoftGround
from locomote.environment.spheres import ViscousSpheres
from locomote.environment.springs import Spring
from locomote.environment.vortices import KarmanStreet, Vortex
from locomote.environment.wing import Wing
from locomote.formats.record import description_from_record, description_to_record
from locomote.ground import surfaces, touch
from locomote.locomotion.problem import Locomotion
from locomote.model.along import Along
from locomote.model.model import Model
from locomote.simulation.actuators import KNOTS, SAID, Actuator

PARTS = {
    kind.__name__: kind
    for kind in (
        kinds.Blade, kinds.PointContact, kinds.LoopClosure, kinds.SurfaceContact, kinds.Distance, kinds.Rolling, kinds.Coupled,
        Keel,
        surfaces.Plane, surfaces.Sphere, surfaces.Cylinder, surfaces.Ellipsoid, surfaces.Steps, surfaces.Box,
        surfaces.Capsule,
        touch.Ground, touch.Touch,
        Spring, SoftGround,
        Fluid, flows.Uniform, flows.Shear, flows.Gust, flows.Together, Vortex, KarmanStreet, EllipticCylinder, AddedMass,
        Buoyancy, Drag, StokesDrag, Resistive, SlenderDrag, SectionDrag, Lighthill, Segment, Wing, ViscousSpheres, Granular,
        Scales, Intrusion, Plate, Grid, Samples, Along, Load,
    )
}  # fmt: skip


def problem_to_record(problem: Locomotion) -> dict[str, Any]:
    """The record of a problem; a ValueError names what cannot be stored, such as a function."""
    if callable(problem.torques) or problem.controllers:
        raise ValueError("the torques cannot be stored, since they are a Python function")
    return {
        "model": description_to_record(problem.original.description),
        "name": problem.name,
        "drives": [[key_of(key), signals(given)] for key, given in problem.drives.items()],
        "torques": [[key_of(key), signals(given)] for key, given in (problem.torques or {}).items()],
        "springs": [[key_of(key), [float(x) for x in given]] for key, given in problem.springs.items()],
        "constraints": [part(c) for c in problem.said_constraints],
        "environment": [part(tabulated(e, problem.original)) for e in problem.environment],
        "contacts": [part(c) for c in problem.said_contacts],
        "limits": problem.limits,
        "actuators": [actuator_to(a) for a in problem.actuators],
        "rank_tolerance": problem.rank_tolerance,
        "friction_speed": problem.friction_speed,
        "inertia": problem.inertia,
        "tolerances": problem.tolerances and list(problem.tolerances),
    }


def problem_from_record(record: Mapping[str, Any]) -> Locomotion:
    """The problem of a record that `problem_to_record` made."""
    return Locomotion(
        Model(description_from_record(record["model"])),
        drives={key_from(key): [drive_from(d) for d in given] for key, given in record["drives"]},
        torques={key_from(key): [drive_from_record(d) for d in given] for key, given in record["torques"]},
        springs={key_from(key): given for key, given in record["springs"]},
        constraints=[part_from(c) for c in record["constraints"]],
        environment=[part_from(e) for e in record["environment"]],
        contacts=[part_from(c) for c in record.get("contacts", [])],
        limits=record.get("limits", True),
        actuators=[actuator_from(a) for a in record.get("actuators", [])],
        rank_tolerance=record["rank_tolerance"],
        friction_speed=record["friction_speed"],
        inertia=record.get("inertia", True),
        tolerances=record.get("tolerances"),
        name=record["name"],
    )


def actuator_to(actuator: Actuator) -> dict[str, Any]:
    """An actuator as a table of its fields; what it is told as the record of a drive."""
    told, record = SAID[type(actuator)][0], {"kind": type(actuator).__name__}
    for field in fields(actuator):
        value = getattr(actuator, field.name)
        if field.name == told:
            value = as_drive(value).to_record()
        elif field.name == "stress" and callable(value):
            reach = np.linspace(*actuator.reach, KNOTS + 1)
            value = [[float(x), float(value(float(x)))] for x in reach]
        elif callable(value):
            raise ValueError(
                f"{type(actuator).__name__} on {actuator.body!r} cannot be stored, since its path is a Python function"
            )
        record[field.name] = value if field.name == told else plain(value)
    return record


def actuator_from(record: Mapping[str, Any]) -> Actuator:
    """The actuator of a table."""
    kind = {k.__name__: k for k in SAID}[record["kind"]]
    own = {name: value for name, value in record.items() if name != "kind"}
    if (told := SAID[kind][0]) in own:
        own[told] = drive_from_record(own[told])
    return kind(**{name: tuple(map(tupled, x)) if isinstance(x, list) else x for name, x in own.items()})


def tupled(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(value) if isinstance(value, list) else value


def key_of(key) -> list:
    """A joint name, or (name, coordinate)."""
    return [*key] if isinstance(key, tuple) else [key]


def key_from(key: list):
    """The same back."""
    return key[0] if len(key) == 1 else (key[0], key[1])


def signals(given) -> list[dict[str, Any]]:
    """One drive or several."""
    if are_strains(given):
        return [strain_to(x) for x in several(given)]
    many = given if isinstance(given, list) or (isinstance(given, tuple) and not np.ndim(given[0])) else [given]
    return [as_drive(x).to_record() for x in many]


def strain_to(field: StrainField | StrainWave) -> dict[str, Any]:
    """A travelling wave of strain as a table of its fields."""
    own = {f.name: getattr(field, f.name) for f in fields(field)}
    if made := [name for name, value in own.items() if callable(value)]:
        raise ValueError(
            f"the {type(field).__name__} of {field.strain} cannot be stored, since its {made[0]} is a Python function"
        )
    return {"kind": type(field).__name__} | {name: plain(value) for name, value in own.items()}


def drive_from(record: Mapping[str, Any]) -> Any:
    """The drive, or the wave of strain, of a table."""
    if record.get("kind") != StrainWave.__name__:
        return drive_from_record(record)
    return StrainWave(**{name: value for name, value in record.items() if name != "kind"})


def part(value: Any) -> Any:
    """A constraint, surface or spring as a table of its fields."""
    if type(value).__name__ not in PARTS or (callable(value) and not isinstance(value, Samples)):
        if hasattr(value, "__dataclass_fields__"):
            raise ValueError(
                f"{type(value).__name__} {getattr(value, 'title', '')!r} cannot be stored, since it holds a Python function"
            )
        raise ValueError(f"{value!r:.60} cannot be stored, since it is a Python function")
    return {"kind": type(value).__name__} | {f.name: plain(getattr(value, f.name)) for f in fields(value)}


def plain(value: Any) -> Any:
    """A field as numbers and words."""
    if type(value).__name__ in (*PARTS, "HeightField"):
        return part(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(x) for x in value]
    if isinstance(value, Mapping) and any(isinstance(key, Along) for key in value):
        return {"kind": "pairs", "values": [[plain(key), plain(x)] for key, x in value.items()]}
    if isinstance(value, Mapping):
        return {"kind": "table", "values": {str(k): float(x) if np.ndim(x) == 0 else plain(x) for k, x in value.items()}}
    return value.item() if isinstance(value, np.generic) else value


def part_from(record: Mapping[str, Any]) -> Any:
    """The constraint, surface or spring of a table."""
    kind = PARTS[record["kind"]]
    return kind(**{name: back(value) for name, value in record.items() if name != "kind"})


def back(value: Any) -> Any:
    """A field of a table."""
    if isinstance(value, Mapping) and value["kind"] == "pairs":
        return {back(key): back(x) for key, x in value["values"]}
    if isinstance(value, Mapping):
        return value["values"] if value["kind"] == "table" else part_from(value)
    if isinstance(value, list):
        if value and isinstance(value[0], Mapping):
            return tuple(back(x) for x in value)
        return np.array(value) if value and isinstance(value[0], list) else tuple(value)
    return value
