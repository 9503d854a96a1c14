"""Denavit-Hartenberg tables: geometry from the definition of the conventions, masses and inertias from published numbers.

Stanford arm: Paul's data of 1981 as circulated in robotics toolboxes, moments about the frame origins. KUKA KR5: the public
input and output files of ReDySim (Shah and Saha), 7 digits. Spatial biped: input file of the same authors.
"""

import numpy as np
import pytest
from formats_kinematics import body_poses, shift, turn
from scipy.spatial.transform import Rotation

from locomote.errors import ModelError
from locomote.formats.dh.reader import read_dh
from locomote.formats.dh.row import DHRow

STANFORD = [
    dict(kind="R", alpha=-90, d=0.412, mass=9.29, cy=0.0175, cz=-0.1105, ixx=0.276, iyy=0.255, izz=0.071),
    dict(kind="R", alpha=90, d=0.154, mass=5.01, cy=-0.1054, ixx=0.108, iyy=0.018, izz=0.1),
    dict(kind="P", theta=-90, mass=4.25, cz=-0.6447, ixx=2.51, iyy=2.51, izz=0.006),
    dict(kind="R", alpha=-90, mass=1.08, cy=0.0092, cz=-0.0054, ixx=0.002, iyy=0.001, izz=0.001),
    dict(kind="R", alpha=90, mass=0.63, cz=0.0566, ixx=0.003, iyy=0.003, izz=0.0004),
    dict(kind="R", d=0.263, mass=0.51, cz=0.1554, ixx=0.013, iyy=0.013, izz=0.0003),
]
KUKA = """
# name: KUKA KR5
# convention: modified
# angles: rad
alpha,              a,    d,    mass,   cx,        cy,        cz,        ixx,         iyy,         izz
0,                  0,    0.4,  16.038, 0.104667,  0.005077,  0.059035,  0.176938765, 0.266532371, 0.262222375
1.5707963267948966, 0.18, 0,    7.988,  0.267012,  0,         0,         0.271640468, 0.276878849, 0.021894253
0,                  0.6,  0,    12.973, 0.087677,  -0.034263, 0.007779,  0.388988085, 0.376583684, 0.10414629
1.5707963267948966, 0.12, 0.62, 2.051,  -3.3e-05,  0.007634,  -0.109372, 0.004767354, 0.010122217, 0.01210886
-1.5707963267948966,0,    0,    0.811,  0,         0.032618,  -0.009789, 0.000760688, 0.001783961, 0.001801078
1.5707963267948966, 0,    0,    0.008,  0,         0,         0.111885,  3.113e-06,   1.512e-06,   1.652e-06
"""
BIPED = """
convention: modified
angles: deg
gravity: [-9.81, 0, 0]
rows:
  - {alpha: 0}
  - {alpha: 90, mass: 1, cx: 0.25, iyy: 0.020833333333333332, izz: 0.020833333333333332}
  - {alpha: -90, a: 0.5, mass: 1, cx: 0.25, iyy: 0.020833333333333332, izz: 0.020833333333333332}
  - {alpha: 0, a: 0.5}
  - {alpha: 90}
  - {alpha: 90, mass: 5, cx: -0.05, cz: -0.05, ixx: 0.004166666666666667, iyy: 0.008333333333333333, izz: 0.004166666666666667}
  - {alpha: 180, a: -0.1}
  - {alpha: 90}
  - {alpha: 90, mass: 1, cx: 0.25, iyy: 0.020833333333333332, izz: 0.020833333333333332}
  - {alpha: 0, a: 0.5, mass: 1, cx: 0.25, iyy: 0.020833333333333332, izz: 0.020833333333333332}
  - {alpha: -90, a: 0.5}
  - {alpha: 90, mass: 0.2, ixx: 0.000375, iyy: 1.6666666666666667e-06, izz: 0.000375}
"""


def stanford():
    return read_dh(STANFORD, convention="standard", angles="deg", about="origin", name="Stanford arm")


def coordinates(description, values):
    names = [joint.name for body in description.bodies for joint in body.joints]
    return dict(zip(names, values, strict=True))


def potential_energy(description, values):
    poses = body_poses(description, coordinates(description, values))
    heavy = [body for body in description.bodies if body.inertia is not None]
    return -sum(
        body.inertia.mass * np.dot(description.gravity, poses[body.name][:3] @ [*body.inertia.com, 1.0]) for body in heavy
    )


