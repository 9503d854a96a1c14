"""A valid call of every public name, made from its signature: arguments by their names, or as told here for one name.

A new public name joins by itself, as long as its arguments have names that are known here; else the test asks for them.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np

import locomote as lo
from locomote import public
from locomote.formats.registry import formats
from locomote.gaits.families import Family

BOX = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
BALL = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.05)).build()
ARM = (
    lo.Builder("arm")
    .body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=BOX)
    .body("fore", parent="upper", joint=lo.Joint("elbow", axis="y"), at=(0.3, 0, 0), inertia=BOX)
    .build()
)
SECTION, MATERIAL = lo.Section.circle(0.01), lo.Material(1000, 1e6)
ROD = lo.Rod(0.5, SECTION, MATERIAL, strains="bending_z", order=2)
SOFT = lo.Builder("soft").body("tail", flex=ROD).build()
POINTS = lo.Rod(1.0, SECTION, MATERIAL, strains="bending_z", basis={"bending_z": lo.rods.Points()}, nodes=4)
SNAKE = lo.Builder("snake", base="planar").body("s", flex=POINTS).build()
WATER = lo.Fluid(1000.0, viscosity=1e-3)
WAVE = lo.StrainWave(amplitude=1.0, wavelength=0.8, rate=2.0)
TWO = np.zeros(2)
AT_REST = {"q": lambda: np.zeros(2), "v": lambda: np.zeros(2), "a": lambda: np.zeros(2), "tau": lambda: np.zeros(2)}
ALONG = {"body": "ball", "start": (0.0, 0.0, 0.0), "end": (-0.5, 0.0, 0.0)}
TAIL = {"body": "tail", "path": ((0.0, 0.01, 0.0), (0.4, 0.01, 0.0))}
STRING = lo.Path([lo.Via(None, (0.0, 0.0, 0.2)), lo.Via("ball", (0.01, 0.0, 0.0))])
FIBRES = lo.Fibres(10.0, (0.1, 0.2))
PLANE_BALL = lo.Builder("disc", base="planar").body("ball", inertia=lo.Inertia.sphere(1.0, 0.05)).build()


def swimmer():
    return lo.systems.load("purcell_swimmer").problem()


def touching_ball():
    ball = lo.Collision("sphere", (0.1,))
    return lo.Model(replace(BALL.description, bodies=(replace(BALL.description.bodies[0], collisions=(ball,)),)))


def stroke():
    return lo.gaits.Gait({"front": lo.Fourier(0.0, [0.1], rate=1.0), "rear": lo.Fourier(0.0, [], [0.1], rate=1.0)})


def run_of(problem):
    return problem.simulate(0.02, every=0.01, progress=False)


def soft_run():
    return run_of(lo.Locomotion(SOFT))


def field_run():
    return run_of(lo.Locomotion(SNAKE, drives={"s": WAVE}, constraints=[lo.Keel("s", name="some")]))


def touching_run():
    floor = lo.Ground(lo.Plane((0, 0, -0.02)))
    return run_of(
        lo.Locomotion(SOFT, contacts=[lo.Touch("tail", floor, start=0.1, end=0.4, elements=2, sphere=0.01, name="some")])
    )


def recording():
    return lo.Recording(np.arange(8) / 10, {"hinge": np.arange(8) / 100})


def material_touches():
    return [lo.Touch("ball", lo.Ground(material="ice"), sphere=0.05, material="rubber")]


def cycles():
    t = np.arange(1000) / 100
    return t, np.column_stack([np.cos(6.28 * t), np.sin(6.2 * t)]), np.column_stack([np.cos(6.28 * t)] * 3)


def balls():
    return lo.Solid("ball", lo.Sphere(radius=0.05)), lo.Solid(None, lo.Plane((0.0, 0.0, -0.1)))


def stance():
    return lo.systems.load("planar_biped").model


# arguments by name; functions without a name are called anew for each call
ARGUMENTS: dict[str, Any] = AT_REST | {
    "record": lambda: lo.Sine(1.0, 2.0).to_record(),
    "model": ARM, "body": "fore", "problem": lambda: lo.Locomotion(ARM), "system": lambda: lo.Locomotion(ARM),
    "run": soft_run, "name": "some", "t": 0.0, "duration": 0.01, "fluid": WATER, "radius": 0.05, "mass": 1.0, "length": 0.5,
    "count": 2, "density": 1000.0, "stiffness": 10.0, "damping": 1.0, "targets": lambda: {"elbow": 0.1}, "area": 0.1,
    "tension": 1.0, "value": 1.0, "amplitude": 1.0, "rate": 2.0, "velocity": (0.3, 0.0, 0.0), "circulation": 0.06, "core": 0.01,
    "spacing": 0.2, "size": (0.1, 0.2, 0.3), "width": 0.1, "y": 0.01, "z": 0.02, "friction": 0.7, "height": 0.1, "half": 0.1,
    "tube": 0.02,
    "semi_axes": (0.1, 0.2, 0.3), "rod": ROD, "chord": 0.1, "strain": "bending_z", "first": "upper", "second": "fore",
    "segments": lambda: [lo.water.Segment("ball", (0.0, 0, 0), (-0.5, 0, 0), 0.1)], "axis": (0.0, 0.0, 1.0), "young": 1e6,
}  # fmt: skip
# by call: what differs from ARGUMENTS, and what it takes besides
OWN: dict[str, dict[str, Any]] = {
    "AddedMass": {"body": "ball", "shape": lo.Ellipsoid((0.1, 0.1, 0.2)), "point": (0, 0, 0), "rotation": None},
    "Along": {"rod": "tail", "x": 0.2},
    "BSplines": {"count": 5},
    "BodyContacts": {"solids": balls, "pairs": ((0, 1),)},
    "Cable": {"path": STRING, "stiffness": 10.0, "length": 0.1},
    "Fibres": {"force": 10.0, "lengths": (0.1, 0.2)},
    "Path": {"stops": STRING.stops},
    "Pulley": {"divisor": 2.0},
    "Recording": {"time": (0.0, 0.1), "columns": lambda: {"elbow": (0.0, 0.1)}},
    "SkeletalMuscle": {"path": STRING, "fibres": FIBRES, "activation": 0.5},
    "Solid": {"body": "ball", "shape": lo.Sphere(radius=0.05)},
    "Via": {"body": "ball"},
    "Wrap": {"body": None, "shape": "sphere"},
    "convex_parts": {"mesh": ((((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1)))), "tolerance": 0.1},
    "sensor_readings": {
        "scene": lambda: lo.read_scene(PENDULUM), "of": lambda: lo.load_scene(PENDULUM), "q": (0.1,), "v": (0.0,),
    },
    "forces_of_motion": {"scene": lambda: lo.read_scene(PENDULUM), "motion": recording},
    "pair_materials": {"contacts": material_touches, "pairs": lambda: {("rubber", "ice"): 0.1}},
    "path_lengths": {"model": BALL, "paths": lambda: [STRING], "q": BALL.neutral},
    "read_motion": {"path_or_text": "endheader\ntime elbow\n0 0\n1 0\n"},
    "read_srdf": {"path_or_text": "<robot/>"},
    "read_usd": {"path": "nowhere.usda"},
    "Buoyancy": {"body": "ball", "volume": 0.001, "center": (0, 0, 0)},
    "Box": {"half": (0.1, 0.1, 0.1)},
    "boxes": {"half": (0.1, 0.1, 0.1), "other_half": (0.1, 0.1, 0.1)},
    "balls": {"other": 0.1},
    "between": {"shape": lo.Sphere(radius=0.05), "other": lo.Sphere(radius=0.05)},
    "Chamber": {"body": "tail", "pressure": 10.0, "offset": (0.005, 0.0)},
    "Clearance": {"other": "upper", "ends": ((0, 0, 0), (0.1, 0, 0))},
    "Cone": {"root": 0.02, "tip": 0.01},
    "Constant.from_record": {"record": lambda: lo.Constant(1.0).to_record()},
    "Cycloid.from_record": {"record": lambda: lo.Cycloid(0.0, 1.0, 1.0).to_record()},
    "Fourier": {"rate": 2.0, "mean": 0.1, "cosines": (0.1,)},
    "Gait": {"paths": lambda: {"front": lo.Sine(0.1, 2.0)}},
    "bound": {"problem": swimmer, "bounds": (-1.0, 1.0)},
    "displacement": {"problem": swimmer, "gait": stroke},
    "family": {"problem": swimmer, "turns": (0.0,), "goal": "distance"},
    "gaits.optimize": {"problem": swimmer, "goal": "x"},
    "Collision": {"shape": "sphere", "size": (0.1,)},
    "Hull": {"points": lambda: np.eye(4, 3)},
    "Hull.of_mesh": {"path": "nowhere.stl"},
    "separation": {
        "first": lambda: lo.Sphere(radius=0.1), "second": lambda: lo.Sphere(radius=0.2), "pose": lambda: np.eye(4),
        "other_pose": lambda: np.eye(4),
    },
    "on_ground": {"model": touching_ball, "ground": None},
    "Heights": {"problem": lambda: lo.on_ground(touching_ball()), "places": lambda: [[0.1, 0.0]]},
    "Obstacle": {"center": (1.0, 0.0, 0.0), "radius": 0.1},
    "Wall": {"point": (1.0, 0.0, 0.0), "normal": (-1.0, 0.0, 0.0)},
    "reach": {"problem": swimmer, "target": lambda: {"x": 0.0}},
    "reachable": {"problem": swimmer},
    "Fourier.from_record": {"record": lambda: lo.Fourier(0.5, [0.1], rate=2.0).to_record()},
    "Polynomial.from_record": {"record": lambda: lo.Polynomial((0.0, 1.0)).to_record()},
    "Spline.from_record": {"record": lambda: lo.Spline((0.0, 1.0), (0.0, 1.0)).to_record()},
    "Load": {"body": "ball", "force": (1.0, 0.0, 0.0)},
    "Sine": {"rate": 2.0},
    "WholeBody.bring": {"one": lambda: lo.control.CenterOfMass(name="other")},
    "Locomotion.with_contacts": {"contacts": dict},
    "Locomotion.with_parameters": {"values": lambda: {"upper.mass": 2.0}},
    "Locomotion.connection_field": {"region": lambda: {"shoulder": None, "elbow": None}},
    "Model.body": {"name": "fore"},
    "Model.joint": {"name": "elbow"},
    "Trajectory.between": {"start": 0.0, "end": 0.01},
    "Trajectory.plot": {"path": None},
    "Trajectory.save": {"path": "run.h5"},
    "Trajectory.to_csv": {"path": "run.csv"},
    "Trajectory.unit": {"name": "t"},
    "ContactState": {"contacts": ("some",)},
    "ContactSchedule": {"states": lambda: [lo.control.ContactState("a", 1.0, ("ball",)), lo.control.ContactState("b", 1.0,
    ())]},
    "ContactSchedule.from_record": {
        "record": lambda: lo.control.ContactSchedule([lo.control.ContactState("a", 1.0, ("ball",)),
        lo.control.ContactState("b", 1.0, ())]).to_record()
    },
    "Contact": {"body": "ball", "points": ((0.0, 0.0, 0.0),), "normal": (0, 0, 1.0), "friction": 0.7},
    "Coupled": {"ratios": lambda: {"shoulder": 1.0, "elbow": -2.0}},
    "Coupling": {"joint": "elbow", "ratios": (("shoulder", 1.0),)},
    "Custom": {"rows": lambda: lambda t, q, v: np.ones((1, 2))},
    "Cycloid": {"start": 0.0, "end": 1.0},
    "Description": {"bodies": lambda: (lo.Body("a"),)},
    "Distance": {"other": None, "point": (0.1, 0.0, 0.0), "length": None},
    "Drag": {"body": "ball", "spin": 0.0, "point": (0, 0, 0)},
    "EllipticCylinder": {"semi_axes": (0.1, 0.2)},
    "FiniteElements": {"points": lambda: np.eye(3)[:2], "mass": lambda: np.eye(6), "stiffness": lambda: np.eye(6)},
    "Frame": {"body": "ball", "position": (0.0, 0.0, 0.1)},
    "Function": {"position": lambda: np.sin},
    "Granular": ALONG | {"plough": 1.0, "slide": 1.0},
    "Grid": {"velocity": lambda: np.zeros((2, 3, 3, 3, 3)), "origin": (0.0, 0.0, 0.0), "spacing": (1.0, 1.0, 1.0)},
    "Ground": {"surface": lo.Plane()},
    "Harmonics": {"wavelength": 0.5},
    "HeightField": {"function": lambda: lambda x, y: (0.1 * x, 0.1, 0.0, 0.0, 0.0, 0.0)},
    "Humanoid.standing": {"angles": dict, "model": BALL},
    "Humanoid": {"torso": "trunk", "feet": ("left_foot", "right_foot"), "sole": lambda: np.zeros((4, 3))},
    "Inertia.from_parameters": {"parameters": (1.0, 0, 0, 0, 1, 0, 1, 0, 0, 1)},
    "Inertia.rod": {"axis": "x"},
    "Intrusion": {"body": "ball", "points": ((0.0, 0, 0),), "normals": ((0.0, 0, 1),), "areas": 0.01, "level": 1.0},
    "Joint": {"axis": "z"},
    "KarmanStreet": {"stream": (0.3, 0.0, 0.0)},
    "Keel": {"body": "s"},
    "Locomotion": {"drives": lambda: {"elbow": 0.1}},
    "LookAt": {"body": "ball", "target": (1.0, 0.0, 0.0), "axis": (1.0, 0.0, 0.0)},
    "LoopClosure": {"other": None, "kind": "spherical", "frame": (0.1, 0, 0), "other_frame": None},
    "Model": {"description": lambda: ARM.description},
    "Modes": {
        "points": lambda: np.eye(3), "masses": lambda: np.ones(3), "shapes": lambda: np.eye(9)[:2].reshape(2, 3, 3),
        "stiffness": lambda: np.ones(2),
    },
    "Modes.beam": {"section": SECTION, "material": MATERIAL},
    "Modes.cantilever": {"bending": 1.0},
    "Muscle": TAIL | {"force": 1.0, "activation": 0.5},
    "Outline": {"points": lambda: lo.water.Outline.ellipse(1.0, 1.0, panels=8).points},
    "Outline.ellipse": {"a": 1.0, "b": 0.2},
    "PerfectFluid": {"model": PLANE_BALL, "outlines": lambda: {"ball": lo.water.Outline.ellipse(0.5, 0.1)}},
    "Plane.slope": {"angle": 0.1},
    "Plate": {"body": "ball", "root": (0.0, 0.0, 0.0), "tip": (0.0, 0.5, 0.0)},
    "PointContact": {"body": "fore", "directions": "x", "point": (0.1, 0.0, 0.0)},
    "Polynomial": {"coefficients": (0.0, 1.0)},
    "Resistive": ALONG | {"radius": 0.05},
    "Rod": {"section": SECTION, "material": MATERIAL, "strains": "bending_z", "order": 2, "nodes": 4},
    "Rolling": {"body": "ball", "radius": 0.05, "axle": (0.0, 1.0, 0.0)},
    "Sampled": {"function": lambda: lambda t, q, v, *state: np.zeros(2)},
    "Scales": {"body": "ball", "load": 1.0, "forwards": 0.1, "backwards": 0.2, "sideways": 0.3},
    "Section": {"about_y": 1e-4, "about_z": 1e-4, "torsion": 2e-4},
    "SectionConstants": {"bending": 1.0, "inertia": 1e-4},
    "Section.tube": {"outer": 0.02, "inner": 0.01},
    "Segment": ALONG | {"width": 0.05},
    "SlenderDrag": ALONG,
    "SoftGround": {"feet": lambda: {"ball": [(0.0, 0, 0)]}, "stiffness": 1e4, "damping": 1e2},
    "Spline": {"times": (0.0, 0.5, 1.0), "values": (0.0, 1.0, 0.0)},
    "Spring": {"body": "ball", "stiffness": 10.0, "length": 0.1},
    "Steps": {"run": 0.3, "rise": 0.1},
    "StokesDrag": {"body": "ball"},
    "StrainField": {"function": lambda: lambda x, t: 0.1 * t},
    "StrainLaw": {"body": "tail", "stress": lambda: lambda e: 10.0 * e},
    "StrainWave": {"wavelength": 0.8, "rate": 2.0},
    "SurfaceContact": {"frame": (0.1, 0, 0), "target": None},
    "Tabulated": {"x": (0.0, 1.0), "values": (1.0, 2.0)},
    "Target": {"position": (0.3, 0.0, 0.1)},
    "Tendon": TAIL,
    "Touch": {"body": "ball", "ground": lo.Ground(), "sphere": 0.05},
    "ViscousSpheres": {"radii": lambda: {"ball": 0.05}},
    "Visual": {"shape": "box"},
    "When": {"function": lambda: lambda t, q, v: q[0] - 1.0},
    "WholeBody": {"model": BALL, "tasks": lambda: [lo.control.CenterOfMass()],
    "contacts": lambda: [lo.control.Contact("ball")]},
    "Wing": {"body": "ball", "root": (0.0, 0.0, 0.0), "tip": (0.0, 0.5, 0.0)},
    "CompliantPlant": {"model": BALL, "touching": lambda: {"ball": (((0.0, 0, 0),), (0, 0, 1.0), 0.0)}, "q": BALL.neutral},
    "ContactMachine": {
        "control": lambda: lo.control.WholeBody(BALL, [lo.control.CenterOfMass()], [lo.control.Contact("ball")]),
        "phases": lambda: [lo.control.Phase("stand", 0.1)],
    },
    "vortex_impulse": {"lines": lambda: np.eye(2), "circulation": lambda: np.array([1.0, -1.0])},
    "wake_balance": {"run": lambda: lo.Locomotion(BALL).simulate(0.01, progress=False)},
    "add": {"bodies": lambda: lo.Body("hand", "fore", inertia=BOX)},
    "in_chart": {
        "control": lambda: lo.control.WholeBody(BALL, [lo.control.CenterOfMass()], [lo.control.Contact("ball")]),
        "q": BALL.neutral,
        "v": lambda: np.zeros(BALL.nv),
    },
    "all_inverse_kinematics": {"pose": lambda: np.eye(4)},
    "chart": {"name": "zyx"},
    "compare": {"runs": lambda: [soft_run()], "channels": "energy.kinetic"},
    "compile": {"functions": "gravity_force"},
    "contact_field": {"run": touching_run},
    "convert": {"x": TWO, "to": "mujoco"},
    "deformed": {"model": lambda: modal(), "body": "plate", "q": TWO},
    "equations": {"function": "gravity_force"},
    "equilibrium": {"problem": lambda: lo.Locomotion(SOFT), "q": None},
    **{name: {"what": "shoulder.angle"} for name in ("at_end", "integral")},
    "at_time": {"what": "shoulder.angle", "t": 0.001},
    "goal": {"function": lambda: lambda x: (x[0], [1.0]), "parts": lambda: [lo.at_end("shoulder.angle")]},
    "identify": {
        "data": lambda: lo.Measured([0.0, 0.002, 0.004, 0.006], {"shoulder.angle": [0.0] * 4}), "by": "elbow.damping",
        "step": 0.002, "progress": False,
    },
    "Measured": {"t": lambda: [0.0, 0.1], "channels": lambda: {"shoulder.angle": [0.0, 0.1]}},
    "Measured.of_run": {"channels": lambda: ["t"]},
    "read_measured": {"path": "nowhere.csv"},
    "model_function": {"which": "forward_dynamics"},
    "rollout_function": {"goals": lambda: lo.at_end("shoulder.angle"), "by": "v"},
    **dict.fromkeys(
        ("to_casadi", "to_jax", "to_torch"), {"function": lambda: lo.bridges.evaluation_function(lo.Locomotion(ARM))}
    ),
    "gradient": {"goal": lambda: lo.at_end(lambda t, q, v: q[0]), "by": "v", "duration": 0.002, "q": None, "v": None},
    "equilibrium_path": {"problem": lambda: lambda load: lo.Locomotion(SOFT), "steps": 2, "q": None},
    "find_stance": {
        "model": BALL, "contacts": lambda: [lo.control.Contact("ball")], "places": lambda: {"ball": np.eye(4)},
        "posture": BALL.neutral,
    },
    "flow": {"function": lambda: lambda t, x, p: (0.0, 0.0, 0.0)},
    "force": {"function": lambda: lambda t, R, o, u, w: (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)},
    "hold_stance": {"model": BALL, "contacts": lambda: [lo.control.Contact("ball")], "q": BALL.neutral},
    "hybrid_dynamics": {"imposed": lambda: ["elbow"]},
    "inverse_kinematics": {"targets": lambda: lo.Target("fore", (0.3, 0.0, 0.0))},
    "join": {"runs": lambda: [soft_run()]},
    "limit_cycle": {"section": lambda: lo.When(lambda t, q, v: v[0])},
    "load": {"path": "nowhere.urdf"},
    "load_scene": {"path": "nowhere.xml"},
    "read_scene": {"path_or_text": "<mujoco/>"},
    "lock": {"joints": lambda: ["elbow"]},
    "open_run": {"path": "nowhere.h5"},
    "operation_count": {"function": "gravity_force"},
    "own_chart": {"size": 3, "rotation": lambda: lo.chart("zyx").rotation},
    "reaction_field": {"run": field_run},
    "read_dh": {"table": "nowhere.csv"},
    "read_finite_elements": {"path": "nowhere.npz"},
    **{f"read_{form.word}": {"path_or_text": f"<{form.root_tag}/>"} for form in formats() if form.root_tag},
    "resume": {"path": "nowhere.h5"},
    "rod_fields": {"body": "tail"},
    "rollout": {"batch": 2, "duration": 0.002, "q": None, "v": None},
    "save": {"path": "nowhere/arm.urdf"},
    "section_forces": {
        "model": SOFT, "body": "tail", "q": lambda: np.zeros(SOFT.nq), "v": lambda: np.zeros(SOFT.nv),
        "a": lambda: np.zeros(SOFT.nv),
    },
    "sections": {"model": SOFT, "body": "tail", "q": lambda: np.zeros(SOFT.nq)},
    "support_region": {"model": BALL, "contacts": lambda: [lo.control.Contact("ball")], "q": BALL.neutral},
    "span": {"first": 0.0, "last": 1.0},
    **{name: {"ranges": lambda: {"a": (0.0, 1.0)}} for name in ("draws", "latin_hypercube", "sobol")},
    "read_points": {"source": lambda: {"a": [1.0, 2.0]}},
    "sweep": {"make": lambda: lambda a: {"b": 2 * a}, "axes": lambda: {"a": [1.0, 2.0]}, "duration": None},
    "optimize": {
        "make": lambda: lambda a: {"b": a * a}, "ranges": lambda: {"a": (-1.0, 1.0)}, "goal": "b", "evaluations": 12,
        "duration": None, "progress": False,
    },
    "Task": {
        "problem": lambda: lo.Locomotion(ARM), "joints": ("elbow",), "observe": lambda: lambda copies: copies.q,
        "reward": lambda: lambda copies, actions: copies.q[:, 0], "duration": 1.0,
    },
    "VectorEnv": {"task": "cart_pole", "copies": 2},
    "Env": {"task": "cart_pole"},
    "task_of": {"name": "cart_pole"},
    "write_c": {"folder": "nowhere/deep", "functions": "gravity_force"},
    "write_finite_elements": {"model": lambda: lo.rods.FiniteElements(np.eye(3)[:2], np.eye(6), np.eye(6)), "path": "deep.npz"},
}  # fmt: skip


# of lo.control and lo.gaits
OWN |= {
    "Support": {"contact": lambda: lo.control.Contact("ball"), "place": (0.0, 0.0, 0.0)},
    "plan_contacts": {
        "model": BALL, "supports": lambda: supports(), "start": ("here",), "goal": ("here", "there"), "posture": BALL.neutral,
    },
    "Matsuoka": {"inhibition": ((0.0, 2.5), (2.5, 0.0))},
    "entrained": {"network": lambda: lo.gaits.Hopf(2.0), "joints": lambda: {"elbow": 0}},
    "fit": {"records": lambda: records(), "period": 1.0, "harmonics": 1, "repeats": 2},
    "follow": {"problem": lambda: blades(), "body": "head", "curve": lambda: lambda s: (s, 0.0), "samples": 5},
    "legs": {"gait": lambda: lo.control.gait("trot", 4)},
    "neighbours": {"strength": 1.0},
    "rhythm": {"network": lambda: lo.gaits.Hopf(2.0)},
    "track": {"problem": swimmer, "family": lambda: strokes(), "path": ((0.0, 0.0), (1.0, 0.0)), "periods": 1, "ahead": 1},
}  # fmt: skip


def supports():
    """Two places for two contacts of a ball."""
    limbs = {"here": (0.0, 0.0, 0.0), "there": (0.01, 0.0, 0.0)}
    return [lo.control.Support(name, lo.control.Contact("ball", (at,), name=name), at) for name, at in limbs.items()]


def records():
    """Five cycles of two shapes, and velocities in a plane."""
    t = np.arange(100) / 20
    return t, np.sin(2 * np.pi * t[:, None] + (0.0, 1.0)), np.cos(2 * np.pi * t[:, None] + (0.0, 1.0, 2.0))


def blades():
    """Two links on blades."""
    head = lo.Builder("skater", base="planar").body("head", inertia=BOX)
    model = head.body("tail", parent="head", joint=lo.Joint("bend"), at=(-0.5, 0, 0), inertia=BOX).build()
    return lo.Locomotion(model, constraints=[lo.Blade("head"), lo.Blade("tail", (-0.5, 0, 0))])


def strokes():
    """A family of gaits, without the search for it."""
    members = [SimpleNamespace(gait=stroke()), SimpleNamespace(gait=stroke())]
    return Family(np.array([-0.1, 0.1]), np.ones(2), tuple(members), np.ones(2, dtype=bool))


PENDULUM = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/><geom size="0.1" pos="0 0 -1"/></body></worldbody>
</mujoco>"""


