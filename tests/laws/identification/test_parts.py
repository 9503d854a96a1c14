"""Parts of an identification: inertias that stay physical, channels between steps, files, and what is refused."""

import numpy as np
import pytest

import locomote as lo
from locomote.identification.physical import coordinates, inertia_of, moments
from locomote.identification.rows import weights
from locomote.identification.units import in_si


def test_any_coordinates_are_those_of_a_body():
    rng = np.random.default_rng(0)
    for _ in range(50):
        x = rng.normal(size=6)
        six, slopes = inertia_of(x)
        assert np.linalg.eigvalsh(moments(six))[0] > 0
        assert coordinates(six) == pytest.approx(x, abs=1e-9)
        for k, unit in enumerate(np.eye(6)):
            rough = (inertia_of(x + 1e-6 * unit)[0] - inertia_of(x - 1e-6 * unit)[0]) / 2e-6
            assert slopes[:, k] == pytest.approx(rough, rel=1e-6, abs=1e-7)


def test_between_steps_a_cubic_is_exact():
    grid, when = 0.1 * np.arange(20), np.random.default_rng(0).uniform(0, 1.9, 50)
    when[:3] = 0.0, 0.7, 1.9
    first, own, slopes = weights(when, 0.1, 20)
    places = first[:, None] + np.arange(4)
    y = 1 + grid - 2 * grid**2 + 0.5 * grid**3
    assert (own * y[places]).sum(axis=1) == pytest.approx(1 + when - 2 * when**2 + 0.5 * when**3)
    assert (slopes * y[places]).sum(axis=1) == pytest.approx(1 - 4 * when + 1.5 * when**2, abs=1e-11)
    assert sorted(own[1]) == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("unit", "factor", "base"),
    [("deg", np.pi / 180, "rad"), ("deg/s^2", np.pi / 180, "rad/s^2"), ("rpm", np.pi / 30, "rad/s"), ("N mm", 1e-3, "N m"),
     ("km/h", 1 / 3.6, "m/s"), ("ms", 1e-3, "s"), ("m/s, body frame", 1.0, "m/s"), ("kg m^2", 1.0, "kg m^2"),
     ("mm^2", 1e-6, "m^2")],
)  # fmt: skip
def test_units(unit, factor, base):
    found = in_si(unit)
    assert found[0] == pytest.approx(factor) and found[1] == base


def test_unknown_units_are_refused():
    with pytest.raises(ValueError, match="unit 'furlong' is not known; write it with m, s, kg"):
        in_si("furlong")


def test_files(tmp_path):
    t = np.linspace(5.0, 6.0, 11)
    rows = ["time [ms];knee [deg];motor [N mm]", *(f"{1e3 * x};{x * 180 / np.pi};{1e3 * x * x}" for x in t)]
    rows[4] = f"{1e3 * t[3]};;0"
    (tmp_path / "log.csv").write_text("\n".join(rows))
    data = lo.read_measured(tmp_path / "log.csv", names={"knee": "knee.angle"}, inputs={"motor": "knee"}, first=True)
    assert data.t == pytest.approx(t - 5.0) and data.units == {"knee.angle": "rad"}
    assert np.isnan(data.channels["knee.angle"][3]) and data.channels["knee.angle"][5] == pytest.approx(t[5])
    assert data.inputs["knee"][5, 0] == pytest.approx(t[5] ** 2)
    np.savez(tmp_path / "log.npz", t=t, knee=t)
    array = lo.read_measured(tmp_path / "log.npz", names={"knee": "knee.angle"}, units={"knee": "deg"})
    assert array.channels["knee.angle"] == pytest.approx(np.radians(t))
    named = np.array(list(zip(t, t, strict=True)), dtype=[("t", float), ("knee.angle", float)])
    np.save(tmp_path / "log.npy", named)
    assert len(lo.read_measured(tmp_path / "log.npy")) == 11


def test_a_run_that_was_written_is_read(tmp_path):
    run = lo.systems.load("simple_pendulum").problem().simulate(1.0, every=0.05)
    run.to_csv(tmp_path / "run.csv")
    name = run.channels[1].name
    data = lo.read_measured(tmp_path / "run.csv", names=[name])
    assert data.channels[name] == pytest.approx(run[name]) and data.t == pytest.approx(run.t)


@pytest.mark.parametrize(
    ("text", "said"),
    [("t,a\n1,2\n0,3", "must be finite and increase"), ("t,a\n1", "row 2 has 1 cells"),
     ("t,a\n0,x\n1,2", "row 2 of 'a' is 'x'"),
     ("a,b\n1,2\n2,3", "no column of times named 't'"), ("t,a", "no rows of numbers"), ("t,a,a\n0,1,2", "the same name: 'a'")],
)  # fmt: skip
def test_damaged_files_are_refused(tmp_path, text, said):
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(lo.LocomoteError, match=said):
        lo.read_measured(tmp_path / "log.csv")


def test_what_is_refused():
    problem = lo.systems.load("simple_pendulum").problem()
    joint = problem.model.joint_names[0]
    angle = f"{joint}.angle"
    t = 0.1 * np.arange(20)
    data = lo.Measured(t, {angle: np.sin(t)})
    with pytest.raises(lo.UnknownName, match=r"no parameter named 'bob.mas'"):
        lo.identify(problem, data, "bob.mas")
    with pytest.raises(ValueError, match="by is empty"):
        lo.identify(problem, data, [])
    with pytest.raises(lo.UnknownName, match="no channel named 'knee.angle'"):
        lo.identify(problem, lo.Measured(t, {"knee.angle": t}), "gravity[2]")
    with pytest.raises(ValueError, match="was measured in m, and"):
        lo.identify(problem, lo.Measured(t, {angle: t}, units={angle: "m"}), "gravity[2]")
    with pytest.raises(ValueError, match="was not measured: measure it, or take way='run'"):
        lo.identify(problem, lo.Measured(t, {f"{joint}.torque": t}), "gravity[2]", way="regressor")
    with pytest.raises(ValueError, match="20 values, one for each time"):
        lo.Measured(t, {angle: t[:5]})
    with pytest.raises(ValueError, match="2 measured numbers cannot tell 3 unknowns"):
        lo.identify(problem, lo.Measured(t[:2], {angle: t[:2]}), "gravity")
    with pytest.raises(ValueError, match="noise of a sensor is -1"):
        lo.Sensor(noise=-1.0)
    with pytest.raises(lo.UnknownName, match="no way named 'magic'"):
        lo.identify(problem, data, "gravity", way="magic")
