"""The Jacobian of a frame on a body of a tree with flexible bodies: forces on all coordinates of unit wrenches there."""

from locomote.compiler.source import routine
from locomote.kernels.flexible.motion import places_in_world, pull_world
from locomote.kernels.kinematics import LOCAL, WORLD, frame_pose
from locomote.spatial.algebra import add, angular, cross, join, linear, wrench_to_parent


@routine
def jacobian(tree, strain, nq, q, body, frame, kind, room, J):
    """Add to J (6, nv), which must be zero, that of a frame (12 numbers) on row `body`, seen as `kind` says."""
    steps, bodies, world = room.steps, room.bodies, tree.topology.shape[0] - 1
    places_in_world(tree, strain, nq, q, room)
    R, p = frame_pose(bodies, body, frame)
    for r in range(6):
        e = (1.0 * (r == 0), 1.0 * (r == 1), 1.0 * (r == 2), 1.0 * (r == 3), 1.0 * (r == 4), 1.0 * (r == 5))
        if kind == LOCAL:
            pull_world(tree, steps, bodies, body, world, wrench_to_parent(R, p, e), 1.0, J, r)
        elif kind == WORLD:
            pull_world(tree, steps, bodies, body, world, e, 1.0, J, r)
        else:
            e = join(linear(e), add(angular(e), cross(p, linear(e))))
            pull_world(tree, steps, bodies, body, world, e, 1.0, J, r)
