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
    (lambda: lo.inverse_dynamics(W, MANY_Q, V, V, threads=0), ValueError, r"threads must be an integer from 1, not 0"),
    (lambda: lo.mass_matrix(W, MANY_Q, threads=1.5), ValueError, r"threads must be an integer from 1, not 1\.5"),
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
    (lambda: W.edited(gravity=(0, 0)), lo.ModelError, r"gravity must be three finite numbers, .*not \(0, 0\)"),
    # models in code
    (
        lambda: lo.Builder("x", base="fre").body("a").build(),
        lo.ModelError,
        r"unknown base 'fre'; did you mean 'free'\? known: fixed",
    ),
    (
        lambda: lo.Builder("x", base="floating").body("a").build(),
        lo.ModelError,
        r"'floating'; did you mean 'free'\? known: fixed",
    ),
    (lambda: lo.Builder("x", base="Free-Flyer").body("a").build(), lo.ModelError, r"'Free-Flyer'; did you mean 'free'\?"),
    (lambda: lo.Builder("x", base="zzz").body("a").build(), lo.ModelError, r"unknown base 'zzz'; known: fixed, free, planar"),
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
    (lambda: lo.Inertia(1.0, com=(1, 2)), ValueError, r"inertia needs a center of 3 numbers .*\(2,\)"),
    # of the wrong kind
    (lambda: lo.mass_matrix(None, Q), TypeError, r"expected a lo\.Model, not None; lo\.load reads one from a file"),
    (lambda: lo.inverse_dynamics(Q, V, V, W), TypeError, r"expected a lo\.Model, not array"),
    (
        lambda: lo.forward_dynamics(lo.systems.load("unicycle"), Q, V, V),
        TypeError,
        r"not System.*; .*a system has one as \.model",
    ),
    (lambda: lo.jacobian("walker", Q, "shank"), TypeError, r"expected a lo\.Model, not 'walker'"),
    (lambda: lo.potential_energy(W.description, Q), TypeError, r"expected a lo\.Model, not Description"),
    (lambda: lo.center_of_mass(None, Q), TypeError, r"expected a lo\.Model"),
    (lambda: lo.gravity_force(None, Q), TypeError, r"expected a lo\.Model"),
    (lambda: lo.hybrid_dynamics(None, Q, V, V, V, []), TypeError, r"expected a lo\.Model"),
    (lambda: lo.forward_dynamics_derivatives(None, Q, V, V), TypeError, r"expected a lo\.Model"),
    (lambda: lo.lock(None, "knee"), TypeError, r"expected a lo\.Model"),
    (lambda: lo.remove(None, "shank"), TypeError, r"expected a lo\.Model"),
    (lambda: lo.add(None, lo.Body("foot")), TypeError, r"expected a lo\.Model"),
    (lambda: lo.Builder.of("walker.urdf"), TypeError, r"expected a lo\.Model, not 'walker\.urdf'"),
    (
        lambda: lo.Model("walker.urdf"),
        TypeError,
        r"a Model is made of a lo\.Description, not 'walker\.urdf'; lo\.load reads one",
    ),
    (lambda: lo.mass_matrix(W, [10**400] * 12), ValueError, r"q must be an array of numbers, shape \(\.\.\., 12\), not \[1000"),
    (lambda: lo.mass_matrix(W, ["0"] * 12), ValueError, r"q must be an array of numbers"),
    (lambda: lo.mass_matrix(W, np.array(["0"] * 12, dtype=object)), ValueError, r"q must be an array of numbers"),
    (lambda: lo.bias_force(W, Q, [None] * 10), ValueError, r"v must be an array of numbers"),
    (lambda: lo.bias_force(W, Q, V.astype("m8[s]")), ValueError, r"v must be an array of numbers"),
    (lambda: lo.bias_force(W, Q, (x for x in V)), ValueError, r"v must be an array of numbers"),
    (lambda: lo.mass_matrix(W, np.ma.array(MANY_Q, mask=MANY_Q > 0)), ValueError, r"q has masked values; fill them first"),
    (lambda: W.integrate(np.ma.array(Q, mask=Q > 0), V), ValueError, r"q has masked values; fill them first"),
    (lambda: lo.inverse_dynamics(W, Q, V, V, threads=0), ValueError, r"threads must be an integer from 1, not 0"),
    (lambda: lo.forward_dynamics(W, Q, V, V, threads=-1), ValueError, r"threads must be an integer from 1, not -1"),
    (lambda: lo.mass_matrix(W, Q, threads=None), ValueError, r"threads must be an integer from 1, not None"),
    (lambda: lo.mass_matrix(G, [0.0], threads="two"), ValueError, r"threads must be an integer from 1, not 'two'"),
    (lambda: lo.gravity_force(W, Q, threads=0), ValueError, r"threads must be an integer from 1, not 0"),
    (lambda: lo.bias_force(W, Q, V, threads=0), ValueError, r"threads must be an integer from 1, not 0"),
    (lambda: lo.inverse_dynamics_derivatives(W, Q, V, V, threads=0), ValueError, r"threads must be an integer from 1"),
    (lambda: lo.forward_dynamics_derivatives(W, Q, V, V, threads=0), ValueError, r"threads must be an integer from 1"),
    (
        lambda: lo.inverse_dynamics(W, MANY_Q, V, V, threads=True),
        ValueError,
        r"threads must be an integer from 1, not True",
    ),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, None), ValueError, r"imposed must be names of joints, .*booleans, not None"),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, 3), ValueError, r"imposed must be names of joints, .*booleans, not 3"),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, np.ones(10)), ValueError, r"imposed must be names of joints"),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, np.ones((2, 10), bool)), ValueError, r"imposed must be names of joints"),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, np.array(True)), ValueError, r"imposed must be names of joints"),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, [["knee"]]), ValueError, r"imposed must be names of joints, such as \['knee'\]"),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, [True, "knee"]), ValueError, r"imposed must be names of joints"),
    (lambda: lo.hybrid_dynamics(W, Q, V, V, V, {"knee": 1.0}), ValueError, r"imposed must be names .*not {'knee': 1\.0}"),
    (
        lambda: lo.jacobian(W, Q, ["shank"]),
        lo.UnknownName,
        r"no body named \['shank'\] in model 'walker'; did you mean 'shank'\?",
    ),
    (lambda: lo.jacobian(W, Q, True), lo.UnknownName, r"no body named True in model 'walker'; known: trunk"),
    (lambda: lo.jacobian(W, Q, 1.0), lo.UnknownName, r"no body named 1\.0 in model 'walker'"),
    (lambda: lo.velocity(W, Q, V, {"shank"}), lo.UnknownName, r"no body named {'shank'}"),
    (lambda: lo.acceleration(W, Q, V, V, None), lo.UnknownName, r"no body named None"),
    (lambda: lo.jacobian_rate(W, Q, V, slice(0, 1)), lo.UnknownName, r"no body named slice\(0, 1, None\)"),
    (lambda: lo.jacobian(W, Q, "shank", frame=["local"]), lo.UnknownName, r"no frame named \['local'\].*did you mean 'local'"),
    (lambda: lo.jacobian(W, Q, "shank", frame=None), lo.UnknownName, r"no frame named None.*known: local, world, aligned"),
    (lambda: lo.jacobian(W, Q, "shank", point=[10**400, 0, 0]), ValueError, r"point must be three finite numbers"),
    (lambda: lo.inverse_dynamics(W, Q, V, V, wrenches={True: V[:6]}), lo.UnknownName, r"no body named True"),
    (lambda: W.joint(["knee"]), lo.UnknownName, r"no joint named \['knee'\] in model 'walker'; did you mean 'knee'"),
    (lambda: W.body(True), lo.UnknownName, r"no body named True"),
    (lambda: W.random(0, 1.5), ValueError, r"shape must be an integer from 0 or a tuple of such, not \(1\.5,\)"),
    (lambda: W.random(0, -1), ValueError, r"shape must be an integer from 0"),
    (lambda: W.random(0, None), ValueError, r"shape must be an integer from 0"),
    (lambda: W.random(0, (2.0, 3)), ValueError, r"shape must be an integer from 0"),
    (lambda: W.random(0, True), ValueError, r"shape must be an integer from 0"),
    (lambda: W.random("seed"), ValueError, r"rng must be a seed \(an integer from 0\) or a NumPy generator, not 'seed'"),
    (lambda: W.random(-1), ValueError, r"rng must be a seed"),
    (lambda: W.edited(mass=3), lo.UnknownName, r"no field named 'mass' in lo\.Description; known: name, bodies"),
    (lambda: W.edited(bodies=None), lo.ModelError, r"bodies must be a tuple of lo\.Body, not None"),
    (lambda: W.edited(name=3), lo.ModelError, r"the name of a model must be a text, not 3"),
    (lambda: lo.lock(W, 3), ValueError, r"joints to lock must be a name, a list of names or a table name -> value, not 3"),
    (lambda: lo.lock(W, {"knee": "bent"}), ValueError, r"value of joint 'knee' must be an array of numbers.*not 'bent'"),
    (lambda: lo.lock(W, [["knee"]]), lo.UnknownName, r"no joint named \['knee'\]"),
    (lambda: lo.add(W, "foot"), lo.ModelError, r"bodies must be a tuple of lo\.Body, not of 'foot'"),
    (lambda: lo.Builder("x", gravity=9.81), lo.ModelError, r"builder 'x': gravity must be three finite numbers, .*not 9\.81"),
    (lambda: lo.Builder("x", gravity="down"), lo.ModelError, r"gravity must be three finite numbers"),
    (lambda: lo.Builder("x").body(None), ValueError, r"the name of a body must be a text, not None"),
    (lambda: lo.Builder("x").body("a", at="here"), ValueError, r"a place must be an array of numbers, .*not 'here'"),
    (lambda: lo.Builder("x").body("a", joint="revolute"), ValueError, r"joint of body 'a' must be a lo\.Joint, a list of them"),
    (lambda: lo.Builder("x").body("a", joint=None), ValueError, r"joint of body 'a' must be .*or \(\) for none, not None"),
    (lambda: lo.Builder("x").body("a", visuals="box"), ValueError, r"visuals of body 'a' must be a lo\.Visual"),
    (lambda: lo.Builder("x").body("a", added_inertia="water"), ValueError, r"added_inertia must be an array of numbers"),
    (lambda: lo.Builder("x").body("a", inertia=3.0).build(), lo.ModelError, r"inertia must be a lo\.Inertia or None, not 3\.0"),
    (lambda: lo.Builder("x").couple("a", 2.0), ValueError, r"ratios of joint 'a' must be a table such as {'knee': -1\.0}"),
    (lambda: lo.Builder("x").couple("a", {"b": "fast"}), ValueError, r"ratio to joint 'b' must be a number, not 'fast'"),
    (lambda: lo.Builder("x").couple("a", {"b": 1.0}, offset=None), ValueError, r"offset of joint 'a' must be a number"),
    (lambda: built(kind=["revolute"]), lo.ModelError, r"no kind of joint named \['revolute'\]"),
    (lambda: built(kind="euler", sequence=None), lo.ModelError, r"sequence must be three of x, y, z"),
    (lambda: built(armature=10**400), lo.ModelError, r"armature must be a number, not 1000"),
    (lambda: built(damping=None), lo.ModelError, r"damping must be a number, not None"),
    (lambda: built(anchor=3.0), lo.ModelError, r"anchor must be three finite numbers, not 3\.0"),
    (lambda: built(pitch="steep"), lo.ModelError, r"pitch must be a finite number, not 'steep'"),
    (lambda: bodies(lo.Body("a", joints=lo.Joint("j"))), lo.ModelError, r"body 'a': joints must be a tuple of lo\.Joint"),
    (lambda: bodies(lo.Body("a", joints=(lo.Joint(3),))), lo.ModelError, r"the name of a joint must be a text, not 3"),
    (lambda: bodies(lo.Body(None)), lo.ModelError, r"name and parent of a body must be texts, not None"),
    (lambda: bodies(lo.Body("a", placement="here")), lo.ModelError, r"placement must be a finite \(4, 4\) pose, not 'here'"),
    (lambda: bodies(lo.Body("a", added_inertia="water")), lo.ModelError, r"added inertia must be an array of numbers"),
    (
        lambda: bodies(lo.Body("a", joints=(lo.Joint("j"),)), couplings=[lo.Coupling("j", {"k": 1.0})]),
        lo.ModelError,
        r"a coupling is of a joint to \(\(joint, ratio\), \.\.\.\), not of 'j' to {'k': 1\.0}",
    ),
    (lambda: lo.Inertia("heavy"), ValueError, r"mass of an inertia must be a number, not 'heavy'"),
    (
        lambda: lo.Inertia(1.0, com="here"),
        ValueError,
        r"com of an inertia must be an array of numbers, shape \(3,\), not 'here'",
    ),
    (lambda: lo.Inertia.box(1.0, 3.0), ValueError, r"size must be 3 numbers, not 3\.0"),
    (lambda: lo.Inertia.sphere(1.0, None), ValueError, r"mass and radius must be 2 numbers, not \(1\.0, None\)"),
    (lambda: lo.Inertia.rod(1.0, 1.0, axis="w"), ValueError, r"axis of a rod must be 'x', 'y' or 'z', not 'w'"),
    (lambda: lo.Inertia.cylinder(1.0, 1.0, 1.0, axis="w"), ValueError, r"axis of a cylinder must be 'x', 'y' or 'z', not 'w'"),
    (lambda: lo.Inertia.from_parameters([1, 2]), ValueError, r"parameters must be 10 numbers, not \[1, 2\]"),
    (lambda: lo.Inertia(1.0).moved(None), ValueError, r"pose must be an array of numbers, shape \(4, 4\)"),
    (lambda: lo.systems.load(["unicycle"]), lo.UnknownName, r"no system named \['unicycle'\]"),
    (lambda: lo.open_run(3), lo.LocomoteError, r"3: this is not the path of a file"),
    (lambda: lo.resume(None), lo.LocomoteError, r"None: this is not the path of a file"),
    (lambda: lo.Locomotion(W, start=3), ValueError, r"start must be a pair \(q, v\), not 3"),
    (lambda: lo.Locomotion(W, start=(Q, Q)), ValueError, r"v has shape \(12,\), expected \(\.\.\., 10\)"),
    (lambda: lo.Locomotion(W, name=3), TypeError, r"name of a problem must be a text, not 3"),
    # armature
    (
        lambda: built(kind="free", armature=0.1),
        lo.ModelError,
        r"a free joint has no armature, but 0\.1 is given; give the body",
    ),
    (lambda: built(kind="planar", armature=(0, 0, 1)), lo.ModelError, r"a planar joint has no armature, but \(0, 0, 1\)"),
    (
        lambda: built(kind="spherical", armature=(1, 1, 2)),
        lo.ModelError,
        r"armature of a spherical joint must be the same about all axes, not \(1, 1, 2\); give the body more inertia instead",
    ),
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


