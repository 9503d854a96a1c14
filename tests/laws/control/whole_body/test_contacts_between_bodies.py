"""Contacts between bodies of the model: the controller against the program in full, and against laws of mechanics."""

import numpy as np
import pytest
from full_programs import in_full, with_forces
from standing_robots import HUMANOID, crouched
from standing_robots import HUMANOID_SOLE as SOLE

import locomote as lo

HALF = np.array([0.15, 0.12, 0.1])
PALM = lo.control.rectangle(0.06, 0.04)


def with_box():
    """The humanoid with a box that is free, and a ball on the floor."""
    builder = lo.Builder.of(HUMANOID)
    builder.body("box", joint=lo.Joint("box_free", "free"), inertia=lo.Inertia(3.0, moment=(0.02, 0.03, 0.03)))
    builder.body("ball", joint=lo.Joint("ball_free", "free"), inertia=lo.Inertia(2.0, moment=(0.01, 0.01, 0.01)))
    return builder.build()


MODEL = with_box()
BASE = HUMANOID.joint_names[0]


def state(seed, size=0.1):
    rng = np.random.default_rng(seed)
    q = MODEL.neutral()
    q[: HUMANOID.nq] = crouched()
    q[MODEL.joint("box_free").q][:3] = 0.3, 0.0, 0.2
    q[MODEL.joint("ball_free").q][:3] = 0.4, 0.4, 0.0
    return MODEL.integrate(q, size * rng.normal(size=MODEL.nv)), size * rng.normal(size=MODEL.nv)


def controller(**options):
    tasks = [
        lo.control.CenterOfMass(), lo.control.Frame("torso", position=False), lo.control.Posture(reference=state(0, 0.0)[0]),
        lo.control.Frame("box", name="box", weight=0.1),
    ]  # fmt: skip
    contacts = [
        lo.control.Contact("left_sole", SOLE), lo.control.Contact("right_sole", SOLE),
        lo.control.Contact("left_hand", PALM, normal=(0, 1, 0.1), other="box", name="left", force=(1, 6, 2), force_weight=1e-4),
        lo.control.Contact("right_hand", PALM[:1], normal=(0.1, -1, 0), other="box", name="right"),
        lo.control.Contact("ball", radius=0.1, name="rolls"),
        lo.control.Contact("ball", radius=0.1, other="box", normal=(0.3, 0, -1), name="pinned"),
    ]  # fmt: skip
    passive = [BASE, "box_free", "ball_free"]
    return lo.control.WholeBody(MODEL, tasks, contacts, passive=passive, **options)


@pytest.mark.parametrize("seed", range(4))
def test_same_as_in_full(seed):
    """Hands hold a box, which presses on a ball that rolls between it and the floor."""
    control, (q, v) = controller(torque_limits=False), state(seed)
    now, full = control.evaluate(0.0, q, v), in_full(control, 0.0, q, v)
    assert now.status == "solved" and now.residual < 1e-7 and full.program.status == "solved"
    assert abs(now.a - full.a).max() < 1e-4 * max(1.0, abs(full.a).max())
    for name, forces in now.forces.items():
        assert abs(forces - full.forces[name]).max() < 0.05
    borne = with_forces(control, q, v, now.a, now.forces)
    assert abs(borne.residual).max() < 1e-7 and abs(borne.tau - now.tau).max() < 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_momentum_and_rolling(seed):
    """Forces between bodies change no momentum of the whole; contacts come to rest as their damping says, also rolling ones."""
    control, (q, v) = controller(torque_limits=False), state(seed)
    now = control.evaluate(0.0, q, v)
    outer = sum(now.forces[name].sum(axis=0) for name in ("left_sole", "right_sole", "rolls"))
    rate = lo.momentum_rate(MODEL, q, v, now.a)[:3]
    assert abs(rate - outer - [0, 0, -9.81 * MODEL.mass]).max() < 1e-8 * MODEL.mass * 10
    h = 1e-4
    slips = []
    for s in (-h, h):
        there = MODEL.integrate(q, s * v + 0.5 * s * s * now.a), v + s * now.a
        slips.append(slip_of_ball(*there))
    slip, turn = slip_of_ball(q, v), lo.velocity(MODEL, q, v, "box", frame="aligned")[3:]
    carried = np.concatenate([np.zeros(3), np.cross(turn, slip[3:])])  # what slips on a plane that turns
    assert abs((slips[1] - slips[0]) / (2 * h) + 20.0 * slip + carried).max() < 1e-5


def slip_of_ball(q, v) -> np.ndarray:
    """(6,) velocity of the ball where it touches the floor, and of the ball against the box."""
    poses = lo.forward_kinematics(MODEL, q)
    ball, box = (poses[MODEL.body(name).index] for name in ("ball", "box"))
    normal = box[:3, :3] @ np.array([0.3, 0, -1]) / np.linalg.norm([0.3, 0, -1])

    def speed(body, place):
        own = poses[MODEL.body(body).index]
        point = tuple(own[:3, :3].T @ (place - own[:3, 3]))
        return lo.velocity(MODEL, q, v, body, point=point, frame="aligned")[:3]

    floor, there = ball[:3, 3] - [0, 0, 0.1], ball[:3, 3] - 0.1 * normal
    return np.concatenate([speed("ball", floor), speed("ball", there) - speed("box", there)])


def test_the_same_program_in_a_chart():
    control, (q, v) = controller(torque_limits=False), state(2)
    now, same = control.evaluate(0.0, q, v), lo.control.in_chart(control, 0.0, q, v, form="projected")
    assert np.allclose(now.a, same.a, atol=1e-4 * max(1.0, abs(now.a).max()))


def test_a_contact_with_itself_and_with_what_does_not_move():
    with pytest.raises(ValueError, match="itself"):
        lo.control.Contact("box", other="box")
    with pytest.raises(ValueError, match="center"):
        lo.control.Contact("ball", PALM, radius=0.1)
    with pytest.raises(lo.UnknownName, match="crate"):
        lo.control.WholeBody(MODEL, contacts=[lo.control.Contact("left_hand", other="crate")])