def modal():
    shapes = lo.rods.Modes(np.eye(3), np.ones(3), np.eye(9)[:2].reshape(2, 3, 3), np.ones(2))
    return lo.Builder("modal").body("plate", flex=shapes).build()


# results that calls give and nobody makes, and errors
RESULTS = {
    "ArmSolutions", "Compiled", "ContactField", "Equilibrium", "EquilibriumPath", "Event", "Goal", "LimitCycle", "ModeShapes",
    "Optimum", "Reached", "ReactionField", "RodAccuracy", "RodFields", "Rollouts", "Sections", "Slopes", "SweepPoints",
    "SweepTable", "Switch", "Trajectory",
    "Change", "ContactPlan",
}  # fmt: skip
# calls of files that are not there, and of what only refuses
NO_FILE = {
    "Function.from_record", "Hull.of_mesh", "Humanoid.standing", "load", "load_scene", "open_run", "read_finite_elements",
    "read_measured", "read_scene", "resume", "save",
    *(f"read_{form.word}" for form in formats()),
    *(name for name, package in {"to_jax": "jax", "to_torch": "torch"}.items() if find_spec(package) is None),
}  # fmt: skip
# searches that take long for every odd value that they can take, and runs that do what is asked, however long: only what they
# must have is odd
LONG = {
    "all_inverse_kinematics", "base_parameters", "compile", "equations", "equilibrium", "equilibrium_path", "family",
    "gaits.optimize", "gradient", "inverse_kinematics", "limit_cycle", "operation_count", "optimize", "reach", "rollout",
    "sweep", "track", "workspace", "Locomotion.stepper",
}  # fmt: skip
# methods are called of these
RECEIVERS: dict[str, Callable[[], Any]] = {
    "Charted": lambda: lo.Charted(BALL, "quaternion"),
    "Locomotion": lambda: lo.Locomotion(ARM),
    "Model": lambda: ARM,
    "PerfectFluid": lambda: lo.water.PerfectFluid(PLANE_BALL, {"ball": lo.water.Outline.ellipse(0.5, 0.1)}),
    "Trajectory": soft_run,
    "WholeBody": lambda: lo.control.WholeBody(BALL, [lo.control.CenterOfMass()], [lo.control.Contact("ball")]),
}
# methods that are for the library itself, that open windows, or that a test of their own covers
NOT_CALLED = {
    "Locomotion": {
        "evaluate_with",
        "rows_of",
        "plan_at",
        "prepare",
        "restitution_of",
        "run_plan",
        "scratch",
        "simulate",
        "work_for",
        "worst_rows",
    },
    "Model": {"view", "pulled_back"},
    "Trajectory": {"view", "film", "report", "extend", "part"},
    "WholeBody": {"changed", "fresh", "prepare", "recall", "remembered", "torques", "write_references"},
}
# what is done with what a constructor gave, by the words of its module
USES: dict[str, Callable[[Any], Any]] = {
    "forces.flows.fields": lambda x: x.at(0.0, (0.1, 0.2, 0.3)),
    "forces.flows.vortices": lambda x: x.at(0.0, (0.1, 0.2, 0.3)),
    "forces.flows.grid": lambda x: x.at(0.0, (0.1, 0.2, 0.3)),
    "forces.water.fluid": lambda x: acting(lo.Drag("ball", x, area=0.1)),
    "forces.water.lighthill": lambda x: acting(x if hasattr(x, "segments") else lo.water.Lighthill(WATER, [x])),
    "forces.water.added_mass": lambda x: acting(lo.AddedMass("ball", WATER, x)),
    "forces.water.panels": lambda x: lo.water.PerfectFluid(PLANE_BALL, {"ball": x}).connection(PLANE_BALL.neutral()),
    "forces": lambda x: acting(x),
    "model.paths": lambda x: acting(strung(x)),
    "contact.bodies": lambda x: meeting(x),
    "constraints.keel": lambda x: lo.Locomotion(SNAKE, drives={"s": WAVE}, constraints=[x]).evaluate(0.0, *still(SNAKE)).a,
    "constraints": lambda x: tied(x),
    "geometry.shapes": lambda x: surfaced(x),
    "geometry.shapes.hull": lambda x: lo.Locomotion(BALL, contacts=[lo.Touch("ball", lo.Ground(), shape=x)]),
    "contact.touch": lambda x: touched(x),
    "drives.kinds": lambda x: lo.Locomotion(ARM, drives={"elbow": x}).evaluate(0.3, TWO, TWO).a,
    "drives.strains": lambda x: lo.Locomotion(SNAKE, drives={"s": x}).evaluate(0.3, *still(SNAKE)).a,
    "actuation.actuators": lambda x: lo.Locomotion(SOFT, actuators=[x]).evaluate(0.0, *still(SOFT)).a,
    "actuation.following": lambda x: lo.Locomotion(ARM, torques=x).evaluate(0.0, TWO, TWO).a,
    "actuation.controllers": lambda x: lo.Locomotion(ARM, torques=x).evaluate(0.0, TWO, TWO).a,
    "methods.events.when": lambda x: lo.Locomotion(ARM).simulate(0.01, events=[x], progress=False).q,
    "model.flexible.rods": lambda x: rodded(x),
    "model.flexible.cross_sections": lambda x: rodded(x),
    "model.flexible.bases": lambda x: spanned(x),
    "model.flexible.modes": lambda x: x if isinstance(x, lo.Rod) else lo.Builder("modal").body("plate", flex=x).build().nq,
    "model.description": lambda x: described(x),
    "spatial.inertia": lambda x: lo.Builder("x").body("b", joint=lo.Joint("j"), inertia=x).build().nq,
    "control.whole_body.tasks": lambda x: lo.control.WholeBody(BALL, [x], [lo.control.Contact("ball")]).evaluate(
        0.0, *still(BALL)).tau,
    "control.whole_body.contacts": lambda x: x if isinstance(x, np.ndarray) else standing(x),
    "control.whole_body.schedule": lambda x: (
        x if isinstance(x, lo.control.ContactSchedule) else lo.control.ContactSchedule([x])).to_record(),
    "control.whole_body.planner": lambda x: x.middle,
    "gaits.oscillators": lambda x: lo.gaits.rhythm(x, 0.1).outputs,
}  # fmt: skip


