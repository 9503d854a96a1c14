"""Joint wrenches of runs: along axes, on admissible motions, against a model that is cut apart, and against momentum."""

import numpy as np
import pytest
from run_kinds import KINDS

import locomote as lo
from locomote.constraints.custom import Custom
from locomote.constraints.kinds import Coupled
from locomote.evaluation.reaction_wrenches import rows_of_each
from locomote.runs.asked import keep
from locomote.runs.audit.states import States

STOPPED = ("stop", "stop by gauss", "stop by implicit")  # whose stops act within joints, too


def legged(**more):
    """A body on two legs with knees, which stands and falls on its feet."""
    builder = lo.Builder("legs", base="free").body("trunk", inertia=lo.Inertia.box(4.0, (0.4, 0.3, 0.1)))
    for side, y in (("left", 0.12), ("right", -0.12)):
        hip = lo.Joint(f"{side} hip", axis="y", damping=0.4, **more)
        builder.body(
            f"{side} thigh", parent="trunk", joint=hip, at=(0, y, 0), inertia=lo.Inertia(0.8, (0, 0, -0.1), (4e-3, 4e-3, 1e-3))
        )
        knee = lo.Joint(f"{side} knee", axis="y", damping=0.2, armature=0.01)
        builder.body(
            f"{side} shank",
            parent=f"{side} thigh",
            joint=knee,
            at=(0, 0, -0.2),
            inertia=lo.Inertia(0.5, (0, 0, -0.1), (2e-3, 2e-3, 5e-4)),
        )
        builder.body(
            f"{side} foot", parent=f"{side} shank", at=(0.02, 0, -0.2), inertia=lo.Inertia(0.1, moment=(2e-4, 2e-4, 2e-4))
        )
    return builder.build()


def falling():
    """It falls from a hand's breadth, damped, and its feet, which are fixed to the shanks, hit."""
    model = legged()
    feet = [
        lo.Touch(f"{side} foot", lo.Ground(friction=0.6), points=[(0.06, 0, 0), (-0.06, 0, 0)]) for side in ("left", "right")
    ]
    hold = lo.Servo(
        {f"{side} {joint}": x for side in ("left", "right") for joint, x in (("hip", 0.2), ("knee", -0.4))}, 30.0, 1.0
    )
    q = model.neutral()
    q[2] = 0.45
    damper = lo.Spring("trunk", None, (0.1, 0, 0), (0, 0, 2.0), 5.0, 1.0, 30.0)
    return lo.Locomotion(model, torques=hold, contacts=feet, environment=[damper]), {
        "q": q,
        "v": [0.3, 0, 0, 0, 0.5, 0, 0, 0, 0, 0],
        "duration": 0.3,
    }


MORE = {"legs over contacts": falling}


@pytest.fixture(scope="module")
def run_of():
    """The run of a kind, once for all tests."""
    kept = {}

    def of(name):
        if name not in kept:
            problem, options = (KINDS | MORE)[name]()
            kept[name] = problem.simulate(progress=False, **options)
        return kept[name]

    return of


def own_coordinates(model, body):
    """Coordinates of v of the joints of a body."""
    joints = [joint.name for joint in model.body(body).body.joints if joint.kind != "fixed"]
    return np.concatenate([np.zeros(0, int), *(np.arange(model.nv)[model.joint(name).v] for name in joints)])


def net_wrenches(model, q, w):
    """(bodies, 6) what each body gets from all its joints, in its frame: its own less those of its children."""
    poses, net = lo.forward_kinematics(model, q), np.array(w)
    for b, name in enumerate(model.body_names):
        parent = model.body(name).parent
        if parent is not None:
            p = model.body_index(parent)
            X = np.linalg.inv(poses[p]) @ poses[b]
            force = X[:3, :3] @ w[b, :3]
            net[p] -= np.concatenate([force, X[:3, :3] @ w[b, 3:] + np.cross(X[:3, 3], force)])
    return net


