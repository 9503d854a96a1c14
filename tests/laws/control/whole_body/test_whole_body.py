"""The controller against the same program in full, from public functions, against quadprog, and against laws of mechanics."""

import pickle

import numpy as np
import pytest
import quadprog
from full_programs import in_full, with_forces
from standing_robots import HUMANOID as MODEL
from standing_robots import HUMANOID_SOLE as SOLE
from standing_robots import crouched

import locomote as lo

PALM = lo.control.rectangle(0.08, 0.03, at=(0.0, 0.0, -0.175))


def controller(**options):
    tasks = [
        lo.control.CenterOfMass(),
        lo.control.Frame("torso", position=False),
        lo.control.Frame("left_hand", point=(0, 0, -0.1), rotation=False, name="hand", weight=0.1),
        lo.control.LookAt("head", (3.0, 1.0, 0.5), weight=0.01),
        lo.control.AngularMomentum(weight=1e-3, stiffness=4.0),
        lo.control.Posture(reference=crouched()),
    ]
    contacts = [lo.control.Contact("left_sole", SOLE), lo.control.Contact("right_sole", SOLE)]
    return lo.control.WholeBody(MODEL, options.pop("tasks", tasks), options.pop("contacts", contacts), **options)


def state(seed, size=0.05):
    rng = np.random.default_rng(seed)
    return MODEL.integrate(crouched(), size * rng.normal(size=MODEL.nv)), size * rng.normal(size=MODEL.nv)


def momentum_rate(now, q):
    """Rate of the momentum about the mass center that gravity and the forces of a tick bring about."""
    total, center = np.array([0, 0, -9.81 * MODEL.mass, 0, 0, 0]), lo.center_of_mass(MODEL, q)
    poses = lo.forward_kinematics(MODEL, q)
    for name, forces in now.forces.items():
        pose = poses[MODEL.body(name).index]
        for point, f in zip(SOLE, forces, strict=True):
            total[:3] += f
            total[3:] += np.cross(pose[:3, :3] @ point + pose[:3, 3] - center, f)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_same_as_in_full(seed):
    control, (q, v) = controller(), state(seed)
    first = control.evaluate(0.0, *state(99, 0.0))
    assert first.status == "solved"
    now = control.evaluate(0.0, q, v)
    full = in_full(control, 0.0, q, v)
    assert now.status == "solved" and now.residual < 1e-7 and full.program.residual < 1e-6
    assert abs(now.a - full.a).max() < 1e-4 * max(1.0, abs(full.a).max())
    assert abs(now.tau - full.tau).max() < 1e-2
    for name, forces in now.forces.items():
        assert abs(forces - full.forces[name]).max() < 0.05


def test_the_program_in_full_by_quadprog():
    """The oracle itself: the same rows by another solver, through the record of a problem without slack."""
    control, (q, v) = controller(), state(3)
    control.evaluate(0.0, *state(99, 0.0))
    now = control.evaluate(0.0, q, v)
    k = control._packed.tick
    n, m = int(k.count[1]), int(k.count[2])
    H, g, A, low, high = k.H[:n, :n], k.g[:n], k.A[:m, :n], k.lower[:m], k.upper[:m]
    equal = low == high
    above, below = np.isfinite(low) & ~equal, np.isfinite(high) & ~equal
    rows = np.vstack([A[equal], A[above], -A[below]])
    x = quadprog.solve_qp(H, -g, rows.T, np.concatenate([low[equal], low[above], -high[below]]), int(equal.sum()))[0]
    assert abs(x - k.x[:n]).max() < 1e-6
    assert abs(now.wanted - with_forces(control, q, v, now.a, now.forces).tau).max() < 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_laws(seed):
    control, (q, v) = controller(), state(seed)
    control.evaluate(0.0, *state(99, 0.0))
    now = control.evaluate(0.0, q, v)
    rate = momentum_rate(now, q)
    assert abs(lo.momentum_rate(MODEL, q, v, now.a) - rate).max() < 1e-8  # the mass center obeys gravity and contacts only
    assert abs(with_forces(control, q, v, now.a, now.forces).residual).max() < 1e-8
    for name in ("left_sole", "right_sole"):
        point = {"point": tuple(SOLE.mean(axis=0)), "frame": "aligned"}
        moved = lo.acceleration(MODEL, q, v, now.a, name, **point) + 20.0 * lo.velocity(MODEL, q, v, name, **point)
        assert abs(moved).max() < 1e-9
        f = now.forces[name]
        assert (np.hypot(f[:, 0], f[:, 1]) <= 0.7 * f[:, 2] + 1e-9).all()
        assert now.friction_use[name] <= 1.0 + 1e-9
        assert np.allclose(now.wrenches[name][:3], f.sum(axis=0))
    assert (abs(now.tau) <= control.torque_limits + 1e-12).all() and (now.tau[:6] == 0).all()