def still(model):
    return model.neutral(), np.zeros(model.nv)


def acting(term):
    return lo.Locomotion(BALL, environment=[term]).evaluate(0.0, BALL.neutral(), np.full(6, 0.1)).a


def strung(part):
    if isinstance(part, lo.Fibres):
        return lo.SkeletalMuscle(STRING, part, 0.5)
    first, last = STRING.stops
    return lo.Cable(part if isinstance(part, lo.Path) else lo.Path([first, *between(part), last]), 10.0)


def between(part):
    return [part] if not isinstance(part, lo.Pulley) else [lo.Via("ball"), part, lo.Via("ball", (0.0, 0.0, 0.01))]


def meeting(part):
    contact = part if isinstance(part, lo.BodyContacts) else lo.BodyContacts((part, balls()[1]), ((0, 1),))
    return lo.Locomotion(BALL, contacts=[contact]).simulate(0.002, step=1e-3, progress=False).q


def tied(constraint):
    model = BALL if isinstance(constraint, lo.Rolling) else ARM
    q, v = still(model)
    if isinstance(constraint, lo.Rolling):
        q[2] = 0.05
    return lo.Locomotion(model, constraints=[constraint]).evaluate(0.0, q, v).a


def surfaced(surface):
    if isinstance(surface, lo.Ellipsoid):
        return acting(lo.AddedMass("ball", WATER, surface))
    return touched(lo.Touch("ball", lo.Ground(surface), sphere=0.05))


