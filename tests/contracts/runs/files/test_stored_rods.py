"""Rods whose section, material, rest and shapes are functions of the user come back from records as they were packed."""

import json

import numpy as np
import pytest

import locomote as lo
from locomote.formats.record import description_from_record, description_to_record
from locomote.model.model import Model

RODS = {
    "section": lambda: lo.Rod(0.5, lambda x: lo.Section.ellipse(0.02 - 0.02 * x, 0.03), order=3),
    "material": lambda: lo.Rod(0.5, material=lambda x: lo.Material(1000.0 + x, 1e6 * (1 + x), damping=0.01 * x), order=2),
    "rest": lambda: lo.Rod(0.5, rest=lambda x: (0.1, np.sin(3 * x), 0.5), order=2),
    "basis": lambda: lo.Rod(0.5, strains="bending_z", basis=[lambda x: 1 - x, lambda x: np.exp(-x)]),
    "bases": lambda: lo.Rod(
        0.5, strains="bending", basis={"bending_y": [lambda x: x * x], "bending_z": lo.rods.Points()}, nodes=9
    ),
    "natural order": lambda: lo.Rod(0.5, lambda x: lo.Section.circle(0.01 - 0.01 * x)),
}


@pytest.mark.parametrize("name", RODS)
def test_a_rod_comes_back(name):
    inertia = lo.Inertia.sphere(0.1, 0.02)
    model = (
        lo.Builder("arm", base="free")
        .body("rod", flex=RODS[name]())
        .body("ball", parent="rod", along=0.21, inertia=inertia)
        .build()
    )
    text = json.dumps(description_to_record(model.description))
    again = Model(description_from_record(json.loads(text)))
    rng = np.random.default_rng(0)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    np.testing.assert_array_equal(lo.inverse_dynamics(again, q, v, a), lo.inverse_dynamics(model, q, v, a))
    np.testing.assert_array_equal(lo.passive_force(again, q, v), lo.passive_force(model, q, v))
    assert json.dumps(description_to_record(again.description)) == text


def test_a_table_is_a_function():
    thick, thin = lo.Section.circle(0.02), lo.Section.circle(0.01)
    table = lo.rods.Tabulated((0.0, 0.5), (thick, thin))
    assert table(0.0) == thick and table(0.5) == thin and table(2.0) == thin
    assert np.isclose(table(0.25).area, (thick.area + thin.area) / 2)
    line = lo.rods.Tabulated((0.0, 1.0), (1.0, 3.0))
    assert line(0.25) == 1.5 and np.allclose(line(np.array([0.0, 0.5])), [1.0, 2.0])
    for x, values in (((0.0,), (1.0,)), ((0.0, 0.0), (1.0, 2.0)), ((0.0, 1.0), (1.0,))):
        with pytest.raises(ValueError, match="increasing X"):
            lo.rods.Tabulated(x, values)
    with pytest.raises(ValueError, match="one kind"):
        lo.rods.Tabulated((0.0, 1.0), (thick, 1.0))
