"""Accelerations of rows of loops against Pinocchio's constrained dynamics, which factors all of them at once."""

import numpy as np
import pinocchio as pin
import pytest
from mechanisms import random_inertia, random_pose, relative
from pinocchio_peer import pair_of

import locomote as lo
from locomote.evaluation.plan import LOCAL


def row_of_loops(seed, count, base, serial):
    """Loops of two legs of three revolute joints each, on one another or on one body; legs end in bodies l{k}2 and r{k}2."""
    rng = np.random.default_rng([seed, 13])
    builder, carrier = lo.Builder("loops", base=base).body("b0", inertia=random_inertia(rng)), "b0"
    for k in range(count):
        for side in "lr":
            for n in range(3):
                joint = lo.Joint(f"turn_{side}{k}{n}", axis=tuple(rng.normal(size=3)))
                parent = carrier if n == 0 else f"{side}{k}{n - 1}"
                builder.body(f"{side}{k}{n}", parent=parent, joint=joint, at=random_pose(rng), inertia=random_inertia(rng))
        carrier = f"l{k}1" if serial else carrier
    return builder.build(), rng


@pytest.mark.parametrize("serial", [True, False])
@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("count", [3, 12])
def test_rows_of_loops(count, base, serial, tmp_path):
    model, rng = row_of_loops(count, count, base, serial)
    path = tmp_path / "loops.urdf"
    lo.save(model, path)
    free = [pin.JointModelFreeFlyer()] if base == "free" else []
    model = lo.load(path, base=base)
    twin = pair_of(model, pin.buildModelFromUrdf(str(path), *free))
    q = model.random(rng)
    poses, loops = lo.forward_kinematics(model, q), []
    closures, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for k in range(count):
        ends = [f"l{k}2", f"r{k}2"]
        g, h = (poses[model.body_index(end)] for end in ends)
        frame = random_pose(rng)
        seen = np.linalg.inv(h) @ g @ frame
        loops.append(lo.LoopClosure(*ends, locked="xyz", frame=frame, other_frame=seen))
        frames = [twin.theirs.frames[twin.theirs.getFrameId(end)] for end in ends]
        places = [f.placement * pin.SE3(x) for f, x in zip(frames, (frame, seen), strict=True)]
        joints = [f.parentJoint for f in frames]
        closures.append(
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, twin.theirs, joints[0], places[0], joints[1], places[1], pin.ReferenceFrame.LOCAL
            )
        )
    tau = rng.normal(size=model.nv)
    problem = lo.Locomotion(model, torques=lambda t, q, v: tau, constraints=loops)
    problem.plan.options[LOCAL] = 1.0
    q, v = problem.initial(q, rng.normal(size=model.nv))
    ours = problem.evaluate(0.0, q, v).a
    data = twin.theirs.createData()
    datas.extend(c.createData() for c in closures)
    pin.initConstraintDynamics(twin.theirs, data, closures, datas)
    settings = pin.ProximalSettings(1e-14, 1e-14, 0.0, 20)
    theirs = pin.constraintDynamics(twin.theirs, data, twin.q(q), twin.v(v), twin.v(tau), closures, datas, settings)
    assert relative(twin.v(ours), theirs) < 1e-9