def touched(touch):
    if isinstance(touch, list):
        return [touched(one) for one in touch]
    if isinstance(touch, lo.Ground):
        touch = lo.Touch("ball", touch, sphere=0.05)
    model = BALL if touch.body == "ball" else ARM
    return lo.Locomotion(model, contacts=[touch]).simulate(0.002, step=1e-3, progress=False).q


def standing(contact):
    return lo.control.WholeBody(BALL, [lo.control.CenterOfMass()], [contact]).evaluate(0.0, *still(BALL)).tau


def rodded(part):
    if isinstance(part, lo.Rod):
        return lo.Builder("soft").body("tail", flex=part).build().nq
    if isinstance(part, lo.rods.Cone):
        return lo.Rod(0.5, part, MATERIAL, strains="bending_z", order=1).section_at(0.2)
    whole = isinstance(part, lo.rods.SectionConstants)
    given = (part,) if whole else (part, MATERIAL) if isinstance(part, lo.Section) else (SECTION, part)
    rod = lo.Rod(0.5, *given, strains="bending_z", order=1)
    model = lo.Builder("soft").body("tail", flex=rod).build()
    return lo.mass_matrix(model, model.neutral())


def spanned(basis):
    return lo.Rod(0.5, SECTION, MATERIAL, strains="bending_z", basis={"bending_z": basis}, nodes=8).length


