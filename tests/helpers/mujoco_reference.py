"""A Description of an MJCF file against what MuJoCo's own compiler makes of the same file."""

import mujoco
import numpy as np
from formats_kinematics import body_poses, random_coordinates

KINDS = {
    mujoco.mjtJoint.mjJNT_FREE: "free",
    mujoco.mjtJoint.mjJNT_BALL: "spherical",
    mujoco.mjtJoint.mjJNT_SLIDE: "prismatic",
    mujoco.mjtJoint.mjJNT_HINGE: "revolute",
}


def compiled(text=None, path=None):
    return mujoco.MjModel.from_xml_path(str(path)) if path else mujoco.MjModel.from_xml_string(text)


def close(ours, theirs, what, scale=1.0):
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10 * scale, err_msg=what)


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def assert_same(description, model):
    """Everything that the Description says, compared with the compiled model; then poses at random coordinates."""
    assert model.nbody == len(description.bodies) + 1
    names = [None] + [body.name for body in description.bodies]
    for i, body in enumerate(description.bodies, start=1):
        assert model.body(i).name in ("", body.name)
        assert body.parent == names[model.body_parentid[i]]
        assert_same_joints(body, model, i)
        assert_same_inertia(body, model, i)
        if not (body.joints and body.joints[0].kind == "free"):
            close(body.placement[:3, 3], model.body_pos[i], f"position of {body.name}")
            close(body.placement[:3, :3], rotation(model.body_quat[i]), f"rotation of {body.name}")
    gravity = np.zeros(3) if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY else model.opt.gravity
    close(description.gravity, gravity, "gravity")
    assert_same_poses(description, model)


def assert_same_inertia(body, model, i):
    mass, com, moment = (0.0, np.zeros(3), np.zeros((3, 3)))
    if body.inertia is not None:
        mass, com, moment = body.inertia.mass, body.inertia.com, body.inertia.moment
    turn = rotation(model.body_iquat[i])
    theirs = turn @ np.diag(model.body_inertia[i]) @ turn.T
    close(mass, model.body_mass[i], f"mass of {body.name}", max(1.0, mass))
    close(moment, theirs, f"moment of {body.name}", max(1.0, np.abs(theirs).max()))
    if mass:
        close(com, model.body_ipos[i], f"center of mass of {body.name}")


def assert_same_joints(body, model, i):
    first, count = model.body_jntadr[i], model.body_jntnum[i]
    assert len(body.joints) == count
    for k, joint in enumerate(body.joints, start=first):
        assert KINDS[mujoco.mjtJoint(model.jnt_type[k])] == joint.kind
        assert model.joint(k).name in ("", joint.name)
        dofs = slice(model.jnt_dofadr[k], model.jnt_dofadr[k] + joint.sizes[1])
        close(joint.armature, 0.0 if joint.kind == "free" else model.dof_armature[dofs], "armature")
        close(joint.damping, model.dof_damping[dofs], "damping")
        close(joint.friction, model.dof_frictionloss[dofs], "friction")
        close(joint.stiffness, model.jnt_stiffness[k], "stiffness")
        if joint.kind != "free":
            close(joint.anchor, model.jnt_pos[k], "anchor")
        if joint.sizes == (1, 1):
            close(joint.axis, model.jnt_axis[k], "axis")
            close(joint.reference, model.qpos0[model.jnt_qposadr[k]], "reference")
            close(joint.rest, model.qpos_spring[model.jnt_qposadr[k]], "rest")
            limits = model.jnt_range[k] if model.jnt_limited[k] else (-np.inf, np.inf)
            close((joint.lower, joint.upper), limits, "limits")
            effort = max(abs(model.jnt_actfrcrange[k])) if model.jnt_actfrclimited[k] else np.inf
            close(joint.effort_limit, effort, "effort")


def assert_same_poses(description, model, seeds=2):
    data = mujoco.MjData(model)
    for seed in range(seeds):
        q = random_coordinates(description, np.random.default_rng(seed))
        joints = [joint for body in description.bodies for joint in body.joints]
        data.qpos[:] = np.concatenate([_scalar_first(q[joint.name]) for joint in joints]) if joints else []
        mujoco.mj_kinematics(model, data)
        poses = body_poses(description, q)
        for i, body in enumerate(description.bodies, start=1):
            close(poses[body.name][:3, 3], data.xpos[i], f"place of {body.name}", 10.0)
            close(poses[body.name][:3, :3], data.xmat[i].reshape(3, 3), f"attitude of {body.name}")


def _scalar_first(q):
    q = np.atleast_1d(q)
    return q if len(q) == 1 else np.concatenate([q[:-4], q[-1:], q[-4:-1]])
