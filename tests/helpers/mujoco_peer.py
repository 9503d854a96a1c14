"""The same MJCF text in MuJoCo and here, and the maps between their coordinates.

MuJoCo writes quaternions w first, and gives a free body the velocity of its origin in world axes (its angular velocity in body
axes). So qvel = T(q) v, where T turns the linear part of free joints, and

    M = T^T M' T ,    qacc = T a + T' v ,    tau = T^T tau'           (primes: MuJoCo's)
"""

import mujoco
import numpy as np

import locomote as lo


class Pair:
    """A model in both programs; joints and bodies must have names."""

    def __init__(self, text):
        self.theirs = mujoco.MjModel.from_xml_string(text)
        self.ours = lo.Model(lo.read_mjcf(text))
        self.data = mujoco.MjData(self.theirs)
        assert (self.ours.nq, self.ours.nv) == (self.theirs.nq, self.theirs.nv)
        for name in self.ours.joint_names:  # both have tree order
            view, joint = self.ours.joint(name), self.theirs.joint(name)
            assert (joint.qposadr[0], joint.dofadr[0]) == (view.q.start, view.v.start)

    def quaternions(self):
        """Where in q the quaternions start, and where in v the linear velocities of free joints do (or None)."""
        for name in self.ours.joint_names:
            view = self.ours.joint(name)
            if view.kind in ("free", "spherical"):
                yield view.q.stop - 4, view.v.start if view.kind == "free" else None

    def qpos(self, q):
        result = np.array(q)
        for start, _ in self.quaternions():
            result[start : start + 4] = np.roll(q[start : start + 4], 1)
        return result

    def turn(self, q):
        """T."""
        T = np.eye(self.ours.nv)
        for start, place in self.quaternions():
            if place is not None:
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, np.roll(q[start : start + 4], 1))
                T[place : place + 3, place : place + 3] = R.reshape(3, 3)
        return T

    def drift(self, q, v):
        """T' v."""
        result, T = np.zeros(self.ours.nv), self.turn(q)
        for _, place in self.quaternions():
            if place is not None:
                V, w = v[place : place + 3], v[place + 3 : place + 6]
                result[place : place + 3] = T[place : place + 3, place : place + 3] @ np.cross(w, V)
        return result

    def set(self, q, v):
        """Put a state into MuJoCo's data, with nothing acting."""
        mujoco.mj_resetData(self.theirs, self.data)
        self.data.qpos[:] = self.qpos(q)
        self.data.qvel[:] = self.turn(q) @ v
        mujoco.mj_forward(self.theirs, self.data)

    def mass_matrix(self, q):
        """MuJoCo's, over our velocities."""
        self.set(q, np.zeros(self.ours.nv))
        M, T = np.zeros((self.ours.nv,) * 2), self.turn(q)
        full_mass(self.theirs, self.data, M)
        return T.T @ M @ T

    def bias_force(self, q, v):
        self.set(q, v)
        M = np.zeros((self.ours.nv,) * 2)
        full_mass(self.theirs, self.data, M)
        return self.turn(q).T @ (M @ self.drift(q, v) + self.data.qfrc_bias)

    def inverse_dynamics(self, q, v, a):
        """qfrc_inverse leaves out what springs and dampers provide; put back, so that it is the force of the motion alone."""
        self.set(q, v)
        self.data.qacc[:] = self.turn(q) @ a + self.drift(q, v)
        mujoco.mj_inverse(self.theirs, self.data)
        return self.turn(q).T @ (self.data.qfrc_inverse + self.data.qfrc_passive)

    def forward_dynamics(self, q, v, tau, wrenches):
        """With wrenches in body frames, which MuJoCo takes in world axes at the center of mass; springs and dampers act."""
        self.set(q, v)
        T = self.turn(q)
        self.data.qfrc_applied[:] = T @ tau  # T is orthogonal
        for name, wrench in wrenches.items():
            body = self.data.body(name)
            R = body.xmat.reshape(3, 3)
            force = R @ wrench[:3]
            moment = R @ wrench[3:] - np.cross(body.xipos - body.xpos, force)
            self.data.body(name).xfrc_applied[:] = np.concatenate([force, moment])
        mujoco.mj_forward(self.theirs, self.data)
        return T.T @ (self.data.qacc - self.drift(q, v))

    def passive_force(self, q, v):
        self.set(q, v)
        return self.turn(q).T @ self.data.qfrc_passive


def full_mass(model, data, M):
    """The dense mass matrix; versions of the program differ in the arguments."""
    if hasattr(data, "qM"):
        mujoco.mj_fullM(model, M, data.qM)
    else:
        mujoco.mj_fullM(model, data, M)
