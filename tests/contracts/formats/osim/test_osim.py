"""OpenSim models and recorded motion: splines, joints, what is held, forces of motion, sentences."""

import numpy as np
import pytest
from file_samples import MOT, TRC
from gait_model import axes, body, coordinates, frame, gait, joint

import locomote as lo
from locomote.model.splines import Spline


def document(bodies, joints, extra=""):
    sets = f"<BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>{joints}</objects></JointSet>{extra}"
    return f'<OpenSimDocument Version="40500"><Model name="m">{sets}</Model></OpenSimDocument>'


def test_splines_are_exact_for_cubics_smooth_and_straight_beyond():
    x = np.array([-1.0, -0.2, 0.3, 1.1, 2.0])
    cubic = np.polynomial.Polynomial([0.3, -1.0, 0.5, 0.7])
    curve, at = Spline(x, cubic(x)), np.linspace(-1, 2, 50)
    for order in range(4):
        np.testing.assert_allclose(curve(at, order), cubic.deriv(order)(at) if order else cubic(at), atol=1e-12)
    rough = Spline(x, np.sin(5 * x))
    for order in range(3):
        np.testing.assert_allclose(rough(x[1:-1] - 1e-9, order), rough(x[1:-1] + 1e-9, order), atol=1e-5)
    np.testing.assert_allclose(rough([-3.0, 5.0], 1), rough(x[[0, -1]], 1))
    assert rough(5.0) == pytest.approx(rough(2.0) + 3.0 * rough(2.0, 1)) and rough(5.0, 2) == 0.0
    np.testing.assert_allclose(Spline([0, 1], [1, 3])([-1, 0.5, 2]), [-1, 2, 5])


def test_a_person_with_knees_along_splines():
    scene, problem = lo.read_scene(gait()), lo.load_scene(gait())
    assert problem.model.nv == 16 and len(scene.relations) == 4 and len(scene.motors) == 4
    q, v = problem.initial(problem.start[0], np.zeros(16))
    assert np.abs(problem.rows(0.0, q, v)[3]).max() < 1e-9
    run = problem.simulate(0.1)
    assert run.audit.ok
    model = problem.model
    for relation in scene.relations:
        (name,) = relation.ratios
        leader = run.q[:, model.joint(relation.other).q.start]
        np.testing.assert_allclose(run.q[:, model.joint(name).q.start], relation.curve()(leader, 0), atol=1e-6)
    with pytest.raises(lo.ModelError, match="take lo.load_scene"):
        lo.read_osim(gait())


def test_forces_of_motion_are_those_that_make_it():
    """A motion that falls freely takes no force; weight is carried by the pelvis when all stands still."""
    scene = lo.read_scene(gait())
    t = np.linspace(0, 0.5, 51)
    names = [name for name in scene.start.q if " " not in name[0]]
    falling = lo.Recording(t, {"pelvis_ty": 1.0 - 0.5 * 9.80665 * t**2})
    inner = slice(5, -5)
    forces = lo.forces_of_motion(scene, falling)
    assert max(np.abs(course[inner]).max() for course in forces.columns.values()) < 1e-6
    still = lo.forces_of_motion(scene, lo.Recording(t, {"knee_angle_r": np.full(len(t), -40.0)}, degrees=True))
    mass = sum(own.inertia.mass for own in scene.description.bodies if own.inertia is not None)
    np.testing.assert_allclose(still.columns["pelvis_ty"], 9.80665 * mass, rtol=1e-9)
    assert len(still.columns) == len(names) == 12
    # virtual work: the force of a knee is the slope of the potential energy by its angle, the shift of the shank with it
    model = lo.Model(scene.description).unfolded
    start = lo.load_scene(gait()).start[0]

    def energy(angle):
        q = start.copy()
        q[model.joint("knee_angle_r").q] = angle
        for relation in scene.relations:
            if relation.other == "knee_angle_r":
                q[model.joint(next(iter(relation.ratios))).q] = relation.curve()(angle, 0)
        return lo.potential_energy(model, q)

    h, angle = 1e-4, np.deg2rad(-40.0)
    slope = (energy(angle + h) - energy(angle - h)) / (2 * h)
    np.testing.assert_allclose(still.columns["knee_angle_r"], slope, rtol=1e-6)
    with pytest.raises(lo.UnknownName):
        lo.forces_of_motion(scene, lo.Recording(t, {"knee_r 1": t}))
    with pytest.raises(ValueError, match="at least 6"):
        lo.forces_of_motion(scene, lo.Recording(t[:4], {}))
    with pytest.raises(ValueError, match="cutoff"):
        lo.forces_of_motion(scene, falling, cutoff=80.0)


def test_a_filter_takes_noise_away():
    t = np.linspace(0, 2, 401)
    clean = 0.3 * np.sin(2 * np.pi * t)
    noisy = clean + 1e-3 * np.random.default_rng(0).normal(size=len(t))
    from locomote.locomotion.recorded import slopes

    exact = -0.3 * (2 * np.pi) ** 2 * np.sin(2 * np.pi * t)
    rough, smooth = (slopes(t, noisy, cutoff)[2] for cutoff in (None, 6.0))
    inner = slice(40, -40)
    assert np.abs(smooth - exact)[inner].max() < 1.5 < 20 < np.abs(rough - exact)[inner].max()


