"""The chosen self-stress against programs over all reactions, solved by another solver, and against optimality conditions.

What is checked shares rows and accelerations with the library, and nothing after that:

    A_f^T lam = h_f ,   tau = h_a - A_a^T lam ,   h = inverse dynamics of the motion                                (1)
"""

import numpy as np
import pytest
import quadprog
from scipy.optimize import nnls

import locomote as lo

PROBLEMS, STATES = 60, 17  # 1,020 states


def turned(rng, tilt):
    """A frame at a random place whose z axis leans by up to `tilt` from the vertical."""
    axis, angle = rng.normal(size=3), rng.uniform(0, tilt)
    axis[2] = 0.0
    x, y, z = axis / np.linalg.norm(axis) * np.sin(angle / 2)
    w = np.cos(angle / 2)
    pose = np.eye(4)
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return pose


def climber(seed):
    """A free trunk with limbs whose joints are imposed; each tip is held at a place of its own, on a wall that leans."""
    rng = np.random.default_rng(seed)
    rod = lo.Inertia(1.0, (0.15, 0, 0), np.diag([1e-3, 0.02, 0.02]))
    builder = lo.Builder(f"climber {seed}", base="free").body("trunk", inertia=lo.Inertia.box(8.0, (0.5, 0.3, 0.2)))
    holds = []
    for k in range(int(rng.integers(3, 6))):
        parent, at = "trunk", tuple(rng.uniform(-0.3, 0.3, 3))
        for j in range(int(rng.integers(1, 4))):
            joint = lo.Joint(f"joint {k} {j}", axis=tuple(rng.normal(size=3)))
            builder.body(f"limb {k} {j}", parent=parent, joint=joint, at=at, inertia=rod)
            parent, at = f"limb {k} {j}", (0.3, 0, 0)
        letters = str(rng.choice(["xyz", "xyz", "xz", "z"]))
        holds.append(lo.LoopClosure(parent, None, locked=letters, frame=at, other_frame=turned(rng, 1.2), name=f"hold {k}"))
    model = builder.build()
    drives = {name: 0.0 for name in model.joint_names if name.startswith("joint")}
    return lo.Locomotion(model, drives=drives, constraints=holds)


def balance(problem, q, v, now):
    """A_f^T, h_f, A_a^T, h_a of (1)."""
    A, held = problem.rows(0.0, q, v)[0], problem.imposed
    h = lo.inverse_dynamics(problem.model, q, v, now.a)
    return A[:, ~held].T, h[~held], A[:, held].T, h[held]


def by_quadprog(H, g, E, e, C, c):
    """min x.H x / 2 + g.x with E x = e (dependent rows allowed) and C x >= c; None if there is none."""
    left, values, right = np.linalg.svd(E)
    rank = int((values > 1e-9 * values[0]).sum())
    rows = np.vstack([right[:rank], C])
    bounds = np.concatenate([(left.T @ e)[:rank] / values[:rank], c])
    try:
        return quadprog.solve_qp(H, -g, rows.T, bounds, rank)[0]
    except ValueError:
        return None


def test_a_thousand_over_constrained_states_against_another_solver():
    """Signs, pyramids made of contacts without a second tangent, torque bounds; least norm and weights."""
    solved = refused = bound = 0
    for seed in range(PROBLEMS):
        problem, rng = climber(seed), np.random.default_rng(1000 + seed)
        labels = problem.constraint_labels
        normals = [r for r, label in enumerate(labels) if label[1] == "z"]
        names = [labels[r][0] for r in normals]
        flat = [n for n in names if [label[1] for label in labels if label[0] == n] == ["x", "z"]]
        for state in range(STATES):
            q = problem.model.random(rng)
            q[problem.model.nq - problem.imposed.sum() :] = 0.0
            v = np.where(problem.imposed, 0.0, rng.normal(size=problem.model.nv))
            now = problem.evaluate(0.0, q, v)
            E, e, B, h = balance(problem, q, v, now)
            assert np.allclose(E @ now.reactions, e, atol=1e-7 * max(1.0, abs(e).max()))
            weights, limit, mu = rng.uniform(0.2, 5.0, len(labels)), abs(h).max() * rng.uniform(0.5, 3.0), rng.uniform(0.2, 1.5)
            pushing = [names[k] for k in rng.choice(len(names), rng.integers(1, len(names) + 1), replace=False)]
            cones = {n: mu for n in flat if n in pushing}
            C = [np.eye(len(labels))[normals[names.index(n)]] for n in pushing]
            for n in cones:
                x, z = (labels.index((n, row, "N")) for row in "xz")
                C += [mu * np.eye(len(labels))[z] + s * np.eye(len(labels))[x] for s in (1, -1)]
            C = np.vstack([*C, B, -B])
            c = np.concatenate([np.zeros(len(C) - 2 * len(B)), h - limit, -h - limit])
            choose = "least_norm" if state % 2 else weights
            H = np.eye(len(labels)) if state % 2 else np.diag(1 / weights)
            expected = by_quadprog(H, np.zeros(len(labels)), E, e, C, c)
            options = {"choose": choose, "unilateral": pushing, "friction": cones, "torque_bounds": float(limit)}
            if expected is None:
                refused += 1
                with pytest.raises(lo.NoReactions):
                    problem.reactions(0.0, q, v, **options)
                continue
            solved += 1
            found = problem.reactions(0.0, q, v, **options)
            size = abs(expected).max()
            bound += bool((C @ expected - c < 1e-8 * size).any())
            assert abs(found.reactions - expected).max() < 1e-9 * size, (seed, state)
            assert abs(found.tau[problem.imposed] - (h - B @ found.reactions)).max() < 1e-9 * max(size, abs(h).max())
            assert np.array_equal(found.a, now.a)
    assert solved + refused == PROBLEMS * STATES >= 1000
    assert min(solved, refused, bound) > 100, (solved, refused, bound)


