"""Public names: where each lives, and the groups that they stand in. A name is loaded when it is first used, with the check of
its arguments (`arguments`) around it.

A new name is added here and nowhere else; `python packaging/stubs.py` then writes the stubs that editors and type checkers
read.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

# module -> names, in the order in which a user meets them
FLAT = {
    "errors": "FileError InconsistentStart LocomoteError ModelError UnknownName",
    "spatial.inertia": "Inertia",
    "spatial.charts": "chart",
    "spatial.charts_own": "own_chart",
    "model.description": "Body Collision Coupling Description Joint Keyframe Visual",
    "model.model": "Model",
    "model.paths": "Fibres Path Pulley Via Wrap",
    "model.builder": "Builder",
    "model.flexible.cross_sections": "Material Section",
    "model.flexible.rods": "Rod",
    "model.edit": "add lock remove",
    "formats.load": "load",
    "formats.save": "save",
    "formats.urdf.reader": "read_urdf",
    "formats.urdf.srdf": "Semantics read_srdf",
    "formats.urdf.writer": "write_urdf",
    "formats.mjcf.reader": "read_mjcf",
    "formats.scenes": "read_scene",
    "formats.mjcf.writer": "write_mjcf",
    "formats.dh.reader": "read_dh",
    "formats.sdf.reader": "read_sdf",
    "formats.osim.reader": "read_osim",
    "formats.usd.reader": "read_usd",
    "formats.motion": "Recording read_motion",
    "formats.sdf.writer": "write_sdf",
    "formats.convert": "convert",
    "dynamics.dispatch": "SingularMassMatrix",
    "dynamics.forces": "bias_force forward_dynamics gravity_force hybrid_dynamics inverse_dynamics passive_force",
    "dynamics.charted": "Charted",
    "dynamics.gauss": "gauss",
    "dynamics.joint_wrenches": "joint_wrenches",
    "dynamics.matrices": "coriolis_matrix mass_matrix",
    "dynamics.kinematics": "acceleration forward_kinematics jacobian jacobian_rate motion velocity",
    "dynamics.inverse_kinematics": "Target Unreachable inverse_kinematics",
    "dynamics.arm_kinematics": "all_inverse_kinematics workspace",
    "dynamics.momentum": "center_of_mass kinetic_energy momentum momentum_matrix momentum_rate potential_energy spring_energy",
    "dynamics.derivatives": "forward_dynamics_derivatives inverse_dynamics_derivatives",
    "dynamics.regressor": "inertial_parameters regressor",
    "dynamics.base_parameters": "base_parameters",
    "constraints.custom": "Custom",
    "constraints.kinds": "Blade Coupled Distance LoopClosure PointContact Rolling SurfaceContact",
    "constraints.keel": "Keel",
    "geometry.shapes.box": "Box",
    "geometry.shapes.capsule": "Capsule",
    "geometry.shapes.cylinder": "Cylinder",
    "geometry.shapes.ellipsoid": "Ellipsoid",
    "geometry.shapes.height_field": "HeightField",
    "geometry.shapes.plane": "Plane",
    "geometry.shapes.sphere": "Sphere",
    "geometry.shapes.steps": "Steps",
    "geometry.decomposition": "convex_parts",
    "contact.decomposed": "decomposed",
    "geometry.shapes.hull": "Hull",
    "geometry.shapes.torus": "Torus",
    "contact.materials": "pair_materials",
    "contact.touch": "Ground Touch balls between boxes",
    "contact.bodies": "BodyContacts Solid",
    "contact.pairs": "collision_pairs",
    "contact.separation": "separation",
    "contact.self_collisions": "self_collisions",
    "locomotion.on_ground": "on_ground",
    "forces.water.fluid": "Fluid",
    "forces.water.buoyancy": "Buoyancy",
    "forces.water.added": "AddedMass",
    "forces.water.drag": "Drag",
    "forces.soft_ground": "SoftGround",
    "forces.loads": "Load",
    "forces.magnets": "Magnet",
    "forces.springs": "Spring",
    "forces.cables": "Cable",
    "forces.paths": "path_lengths",
    "forces.skeletal_muscles": "SkeletalMuscle",
    "forces.user": "force",
    "actuation.controllers": "PD Sampled",
    "actuation.following": "ComputedTorque FeedForward Servo",
    "drives.kinds.constant": "Constant",
    "drives.kinds.cycloid": "Cycloid",
    "drives.kinds.fourier": "Fourier",
    "drives.kinds.function": "Function",
    "drives.kinds.polynomial": "Polynomial",
    "drives.kinds.sine": "Sine",
    "drives.kinds.spline": "Spline",
    "actuation.actuators": "Chamber Muscle Tendon",
    "drives.strains": "StrainField StrainWave",
    "runs.compare": "compare",
    "runs.extend": "join",
    "runs.runner": "RunFailed",
    "methods.events.when": "When",
    "runs.trajectory": "Trajectory",
    "methods.events.event": "Event",
    "locomotion.limit_cycle": "NoLimitCycle limit_cycle",
    "locomotion.problem": "Locomotion",
    "locomotion.scene": "load_scene",
    "locomotion.sensors": "sensor_readings",
    "locomotion.recorded": "forces_of_motion",
    "locomotion.self_stress": "NoReactions",
    "compiled.compile": "compile",
    "compiled.rollout": "rollout",
    "compiled.c_code": "write_c",
    "gradients.gradient": "gradient",
    "gradients.goals": "at_end at_time goal integral",
    "identification.identify": "identify",
    "identification.measured": "Measured",
    "identification.readers": "read_measured",
    "identification.sensors": "Sensor",
    "locomotion.linearization": "linearize",
    "locomotion.continuation": "equilibrium_path",
    "locomotion.contact_forces": "NoContactForce",
    "locomotion.statics": "NoEquilibrium equilibrium modes",
    "symbolic.casadi_model": "symbolic",
    "symbolic.casadi_problem": "symbolic_problem",
    "symbolic.counts": "operation_count",
    "symbolic.equations": "equations",
    "reopen": "open_run resume",
    "sweeps.axes": "span",
    "sweeps.optimize": "optimize",
    "sweeps.sweep": "sweep",
}
GROUPS = {
    "control": {
        "control.whole_body.charted": "in_chart",
        "control.whole_body.clearances": "Clearance",
        "control.whole_body.contacts": "Contact rectangle",
        "control.whole_body.controller": "WholeBody",
        "control.whole_body.humanoids": "Humanoid",
        "control.whole_body.machine": "ContactMachine Phase",
        "control.whole_body.plants": "CompliantPlant",
        "control.whole_body.schedule": "ContactSchedule ContactState",
        "control.whole_body.planner": "Change ContactPlan Support plan_contacts",
        "control.whole_body.stances": "find_stance hold_stance support_region",
        "control.whole_body.tasks": "AngularMomentum CenterOfMass Frame LookAt Posture",
    },
    "rods": {
        "model.flexible.along": "Along",
        "model.flexible.modes": "Modes",
        "model.flexible.finite_elements": "FiniteElements",
        "formats.finite_elements": "read_finite_elements write_finite_elements",
        "model.flexible.cross_sections": "Cone SectionConstants",
        "model.flexible.tabulated": "Tabulated",
        "model.flexible.segments": "segments",
        "model.flexible.bases": "BSplines BeamModes Harmonics Legendre Pieces Points",
        "actuation.actuators": "StrainLaw",
        "runs.rod_accuracy": "RodAccuracy rod_accuracy",
        "runs.rod_fields": "ContactField ReactionField RodFields contact_field reaction_field rod_fields",
        "dynamics.sections": "Sections deformed section_forces sections",
    },
    "water": {
        "forces.flows.fields": "Gust Shear Uniform",
        "forces.water.panels": "Outline",
        "forces.flows.vortices": "KarmanStreet Vortex",
        "locomotion.perfect_fluid": "PerfectFluid",
        "forces.water.vorticity": "vortex_impulse",
        "locomotion.wake": "wake_balance",
        "forces.flows.user": "flow",
        "forces.flows.grid": "Grid",
        "forces.water.added_mass": "EllipticCylinder",
        "forces.water.drag": "SlenderDrag StokesDrag",
        "forces.water.resistive": "Resistive",
        "forces.water.spheres": "ViscousSpheres",
        "forces.water.lighthill": "Lighthill Segment",
        "forces.water.wing": "Wing",
        "forces.water.plate": "Plate",
        "forces.granular": "Granular Scales",
        "forces.intrusion": "Intrusion",
        "forces.water.section_drag": "SectionDrag",
    },
    "bridges": {
        "bridges.functions": "evaluation_function model_function rollout_function",
        "bridges.casadi_bridge": "to_casadi",
        "bridges.torch_bridge": "to_torch",
        "bridges.jax_bridge": "to_jax",
    },
    "gaits": {
        "gaits.bounds": "bound",
        "gaits.gait": "Gait",
        "gaits.families": "family",
        "gaits.local_form": "NoConnection",
        "gaits.net_motion": "displacement",
        "gaits.optimisation": "optimize",
        "gaits.inverse_locomotion": "OutOfReach reach",
        "gaits.following": "follow",
        "gaits.from_data": "fit",
        "gaits.obstacles": "Obstacle Wall",
        "gaits.oscillators": "Hopf Kuramoto Matsuoka neighbours waves",
        "gaits.rhythms": "entrained legs rhythm",
        "gaits.reachability": "reachable",
        "gaits.tracking": "track",
    },
    "learning": {
        "learning.task": "Task TaskError",
        "learning.vector_env": "VectorEnv",
        "learning.env": "Env register",
        "learning.heights": "Heights",
        "learning.ready": "task_of",
    },
    "sweeps": {"sweeps.axes": "SweepError draws latin_hypercube read_points sobol"},
}
RESULTS = {  # classes of results, which users never construct: documented, not exported
    "contact.self_collisions": "NearPair",
    "contact.separation": "Separation",
    "dynamics.inverse_kinematics": "Reached",
    "dynamics.arm_kinematics": "ArmSolutions",
    "dynamics.gauss": "GaussFunction",
    "locomotion.limit_cycle": "LimitCycle",
    "locomotion.continuation": "EquilibriumPath",
    "locomotion.statics": "Equilibrium ModeShapes",
    "locomotion.wake": "WakeBalance",
    "compiled.compile": "Compiled",
    "compiled.rollout": "Rollouts",
    "compiled.copies": "Copies",
    "sweeps.axes": "SweepPoints",
    "sweeps.optimize": "Optimum",
    "sweeps.table": "SweepTable",
    "gradients.goals": "Goal",
    "gradients.sensitivity": "Sensitivity",
    "gradients.slopes": "Slopes Switch",
    "gaits.bounds": "Bound",
    "gaits.orbits": "Orbit",
    "gaits.families": "Family",
    "gaits.fields": "ConnectionField",
    "gaits.frames": "BestFrame",
    "identification.identified": "Identified",
    "bridges.functions": "SlopedFunction",
    "gaits.net_motion": "Displacement",
    "gaits.holonomy": "Holonomy",
    "gaits.reachability": "RestToRest",
    "gaits.optimisation": "Best",
    "gaits.inverse_locomotion": "Plan",
    "gaits.rhythms": "Rhythm",
    "gaits.following": "Followed",
    "gaits.from_data": "Fitted Predicted",
    "gaits.tracking": "Tracked",
}
FOLDERS = ["bridges", "control", "denoc", "gaits", "learning", "rods", "sweeps", "systems", "water"]


def homes(group: str = "") -> dict[str, str]:
    """Module of each public name of a group, or of the package itself."""
    return _by_name(GROUPS.get(group, {}) if group else FLAT)


def path_of(name: str) -> str:
    """How a user writes a public name: "lo.Rod", "lo.water.Wing"; "" if there is none."""
    if name in homes():
        return f"lo.{name}"
    return next((f"lo.{group}.{name}" for group in GROUPS if name in homes(group)), "")


def find(name: str) -> Any:
    """A public name, or a class of results, whatever its group; KeyError if there is none."""
    tables = (FLAT, *GROUPS.values(), RESULTS)
    module = next((found[name] for found in map(_by_name, tables) if name in found), None)
    if module is None:
        raise KeyError(name)
    return getattr(importlib.import_module(module), name)


def everything() -> dict[str, Any]:
    """All public names, "Rod" or "water.Wing", and what they stand for."""
    package = importlib.import_module("locomote")
    found = {name: getattr(package, name) for name in homes()}
    for group in GROUPS:
        folder = getattr(package, group)
        found |= {f"{group}.{name}": getattr(folder, name) for name in folder.__all__}
    return found


def _by_name(modules: dict[str, str]) -> dict[str, str]:
    return {name: f"locomote.{module}" for module, names in modules.items() for name in names.split()}


def attach(
    group: str = "", own: Sequence[str] = (), *, finite: bool = False
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a group, or of the package itself.

    own : names that it has imported already, which are handed out at once: some are called like their files, and Python would
        give the file instead ; finite : whether functions among these give finite numbers
    """
    package = f"locomote.{group}" if group else "locomote"
    home = homes(group)
    public: list[str] = sorted([*home, *own, *([] if group else FOLDERS)])

    def hand_out(module: str, name: str, finite: bool) -> Any:
        value = getattr(importlib.import_module(module), name)
        if callable(value):
            label = f"{group}.{name}" if group else name
            value = importlib.import_module("locomote.arguments").guarded(value, label, finite=finite)
            setattr(sys.modules[module], name, value)  # one function in both places, so that it can be pickled
        setattr(sys.modules[package], name, value)
        return value

    def load(name: str) -> Any:
        if name in home:
            return hand_out(home[name], name, False)
        if group or name not in FOLDERS:
            hint = f"; it is {path_of(name)}" if path_of(name) else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        value = importlib.import_module(f"locomote.{name}")
        setattr(sys.modules[package], name, value)
        return value

    for name in own:
        value = getattr(sys.modules[package], name)
        if callable(value):
            hand_out(value.__module__, name, finite)
    return load, lambda: public, public
