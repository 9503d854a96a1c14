"""Muscles and actuators of OpenSim files: along paths through points of bodies, and on coordinates.

A muscle is one with a stiff tendon here: its fibres are as long as its path without the tendon's slack length, times the
cosine of the pennation angle of the best length. Its curves are those of lo.Fibres.
"""

import numpy as np

from locomote.formats.faults import shown
from locomote.formats.osim.functions import numbers_in
from locomote.formats.osim.reading import Reading
from locomote.formats.xml import Node
from locomote.model.paths import Fibres, Path, Via
from locomote.model.scene import Motor

MUSCLES = (
    "Thelen2003Muscle", "Millard2012EquilibriumMuscle", "Millard2012AccelerationMuscle", "DeGrooteFregly2016Muscle",
    "Schutte1993Muscle_Deprecated", "Delp1990Muscle_Deprecated", "RigidTendonMuscle",
)  # fmt: skip
ACTUATORS = ("CoordinateActuator", "PathActuator")
REACTIONS = ("PrescribedForce", "HuntCrossleyForce", "ElasticFoundationForce", "SmoothSphereHalfSpaceForce")


def read_forces(nodes: list[Node], joints: set[str], reading: Reading) -> list[Motor]:
    """The muscles and actuators of a file, in its order."""
    motors: list[Motor] = []
    for node in nodes:
        name = node.get("name") or f"force {len(motors) + 1}"
        applies = node.first("appliesForce")
        if applies is not None and applies.text.strip().lower() == "false":
            continue
        if node.tag in MUSCLES or node.tag == "PathActuator":
            if (path := read_path(node, reading)) is not None:
                motors.append(_along(node, name, path, len(motors), reading))
        elif node.tag == "CoordinateActuator":
            coordinate = node.first("coordinate")
            joint = "" if coordinate is None else coordinate.text.strip()
            (force,) = numbers_in(node, "optimal_force", reading.faults, (1.0,), 1)
            if joint in joints:
                motors.append(Motor(name, {joint: 1.0}, gain=(force, 0.0, 0.0), place=len(motors)))
            else:
                reading.faults.add(node, f"coordinate {shown(joint)} is no joint of the file")
        elif node.tag == "CoordinateLimitForce":
            reading.unsupported.refuse(node, "<CoordinateLimitForce>", "clamp its coordinate")
        else:
            reading.unsupported.refuse(node, f"<{node.tag[:60]}>")
    return motors


def _along(node: Node, name: str, path: Path, place: int, reading: Reading) -> Motor:
    """A muscle, or a motor that pulls along a path."""
    faults = reading.faults
    if node.tag == "PathActuator":
        (force,) = numbers_in(node, "optimal_force", faults, (1.0,), 1)
        return Motor(name, {}, gain=(-force, 0.0, 0.0), place=place, path=path)
    given = {
        what: numbers_in(node, what, faults, (default,), 1)[0]
        for what, default in (
            ("max_isometric_force", 1000.0), ("optimal_fiber_length", 0.1), ("tendon_slack_length", 0.2),
            ("pennation_angle_at_optimal", 0.0), ("max_contraction_velocity", 10.0), ("activation_time_constant", 0.01),
            ("deactivation_time_constant", 0.04),
        )
    }  # fmt: skip
    best, slack = given["optimal_fiber_length"], given["tendon_slack_length"]
    slant = float(np.cos(given["pennation_angle_at_optimal"]))
    if best <= 0 or slack < 0 or given["max_isometric_force"] < 0 or slant <= 0 or given["max_contraction_velocity"] <= 0:
        faults.add(node, "its force, fibre length and speed must be above 0, its tendon and pennation at least 0")
        best, slant = 1.0, 1.0
    fibres = Fibres(
        max(given["max_isometric_force"], 0.0) * slant, (slack + 0.5 * best * slant, slack + 1.5 * best * slant), (0.5, 1.5),
        speed=given["max_contraction_velocity"],
    )  # fmt: skip
    times = (given["activation_time_constant"], given["deactivation_time_constant"], 0.0)
    return Motor(name, {}, place=place, path=path, fibres=fibres, times=times, dynamics="muscle", control_range=(0.0, 1.0))


def read_path(node: Node, reading: Reading) -> Path | None:
    """The path of a muscle; None after a fault."""
    faults = reading.faults
    geometry = node.first("GeometryPath") or next((path.first("GeometryPath") for path in node.all("path")), None)
    if geometry is None:
        reading.unsupported.refuse(node, "a muscle without a <GeometryPath>")
        return None
    stops: list[Via] = []
    for point in (p for own in geometry.all("PathPointSet") for objects in own.all("objects") for p in objects.children):
        if point.tag in ("ConditionalPathPoint", "MovingPathPoint"):
            reading.unsupported.refuse(point, f"<{point.tag}>")
            if point.tag == "MovingPathPoint":
                continue
        socket = point.first("socket_parent_frame")
        home = reading.frame("" if socket is None else socket.text, point)
        place = numbers_in(point, "location", faults, (0.0, 0.0, 0.0), 3)
        if home is not None:
            x, y, z = (home[1] @ (*place, 1.0))[:3]
            stops.append(Via(home[0], (float(x), float(y), float(z))))
    wraps = [part for own in geometry.all("PathWrapSet") for objects in own.all("objects") for part in objects.children]
    if wraps:
        reading.unsupported.refuse(wraps[0], "a path that is wrapped round an object", "give it as a lo.Path in code")
    if len(stops) < 2:
        faults.add(node, f"its path has {len(stops)} points, expected at least two")
        return None
    return Path(stops)