def is_least(gradient, free, normals):
    """Whether a gradient is a combination of `free` columns and of `normals` with positive amounts."""
    columns = np.column_stack([free, -free, *normals]) if len(normals) else np.column_stack([free, -free])
    return nnls(columns, gradient, maxiter=10_000)[1] / max(1.0, np.linalg.norm(gradient))


def test_round_cones_by_their_optimality_conditions():
    """Within the cone, and the gradient is a combination of balance rows and of normals of the cones that are touched."""
    touched = 0
    for seed in range(40):
        problem = climber(seed)
        labels = problem.constraint_labels
        cones = {
            label[0]: [r for r, other in enumerate(labels) if other[0] == label[0]]
            for label in labels
            if sum(other[0] == label[0] for other in labels) == 3
        }
        if not cones:
            continue
        q, v = problem.model.neutral(), np.zeros(problem.model.nv)
        try:
            found = problem.reactions(0.0, q, v, friction=dict.fromkeys(cones, 0.6))
        except lo.NoReactions:
            continue
        E, e, B, h = balance(problem, q, v, found)
        lam, size = found.reactions, abs(found.reactions).max()
        assert np.allclose(E @ lam, e, atol=1e-9 * size)
        normals = []
        for rows in cones.values():
            across, along = lam[rows[:2]], lam[rows[2]]
            assert np.linalg.norm(across) <= 0.6 * along + 1e-9 * size
            if 0.6 * along - np.linalg.norm(across) < 1e-8 * size and along > 1e-6 * size:
                n = np.zeros(len(lam))
                n[rows[:2]], n[rows[2]] = -across / np.linalg.norm(across), 0.6
                normals.append(n)
                touched += 1
            elif along <= 1e-6 * size:  # the apex: all directions
                for angle in np.linspace(0, 2 * np.pi, 720):
                    n = np.zeros(len(lam))
                    n[rows] = np.cos(angle), np.sin(angle), 0.6
                    normals.append(n)
        assert is_least(lam, E.T, normals) < 1e-9, seed
    assert touched > 20


def test_least_torque_and_then_least_reactions():
    """Torques by their optimality conditions, and reactions by those among equal torques."""
    for seed in range(30):
        problem = climber(seed)
        labels = problem.constraint_labels
        names = [label[0] for label in labels if label[1] == "z"]
        q, v = problem.model.neutral(), np.zeros(problem.model.nv)
        try:
            found = problem.reactions(0.0, q, v, choose="least_torque", unilateral=names)
        except lo.NoReactions:
            continue
        E, e, B, h = balance(problem, q, v, found)
        lam, tau = found.reactions, found.tau[problem.imposed]
        assert np.allclose(E @ lam, e, atol=1e-9 * abs(lam).max()) and np.allclose(tau, h - B @ lam, atol=1e-9 * abs(lam).max())
        normals = [np.eye(len(lam))[r] for r in range(len(lam)) if labels[r][1] == "z" and lam[r] < 1e-8 * abs(lam).max()]
        assert all(lam[r] >= 0.0 for r, label in enumerate(labels) if label[1] == "z")
        assert is_least(-B.T @ tau, E.T, normals) < 1e-9, seed
        assert is_least(lam, np.column_stack([E.T, B.T]), normals) < 1e-8, seed
        plain = problem.evaluate(0.0, q, v).least_torque().tau
        assert np.linalg.norm(plain) <= np.linalg.norm(found.tau) * (1 + 1e-12)