def described(part):
    body = part if isinstance(part, lo.Body) else lo.Body("b", inertia=BOX)
    if isinstance(part, lo.Joint):
        body = lo.Body("b", joints=(part,), inertia=BOX)
    if isinstance(part, lo.Visual):
        body = lo.Body("b", inertia=BOX, visuals=(part,))
    if isinstance(part, lo.Coupling):
        arm = ARM.description
        return lo.Model(lo.Description("x", arm.bodies, (part,))).nq
    return lo.Model(part if isinstance(part, lo.Description) else lo.Description("x", (body,))).nq


def methods() -> Iterator[tuple[str, str]]:
    """All public methods of what users hold in their hands, as (class, method)."""
    for name in RECEIVERS:
        for own, member in inspect.getmembers_static(public.find(name)):
            if inspect.isfunction(member) and not own.startswith("_") and own not in NOT_CALLED.get(name, ()):
                yield name, own


def calls() -> Iterator[tuple[str, Callable]]:
    """All public functions, constructors, and class methods that make something, by name."""
    for path, value in public.everything().items():
        group, _, name = path.rpartition(".")
        if name not in public.homes(group):  # of `odd_folder_calls`
            continue
        if name in RESULTS or not callable(value) or isinstance(value, type) and issubclass(value, BaseException):
            continue
        yield path if group and name in public.homes() else name, value  # lo.optimize and lo.gaits.optimize
        if isinstance(value, type):
            for own, member in vars(value).items():
                if isinstance(member, (classmethod, staticmethod)) and not own.startswith("_"):
                    yield f"{name}.{own}", getattr(value, own)


