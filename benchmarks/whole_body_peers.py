"""One control tick beside placo and TSID on the same tasks: Talos, soles and hands in contact, 16 points.

    python benchmarks/whole_body_peers.py talos_reduced.urdf --placo PYTHON --tsid PYTHON

PYTHON is the interpreter of an environment with that package: `pip install placo`; `pip install --only-binary :all: tsid==1.7.1
pin==3.4.0 "cmeel-urdfdom<5" "cmeel-tinyxml2<11"`, the latest TSID whose wheels are complete. Each needs a Pinocchio of its own.
Tasks: mass center, orientation of the torso, posture. Contacts: four points each, normal along z of their frame, friction 0.7,
torque limits. Every program gets the same states along a
sway of the mass center, in turn, in short slices. A tick is all from the state to torques, through the Python interface:
state and reference in, dynamics, program, solution. TSID and placo keep what they allocate, and so do we.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

SLICE, ROUNDS = 100, 10
FEET, HANDS, TORSO = ("left_sole_link", "right_sole_link"), ("arm_left_7_link", "arm_right_7_link"), "torso_2_link"
SOLE, PALM, MU = (0.2, 0.12), (0.12, 0.08), 0.7


def sway(center, t):
    """Place, velocity and acceleration of the mass center."""
    s, w = np.array([0.01, 0.02, 0.0]), 2 * np.pi * 0.5
    return center + s * np.sin(w * t), s * w * np.cos(w * t), -s * w * w * np.sin(w * t)


def ours(urdf, states):
    """(tick, solved): one tick for number k of the states, made here if there are none yet."""
    import locomote as lo

    model = lo.load(urdf, base="free")
    q = model.neutral()
    for side in ("left", "right"):
        for joint, angle in (("leg_{}_3", -0.4), ("leg_{}_4", 0.8), ("leg_{}_5", -0.4), ("arm_{}_4", -1.2)):
            q[model.joint(joint.format(side) + "_joint").q] = angle
    poses, center = lo.forward_kinematics(model, q), lo.center_of_mass(model, q)
    contacts = [
        lo.control.Contact(name, lo.control.rectangle(*size), normal=poses[model.body(name).index][:3, 2], friction=MU)
        for names, size in ((FEET, SOLE), (HANDS, PALM)) for name in names
    ]  # fmt: skip
    tasks = [
        lo.control.CenterOfMass(reference=lambda t: sway(center, t)), lo.control.Frame(TORSO, position=False,
        rotation=np.eye(3)),
        lo.control.Posture(reference=q),
    ]  # fmt: skip
    control = lo.control.WholeBody(model, tasks, contacts)
    if not states:
        v = np.zeros(model.nv)
        for k in range(SLICE * ROUNDS):
            states.append((q, v))
            v = v + 1e-3 * control.evaluate(1e-3 * k, q, v).a
            q = model.integrate(q, 1e-3 * v)

    def tick(k):
        return control.evaluate(1e-3 * k, *states[k]).solved

    return tick, list(model.joint_names[1:])


def ordered(states, joints, names):
    """States with joints, all of one coordinate, in another order."""
    place = [joints.index(name) for name in names]
    return [
        (np.concatenate([q[:7], q[7:][place]]), np.concatenate([v[:6], v[6:][place]])) for q, v in states
    ]  # fmt: skip


def by_placo(urdf, states, joints):
    """The same by placo."""
    import placo

    robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
    solver = placo.DynamicsSolver(robot)
    states = ordered(states, joints, list(robot.joint_names()))
    robot.state.q, robot.state.qd = states[0]
    robot.update_kinematics()
    for names, size in ((FEET, SOLE), (HANDS, PALM)):
        for name in names:
            task = solver.add_frame_task(name, robot.get_T_world_frame(name))
            contact = solver.add_planar_contact(task)
            contact.length, contact.width, contact.mu = *size, MU
    center = robot.com_world().copy()
    com = solver.add_com_task(center)
    com.configure("com", "soft", 1.0)
    solver.add_orientation_task(TORSO, np.eye(3)).configure("torso", "soft", 1.0)
    posture = solver.add_joints_task()
    posture.set_joints({name: robot.get_joint(name) for name in joints})
    posture.configure("posture", "soft", 1e-4)
    solver.enable_torque_limits(True)

    def tick(k):
        robot.state.q, robot.state.qd = states[k]
        robot.update_kinematics()
        com.target_world, com.dtarget_world, com.ddtarget_world = sway(center, 1e-3 * k)
        return solver.solve(False).success

    return tick


def by_tsid(urdf, states, joints):
    """The same by TSID."""
    import pinocchio
    import tsid.tsid_pywrap as tsid

    robot = tsid.RobotWrapper(urdf, [str(Path(urdf).parents[2])], pinocchio.JointModelFreeFlyer(), False)
    model = robot.model()
    states = ordered(states, joints, list(model.names[2:]))
    q, v = states[0]
    form = tsid.InverseDynamicsFormulationAccForce("form", robot, False)
    form.computeProblemData(0.0, q, v)
    keep = []
    for names, size in ((FEET, SOLE), (HANDS, PALM)):
        for name in names:
            x, y = size[0] / 2, size[1] / 2
            corners = np.array([[-x, -x, x, x], [-y, y, -y, y], [0.0, 0.0, 0.0, 0.0]])
            contact = tsid.Contact6d(name, robot, name, corners, np.array([0.0, 0.0, 1.0]), MU, 0.0, 1e4)
            contact.setKp(np.zeros(6))
            contact.setKd(20.0 * np.ones(6))
            contact.setReference(robot.framePosition(form.data(), model.getFrameId(name)))
            form.addRigidContact(contact, 1e-8, 1.0, 0)
            keep.append(contact)
    com = tsid.TaskComEquality("com", robot)
    com.setKp(100.0 * np.ones(3))
    com.setKd(20.0 * np.ones(3))
    form.addMotionTask(com, 1.0, 1, 0.0)
    torso = tsid.TaskSE3Equality("torso", robot, TORSO)
    torso.setKp(100.0 * np.ones(6))
    torso.setKd(20.0 * np.ones(6))
    torso.setMask(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
    still = tsid.TrajectorySE3Constant("torso", pinocchio.SE3.Identity()).computeNext()
    form.addMotionTask(torso, 1.0, 1, 0.0)
    torso.setReference(still)
    posture = tsid.TaskJointPosture("posture", robot)
    posture.setKp(40.0 * np.ones(robot.nv - 6))
    posture.setKd(2 * np.sqrt(40.0) * np.ones(robot.nv - 6))
    form.addMotionTask(posture, 1e-4, 1, 0.0)
    posture.setReference(tsid.TrajectoryEuclidianConstant("posture", q[7:]).computeNext())
    limits = tsid.TaskActuationBounds("torques", robot)
    limits.setBounds(-model.effortLimit[6:], model.effortLimit[6:])
    form.addActuationTask(limits, 1.0, 0, 0.0)
    center = robot.com(form.data()).copy()
    sample = tsid.TrajectoryEuclidianConstant("com", center).computeNext()
    keep += [com, torso, posture, limits, robot]  # the formulation does not
    solver = tsid.SolverHQuadProgFast("solver")
    solver.resize(form.nVar, form.nEq, form.nIn)

    def tick(k):
        place, velocity, acceleration = sway(center, 1e-3 * k)
        sample.value(place)
        sample.derivative(velocity)
        sample.second_derivative(acceleration)
        com.setReference(sample)
        solution = solver.solve(form.computeProblemData(1e-3 * k, *states[k]))
        form.getActuatorForces(solution)
        return solution.status == 0

    tick.keep = keep
    return tick


def served(name, urdf, folder):
    """Another program's ticks, in its own process: a slice for each line that comes in."""
    given = np.load(folder)
    states = list(zip(given["q"], given["v"], strict=True))
    tick = {"placo": by_placo, "tsid": by_tsid}[name](urdf, states, given["joints"].tolist())
    print("ready", flush=True)
    for line in sys.stdin:
        print("times", json.dumps(timed(tick, int(line))), flush=True)


