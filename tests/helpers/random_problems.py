"""Random problems, each from a seed: all joints, constraints, drives, functions, events, methods, as no user would mix them.

`python random_problems.py FIRST LAST` runs some and prints a line of JSON each; `python random_problems.py FIRST LAST 2` does
it in two processes that are watched, so that a crash or a hang is a result, too, and prints how many ended in which way.
"""

import collections
import json
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
from mechanisms import random_description

import locomote as lo

METHODS = ("adaptive", "rk4", "implicit", "variational")
DURATION = 0.25  # s
PATIENCE = 60.0  # s of computing, for one problem


def point(rng):
    return tuple(float(x) for x in rng.uniform(-0.4, 0.4, 3))


def swinging(t, q, v):
    return -0.5 * v + 0.1 * np.sin(3 * t)


def gust(body):
    return lambda t, q, v: {body: [np.sin(t), 0.2, -0.1, 0.05 * np.cos(t), 0.0, 0.0]}


def hills(x, y):
    return [0.1 * np.sin(x), 0.1 * np.cos(x), 0.0, -0.1 * np.sin(x), 0.0, 0.0]


def random_drive(rng):
    kind = rng.integers(6)
    if kind == 0:
        return lo.Sine(rng.uniform(0, 0.5), rng.uniform(0.5, 8.0), rng.uniform(0, 6), ramp=float(rng.choice([0.0, 0.1])))
    if kind == 1:
        return float(rng.uniform(-0.5, 0.5))
    if kind == 2:
        return lambda t: 0.2 * np.sin(2 * t)
    if kind == 3:
        return lo.Spline(np.linspace(0, 1, 6), 0.2 * rng.normal(size=6))
    if kind == 4:
        return lo.Cycloid(0.0, float(rng.uniform(-0.5, 0.5)), 0.2)
    return lo.Polynomial([0.0, 0.1, -0.3]) + lo.Sine(0.1, 5.0)


def random_surface(rng):
    kind = rng.integers(4)
    if kind == 0:
        return lo.Plane(point=point(rng), normal=tuple(rng.normal(size=3)))
    if kind == 1:
        return lo.Sphere(float(rng.uniform(0.5, 5.0)))
    if kind == 2:
        return lo.Cylinder(float(rng.uniform(0.5, 5.0)))
    return lo.HeightField(hills)


def random_constraint(rng, model, n):
    bodies = list(model.body_names)
    body = str(rng.choice(bodies))
    other = None if rng.random() < 0.6 else str(rng.choice([b for b in bodies if b != body] or [None]))
    kind = rng.integers(10)
    name = f"constraint {n}"
    if kind == 0:
        return lo.Blade(body, point(rng), tuple(rng.normal(size=3)), other, name=name)
    if kind == 1:
        letters = "".join(x for x in "xyz" if rng.random() < 0.6) or "z"
        return lo.PointContact(body, point(rng), directions=letters, other=other, name=name)
    if kind in (2, 3):
        directions, e = str(rng.choice(["z", "xyz", "xz"])), float(rng.choice([0.0, 0.5, 1.0]))
        target = None if rng.random() < 0.3 else (0.0, 0.0, float(rng.uniform(-2.0, 0.5)))
        return lo.PointContact(body, point(rng), target, directions, other, unilateral=True, restitution=e, name=name)
    if kind == 4:
        letters = str(rng.choice(["weld", "spherical", "revolute"]))
        return lo.LoopClosure(body, other, kind=letters, frame=point(rng), other_frame=point(rng), name=name)
    if kind == 5:
        return lo.SurfaceContact(body, point(rng), other=other, name=name)
    if kind == 6:
        return lo.Distance(body, other, point(rng), tuple(3.0 + x for x in point(rng)), name=name)
    if kind == 7:
        wheel = {"radius": float(rng.uniform(0.1, 0.5)), "axle": tuple(rng.normal(size=3)), "center": point(rng)}
        if rng.random() < 0.3:
            wheel = {"shape": lo.Ellipsoid(tuple(rng.uniform(0.1, 0.5, 3)))}
        letters = "".join(x for x in "fln" if rng.random() < 0.7) or "l"
        return lo.Rolling(body, surface=random_surface(rng), other=other, directions=letters, name=name, **wheel)
    single = [j for j in model.joint_names if model.joint(j).joint.sizes == (1, 1)]
    if kind == 8 and single:
        return lo.Coupled(
            {str(j): float(rng.normal()) for j in rng.choice(single, min(2, len(single)), replace=False)}, name=name
        )
    row = rng.normal(size=model.nv)
    return lo.Custom(rows=lambda t, q, v: row[None] * (1.0 + 0.1 * np.sin(t)), name=name)


