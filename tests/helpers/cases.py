"""The published numbers, and short ways to say the mechanisms that they belong to."""

import json

import numpy as np
from places import DATA
from scipy.integrate import solve_ivp

import locomote as lo


def numbers(name):
    """A file of published numbers, with its source."""
    return json.loads((DATA / f"{name}.json").read_text())


def close(ours, theirs, tolerance):
    """Whether two arrays agree, relative to the largest entry or to one."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape
    return np.max(abs(ours - theirs), initial=0.0) <= tolerance * max(1.0, np.max(abs(theirs), initial=0.0))


def turned(axis, angle, shift=(0.0, 0.0, 0.0)):
    """A pose: a turn about x, y or z of the outer frame at a place."""
    c, s, k = np.cos(angle), np.sin(angle), "xyz".index(axis)
    pose = np.eye(4)
    i, j = (k + 1) % 3, (k + 2) % 3
    pose[i, i], pose[i, j], pose[j, i], pose[j, j] = c, -s, s, c
    pose[:3, 3] = shift
    return pose


def modified_dh(alpha, a, d=0.0):
    """Where a link of a modified table (Craig) hangs at angle zero: Rot_x(alpha) Trans_x(a) Trans_z(d)."""
    return turned("x", alpha, (a, 0, 0)) @ turned("z", 0.0, (0, 0, d))


def standard_dh(theta, d, a, alpha):
    """The pose of a link frame of a standard table: Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha)."""
    return turned("z", theta, (0, 0, d)) @ turned("x", alpha, (a, 0, 0))


def standard_joint(name, kind, pose):
    """The joint of a standard table: about or along z of the frame before, seen from the link's own frame."""
    R = pose[:3, :3]
    return lo.Joint(name, kind, axis=tuple(R[2]), anchor=tuple(-R.T @ pose[:3, 3]))


def central(mass, com, about_origin):
    """An inertia from a moment about the frame's origin."""
    c = np.asarray(com, dtype=float)
    return lo.Inertia(mass, com, np.diag(about_origin) - mass * (c @ c * np.eye(3) - np.outer(c, c)))


def rod(mass, length, start=0.0):
    """A slender rod along x that begins at `start`."""
    moment = mass * length**2 / 12
    return lo.Inertia(mass, (start + length / 2, 0, 0), (0.0, moment, moment))


def motion(model, q, v, times, force=None):
    """(q, v) at some times of a free motion, by an adaptive integrator at the limit of double precision."""
    quaternions = [model.joint(n).q.stop - 4 for n in model.joint_names if model.joint(n).kind in ("free", "spherical")]
    assert all(model.joint(n).kind not in ("free", "planar") for n in model.joint_names)

    def rate(t, y):
        q, v = np.array(y[: model.nq]), y[model.nq :]
        for start in quaternions:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        tau = np.zeros(model.nv) if force is None else force(t, q, v)
        return np.concatenate([speed(model, q, v), lo.forward_dynamics(model, q, v, tau)])

    run = solve_ivp(rate, (0.0, times[-1]), np.concatenate([q, v]), "DOP853", times, rtol=1e-12, atol=1e-13)
    assert run.success
    return run.y[: model.nq].T, run.y[model.nq :].T


def speed(model, q, v):
    """q' from v, for plain and spherical joints."""
    result = np.zeros(model.nq)
    for name in model.joint_names:
        view = model.joint(name)
        if view.kind == "spherical":
            (x, y, z, w), (a, b, c) = q[view.q], v[view.v]
            result[view.q] = 0.5 * np.array(
                [w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a, -x * a - y * b - z * c]
            )
        else:
            result[view.q] = v[view.v]
    return result


def cycloid(start, end, T, t):
    """Position, velocity and acceleration from rest to rest in time T."""
    start, end, w = np.asarray(start, dtype=float), np.asarray(end, dtype=float), 2 * np.pi / T
    s, ds, dds = t / T - np.sin(w * t) / (2 * np.pi), (1 - np.cos(w * t)) / T, w * np.sin(w * t) / T
    return start + (end - start) * s, (end - start) * ds, (end - start) * dds