def test_solvers_agree():
    q, v = state(7)
    one, other = controller(), controller(solver="daqp")
    for control in (one, other):
        control.evaluate(0.0, *state(99, 0.0))
    a, b = one.evaluate(0.0, q, v), other.evaluate(0.0, q, v)
    assert abs(a.a - b.a).max() < 1e-6 and abs(a.tau - b.tau).max() < 1e-5
    assert b.residual < 1e-6


def test_strict_priority():
    """The second level gets what it can without disturbing the first; weights alone leave an error."""
    q, v = state(1)

    def tasks(priority):
        return [
            lo.control.CenterOfMass(reference=lo.center_of_mass(MODEL, crouched())),
            lo.control.Frame("torso", position=False),
            lo.control.Posture(reference=MODEL.neutral(), weight=1.0, priority=priority),
        ]

    weighted, strict = controller(tasks=tasks(1)), controller(tasks=tasks(2))
    for control in (weighted, strict):
        control.evaluate(0.0, crouched(), np.zeros(MODEL.nv))
    loose, firm = weighted.evaluate(0.0, q, v), strict.evaluate(0.0, q, v)
    assert firm.status == "solved"
    assert loose.task_errors["com"] > 1.0
    assert firm.task_errors["com"] < 1e-2 and firm.task_errors["torso"] < 1e-2
    heavy = controller(tasks=tasks(1))  # the same by weights that are far apart
    heavy.tasks["posture"].weight = 1e-7
    for contact in heavy.contacts.values():
        contact.force_weight = 1e-10  # far below the posture
    heavy.changed()
    heavy.evaluate(0.0, crouched(), np.zeros(MODEL.nv))
    limit = heavy.evaluate(0.0, q, v)
    assert firm.task_errors["posture"] == pytest.approx(limit.task_errors["posture"], rel=0.02)
    assert loose.task_errors["posture"] < firm.task_errors["posture"]


def test_too_weak_says_so_and_gives_torques_within_limits():
    control = controller(torque_limits=0.05 * np.where(np.isfinite(MODEL.effort_limit), MODEL.effort_limit, 1e3))
    control.contacts["left_sole"].least = 80.0
    control.changed()
    now = control.evaluate(0.0, crouched(), np.zeros(MODEL.nv))
    assert now.status.startswith("torques exceeded by")
    assert (abs(now.tau) <= control.torque_limits + 1e-12).all()
    assert "torque limit" in now.why[0][1] and ("knee" in now.why[0][0] or "hip" in now.why[0][0] or "ankle" in now.why[0][0])
    assert now.torque_use == pytest.approx(1.0 + now.slack[0], rel=1e-6)


def test_no_answer_says_which_contacts_conflict():
    """A crate that is to stay at a wall with too little friction, whatever happens; on the floor it stays."""
    builder = lo.Builder("crate", base="free")
    builder.body("crate", inertia=lo.Inertia(10.0, moment=(0.1, 0.1, 0.1)))
    builder.body(
        "lid",
        parent="crate",
        joint=lo.Joint("hinge", axis="y", effort_limit=5.0),
        inertia=lo.Inertia(1.0, moment=(0.1, 0.1, 0.1)),
    )
    crate = builder.build()
    wall = lo.control.Contact(
        "crate", lo.control.rectangle(0.2, 0.2)[:, [2, 0, 1]], normal=(1, 0, 0), friction=0.3, name="wall"
    )
    control = lo.control.WholeBody(crate, [lo.control.Posture()], [wall])
    now = control.evaluate(0.0, crate.neutral(), np.zeros(7))
    assert now.status == "no answer" and not now.solved and (now.tau == 0).all()
    assert now.why[0][0] == "wall" and "friction" in now.why[0][1]
    assert "wall: at its friction" in repr(now)
    control.add(lo.control.Contact("crate", lo.control.rectangle(0.2, 0.2), name="floor", most=30.0))
    assert control.evaluate(0.0, crate.neutral(), np.zeros(7)).solved  # 4 points of 30 N bear 11 kg
    control.remove("wall")
    control.contacts["floor"].most = 20.0
    control.changed()
    now = control.evaluate(0.0, crate.neutral(), np.zeros(7))
    assert not now.solved and now.why[0][:2] == ("floor", "may push no more")


