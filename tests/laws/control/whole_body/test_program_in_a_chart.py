"""The whole-body program in chart coordinates, with and without the multiplier, against the controller, on random robots."""

import numpy as np
import pytest

import locomote as lo

FORMS = [
    ("quaternion", "multiplier"), ("quaternion", "projected"), ("quaternion", "oblique"), ("zyx", "multiplier"),
    ("matrix", "multiplier"), ("matrix", "projected"),
]  # fmt: skip


def robot(seed):
    """A trunk on random limbs, some of which touch leaning ground by a point or a sole; a controller, and a state."""
    rng = np.random.default_rng(seed)
    builder = lo.Builder(f"robot {seed}", base="free").body("trunk", inertia=lo.Inertia.box(8.0, (0.5, 0.3, 0.2)))
    rod, contacts = lo.Inertia(1.0, (0, 0, -0.15), np.diag([0.02, 0.02, 1e-3])), []
    for k in range(int(rng.integers(2, 5))):
        parent, at = "trunk", tuple(rng.uniform(-0.3, 0.3, 3))
        for j in range(int(rng.integers(2, 4))):
            joint = lo.Joint(f"joint {k} {j}", axis=tuple(rng.normal(size=3)))
            builder.body(f"limb {k} {j}", parent=parent, joint=joint, at=at, inertia=rod)
            parent, at = f"limb {k} {j}", (0, 0, -0.3)
        if k < 2 or rng.random() < 0.5:
            points = [at] if rng.random() < 0.5 else np.array(at) + rng.uniform(-0.05, 0.05, (4, 3)) * [1, 1, 0]
            normal = tuple(rng.normal(scale=0.2, size=3) + [0, 0, 1])
            friction = float(rng.uniform(0.4, 1.0))
            contacts.append(lo.control.Contact(parent, points, friction=friction, force_weight=1e-3, normal=normal))
    model = builder.build()
    tasks = [
        lo.control.Posture(weight=1.0, stiffness=10.0),
        lo.control.CenterOfMass(weight=10.0),
        lo.control.Frame("trunk", position=False, weight=2.0),
    ]
    q, v = model.integrate(model.neutral(), 0.3 * rng.normal(size=model.nv)), 0.3 * rng.normal(size=model.nv)
    limits = np.full(model.nv, float(rng.uniform(30, 200)))
    return lo.control.WholeBody(model, tasks, contacts, torque_limits=limits), q, v


def test_all_forms_are_the_controller():
    solved = at_limits = 0
    for seed in range(30):
        control, q, v = robot(seed)
        now = control.evaluate(0.0, q, v)
        for chart, form in FORMS if now.status == "solved" else FORMS[:1]:
            if now.status != "solved":
                with pytest.raises(ArithmeticError, match="infeasible"):
                    lo.control.in_chart(control, 0.0, q, v, chart=chart, form=form)
                continue
            found = lo.control.in_chart(control, 0.0, q, v, chart=chart, form=form)
            size, torque = max(1.0, abs(now.a).max()), max(1.0, abs(now.tau).max())
            assert abs(found.a - now.a).max() < 1e-10 * size and abs(found.tau - now.tau).max() < 1e-10 * torque
            for name, force in now.forces.items():
                assert abs(found.forces[name] - force).max() < 1e-10 * torque
            assert abs(found.multiplier).max(initial=0.0) < 1e-10 * torque  # zero, though it was free to be anything
            solved += 1
        at_limits += now.status == "solved" and (max(now.friction_use.values()) > 1 - 1e-9 or now.torque_use > 1 - 1e-9)
    assert solved >= 48 and at_limits >= 2


def test_wrong_calls_get_a_sentence():
    control, q, v = robot(0)
    with pytest.raises(ValueError, match="no form named 'reduced'"):
        lo.control.in_chart(control, 0.0, q, v, form="reduced")
    control.add(lo.control.Posture(name="later", priority=2))
    with pytest.raises(ValueError, match="one priority only"):
        lo.control.in_chart(control, 0.0, q, v)
    rounder = lo.control.WholeBody(control.model, [lo.control.Posture()], control.contacts.values(), cones="round")
    with pytest.raises(ValueError, match="without round cones"):
        lo.control.in_chart(rounder, 0.0, q, v)