def table(center, points=None, directions="z"):
    """A top of 10 kg on four legs, a metre apart."""
    model = lo.Builder("table", base="free").body("top", inertia=lo.Inertia(10.0, (*center, 0.0), np.eye(3))).build()
    points = [(x, y, -0.7) for x in (0.5, -0.5) for y in (0.5, -0.5)] if points is None else points
    legs = [lo.PointContact("top", p, directions=directions, unilateral=True, name=f"leg {k}") for k, p in enumerate(points)]
    return lo.Locomotion(model, constraints=legs)


def test_no_leg_of_a_table_pulls_where_none_has_to():
    """Least norm alone would have the far leg pull with 4.9 N times two at the lean 0.3, 0.3."""
    problem = table((0.3, 0.3))
    q, v = problem.initial()
    now = problem.evaluate(0.0, q, v)
    assert np.allclose(now.reactions, [58.86, 19.62, 19.62, 0.0], atol=1e-10) and now.reactions.min() >= 0.0
    assert np.allclose(now.a, 0.0, atol=1e-12)
    inside = table((0.1, 0.2))
    assert np.allclose(inside.evaluate(0.0, *inside.initial()).reactions, 98.1 / 4 * np.array([1.6, 0.8, 1.2, 0.4]))


def test_a_table_that_must_be_held_down_is_held_by_the_least_pull():
    """The mass stands out by 0.1 m: 98.1 N times 0.1 m, over two legs at a lever of one metre."""
    problem = table((0.6, 0.0))
    q, v = problem.initial()
    now = problem.evaluate(0.0, q, v)
    assert np.allclose(now.reactions, [53.955, 53.955, -4.905, -4.905])
    with pytest.raises(lo.NoReactions, match="no reactions of 'table'|no reactions of ''") as refused:
        problem.reactions(0.0, q, v)
    assert {"leg 2", "leg 3"} <= set(refused.value.names)


def test_random_tables_push_wherever_a_linear_program_finds_a_way():
    from scipy.optimize import linprog

    for seed in range(60):
        rng = np.random.default_rng(seed)
        points = np.column_stack([rng.uniform(-1, 1, (5, 2)), np.full(5, -0.7)])
        center = points[:, :2].mean(axis=0) + rng.normal(scale=0.4, size=2)
        problem = table(center, [tuple(p) for p in points])
        q, v = problem.initial()
        lam = problem.evaluate(0.0, q, v).reactions
        A = np.vstack([np.ones(5), points[:, 0], points[:, 1]])
        b = 98.1 * np.array([1.0, *center])
        possible = linprog(np.zeros(5), A_eq=A, b_eq=b).success
        assert np.allclose(A @ lam, b, atol=1e-9) and (lam.min() >= 0.0) == possible


def test_a_grasp_needs_to_squeeze():
    """A ball of 1 kg between two fingers on a level: friction 0.5 takes weight / (2 * 0.5) from each of them."""
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.05)).build()
    fingers = []
    for side, name in ((1, "left"), (-1, "right")):
        pose = np.eye(4)  # z into the ball
        pose[:3, :3], pose[:3, 3] = np.array([[0, 0, -side], [side, 0, 0], [0, -1, 0]]), (0.05 * side, 0, 0)
        fingers.append(lo.LoopClosure("ball", None, locked="xyz", frame=(0.05 * side, 0, 0), other_frame=pose, name=name))
    problem = lo.Locomotion(model, constraints=fingers)
    q, v = model.neutral(), np.zeros(6)
    loose = problem.evaluate(0.0, q, v).reactions.reshape(2, 3)
    assert np.allclose(loose[:, 2], 0.0, atol=1e-12)  # least norm does not squeeze
    firm = problem.reactions(0.0, q, v, friction={"left": 0.5, "right": 0.5}).reactions.reshape(2, 3)
    assert np.allclose(firm[:, 2], 9.81, atol=1e-8) and np.allclose(np.linalg.norm(firm[:, :2], axis=1), 9.81 / 2, atol=1e-9)


def test_a_chimney_climber_presses_as_hard_as_its_motors_let_it():
    """A bar of 4 kg on two imposed slides between walls: friction 0.4 takes 49.05 N, which a bound of 40 N refuses."""
    builder = lo.Builder("climber", base="free").body("bar", inertia=lo.Inertia.box(4.0, (0.4, 0.1, 0.1)))
    for name, x in (("left", -1), ("right", 1)):
        slide = lo.Joint(f"{name} slide", "prismatic", axis=(x, 0, 0))
        builder.body(name, parent="bar", joint=slide, at=(0.2 * x, 0, 0), inertia=lo.Inertia(1e-6, moment=1e-9 * np.eye(3)))
    feet = []
    for name, x in (("left", -1), ("right", 1)):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = np.array([[0, 0, -x], [x, 0, 0], [0, -1, 0]]), (0.2 * x, 0, 0)
        feet.append(lo.LoopClosure(name, None, locked="xyz", other_frame=pose, name=f"{name} foot"))
    problem = lo.Locomotion(builder.build(), drives={"left slide": 0.0, "right slide": 0.0}, constraints=feet)
    q, v = problem.model.neutral(), np.zeros(problem.model.nv)
    friction = {"left foot": 0.4, "right foot": 0.4}
    found = problem.reactions(0.0, q, v, friction=friction, choose="least_torque")
    assert np.allclose(found.tau[problem.imposed], 4.000002 * 9.81 / 2 / 0.4, atol=1e-7)
    with pytest.raises(lo.NoReactions) as refused:
        problem.reactions(0.0, q, v, friction=friction, torque_bounds=40.0)
    assert any(name.startswith("torque of") for name in refused.value.names)
    assert problem.reactions(0.0, q, v, friction=friction, torque_bounds={"left slide": (0, 60), "right slide": 60}) is not None


