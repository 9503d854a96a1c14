"""Fill the tables of modular-legged.md, on Shah, Saha and Dutt (2012): `python docs/papers/make_modular_legged.py`.

A test fills them again and compares. Numbers are printed with the digits that do not depend on the machine.
"""

from functools import partial
from pathlib import Path

import numpy as np
from make_denoc import general
from tables import filled, table

import locomote as lo

PAGE = Path(__file__).with_name("modular-legged.md")
SIZES = (6, 12, 30)
SOLVE = (92, 65)  # M and A of the accelerations of a base from its symmetric 6 x 6 equations, by L D L^T


def agreement() -> str:
    """The formulation against the recursions of the library, with a base that floats."""
    rows, rng = [], np.random.default_rng(0)
    for name in ("planar_biped", "quadruped", "hexapod"):
        model = lo.systems.load(name).model
        q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
        modules = lo.denoc.modularise(model)
        links = lo.denoc.at(model, q, v, modules=modules)
        M, f = lo.mass_matrix(model, q), lo.denoc.factor(links, level="module")
        found, tau = lo.denoc.floating_inverse_dynamics(links, a)
        other = lo.hybrid_dynamics(model, q, v, np.zeros(model.nv), a, model.joint_names[1:])
        back = lo.denoc.forward_dynamics(links, tau, level="module")
        off = [(f.U @ f.D @ f.U.T - M, M), (found - other[0], other[0]), (tau - other[1], other[1]), (back - found, found)]
        small = all(abs(x).max() < 1e-8 * abs(of).max() for x, of in off)
        rows.append([name, str(model.nv), str(len(modules)), "below 1e-8" if small else "more"])
    return table(["robot", "coordinates", "modules", "U D U^T, inverse and forward dynamics with a free base"], rows)


def walking() -> str:
    """The gaits under both laws, over 4 s."""
    rows = []
    for name, reported in (("planar_biped", "periodic, forward"), ("trotting_quadruped", "periodic, forward")):
        for control in ("computed torque", "feed-forward"):
            system = lo.systems.load(name, control=control)
            run = system.problem().simulate(4.0, progress=False)
            way, height = run.q[-1, 0] - run.q[0, 0], np.ptp(run.q[:, 1 if system.model.nv == 9 else 2])
            rows.append(
                [name, control, reported, f"{way:.1f} m in 4 steps of 0.3 m", f"{'below 0.1 m' if height < 0.1 else 'more'}"]
            )
    return table(["robot", "law", "paper", "ours: way of the trunk", "rise and fall of the trunk"], rows)


def counts() -> str:
    """Operations of chains on a free base, like for like."""
    rows = []
    for n in SIZES:
        chain = hartenberg(n)
        joints = tuple(chain.joint_names[1:])
        inverse, forward = (
            lo.operation_count(chain, "hybrid_dynamics", imposed=joints),
            lo.operation_count(chain, "forward_dynamics"),
        )
        for label, count, published in (
            ("inverse", inverse, (164 * n + 60, 156 * n + 66)),
            ("forward", forward, (209 * n + 60, 201 * n + 66)),
        ):
            m, a = count.multiplications + count.divisions, count.additions
            shown = [f"{x} M {y} A" for x, y in (published, (m, a), (m - SOLVE[0], a - SOLVE[1]))]
            more = [100 * ((x - s) / y - 1) for x, s, y in zip((m, a), SOLVE, published, strict=True)]
            rows.append([str(n), label, *shown, f"{more[0]:+.0f} %, {more[1]:+.0f} %"])
    shown = table(["joints", "", "published", "ours", "without solving for the base", "against the published"], rows)
    given, found = (slope(name) for name in ("inverse_dynamics", "hybrid_dynamics"))
    more = [x - y for x, y in zip(found, given, strict=True)]
    general, near = slope("hybrid_dynamics", floating), slope("hybrid_dynamics", partial(hartenberg, lean=0.1))
    return (
        f"{shown}\nA joint more costs {found[0]:.0f} M {found[1]:.0f} A (published: 164 M 156 A). Of these, inverse dynamics "
        f"with a base that moves as told takes {given[0]:.0f} M {given[1]:.0f} A (published, fixed base: 94 M 82 A), and "
        f"composite inertias with what the base adds {more[0]:.0f} M {more[1]:.0f} A (published: 70 M 74 A). Links that are "
        f"placed anyhow cost {general[0]:.0f} M {general[1]:.0f} A a joint, axes that are nearly parallel, but not quite, "
        f"{near[0]:.0f} M {near[1]:.0f} A.\n"
    )


