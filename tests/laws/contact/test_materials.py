"""Friction and restitution by pairs of materials."""

from dataclasses import replace

import numpy as np
import pytest

import locomote as lo

HALF, G = (0.1, 0.1, 0.05), 9.81
PAIRS = {("rubber", "ice"): 0.1, ("steel", "ice"): {"friction": 0.05, "restitution": 0.5}}


def two_boxes():
    """Two free boxes, of rubber and of steel, on one floor of ice."""
    builder, floor = lo.Builder("boxes", base="fixed"), lo.Ground(friction=2.0, material="ice")
    for k in range(2):
        inertia = lo.Inertia.box(1.0, tuple(2 * x for x in HALF))
        builder.body(f"box{k}", inertia=inertia, joint=lo.Joint(f"free{k}", "free"))
    touches = [
        lo.Touch(f"box{k}", floor, box=HALF, name=f"box{k}", material=made) for k, made in enumerate(("rubber", "steel"))
    ]
    return builder.build(), touches


def test_boxes_stop_where_the_friction_of_their_pair_says():
    model, touches = two_boxes()
    q = np.array([0, 0, 0.05, 0, 0, 0, 1, 0, 1.0, 0.05, 0, 0, 0, 1], float)
    v = np.zeros(12)
    v[[0, 6]] = 1.0
    problem = lo.Locomotion(model, contacts=lo.pair_materials(touches, PAIRS))
    run = problem.simulate(2.5, q=q, v=v, step=2e-3, progress=False)
    went = run.q[-1, [0, 7]]
    assert np.allclose(went, [1 / (2 * 0.1 * G), 1 / (2 * 0.05 * G)], rtol=1e-3) and run.audit.ok


def test_either_order_means_the_same_and_other_contacts_stay():
    _, touches = two_boxes()
    plain = replace(touches[0], ground=lo.Ground(friction=0.3), material="", name="plain")
    turned = {(b, a): law for (a, b), law in PAIRS.items()}
    for table in (PAIRS, turned):
        made = lo.pair_materials([*touches, plain], table)
        assert [t.ground.friction for t in made] == [0.1, 0.05, 0.3]
        assert [t.ground.restitution for t in made] == [0.0, 0.5, 0.0]
        assert made[2] is plain


def test_bodies_that_touch_each_other_have_materials_too():
    made = lo.between("a", lo.Box(HALF), "b", lo.Box(HALF), materials=("rubber", "steel"))
    assert {(t.body, t.material, t.ground.body, t.ground.material) for t in made} == {
        ("b", "steel", "a", "rubber"), ("a", "rubber", "b", "steel"),
    }  # fmt: skip
    assert {t.ground.friction for t in lo.pair_materials(made, {("steel", "rubber"): 0.9})} == {0.9}


@pytest.mark.parametrize(
    ("pairs", "kind", "words"),
    [
        ({("rubber", "ice"): 0.1}, ValueError, r"no pair \('ice', 'steel'\)"),
        (PAIRS | {("rubbr", "ice"): 0.1}, ValueError, "no contact is made of 'rubbr'; contacts are of ice, rubber, steel"),
        (PAIRS | {("ice", "rubber"): 0.2}, ValueError, "stands twice"),
        (PAIRS | {("steel", "ice"): {"friktion": 0.1}}, ValueError, "have 'friktion', expected some of friction"),
        (PAIRS | {("steel", "ice"): {"restitution": 0.1}}, ValueError, "have no friction"),
        (PAIRS | {("steel", "ice"): -0.1}, ValueError, "friction of a ground is -0.1"),
        (PAIRS | {("steel", "ice"): "slippery"}, TypeError, "expected a coefficient of friction or a mapping"),
        (PAIRS | {"ice": 0.1}, TypeError, "expected two names"),
        (0.1, TypeError, "expected {"),
    ],
)
def test_wrong_tables_are_answered_in_words(pairs, kind, words):
    _, touches = two_boxes()
    with pytest.raises(kind, match=words):
        lo.pair_materials(touches, pairs)


def test_a_material_on_one_side_only_is_answered_in_words():
    _, touches = two_boxes()
    with pytest.raises(ValueError, match="on one side only, of 'box0'"):
        lo.pair_materials([replace(touches[0], material="")], PAIRS)
    with pytest.raises(TypeError, match="expected a name"):
        lo.Ground(material=3)
    with pytest.raises(TypeError, match="expected two names"):
        lo.between("a", lo.Box(HALF), "b", lo.Box(HALF), materials="steel")