def random_problem(seed):
    """A problem, and how to run it."""
    rng = np.random.default_rng([seed, 12])
    model = lo.Model(random_description(seed, bodies=int(rng.integers(1, 7)), coupled=rng.random() < 0.2))
    plain = [j for j in model.joint_names if model.joint(j).kind not in ("free", "planar", "spherical", "fixed")]
    whole = lo.Locomotion(model).model
    coupled = {c.joint for c in model.description.couplings}
    driven = [str(j) for j in plain if rng.random() < 0.25 and j not in coupled]
    drives = {j: [random_drive(rng) for _ in range(whole.joint(j).joint.sizes[1])] for j in driven}
    drives = {j: given if len(given) > 1 else given[0] for j, given in drives.items()}
    torques = None
    if rng.random() < 0.3:
        torques = swinging
    elif rng.random() < 0.4:
        free = [j for j in plain if j not in driven and whole.joint(j).joint.sizes[1] == 1]
        torques = {str(j): lo.Sine(1.0, 3.0) for j in free[:2]}
    springs = {str(j): (float(rng.uniform(0, 50)), 0.0, 0.1) for j in plain if rng.random() < 0.2}
    bodies = list(model.body_names)
    environment = [gust(bodies[-1])] if rng.random() < 0.2 else []
    if rng.random() < 0.2:
        environment.append(lo.Spring(bodies[-1], None, point(rng), (1.0, 1.0, 1.0), stiffness=10.0, length=0.5, damping=0.1))
    constraints = [random_constraint(rng, whole, n) for n in range(int(rng.choice([0, 0, 1, 1, 2, 3])))]
    problem = lo.Locomotion(
        model, drives=drives, torques=torques, springs=springs, environment=environment, constraints=constraints
    )
    how = {"method": str(rng.choice(METHODS, p=[0.5, 0.2, 0.15, 0.15])), "step": float(rng.choice([1e-3, 5e-3]))}
    how |= {"rtol": float(rng.choice([1e-6, 1e-9])), "projection": bool(rng.random() < 0.9)}
    if how["method"] in ("adaptive", "implicit"):
        how["step"] = None
    if rng.random() < 0.3:
        how["events"] = [lambda t, q, v, k=k: np.sin(20 * t + k) for k in range(int(rng.integers(1, 30)))]
    if rng.random() < 0.2:
        stop = lo.When(lambda t, q, v: t - 0.1, terminal=rng.random() < 0.5, then=lambda t, q, v: 0.9 * v, name="push")
        how["events"] = [*how.get("events", []), stop]
    if rng.random() < 0.3:
        how["every"] = 0.05
    start = {"q": problem.statement.model.random(rng), "v": 0.5 * rng.normal(size=problem.statement.model.nv)}
    return problem, how | start | {"start": "project"}


