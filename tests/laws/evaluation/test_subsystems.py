"""Constraints eliminated subsystem by subsystem give what their elimination as a whole gives, and what matrices give."""

import numpy as np
import pytest
from mechanisms import random_inertia, random_joint, random_pose, relative

import locomote as lo
from locomote.evaluation import subsystems as parts
from locomote.evaluation.plan import BY_MASS, LOCAL, REMAINDER
from locomote.methods.entries import assemble_one

HELD = ("x", "xy", "xyz", "ab", "yc", "xyzab", "bc", "xyzabc")
KINDS = ("revolute", "revolute", "prismatic", "helical", "universal", "spherical", "planar", "free")


def in_parts(problem):
    """The problem, with its constraints eliminated in parts whether that pays or not."""
    assert len(problem.plan.subsystems)
    problem.plan.options[LOCAL] = 1.0
    problem.plan.calls[:] = 0  # kernels for that are there from the next call on
    return problem


def random_problem(seed, base="fixed", bodies=18, loops=5, driven=3, **options):
    """A random tree with loops between bodies near each other, closed in the state that comes with it; some are doubled, some
    joints are driven or coupled."""
    rng = np.random.default_rng([seed, 41])
    builder = lo.Builder("tree", base=base).body("b0", inertia=random_inertia(rng))
    parents = [0]
    for n in range(1, bodies):
        parents.append(int(rng.integers(max(0, n - 4), n)))
        joint = random_joint(rng, f"j{n}", str(rng.choice(KINDS)))
        builder.body(f"b{n}", parent=f"b{parents[n]}", joint=joint, at=random_pose(rng), inertia=random_inertia(rng))
    model = builder.build()
    q, closures = model.random(rng), []
    poses = lo.forward_kinematics(model, q)
    for k in range(loops):
        body = int(rng.integers(4, bodies))
        other = int(rng.integers(max(0, body - 4), body)) if k or base == "free" else None
        g = poses[model.body_index(f"b{body}")]
        h = np.eye(4) if other is None else poses[model.body_index(f"b{other}")]
        frame, name = random_pose(rng), None if other is None else f"b{other}"
        seen = np.linalg.inv(h) @ g @ frame
        closure = lo.LoopClosure(f"b{body}", name, locked=str(rng.choice(HELD)), frame=frame, other_frame=seen)
        closures += [closure] * (2 if rng.random() < 0.25 else 1)
    single = [n for n in model.joint_names if model.joint(n).kind in ("revolute", "prismatic", "helical")]
    chosen = [str(n) for n in rng.permutation(single)[: driven + 2]]
    drives = {n: moving_from(q[model.joint(n).q][0], *rng.normal(size=2)) for n in chosen[:driven]}
    if len(chosen) == driven + 2:
        ratios = {chosen[-2]: 1.0, chosen[-1]: float(rng.normal())}
        offset = sum(r * q[model.joint(n).q][0] for n, r in ratios.items())
        closures.append(lo.Coupled(ratios, offset=offset))
    tau = rng.normal(size=model.nv)
    return lo.Locomotion(model, torques=lambda t, q, v: tau, drives=drives, constraints=closures, **options), q, rng


def moving_from(place, speed, acceleration):
    """An imposed motion through a place at time zero."""
    return lambda t: place + speed * t + 0.5 * acceleration * t * t


def fitting_state(seed, base):
    """A random problem with a state that meets its constraints; with fewer drives if they do not fit each other."""
    for driven in (3, 2, 1, 0):
        problem, q, rng = random_problem(seed, base, driven=driven)
        v, free = rng.normal(size=problem.model.nv), problem.plan.free
        for k, drive in problem.imposed_motions.items():
            v[k] = drive(0.0)[1]
        A = problem.rows(0.0, q, v)[0]
        v[free] -= np.linalg.lstsq(A[:, free], A @ v, rcond=1e-9)[0]
        if abs(A @ v).max() < 1e-9 and in_parts(problem).evaluate(0.0, q, v).incompatibility < 1e-6:
            break
    return problem, q, v


def both(problem, q, v, t=0.0):
    """(a, reactions, torques of drives, rank, remainder, whether there is a mass matrix) in parts and as a whole."""
    found = []
    for plan in (in_parts(problem).plan, problem.plan.as_a_whole()):
        work = problem.work_for(plan)
        a, lam, rank = problem.evaluate_with(plan, work, t, q.copy(), v.copy())
        found.append((a, lam, np.where(problem.imposed, work.tau, 0.0), rank, work.result[REMAINDER], work.M.any()))
    return found


