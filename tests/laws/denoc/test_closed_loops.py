"""Subsystems of cut joints give what the constrained evaluation of a problem gives."""

import numpy as np
import pytest
from mechanisms import random_inertia, random_pose, relative

import locomote as lo


def ladder(seed, base="free", kinds=("revolute", "universal", "spherical", "prismatic"), count=3):
    """Loops in a row, each on the end of the one before, and links between them; their shapes are drawn until each closes."""
    rng = np.random.default_rng([seed, 9])
    builder = lo.Builder("ladder", base=base).body("b0", inertia=random_inertia(rng))
    closures, carrier = [], "b0"
    for k in range(count):
        for side in "lr":
            for step in (0, 1):
                parent = carrier if step == 0 else f"{side}{k}0"
                joint = lo.Joint(f"{side}{k}{step}j", str(rng.choice(kinds)), axis=tuple(rng.normal(size=3)), armature=0.1)
                builder.body(f"{side}{k}{step}", parent=parent, joint=joint, at=random_pose(rng), inertia=random_inertia(rng))
        closures.append((f"l{k}1", f"r{k}1", str(rng.choice(["x", "xy", "xyz", "ab", "yc", "xyzab", "bc"]))))
        builder.body(f"b{k + 1}", parent=f"l{k}0", joint=lo.Joint(f"j{k}", axis="y"), inertia=random_inertia(rng))
        carrier = f"b{k + 1}"
    return builder.build(), closures, rng


@pytest.mark.parametrize("base", ["free", "fixed", "planar"])
@pytest.mark.parametrize("seed", range(8))
def test_loops_in_a_row(seed, base):
    """Frames of the closures are put where the two ends are, so that any configuration is closed."""
    model, closures, rng = ladder(seed, base)
    q, poses = model.random(rng), None
    poses = lo.forward_kinematics(model, q)
    loops, cuts = [], []
    for body, other, held in closures:
        g, h = (poses[model.body_index(name)] for name in (body, other))
        frame = random_pose(rng)
        seen = np.linalg.inv(h) @ g @ frame
        loops.append(lo.LoopClosure(body, other, locked=held, frame=frame, other_frame=seen))
        cuts.append(lo.denoc.Cut(body, other, frame, seen, held))
    tau = rng.normal(size=model.nv)
    problem = lo.Locomotion(model, torques=lambda t, q, v: tau, constraints=loops)
    q, v = problem.initial(q, rng.normal(size=model.nv))
    links = lo.denoc.at(model, q, v, form="OC"[seed % 2])
    system = lo.denoc.closed_loops(links, cuts)
    assert relative(system.velocity_error, np.zeros(len(system.drift))) < 1e-10
    assert system.largest < model.nv or base == "fixed"
    ours, theirs = lo.denoc.closed_forward_dynamics(links, tau, cuts), problem.evaluate(0.0, q, v)
    assert relative(ours.a, theirs.a) < 1e-10
    missing = lo.inverse_dynamics(model, q, v, ours.a) - tau
    assert relative(system.J.T @ ours.reactions, missing) < 1e-10
    assert relative(system.J @ ours.a + system.drift, np.zeros(len(system.drift))) < 1e-10


def test_each_subsystem_alone():
    """Forty four-bar linkages in a row on one another: no matrix is larger than that of one."""
    from types import SimpleNamespace

    from locomote.systems.four_bar import closed

    p = SimpleNamespace(crank=0.038, output=0.1152, coupler=0.1152, base=0.0895)
    angles = closed(p, 0.3)
    builder, parent, cuts, loops = lo.Builder("row", gravity=(0, -9.81, 0)), None, [], []
    rod = {length: lo.Inertia(1.0, (length / 2, 0, 0), (1e-6, length**2 / 12, length**2 / 12)) for length in vars(p).values()}
    for k in range(12):
        start = (0.1, 0, 0) if parent else (0, 0, 0)
        for name, on, x, length in (
            ("a", parent, 0.0, p.crank),
            ("b", parent, p.base, p.output),
            ("c", f"b{k}", p.output, p.coupler),
        ):
            at = (x, 0, 0) if name == "c" else (start[0] + x, 0, 0)
            builder.body(f"{name}{k}", parent=on, at=at, joint=lo.Joint(f"{name}{k}"), inertia=rod[length])
        ends = {"frame": (p.crank, 0, 0), "other_frame": (p.coupler, 0, 0)}
        cuts.append(lo.denoc.Cut(f"a{k}", f"c{k}", held="xy", **ends))
        loops.append(lo.LoopClosure(f"a{k}", f"c{k}", locked="xy", **ends))
        parent = f"b{k}"
    model = builder.build()
    q, rng = np.tile(angles, 12), np.random.default_rng(0)
    problem = lo.Locomotion(model, constraints=loops)
    q, v = problem.initial(q, rng.normal(size=model.nv))
    links = lo.denoc.at(model, q, v)
    system = lo.denoc.closed_loops(links, cuts)
    assert system.largest == 3 and len(system.elements) == 12
    ours, theirs = lo.denoc.closed_forward_dynamics(links, np.zeros(model.nv), cuts), problem.evaluate(0.0, q, v)
    assert relative(ours.a, theirs.a) < 1e-8


def test_wrong_cuts():
    model = lo.systems.load("four_bar").model
    links = lo.denoc.at(model, model.neutral())
    with pytest.raises(ValueError, match="letters"):
        lo.denoc.closed_loops(links, [lo.denoc.Cut("crank", "coupler", held="xq")])
    with pytest.raises(ValueError, match="move as one"):
        lo.denoc.closed_loops(links, [lo.denoc.Cut("crank", "crank")])
    with pytest.raises(lo.UnknownName):
        lo.denoc.closed_loops(links, [lo.denoc.Cut("cranc")])
    with pytest.raises(ValueError, match="drive more"):
        lo.denoc.closed_inverse_dynamics(links, np.zeros(3), [lo.denoc.Cut("crank", held="c")], ["crank"])