def names_of(name: str, call: Callable) -> list[str]:
    """Names of all arguments, but of tables of any."""
    given = [p for p in inspect.signature(call).parameters.values() if p.kind != p.VAR_KEYWORD]
    return [p.name for p in given if name not in LONG or p.default is p.empty or p.name in OWN.get(name, {})]


def arguments(name: str, call: Callable, receiver: Any = None) -> dict[str, Any]:
    """What a valid call is given: by what is told for it, for its name, or, where it must have it, for the argument."""
    own = OWN.get(name, {} if receiver is not None else OWN.get(name.split(".")[0], {}))
    if receiver is not None:
        own = states_of(receiver) | own
    if getattr(call, "__module__", "").startswith("locomote.forces."):
        own = {"body": "ball"} | own  # what `acting` tries forces on
    given = {}
    for parameter in inspect.signature(call).parameters.values():
        if parameter.name in own:
            given[parameter.name] = own[parameter.name]
        elif parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            if parameter.name not in ARGUMENTS:
                raise LookupError(f"no argument {parameter.name!r} is known for lo.{name}: add one to OWN or to ARGUMENTS")
            given[parameter.name] = ARGUMENTS[parameter.name]
    return {key: made(value) for key, value in given.items()}


def states_of(receiver: Any) -> dict[str, Any]:
    """A state of the model of what a method is called of."""
    model = receiver if isinstance(receiver, lo.Model) else receiver.model
    model = model if isinstance(model, lo.Model) else model.model
    q, v = model.neutral(), np.zeros(model.nv)
    x = lo.Charted(model, "quaternion").coordinates(q) if isinstance(receiver, lo.Charted) else q
    return {
        "q": q, "v": v, "a": v, "dv": v, "q0": q, "q1": q, "tau": v, "x": x, "rates": 0 * x, "second_rates": 0 * x,
        "closed": (), "path": {}, "schedule": lambda: lo.control.ContactSchedule([("a", 1.0, ("ball",))]), "state": None,
    }  # fmt: skip


