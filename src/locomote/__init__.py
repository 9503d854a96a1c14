"""Dynamics of everything that moves by changing its shape.

`import locomote as lo`; every public name is listed in PUBLIC below and loaded when first used.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

PUBLIC = {
    "locomote.errors": ["FileError", "LocomoteError", "ModelError", "UnknownName"],
    "locomote.spatial.inertia": ["Inertia"],
    "locomote.spatial.charts": ["chart"],
    "locomote.spatial.charts_own": ["own_chart"],
    "locomote.model.description": ["Body", "Coupling", "Description", "Joint", "Visual"],
    "locomote.model.model": ["Model"],
    "locomote.model.builder": ["Builder"],
    "locomote.model.flexible.along": ["Along"],
    "locomote.model.flexible.modes": ["Modes"],
    "locomote.model.flexible.finite_elements": ["FiniteElements"],
    "locomote.formats.finite_elements": ["read_finite_elements", "write_finite_elements"],
    "locomote.model.flexible.cross_sections": ["Cone", "Material", "Section", "SectionConstants"],
    "locomote.model.flexible.rods": ["Rod"],
    "locomote.model.flexible.tabulated": ["Tabulated"],
    "locomote.model.flexible.segments": ["segments"],
    "locomote.model.flexible.bases": ["BSplines", "BeamModes", "Harmonics", "Legendre", "Pieces", "Points"],
    "locomote.model.edit": ["add", "lock", "remove"],
    "locomote.formats.load": ["load"],
    "locomote.formats.save": ["save"],
    "locomote.formats.urdf": ["read_urdf"],
    "locomote.formats.write_urdf": ["write_urdf"],
    "locomote.formats.mjcf": ["read_mjcf"],
    "locomote.formats.write_mjcf": ["write_mjcf"],
    "locomote.formats.dh": ["read_dh"],
    "locomote.formats.convert": ["convert"],
    "locomote.dynamics.dispatch": ["SingularMassMatrix"],
    "locomote.dynamics.forces": [
        "bias_force", "forward_dynamics", "gravity_force", "hybrid_dynamics", "inverse_dynamics", "passive_force",
    ],
    "locomote.dynamics.charted": ["Charted"],
    "locomote.dynamics.joint_wrenches": ["joint_wrenches"],
    "locomote.dynamics.matrices": ["coriolis_matrix", "mass_matrix"],
    "locomote.dynamics.kinematics": [
        "acceleration", "forward_kinematics", "jacobian", "jacobian_rate", "motion", "velocity",
    ],
    "locomote.dynamics.inverse_kinematics": ["Reached", "Target", "Unreachable", "inverse_kinematics"],
    "locomote.dynamics.arm_kinematics": ["ArmSolutions", "all_inverse_kinematics", "workspace"],
    "locomote.dynamics.momentum": [
        "center_of_mass", "kinetic_energy", "momentum", "momentum_matrix", "momentum_rate", "potential_energy", "spring_energy",
    ],
    "locomote.dynamics.derivatives": ["forward_dynamics_derivatives", "inverse_dynamics_derivatives"],
    "locomote.dynamics.regressor": ["inertial_parameters", "regressor"],
    "locomote.dynamics.base_parameters": ["base_parameters"],
    "locomote.constraints.kinds": [
        "Blade", "Coupled", "Custom", "Distance", "LoopClosure", "PointContact", "Rolling", "SurfaceContact",
    ],
    "locomote.constraints.keel": ["Keel"],
    "locomote.geometry.surfaces": ["Box", "Capsule", "Cylinder", "Ellipsoid", "HeightField", "Plane", "Sphere", "Steps"],
    "locomote.contact.touch": ["Ground", "Touch", "balls", "between", "boxes"],
    "locomote.forces.water.fluid": ["Fluid"],
    "locomote.forces.flows.fields": ["Gust", "Shear", "Uniform"],
    "locomote.forces.water.panels": ["Outline"],
    "locomote.forces.flows.vortices": ["KarmanStreet", "Vortex"],
    "locomote.locomotion.perfect_fluid": ["PerfectFluid"],
    "locomote.forces.flows.user": ["flow"],
    "locomote.forces.flows.grid": ["Grid"],
    "locomote.forces.water.buoyancy": ["Buoyancy"],
    "locomote.forces.water.added_mass": ["EllipticCylinder"],
    "locomote.forces.water.added": ["AddedMass"],
    "locomote.forces.water.drag": ["Drag", "SlenderDrag", "StokesDrag"],
    "locomote.forces.water.resistive": ["Resistive"],
    "locomote.forces.water.spheres": ["ViscousSpheres"],
    "locomote.forces.water.lighthill": ["Lighthill", "Segment"],
    "locomote.forces.water.wing": ["Wing"],
    "locomote.forces.water.plate": ["Plate"],
    "locomote.forces.granular": ["Granular", "Scales"],
    "locomote.forces.intrusion": ["Intrusion"],
    "locomote.forces.water.section_drag": ["SectionDrag"],
    "locomote.forces.soft_ground": ["SoftGround"],
    "locomote.forces.loads": ["Load"],
    "locomote.forces.springs": ["Spring"],
    "locomote.forces.user": ["force"],
    "locomote.actuation.controllers": ["PD", "Sampled"],
    "locomote.actuation.following": ["ComputedTorque", "FeedForward", "Servo"],
    "locomote.drives.drives": ["Constant", "Cycloid", "Function", "Polynomial", "Sine", "Spline"],
    "locomote.actuation.actuators": ["Chamber", "Muscle", "StrainLaw", "Tendon"],
    "locomote.drives.strains": ["StrainField", "StrainWave"],
    "locomote.runs.compare": ["compare"],
    "locomote.runs.extend": ["join"],
    "locomote.runs.rod_accuracy": ["RodAccuracy", "rod_accuracy"],
    "locomote.runs.rod_fields": ["ContactField", "ReactionField", "RodFields", "contact_field", "reaction_field", "rod_fields"],
    "locomote.runs.runner": ["RunFailed"],
    "locomote.methods.events.when": ["When"],
    "locomote.runs.trajectory": ["Trajectory"],
    "locomote.methods.events.event": ["Event"],
    "locomote.locomotion.limit_cycle": ["LimitCycle", "NoLimitCycle", "limit_cycle"],
    "locomote.locomotion.problem": ["Locomotion"],
    "locomote.locomotion.start": ["InconsistentStart"],
    "locomote.control.whole_body.clearances": ["Clearance"],
    "locomote.control.whole_body.contacts": ["Contact", "rectangle"],
    "locomote.control.whole_body.controller": ["WholeBody"],
    "locomote.control.whole_body.humanoids": ["Humanoid"],
    "locomote.control.whole_body.machine": ["ContactMachine", "Phase"],
    "locomote.control.whole_body.plants": ["CompliantPlant"],
    "locomote.control.whole_body.schedule": ["ContactSchedule", "ContactState"],
    "locomote.control.whole_body.stances": ["find_stance", "hold_stance", "support_region"],
    "locomote.control.whole_body.tasks": ["AngularMomentum", "CenterOfMass", "Frame", "LookAt", "Posture"],
    "locomote.compiled.compile": ["Compiled", "compile"],
    "locomote.compiled.rollout": ["Rollouts", "rollout"],
    "locomote.compiled.c_code": ["write_c"],
    "locomote.locomotion.linearization": ["linearize"],
    "locomote.locomotion.continuation": ["EquilibriumPath", "equilibrium_path"],
    "locomote.locomotion.statics": ["Equilibrium", "ModeShapes", "NoEquilibrium", "equilibrium", "modes"],
    "locomote.dynamics.sections": ["Sections", "deformed", "section_forces", "sections"],
    "locomote.symbolic.casadi_model": ["symbolic"],
    "locomote.symbolic.casadi_problem": ["symbolic_problem"],
    "locomote.symbolic.counts": ["operation_count"],
    "locomote.symbolic.equations": ["equations"],
    "locomote.reopen": ["open_run", "resume"],
}  # fmt: skip
FOLDERS = ["control", "denoc", "systems"]
_HOME = {name: module for module, names in PUBLIC.items() for name in names}

__all__ = [*sorted([*_HOME, *FOLDERS]), "__version__"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str):
    if name in _HOME:
        home = importlib.import_module(_HOME[name])
        value = importlib.import_module("locomote.arguments").guarded(getattr(home, name), name)
        setattr(home, name, value)  # one function in both places, so that it can be pickled
    elif name in FOLDERS:
        value = importlib.import_module(f"locomote.{name}")
    else:
        raise AttributeError(f"module 'locomote' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return __all__


if TYPE_CHECKING:  # the same names once more, for type checkers and editors; a test compares the two
    from locomote import control as control
    from locomote import denoc as denoc
    from locomote import systems as systems
    from locomote.actuation.actuators import Chamber as Chamber
    from locomote.actuation.actuators import Muscle as Muscle
    from locomote.actuation.actuators import StrainLaw as StrainLaw
    from locomote.actuation.actuators import Tendon as Tendon
    from locomote.actuation.controllers import PD as PD
    from locomote.actuation.controllers import Sampled as Sampled
    from locomote.actuation.following import ComputedTorque as ComputedTorque
    from locomote.actuation.following import FeedForward as FeedForward
    from locomote.actuation.following import Servo as Servo
    from locomote.compiled.c_code import write_c as write_c
    from locomote.compiled.compile import Compiled as Compiled
    from locomote.compiled.compile import compile as compile
    from locomote.compiled.rollout import Rollouts as Rollouts
    from locomote.compiled.rollout import rollout as rollout
    from locomote.constraints.keel import Keel as Keel
    from locomote.constraints.kinds import Blade as Blade
    from locomote.constraints.kinds import Coupled as Coupled
    from locomote.constraints.kinds import Custom as Custom
    from locomote.constraints.kinds import Distance as Distance
    from locomote.constraints.kinds import LoopClosure as LoopClosure
    from locomote.constraints.kinds import PointContact as PointContact
    from locomote.constraints.kinds import Rolling as Rolling
    from locomote.constraints.kinds import SurfaceContact as SurfaceContact
    from locomote.contact.touch import Ground as Ground
    from locomote.contact.touch import Touch as Touch
    from locomote.contact.touch import balls as balls
    from locomote.contact.touch import between as between
    from locomote.contact.touch import boxes as boxes
    from locomote.control.whole_body.clearances import Clearance as Clearance
    from locomote.control.whole_body.contacts import Contact as Contact
    from locomote.control.whole_body.contacts import rectangle as rectangle
    from locomote.control.whole_body.controller import WholeBody as WholeBody
    from locomote.control.whole_body.humanoids import Humanoid as Humanoid
    from locomote.control.whole_body.machine import ContactMachine as ContactMachine
    from locomote.control.whole_body.machine import Phase as Phase
    from locomote.control.whole_body.plants import CompliantPlant as CompliantPlant
    from locomote.control.whole_body.schedule import ContactSchedule as ContactSchedule
    from locomote.control.whole_body.schedule import ContactState as ContactState
    from locomote.control.whole_body.stances import find_stance as find_stance
    from locomote.control.whole_body.stances import hold_stance as hold_stance
    from locomote.control.whole_body.stances import support_region as support_region
    from locomote.control.whole_body.tasks import AngularMomentum as AngularMomentum
    from locomote.control.whole_body.tasks import CenterOfMass as CenterOfMass
    from locomote.control.whole_body.tasks import Frame as Frame
    from locomote.control.whole_body.tasks import LookAt as LookAt
    from locomote.control.whole_body.tasks import Posture as Posture
    from locomote.drives.drives import Constant as Constant
    from locomote.drives.drives import Cycloid as Cycloid
    from locomote.drives.drives import Function as Function
    from locomote.drives.drives import Polynomial as Polynomial
    from locomote.drives.drives import Sine as Sine
    from locomote.drives.drives import Spline as Spline
    from locomote.drives.strains import StrainField as StrainField
    from locomote.drives.strains import StrainWave as StrainWave
    from locomote.dynamics.arm_kinematics import ArmSolutions as ArmSolutions
    from locomote.dynamics.arm_kinematics import all_inverse_kinematics as all_inverse_kinematics
    from locomote.dynamics.arm_kinematics import workspace as workspace
    from locomote.dynamics.base_parameters import base_parameters as base_parameters
    from locomote.dynamics.charted import Charted as Charted
    from locomote.dynamics.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
    from locomote.dynamics.derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
    from locomote.dynamics.dispatch import SingularMassMatrix as SingularMassMatrix
    from locomote.dynamics.forces import bias_force as bias_force
    from locomote.dynamics.forces import forward_dynamics as forward_dynamics
    from locomote.dynamics.forces import gravity_force as gravity_force
    from locomote.dynamics.forces import hybrid_dynamics as hybrid_dynamics
    from locomote.dynamics.forces import inverse_dynamics as inverse_dynamics
    from locomote.dynamics.forces import passive_force as passive_force
    from locomote.dynamics.inverse_kinematics import Reached as Reached
    from locomote.dynamics.inverse_kinematics import Target as Target
    from locomote.dynamics.inverse_kinematics import Unreachable as Unreachable
    from locomote.dynamics.inverse_kinematics import inverse_kinematics as inverse_kinematics
    from locomote.dynamics.joint_wrenches import joint_wrenches as joint_wrenches
    from locomote.dynamics.kinematics import acceleration as acceleration
    from locomote.dynamics.kinematics import forward_kinematics as forward_kinematics
    from locomote.dynamics.kinematics import jacobian as jacobian
    from locomote.dynamics.kinematics import jacobian_rate as jacobian_rate
    from locomote.dynamics.kinematics import motion as motion
    from locomote.dynamics.kinematics import velocity as velocity
    from locomote.dynamics.matrices import coriolis_matrix as coriolis_matrix
    from locomote.dynamics.matrices import mass_matrix as mass_matrix
    from locomote.dynamics.momentum import center_of_mass as center_of_mass
    from locomote.dynamics.momentum import kinetic_energy as kinetic_energy
    from locomote.dynamics.momentum import momentum as momentum
    from locomote.dynamics.momentum import momentum_matrix as momentum_matrix
    from locomote.dynamics.momentum import momentum_rate as momentum_rate
    from locomote.dynamics.momentum import potential_energy as potential_energy
    from locomote.dynamics.momentum import spring_energy as spring_energy
    from locomote.dynamics.regressor import inertial_parameters as inertial_parameters
    from locomote.dynamics.regressor import regressor as regressor
    from locomote.dynamics.sections import Sections as Sections
    from locomote.dynamics.sections import deformed as deformed
    from locomote.dynamics.sections import section_forces as section_forces
    from locomote.dynamics.sections import sections as sections
    from locomote.errors import FileError as FileError
    from locomote.errors import LocomoteError as LocomoteError
    from locomote.errors import ModelError as ModelError
    from locomote.errors import UnknownName as UnknownName
    from locomote.forces.flows.fields import Gust as Gust
    from locomote.forces.flows.fields import Shear as Shear
    from locomote.forces.flows.fields import Uniform as Uniform
    from locomote.forces.flows.grid import Grid as Grid
    from locomote.forces.flows.user import flow as flow
    from locomote.forces.flows.vortices import KarmanStreet as KarmanStreet
    from locomote.forces.flows.vortices import Vortex as Vortex
    from locomote.forces.granular import Granular as Granular
    from locomote.forces.granular import Scales as Scales
    from locomote.forces.intrusion import Intrusion as Intrusion
    from locomote.forces.loads import Load as Load
    from locomote.forces.soft_ground import SoftGround as SoftGround
    from locomote.forces.springs import Spring as Spring
    from locomote.forces.user import force as force
    from locomote.forces.water.added import AddedMass as AddedMass
    from locomote.forces.water.added_mass import EllipticCylinder as EllipticCylinder
    from locomote.forces.water.buoyancy import Buoyancy as Buoyancy
    from locomote.forces.water.drag import Drag as Drag
    from locomote.forces.water.drag import SlenderDrag as SlenderDrag
    from locomote.forces.water.drag import StokesDrag as StokesDrag
    from locomote.forces.water.fluid import Fluid as Fluid
    from locomote.forces.water.lighthill import Lighthill as Lighthill
    from locomote.forces.water.lighthill import Segment as Segment
    from locomote.forces.water.panels import Outline as Outline
    from locomote.forces.water.plate import Plate as Plate
    from locomote.forces.water.resistive import Resistive as Resistive
    from locomote.forces.water.section_drag import SectionDrag as SectionDrag
    from locomote.forces.water.spheres import ViscousSpheres as ViscousSpheres
    from locomote.forces.water.wing import Wing as Wing
    from locomote.formats.convert import convert as convert
    from locomote.formats.dh import read_dh as read_dh
    from locomote.formats.finite_elements import read_finite_elements as read_finite_elements
    from locomote.formats.finite_elements import write_finite_elements as write_finite_elements
    from locomote.formats.load import load as load
    from locomote.formats.mjcf import read_mjcf as read_mjcf
    from locomote.formats.save import save as save
    from locomote.formats.urdf import read_urdf as read_urdf
    from locomote.formats.write_mjcf import write_mjcf as write_mjcf
    from locomote.formats.write_urdf import write_urdf as write_urdf
    from locomote.geometry.surfaces import Box as Box
    from locomote.geometry.surfaces import Capsule as Capsule
    from locomote.geometry.surfaces import Cylinder as Cylinder
    from locomote.geometry.surfaces import Ellipsoid as Ellipsoid
    from locomote.geometry.surfaces import HeightField as HeightField
    from locomote.geometry.surfaces import Plane as Plane
    from locomote.geometry.surfaces import Sphere as Sphere
    from locomote.geometry.surfaces import Steps as Steps
    from locomote.locomotion.continuation import EquilibriumPath as EquilibriumPath
    from locomote.locomotion.continuation import equilibrium_path as equilibrium_path
    from locomote.locomotion.limit_cycle import LimitCycle as LimitCycle
    from locomote.locomotion.limit_cycle import NoLimitCycle as NoLimitCycle
    from locomote.locomotion.limit_cycle import limit_cycle as limit_cycle
    from locomote.locomotion.linearization import linearize as linearize
    from locomote.locomotion.perfect_fluid import PerfectFluid as PerfectFluid
    from locomote.locomotion.problem import Locomotion as Locomotion
    from locomote.locomotion.start import InconsistentStart as InconsistentStart
    from locomote.locomotion.statics import Equilibrium as Equilibrium
    from locomote.locomotion.statics import ModeShapes as ModeShapes
    from locomote.locomotion.statics import NoEquilibrium as NoEquilibrium
    from locomote.locomotion.statics import equilibrium as equilibrium
    from locomote.locomotion.statics import modes as modes
    from locomote.methods.events.event import Event as Event
    from locomote.methods.events.when import When as When
    from locomote.model.builder import Builder as Builder
    from locomote.model.description import Body as Body
    from locomote.model.description import Coupling as Coupling
    from locomote.model.description import Description as Description
    from locomote.model.description import Joint as Joint
    from locomote.model.description import Visual as Visual
    from locomote.model.edit import add as add
    from locomote.model.edit import lock as lock
    from locomote.model.edit import remove as remove
    from locomote.model.flexible.along import Along as Along
    from locomote.model.flexible.bases import BeamModes as BeamModes
    from locomote.model.flexible.bases import BSplines as BSplines
    from locomote.model.flexible.bases import Harmonics as Harmonics
    from locomote.model.flexible.bases import Legendre as Legendre
    from locomote.model.flexible.bases import Pieces as Pieces
    from locomote.model.flexible.bases import Points as Points
    from locomote.model.flexible.cross_sections import Cone as Cone
    from locomote.model.flexible.cross_sections import Material as Material
    from locomote.model.flexible.cross_sections import Section as Section
    from locomote.model.flexible.cross_sections import SectionConstants as SectionConstants
    from locomote.model.flexible.finite_elements import FiniteElements as FiniteElements
    from locomote.model.flexible.modes import Modes as Modes
    from locomote.model.flexible.rods import Rod as Rod
    from locomote.model.flexible.segments import segments as segments
    from locomote.model.flexible.tabulated import Tabulated as Tabulated
    from locomote.model.model import Model as Model
    from locomote.reopen import open_run as open_run
    from locomote.reopen import resume as resume
    from locomote.runs.compare import compare as compare
    from locomote.runs.extend import join as join
    from locomote.runs.rod_accuracy import RodAccuracy as RodAccuracy
    from locomote.runs.rod_accuracy import rod_accuracy as rod_accuracy
    from locomote.runs.rod_fields import ContactField as ContactField
    from locomote.runs.rod_fields import ReactionField as ReactionField
    from locomote.runs.rod_fields import RodFields as RodFields
    from locomote.runs.rod_fields import contact_field as contact_field
    from locomote.runs.rod_fields import reaction_field as reaction_field
    from locomote.runs.rod_fields import rod_fields as rod_fields
    from locomote.runs.runner import RunFailed as RunFailed
    from locomote.runs.trajectory import Trajectory as Trajectory
    from locomote.spatial.charts import chart as chart
    from locomote.spatial.charts_own import own_chart as own_chart
    from locomote.spatial.inertia import Inertia as Inertia
    from locomote.symbolic.casadi_model import symbolic as symbolic
    from locomote.symbolic.casadi_problem import symbolic_problem as symbolic_problem
    from locomote.symbolic.counts import operation_count as operation_count
    from locomote.symbolic.equations import equations as equations
