"""Time of one control tick along a motion: `python benchmarks/whole_body.py [urdf]`, hrp2_like without a file, else Talos.

Feet and hands in contact (16 points), tasks of the mass center, the torso and the posture. The mass center sways; the robot
obeys the accelerations that are found. Each tick's time is the least of several replays (what the computation takes) and,
apart, all raw times.
"""

import sys
import time

import numpy as np

import locomote as lo
from locomote.control.whole_body import tick as kernels

TICKS, REPLAYS = 1000, 5


def robot(path=None):
    """Model, standing configuration, torso, and contacts."""
    if path is None:
        model = lo.systems.load("hrp2_like").model
        angles = {"{}_hip_pitch": -0.35, "{}_knee": 0.7, "{}_ankle_pitch": -0.35, "{}_shoulder_pitch": -1.0, "{}_elbow": -0.9}
        torso, foot, hand, sides = "chest", "{}_sole", "{}_palm", ("left", "right")
    else:
        model = lo.load(path, base="free")
        angles = {"leg_{}_3_joint": -0.4, "leg_{}_4_joint": 0.8, "leg_{}_5_joint": -0.4, "arm_{}_4_joint": -1.2}
        torso, foot, hand, sides = "torso_2_link", "{}_sole_link", "arm_{}_7_link", ("left", "right")
    q = model.neutral()
    for side in sides:
        for joint, angle in angles.items():
            q[model.joint(joint.format(side)).q] = angle
    sole, palm = lo.control.rectangle(0.2, 0.12), lo.control.rectangle(0.12, 0.08)
    contacts = [lo.control.Contact(foot.format(side), sole) for side in sides]
    contacts += [lo.control.Contact(hand.format(side), palm, normal=(-1.0, 0.0, 0.0)) for side in sides]
    return model, q, torso, contacts


def motion(model, q, torso, contacts):
    """The controller, and states along a sway of the mass center."""
    center = lo.center_of_mass(model, q)

    def sway(t):
        s, w = np.array([0.01, 0.02, 0.0]), 2 * np.pi * 0.5
        return center + s * np.sin(w * t), s * w * np.cos(w * t), -s * w * w * np.sin(w * t)

    tasks = [lo.control.CenterOfMass(reference=sway), lo.control.Frame(torso, position=False), lo.control.Posture(reference=q)]
    control, states, v = lo.control.WholeBody(model, tasks, contacts), [], np.zeros(model.nv)
    for k in range(TICKS):
        now = control.evaluate(1e-3 * k, q, v)
        assert now.solved, now
        states.append((q, v))
        v = v + 1e-3 * now.a
        q = model.integrate(q, 1e-3 * v)
    return control, states


def measure(control, states):
    """(calls from Python, compiled calls) in us, (replays, ticks); the compiled ones see references of their own tick."""
    whole, inner = np.zeros((REPLAYS, TICKS)), np.zeros((REPLAYS, TICKS))
    record, address, clock = control._packed.tick, control._address, time.perf_counter
    for replay in range(REPLAYS):
        for k, (q, v) in enumerate(states):
            start = clock()
            control.evaluate(1e-3 * k, q, v)
            whole[replay, k] = clock() - start
        for k, (q, v) in enumerate(states):
            record.q[:], record.v[:] = q, v
            control.write_references(1e-3 * k, q)
            start = clock()
            kernels.tick_at(address, record.address)
            inner[replay, k] = clock() - start
    return 1e6 * whole, 1e6 * inner


def main():
    control, states = motion(*robot(*sys.argv[1:2]))
    k = control._packed.tick.count
    print(f"{control.model.name}: {k[1]} unknowns, {k[2]} rows, {k[4]} active")
    for name, times in zip(("evaluate", "compiled call"), measure(control, states), strict=True):
        least = times.min(axis=0)
        print(
            f"{name:14} us: least of {REPLAYS}: median {np.median(least):.0f}, p99 {np.quantile(least, 0.99):.0f}; "
            f"all: median {np.median(times):.0f}, p99 {np.quantile(times, 0.99):.0f}"
        )


if __name__ == "__main__":
    main()
