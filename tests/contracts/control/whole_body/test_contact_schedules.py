"""Schedules as data: what bears when, files, drives as references, and contacts that come and go while it runs."""

import json

import numpy as np
import pytest

import locomote as lo

SYSTEM = lo.systems.load("hrp2_like", motion="stand")
MODEL, (Q, _) = SYSTEM.model, SYSTEM.initial
FEET = ("left_sole", "right_sole")


def control(**options):
    tasks = [lo.control.CenterOfMass(), lo.control.Frame("chest", position=False), lo.control.Posture(reference=Q, weight=1e-3)]
    soles = [lo.control.Contact(foot, lo.control.rectangle(0.24, 0.14), friction=0.6, least=5.0) for foot in FEET]
    return lo.control.WholeBody(MODEL, tasks, soles, **options)


def schedule(repeat=False):
    left = lo.forward_kinematics(MODEL, Q)[MODEL.body("left_sole").index][:3, 3]
    c = lo.center_of_mass(MODEL, Q)
    way = lo.Spline([0.0, 0.8], [c[1], left[1]], end="clamped", order=5)
    return lo.control.ContactSchedule(
        [("double", 0.8, FEET, {"com": [float(left[0]), way, float(c[2])]}), lo.control.ContactState("left", 0.4,
        ("left_sole",))],
        ramp=0.1, repeat=repeat,
    )  # fmt: skip


def followed(plan, until, step=2e-3):
    """Loads of both feet along a motion that obeys the controller."""
    one, q, v, loads = control(), Q.copy(), np.zeros(MODEL.nv), []
    one.follow(plan)
    for t in np.arange(0.0, until, step):
        now = one.evaluate(t, q, v)
        assert now.status == "solved"
        loads.append([now.forces[foot][:, 2].sum() if foot in now.forces else 0.0 for foot in FEET])
        v = v + step * now.a
        q = MODEL.integrate(q, step * v)
    return one, np.array(loads), q


def test_contacts_come_and_go_by_a_schedule():
    one, loads, q = followed(schedule(), 1.1)
    t = 2e-3 * np.arange(len(loads))
    right = loads[:, 1]
    assert (right[t > 0.802] == 0.0).all() and right[0] > 200.0 and right[np.searchsorted(t, 0.65)] > 19.9
    before, within = right[np.searchsorted(t, 0.698)], (t > 0.702) & (t < 0.80)
    assert (right[within] <= before * (0.8 - t[within]) / 0.1 + 0.1).all()  # what it may bear goes to zero
    assert list(one.contacts) == ["left_sole"]
    left = lo.forward_kinematics(MODEL, Q)[MODEL.body("left_sole").index][:3, 3]
    assert lo.center_of_mass(MODEL, q)[:2] == pytest.approx(left[:2], abs=5e-3)  # the drive was followed


def test_a_schedule_that_repeats_brings_contacts_back():
    plan = schedule(repeat=True)
    assert [plan.at(t)[0] for t in (0.0, 0.79, 0.81, 1.19, 1.21, 2.01)] == [0, 0, 1, 1, 0, 1]
    one = control()
    one.follow(plan)
    seen = []
    for t in np.arange(0.0, 1.3, 0.05):
        one.evaluate(t, Q, np.zeros(MODEL.nv))
        seen.append(len(one.contacts))
    assert seen[0] == 2 and 1 in seen and seen[-1] == 2


def test_schedules_are_data():
    plan = schedule()
    again = lo.control.ContactSchedule.from_record(json.loads(json.dumps(plan.to_record())))
    assert again.states[1] == plan.states[1] and again.ramp == plan.ramp
    drive, other = plan.states[0].references["com"][1], again.states[0].references["com"][1]
    assert drive(0.3) == pytest.approx(other(0.3), abs=1e-15)
    _, loads, _ = followed(plan, 0.3)
    _, same, _ = followed(again, 0.3)
    assert abs(loads - same).max() < 1e-9
    moving = lo.control.ContactSchedule([("one", 1.0, FEET, {"com": lambda t: t})])
    with pytest.raises(ValueError, match="is a function, which no file can hold"):
        moving.to_record()


def test_drives_are_references():
    """A row of drives is the function of time that it stands for; so is a posture by joints."""
    one, other = control(), control()
    sway, v = lo.Sine(0.02, 3.0), np.zeros(MODEL.nv)
    c = lo.center_of_mass(MODEL, Q)

    def function(t):
        x = sway(t)
        return tuple(np.array([(c[0], x[0], c[2]), (0.0, x[1], 0.0), (0.0, x[2], 0.0)]))

    one.tasks["com"].reference = (c[0], sway, c[2])
    other.tasks["com"].reference = function
    one.tasks["posture"].reference = {"left_elbow": lo.Sine(0.3, 2.0, offset=-0.5)}
    elbow = MODEL.joint("left_elbow")

    def posture(t):
        q, rate, second = Q.copy(), np.zeros(MODEL.nv), np.zeros(MODEL.nv)
        q[elbow.q] = 0.3 * np.sin(2 * t) - 0.5
        rate[elbow.v], second[elbow.v] = 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)
        return q, rate, second

    other.tasks["posture"].reference = posture
    for t in (0.0, 0.4, 1.1):
        assert abs(one.evaluate(t, Q, v).a - other.evaluate(t, Q, v).a).max() < 1e-7
    assert abs(one.evaluate(0.4, Q, v).a[elbow.v]).max() > 0.5


def test_wrong_schedules():
    with pytest.raises(ValueError, match="at least one state"):
        lo.control.ContactSchedule([])
    with pytest.raises(ValueError, match="duration"):
        lo.control.ContactSchedule([("double", -1.0, FEET)])
    with pytest.raises(lo.UnknownName, match="contact"):
        control().follow(lo.control.ContactSchedule([("double", 1.0, ("left_sol",))]))
    with pytest.raises(lo.UnknownName, match="task"):
        control().follow(lo.control.ContactSchedule([("double", 1.0, FEET, {"come": 1.0})]))
    one = control()
    one.tasks["com"].reference = (0.0, "y", 0.0)
    with pytest.raises(ValueError, match="reference of task 'com' is"):
        one.evaluate(0.0, Q, np.zeros(MODEL.nv))
    one.tasks["com"].reference = None
    one.tasks["posture"].reference = {"left_elbo": 0.0}
    with pytest.raises(lo.UnknownName, match="joint"):
        one.evaluate(0.0, Q, np.zeros(MODEL.nv))
