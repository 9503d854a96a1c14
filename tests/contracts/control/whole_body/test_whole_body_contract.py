"""What may be asked of a whole-body controller, and what is refused: names, limits, motors, contacts that exclude each other,
priorities."""

import inspect
import re

import numpy as np
import pytest
from places import DOCS
from standing_robots import HRP2 as MODEL
from standing_robots import HRP2_SOLE as SOLE
from standing_robots import feet, standing

import locomote as lo
from locomote import public

PAGE = DOCS / "whole-body.md"


def arm(kind="revolute", **options):
    builder = lo.Builder("arm", base="fixed")
    for k, parent in enumerate((None, "b0", "b1")):
        joint = lo.Joint(f"j{k}", kind, **options) if k == 0 else lo.Joint(f"j{k}", axis="y", effort_limit=50.0)
        builder.body(
            f"b{k}", parent=parent, joint=joint, at=(0.3 * (k > 0), 0, 0),
            inertia=lo.Inertia(1.0, com=(0.15, 0, 0), moment=(0.01, 0.02, 0.02)),
        )  # fmt: skip
    return builder.build()


# names


@pytest.mark.parametrize(
    "pair",
    [
        lambda: (lo.control.CenterOfMass(axes="xy"), lo.control.CenterOfMass(axes="z", weight=0.1)),
        lambda: (lo.control.Frame("chest", position=False), lo.control.Frame("chest", rotation=False)),
        lambda: (lo.control.Contact("left_sole", SOLE[:2]), lo.control.Contact("left_sole", SOLE[2:])),
        lambda: (
            lo.control.Clearance("left_palm", "right_thigh"),
            lo.control.Clearance("left_palm", "right_thigh", radius=0.1),
        ),
    ],
)
def test_no_name_is_taken_twice(pair):
    one, two = pair()
    split = {"tasks": [], "contacts": [], "clearances": []}
    part = (
        "contacts"
        if isinstance(one, lo.control.Contact)
        else "clearances"
        if isinstance(one, lo.control.Clearance)
        else "tasks"
    )
    with pytest.raises(ValueError, match="already: give each a name of its own"):
        lo.control.WholeBody(MODEL, **split | {part: [one, two]})
    control = lo.control.WholeBody(MODEL, **split | {part: [one]})
    with pytest.raises(ValueError, match="already: give each a name of its own"):
        control.add(two)
    assert list(getattr(control, part).values()) == [one]
    control.add(one)  # the same thing again is no other
    control.add(two, replace=True)
    assert list(getattr(control, part).values()) == [two]
    one.name = "one"
    both = lo.control.WholeBody(MODEL, **split | {part: [one, two]})
    assert list(getattr(both, part).values()) == [one, two]


def test_a_name_of_several_kinds_is_not_removed_by_guess():
    foot, task = lo.control.Contact("left_sole", SOLE), lo.control.Frame("left_sole")
    control = lo.control.WholeBody(MODEL, [task], [foot])
    with pytest.raises(ValueError, match="names several things"):
        control.remove("left_sole")
    control.remove(task)
    assert not control.tasks and list(control.contacts.values()) == [foot]
    with pytest.raises(lo.UnknownName):
        control.remove(task)


def test_heel_and_toe_bear_together():
    q, v = standing(), np.zeros(MODEL.nv)
    halves = [
        lo.control.Contact("left_sole", SOLE[:2], name="toe"),
        lo.control.Contact("left_sole", SOLE[2:], name="heel"),
        feet()[1],
    ]
    tasks = [lo.control.CenterOfMass(), lo.control.Frame("chest", position=False), lo.control.Posture(q)]
    now, whole = (lo.control.WholeBody(MODEL, tasks, contacts).evaluate(0.0, q, v) for contacts in (halves, feet()))
    assert now.status == whole.status == "solved" and now.dependent == 6  # four points of three rows hold six motions
    assert abs(now.a - whole.a).max() < 1e-4
    assert min(now.forces["toe"][:, 2].sum(), now.forces["heel"][:, 2].sum()) > 20.0


