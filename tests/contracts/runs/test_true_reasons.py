"""What a run that fails, or begins oddly, says is the reason, and not something else."""

import warnings

import numpy as np
import pytest

import locomote as lo

BOX = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
WATER = lo.Fluid(1000.0, viscosity=1e-3)


def tired(**joint):
    """A hand without mass on a wrist, at the end of an arm."""
    arm = lo.Builder("tired").body("arm", joint=lo.Joint("shoulder", axis="y"), inertia=BOX)
    return arm.body("hand", parent="arm", joint=lo.Joint("wrist", **joint), at=(0.5, 0, 0)).build()


def slider():
    return lo.Builder("slider", base="x").body("mass", inertia=BOX).build()


METHODS = ["adaptive", "rk4", "implicit", "gauss"]


@pytest.mark.filterwarnings("ignore:model 'tired'")
@pytest.mark.parametrize("method", METHODS)
def test_a_joint_without_mass_is_named(method):
    problem = lo.Locomotion(tired())
    options = {} if method in ("adaptive", "gauss") else {"step": 1e-3}
    with pytest.raises(lo.RunFailed, match=r"no mass moves with the motion wrist\.rate; give bodies mass or joints armature"):
        problem.simulate(0.1, method=method, progress=False, **options)
    with pytest.raises(lo.LocomoteError, match=r"no mass moves with the motion wrist\.rate"):
        problem.evaluate(0.0, [0, 0], [0, 0])


def test_a_drive_that_is_not_a_number_is_not_blamed_on_mass():
    bad = lo.Locomotion(slider(), torques=lambda t, q, v: np.array([np.nan]))
    with pytest.raises(lo.RunFailed, match="gave NaN"):
        bad.simulate(0.1, progress=False)


def test_warnings_of_a_model_are_shown_once():
    model = tired()
    for expected in (1, 0):
        with warnings.catch_warnings(record=True) as said, pytest.raises(lo.RunFailed):
            warnings.simplefilter("always")
            lo.Locomotion(model).simulate(0.1, progress=False)
        assert [("no mass hangs on joint 'wrist'" in str(x.message)) for x in said] == [True] * expected


@pytest.mark.parametrize(
    "problem",
    [
        lambda: lo.Locomotion(tired(), drives={"wrist": 0.1}),
        lambda: lo.Locomotion(tired(armature=0.1)),
        lambda: lo.Locomotion(tired(), constraints=[lo.Coupled({"wrist": 1.0, "shoulder": -1.0})]),
        lambda: lo.Locomotion(tired(damping=1.0), inertia=False, springs={"shoulder": (1.0, 0.0, 1.0)}),
    ],
    ids=["driven", "armature", "coupled", "creeping"],
)
def test_a_model_whose_warning_does_not_matter_runs_in_silence(problem):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = problem().simulate(0.05, progress=False)
    assert np.isfinite(run.q).all()


def test_warnings_of_a_file_are_shown(tmp_path):
    text = """<robot name="look"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
      izz="1"/></inertial><visual><geometry><mesh filename="nowhere.stl"/></geometry></visual></link></robot>"""
    model = lo.Model(lo.read_urdf(text).with_base("free"))
    with pytest.warns(UserWarning, match=r"model 'look'.*nowhere\.stl"):
        lo.Locomotion(model).simulate(0.01, progress=False)


@pytest.mark.parametrize("given", [{}, {"environment": [lo.water.StokesDrag("ball", WATER, radius=0.05)]}])
def test_what_nothing_resists_is_named(given):
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.05)).build()
    builder = lo.Builder("pair", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.05))
    pair = builder.body("vane", parent="ball", joint=lo.Joint("pin"), inertia=BOX).build()
    expected = r"nothing resists the motion pin\.rate, without inertia; give it drag" if given else r"base\.vx, base\.vy"
    problem = lo.Locomotion(pair if given else ball, inertia=False, **given)
    with pytest.raises(lo.InconsistentStart, match=expected):
        problem.simulate(0.1, progress=False)
    with pytest.raises(lo.LocomoteError, match=expected):
        problem.evaluate(0.0, problem.model.neutral(), np.zeros(problem.model.nv))


@pytest.mark.parametrize("torque", [lambda t, q, v: v**2 + 1, lambda t, q, v: 4 * q**3 + 1], ids=["speed", "place"])
def test_a_blow_up_in_finite_time_is_called_so(torque):
    with pytest.raises(lo.RunFailed, match="grows without bound in finite time.*which no tolerance mends") as caught:
        lo.Locomotion(slider(), torques=torque).simulate(10.0, progress=False)
    assert "loosen" not in str(caught.value)


def knee(**limits):
    return lo.Builder("leg").body("shank", joint=lo.Joint("knee", axis="y", **limits), inertia=BOX).build()


def test_degrees_are_warned_of():
    model = knee(lower=-0.2, upper=2.0)
    free, driven = lo.Locomotion(model, limits=False), lo.Locomotion(model, drives={"knee": 45.0}, limits=False)
    for problem, start in ((free, {"q": [45.0]}), (driven, {})):
        with pytest.warns(UserWarning, match=r"joint 'knee' starts at 45 rad, far beyond.*np\.deg2rad\(45\) = 0\.785"):
            problem.simulate(0.01, progress=False, **start)


@pytest.mark.parametrize("limits, start", [({}, 45.0), ({"lower": -0.2, "upper": 2.0}, 2.5), ({"upper": 2.0}, 45.0)])
def test_other_angles_are_not(limits, start):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lo.Locomotion(knee(**limits), limits=False).simulate(0.01, q=[start], progress=False)