def outcome(seed, explaining=lambda: None, make=random_problem):
    """How a random problem ends, in a word, and the details; calls `explaining` before it looks for a cause."""
    try:
        problem, how = make(seed)
        run = problem.simulate(DURATION, progress=False, **how)
    except (lo.InconsistentStart, lo.ModelError) as error:
        return "refused", str(error)[:200]
    except lo.RunFailed as error:
        part = error.run
        sound = all(np.isfinite(getattr(part, x)).all() for x in ("t", "q", "v"))
        return ("failed" if sound else "NaN in a failed run"), str(error)[:200]
    except lo.LocomoteError as error:
        return "refused", str(error)[:200]
    except ValueError as error:  # a sentence of ours, not one of NumPy's
        ours = any(word in str(error) for word in ("constraint", "joint", "drives", "torques", "rod", "method"))
        return ("refused" if ours else "raw ValueError"), str(error)[:200]
    except Exception as error:
        return f"raw {type(error).__name__}", str(error)[:200]
    for name in ("t", "q", "v", "a", "tau", "reactions", "kinetic", "potential"):
        if not np.isfinite(getattr(run, name)).all():
            return "NaN without an error", f"{name}, {how['method']}"
    if not run.audit.ok:
        worst = [line for line in str(run.audit).splitlines() if "TOO LARGE" in line]
        text = f"{how['method']} step {how['step']} rtol {how['rtol']}: {' | '.join(worst)}"
        explaining()
        return explained(problem, how, run), text
    return "good", ""


def explained(problem, how, run):
    """Why an audit fails, measured.

    step too long : it passes with shorter steps, or all that fails shrinks with them
    no such motion : a run without projection, where projection finds that no motion meets drives and constraints
    pulls : a contact that sticks would have to pull, but would sink in without that, as the run says
    """
    failed = {check.name: check.value for check in run.audit.failed}
    finer = how | {"rtol": 1e-11, "atol": 1e-13, "projection": True}
    for part in (8, 64) if how["step"] else (1,):
        step = run.info["mean_step"] / part if how["step"] else None
        try:
            shorter = problem.simulate(DURATION, progress=False, **finer | {"step": step})
            audit = shorter.audit
        except lo.RunFailed as error:
            no_motion = any(words in str(error) for words in ("does not fit", "no motion meets", "jump again and again"))
            return "no such motion" if no_motion and not how["projection"] else "audit"
        shrinks = part > 1 and all(check.value < 1.5 / part * failed.get(check.name, 0.0) for check in audit.failed)
        if audit.ok or shrinks:
            return "step too long"
        if {check.name for check in audit.failed} == {"contacts that pull"} and any(e.kind == "pull" for e in shorter.events):
            return "pulls"
    return "audit"


def patient(seconds):
    """End this process by SIGPROF after so many seconds of computing from now: a busy computer is no hang."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def work(first, last, make=random_problem):
    warnings.simplefilter("ignore")
    for seed in range(first, last):
        print(json.dumps({"begins": seed}), flush=True)
        begun = time.perf_counter()
        patient(PATIENCE if seed > first else 5 * PATIENCE)  # the first ones compile
        kind, text = outcome(seed, lambda: patient(5 * PATIENCE), make)
        print(json.dumps({"seed": seed, "kind": kind, "text": text, "wall": time.perf_counter() - begun}), flush=True)


def watch(first, last, results, file=__file__):
    """Run seeds in a process, and in another one after each that died or hung."""
    while first < last:
        child = subprocess.Popen([sys.executable, file, str(first), str(last)], stdout=subprocess.PIPE, text=True)
        current = first
        for line in child.stdout:
            entry = json.loads(line)
            current = entry.get("begins", current)
            if "seed" in entry:
                results.append(entry)
                if entry["kind"] not in ("good", "refused"):
                    print(json.dumps(entry), flush=True)
        child.wait()
        if child.returncode == 0:
            return
        kind = "hang" if child.returncode == -signal.SIGPROF else "crash"
        results.append({"seed": current, "kind": kind, "text": f"exit code {child.returncode}", "wall": PATIENCE})
        print(json.dumps(results[-1]), flush=True)
        first = current + 1


def main(given, make=random_problem, file=__file__):
    first, last = int(given[0]), int(given[1])
    if len(given) < 3:
        work(first, last, make)
        return
    lists = [[] for _ in range(int(given[2]))]
    ends = np.linspace(first, last, len(lists) + 1).astype(int)
    threads = [
        threading.Thread(target=watch, args=(int(a), int(b), r, file)) for a, b, r in zip(ends, ends[1:], lists, strict=False)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results = [entry for entries in lists for entry in entries]
    print(collections.Counter(entry["kind"] for entry in results), "slowest", max(entry["wall"] for entry in results))


if __name__ == "__main__":
    main(sys.argv[1:])