def made(value):
    """What a function without a name, a function of this file, or a method of a model makes; else the value."""
    home, name = getattr(value, "__module__", ""), getattr(value, "__name__", "")
    return value() if callable(value) and (name == "<lambda>" or name == "neutral" or home == __name__) else value


def call_with(call: Callable, given: dict[str, Any]) -> Any:
    """The call; what takes any number of things by place gets them so."""
    parameters = inspect.signature(call).parameters
    row = [value for key, value in given.items() if parameters[key].kind == parameters[key].VAR_POSITIONAL]
    if row:
        before = [given[key] for key in parameters if key in given and parameters[key].kind != parameters[key].VAR_POSITIONAL]
        return call(*before, *row)
    return call(**given)


def home_of(name: str) -> str:
    """The module that a public name comes from."""
    return named(name).__module__.removeprefix("locomote.")


def named(name: str) -> Any:
    """The public name that a call is of: "optimize", "gaits.optimize", "Sine.from_record"."""
    first, _, rest = name.partition(".")
    return getattr(getattr(lo, first), rest) if first in public.GROUPS else public.find(first)


def use(name: str, value: Any) -> Any:
    """What users do with what a constructor made."""
    home = home_of(name)
    if isinstance(named(name), type) or home == "contact.touch":
        for words, using in sorted(USES.items(), key=lambda item: -len(item[0])):
            if home.startswith(words):
                return using(value)
    return value