def test_reactions_that_are_unique_are_judged():
    """Three legs: there is no choice, and what is asked holds or does not."""
    points = [(0.5, 0.0, -0.7), (-0.5, 0.5, -0.7), (-0.5, -0.5, -0.7)]
    problem = table((0.0, 0.0), points)
    assert np.allclose(problem.reactions(0.0, *problem.initial()).reactions, 98.1 * np.array([0.5, 0.25, 0.25]))
    outside = table((0.7, 0.0), points)
    with pytest.raises(lo.NoReactions, match="leg 1"):
        outside.reactions(0.0, *outside.initial())


def test_a_rope_pulls_only():
    """A beam hung on three ropes: the one in the middle cannot push."""
    model = lo.Builder("beam", base="xyz").body("beam", inertia=lo.Inertia(3.0)).build()
    ropes = [lo.Distance("beam", None, (0, 0, 0), (x, 0, 1.0), name=f"rope {x}") for x in (-1, 0, 1)]
    strut = lo.Distance("beam", None, (0, 0, 0), (0, 0, -1.0), name="strut")
    problem = lo.Locomotion(model, constraints=[*ropes, strut])
    q, v = np.zeros(3), np.zeros(3)
    lam = problem.evaluate(0.0, q, v).reactions
    assert lam[3] > 1.0 > 0.0 > lam[1]  # the strut takes its share of the weight
    found = problem.reactions(0.0, q, v, unilateral={f"rope {x}": -1 for x in (-1, 0, 1)} | {"strut": -1}).reactions
    assert (found <= 0.0).all() and np.isclose(found[3], 0.0, atol=1e-10)


def test_self_stress_moves_power_from_drives_to_constraints_that_move():
    """Two rows hold the same slide, one of them moves: what the drive gives, the row takes."""
    model = lo.Builder("slide").body("slide", joint=lo.Joint("x", "prismatic", axis="x"), inertia=lo.Inertia(1.0)).build()
    row = lo.Custom(rows=lambda t, q, v: [[1.0]], speed=lambda t, q, v: [-0.5], name="belt")
    problem = lo.Locomotion(model, drives={"x": lo.Polynomial([0.0, 0.5])}, constraints=[row])
    now = problem.evaluate(0.0, [0.0], [0.5])
    more = now.with_self_stress([3.0] if now.self_stress[0, 0] > 0 else [-3.0])
    assert np.isclose(more.reactions[0], 3.0) and np.isclose(more.tau[0], -3.0)
    assert np.isclose(more.power["drives"], -1.5) and np.isclose(more.power["constraints"], 1.5)


def test_wrong_calls_get_a_sentence():
    problem = table((0.1, 0.0), directions="xyz")
    q, v = problem.initial()
    for options, words in (
        ({"choose": "least"}, "no choice named 'least'"),
        ({"choose": [1.0]}, "12 positive weights"),
        ({"choose": {"lag": 2.0}}, "known: leg 0"),
        ({"unilateral": "leg 1"}, "must be a list"),
        ({"unilateral": {"leg 1": 2}}, "expected 1"),
        ({"unilateral": ["leg 9"]}, "did you mean"),
        ({"friction": -1.0}, "zero or more"),
        ({"torque_bounds": {"top": 1.0}}, "top"),
        ({"torque_bounds": "motor"}, "'model' for its limits"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            problem.reactions(0.0, q, v, **options)


def test_a_leg_that_costs_nothing():
    """r = (29.43, 29.43, 19.62, 19.62) + s (1, -1, -1, 1), of which the last three are least at s = 9.81."""
    problem = table((0.1, 0.0), directions="xyz")
    found = problem.reactions(0.0, *problem.initial(), choose={"leg 0": 1e9}).reactions.reshape(4, 3)[:, 2]
    assert np.allclose(found, [39.24, 19.62, 9.81, 29.43], atol=1e-6)
