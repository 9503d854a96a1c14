"""Batches of models with rods on lanes beside one state after the other: `python benchmarks/rod_lanes.py`.

Microseconds a state, minima of alternating rounds; both fill the same arrays from the same states, in one thread.
"""

import time

import numpy as np

import locomote as lo
from locomote.dynamics import dispatch, flexible

STATES, ROUNDS = 1024, 15
LIMB = {"inertia": lo.Inertia(0.2, com=(0.05, 0.02, 0.01), moment=(1e-3, 2e-3, 2e-3))}


def models():
    """An arm of one rod, and a tree with rods inside and on each other."""
    arm = lo.Builder("arm").body("arm", flex=lo.Rod(0.5, strains="kirchhoff", order=3)).build()
    tree = (
        lo.Builder("tree", base="free")
        .body("trunk", inertia=lo.Inertia(1.0, moment=(0.1, 0.2, 0.25)))
        .body("tail", parent="trunk", joint=lo.Joint("root", axis="y"), flex=lo.Rod(0.3, order=2))
        .body("fin", parent="tail", along=0.2, joint=lo.Joint("hinge", axis="z"), **LIMB)
        .body("end", parent="tail", joint=lo.Joint("ball", "spherical"), **LIMB)
        .body("whip", parent="end", flex=lo.Rod(0.2, strains="all", order=1))
        .build()
    )
    return arm, tree


def main():
    usual = dispatch.few
    for model in models():
        rng = np.random.default_rng(0)
        q, v, a = model.random(rng, STATES), *rng.normal(size=(2, STATES, model.nv))
        calls = {
            "inverse dynamics": lambda m=model, q=q, v=v, a=a: lo.inverse_dynamics(m, q, v, a),
            "forward dynamics": lambda m=model, q=q, v=v, a=a: lo.forward_dynamics(m, q, v, a),
            "mass matrix": lambda m=model, q=q: lo.mass_matrix(m, q),
        }
        for name, call in calls.items():
            best, results = {}, {}
            for _ in range(ROUNDS):
                for way, few in (("one by one", lambda count: True), ("lanes", usual)):
                    flexible.few = few
                    start = time.perf_counter()
                    results[way] = call()
                    best[way] = min(best.get(way, np.inf), time.perf_counter() - start)
            flexible.few = usual
            one, many = (1e6 * best[way] / STATES for way in ("one by one", "lanes"))
            away = abs(results["lanes"] - results["one by one"]).max() / abs(results["one by one"]).max()
            print(f"{model.name} (nv {model.nv}) {name}: {one:.2f} / {many:.2f} us, {one / many:.1f} times; apart {away:.0e}")


if __name__ == "__main__":
    main()
