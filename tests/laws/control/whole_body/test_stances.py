"""Static stances: support regions in closed form, equilibrium against virtual work and a linear program, postures."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from standing_robots import HRP2 as MODEL
from standing_robots import HRP2_SOLE as SOLE
from standing_robots import feet, standing

import locomote as lo
from locomote.control.whole_body.machine import Way
from locomote.control.whole_body.regions import middle_of, region_of, within


def test_region_on_level_ground_is_the_hull_of_the_points():
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.normal(size=(9, 2)), np.zeros(9)])
    region = region_of(points, np.tile([0.0, 0.0, 1.0], (9, 1)), np.full(9, 0.4))
    hull = ConvexHull(points[:, :2])
    assert ConvexHull(region).volume == pytest.approx(hull.volume, rel=1e-2)
    for corner in region:
        assert min(np.linalg.norm(points[:, :2] - corner, axis=1)) < 1e-6


def test_region_between_two_walls():
    """Two points on slopes that lean towards each other without friction: the weight must pass where the normals meet."""
    points, normals = np.array([[-1.0, 0, 0], [1.0, 0, 0]]), np.array([[1.0, 0, 1.0], [-1.0, 0, 1.0]]) / np.sqrt(2)
    region = region_of(points, normals, np.full(2, 1e-9))
    assert abs(region).max() < 1e-6
    wide = region_of(points, normals, np.full(2, 0.3))
    # at friction 0.3 forces lean by 45 degrees -+ atan 0.3: where lines of extreme forces cross
    high, low = np.tan(np.pi / 4 + np.arctan(0.3)), np.tan(np.pi / 4 - np.arctan(0.3))
    reach = (high - low) / (high + low)
    assert wide[:, 0].max() == pytest.approx(reach, rel=1e-6) and wide[:, 0].min() == pytest.approx(-reach, rel=1e-6)


def test_region_that_is_nowhere_or_everywhere():
    wall = np.array([[0.0, 0.0, 1.0], [0.0, 0.5, 1.0]]), np.tile([1.0, 0.0, 0.0], (2, 1)), np.full(2, 0.5)
    with pytest.raises(ValueError, match="can hold the body nowhere"):
        region_of(*wall)
    clamp = np.array([[0, 0, 0.0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1.0]])
    with pytest.raises(ValueError, match="not bounded"):
        region_of(clamp, np.array([[0, 0, 1.0]] * 3 + [[0, 0, -1.0]] * 3), np.full(6, 0.5))


def test_middle():
    assert middle_of(np.array([[0, 0], [2, 0], [2, 1], [0, 1.0]])) == pytest.approx([1.0, 0.5])
    assert middle_of(np.array([[1, 1.0], [3, 1]])) == pytest.approx([2.0, 1.0])


def test_equilibrium_bears_the_weight():
    q = standing()
    stance = lo.control.hold_stance(MODEL, feet(), q)
    assert stance.holds
    poses, total, moment = lo.forward_kinematics(MODEL, q), np.zeros(3), np.zeros(3)
    center = lo.center_of_mass(MODEL, q)
    for name, forces in stance.forces.items():
        pose = poses[MODEL.body(name).index]
        for point, f in zip(SOLE, forces, strict=True):
            total += f
            moment += np.cross(pose[:3, :3] @ point + pose[:3, 3] - center, f)
            assert np.hypot(f[0], f[1]) <= 0.6 * f[2] + 1e-9
    assert total == pytest.approx([0, 0, 9.81 * MODEL.mass], abs=1e-6) and abs(moment).max() < 1e-6
    # the same by virtual work: torques are the change of potential energy less the work of forces
    tau = stance.tau
    for j in range(6, MODEL.nv):
        e = np.zeros(MODEL.nv)
        e[j] = 1e-5
        ahead, behind = MODEL.integrate(q, e), MODEL.integrate(q, -e)
        work = lo.potential_energy(MODEL, ahead) - lo.potential_energy(MODEL, behind)
        for name, forces in stance.forces.items():
            a, b = (lo.forward_kinematics(MODEL, x)[MODEL.body(name).index] for x in (ahead, behind))
            work -= sum(f @ ((a - b)[:3, :3] @ p + (a - b)[:3, 3]) for p, f in zip(SOLE, forces, strict=True))
        assert tau[j] == pytest.approx(work / 2e-5, abs=1e-5)


def test_equilibrium_says_what_lacks():
    q = standing()
    weak = lo.systems.load("hrp2_like", strength=0.05).model
    stance = lo.control.hold_stance(weak, feet(), q)
    assert not stance.holds and "torque limit" in stance.why[0][1] and stance.torque_use > 1.0
    leaning = q.copy()
    leaning[3:7] = lo.chart("quaternion").coordinates(lo.chart("roll_pitch_yaw").rotation([0.0, 0.5, 0.0]))
    fallen = lo.control.hold_stance(MODEL, feet(), leaning)  # its center is in front of its toes
    assert not fallen.holds


@pytest.mark.parametrize("seed", range(8))
def test_whether_a_stance_holds_is_what_a_linear_program_says(seed):
    rng = np.random.default_rng(seed)
    q = MODEL.integrate(standing(), 0.25 * rng.normal(size=MODEL.nv))
    contacts = feet(friction=0.3)
    stance = lo.control.hold_stance(MODEL, contacts, q, sides=8)
    points = [(c, p) for c in contacts for p in c.points]
    edges = [[0.3 * np.cos(np.pi / 8) * x for x in (np.cos(a), np.sin(a))] for a in 2 * np.pi * (np.arange(8) + 0.5) / 8]
    columns = []
    for c, p in points:
        J = lo.jacobian(MODEL, q, c.body, point=tuple(p), frame="aligned")[:3]
        # corners of the pyramid whose sides have the normals at multiples of 45 degrees
        columns += [J.T @ [x / np.cos(np.pi / 8), y / np.cos(np.pi / 8), 1.0] for x, y in edges]
    G, weight = np.array(columns).T, lo.gravity_force(MODEL, q)
    limit = MODEL.effort_limit[6:]
    A = np.vstack([-G[6:], G[6:]])
    b = np.concatenate([limit - weight[6:], limit + weight[6:]])
    found = linprog(np.zeros(G.shape[1]), A_ub=A, b_ub=b, A_eq=G[:6], b_eq=weight[:6], bounds=(0, None))
    assert stance.holds == (found.status == 0)


def test_find_stance_on_one_foot_and_on_a_slope():
    q = standing()
    poses = lo.forward_kinematics(MODEL, q)
    left, right = (poses[MODEL.body(f"{side}_sole").index] for side in ("left", "right"))
    one = lo.control.find_stance(MODEL, feet()[:1], {"left_sole": left}, posture=q)
    assert one.holds and one.error < 1e-6 and one.center[:2] == pytest.approx(left[:2, 3], abs=1e-3)
    raised = right.copy()
    raised[:3, 3] += [0.1, 0.0, 0.12]
    step = lo.control.find_stance(MODEL, feet(), {"left_sole": left, "right_sole": raised}, posture=q)
    assert step.holds and step.error < 1e-6
    at = lo.forward_kinematics(MODEL, step.q)[MODEL.body("right_sole").index]
    assert abs(at - raised).max() < 1e-6
    limited = slice(7, None)
    assert (step.q[limited] <= MODEL.upper[limited] + 1e-9).all() and (step.q[limited] >= MODEL.lower[limited] - 1e-9).all()
    far = right.copy()
    far[:3, 3] += [2.0, 0.0, 0.0]
    assert lo.control.find_stance(MODEL, feet(), {"left_sole": left, "right_sole": far}, posture=q).error > 0.1
    with pytest.raises(ValueError, match=r"expected \(4, 4\) or \(3,\)"):
        lo.control.find_stance(MODEL, feet()[:1], {"left_sole": np.zeros(2)}, posture=q, center=(0, 0))


def test_references_are_smooth_and_their_rates_are_derivatives():
    for reference in (Way([0, 0, 0], [1, 2, 3], 0.5, 2.0), Way([0, 0, 0], [1, 2, 0], 0.5, 2.0, 0.1)):
        h = 1e-4
        for t in (0.4, 0.7, 1.5, 2.2, 2.6):
            x, v, a = reference(t)
            ahead, behind = reference(t + h)[0], reference(t - h)[0]
            assert (ahead - behind) / (2 * h) == pytest.approx(v, abs=1e-6)
            assert (ahead - 2 * np.array(x) + behind) / h**2 == pytest.approx(a, abs=1e-5)
    assert Way([0, 0, 0], [1, 2, 0], 0.5, 2.0, 0.1)(1.5)[0][2] == pytest.approx(0.1)


def test_wrong_machine():
    control = lo.control.WholeBody(MODEL, [lo.control.CenterOfMass()], feet())
    with pytest.raises(ValueError, match="lifts 'hand', which is no contact"):
        lo.control.ContactMachine(control, [lo.control.Phase("up", 1.0, lift="hand")])


def slopes(friction):
    """Feet on slopes that lean, and a hand at a wall."""
    normals = ((0.5, 0.1, 1.0), (-0.3, 0.2, 1.0))
    sides = zip(("left", "right"), normals, strict=True)
    touching = [
        lo.control.Contact(f"{side}_sole", SOLE, normal=n, friction=friction, least=1.0, most=120.0) for side, n in sides
    ]
    return [*touching, lo.control.Contact("left_palm", normal=(-1.0, 0.0, 0.0), friction=friction)]


@pytest.mark.parametrize(
    "push, margin, sides", [((0.0, 0.0, 0.0), 0.0, 8), ((30.0, -20.0, 5.0), 0.0, 4), ((20.0, 10.0, 0.0), 0.01, 8)]
)
def test_a_stance_holds_where_its_center_is_in_the_region(push, margin, sides):
    """One cone: with motors that are strong enough, `hold_stance` and `support_region` never contradict each other."""
    rng, seen = np.random.default_rng(3), []
    for _ in range(10):
        q = MODEL.integrate(standing(), 0.12 * rng.normal(size=MODEL.nv))
        contacts = slopes(0.5) if rng.random() < 0.5 else feet(friction=0.2, most=150.0)
        held = lo.control.hold_stance(MODEL, contacts, q, push=push, margin=margin, sides=sides, torque_limits=False)
        try:
            region = lo.control.support_region(MODEL, q, contacts, push=push, margin=margin, sides=sides)
            inside = len(region) > 2 and within(region, held.center[:2]) >= 0.0
        except ValueError as error:
            assert "nowhere" in str(error) or "within the support region" in str(error)
            inside = False
        assert held.holds == inside
        seen.append(inside)
        if held.holds:
            assert held.margin >= margin
        elif margin and np.isfinite(held.margin) and held.margin >= 0.0:
            assert held.why[0][0] == "mass center"
    assert 1 < sum(seen) < 9


def test_a_push_moves_the_region_by_its_lever():
    """On level ground with friction enough: the hull of the soles, moved by height times push over weight."""
    q, push = standing(), np.array([40.0, 0.0, 0.0])
    still, pushed = (lo.control.support_region(MODEL, q, feet(friction=2.0), push=p) for p in (np.zeros(3), push))
    foot = lo.forward_kinematics(MODEL, q)[MODEL.body("left_sole").index][2, 3]
    lever = (lo.center_of_mass(MODEL, q)[2] - foot) * push[0] / (9.81 * MODEL.mass)
    assert pushed.min(axis=0) == pytest.approx(still.min(axis=0) - [lever, 0.0], abs=1e-8)
    assert pushed.max(axis=0) == pytest.approx(still.max(axis=0) - [lever, 0.0], abs=1e-8)
    shrunk = lo.control.support_region(MODEL, q, feet(), margin=0.02)
    assert shrunk.min(axis=0) == pytest.approx(still.min(axis=0) + 0.02, abs=1e-8)
    stance = lo.control.hold_stance(MODEL, feet(), q)
    assert stance.margin == pytest.approx(within(still, stance.center[:2]), abs=1e-9)
    total = sum(f.sum(axis=0) for f in lo.control.hold_stance(MODEL, feet(), q, push=push).forces.values())
    assert total == pytest.approx([-40.0, 0.0, 9.81 * MODEL.mass], abs=1e-6)
    largest = [p for p in range(5, 200, 5) if lo.control.hold_stance(MODEL, feet(), q, push=(float(p), 0, 0)).holds][-1]
    assert not lo.control.hold_stance(MODEL, feet(), q, push=(largest + 5.0, 0, 0)).holds


def test_springs_of_joints_bear_too():
    builder = lo.Builder("arm", base="fixed")
    joint = lo.Joint("elbow", axis="y", stiffness=10.0, rest=0.2, effort_limit=30.0)
    builder.body("arm", joint=joint, inertia=lo.Inertia(1.0, com=(0.3, 0, 0), moment=(0.1, 0.1, 0.1)))
    arm = builder.build()
    assert lo.control.hold_stance(arm, [], [0.7]).tau == pytest.approx([5.0 - 9.81 * 0.3 * np.cos(0.7)], abs=1e-6)


def test_wrong_stances():
    q = standing()
    with pytest.raises(ValueError, match="two contacts are named 'left_sole'"):
        lo.control.hold_stance(MODEL, [feet()[0], feet()[0]], q)
    with pytest.raises(ValueError, match="push is"):
        lo.control.hold_stance(MODEL, feet(), q, push=(1.0, 2.0))
    with pytest.raises(ValueError, match="margin is"):
        lo.control.support_region(MODEL, q, feet(), margin=-1.0)
    with pytest.raises(ValueError, match="no place of the mass center is 1 m within"):
        lo.control.support_region(MODEL, q, feet(), margin=1.0)
    with pytest.raises(ValueError, match="sides is 5"):
        lo.control.support_region(MODEL, q, feet(), sides=5)
