"""What a notebook shows of a value: a picture where it can be drawn at once, words that cannot become markup."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

import locomote as lo
from locomote.view import notebook


def picture(text):
    """The picture in a page, as numbers."""
    (data,) = re.findall(r'src="data:image/png;base64,([^"]+)"', text)
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        return np.asarray(image.convert("RGB")).astype(int)


@pytest.fixture(scope="module")
def system():
    loaded = lo.systems.load("snakeboard")
    return loaded


def test_models_problems_and_systems_have_pictures(system, tmp_path):
    system.problem().simulate(0.01, progress=False).film(tmp_path / "a.png", size=(32, 32))  # has what draws compiled
    for value, words in ((system.model, "rear_steer"), (system.problem(), "constraint rows"), (system, "rotor_amplitude")):
        text = value._repr_html_()
        assert words in text and len(text) < 100_000
        seen = picture(text)
        assert seen.shape == (240, 320, 3) and np.ptp(seen, axis=2).max() > 60  # the colours of the board


def test_nothing_is_compiled_for_a_picture(system, monkeypatch):
    monkeypatch.setattr(notebook, "is_ready", lambda: False)
    assert "<img" not in system.model._repr_html_() and "rotor" in system.model._repr_html_()


def test_numbers_have_colours_and_swings_their_rates(system):
    problem = system.problem()
    found = problem.connection(problem.start[0])
    text = found._repr_html_()
    assert text.count("<td") == found.A.size and found.kind in text
    rod = lo.Builder("pendulum").body("rod", joint=lo.Joint("hinge", axis="y"), inertia=lo.Inertia(1.0, com=(0, 0, -1))).build()
    swing = lo.modes(lo.Locomotion(rod))
    assert f"{9.81**0.5:.4g} rad/s" in swing._repr_html_() and "stable" in swing._repr_html_()


def test_a_sweep_has_a_curve_or_a_map():
    pytest.importorskip("pyarrow")
    axes = {"amplitude": [0.2, 0.5, 0.7], "rate": [1.0, 2.0]}
    for given in (dict(list(axes.items())[:1]), axes):
        table = lo.sweep("snakeboard", given, measure="net.distance", duration=0.1, progress=False)
        text = table._repr_html_()
        assert f"sweep of {len(table)} points" in text
        assert np.ptp(picture(text), axis=2).max() > 60


def test_names_stay_text():
    model = (
        lo.Builder("<script>1</script>").body("<b>", joint=lo.Joint("<i>x</i>"), inertia=lo.Inertia(1.0, com=(1, 0, 0))).build()
    )
    for text in (model._repr_html_(), lo.Locomotion(model)._repr_html_()):
        assert "<script>" not in text and "<i>" not in text