@pytest.mark.parametrize("base", ["fixed", "free", "planar"])
@pytest.mark.parametrize("seed", range(20))
def test_random_loops(seed, base):
    problem, q, v = fitting_state(seed, base)
    (a, lam, tau, rank, remainder, mass), (b, mu, sigma, full, rest, _) = both(problem, q, v)
    assert rank == full
    if not problem.plan.subsystems[:, parts.BORDER].any():
        assert 0.5 < remainder / rest < 2.0 and not mass  # rows of the same length are taken in either order
    worst = 1e-10 / min(1.0, rest) ** 2
    assert relative(a, b) < worst and relative(lam, mu) < worst and relative(tau, sigma) < worst


def passive_forces(model, q, v, q_of_v, slow):
    """Springs, dampers and friction of joints."""
    away = np.where(q_of_v >= 0, q[q_of_v], 0.0) - model.rest
    return -model.stiffness * away - model.damping * v - model.friction * v / np.sqrt(v**2 + slow**2)


@pytest.mark.parametrize("seed", range(12))
def test_matrices(seed):
    """From the mass matrix, the bias and the rows, by singular values: nothing of the recursion."""
    problem, q, v = fitting_state(seed, ("free", "fixed", "planar")[seed % 3])
    model, free, held = problem.model, problem.plan.free, problem.plan.held
    (a, lam, tau, rank, remainder, _), _ = both(problem, q, v)
    A, drift, _, _ = problem.rows(0.0, q, v)
    assert np.linalg.matrix_rank(A[:, free], tol=1e-8) == rank
    given = problem.torques(0.0, q, v) + passive_forces(model, q, v, problem.q_of_v, problem.friction_speed)
    missing = lo.inverse_dynamics(model, q, v, a) - np.where(problem.imposed, tau, given)
    worst = 1e-9 / min(1.0, remainder) ** 2
    assert relative(A.T @ lam, missing) < worst
    N = np.linalg.svd(A[:, free].T)[2][rank:]
    assert relative(N @ lam, np.zeros(len(N))) < worst  # of all reactions the least
    particular = np.linalg.lstsq(A[:, free], -drift - A[:, held] @ a[held], rcond=1e-9)[0]
    H = np.linalg.svd(A[:, free])[2][rank:]
    M = lo.mass_matrix(model, q)[np.ix_(free, free)]
    still = a.copy()
    still[free] = particular
    force = (given - lo.inverse_dynamics(model, q, v, still))[free]
    expected = particular + H.T @ np.linalg.solve(H @ M @ H.T, H @ force)
    assert relative(a[free], expected) < worst


@pytest.mark.parametrize("seed", range(10))
def test_way_back(seed):
    """The nearest state on the constraints, by coordinates at a start and by mass within a run."""
    problem, q, rng = random_problem(seed, ("free", "fixed", "planar")[seed % 3], driven=0)
    in_parts(problem)
    model = problem.model
    off, v = model.integrate(q, 1e-3 * rng.normal(size=model.nv)), rng.normal(size=model.nv)
    for by_mass in (0.0, 1.0):
        states = []
        for local in (1.0, 0.0):
            plan = problem.plan.own()
            plan.options[LOCAL], plan.options[BY_MASS] = local, by_mass
            work = problem.work_for(plan)
            own_q, own_v = off.copy(), v.copy()
            assemble_one(plan, work, 0.0, own_q, own_v, np.zeros(model.nv), np.empty(model.nq), np.empty(model.nv))
            states.append((own_q, own_v, work.result[0], work.result[1]))
        (q1, v1, left, rest), (q2, v2, left2, rest2) = states
        assert left < 1e-11 and left2 < 1e-11 and rest < 1e-9 and rest2 < 1e-9
        assert relative(q1, q2) < 1e-9 and relative(v1, v2) < 1e-8


def test_added_inertia():
    """Water moves with bodies of a loop, and with one that hangs on it."""
    problem, q, rng = random_problem(3, "free", driven=0)
    water = lo.Fluid(density=1000.0)
    added = [lo.AddedMass(f"b{k}", water, lo.Ellipsoid((0.2, 0.1, 0.05)), point=rng.normal(size=3)) for k in (2, 9, 17)]
    wet = lo.Locomotion(problem.model, constraints=problem.constraints, environment=added)
    (a, lam, *_), (b, mu, *_) = both(wet, q, rng.normal(size=wet.model.nv))
    assert relative(a, b) < 1e-9 and relative(lam, mu) < 1e-9