def within_joints(run, rows):
    """(n, nv) what acts within joints: drives and torques, springs, dampers, friction, couplings; less armatures."""
    s = States(run, run.problem, rows)
    total = s.tau + s.passive() - run.model.armature * s.a
    for constraint, own in rows_of_each(run.problem.constraints):
        if isinstance(constraint, (Coupled, Custom)):
            total += np.einsum("nrk,nr->nk", s.A[:, own], s.lam[:, own])
    return s.q, total


@pytest.mark.parametrize("name", [name for name in KINDS if name not in STOPPED])
def test_along_its_axes_a_joint_carries_what_acts_within_it(name, run_of):
    """S^T w = drive + spring + damper + couplings; S from Jacobians. A free base carries nothing."""
    run = run_of(name)
    model, rows = run.model, np.arange(1, len(run), max(1, len(run) // 6))
    over_steps = run.info["method"] == "timestep"  # of which (2) of `runs.joint_wrenches` is off by the square of the step
    w, (q, expected) = run.joint_wrenches[rows], within_joints(run, rows)
    size = max(abs(w).max(), abs(lo.joint_wrenches(model, q, 0 * run.v[rows], 0 * run.a[rows])).max())
    for n in range(len(rows)):
        for b, body in enumerate(model.body_names):
            own = own_coordinates(model, body)
            along = lo.jacobian(model, q[n], body)[:, own].T @ w[n, b]
            assert abs(along - expected[n, own]).max(initial=0.0) < (2e-2 if over_steps else 1e-9) * size, (body, rows[n])


@pytest.mark.parametrize("name", ["loop", "blade and drive", "mimic", "environment function", "creeping", *STOPPED])
def test_constraint_parts_do_no_work_on_any_admissible_velocity(name, run_of):
    """N^T w^C = 0 (DeNOC): w^C is what joints give bodies, less a wrench along their axes with the force of the joint."""
    run = run_of(name)
    model = run.model
    for n in range(0, len(run), max(1, len(run) // 6)):
        q, w = run.q[n], np.array(run.joint_wrenches[n])
        twists = [lo.jacobian(model, q, body) for body in model.body_names]  # N, block by block
        whole = sum(J.T @ x for J, x in zip(twists, net_wrenches(model, q, w), strict=True))
        for b, body in enumerate(model.body_names):
            S = twists[b][:, own_coordinates(model, body)]
            assert whole[own_coordinates(model, body)] == pytest.approx(S.T @ w[b], abs=1e-10 * max(1.0, abs(w).max()))
            w[b] -= S @ np.linalg.solve(S.T @ S, S.T @ w[b]) if S.size else 0.0
        left = sum(J.T @ x for J, x in zip(twists, net_wrenches(model, q, w), strict=True))
        assert abs(w).max() > 1e-3 and abs(left).max() < 1e-11 * max(1.0, abs(w).max())


def random_tree(rng, count=6):
    """Hinges about z of bodies at random places, the last body fixed to the one before; as a tree, and as pieces."""
    tree, pieces, places, parents = lo.Builder("tree"), lo.Builder("pieces"), {}, {}
    for k in range(count):
        parent = None if k == 0 else f"b{k - 1 if k > 2 else int(rng.integers(0, k))}"
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        at = np.eye(4)
        at[:3, :3], at[:3, 3] = turn * np.linalg.det(turn), rng.uniform(-0.4, 0.4, 3)
        inertia = lo.Inertia(rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3), rng.uniform(0.02, 0.03, 3))
        hinge = {} if k == count - 1 else {"joint": lo.Joint(f"j{k}", axis="z", damping=0.1)}
        tree.body(f"b{k}", parent=parent, at=at, inertia=inertia, **hinge)
        pieces.body(f"b{k}", joint=lo.Joint(f"b{k}", "free"), inertia=inertia)
        places[f"b{k}"], parents[f"b{k}"] = at, parent
    return tree.build(), pieces.build(), places, parents


@pytest.mark.parametrize("seed", range(4))
def test_they_are_the_reactions_that_hold_the_pieces_of_a_cut_model_together(seed):
    """Every joint is cut, and a closure of its loop put there: bodies move as before, and closures carry what joints carry.

    With a point held by the world, a spring between two bodies, a dead load, torques and damping.
    """
    rng = np.random.default_rng([seed, 4])
    tree, pieces, places, parents = random_tree(rng)
    held = lo.PointContact("b5", (0.1, 0.2, 0.0), directions="xz", name="held")
    around = [lo.Spring("b4", "b1", (0.1, 0, 0), (0, 0.2, 0), 40.0, 0.1, 1.0), lo.Load("b5", force=(1, -2, 3), axes="body")]
    problem = lo.Locomotion(tree, constraints=[held], environment=around, torques={"j2": lo.Sine(2.0, 5.0), "j0": 1.0})
    run = problem.simulate(0.2, q=rng.normal(size=5), v=rng.normal(size=5), every=0.05, start="project")
    cuts = [
        lo.LoopClosure(body, parents[body], locked="xyzabc" if body == "b5" else "xyzab", other_frame=at, name=body)
        for body, at in places.items()
    ]
    for n in (0, len(run) // 2, len(run) - 1):
        poses, t = dict(zip(tree.body_names, lo.forward_kinematics(tree, run.q[n]), strict=True)), run.t[n]
        within = run.tau[n] - 0.1 * run.v[n]
        given = {body: 0.0 if body == "b5" else float(within[tree.joint(f"j{body[1:]}").v][0]) for body in parents}

        def hinges(t, q, v, given=given, poses=poses):
            pushed = {body: np.zeros(6) for body in parents}
            for body, parent in parents.items():
                pushed[body][5] += given[body]
                if parent is not None:
                    turn = poses[parent][:3, :3].T @ poses[body][:3, :3]
                    pushed[parent][3:] -= given[body] * turn[:, 2]
            return pushed

        q = np.concatenate([np.append(pose[:3, 3], quaternion(pose[:3, :3])) for pose in map(poses.get, parents)])
        v = np.concatenate([lo.velocity(tree, run.q[n], run.v[n], body, frame="local") for body in parents])
        cut = lo.Locomotion(pieces, constraints=[*cuts, held], environment=[*around, hinges], start=(q, v)).evaluate(t, q, v)
        assert not cut.self_stress.size  # else reactions are not unique
        moved = [lo.acceleration(tree, run.q[n], run.v[n], run.a[n], body, frame="local") for body in parents]
        assert abs(cut.a.reshape(6, 6)[:, 3:] - np.array(moved)[:, 3:]).max() < 1e-7 * max(1.0, abs(cut.a).max())
        first, worst = 0, 0.0
        for body, parent in parents.items():
            lam = cut.reactions[first : first + (6 if body == "b5" else 5)]
            first += len(lam)
            along = lam if body == "b5" else np.append(lam, given[body])
            a = places[body] if parent is None else poses[parent] @ places[body]
            turn = poses[body][:3, :3].T @ a[:3, :3]  # rows are along axes of the frame on the parent
            expected = np.concatenate([turn @ along[:3], turn @ along[3:]])
            worst = max(worst, abs(expected - run.joint_wrenches[n, tree.body_index(body)]).max())
        assert worst < 1e-8 * max(1.0, abs(run.joint_wrenches[n]).max())


def quaternion(R):
    """x, y, z, w of a rotation."""
    values, vectors = np.linalg.eigh(
        np.array([
            [R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[2, 1] - R[1, 2]],
            [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1], R[0, 2] - R[2, 0]],
            [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]],
        ])
    )  # fmt: skip
    return vectors[:, np.argmax(values)]


def momentum_of(model, bodies, q, v):
    """(6,) linear and angular momentum, about the world origin, of some bodies, one by one."""
    total, poses = np.zeros(6), lo.forward_kinematics(model, q)
    for body in bodies:
        inertia, R = model.body(body).body.inertia, poses[model.body_index(body), :3, :3]
        twist = lo.velocity(model, q, v, body, point=inertia.com, frame="aligned")
        center = poses[model.body_index(body), :3, 3] + R @ inertia.com
        linear = inertia.mass * twist[:3]
        total += np.concatenate([linear, R @ inertia.moment @ R.T @ twist[3:] + np.cross(center, linear)])
    return total


def test_over_contacts_they_are_impulses_of_the_part_beyond_a_joint():
    """Momentum of shank and foot over each step: impulses of the knee, of weight and of contacts, hits among them."""
    problem, options = falling()
    h = 5e-4
    run = problem.simulate(progress=False, step=h, every=h, **options)
    model, beyond, b = run.model, ("left shank", "left foot"), run.model.body_index("left shank")
    touching = [k for k, name in enumerate(run.contact_labels) if "left" in name]
    momenta = np.array([momentum_of(model, beyond, *state) for state in zip(run.q, run.v, strict=True)])
    assert abs(run.contact_forces[:, :, 2]).max() > 100 * 9.81 * model.mass / 2  # it hits
    assert not run.joint_wrenches[0].any()
    off, size = [], []
    for n in range(1, len(run)):
        q = model.integrate(run.q[n], -h / 2 * run.v[n])
        pose = lo.forward_kinematics(model, q)
        outside = np.zeros(6)
        for point, force in [(run.contact_points[n, k], run.contact_forces[n, k]) for k in touching]:
            outside += np.concatenate([force, np.cross(point, force)])
        for body in beyond:
            inertia = model.body(body).body.inertia
            center = (pose[model.body_index(body)] @ [*inertia.com, 1.0])[:3]
            outside += np.concatenate([inertia.mass * model.gravity, np.cross(center, inertia.mass * model.gravity)])
        force = pose[b, :3, :3] @ run.joint_wrenches[n, b, :3]
        moment = pose[b, :3, :3] @ run.joint_wrenches[n, b, 3:] + np.cross(pose[b, :3, 3], force)
        off.append((momenta[n] - momenta[n - 1]) / h - outside - np.concatenate([force, moment]))
        size.append(abs(force).max())
    off, size = abs(np.array(off)).max(axis=1), np.array(size)
    assert np.median(off) < 1e-3 * 9.81 * model.mass and (off < 2e-2 * (size + 9.81 * model.mass)).all()


def test_a_free_base_over_contacts_carries_what_is_left_of_second_order():
    """Nothing holds the trunk: what (2) of `runs.joint_wrenches` leaves there gets four times smaller with half the step."""
    left = []
    for h in (1e-3, 5e-4, 2.5e-4):  # at 2 ms the landing is taken in shorter steps, and samples are between ends of steps
        problem, options = falling()
        run = problem.simulate(progress=False, step=h, every=2e-3, **options)
        left.append(np.median(abs(run.joint_wrenches[-60:, 0]).max(axis=1)))  # it stands and sways
    assert left[0] < 1e-5 * 9.81 * 6.8 and left[1] < left[0] / 3.0 and left[2] < left[1] / 3.0


def test_where_they_cannot_be_computed_a_sentence_says_so(run_of):
    whole = run_of("loop")
    lonely = lo.Trajectory(model=whole.model, t=whole.t, q=whole.q, v=whole.v, a=whole.a, tau=whole.tau,
                           kinetic=whole.kinetic, potential=whole.potential)  # fmt: skip
    with pytest.raises(lo.LocomoteError, match="does not hold its problem"):
        lonely.joint_wrenches
    with pytest.raises(lo.LocomoteError, match="no channel named 'l2.joint force x'|joint force x"):
        lonely["l2.joint force x"]
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    spinning = lo.Touch("ball", lo.Ground(torsion=0.01), sphere=0.1)
    q = ball.neutral()
    q[2] = 0.1
    with pytest.raises(lo.LocomoteError, match="rolling or torsion"):
        lo.Locomotion(ball, contacts=[spinning]).simulate(0.01, q=q).joint_wrenches


def test_a_loop_that_closes_where_it_is_and_parts_of_its_run(run_of):
    """Frames that were left open are those of the start; a later part has them only from the whole."""
    model = run_of("loop").model
    loop = lo.LoopClosure("l2", None, frame=(0.3, 0, 0), other_frame=None, locked="xyb", name="pin")
    problem = lo.Locomotion(model, constraints=[loop])
    run = problem.simulate(0.2, q=[0.4, -0.7, -0.3], every=0.02)
    q, expected = within_joints(run, np.arange(len(run)))
    for k in range(3):
        assert run.joint_wrenches[:, k, 5] == pytest.approx(expected[:, k], abs=1e-9)
    assert np.array_equal(run.between(0.1, 0.2).joint_wrenches, run.joint_wrenches[-len(run.between(0.1, 0.2)) :])
    again = problem.simulate(0.2, q=[0.4, -0.7, -0.3], every=0.02)
    with pytest.raises(lo.LocomoteError, match="'pin' is held where it was at the start"):
        again.between(0.1, 0.2).joint_wrenches


def test_ground_that_a_body_carries_is_pushed_back():
    """A box slides on a cart that rolls freely along x: the box hangs by nothing, along x nothing holds the cart."""
    builder = lo.Builder("cart").body(
        "cart", joint=lo.Joint("rail", "prismatic", axis="x"), inertia=lo.Inertia.box(3.0, (1, 1, 0.1))
    )
    model = builder.body("box", joint=lo.Joint("box", "free"), inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.2))).build()
    deck = lo.Ground(lo.Plane(point=(0, 0, 0.05)), friction=0.3, body="cart")
    problem = lo.Locomotion(model, contacts=[lo.Touch("box", deck, box=(0.1, 0.1, 0.1))])
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.joint("box").q][2:3], v[model.joint("box").v][:1] = 0.15, 1.0
    run = problem.simulate(0.3, q=q, v=v, every=0.01)
    w = run.joint_wrenches[3:]
    assert abs(run.contact_forces[3:].sum(axis=1)[:, 0]).max() > 0.25 * 9.81  # it slides
    cart, box = model.body_index("cart"), model.body_index("box")
    assert abs(w[:, box]).max() < 1e-2 * 9.81 and abs(w[:, cart, 0]).max() < 1e-2 * 9.81
    assert w[:, cart, 2] == pytest.approx(np.full(len(w), 4.0 * 9.81), rel=1e-2)


