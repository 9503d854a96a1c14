"""What each kind of joint does, one file a kind: the one place that knows.

Models are packed so that every moving body hangs on its parent by one of six elementary joints, with its axis along z of
the body's own packed frame. All motion axes S are then unit vectors of that frame (a helical joint adds its pitch):

    kind        q                        v                      axes of v
    REVOLUTE    angle                    rate                   wz
    PRISMATIC   shift                    rate                   vz
    HELICAL     angle                    rate                   wz + pitch vz
    PLANAR      x, y, angle              body velocity          vx, vy, wz
    SPHERICAL   quaternion x, y, z, w    body angular velocity  wx, wy, wz
    FREE        position, quaternion     body twist             vx, vy, vz, wx, wy, wz
    FLEX        deformation of a body    its rate               none of its own: the frame is fixed to the parent
    ATTACHED    none                     none                   those of FLEX, in other shares at each station

Only the kernels of `kernels.flexible` know what the last two do.

`table` collects the files; `poses`, `motion` and `coordinates` have what kernels call, `paste` makes it from the files. A kind
of several elementary joints (cylindrical, universal ...) has a word, its parts and its sentences, and no compiled code.

The pose of a body in its parent is (R, o) = (R0, o0) times the joint's own motion, (R0, o0) being constants of the model. For
the first three kinds, the screws, R0 = Rz(fork) Rx(lean) Rz(start), as `frames` chose them, and `start` is part of the angle:
what the arrays `sine` and `cosine` hold is that of start + q.
"""

from locomote.model.joints.coordinates import (
    has_quaternion,
    is_flexible,
    joint_chart,
    joint_chart_rate,
    joint_coasting,
    joint_moved,
    joint_rate,
    joint_turned_back,
    past_place,
    quaternion_start,
)
from locomote.model.joints.free import free_motion
from locomote.model.joints.motion import (
    along_axis,
    axis_number,
    has_pitch,
    is_simple_screw,
    joint_force,
    joint_motion,
    joint_twist,
    moved_along,
    project,
    put_axes,
)
from locomote.model.joints.numbers import ATTACHED, FLEX, FREE, HELICAL, NAN, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL
from locomote.model.joints.poses import (
    in_line,
    is_screw,
    joint_pose,
    joint_sines,
    placed,
    screw_origin,
    twist_from_parent,
    twist_in_line,
    wrench_on_parent,
)
from locomote.model.joints.prismatic import prismatic_motion
from locomote.model.joints.revolute import revolute_motion
from locomote.model.joints.screws import screw_turn, wrench_over_screw
from locomote.model.joints.table import (
    AXES_OF_V,
    BASES,
    GROUPS,
    KINDS,
    NAMES,
    PLACES,
    Q_SIZE,
    SCREWS,
    V_SIZE,
    WORDS,
    elementary,
    has_rates,
    is_floating,
    motion,
    quaternion_of,
)

__all__ = [
    "ATTACHED", "AXES_OF_V", "BASES", "FLEX", "FREE", "GROUPS", "HELICAL", "KINDS", "NAMES", "NAN", "PLACES", "PLANAR",
    "PRISMATIC", "Q_SIZE", "REVOLUTE", "SCREWS", "SPHERICAL", "V_SIZE", "WORDS", "along_axis", "axis_number", "elementary",
    "free_motion", "has_pitch", "has_quaternion", "has_rates", "in_line", "is_flexible", "is_floating", "is_screw",
    "is_simple_screw", "joint_chart", "joint_chart_rate", "joint_coasting", "joint_force",
    "joint_motion", "joint_moved", "joint_pose", "joint_rate", "joint_sines",
    "joint_turned_back", "joint_twist", "motion", "moved_along", "past_place", "placed", "prismatic_motion", "project",
    "put_axes", "quaternion_of", "quaternion_start", "revolute_motion", "screw_origin", "screw_turn", "twist_from_parent",
    "twist_in_line", "wrench_on_parent", "wrench_over_screw",
]  # fmt: skip
