"""The Model is a value: it does not change, it can be compared, hashed, sent to another process, and read by people."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import locomote as lo

ARRAYS = (
    "topology",
    "constants",
    "carrier",
    "placement",
    "gravity",
    "lower",
    "upper",
    "armature",
    "stiffness",
    "rest",
    "damping",
)
ARRAYS += ("friction", "velocity_limit", "effort_limit")


def test_arrays_are_read_only(case):
    for name in ARRAYS:
        array = getattr(case.model, name)
        assert not array.flags.writeable, name
        if array.size:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


@pytest.mark.parametrize("name", ["nq", "gravity", "constants", "anything"])
def test_attributes_cannot_be_set(case, name):
    with pytest.raises(AttributeError, match="does not change"):
        setattr(case.model, name, 1)


def test_same_description_makes_equal_models(case):
    other = lo.Model(case.reference.description)
    assert other == case.model and hash(other) == hash(case.model) and len({other, case.model}) == 1


def test_any_change_makes_another_model(case):
    description = case.reference.description
    body = description.bodies[-1]
    heavier = replace(body, inertia=lo.Inertia(2.0, (0.1, 0, 0), (0.1, 0.1, 0.1)))
    moved = replace(body, placement=body.placement @ np.array([[1, 0, 0, 1e-9], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    changed = [
        replace(description, name="other"),
        replace(description, gravity=(0.0, 0.0, -1.62)),
        replace(description, bodies=(*description.bodies[:-1], heavier)),
        replace(description, bodies=(*description.bodies[:-1], moved)),
        replace(description, bodies=(*description.bodies, lo.Body("frame", body.name))),
    ]
    models = [lo.Model(other) for other in changed]
    assert len({case.model, *models}) == len(models) + 1
    assert all(model != case.model for model in models) and case.model != "model"


def test_pickle_and_copy(case):
    for other in (pickle.loads(pickle.dumps(case.model)), copy.copy(case.model), copy.deepcopy(case.model)):
        assert other == case.model
        ours, theirs = (lo.inverse_dynamics(m, case.q, case.v, case.a) for m in (case.model, other))
        assert np.array_equal(ours, theirs)


def test_digest_is_the_same_in_another_process():
    model = lo.Builder("pendulum").body("rod", joint=lo.Joint("pivot", axis="y"), inertia=lo.Inertia.rod(1.0, 1.0)).build()
    program = "import pickle, sys; print(pickle.load(sys.stdin.buffer).digest)"
    run = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(model), capture_output=True, check=True)
    assert run.stdout.decode().strip() == model.digest


def test_layout_covers_each_slot_once(case):
    slots = list(case.model.layout())
    for vector, count in (("q", case.model.nq), ("v", case.model.nv)):
        assert sorted(slot.index for slot in slots if slot.vector == vector) == list(range(count))
    for slot in slots:
        view = case.model.joint(slot.joint)
        place = view.q if slot.vector == "q" else view.v
        assert place.start <= slot.index < place.stop
        assert slot.unit and slot.name and slot.kind == view.kind


def test_layout_prints_a_line_for_each_slot(case):
    text = str(case.model.layout())
    for vector, count in (("q", case.model.nq), ("v", case.model.nv)):
        for k in range(count):
            assert sum(line.startswith(f"{vector}[{k}] ") for line in text.splitlines()) == 1
    for coupling in case.reference.description.couplings:
        assert f"{coupling.joint} = " in text


def test_views_of_bodies_and_joints(case):
    for n, name in enumerate(case.model.body_names):
        view = case.model.body(name)
        assert view.index == n and case.model.body_index(name) == n == case.model.body_index(np.int64(n))
        assert view.parent == view.body.parent
    for n, name in enumerate(case.model.joint_names):
        view = case.model.joint(name)
        assert view.index == n and name in case.model.body(view.body).joints
        if not view.coupled:
            assert (view.q.stop - view.q.start, view.v.stop - view.v.start) == view.joint.sizes
        else:
            assert view.q.start == view.q.stop


def test_repr_says_what_it_is(case):
    assert repr(case.model).startswith(f"<Model '{case.model.name}': {len(case.model.body_names)} bodies, nq={case.model.nq}")


def test_limits_and_passive_values_stand_in_their_slots():
    knee = lo.Joint("knee", lower=-1.0, upper=2.0, stiffness=3.0, rest=0.1, damping=4.0, friction=5.0, armature=6.0)
    ankle = lo.Joint("ankle", "universal", axis2="x", damping=(0.7, 0.8), effort_limit=9.0, velocity_limit=10.0)
    box = lo.Inertia.box(1, (1, 1, 1))
    model = (
        lo.Builder("leg", base="free")
        .body("trunk", inertia=box)
        .body("shank", parent="trunk", joint=knee, inertia=box)
        .body("foot", parent="shank", joint=ankle, inertia=box)
        .build()
    )
    at = model.joint("knee")
    for name in ("stiffness", "rest", "damping", "friction", "armature"):
        assert getattr(model, name)[at.v] == getattr(knee, name)
        assert not getattr(model, name)[:6].any()
    assert (model.lower[at.q], model.upper[at.q]) == (-1.0, 2.0)
    assert np.isinf(model.lower[:7]).all()
    at = model.joint("ankle")
    assert np.array_equal(model.damping[at.v], (0.7, 0.8))
    assert (model.effort_limit[at.v] == 9.0).all() and (model.velocity_limit[at.v] == 10.0).all()


def test_random_stays_within_limits():
    joints = [
        lo.Joint("a", lower=-0.2, upper=0.1),
        lo.Joint("b", lower=5.0),
        lo.Joint("c", "prismatic", upper=-7.0),
        lo.Joint("d"),
    ]
    builder = lo.Builder("limited")
    for joint in joints:
        builder.body(f"body {joint.name}", joint=joint, inertia=lo.Inertia.sphere(1, 1))
    model = builder.build()
    q = model.random(0, 500)
    assert (q >= model.lower).all() and (q <= model.upper).all()
    assert q[:, 0].min() < -0.19 and q[:, 0].max() > 0.09
    assert abs(q[:, 3]).max() <= np.pi


def test_models_without_joints():
    """A frame that is fixed to the world is a model, too: it has poses, and no coordinates."""
    model = lo.Builder("post").body("post", at=(1, 2, 3), inertia=lo.Inertia.sphere(2.0, 0.1)).build()
    none = np.zeros(0)
    assert (model.nq, model.nv, model.mass) == (0, 0, 2.0)
    for function in (lo.inverse_dynamics, lo.forward_dynamics):
        assert function(model, none, none, none).shape == (0,)
        assert function(model, np.zeros((9, 0)), none, none).shape == (9, 0)
    assert lo.mass_matrix(model, none).shape == lo.coriolis_matrix(model, none, none).shape == (0, 0)
    assert np.array_equal(lo.forward_kinematics(model, none)[0, :3, 3], (1, 2, 3))
    assert lo.jacobian(model, none, "post").shape == lo.jacobian_rate(model, none, none, "post").shape == (6, 0)
    assert np.array_equal(lo.velocity(model, none, none, "post"), np.zeros(6))
    assert lo.kinetic_energy(model, none, none) == 0.0
    assert lo.inverse_dynamics_derivatives(model, none, none, none).q.shape == (0, 0)
    assert model.integrate(none, none).shape == model.difference(none, none).shape == (0,)
    assert len(list(model.layout())) == 0


def calls_of(function):
    """How many calls, of Python and of compiled functions, a function makes."""
    count = 0

    def watch(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def chain(length):
    """Children first, which makes it harder."""
    box = lo.Inertia.box(1, (1, 1, 1))
    bodies = [
        lo.Body(f"body {n}", f"body {n - 1}" if n else None, joints=(lo.Joint(f"joint {n}", axis="xyz"[n % 3]),), inertia=box)
        for n in range(length)
    ]
    return lo.Description("chain", tuple(reversed(bodies)))


def test_long_chains_are_made_with_few_calls_a_body():
    """What keeps models of many thousand bodies quick: the work is linear, and most of it done for all bodies at once."""
    short, long = chain(100), chain(500)
    lo.Model(short)  # what is made once is made
    few, many = (calls_of(lambda x=x: lo.Model(x)) for x in (short, long))
    assert (many - few) / 400 < 130