def slope(name: str, make=None) -> tuple[float, float]:
    """M and A of one joint more, between 6 and 12 joints."""
    found = []
    for n in (6, 12):
        chain = (make or hartenberg)(n)
        given = {"imposed": tuple(chain.joint_names[1:])} if name == "hybrid_dynamics" else {}
        count = lo.operation_count(chain, name, **given)
        found.append((count.multiplications + count.divisions, count.additions))
    return (found[1][0] - found[0][0]) / 6, (found[1][1] - found[0][1]) / 6


def hartenberg(n: int, *, lean: float = 0.3) -> lo.Model:
    """A chain on a free base whose links are placed after Denavit and Hartenberg, modified, with any inertia.

    lean : rad, between the first two axes; a tenth of it more with each joint
    """
    rng, builder = np.random.default_rng(1), lo.Builder(f"free chain {n}", base="free")
    builder.body("base", inertia=lo.Inertia(1.0, (0.1, 0.2, -0.1), np.diag([0.1, 0.12, 0.15])))
    for k in range(n):
        (a, d), pose, turn = rng.normal(size=2), np.eye(4), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        c, s = np.cos(lean + 0.1 * lean * k), np.sin(lean + 0.1 * lean * k)
        pose[:3] = [[1, 0, 0, a], [0, c, -s, -s * d], [0, s, c, c * d]]
        inertia = lo.Inertia(1.0, tuple(0.1 * rng.normal(size=3)), turn @ np.diag([0.1, 0.12, 0.15]) @ turn.T)
        joint = lo.Joint(f"joint {k}", axis="z")
        builder.body(f"link {k}", parent=f"link {k - 1}" if k else "base", joint=joint, at=pose, inertia=inertia)
    return builder.build()


def floating(n: int) -> lo.Model:
    """The chain of the page on DeNOC, on a base that is free."""
    fixed = general(n)
    builder = lo.Builder(f"free chain {n}", base="free")
    builder.body("base", inertia=lo.Inertia(1.0, (0.1, 0.2, -0.1), np.diag([0.1, 0.12, 0.15])))
    for body in fixed.description.bodies:
        builder.body(body.name, parent=body.parent or "base", joint=body.joints, at=body.placement, inertia=body.inertia)
    return builder.build()


def orders() -> str:
    """Forward dynamics by recursion, and by factors of the mass matrix, in operations."""
    rows = []
    for n in (6, 12, 18, 24, 30, 48):
        chain = floating(n)
        size = n + 6
        mass, bias = (lo.operation_count(chain, name) for name in ("mass_matrix", "bias_force"))
        dense = sum(x.multiplications + x.divisions + x.additions for x in (mass, bias))
        dense += (size**3 - size) // 3 + 2 * size**2  # L D L^T and two triangles, M and A
        count = lo.operation_count(chain, "forward_dynamics")
        straight = count.multiplications + count.divisions + count.additions
        published = round(n**3 / 3 + 30.5 * n**2 + 336.17 * n + 228), 410 * n + 126
        rows.append([str(n), str(published[0]), str(published[1]), str(dense), str(straight), f"{straight / dense:.2f}"])
    head = ["joints", "published O(n^3)", "published O(n)", "ours, mass matrix and L D L^T", "ours, recursive", "ratio of ours"]
    return table(head, rows)


PARTS = {"agreement": agreement, "walking": walking, "counts": counts, "orders": orders}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE, PARTS), encoding="utf-8")