def test_a_loop_that_closes_later_holds_along_the_axes_of_then():
    """A closure whose frame is left open, switched on by an event: before it nothing, after it axes of that instant."""
    model = lo.Builder("pair", gravity=(0, -9.81, 0))
    inertia = lo.Inertia(1.0, (0.2, 0, 0), (0.02, 0.02, 0.02))
    for name, x in (("a", 0.0), ("b", 0.5)):
        model.body(name, joint=lo.Joint(name, axis="z"), at=(x, 0, 0), inertia=inertia)
    catch = lo.LoopClosure("a", "b", locked="x", frame=(0.3, 0.1, 0), other_frame=None, name="catch")
    problem = lo.Locomotion(model.build(), constraints=[catch])
    closing = lo.When(lambda t, q, v: t - 0.15, name="now", close=("catch",))
    run = problem.simulate(0.4, q=[0.5, -1.0], every=0.02, events=[closing], ignore=["catch"])
    assert abs(run.reactions[run.t > 0.2]).min() > 1e-3 and not run.reactions[run.t < 0.14].any()
    assert abs(run.q[run.t > 0.14][0] - run.q[0]).max() > 0.05  # it has turned by then
    size = abs(run.joint_wrenches).max()
    assert abs(run.joint_wrenches[:, :, 5]).max() < 1e-9 * size  # hinges without friction


def test_the_audit_computes_them_anew_where_a_run_holds_them(tmp_path):
    """Of a file somebody may have changed them; runs that nobody asked have no such check."""
    problem, options = KINDS["loop"]()
    run = problem.simulate(progress=False, **options)
    assert not any(check.name == "joint wrenches" for check in run.audit.checks)
    run = problem.simulate(progress=False, **options)
    wrong = np.array(run.joint_wrenches)
    assert run.audit.ok and any(check.name == "joint wrenches" for check in run.audit.checks)
    wrong[3, 1, 2] += 1e-3 * abs(wrong).max()
    again = run.part(slice(0, len(run)))
    keep(again, {"joint_wrenches": wrong})
    assert [check.name for check in again.audit.failed] == ["joint wrenches"]
