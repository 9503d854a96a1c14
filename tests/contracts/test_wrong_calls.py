"""Wrong calls and the sentence that each gets: what is wrong, where, and what to do."""

import numpy as np
import pytest

import locomote as lo

BOX = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))


def walker():
    """A free trunk with a ball hip and a knee."""
    return (
        lo.Builder("walker", base="free")
        .body("trunk", inertia=BOX)
        .body("thigh", parent="trunk", joint=lo.Joint("hip", "spherical"), inertia=BOX)
        .body("shank", parent="thigh", joint=lo.Joint("knee", axis="y"), at=(0, 0, -0.4), inertia=BOX)
        .build()
    )


def geared():
    """Two turns, one of which follows the other."""
    return (
        lo.Builder("geared")
        .body("wheel", joint=lo.Joint("drive"), inertia=BOX)
        .body("arm", parent="wheel", joint=lo.Joint("follow", axis="x"), inertia=BOX)
        .couple("follow", {"drive": 2.0})
        .build()
    )


W, G = walker(), geared()
Q, V = W.neutral(), np.zeros(W.nv)
MANY_Q = np.tile(Q, (9, 1))


def built(**joint):
    return lo.Builder("tool").body("hand", joint=lo.Joint("wrist", **joint), inertia=BOX).build()


def bodies(*some, couplings=()):
    return lo.Model(lo.Description("heap", tuple(some), tuple(couplings)))


