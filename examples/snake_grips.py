"""A snake between pegs, and a snake in a tree: what it presses with that does not move it, chosen.

Both touch the world at more places than their motion needs, so reactions and torques of one motion are many (Boyer and
Belkhiri, remark 7). Pegs and branches only push, skin slips beyond a friction cone, muscles have a limit: `problem.reactions`
finds what is possible, with the least torque, and says when nothing is.
"""

import common
import numpy as np

import locomote as lo

LINKS, LENGTH, MASS = 12, 0.1, 0.08  # m, kg of each link
SPEED = 0.15  # m/s, along itself, between the pegs
WIDTH = 0.015  # m, half of the body
BRANCHES = {0: 0.5, 3: 0.3, 7: 0.6, 11: 0.2}  # link -> lean of the branch under it, rad
PEGS = {1: -1.0, 2: 1.0, 4: -1.0, 5: 1.0, 7: -1.0, 8: 1.0, 10: -1.0}  # link -> side on which a peg stands by it


def links(builder: lo.Builder, joints) -> lo.Builder:
    """A chain along -x of the first link; joints : of link k to the one before it."""
    rod = lo.Inertia(MASS, (-LENGTH / 2, 0, 0), MASS * LENGTH**2 / 12 * np.diag([0.1, 1.0, 1.0]))
    for k in range(LINKS):
        at = (0, 0, 0) if k == 0 else (-LENGTH, 0, 0)
        builder.body(f"link {k}", parent=None if k == 0 else f"link {k - 1}", joint=joints(k), at=at, inertia=rod)
    return builder


def between_pegs() -> tuple[lo.Locomotion, np.ndarray, np.ndarray, dict[str, float]]:
    """A planar snake that slides along between pegs. Returns problem, q, v and the sides of the pegs."""
    builder = lo.Builder("snake between pegs", gravity=(0, 0, 0)).body("ground")
    rod = lo.Inertia(MASS, (-LENGTH / 2, 0, 0), MASS * LENGTH**2 / 12 * np.diag([0.1, 1.0, 1.0]))
    builder.body("link 0", parent="ground", joint=lo.Joint("base", "planar"), inertia=rod)
    for k in range(1, LINKS):
        joint = lo.Joint(f"joint {k}")
        builder.body(f"link {k}", parent=f"link {k - 1}", joint=joint, at=(-LENGTH, 0, 0), inertia=rod)
    model = builder.build()
    angles = 0.55 * np.sin(2 * np.pi * np.arange(LINKS) / 6.0)
    q = np.concatenate([[0, 0, 0.6], angles[1:]])
    poses = lo.forward_kinematics(model, q)
    pegs, sides = [], {}
    for n, (k, side) in enumerate(PEGS.items()):
        place = (poses[k + 1] @ [-LENGTH / 2, side * WIDTH, 0, 1])[:3]
        held = {"target": (0, side * WIDTH, 0), "directions": "y", "other": f"link {k}", "name": f"peg {n}"}
        pegs.append(lo.PointContact("ground", tuple(place), **held))
        sides[f"peg {n}"] = side  # reactions act on the ground: along y of the link if the peg is to its left
    free = lo.Locomotion(model, constraints=pegs)
    A, _, _, _ = free.rows(0.0, q)
    along = np.vstack([A, np.eye(model.nv)[0]])
    v = np.linalg.lstsq(along, np.append(np.zeros(len(A)), SPEED), rcond=None)[0]  # slides by the pegs, forward
    a = np.linalg.lstsq(A, -free.rows(0.0, q, v)[1], rcond=None)[0]  # and goes on to
    drives = {f"joint {k}": lo.Polynomial([q[k + 2], v[k + 2], a[k + 2] / 2]) for k in range(1, LINKS)}
    return lo.Locomotion(model, drives=drives, constraints=pegs, name="snake between pegs"), q, v, sides


def in_a_tree() -> tuple[lo.Locomotion, np.ndarray, np.ndarray]:
    """A snake at rest over four branches that lean; its joints bend up and down and sideways. Returns problem, q, v."""
    joints = lambda k: lo.Joint("base", "free") if k == 0 else lo.Joint(f"joint {k}", "universal")  # noqa: E731
    model = links(lo.Builder("snake in a tree"), joints).build()
    q = model.neutral()
    q[7:] = 0.25 * np.random.default_rng(3).normal(size=len(q) - 7)
    branches, poses, under = [], lo.forward_kinematics(model, q), (-LENGTH / 2, 0, -WIDTH)
    for n, (k, lean) in enumerate(BRANCHES.items()):
        pose, (c, s) = np.eye(4), (np.cos(lean), np.sin(lean))
        pose[:3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]  # z, off the bark, leans along x
        pose[:3, 3] = (poses[k] @ [*under, 1])[:3]
        branches.append(lo.LoopClosure(f"link {k}", None, locked="xyz", frame=under, other_frame=pose, name=f"branch {n}"))
    imposed = {}
    for k in range(1, LINKS):
        part = model.joint(f"joint {k}").q
        imposed |= {(f"joint {k}", j): float(q[part.start + j]) for j in range(part.stop - part.start)}
    problem = lo.Locomotion(model, drives=imposed, constraints=branches, name="snake in a tree")
    return problem, q, np.zeros(model.nv)


