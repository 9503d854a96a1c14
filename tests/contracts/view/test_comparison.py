"""Several runs in one report: what is said of each, the curves and scenes of all, and what is refused."""

import base64
import json
import re

import numpy as np
import pytest
from commands import call

import locomote as lo
from locomote.view.colors import RUNS


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def numbers(text):
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(float)


def cells(page, heading):
    """The texts of a row of the table."""
    row = re.search(rf"<tr><th>{re.escape(heading)}</th>(.*?)</tr>", page)[1]
    return re.findall(r"<td>(.*?)</td>", row)


@pytest.fixture(scope="module")
def runs():
    def run(length, **parameters):
        return lo.systems.load("roller_racer", **parameters).problem().simulate(length, progress=False)

    return run(6.0), run(4.0, amplitude=0.4)


@pytest.fixture(scope="module")
def page(runs, tmp_path_factory):
    path = tmp_path_factory.mktemp("compared") / "both.html"
    runs[0].report(path, beside={"less & <b>slower</b>": runs[1]})
    assert path.stat().st_size < 5e6
    return path.read_text(encoding="utf-8")


def test_the_table_says_what_was_given_and_what_came_of_it(runs, page):
    near, far = (run.net_motion.distance for run in runs)
    own, other = cells(page, "net distance")
    assert own == f"{near:.4g} m"
    assert other == f"{far:.4g} m ({100 * (far / near - 1):+.3g} %)"
    assert cells(page, "amplitude")[1] == "0.4 rad" and cells(page, "audit") == ["passed", "passed"]
    given = page.partition("what was given")[2].partition("</table>")[0]
    assert re.findall(r"<tr><th>(\w+)</th>", given) == ["amplitude"], "what is the same in both is left out"
    assert "less &amp; &lt;b&gt;slower" in page and "<b>slower" not in page.partition("<script")[0]


def test_curves_of_all_runs_are_in_the_same_panels(runs, page):
    curves = data_of(page)["curves"]
    t = numbers(curves["t"])
    assert abs(t[-1] - 6.0) < 1e-6
    panel = next(p for p in curves["panels"] if p["title"].startswith("net motion") and p["unit"] == "m")
    for name, run, color in zip(("this run", "less & <b>slower</b>"), runs, RUNS[:2], strict=True):
        series = next(s for s in panel["series"] if s["name"] == f"{name}: net.x")
        y, there = numbers(series["y"]), t <= run.t[-1]
        np.testing.assert_allclose(y[there], np.interp(t[there], run.t, run["net.x"]), atol=1e-5)
        assert np.isnan(y[~there]).all() and series["color"] == color


def test_runs_that_began_at_other_times_are_compared_from_their_starts(runs, tmp_path):
    later = lo.systems.load("roller_racer").problem().simulate(2.0, t=3.0, progress=False)
    runs[0].report(tmp_path / "later.html", beside={"later": later})
    data = data_of((tmp_path / "later.html").read_text(encoding="utf-8"))
    t = numbers(data["curves"]["t"])
    series = [s for panel in data["curves"]["panels"] for s in panel["series"] if s["name"] == "later: net.x"]
    assert t[0] == 0.0 and np.isfinite(numbers(series[0]["y"])[t <= 2.0]).all() and numbers(data["others"][0]["t"])[0] == 0.0


def test_all_scenes_are_there_in_their_colours(page):
    data = data_of(page)
    assert len(data["others"]) == 1 and data["tints"] == list(RUNS[:2])
    assert data["others"][0]["bodies"] == data["scene"]["bodies"] and numbers(data["others"][0]["t"])[-1] == 4.0


def test_the_command_compares_files(runs, tmp_path):
    for name, run in zip("ab", runs, strict=True):
        run.save(tmp_path / f"{name}.h5")
    call("report", str(tmp_path / "a.h5"), str(tmp_path / "b.h5"), "--out", str(tmp_path / "both.html"))
    text = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert re.findall(r"&#9632;</b> (\w)", text) == ["a", "b"]


@pytest.mark.parametrize(
    "beside, words",
    [
        (["no run"], "compare takes runs"),
        ({"this run": None}, "choose another"),
        ("nine", "too many for one report"),
    ],
)
def test_what_cannot_be_compared_is_said(runs, tmp_path, beside, words):
    beside = [runs[1]] * 9 if beside == "nine" else beside
    with pytest.raises((ValueError, TypeError), match=words):
        runs[0].report(tmp_path / "x.html", beside=beside)
    assert not (tmp_path / "x.html").exists()