# (what is called, the error, the sentence)
WRONG_CALLS = [
    # arrays
    (
        lambda: lo.inverse_dynamics(W, Q[:-1], V, V),
        ValueError,
        r"q has shape \(11,\), expected \(\.\.\., 12\).*nq = 12; model.layout",
    ),
    (lambda: lo.inverse_dynamics(W, Q, Q, V), ValueError, r"v has shape \(12,\), expected \(\.\.\., 10\).*nv = 10"),
    (lambda: lo.forward_dynamics(W, Q, V, Q), ValueError, r"tau has shape \(12,\), expected \(\.\.\., 10\)"),
    (lambda: lo.inverse_dynamics(W, Q, V, V[:3]), ValueError, r"a has shape \(3,\)"),
    (lambda: lo.mass_matrix(W, 0.0), ValueError, r"q has shape \(\), expected"),
    (lambda: lo.mass_matrix(W, "standing"), ValueError, r"q must be an array of numbers, shape \(\.\.\., 12\), not 'standing'"),
    (lambda: lo.bias_force(W, Q, V * np.nan), ValueError, r"v\[0\] is nan; all values must be finite"),
    (lambda: lo.bias_force(W, MANY_Q, np.tile(V, (9, 1)) + np.inf), ValueError, r"v\[0, 0\] is inf; all values must be finite"),
    (lambda: lo.mass_matrix(W, 2 * Q), ValueError, r"quaternion of joint 'base' in q\[3:7\] has norm 2, .*model\.normalize"),
    (
        lambda: lo.mass_matrix(W, np.r_[Q[:7], 0, 0, 0, 0.9, 0]),
        ValueError,
        r"quaternion of joint 'hip' in q\[7:11\] has norm 0\.9",
    ),
    (lambda: lo.inverse_dynamics(W, MANY_Q, np.zeros((8, 10)), V), ValueError, r"\(9,\), \(8,\), \(\) do not fit together"),
    (lambda: lo.velocity(W, MANY_Q, np.zeros((8, 10)), "shank"), ValueError, r"\(9,\), \(8,\) do not fit together"),
    (lambda: W.integrate(MANY_Q, np.zeros((8, 10))), ValueError, r"\(9,\), \(8,\) do not fit together"),
    (lambda: W.normalize(Q[:3]), ValueError, r"q has shape \(3,\)"),
    (lambda: W.normalize(0 * Q), ValueError, r"quaternion of joint 'base'.*zero"),
    (
        lambda: lo.inverse_dynamics(W, Q, V + 1e200, V),
        FloatingPointError,
        r"inverse dynamics of model 'walker' is not finite.*too large",
    ),
    (lambda: lo.forward_dynamics(W, Q, V + 1e200, V), FloatingPointError, r"forward dynamics of model 'walker' is not finite"),
    (lambda: lo.inverse_dynamics(W, MANY_Q, V, V, threads=0), ValueError, r"threads must be a whole number from 1, not 0"),
    (lambda: lo.mass_matrix(W, MANY_Q, threads=1.5), ValueError, r"threads must be a whole number from 1, not 1\.5"),
    # names
    (lambda: lo.jacobian(W, Q, "shnk"), lo.UnknownName, r"no body named 'shnk' in model 'walker'; did you mean 'shank'\?"),
    (lambda: lo.jacobian(W, Q, 3), ValueError, r"body 3 does not exist: model 'walker' has 3 bodies, from 0"),
    (lambda: lo.jacobian(W, Q, -1), ValueError, r"body -1 does not exist"),
    (lambda: lo.jacobian(W, Q, "shank", frame="wordl"), lo.UnknownName, r"no frame named 'wordl'.*did you mean 'world'\?"),
    (
        lambda: lo.jacobian(W, Q, "shank", point=(1, 2)),
        ValueError,
        r"point must be three finite numbers \(m, in the body frame\)",
    ),
    (lambda: lo.jacobian(W, Q, "shank", point=(1, 2, np.nan)), ValueError, r"point must be three finite numbers"),
    (lambda: lo.jacobian(W, Q, "shank", point="heel"), ValueError, r"point must be .*numbers"),
    (
        lambda: W.joint("neck"),
        lo.UnknownName,
        r"no joint named 'neck' in model 'walker'; did you mean 'knee'\?|known: base, hip, knee",
    ),
    (lambda: W.body("leg"), lo.UnknownName, r"no body named 'leg' in model 'walker'; known: trunk, thigh, shank"),
    (
        lambda: lo.inverse_dynamics(W, Q, V, V, wrenches={"shnk": V[:6]}),
        lo.UnknownName,
        r"no body named 'shnk'.*did you mean 'shank'",
    ),
    (
        lambda: lo.inverse_dynamics(W, Q, V, V, wrenches={"shank": V}),
        ValueError,
        r"wrench on body 'shank' has shape \(10,\), expected \(\.\.\., 6\)",
    ),
    (
        lambda: lo.inverse_dynamics(W, Q, V, V, wrenches=np.zeros((2, 6))),
        ValueError,
        r"wrenches has shape \(2, 6\), expected \(\.\.\., 3, 6\)",
    ),
    (
        lambda: lo.inverse_dynamics(W, Q, V, V, wrenches={"shank": [np.nan] * 6}),
        ValueError,
        r"wrench on body 'shank' .*not finite",
    ),
    (
        lambda: lo.inverse_dynamics(W, Q, V, V, wrenches={"shank": np.zeros((8, 6)), "thigh": np.zeros((7, 6))}),
        ValueError,
        r"\(8,\).*\(7,\).*do not fit together",
    ),
    (
        lambda: lo.hybrid_dynamics(W, Q, V, V, V, ["kne"]),
        lo.UnknownName,
        r"no joint named 'kne' in model 'walker'; did you mean 'knee'",
    ),
    (
        lambda: lo.hybrid_dynamics(W, Q, V, V, V, [True, False]),
        ValueError,
        r"imposed has 2 booleans, expected nv = 10, or names",
    ),
    # changed models
    (lambda: lo.lock(W, "nee"), lo.UnknownName, r"no joint named 'nee'.*did you mean 'knee'"),
    (lambda: lo.lock(W, {"knee": (1, 2)}), ValueError, r"joint 'knee' needs 1 finite numbers to be locked at, not \(1, 2\)"),
    (lambda: lo.lock(W, {"knee": np.nan}), ValueError, r"joint 'knee' needs 1 finite numbers"),
    (lambda: lo.lock(W, {"hip": (0, 0, 0, 2)}), ValueError, r"hip.*(norm|unit|quaternion)"),
    (lambda: lo.lock(G, "follow"), lo.ModelError, r"joint 'follow' is coupled; lock the joint that it follows"),
    (lambda: lo.remove(W, "shnk"), lo.UnknownName, r"no body named 'shnk'.*did you mean 'shank'"),
    (lambda: lo.remove(W, "trunk"), lo.ModelError, r"there is no body"),
    (lambda: lo.add(W, lo.Body("shank")), lo.ModelError, r"two bodies are named 'shank'; names must differ"),
    (
        lambda: lo.add(W, lo.Body("foot", "shnk")),
        lo.ModelError,
        r"parent of body 'foot': no body named 'shnk'.*did you mean 'shank'",
    ),
    (lambda: setattr(W, "nq", 3), AttributeError, r"a Model does not change: make a new one instead of setting 'nq'"),
    (lambda: delattr(W, "nq"), AttributeError, r"a Model does not change"),
    (lambda: W.edited(gravity=(0, 0)), lo.ModelError, r"gravity must be three finite numbers, not \(0, 0\)"),
    # models in code
    (lambda: lo.Builder("x", base="fre").body("a").build(), lo.ModelError, r"unknown base 'fre'; known: fixed, free, planar"),
    (lambda: lo.Builder("x").body("a").body("b", parent="c"), lo.UnknownName, r"no body named 'c' in builder 'x'; known: a"),
    (
        lambda: lo.Builder("x").body("a", at=(1, 2)),
        ValueError,
        r"a place is three numbers \(m\) or a \(4, 4\) pose, not .* \(2,\)",
    ),
    (lambda: lo.Builder("x").build(), lo.ModelError, r"there is no body"),
    (lambda: built(kind="revolut"), lo.ModelError, r"joint 'wrist': no kind of joint named 'revolut'.*did you mean 'revolute'"),
    (lambda: built(axis="w"), lo.ModelError, r"joint 'wrist': axis must be 'x', 'y', 'z' or three numbers, not 'w'"),
    (lambda: built(axis=(0, 0, 0)), lo.ModelError, r"joint 'wrist': axis must be three finite numbers that are not all zero"),
    (lambda: built(kind="universal", axis="y", axis2="y"), lo.ModelError, r"the two axes of a universal joint are parallel"),
    (
        lambda: built(kind="euler", sequence="zzx"),
        lo.ModelError,
        r"sequence must be three of x, y, z without the same letter twice",
    ),
    (lambda: built(kind="free", anchor=(0, 0, 1)), lo.ModelError, r"a free joint has no anchor"),
    (lambda: built(kind="spherical", reference=1.0), lo.ModelError, r"only a joint with one coordinate has a reference"),
    (lambda: built(armature=-1.0), lo.ModelError, r"joint 'wrist': armature must not be negative, but is -1\.0"),
    (lambda: built(armature=(1.0, 2.0)), lo.ModelError, r"armature must be one number or 1, not shape \(2,\)"),
    (lambda: built(damping=np.nan), lo.ModelError, r"damping is NaN"),
    (lambda: built(lower=1.0, upper=-1.0), lo.ModelError, r"lower limit 1\.0 is above upper limit -1\.0"),
    (lambda: bodies(lo.Body("a", inertia=lo.Inertia(-1.0))), lo.ModelError, r"body 'a' has negative mass -1 kg"),
    (
        lambda: bodies(lo.Body("a", inertia=lo.Inertia(1.0, moment=(1, 1, 3)))),
        lo.ModelError,
        r"body 'a' .*largest exceeds the sum of the other two",
    ),
    (
        lambda: bodies(lo.Body("a", added_inertia=-np.eye(6))),
        lo.ModelError,
        r"body 'a' has an added inertia with negative eigenvalue",
    ),
    (
        lambda: bodies(lo.Body("a", added_inertia=np.eye(5))),
        lo.ModelError,
        r"added inertia of shape \(5, 5\), expected \(6, 6\)",
    ),
    (lambda: bodies(lo.Body("a", placement=2 * np.eye(4))), lo.ModelError, r"body 'a': placement is not a pose"),
    (lambda: bodies(lo.Body("a", "b"), lo.Body("b", "a")), lo.ModelError, r"hang on each other in a cycle: a -> b -> a"),
    (
        lambda: bodies(lo.Body("a", joints=(lo.Joint("j"),)), lo.Body("b", "a", joints=(lo.Joint("j"),))),
        lo.ModelError,
        r"two joints are named 'j'; names must differ",
    ),
    (
        lambda: bodies(lo.Body("a", joints=(lo.Joint("j"),)), couplings=[lo.Coupling("j", (("k", 1.0),))]),
        lo.ModelError,
        r"coupling of 'j': no joint named 'k'",
    ),
    (
        lambda: bodies(
            lo.Body("a", joints=(lo.Joint("j"),)),
            lo.Body("b", "a", joints=(lo.Joint("k"),)),
            couplings=[lo.Coupling("j", (("k", 1.0),)), lo.Coupling("k", (("j", 1.0),))],
        ),
        lo.ModelError,
        r"couplings depend on each other in a cycle: 'j', 'k'",
    ),
    (lambda: lo.Inertia(1.0, com=(1, 2)), ValueError, r"inertia needs a centre of 3 numbers .*\(2,\)"),
    # files and names of the package
    (lambda: lo.load("no such robot.urdf"), (lo.ModelError, FileNotFoundError), r"no such robot\.urdf"),
    (lambda: lo.invers_dynamics, AttributeError, r"module 'locomote' has no attribute 'invers_dynamics'"),
]