def least_friction(problem: lo.Locomotion, q, v, **options) -> float:
    """The smallest coefficient with which it can stay, by bisection: below it there are no reactions."""
    low, high = 0.0, 4.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        try:
            problem.reactions(0.0, q, v, friction=middle, **options)
            high = middle
        except lo.NoReactions:
            low = middle
    return high


def main(given: list[str] | None = None) -> dict:
    """Choose in four ways, draw."""
    options = common.arguments(__doc__, given)
    problem, q, v, sides = between_pegs()
    norm = problem.evaluate(0.0, q, v)
    push = problem.reactions(0.0, q, v, unilateral=sides)
    least = problem.reactions(0.0, q, v, unilateral=sides, choose="least_torque")
    signs = np.array(list(sides.values()))
    pulls = float(-(signs * norm.reactions).min())
    efforts = [float(np.linalg.norm(now.tau[problem.imposed])) for now in (norm, push, least)]
    print(
        f"between pegs: reactions of least norm pull with {pulls * 1e3:.2f} mN; torques of least norm of reactions, of pushing"
    )
    print(f"  reactions, of pushing reactions with the least torque: {', '.join(f'{1e3 * x:.3f} mN m' for x in efforts)}")
    tree, place, rest = in_a_tree()
    names = [branch.title for branch in tree.constraints]
    needed = least_friction(tree, place, rest, unilateral=names)
    relaxed = tree.reactions(0.0, place, rest, unilateral=names, friction=1.2 * needed, choose="least_torque")
    firm = tree.reactions(0.0, place, rest, unilateral=names, friction=1.2 * needed)
    hold = [float(np.linalg.norm(now.tau[tree.imposed])) for now in (firm, relaxed)]
    print(f"in a tree: friction {needed:.4f} is needed; torques {hold[0]:.4f} N m with least reactions, {hold[1]:.4f} at least")
    draw(options.out / "snake_grips.png", (problem, q, least), (tree, place, relaxed))
    result = {"pull": pulls, "efforts": efforts, "friction": needed, "hold": hold}
    common.save(options.out, "snake_grips", result | {"pegs": signs * least.reactions, "branches": relaxed.reactions})
    return result


def draw(file, pegs, tree) -> None:
    """Both snakes with the forces on them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    problem, q, now = pegs
    poses = lo.forward_kinematics(problem.model, q)[1:]
    line = np.array([*(p[:3, 3] for p in poses), (poses[-1] @ [-LENGTH, 0, 0, 1])[:3]])
    axes[0].plot(line[:, 0], line[:, 1], "-o", ms=3)
    for contact, force in zip(problem.constraints, now.reactions, strict=True):
        pose = poses[int(contact.other.split()[1])]
        d = -0.15 * force / max(abs(now.reactions)) * pose[:2, 1]
        axes[0].plot(*contact.point[:2], "ks", ms=5)
        axes[0].annotate("", np.array(contact.point[:2]) + d, contact.point[:2], arrowprops={"arrowstyle": "->", "color": "C3"})
    axes[0].set(title="pegs push, with the least torque", xlabel="x in m", ylabel="y in m", aspect="equal")
    problem, q, now = tree
    poses = lo.forward_kinematics(problem.model, q)
    line = np.array([*(p[:3, 3] for p in poses), (poses[-1] @ [-LENGTH, 0, 0, 1])[:3]])
    axes[1].plot(line[:, 0], line[:, 2], "-o", ms=3)
    for contact, force in zip(problem.constraints, now.reactions.reshape(-1, 3), strict=True):
        point = contact.other_frame[:3, 3]
        axes[1].plot(point[0], point[2], "ks", ms=5)
        end = (point + 0.03 * contact.other_frame[:3, :3] @ force)[[0, 2]]
        axes[1].annotate("", end, point[[0, 2]], arrowprops={"arrowstyle": "->", "color": "C3"})
    axes[1].set(title="in a tree, from the side", xlabel="x in m", ylabel="z in m", aspect="equal")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
