"""A robot file in both programs, and the maps between their coordinates.

Pinocchio orders joints by name within a parent and stores turns without limits as (cos, sin); twists, wrenches, free bases and
tangent vectors have the same meaning in both.
"""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin

import locomote as lo

SHARE = Path("share", "example-robot-data", "robots")
# no robot is in it
EMPTY = {"ur_description/urdf/ur3.urdf"}


def robots_folder():
    """The folder of the package example-robot-data, which is installed next to Pinocchio."""
    places = [above / SHARE for above in [*Path(pin.__file__).resolve().parents, Path(sys.prefix)]]
    found = next((place for place in places if place.is_dir()), None)
    assert found is not None, "the test dependency example-robot-data is not installed"
    return found


ROBOTS = robots_folder()
URDFS = [name for path in sorted(ROBOTS.rglob("*.urdf")) if (name := path.relative_to(ROBOTS).as_posix()) not in EMPTY]


@dataclass
class Pair:
    """The same robot twice; `order[k]` is the place in Pinocchio's v of slot k of ours."""

    ours: lo.Model
    theirs: pin.Model
    data: pin.Data
    order: np.ndarray
    joints: dict

    def q(self, q):
        """Our configuration as theirs."""
        result = pin.neutral(self.theirs)
        for name, joint in self.joints.items():
            view, value = self.ours.joint(name), q[self.ours.joint(name).q]
            if joint.nq != len(value):  # angles as points of a circle
                value = np.concatenate([value[:-1], [np.cos(value[-1]), np.sin(value[-1])]])
            assert joint.nv == view.v.stop - view.v.start
            result[joint.idx_q : joint.idx_q + joint.nq] = value
        return result

    def v(self, v):
        """Our velocity, acceleration or force as theirs."""
        result = np.zeros(self.theirs.nv)
        result[self.order] = v
        return result

    def back(self, array, axes=1):
        """Their vector, rows by v, or matrix over v (last `axes` axes), in our order."""
        array = np.array(array)[..., self.order]
        return array[..., self.order, :] if axes == 2 else array


@cache
def pair(name, base):
    """The robot of a file, on a fixed or a free base, in both programs."""
    path = ROBOTS / name
    ours = lo.load(path, base=base, mimic=False)
    return pair_of(ours, pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if base == "free" else [])))


def pair_of(ours, theirs):
    """The same robot in both programs."""
    theirs.gravity = pin.Motion(np.concatenate([ours.gravity, np.zeros(3)]))
    joints, order = {}, np.full(ours.nv, -1)
    for joint in ours.joint_names:
        other = theirs.joints[theirs.getJointId("root_joint" if joint == "base" else joint)]
        joints[joint] = other
        order[ours.joint(joint).v] = np.arange(other.idx_v, other.idx_v + other.nv)
    assert sorted(order) == list(range(theirs.nv))
    return Pair(ours, theirs, theirs.createData(), order, joints)