def test_mot_and_trc():
    motion, markers = lo.read_motion(MOT), lo.read_motion(TRC)
    assert motion.degrees and np.isnan(motion.columns["knee_angle"][2]) and motion.columns["hip"].tolist() == [1, 1.5, 2]
    assert markers.columns["RKNE"][0].tolist() == [1.0, 0.002, 0.003] and np.isnan(markers.columns["LKNE"][1]).all()
    for text, said in [
        (MOT.replace("endheader", "end"), "no line 'endheader'"), (MOT.replace("0.01\t", "0.00\t"), "do not rise"),
        (MOT.replace("1.5", "x"), "line 7: 'x' is not a number"), (MOT.replace("\t2.5", ""), "line 7: has 2 numbers"),
        (MOT.replace("knee_angle", "hip"), "each once"), (TRC.replace("mm", "miles"), "units are 'miles'"),
    ]:  # fmt: skip
        with pytest.raises(lo.ModelError, match=said):
            lo.read_motion(text)


WRONG = {
    "old": (gait().replace("40000", "30000"), "too old"),
    "no model": ('<OpenSimDocument Version="40000"/>', "there is no <Model>"),
    "no body": (gait().replace("/bodyset/femur_r<", "/bodyset/femur<"), "did you mean"),
    "spline": (gait().replace("<x>-2.0944", "<x>9"), "with x that rises"),
    "kind": (gait().replace("PinJoint", "EllipsoidJoint"), "<EllipsoidJoint> is not supported"),
    "coordinate": (gait().replace("<coordinates>hip_flexion_r<", "<coordinates>hip<"), "no coordinate of its joint"),
    "mass": (gait().replace("<mass>9.7", "<mass>-9.7"), "mass is -9.7"),
    "muscle": (gait().replace("<optimal_fiber_length>0.06", "<optimal_fiber_length>-1"), "must be above 0"),
}


@pytest.mark.parametrize("text, said", WRONG.values(), ids=WRONG)
def test_wrong_files(text, said):
    with pytest.raises(lo.ModelError, match=said):
        lo.load_scene(text)


def test_locked_coordinates_and_couplings():
    """A locked coordinate stays where it starts; a coupler holds two coordinates together."""
    bodies = body("a", 1, "0.2 0 0", "1 1 1") + body("b", 1, "0.2 0 0", "1 1 1")
    joints = joint("PinJoint", "first", "/ground", "/bodyset/a", "", coordinates("q1"))
    joints += joint(
        "PinJoint", "second", "/bodyset/a", "far", frame("far", "/bodyset/b", "-0.3 0 0"), coordinates("q2", start=0.4)
    )
    locked = joints.replace('<Coordinate name="q2">', '<Coordinate name="q2"><locked>true</locked>')
    model = lo.Model(lo.read_osim(document(bodies, locked)))
    assert model.joint_names == ("q1",)
    c, s = np.cos(0.4), np.sin(0.4)
    np.testing.assert_allclose(
        lo.forward_kinematics(model, [0.0])[model.body_index("b")][:3, 3], [0.3 * c, 0.3 * s, 0], atol=1e-15
    )
    line = "<LinearFunction><coefficients>-2 0.1</coefficients></LinearFunction>"
    coupler = (
        "<ConstraintSet><objects><CoordinateCouplerConstraint><coupled_coordinates_function>"
        f"{line}</coupled_coordinates_function><independent_coordinate_names>q1</independent_coordinate_names>"
        "<dependent_coordinate_name>q2</dependent_coordinate_name></CoordinateCouplerConstraint></objects></ConstraintSet>"
    )
    problem = lo.load_scene(document(bodies, joints, coupler))
    assert problem.start[0].tolist() == [0.0, 0.1]
    run = problem.simulate(0.2)
    np.testing.assert_allclose(run.q[:, 1], 0.1 - 2 * run.q[:, 0], atol=1e-9)


def test_axes_that_stand_still_by_a_constant():
    turn = '<Constant name="function"><value>0.5</value></Constant>'
    line = '<LinearFunction name="function"><coefficients>-1 0</coefficients></LinearFunction>'
    transform = axes(("rotation1", "q", "0 0 1", line), ("rotation2", "", "0 1 0", turn), ("translation3", "", "0 0 1", turn))
    joints = joint("CustomJoint", "j", "/ground", "/bodyset/a", "", coordinates("q"), transform)
    model = lo.Model(lo.read_osim(document(body("a", 1, "0 0 0", "1 1 1"), joints)))
    pose = lo.forward_kinematics(model, [0.3])[model.body_index("a")]
    c, s, C, S = np.cos(-0.3), np.sin(-0.3), np.cos(0.5), np.sin(0.5)
    expected = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[C, 0, S], [0, 1, 0], [-S, 0, C]])
    np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-14)
    np.testing.assert_allclose(pose[:3, 3], [0, 0, 0.5], atol=1e-15)