def gravity_torques(description, values, step=1e-6):
    steps = np.eye(len(values)) * step
    ends = [[potential_energy(description, np.array(values) + sign * row) for sign in (1, -1)] for row in steps]
    return np.array([(up - down) / (2 * step) for up, down in ends])


def mass_matrix(description, values, step=1e-6):
    """From differences of the poses: half v'Mv is the kinetic energy."""
    values = np.array(values)
    total = np.zeros((len(values), len(values)))
    for body in description.bodies:
        if body.inertia is None:
            continue
        columns = []
        for row in np.eye(len(values)) * step:
            up, down = (body_poses(description, coordinates(description, values + s * row))[body.name] for s in (1, -1))
            here = body_poses(description, coordinates(description, values))[body.name]
            rate = here[:3, :3].T @ (up - down)[:3] / (2 * step)
            columns.append([*(rate @ [*body.inertia.com, 1.0]), rate[2, 1], rate[0, 2], rate[1, 0]])
        jacobian = np.array(columns).T
        matrix = np.block([[body.inertia.mass * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), body.inertia.moment]])
        total += jacobian.T @ matrix @ jacobian
    return total


def rotation(axis, angle):
    return turn(Rotation.from_euler(axis, angle))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(5))
def test_poses_follow_the_definition(convention, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["revolute", "prismatic"], size=4)
    numbers = rng.uniform(-2, 2, size=(4, 6))
    fields = ("alpha", "a", "d", "theta", "gamma", "b")
    rows = [dict(zip(fields, row, strict=True), kind=kind) for row, kind in zip(numbers, kinds, strict=True)]
    if convention == "standard":
        for row in rows:
            row.update(gamma=0.0, b=0.0)
    description = read_dh(rows, convention=convention, angles="rad")
    q = rng.uniform(-2, 2, size=4)
    poses = body_poses(description, coordinates(description, q))
    expected = np.eye(4)
    for i, row in enumerate(rows):
        theta = row["theta"] + (q[i] if row["kind"] == "revolute" else 0)
        d = row["d"] + (q[i] if row["kind"] == "prismatic" else 0)
        along_x = shift((row["a"], 0, 0)) @ rotation("x", row["alpha"])
        along_z = shift((0, 0, d)) @ rotation("z", theta)
        branch = rotation("z", row["gamma"]) @ shift((0, 0, row["b"]))
        expected = expected @ (along_z @ along_x if convention == "standard" else branch @ along_x @ along_z)
        np.testing.assert_allclose(poses[f"link{i + 1}"], expected, atol=1e-14)


def test_stanford_arm():
    q = [
        -1.0798872711502345,
        0.015173516571478585,
        0.017043908940372308,
        -0.5635122865506935,
        -0.8898680523555982,
        -1.1502455218155216,
    ]
    description = stanford()
    assert description.name == "Stanford arm"
    force = [0.0, 0.595931143, -63.463393533, -0.024812626, -1.910508978, 0.0]  # of gravity; the joints hold against it
    np.testing.assert_allclose(-gravity_torques(description, q), force, atol=1e-7)
    matrix = mass_matrix(description, q)
    np.testing.assert_allclose(np.diag(matrix), [0.580708729, 2.496355769, 6.47, 0.057400707, 0.092963794, 0.0003], atol=1e-8)
    np.testing.assert_allclose(
        matrix[0], [0.580708729, 0.341933927, -0.017647328, 0.083454069, 0.011216081, 0.000186943], atol=1e-8
    )


def test_kuka_holds_its_weight():
    description = read_dh(KUKA)
    assert description.name == "KUKA KR5"
    np.testing.assert_allclose(gravity_torques(description, np.zeros(6)), [0, 128.7117, 14.53612, 0, 0, 0], atol=5e-5)


