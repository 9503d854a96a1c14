"""Muscles, laws of strain, what actuators are told: against sums over the sections of a rod, closed forms, files."""

import numpy as np
import pytest

import locomote as lo

LENGTH = 0.4


def arm(**more):
    rod = lo.Rod(
        LENGTH,
        lo.Section.circle(0.01),
        lo.Material(1000.0, 1e5, damping=0.01),
        **({"strains": "bending stretch", "order": 1} | more),
    )
    return lo.Builder("arm", gravity=(0, 0, 0)).body("arm", flex=rod).build()


def force_of(model, actuator, q, v):
    """(nv,) what an actuator adds to the forces on the coordinates."""
    with_it, without = (lo.Locomotion(model, actuators=a).evaluate(0.0, q, v).a for a in ([actuator], []))
    return lo.mass_matrix(model, q) @ (with_it - without)


def path_stretch(model, q, y, slope, count=400):
    """Stretch of a path beside the middle of a rod, (count,), from places of sections by differences: no strain is used."""
    x = np.linspace(0, LENGTH, count + 1)
    builder = lo.Builder.of(model)
    for k, at in enumerate(x):
        builder.body(f"s{k}", parent="arm", along=float(at), at=(0.0, y + slope * at, 0.0))
    poses = lo.forward_kinematics(builder.build(), q)[1:, :3, 3]
    return np.linalg.norm(np.diff(poses, axis=0), axis=1) * count / LENGTH


def test_a_muscle_does_the_work_of_its_fibres():
    """Power of the muscle = -sum over pieces of its path of tension times rate of length."""
    model = arm()
    rng = np.random.default_rng(2)
    q, v = 0.5 * model.random(rng), 0.3 * rng.normal(size=model.nv)
    muscle = lo.Muscle("arm", ((0, 0.006, 0), (LENGTH, 0.002, 0)), 3.0, 0.7, optimum=1.1, width=0.3, speed=2.0)
    found = force_of(model, muscle, q, v) @ v
    count, h = 60, 1e-5
    ahead, here, behind = (path_stretch(model, q + s * h * v, 0.006, -0.01, count) for s in (1, 0, -1))
    rate = (ahead - behind) / (2 * h)
    u = rate / 2.0
    tension = 3.0 * 0.7 * np.exp(-(((here - 1.1) / 0.3) ** 2)) * (1 + u / np.sqrt(1 + u * u))
    assert found == pytest.approx(-(tension * rate).sum() * LENGTH / count, rel=2e-3)


def test_a_muscle_is_a_tendon_at_its_best():
    model = arm()
    q = 0.3 * model.random(1)
    path = ((0, 0.006, 0), (LENGTH, 0.006, 0.001))
    wide = lo.Muscle("arm", path, 4.0, 0.5, width=1e6)
    assert np.allclose(force_of(model, wide, q, 0 * q), force_of(model, lo.Tendon("arm", path, 2.0), q, 0 * q), rtol=1e-9)


@pytest.mark.parametrize("given", ["function", "table"])
def test_a_law_of_strain(given):
    """A moment at the tip bends the rod evenly: EI k + c k^3 = M."""
    model = arm(strains="bending_z", order=0)
    EI, cubic, moment = 1e5 * np.pi / 4 * 0.01**4, 2e-5, 0.01

    def hardens(k):
        return cubic * k**3

    reach = np.linspace(-12.0, 12.0, 81)
    law = lo.rods.StrainLaw(
        "arm", "bending_z", hardens if given == "function" else [(k, hardens(k)) for k in reach], reach=(-12, 12)
    )
    built = lo.Builder.of(model).body("tip", parent="arm").build()
    load = [lambda t, q, v: {"tip": np.array([0, 0, 0, 0, 0, moment])}]
    still = lo.equilibrium(lo.Locomotion(built, actuators=[law], environment=load))
    k = still.q[0]
    assert k < 0.9 * moment / EI and EI * k + cubic * k**3 == pytest.approx(moment, rel=1e-7)


def test_a_law_goes_on_straight_beyond_its_reach():
    model = arm(strains="bending_z", order=0)
    law = lo.rods.StrainLaw("arm", "bending_z", lambda k: 1e-3 * k**2, reach=(-1.0, 1.0), damping=2e-3)
    for k in (-3.0, -0.5, 0.7, 4.0):
        value = 1e-3 * k**2 if abs(k) <= 1 else 1e-3 * (2 * abs(k) - 1)
        found = force_of(model, law, np.array([k]), np.array([0.3]))
        assert found[0] == pytest.approx(-LENGTH * (value + 2e-3 * 0.3), rel=1e-7)


def pulled():
    path = ((0, 0.006, 0), (LENGTH, 0.006, 0))
    return lo.Locomotion(
        arm(),
        actuators=[
            lo.Tendon("arm", path, lo.Sine(0.2, 6.0, offset=0.2), name="cable"),
            lo.Chamber("arm", 1e-5, 2e3, offset=(0.0, 0.003), start=0.1),
            lo.Muscle(
                "arm", ((0, -0.006, 0), (LENGTH, -0.006, 0)), 0.5, lo.Sine(0.4, 5.0, offset=0.5), speed=3.0, name="flexor"
            ),
            lo.rods.StrainLaw("arm", "bending_z", lambda k: 1e-4 * k**3, reach=(-20.0, 20.0), damping=1e-5),
        ],
    )


def test_runs_close_and_go_into_files(tmp_path):
    problem = pulled()
    run = problem.simulate(0.6, every=0.05, progress=False)
    assert run.audit.ok, str(run.audit)
    assert run.audit.deep().ok
    assert np.allclose(run["cable.tension"], 0.2 + 0.2 * np.sin(6.0 * run.t)) and run.unit("cable.tension") == "N"
    assert np.allclose(run["flexor.activation"], 0.5 + 0.4 * np.sin(5.0 * run.t))
    assert np.allclose(run["chamber 2 of arm.pressure"], 2e3)
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert (again["flexor.activation"] == run["flexor.activation"]).all() and again.audit.ok
    q, v = run.q[-1], run.v[-1]
    assert np.allclose(again.problem.evaluate(0.3, q, v).a, problem.evaluate(0.3, q, v).a, rtol=1e-9)


@pytest.mark.parametrize(
    ("actuator", "words"),
    [
        (lo.Muscle("arm", ((0, 0, 0), (0.4, 0, 0)), -1.0, 0.5), "force of a muscle on 'arm' must be a positive number"),
        (lo.Muscle("leg", ((0, 0, 0), (0.4, 0, 0)), 1.0, 0.5), "there is no such rod"),
        (lo.rods.StrainLaw("arm", "bend", abs), "a rod has no strain 'bend'"),
        (lo.rods.StrainLaw("arm", "bending_z", ((0, 0), (1, 1))), "at least four pairs"),
        (lo.rods.StrainLaw("arm", "bending_z", lambda k: np.nan), "finite stresses"),
        (lo.rods.StrainLaw("arm", "bending_z", abs, damping=-1.0), "damping of a strain law must be a number from 0"),
        (lo.Chamber("arm", 1e-4, 1.0, start=0.3, stop=0.1), "needs ends on the rod"),
    ],
)
def test_wrong_actuators(actuator, words):
    with pytest.raises(ValueError, match=words):
        lo.Locomotion(arm(), actuators=[actuator])