@pytest.mark.parametrize("case", WRONG_CALLS, ids=[sentence for _, _, sentence in WRONG_CALLS])
def test_wrong_call_gets_its_sentence(case):
    call, error, sentence = case
    with pytest.raises(error, match=f"(?s){sentence}"):
        call()


def test_there_are_enough_of_them():
    assert len(WRONG_CALLS) >= 25


def test_all_faults_at_once():
    with pytest.raises(lo.ModelError) as caught:
        bodies(lo.Body("a", "nobody", joints=(lo.Joint("j", "hinge"),), inertia=lo.Inertia(-1.0)), lo.Body("b"), lo.Body("b"))
    assert len(caught.value.faults) == 4
    assert all(fault in str(caught.value) for fault in caught.value.faults)
    assert "4 faults" in str(caught.value)


def test_errors_survive_pickling():
    import pickle

    for call in (lambda: W.joint("neck"), lambda: lo.Builder("x").build()):
        with pytest.raises(lo.LocomoteError) as caught:
            call()
        copy = pickle.loads(pickle.dumps(caught.value))
        assert str(copy) == str(caught.value) and type(copy) is type(caught.value)


def test_all_errors_are_of_one_family():
    for error in (lo.ModelError, lo.UnknownName, lo.SingularMassMatrix):
        assert issubclass(error, lo.LocomoteError)
    assert issubclass(lo.ModelError, ValueError) and issubclass(lo.UnknownName, KeyError)