def test_spatial_biped_from_yaml(tmp_path):
    path = tmp_path / "biped.yaml"
    path.write_text(BIPED)
    description = read_dh(path)
    assert description.name == "biped" and description.gravity == (-9.81, 0, 0)
    q = [
        -0.7339629690081104, 0.14444237703851193, 0.495476890475703, -0.8093095758233446, -0.5059730815382619,
        -1.1149287563160448, 0.7935868360404597, -0.63492066145538, -0.09360475656844236, 0.5534874111091581,
        -1.044572411804477, -1.0048087461972037,
    ]  # fmt: skip
    force = [
        -29.680727312, 6.461562198, -1.627192635, 7.433780788, -1.439290928, -6.06022804,
        6.303097618, -5.751473281, -8.106020111, -1.607753836, 0.0, 0.0,
    ]  # fmt: skip
    np.testing.assert_allclose(-gravity_torques(description, q), force, atol=1e-7)
    first = [7.389491757, -0.009613247, 3.836789855, 0.318437354, -0.385503086, -0.317011694]
    np.testing.assert_allclose(mass_matrix(description, q)[0, :6], first, atol=1e-7)


def test_branches_and_a_moving_base():
    rows = [
        dict(name="hull", kind="base", mass=10, ixx=1, iyy=1, izz=1),
        dict(name="left"),
        dict(name="left hand", a=1),
        dict(name="right", parent="hull", gamma=90, b=0.5),
        dict(name="right hand", parent=3, a=1),
        dict(name="tail", parent=0, kind="fixed", a=-1),
    ]
    description = read_dh(rows, convention="modified", angles="deg")
    assert [(body.name, body.parent) for body in description.bodies] == [
        ("hull", None), ("left", "hull"), ("left hand", "left"), ("right", "hull"), ("right hand", "right"), ("tail", "hull"),
    ]  # fmt: skip
    assert description.bodies[-1].joints == ()
    assert description.bodies[0].inertia.mass == 10
    free = description.with_base("free")
    assert free.bodies[0].joints[0].kind == "free"
    np.testing.assert_allclose(description.bodies[3].placement[:3], [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0.5]], atol=1e-15)


def test_the_base_is_frame_zero_without_a_row():
    description = read_dh([dict(a=1)], convention="modified", angles="rad")
    assert [(body.name, body.parent) for body in description.bodies] == [("base", None), ("link1", "base")]
    assert description.bodies[1].joints[0].name == "joint1"


def test_joint_columns_and_their_units():
    row = dict(
        lower_deg=-90, upper_deg=180, damping=1, friction=2, armature=3, stiffness=4, rest_deg=30, velocity_deg=90, effort=6
    )
    (joint,) = read_dh([row], convention="modified").bodies[1].joints
    np.testing.assert_allclose([joint.lower, joint.upper, joint.rest, joint.velocity_limit], np.deg2rad([-90, 180, 30, 90]))
    assert (joint.damping, joint.friction, joint.armature, joint.stiffness, joint.effort_limit) == (1, 2, 3, 4, 6)
    (slide,) = read_dh([dict(kind="prismatic", lower=-1, upper=2)], convention="modified").bodies[1].joints
    assert (slide.lower, slide.upper) == (-1, 2)


def test_rows_as_records_and_as_text_are_the_same():
    rows = [DHRow("a", alpha=90, a=1.0, mass=2.0, ixx=1, iyy=1, izz=1), DHRow("b", theta=30)]
    text = "name;alpha;a;theta;mass;ixx;iyy;izz\na;90;1;;2;1;1;1\n\n# remark\nb;;;30\n"
    first = read_dh(rows, convention="standard", angles="deg")
    second = read_dh(text, convention="standard", angles="deg")
    for ours, theirs in zip(first.bodies, second.bodies, strict=True):
        assert ours.name == theirs.name and ours.inertia == theirs.inertia
        assert np.array_equal(ours.placement, theirs.placement)


def test_moments_about_the_origin():
    row = dict(mass=2.0, cx=1.0, ixx=1.0, iyy=3.5, izz=3.5)
    at_origin = read_dh([row], convention="modified", about="origin").bodies[1].inertia
    np.testing.assert_allclose(at_origin.moment, np.diag([1.0, 1.5, 1.5]))
    np.testing.assert_allclose(read_dh([row], convention="modified").bodies[1].inertia.moment, np.diag([1.0, 3.5, 3.5]))


def test_caller_and_file_must_agree():
    assert read_dh(KUKA, convention="modified").name == "KUKA KR5"
    with pytest.raises(ModelError, match="the file says convention modified, the caller says standard"):
        read_dh(KUKA, convention="standard")