def fence(count, closed="xy", base="fixed"):
    """Uprights on one body, each held to the next by a rail; and the state that it starts from."""
    builder = lo.Builder("fence", base=base, gravity=(0, -9.81, 0))
    on = None
    if base != "fixed":
        builder.body("plank", inertia=lo.Inertia.box(4.0, (1.0, 0.1, 0.1)))
        on = "plank"
    rod = lo.Inertia(1.0, (0.5, 0, 0), (1e-3, 1 / 12, 1 / 12))
    for k in range(count + 1):
        builder.body(f"up{k}", parent=on, at=(float(k), 0, 0), joint=lo.Joint(f"up{k}"), inertia=rod)
        if k < count:
            builder.body(f"rail{k}", parent=f"up{k}", at=(1.0, 0, 0), joint=lo.Joint(f"rail{k}"), inertia=rod)
    ends = {"frame": (1.0, 0, 0), "other_frame": (1.0, 0, 0), "locked": closed}
    loops = [lo.LoopClosure(f"rail{k}", f"up{k + 1}", **ends) for k in range(count)]
    model = builder.build()
    q = model.neutral()
    q[-2 * count - 1 :] = [*np.tile([1.2, -1.2], count), 1.2]
    return lo.Locomotion(model, constraints=loops), q


@pytest.mark.parametrize("closed", ["xy", "xyz", "xyzab"])
@pytest.mark.parametrize("base", ["fixed", "planar", "free"])
def test_fence(base, closed):
    """Loops in a row that share their uprights: one subsystem an upright, whatever the plank does."""
    problem, q = fence(12, closed, base)
    table, rng = problem.plan.subsystems, np.random.default_rng(2)
    assert problem.plan.options[LOCAL] and table[:, parts.BORDER].max() == 1
    q, v = problem.initial(q, rng.normal(size=problem.model.nv))
    (a, lam, _, rank, _, mass), (b, mu, _, full, _, _) = both(problem, q, v)
    assert rank == full == 24 and relative(a, b) < 1e-10 and relative(lam, mu) < 1e-10 and not mass


def test_flat_fence():
    """Where all links lie nearly in one line own coordinates do not decide clearly: the whole does, bit for bit. In one line
    rows vanish altogether, which is clear."""
    problem, q = fence(12)
    v = np.zeros(problem.model.nv)
    for angle, rank, whole in ((1e-3, 24, True), (0.0, 12, False)):
        q[:] = [*np.tile([angle, -angle], 12), angle]
        (a, lam, _, own, _, mass), (b, mu, _, full, _, _) = both(problem, q, v)
        assert own == full == rank and mass == whole
        assert np.array_equal(a, b) and np.array_equal(lam, mu) if whole else relative(a, b) < 1e-12


@pytest.mark.parametrize("cells", [8, 14])
def test_through_singular_positions(cells):
    """The catalogue's fence turns over, through the positions where it could go on in several ways, and keeps its energy."""
    system = lo.systems.load("n_four_bar", cells=cells)
    problem = in_parts(system.problem())
    q, v = system.initial
    run = problem.simulate(1.5, q=q, v=v, rtol=1e-9, atol=1e-9, progress=False)
    assert run.audit.ok and any(event.kind == "rank" for event in run.events)
    angles = run.q[:, 0::2]
    assert np.ptp(angles, axis=1).max() < 1e-6 and np.ptp(angles[:, 0]) > 3.0  # a parallelogram throughout