def test_contacts_leave_by_ramps_and_come_back():
    control, q, v = controller(), crouched(), np.zeros(MODEL.nv)
    loads = []
    control.evaluate(0.0, q, v)
    control.remove("right_sole", ramp=0.1)
    for t in np.arange(0.0, 0.12, 0.01):
        now = control.evaluate(t, q, v)
        loads.append(now.forces["right_sole"][:, 2].max() if "right_sole" in now.forces else 0.0)
    assert (np.diff(loads) <= 1e-9).all() and loads[-1] == 0.0 and loads[0] > 50.0
    assert max(-np.diff(loads)) < 0.25 * loads[0]
    assert "right_sole" not in control.contacts
    control.add(lo.control.Contact("right_sole", SOLE))
    assert "right_sole" in control.evaluate(0.2, q, v).forces


def test_point_contacts_and_moving_ones():
    control = controller(
        contacts=[lo.control.Contact("left_sole", SOLE), lo.control.Contact("right_sole", SOLE[:2], name="edge")]
    )
    q, v = state(2, 0.0)
    now = control.evaluate(0.0, q, v)
    assert now.solved and now.dependent == 1  # two points hold five motions
    for point in SOLE[:2]:
        assert abs(lo.acceleration(MODEL, q, v, now.a, "right_sole", point=tuple(point), frame="aligned")[:3]).max() < 1e-9
    lift = np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0])
    control = controller(
        contacts=[
            lo.control.Contact("left_sole", SOLE, acceleration=lift),
            lo.control.Contact("right_sole", SOLE, acceleration=lift),
        ]
    )
    now = control.evaluate(0.0, q, v)
    assert np.allclose(lo.acceleration(MODEL, q, v, now.a, "left_sole", frame="aligned"), lift, atol=1e-9)


def test_limits_of_motion():
    """A joint that is drawn through its limit stops before it, in its own ideal world."""
    model, q = MODEL, crouched()
    goal = q.copy()
    goal[model.joint("left_elbow").q] = 0.8  # beyond the limit 0
    control = lo.control.WholeBody(
        model, [lo.control.Posture(reference=goal, weight=1.0)], [lo.control.Contact("left_sole", SOLE),
        lo.control.Contact("right_sole", SOLE)], position_limits=True,
    )  # fmt: skip
    v, highest = np.zeros(model.nv), -9.0
    for k in range(1500):
        now = control.evaluate(1e-3 * k, q, v)
        assert now.solved
        v = v + 1e-3 * now.a
        q = model.integrate(q, 1e-3 * v)
        highest = max(highest, q[model.joint("left_elbow").q][0])
    assert -0.05 < highest <= 0.0