def timed(tick, start):
    """[us a tick], how many were solved."""
    times, solved = [], 0
    for k in range(start, start + SLICE):
        begin = time.perf_counter()
        solved += bool(tick(k))
        times.append(1e6 * (time.perf_counter() - begin))
    return times, solved


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("urdf")
    parser.add_argument("--placo")
    parser.add_argument("--tsid")
    parser.add_argument("--serve")
    parser.add_argument("--states", default="/tmp/whole_body_states.npz")
    given = parser.parse_args()
    if given.serve:
        served(given.serve, given.urdf, given.states)
        return
    states: list = []
    tick, joints = ours(given.urdf, states)
    np.savez(given.states, q=[q for q, _ in states], v=[v for _, v in states], joints=joints)
    others = {}
    for name in ("placo", "tsid"):
        if getattr(given, name):
            command = [getattr(given, name), __file__, given.urdf, "--serve", name, "--states", given.states]
            place = os.environ | {"ROS_PACKAGE_PATH": str(Path(given.urdf).resolve().parents[4])}  # for its meshes
            others[name] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=place)
            while (line := others[name].stdout.readline()).strip() != "ready":
                assert line, f"{name} did not start"
    times: dict[str, list] = {name: [] for name in ("locomote", *others)}
    solved = dict.fromkeys(times, 0)
    for turn in range(2 * ROUNDS + 1):
        start = SLICE * (turn % ROUNDS)
        results = {"locomote": timed(tick, start)}
        for name, process in others.items():
            process.stdin.write(f"{start}\n")
            process.stdin.flush()
            while not (line := process.stdout.readline()).startswith("times "):  # it may say something of its own
                assert line, f"{name} ended"
            results[name] = json.loads(line[6:])
        if turn:  # the first one warms up
            for name, (found, count) in results.items():
                times[name].append(found)
                solved[name] += count
    for process in others.values():
        process.stdin.close()
        process.wait()
    base = np.array(times["locomote"])
    for name, found in times.items():
        table = np.array(found)
        ratio = np.median(np.median(table, axis=1) / np.median(base, axis=1))
        best = np.median(table.reshape(2, -1).min(axis=0)) / np.median(base.reshape(2, -1).min(axis=0))
        print(
            f"{name:9} us a tick: median {np.median(table):.0f}, p99 {np.quantile(table, 0.99):.0f}; "
            f"{solved[name]} of {table.size} solved; of ours: {ratio:.2f} (slice by slice), {best:.2f} (least of two)"
        )


if __name__ == "__main__":
    main()
