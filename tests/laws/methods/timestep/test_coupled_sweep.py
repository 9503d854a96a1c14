"""Sweeps with coupled joints against dense matrices, and both ways of stepping against each other."""

from dataclasses import replace

import numpy as np
import pytest

import locomote as lo
from locomote.compiler.source import kernel
from locomote.kernels.contact_sweep import ACCELERATION, ANSWER, DOFS, EXTRA, ROWS, respond, sweep_inward, sweep_outward
from locomote.kernels.coupled_joints import GROUP, PUSH, PUSHES, RATIO, SINGLE, Coupled, push_of_coupling
from locomote.kernels.inverse_dynamics import WORK as NEWTON
from locomote.kernels.inverse_dynamics import Motion, Newton, Tree, carry_motion
from locomote.methods.integrators import timestep
from locomote.methods.timestep.coupled import groups_of
from locomote.model.columns import V
from locomote.model.joints import joint_sines


@kernel
def swept(
    topology, constants, q, v, zero, wrenches, sine, cosine, newton, loaded, extra, tau, D, rows, dofs, a, member, group,
    geared, grouped, push, b, wrench,
):  # fmt: skip
    coupled = Coupled(member, group, geared, grouped)
    joint_sines(topology, constants, q.shape[0], q, sine, cosine)
    carry_motion(Tree(topology, constants), Motion(q, v, zero), wrenches, Newton(sine, cosine, newton))
    sweep_inward(topology, constants, q, sine, cosine, coupled, wrenches, newton, loaded, extra, tau, D, rows, dofs)
    sweep_outward(topology, constants, q, sine, cosine, coupled, D, rows, dofs, a)
    for i in range(topology.shape[0] - 1):
        if member[i, GROUP] >= 0:
            push[topology[i, V]] = push_of_coupling(topology, constants, coupled, i, D, rows, ACCELERATION, dofs, a)
    single = (wrench[0], wrench[1], wrench[2], wrench[3], wrench[4], wrench[5])
    respond(topology, constants, q, sine, cosine, coupled, D, b, single, rows, dofs, 3)
    return 0


def hand(base, kinds=("revolute", "prismatic", "helical")):
    """A trunk, an arm, a palm on which two fingers hang that move as one, and a third one that has a master of its own."""
    rng = np.random.default_rng(11)
    builder = lo.Builder("hand", base=base)

    def body(name, parent, kind="revolute", **options):
        joint = None if parent is None else lo.Joint(f"j {name}", kind, axis=rng.normal(size=3), armature=0.01, **options)
        pose = np.eye(4)
        pose[:3, 3] = rng.normal(size=3) * 0.1
        inertia = lo.Inertia.box(rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.4, 3)).moved(pose)
        place = (0.0, 0.0, 0.0) if parent is None else rng.normal(size=3) * 0.3
        builder.body(name, parent=parent, joint=joint or (), inertia=inertia, at=place)

    body("trunk", None)
    body("arm", "trunk")
    body("palm", "arm")
    body("a", "palm")
    body("b", "a", kinds[1])
    body("tip", "b")  # below a group, on its own
    body("c", "palm", kinds[0])
    body("d", "palm")
    body("e", "d")
    body("other", "trunk")
    loose = builder.build()
    couplings = (
        lo.Coupling("j b", (("j a", 0.3),), 0.1), lo.Coupling("j c", (("j b", -2.0),)),
        lo.Coupling("j e", (("j d", 0.7),), -0.2),
    )  # fmt: skip
    return loose, lo.Model(replace(loose.description, couplings=couplings))


def packed_jacobian(model, q, name):
    """The row of a body in the packed model, and its Jacobian in the frame of that row."""
    index = model.body(name).index
    R, o = model.placement[index][:3, :3], model.placement[index][:3, 3]
    J = lo.jacobian(model, q, name, frame="local")
    linear, angular = R @ J[:3], R @ J[3:]
    return int(model.carrier[index]), np.vstack([linear + np.cross(o, angular, axisb=0).T, angular])


