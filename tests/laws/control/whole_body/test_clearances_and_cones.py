"""Distances against brute force and in an ideal world; round cones between polygons."""

import numpy as np
import pytest
import quadprog
from standing_robots import HUMANOID as MODEL
from standing_robots import HUMANOID_SOLE as SOLE
from standing_robots import crouched

import locomote as lo
from locomote.control.whole_body.clearances import nearest


def feet(friction=0.7):
    return [lo.control.Contact(f"{side}_sole", SOLE, friction=friction) for side in ("left", "right")]


def apart(a, b, steps=400):
    """Distance of two segments (2, 3) by brute force."""
    s = np.linspace(0.0, 1.0, steps)[:, None]
    x, y = a[0] + s * (a[1] - a[0]), b[0] + s * (b[1] - b[0])
    return np.linalg.norm(x[:, None] - y[None], axis=-1).min()


def test_nearest_points_of_segments():
    rng = np.random.default_rng(3)
    for k in range(200):
        a, b = rng.normal(size=(2, 2, 3))
        if k % 4 == 1:
            a[1] = a[0]
        if k % 4 == 2:
            b[1] = b[0] + 2.0 * (a[1] - a[0])  # parallel
        if k % 8 == 5:
            b[1] = b[0]
        s, t = nearest(tuple(a[0]), tuple(a[1]), tuple(b[0]), tuple(b[1]))
        found = np.linalg.norm(a[0] + s * (a[1] - a[0]) - b[0] - t * (b[1] - b[0]))
        brute = apart(a, b)
        assert found <= brute + 1e-12 and brute < found + 0.02


def gaps(q, clearance):
    poses = lo.forward_kinematics(MODEL, q)

    def placed(body, ends):
        pose = np.eye(4) if body is None else poses[MODEL.body(body).index]
        return ends[[0, -1]] @ pose[:3, :3].T + pose[:3, 3]

    found = apart(placed(clearance.body, clearance.ends), placed(clearance.other, clearance.other_ends), 200)
    return found - clearance.radius - clearance.other_radius


@pytest.mark.parametrize("other", ["torso", None])
def test_a_hand_stops_before_it_hits(other):
    """A hand that is drawn into the trunk, or into a bar that stands in the world, comes as near as it may and no nearer."""
    q, v = crouched(), np.zeros(MODEL.nv)
    poses = lo.forward_kinematics(MODEL, q)
    hand, torso = (poses[MODEL.body(name).index][:3, 3] for name in ("left_hand", "torso"))
    if other:
        keep = lo.control.Clearance("left_hand", "torso", (0, 0, -0.1), ((0, 0, 0.0), (0, 0, 0.3)), 0.04, 0.14, margin=0.02)
        goal = torso
    else:
        goal = hand + np.array([0.25, 0.0, 0.0])
        bar = np.array([hand + (0.2, -0.5, -0.1), hand + (0.2, 0.5, -0.1)])
        keep = lo.control.Clearance("left_hand", None, (0, 0, -0.1), bar, 0.04, 0.03, margin=0.02)
    tasks = [
        lo.control.CenterOfMass(), lo.control.Frame("torso", position=False), lo.control.Posture(weight=1e-4),
        lo.control.Frame("left_hand", position=goal, rotation=False, name="hand", stiffness=40.0),
    ]  # fmt: skip
    control = lo.control.WholeBody(MODEL, tasks, feet(), clearances=[keep], torque_limits=False)
    smallest = np.inf
    for k in range(900):
        now = control.evaluate(2e-3 * k, q, v)
        assert now.status == "solved"
        assert now.clearances[keep.name] == pytest.approx(gaps(q, keep) - keep.margin, abs=2e-3)
        v = v + 2e-3 * now.a
        q = MODEL.integrate(q, 2e-3 * v)
        smallest = min(smallest, gaps(q, keep))
    assert 0.02 - 1e-3 < smallest < 0.03
    assert (keep.name, "as near as they may come") in [reason[:2] for reason in now.why]
    control.remove(keep.name)
    for k in range(400):
        v = v + 2e-3 * control.evaluate(2.4 + 2e-3 * k, q, v).a
        q = MODEL.integrate(q, 2e-3 * v)
        smallest = min(smallest, gaps(q, keep))
    assert smallest < 0.01  # nothing else kept it away


def test_the_row_of_a_clearance_is_the_second_derivative_of_the_distance():
    """By differences along a motion with the accelerations of the tick, for spheres, whose nearest points stay."""
    rng = np.random.default_rng(5)
    q, v = MODEL.integrate(crouched(), 0.1 * rng.normal(size=MODEL.nv)), 0.02 * rng.normal(size=MODEL.nv)
    keep = lo.control.Clearance("left_hand", "right_shank", (0, 0.02, -0.1), (0.01, 0, -0.2), 0.04, 0.05)
    control = lo.control.WholeBody(MODEL, [lo.control.Posture(reference=crouched())], feet(), clearances=[keep])
    a = control.evaluate(0.0, q, v).a
    k, h = control._packed.tick, 1e-4

    def distance(t):
        poses = lo.forward_kinematics(MODEL, MODEL.integrate(q, t * v + 0.5 * t * t * a))
        one, two = (poses[MODEL.body(name).index] for name in ("left_hand", "right_shank"))
        return np.linalg.norm(one[:3, :3] @ keep.ends[0] + one[:3, 3] - two[:3, :3] @ keep.other_ends[0] - two[:3, 3])

    rate, second = (distance(h) - distance(-h)) / (2 * h), (distance(h) - 2 * distance(0) + distance(-h)) / h**2
    lower, gap = k.least_apart[0], k.gap[0]
    brake, horizon = k.number[6], k.number[5]
    root = np.sqrt(horizon**2 + 2 * gap / brake)
    speed = brake * (root - horizon)
    drift = (-speed - rate) / horizon + max(-rate, 0.0) / root - lower
    turning = second - (k.apart[0] @ a + drift)  # (|v across|^2) / distance: positive and small here
    assert -1e-4 < turning < 0.05
    assert gap == pytest.approx(distance(0) - 0.04 - 0.05 - 0.01, abs=1e-12)


