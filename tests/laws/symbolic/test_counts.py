"""Operations are counted exactly: by hand for a pendulum, linear in the length of a chain, and as many as ever.

The published counts are those of the DeNOC recursions for DH geometry (Saha, Shah, Nandihal 2013), n joints: inverse dynamics
on a fixed base (94n-81)M (82n-75)A, on a floating one (164n+60)M (156n+66)A; forward (209n-198)M (201n-185)A and
(209n+60)M (201n+66)A.
"""

import numpy as np
import pytest
from mechanisms import random_inertia

import locomote as lo
from locomote.spatial.rotations_arrays import matrix_from_vector


def pendulum():
    """Mass and moment about the pivot only: tau = I a + m g c sin(q)."""
    bob = lo.Inertia(2.0, (0.0, 0.0, -0.7), (0.1, 0.2, 0.3))
    return lo.Builder("pendulum").body("bob", joint=lo.Joint("pivot", axis="y"), inertia=bob).build()


def test_pendulum_by_hand():
    count = lo.operation_count(pendulum(), "inverse_dynamics")
    assert (count.multiplications, count.additions, count.sines, count.cosines) == (2, 1, 1, 0)
    assert count.divisions == count.square_roots == count.others == 0 and count.total == 4
    energy = lo.operation_count(pendulum(), "kinetic_energy")  # half of (I v) v
    assert (energy.multiplications, energy.additions, energy.total) == (3, 0, 3)


def test_one_line():
    line = str(lo.operation_count(pendulum(), "inverse_dynamics"))
    assert line == "inverse_dynamics of 'pendulum': 2 multiplications, 1 addition, 1 sine; 4 in all"


def test_divisions_stand_apart():
    count = lo.operation_count(chain(5, "fixed", "dh"), "forward_dynamics")
    assert count.divisions == 4  # of the first joint, moment and so division are numbers that are known
    assert "4 divisions" in str(count)


def test_options():
    model = chain(3, "free", "dh")
    loaded = lo.operation_count(model, "inverse_dynamics", wrenches=True)
    assert loaded.additions > lo.operation_count(model, "inverse_dynamics").additions
    assert (
        lo.operation_count(model, "jacobian", body="link 2").total > lo.operation_count(model, "jacobian", body="link 1").total
    )
    with pytest.raises(lo.UnknownName, match="did you mean 'mass_matrix'"):
        lo.operation_count(model, "mas_matrix")


def turn(axis, angle):
    """A rotation about one of the axes."""
    return matrix_from_vector(angle * np.eye(3)[axis])


def chain(n, base, geometry):
    """A chain of revolute joints with inertias of no structure; placed at random, or by one angle and two lengths (DH).

    Axes lean by 0.4 at least: those that are nearly parallel take some operations more.
    """
    rng = np.random.default_rng(n)
    builder, parent = lo.Builder("chain", base=base), None
    if base != "fixed":
        builder.body("base", inertia=random_inertia(rng))
        parent = "base"
    for k in range(n):
        pose = np.eye(4)
        if geometry == "general":
            before, lean, after = rng.uniform(0.4, 2.7, 3)
            pose[:3, :3], pose[:3, 3] = turn(2, before) @ turn(0, lean) @ turn(2, after), rng.uniform(0.1, 1.0, 3)
        else:
            lean, a, d = rng.uniform(0.4, 1.0, 3)
            pose[:3, :3], pose[:3, 3] = turn(0, lean), (a, -np.sin(lean) * d, np.cos(lean) * d)
        builder.body(f"link {k}", parent=parent, joint=lo.Joint(f"joint {k}"), at=pose, inertia=random_inertia(rng))
        parent = f"link {k}"
    return builder.build()


# (base, geometry, function) -> slope and rest of multiplications, then of additions: docs/symbolic.md shows them
OURS = {
    ("fixed", "general", "inverse_dynamics"): (85, -104, 71, -93),
    ("fixed", "dh", "inverse_dynamics"): (81, -100, 69, -91),
    ("free", "general", "inverse_dynamics"): (85, 76, 71, 65),
    ("free", "dh", "inverse_dynamics"): (81, 50, 69, 47),
    ("fixed", "general", "forward_dynamics"): (214, -344, 192, -325),
    ("fixed", "dh", "forward_dynamics"): (210, -340, 190, -323),
    ("free", "general", "forward_dynamics"): (214, 174, 192, 137),
    ("free", "dh", "forward_dynamics"): (210, 83, 190, 56),
}


@pytest.mark.parametrize(("base", "geometry", "function"), OURS)
def test_linear_in_the_number_of_joints(base, geometry, function):
    """Growth is deliberate: a kernel that needs more operations than before must say so here."""
    m, m0, a, a0 = OURS[base, geometry, function]
    for n in (13, 16) if function == "forward_dynamics" else (5, 9, 14):
        count = lo.operation_count(chain(n, base, geometry), function)
        # two entries that happen to be equal numbers may save one operation
        assert m * n + m0 - 2 <= count.multiplications <= m * n + m0 + 2
        assert a * n + a0 - 2 <= count.additions <= a * n + a0 + 2
        assert count.sines == count.cosines == n


@pytest.mark.parametrize(("base", "n"), [("fixed", 3), ("fixed", 6), ("free", 2)])
def test_short_chains_go_by_the_mass_matrix_where_that_is_shorter(base, n):
    m, m0, a, a0 = OURS[base, "general", "forward_dynamics"]
    count = lo.operation_count(chain(n, base, "general"), "forward_dynamics")
    assert count.multiplications + count.additions < 0.9 * (m * n + m0 + a * n + a0)


def test_less_than_published():
    for n in (2, 10):
        count = lo.operation_count(chain(n, "free", "dh"), "inverse_dynamics")
        assert count.multiplications < 164 * n + 60 and count.additions < 156 * n + 66
        count = lo.operation_count(chain(n, "fixed", "dh"), "inverse_dynamics")
        assert count.multiplications < 94 * n - 81 and count.additions < 82 * n - 75
        count = lo.operation_count(chain(n, "fixed", "dh"), "forward_dynamics")
        assert count.multiplications + count.additions < (209 + 201) * n - 198 - 185