def test_signatures_of_the_page_are_those_of_the_tasks():
    rows = re.findall(r"^\| `(\w+)\((.*?)\)` \|", PAGE.read_text(), flags=re.M)
    assert len(rows) == 5
    for name, arguments in rows:
        given = [part.split("=")[0].strip() for part in arguments.split(",")]
        positional = [
            p.name for p in inspect.signature(public.find(name)).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        assert positional[: len(given)] == given, name
    place = (0.1, 0.2, 0.3)
    assert lo.control.CenterOfMass(place).reference == place and lo.control.Posture(place).reference == place


# motors


def test_a_torque_limit_of_zero_is_no_torque_and_a_negative_one_is_refused():
    model = arm(axis="y")
    q, v = model.neutral(), np.zeros(3)
    limits = np.array([50.0, 0.0, np.inf])
    now = lo.control.WholeBody(model, [lo.control.Posture([0.3, 0.4, 0.5])], torque_limits=limits).evaluate(0.0, q, v)
    assert now.status == "solved" and now.tau[1] == now.wanted[1] == 0.0 and abs(now.tau[[0, 2]]).min() > 1e-3
    assert lo.Locomotion(model, torques=lambda t, q, v: now.tau).evaluate(0.0, q, v).a == pytest.approx(now.a, rel=1e-9)
    assert 0.0 < now.torque_use <= 1.0
    weak = lo.control.WholeBody(arm(axis="y", effort_limit=0.0), [lo.control.Posture()])
    assert not weak.driven[0] and weak.evaluate(0.0, q, v).tau[0] == 0.0
    assert not lo.control.hold_stance(arm(axis="y", effort_limit=0.0), [], q).holds
    for wrong, words in (
        ([1.0, -1.0, 1.0], r"torque_limits\[1\] of joint 'j1' is -1"),
        ([1.0, np.nan, 1.0], "is nan"),
        ([1.0], "shape"),
    ):
        with pytest.raises(ValueError, match=words):
            lo.control.WholeBody(model, torque_limits=wrong)
    with pytest.raises(TypeError, match="expected True, False or numbers"):
        lo.control.WholeBody(model, torque_limits="strong")


@pytest.mark.parametrize("kind", ["spherical", "x", "xy", "xyz", "planar", "free"])
def test_a_first_joint_may_have_a_motor(kind):
    model = arm(kind)
    assert not lo.control.WholeBody(model).driven[model.joint("j0").v].any()
    control = lo.control.WholeBody(model, [lo.control.Posture(stiffness=0.0)], actuated=["j0"])
    assert control.driven.all()
    rng = np.random.default_rng(1)
    q, v = model.random(rng), np.zeros(model.nv)
    now = control.evaluate(0.0, q, v)
    assert now.status == "solved" and abs(now.a).max() < 1e-5  # it holds itself against its weight
    assert now.tau == pytest.approx(lo.gravity_force(model, q), abs=1e-4)
    if kind == "spherical":
        assert lo.control.hold_stance(model, [], q, actuated=["j0"]).tau == pytest.approx(lo.gravity_force(model, q), abs=1e-6)
        assert not lo.control.hold_stance(model, [], q).holds
    with pytest.raises(ValueError, match="both passive and actuated"):
        lo.control.WholeBody(model, passive=["j0"], actuated=["j0"])
    with pytest.raises(TypeError, match="list of names"):
        lo.control.WholeBody(model, passive="j0")
    with pytest.raises(lo.UnknownName):
        lo.control.WholeBody(model, actuated=["j9"])


# contacts that exclude each other


def test_contacts_that_contradict_each_other_have_no_answer():
    q, v = standing(), np.zeros(MODEL.nv)
    up = np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0])
    for solver in ("own", "daqp"):
        for still, moved in (
            (lo.control.Contact("left_sole", SOLE), lo.control.Contact("left_sole", SOLE, acceleration=up, name="other")),
            (
                lo.control.Contact("left_sole", SOLE[:1]),
                lo.control.Contact("left_sole", SOLE[:1], velocity=0.1 * up, name="other"),
            ),
        ):
            control = lo.control.WholeBody(MODEL, [lo.control.Posture(q)], [still, moved], solver=solver)
            now = control.evaluate(0.0, q, v)
            assert not now.solved and now.status == "no answer"
            assert now.why[0][0] == "other" and "contradicts other contacts by" in now.why[0][1]
            assert np.isnan(now.a).all() and (now.tau == 0.0).all() and "contradict" in repr(now)
            moved.velocity = moved.acceleration = None
            control.changed()
            assert control.evaluate(0.0, q, v).solved


def test_a_contact_on_what_cannot_move_contradicts_itself():
    model = arm(axis="y")
    side = lo.control.Contact(
        "b0", [[0.1, 0.0, 0.0]], velocity=(0.0, 0.1, 0.0, 0.0, 0.0, 0.0)
    )  # the arm moves in the plane of x and z
    now = lo.control.WholeBody(model, [lo.control.Posture()], [side]).evaluate(0.0, model.neutral(), np.zeros(3))
    assert now.status == "no answer" and now.why[0][0] == "b0" and "contradicts" in repr(now)
    control = lo.control.WholeBody(model, [lo.control.Posture()], [lo.control.Contact("b0", [[0.1, 0.0, 0.0]])])
    assert control.evaluate(0.0, model.neutral(), np.zeros(3)).solved


# priorities


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cones", ["pyramid", "round"])
def test_strict_levels_are_strict(seed, cones):
    """What can be met without anything else is met to rounding, whatever forces and later priorities weigh."""
    rng = np.random.default_rng(seed)
    q = MODEL.integrate(standing(), 0.01 * rng.normal(size=MODEL.nv))
    v = 0.01 * rng.normal(size=MODEL.nv)
    tasks = [
        lo.control.CenterOfMass(lo.center_of_mass(MODEL, standing())), lo.control.Frame("chest", position=False,
        rotation=np.eye(3)),
        lo.control.Posture(standing(), weight=1.0, priority=2),
    ]  # fmt: skip
    for weight in (1e-8, 1e-5):
        control = lo.control.WholeBody(MODEL, tasks, feet(force_weight=weight), torque_limits=False, cones=cones)
        now = control.evaluate(0.0, q, v)
        assert now.status == "solved" and now.residual < 1e-7
        assert max(now.task_errors["com"], now.task_errors["chest"]) < 1e-9