def slipping(cones, **options):
    """A wish to accelerate sideways more than friction allows."""
    center = lo.center_of_mass(MODEL, crouched())
    wish = lambda t: (center, np.zeros(3), np.array([2.5, 1.3, 0.0]))  # noqa: E731
    tasks = [
        lo.control.CenterOfMass(reference=wish),
        lo.control.Frame("torso", position=False),
        lo.control.Posture(reference=crouched()),
    ]
    return lo.control.WholeBody(MODEL, tasks, feet(0.15), cones=cones, **options)


def test_round_cones_lie_between_polygons_inside_and_outside():
    """The best cost with pyramids of 512 sides, inside the cones and around them, by quadprog, encloses that with cones."""
    control, q, v = slipping("round"), crouched(), np.zeros(MODEL.nv)
    now = control.evaluate(0.0, q, v)
    assert now.status == "solved" and now.residual < 1e-7
    assert max(now.friction_use.values()) == pytest.approx(1.0, abs=1e-7)
    k = control._packed.tick
    n, m, r = int(k.count[1]) - 2, int(k.count[2]), int(k.count[0])
    assert (k.x[n : n + 2] < 1e-9).all()  # the slacks, which are left out
    rows = np.array([row[0] not in ("friction", "slack") for row in control._packed.rows])[:m]
    H, g, A, low, high = k.H[:n, :n], k.g[:n], k.A[:m, :n][rows], k.lower[:m][rows], k.upper[:m][rows]
    equal = low == high
    above, below = np.isfinite(low) & ~equal, np.isfinite(high) & ~equal
    angles = 2 * np.pi * np.arange(512) / 512
    costs = []
    for friction in (0.15, 0.15 * np.cos(np.pi / 512)):
        sides = np.zeros((8 * 512, n))
        for p in range(8):
            one = slice(512 * p, 512 * (p + 1))
            sides[one, r + 3 * p], sides[one, r + 3 * p + 1] = -np.cos(angles), -np.sin(angles)
            sides[one, r + 3 * p + 2] = friction
        every = np.vstack([A[equal], A[above], -A[below], sides])
        bounds = np.concatenate([low[equal], low[above], -high[below], np.zeros(len(sides))])
        costs.append(quadprog.solve_qp(H, -g, every.T, bounds, int(equal.sum()))[1])
    own = 0.5 * k.x[:n] @ H @ k.x[:n] + g @ k.x[:n]
    assert costs[1] - costs[0] < 1e-4 * abs(costs[0])
    assert costs[0] - 1e-6 < own < costs[1] + 1e-6
    pyramid = slipping("pyramid").evaluate(0.0, q, v)
    fine = slipping("pyramid", sides=64).evaluate(0.0, q, v)
    assert now.task_errors["com"] < pyramid.task_errors["com"] - 0.05  # more of the cone is used than by a pyramid inside
    assert now.task_errors["com"] == pytest.approx(fine.task_errors["com"], abs=5e-3)


def test_round_cones_along_a_motion():
    control, q, v, most = slipping("round"), crouched(), np.zeros(MODEL.nv), 0
    for k in range(100):
        now = control.evaluate(1e-3 * k, q, v)
        assert now.solved and max(now.friction_use.values()) < 1 + 1e-6 and now.residual < 1e-7
        v = v + 1e-3 * now.a
        q = MODEL.integrate(q, 1e-3 * v)
        most = max(most, now.iterations if k else 0)
    assert most < 200


def test_wrong_clearances_and_cones():
    with pytest.raises(ValueError, match=r"ends of clearance .* expected \(3,\) or \(2, 3\)"):
        lo.control.Clearance("left_hand", None, ends=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="margin of clearance"):
        lo.control.Clearance("left_hand", None, margin=-1.0)
    with pytest.raises(lo.UnknownName, match="body"):
        lo.control.WholeBody(MODEL, clearances=[lo.control.Clearance("left_hnd", None)])
    with pytest.raises(lo.UnknownName, match="kind of cone"):
        lo.control.WholeBody(MODEL, cones="square")
    with pytest.raises(ValueError, match="own solver"):
        lo.control.WholeBody(MODEL, cones="round", solver="daqp")


def test_wrists_bend_the_palm_more_than_they_turn_it_sideways():
    """The hand of the humanoid is thin along y: it bends about x."""
    hand = next(body for body in MODEL.description.bodies if body.name == "left_hand")
    size = hand.visuals[0].size
    assert min(range(3), key=lambda axis: size[axis]) == 1
    upper = MODEL.upper[MODEL.joint("left_wrist").q]
    assert upper[0] > upper[1]  # about x, about y
