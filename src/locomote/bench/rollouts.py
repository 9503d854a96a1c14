"""Rollouts side by side with `mujoco.rollout`: many runs of one second, one thread."""

import xml.etree.ElementTree as ET
from importlib import import_module
from typing import Any

import numpy as np

from locomote.bench.timing import seconds
from locomote.compiled.rollout import rollout
from locomote.formats.mjcf.writer import write_mjcf
from locomote.locomotion.problem import Locomotion
from locomote.systems import catalogue

RUNS, STEP = 4096, 1e-3
FEW = 256  # runs of MuJoCo, which takes longer; rates do not depend on it
SNAKEBOARD = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="slide" axis="1 0 0"/>
<joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>{board}
<body pos="-{half} 0 0"><joint name="rear_steer"/>{axle}</body><body pos="{half} 0 0"><joint name="front_steer"/>{axle}</body>
<body><joint name="rotor"/>{rotor}</body></body></worldbody></mujoco>"""


def measure_rollouts(rounds: int) -> list[dict]:
    """Simulated seconds a second, ours and MuJoCo's, for a board on axles and a torque-driven robot in flight."""
    board, robot = catalogue.load("snakeboard"), catalogue.load("quadruped")
    flight = Locomotion(robot.model)
    motors = 0.2 * np.random.default_rng(0).normal(size=(RUNS, round(1.0 / STEP), 12))
    steering = np.random.default_rng(1).normal(size=(RUNS, round(1.0 / STEP), 3))
    rows = []
    for name, problem, text, controls in (
        ("snakeboard", board.problem(), snakeboard_text(**board.parameters), steering),
        ("quadruped", flight, write_mjcf(robot.model, visuals=False), motors),
    ):
        for method, theirs in (("rk4", "RK4"), ("euler", "Euler")):
            ours = best(lambda p=problem, c=controls, m=method: rollout(p, c, step=STEP, method=m), rounds)
            mujoco = best(mujoco_rollout(text, theirs, controls[:FEW]), rounds)
            rows.append(
                {
                    "system": name, "method": method, "ours": RUNS / ours, "mujoco": FEW / mujoco,
                    "mujoco_ratio": (RUNS / ours) / (FEW / mujoco),
                }
            )  # fmt: skip
    return rows


def best(run, rounds: int) -> float:
    """Seconds of the best of a few calls, after one that compiles."""
    run()
    return min(seconds(run, 1) for _ in range(max(2, rounds // 10)))


def snakeboard_text(*, board_mass, board_inertia, axle_mass, axle_inertia, rotor_mass, rotor_inertia, length, **_) -> str:
    """The board in MuJoCo, without the axles' hold on the ground, which it has no constraint for."""

    def part(mass: float, moment: float) -> str:
        return f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{moment!r} {moment!r} {moment!r}"/>'

    return SNAKEBOARD.format(
        board=part(board_mass, board_inertia), axle=part(axle_mass, axle_inertia),
        rotor=part(rotor_mass, rotor_inertia), half=repr(length),
    )  # fmt: skip


def mujoco_rollout(text: str, integrator: str, controls: np.ndarray):
    """A call that runs all controls in MuJoCo, with a motor on every named hinge, contacts off."""
    mujoco: Any = import_module("mujoco")
    import_module("mujoco.rollout")

    root = ET.fromstring(text)
    option = root.find("option")
    option = ET.SubElement(root, "option") if option is None else option
    option.set("timestep", repr(STEP))
    option.set("integrator", integrator)
    ET.SubElement(option, "flag", contact="disable")
    compiler = root.find("compiler")
    compiler = ET.SubElement(root, "compiler") if compiler is None else compiler
    compiler.set("boundinertia", "1e-9")  # slim bodies of ours have no moment about their length
    actuators = ET.SubElement(root, "actuator")
    for joint in root.iter("joint"):
        if joint.get("name") and joint.get("type", "hinge") == "hinge" and len(actuators) < controls.shape[-1]:
            ET.SubElement(actuators, "motor", joint=joint.get("name", ""))
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    data = mujoco.MjData(model)
    start = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    starts = np.tile(start, (len(controls), 1))
    if model.nu != controls.shape[-1]:
        raise RuntimeError(f"{model.nu} motors for {controls.shape[-1]} controls")
    return lambda: mujoco.rollout.rollout(model, data, starts, controls)