@pytest.mark.parametrize("base", ["free", "fixed"])
def test_coupled_joints_are_eliminated_as_one(base):
    loose, model = hand(base)
    groups = groups_of(lo.Locomotion(model).plan)
    assert groups is not None and len(groups.group) == 2 and len(groups.rows) == 3
    rng, nv, count = np.random.default_rng(4), loose.nv, len(loose.topology)
    C = model.coupling.v_matrix
    q, v = model._full_q(model.random(rng)), C @ rng.normal(size=model.nv)
    tau, D = rng.normal(size=nv), rng.uniform(0.1, 1.0, nv)
    loaded, extra = np.zeros(count, np.int64), np.zeros((count, EXTRA))
    M, force = lo.mass_matrix(loose, q) + np.diag(D), tau - lo.bias_force(loose, q, v)
    for name in ("palm", "b", "tip", "other"):
        B = rng.normal(size=(6, 6))
        block, wrench = B @ B.T, rng.normal(size=6)
        i, J = packed_jacobian(loose, q, name)
        loaded[i] = 1
        extra[i, :6], extra[i, 6:15] = block[:3, :3][np.triu_indices(3)], block[:3, 3:].ravel()
        extra[i, 15:21], extra[i, 21:] = block[3:, 3:][np.triu_indices(3)], wrench
        M, force = M + J.T @ block @ J, force + J.T @ wrench
    geared = np.zeros((count, PUSHES + SINGLE))
    geared[:, RATIO] = groups.ratios
    a, push, wrench = np.zeros(nv), np.zeros(nv), rng.normal(size=6)
    dofs, (b, J) = np.zeros((nv, DOFS)), packed_jacobian(loose, q, "tip")
    swept(
        np.array(loose.topology), np.array(loose.constants), q, v, np.zeros(nv), np.zeros((count, 6)), np.zeros(loose.nq),
        np.zeros(loose.nq), np.zeros((count, NEWTON)), loaded, extra, tau, D, np.zeros((count, ROWS)), dofs, a, groups.member,
        groups.group, geared, np.zeros((2, PUSH + 1)), push, b, wrench,
    )  # fmt: skip
    W = C @ np.linalg.solve(C.T @ M @ C, C.T)
    assert np.allclose(a, W @ force, rtol=1e-9, atol=1e-9)
    coupled = loose.topology[:-1, V][groups.member[:-1, GROUP] >= 0]
    assert np.allclose(push[coupled], (M @ a - force)[coupled], rtol=1e-9, atol=1e-9) and abs(push[coupled]).max() > 1e-3
    assert np.allclose(dofs[:, ANSWER + 3], W @ J.T @ wrench, rtol=1e-9, atol=1e-9)


def test_both_ways_of_stepping_agree_with_coupled_fingers(monkeypatch):
    """A gripper falls on its fingers and slides down a slope on them: motion, and forces of couplings. The ways take how bodies
    turn in a hit differently, by a part of the step."""
    builder = lo.Builder("gripper", base="free").body("palm", inertia=lo.Inertia.box(2.0, (0.2, 0.2, 0.1)))
    for k, (x, y) in enumerate([(0.1, 0.0), (-0.05, 0.08), (-0.05, -0.08)]):
        joint = lo.Joint(f"finger {k}", axis=(-y, x, 0.0), damping=0.01)
        rod = lo.Inertia.box(0.2, (0.02, 0.02, 0.2))
        builder.body(f"f{k}", parent="palm", at=(x, y, 0), joint=joint, inertia=rod)
    couplings = tuple(lo.Coupling(f"finger {k}", (("finger 0", ratio),), 0.02) for k, ratio in ((1, 1.0), (2, 0.9)))
    model = lo.Model(replace(builder.build().description, couplings=couplings))
    ground = lo.Ground(lo.Plane.slope(0.3), friction=0.1)
    contacts = [lo.Touch(f"f{k}", ground, sphere=0.01, at=(0, 0, -0.1)) for k in range(3)]
    problem = lo.Locomotion(model, contacts=contacts, springs={"finger 0": (3.0, -0.1, 0.05)})
    q = model.neutral()
    q[2] = 0.16
    options = {"method": "timestep", "step": 5e-4, "progress": False, "every": 0.02, "q": q}
    run = problem.simulate(1.0, **options)
    assert run.info["rejected"] < 0.3 * run.info["steps"] and run.audit.ok
    monkeypatch.setattr(timestep, "can_sweep", lambda plan: 0)
    other = problem.simulate(1.0, **options)
    assert other.info["evaluations"] == 0
    assert np.allclose(run.q, other.q, atol=2e-5)
    assert abs(run.v[-1, :3]).max() > 0.5 and (run.contact_forces[-1, :, 2] > 0.0).all()
    assert np.allclose(run.reactions, other.reactions, atol=1e-4) and abs(run.reactions[-1]).min() > 1e-3


@pytest.mark.parametrize(
    "couplings",
    [
        (lo.Coupling("j tip", (("j a", 0.3),)),),  # b, on its own, lies between
        (lo.Coupling("j e", (("j a", 0.3), ("j b", 1.0))),),  # three joints
        (lo.Coupling("j arm", (("j other", 1.0),)), lo.Coupling("j e", ())),  # one joint, held
    ],
)
def test_other_couplings_are_not_swept(couplings):
    loose, _ = hand("free")
    model = lo.Model(replace(loose.description, couplings=couplings))
    problem = lo.Locomotion(model, contacts=[lo.Touch("tip", lo.Ground(), sphere=0.05)])
    assert groups_of(problem.plan) is None and not timestep.can_sweep(problem.plan)
    assert timestep.can_sweep(lo.Locomotion(loose, contacts=problem.statement.contacts).plan)