def row(count, serial, base="fixed", closed="xy"):
    """Four-bars in a row, each on a link of the one before or all on one base, with gravity along y."""
    lengths, angles = (0.04, 0.12, 0.12), (0.3, 1.217, 2.0)
    builder, parent, loops = lo.Builder("row", base=base, gravity=(0, -9.81, 0)), None, []
    if base != "fixed":
        builder.body("carrier", inertia=lo.Inertia.box(2.0, (0.4, 0.2, 0.1)))
        parent = "carrier"
    rods = [lo.Inertia(1.0, (x / 2, 0, 0), (1e-4, x**2 / 12, x**2 / 12)) for x in lengths]
    for k in range(count):
        start = 0.0 if serial else 0.3 * k
        builder.body(f"a{k}", parent=parent, at=(start, 0, 0), joint=lo.Joint(f"a{k}"), inertia=rods[0])
        builder.body(f"b{k}", parent=parent, at=(start + 0.09, 0, 0), joint=lo.Joint(f"b{k}"), inertia=rods[1])
        builder.body(f"c{k}", parent=f"b{k}", at=(0.12, 0, 0), joint=lo.Joint(f"c{k}"), inertia=rods[2])
        ends = {"frame": (0.04, 0, 0), "other_frame": (0.12, 0, 0), "locked": closed}
        loops.append(lo.LoopClosure(f"a{k}", f"c{k}", **ends))
        parent = f"b{k}" if serial else parent
    model = builder.build()
    q = model.neutral()
    q[-3 * count :] = np.tile(angles, count)
    return lo.Locomotion(model, constraints=loops), q


@pytest.mark.parametrize("serial", [True, False])
@pytest.mark.parametrize("closed", ["xy", "xyzab"])
def test_rows_of_four_bars(serial, closed):
    """No matrix is larger than that of one linkage, however many there are, and nothing is made of zeros."""
    for count in (10, 40):
        problem, q = row(count, serial, closed=closed)
        table = problem.plan.subsystems
        assert problem.plan.options[LOCAL] and len(table) == count and table[:, parts.OWN].max() == 3
        assert len(problem.plan.touched) == 3 * len(problem.plan.holonomic)
        q, v = problem.initial(q, np.random.default_rng(1).normal(size=problem.model.nv))
        (a, lam, _, rank, _, mass), (b, mu, _, full, _, _) = both(problem, q, v)
        assert rank == full == 2 * count and not mass and relative(a, b) < 1e-10 and relative(lam, mu) < 1e-10
    one, q = row(1, serial, closed=closed)
    assert not one.plan.options[LOCAL]  # does not pay


def test_run_of_a_row():
    """A run in parts goes where a run of the whole goes; its audit passes, and it says how constraints are eliminated."""
    problem, q = row(8, True, base="planar")
    assert problem.plan.options[LOCAL]
    run = problem.simulate(0.3, q=q, start="project", samples=[0.3], progress=False)
    problem.plan.options[LOCAL] = 0.0
    other = problem.simulate(0.3, q=q, start="project", samples=[0.3], progress=False)
    assert run.audit.ok and relative(run.q[-1], other.q[-1]) < 1e-6 and relative(run.reactions[-1], other.reactions[-1]) < 1e-4


def test_open_contacts():
    """Rows of contacts that are open are not there; their subsystem is."""
    problem, q, rng = random_problem(5, "free", driven=0)
    feet = [lo.PointContact(f"b{k}", (0.1, 0, 0), unilateral=True, name=f"foot{k}") for k in (8, 12)]
    touching = lo.Locomotion(problem.model, constraints=[*problem.constraints, *feet], start=(q, None))
    in_parts(touching)
    v = rng.normal(size=problem.model.nv)
    for closed in ([], ["foot8"], ["foot8", "foot12"]):
        found = touching.evaluate(0.0, q, v, closed=closed)
        touching.plan.options[LOCAL] = 0.0
        other = touching.evaluate(0.0, q, v, closed=closed)
        touching.plan.options[LOCAL] = 1.0
        assert found.rank == other.rank and relative(found.a, other.a) < 1e-8
        assert relative(found.reactions, other.reactions) < 1e-8


def test_what_cannot_be_taken_apart():
    """A function of the user may touch anything."""
    problem, q, _ = random_problem(1, driven=0)
    custom = lo.Custom(rows=lambda t, q, v: np.ones((1, problem.model.nv)))
    whole = lo.Locomotion(problem.model, constraints=[*problem.constraints, custom])
    assert not len(whole.plan.subsystems) and not whole.plan.options[LOCAL]


def test_every_row_is_in_one_subsystem():
    for seed in range(20):
        plan = random_problem(seed, "free")[0].plan
        assert sorted(plan.subsystem_rows) == list(range(len(plan.holonomic)))
        assert sorted(plan.subsystem_own) == sorted(plan.free)
        assert sorted(plan.subsystem_bodies) == list(range(len(plan.topology) - 1))