def weightless():
    """A hand without mass on a wrist, at the end of an arm with mass."""
    return (
        lo.Builder("tired")
        .body("arm", joint=lo.Joint("shoulder", axis="y"), inertia=lo.Inertia.rod(1.0, 0.5))
        .body("hand", parent="arm", joint=lo.Joint("wrist"), at=(0.5, 0, 0))
        .build()
    )


@pytest.mark.parametrize("rows", [1, 2, 9])
@pytest.mark.parametrize("function", ["forward_dynamics", "forward_dynamics_derivatives"])
def test_singular_mass_matrix_names_the_joint(function, rows):
    model = weightless()
    q = np.tile([0.3, 0.2], (rows, 1))
    with pytest.raises(lo.SingularMassMatrix, match=r"model 'tired' is singular.*joint 'wrist' can move without moving mass"):
        getattr(lo, function)(model, q if rows > 1 else q[0], np.zeros(2), np.ones(2))


def test_singular_mass_matrix_in_hybrid_dynamics():
    model, zero = weightless(), np.zeros(2)
    with pytest.raises(lo.SingularMassMatrix, match="wrist"):
        lo.hybrid_dynamics(model, zero, zero, np.ones(2), zero, ["shoulder"])
    a, tau = lo.hybrid_dynamics(model, zero, zero, np.ones(2), zero, ["wrist"])
    assert np.isfinite(a).all() and np.isfinite(tau).all()


def test_singular_mass_matrix_of_coupled_joints():
    model = (
        lo.Builder("tired pair")
        .body("arm", joint=lo.Joint("shoulder", axis="y"), inertia=lo.Inertia.rod(1.0, 0.5))
        .body("hand", parent="arm", joint=lo.Joint("wrist"), at=(0.5, 0, 0))
        .body("finger", parent="hand", joint=lo.Joint("knuckle"))
        .couple("knuckle", {"wrist": 1.0})
        .build()
    )
    with pytest.raises(lo.SingularMassMatrix, match="wrist"):
        lo.forward_dynamics(model, np.zeros(2), np.zeros(2), np.ones(2))


def test_gimbal_lock_is_singular_where_it_is_and_only_there():
    model = lo.Builder("gimbal").body("top", joint=lo.Joint("ball", "euler", sequence="zxz"), inertia=BOX).build()
    zero = np.zeros(3)
    with pytest.raises(lo.SingularMassMatrix, match="ball"):
        lo.forward_dynamics(model, zero, zero, np.ones(3))
    assert np.isfinite(lo.forward_dynamics(model, [0.0, 0.5, 0.0], zero, np.ones(3))).all()


def test_weightless_joints_are_announced():
    assert any("no mass hangs on joint 'wrist'" in warning for warning in weightless().warnings)
    assert walker().warnings == ()