def test_singular_mass_matrix_names_all_joints():
    """Every one that moves no mass."""
    builder = lo.Builder("hand").body("palm", joint=lo.Joint("wrist"), inertia=BOX)
    for name in ("thumb", "index", "ring", "middle", "little"):
        builder.body(name, parent="palm", joint=lo.Joint(f"{name} joint", axis="y"), at=(0.1, 0, 0))
    model = builder.build()
    said = "'thumb joint', 'index joint', 'ring joint', 'middle joint', 'little joint'"
    with pytest.raises(lo.SingularMassMatrix, match=f"joints {said} can move without moving mass; give the bodies mass"):
        lo.forward_dynamics(model, np.zeros(6), np.zeros(6), np.ones(6))
    assert any(f"no mass hangs on joints {said}" in warning for warning in model.warnings)


def test_singular_mass_matrix_names_the_motion():
    """Of two turns about one axis, with nothing between: turned against each other, they move nothing."""
    model = (
        lo.Builder("shaft")
        .body("outer", joint=lo.Joint("yoke", axis="z"))
        .body("inner", parent="outer", joint=lo.Joint("spin", axis="z"), inertia=BOX)
        .build()
    )
    with pytest.raises(lo.SingularMassMatrix, match=r"the motion (yoke.rate -|- yoke.rate \+) spin.rate moves no mass"):
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