@pytest.mark.parametrize("seed", range(3))
def test_no_limit_of_motion_is_passed_at_any_tick(seed):
    """Arms, waist and head are drawn far beyond their limits from random speeds; limits of position and speed hold exactly."""
    model = lo.systems.load("hrp2_like").model
    rng, q, v = np.random.default_rng(seed), model.neutral(), np.zeros(model.nv)
    legs = ("hip", "knee", "ankle")
    free = np.array([not any(part in name for part in legs) for name in model.joint_names[1:]])
    lower, upper, speed, goal = model.lower[7:], model.upper[7:], model.velocity_limit[6:], q.copy()
    goal[7:] = np.where(free, np.where(rng.random(len(lower)) < 0.5, upper + 1.0, lower - 1.0), q[7:])
    v[6:][free] = rng.uniform(-1.0, 1.0, free.sum())
    feet = [lo.control.Contact(f"{side}_sole", lo.control.rectangle(0.24, 0.14)) for side in ("left", "right")]
    control = lo.control.WholeBody(
        model, [lo.control.Posture(reference=goal, weight=1.0, stiffness=400.0)], feet,
        position_limits=True, velocity_limits=True, torque_limits=False, brake=(20.0, 100.0, 300.0)[seed],
    )  # fmt: skip
    for k in range(800):
        now = control.evaluate(1e-3 * k, q, v)
        assert now.status == "solved"
        v = v + 1e-3 * now.a
        q = model.integrate(q, 1e-3 * v)
        assert (q[7:][free] <= upper[free] + 1e-12).all() and (q[7:][free] >= lower[free] - 1e-12).all()
        assert (abs(v[6:][free]) <= speed[free] + 1e-6).all()
    assert (np.minimum(upper - q[7:], q[7:] - lower)[free] < 5e-3).all()  # and all limits were reached


def test_references_move():
    control, q, v = controller(), crouched(), np.zeros(MODEL.nv)
    place = lo.center_of_mass(MODEL, q)
    control.tasks["com"].reference = lambda t: (place, np.zeros(3), np.array([0.3, 0.0, 0.0]))
    control.tasks["posture"].weight = 1e-8
    control.changed()
    for name in ("hand", "head", "angular momentum"):
        control.remove(name)
    now = control.evaluate(0.0, q, v)
    assert momentum_rate(now, q)[:3] / MODEL.mass == pytest.approx([0.3, 0.0, 0.0], abs=2e-3)


def test_nothing_is_left_of_a_reference_that_was_replaced():
    control, fresh, q, v = controller(), controller(), crouched(), np.zeros(MODEL.nv)
    place = lo.center_of_mass(MODEL, q)
    control.tasks["com"].reference = lambda t: (place, np.ones(3), np.ones(3))
    control.tasks["posture"].reference = lambda t: (q, np.ones(MODEL.nv))
    moving = control.evaluate(0.0, q, v)
    control.tasks["com"].reference = place
    control.tasks["posture"].reference = q
    still, other = control.evaluate(0.0, q, v), fresh.evaluate(0.0, q, v)
    assert abs(still.a - other.a).max() < 1e-6 and abs(moving.a - other.a).max() > 0.1


def test_wrong_calls():
    control = controller()
    with pytest.raises(lo.UnknownName, match="body"):
        control.add(lo.control.Contact("left_sol"))
    with pytest.raises(TypeError, match="neither a task nor"):
        control.add("com")
    with pytest.raises(lo.UnknownName, match="task or contact"):
        control.remove("nothing")
    with pytest.raises(ValueError, match="friction"):
        lo.control.Contact("left_sole", SOLE, friction=-1.0)
    with pytest.raises(ValueError, match="shape"):
        lo.control.Contact("left_sole", [[1.0, 2.0]])
    with pytest.raises(ValueError, match="finite"):
        control.evaluate(0.0, np.full(MODEL.nq, np.nan), np.zeros(MODEL.nv))
    with pytest.raises(ValueError, match="one state"):
        control.evaluate(0.0, np.tile(MODEL.neutral(), (2, 1)), np.zeros((2, MODEL.nv)))
    control.tasks["com"].reference = lambda t: (np.full(3, np.nan), np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="reference of task 'com' has a value that is not finite"):
        control.evaluate(0.0, MODEL.neutral(), np.zeros(MODEL.nv))
    control.tasks["com"].reference = lo.center_of_mass(MODEL, MODEL.neutral())
    assert control.evaluate(0.0, MODEL.neutral(), np.zeros(MODEL.nv)).solved  # nothing is left of it
    with pytest.raises(lo.UnknownName, match="solver"):
        controller(solver="magic")


def test_pickling():
    control, q, v = controller(), crouched(), np.zeros(MODEL.nv)
    before = control.evaluate(0.0, q, v)
    again = pickle.loads(pickle.dumps(control))
    assert np.allclose(again.evaluate(0.0, q, v).tau, before.tau, atol=1e-9)
