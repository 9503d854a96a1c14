"""Kinds of joints are known in `model/joints/`, and asked by name: never by order, and one that a choice does not know gives no
number. What else compares kinds is listed here."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import locomote
from locomote.bench.models import chain
from locomote.dynamics import derivatives, forces, kinematics, matrices, momentum
from locomote.model.columns import KIND
from locomote.model.description import Joint
from locomote.model.joints import AXES_OF_V, BASES, KINDS, Q_SIZE, V_SIZE, WORDS, elementary, motion
from locomote.model.joints.kind import Kind
from locomote.model.joints.table import ELEMENTARY, FILES, SHARED
from locomote.model.status import OK, VALUE

PACKAGE = Path(locomote.__file__).resolve().parent
BY_ORDER = re.compile(r"(kind|KIND\])\s*(<|>|<=|>=)\s*\w|\b(REVOLUTE|PRISMATIC|HELICAL|PLANAR|SPHERICAL|FREE|FLEX)\s*(<|>)")

# fast paths: files outside `model/joints/` that compare elementary kinds, and which; nothing else may
NUMBERS = {
    "bench/peers.py": {"FREE", "REVOLUTE"},  # joints of Pinocchio and MuJoCo
    "kernels/common_frame.py": {"FREE"},
    "kernels/contact_sweep.py": {"FREE", "REVOLUTE"},
    "kernels/forward_dynamics.py": {"FREE", "PRISMATIC", "REVOLUTE"},
    "kernels/inverse_dynamics.py": {"FREE", "PRISMATIC", "REVOLUTE"},
    "kernels/mass_matrix_body.py": {"FREE", "REVOLUTE"},
    "model/grouping.py": {"PRISMATIC", "REVOLUTE"},  # inertia that these hand to their parents
}
# files that compare words for kinds: what is about one kind, not about all, and formats, which have few
SAID = {
    "contact/pairs.py": {"free"},  # which trees float
    "control/whole_body/scenarios.py": {"free"},  # whether ground alone bears it
    "dynamics/arm_kinematics.py": {"revolute"},
    "formats/dh/links.py": {"fixed"},
    "formats/dh/row.py": {"revolute"},
    "formats/mjcf/actuator.py": {"fixed"},  # a kind of gain
    "formats/mjcf/body_text.py": {"free"},
    "formats/mjcf/equality.py": {"spherical"},  # a kind of loop
    "formats/mjcf/joint.py": {"free"},
    "formats/mjcf/keyframe.py": {"free", "spherical"},  # quaternions begin with w there
    "formats/sdf/scene.py": {"free", "spherical"},  # where bodies start
    "formats/mjcf/tree.py": {"free"},
    "formats/mjcf/writer.py": {"free"},
    "formats/other_layouts.py": {"free", "planar", "revolute", "spherical"},
    "formats/sdf/couplings.py": {"revolute"},
    "formats/sdf/joint_text.py": {"fixed", "helical", "revolute", "universal"},
    "formats/sdf/writer.py": {"fixed", "free", "x"},
    "formats/urdf/joint.py": {"fixed"},
    "formats/urdf/srdf.py": {"fixed"},
    "formats/urdf/writer.py": {"fixed", "free", "prismatic", "revolute"},
    "formats/usd/reader.py": {"fixed", "revolute", "spherical"},
    "locomotion/on_ground.py": {"free", "prismatic"},
    "locomotion/perfect_fluid.py": {"planar"},
    "locomotion/posture.py": {"revolute"},
    "locomotion/recorded.py": {"revolute"},  # degrees of a record
    "model/description.py": {"fixed"},
    "runs/netmotion.py": {"planar"},
    "view/frames.py": {"prismatic", "revolute"},
    "view/looks.py": {"revolute"},
}


def compared(path):
    """Names of numbers of kinds, and words for kinds, that a file compares something called kind with, or tells apart."""
    numbers, words = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare):
            inner = [leaf for side in (node.left, *node.comparators) for leaf in ast.walk(side)]
            names = {getattr(leaf, "id", getattr(leaf, "attr", "")) for leaf in inner}
            numbers |= names & {kind.__name__.split(".")[-1].upper() for kind in ELEMENTARY}
            if any("kind" in (getattr(leaf, "id", ""), getattr(leaf, "attr", "")) for leaf in inner):
                words |= {
                    leaf.value for leaf in inner if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
                } & WORDS.keys()
    return numbers, words


def test_other_files_compare_kinds_only_where_they_may():
    """A fast path for what most bodies hang by is a line of NUMBERS; whatever else asks for a kind asks `model.joints`."""
    numbers, words = {}, {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(("model/joints/", "model/flexible/", "constraints/")):
            continue  # ends of beams are free, too; loops have words of their own
        found = compared(path) if "FREE = " not in path.read_text() else (set(), compared(path)[1])
        numbers |= {name: found[0]} if found[0] else {}
        words |= {name: found[1]} if found[1] else {}
    assert numbers == NUMBERS
    assert words == SAID


def test_files_of_kinds_say_the_same_things():
    """Each elementary kind has what kernels cannot do without; each word has parts, slots and sizes that agree."""
    needed = {"NUMBER", "Q_COUNT", "AXES", "KIND", "motion", "twist", "project", "put_axes", "axis"}
    for kind in ELEMENTARY:
        assert not needed - vars(kind).keys(), kind.__name__
        assert [kind.axis(j) for j in range(len(kind.AXES))] == list(kind.AXES)
    for name, kind in WORDS.items():
        joint = Joint("j", name)
        parts, (q, v) = elementary(joint), kind.slots(joint)
        assert kind.name == name and kind.sizes == joint.sizes == (len(q), len(v))
        assert kind.sizes == (sum(Q_SIZE[n] for n, _ in parts), sum(V_SIZE[n] for n, _ in parts))
        assert kind.turns == any(axis > 2 for n, _ in parts for axis in AXES_OF_V[n])
        assert (kind.quaternion is not None) == (kind.sizes[0] > kind.sizes[1])
        assert name in str(Joint.__doc__)
        start = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        assert all(
            np.array_equal(motion(n, joint, start[-Q_SIZE[n] :] if kind.quaternion is not None else start), np.eye(4))
            for n, _ in parts
        )
    assert list(BASES) == ["fixed", "free", "planar", "x", "xy", "xyz", "rotation"]


def test_a_file_of_a_kind_is_all_that_there_is_to_it():
    """The table finds kinds by their files; all others are known as shared."""
    assert all(any(isinstance(value, Kind) for value in vars(file).values()) for file in FILES)
    assert {path.stem for path in (PACKAGE / "model" / "joints").glob("[!_]*.py")} == {
        file.__name__.rpartition(".")[2] for file in FILES
    } | SHARED


def test_no_file_asks_for_the_order_of_kinds():
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in path.read_text().splitlines()
        if BY_ORDER.search(line.split("#")[0])
    ]
    assert not found, found


def test_tables_have_an_entry_for_each_kind():
    assert len(AXES_OF_V) == len(KINDS) == len(set(KINDS))
    assert all(len(AXES_OF_V[kind]) == V_SIZE[kind] for kind in V_SIZE) and Q_SIZE.keys() == V_SIZE.keys()


def calls(topology, constants, q, v):
    """Status of every entry for one configuration that moves bodies, by name."""
    nv, still, frame = len(v), np.zeros_like(v), np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])
    out, square, six = np.zeros(nv), (lambda: np.zeros((nv, nv))), np.zeros(6)
    body = len(topology) - 2
    t = topology, constants
    named = np.array([body]), frame[None].copy()
    yield "inverse", forces.inverse_dynamics_one(*t, q, v, v, None, out)
    yield "forward", forces.forward_dynamics_one(*t, q, v, v, None, out)
    yield "mass", matrices.mass_matrix_one(*t, q, square())
    yield "coriolis", matrices.coriolis_matrix_one(*t, q, v, square())
    yield "inverse slopes", derivatives.inverse_dynamics_derivatives_one(*t, q, v, v, None, square(), square(), square())
    yield "forward slopes", derivatives.forward_dynamics_derivatives_one(*t, q, v, v, None, square(), square(), square())
    yield "poses", kinematics.forward_kinematics_one(*t, *named, q, np.zeros((1, 4, 4)))
    yield "jacobian", kinematics.jacobian_one(*t, body, frame, 0, q, np.zeros((6, nv)))
    yield "velocity", kinematics.velocity_one(*t, body, frame, 0, q, v, six)
    yield "momentum", momentum.momentum_matrix_one(*t, q, np.zeros((6, nv)))
    yield "momentum rate", momentum.momentum_rate_one(*t, q, v, still, None, six)
    yield "center", momentum.center_of_mass_one(*t, q, np.zeros(3))
    yield "kinetic", momentum.kinetic_energy_one(*t, q, v, np.zeros(1))
    yield "potential", momentum.potential_energy_one(*t, q, np.zeros(1))


@pytest.mark.parametrize("place", [0, 3])
def test_a_kind_that_nobody_knows_gives_no_number(place):
    """A body of an unknown kind, on the world or further out: each entry says that its results are no numbers."""
    model, rng = chain(4), np.random.default_rng(0)
    topology, q, v = model._topology.copy(), rng.normal(size=4), rng.normal(size=4)
    for name, status in calls(topology, model._constants, q, v):
        assert status == OK, name
    topology[place, KIND] = max(KINDS) + 1
    for name, status in calls(topology, model._constants, q, v):
        assert status == VALUE, name


def test_a_joint_of_an_unknown_kind_is_not_packed():
    joint = Joint("knee")
    object.__setattr__(joint, "kind", "hinged")
    with pytest.raises(ValueError, match="'knee' is of the kind 'hinged'"):
        elementary(joint)
