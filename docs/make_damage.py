"""Write the table of which check of an audit sees which damage: `python docs/make_damage.py`.

Runs of several kinds are damaged column by column; `tests/contracts/runs/audit/test_damage.py` does the same with fewer
samples, and wants every damage to be seen by the deep audit.
"""

import collections
from dataclasses import replace
from pathlib import Path

import numpy as np

import locomote as lo
from locomote.methods.recorded import FIELDS

HERE = Path(__file__).parent
SAMPLES = 60
ERRORS = ("residual", "position_residual")  # which are all rounding in a good run
NAMES = {"work": "work of a source", "energies": "energy of a force term", "loads": "force of a term"}


# runs


def swing(**options):
    """Two links in water with a spring, driven and passive."""
    link = lo.Inertia(1.0, (0, 0, -0.4), 0.05 * np.eye(3))
    builder = lo.Builder("links").body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=link)
    builder.body("lower", parent="upper", at=(0, 0, -0.8), joint=lo.Joint("elbow", axis="y", damping=0.1), inertia=link)
    return lo.Locomotion(builder.build(), **options)


def in_water():
    water = lo.Fluid(1000.0, 1e-3, lo.water.Uniform((0.3, 0.0, 0.0)))
    forces = [
        lo.Spring("lower", None, (0, 0, -0.8), (0.5, 0, -1.4), stiffness=15.0, length=0.4, damping=0.3, name="cord"),
        lo.Buoyancy("lower", water, volume=2e-4, name="float"),
        lo.Drag("lower", water, 0.02, name="drag"),
    ]
    return swing(environment=forces, torques={"shoulder": lo.Sine(1.0, 4.0)}), {"q": [0.5, -0.3]}


def arm():
    rod = lo.Rod(0.4, lo.Section.circle(0.01), lo.Material(1100, 1e6, damping=0.02), strains="bending", order=2)
    model = lo.Builder("arm").body("arm", flex=rod).body("tip", parent="arm", inertia=lo.Inertia(0.02)).build()
    tendon = lo.Tendon("arm", ((0, 0.008, 0), (0.4, 0.008, 0)), lo.Sine(0.5, 3.0, offset=0.5, ramp=0.5), name="tendon")
    return lo.Locomotion(model, actuators=[tendon]), {"rtol": 1e-7}


def tumbling():
    builder = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.06)))
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("box", lo.Ground(friction=0.3), box=(0.1, 0.05, 0.03))])
    return problem, {"q": [0, 0, 0.3, 0, 0, 0, 1], "v": [1.5, 0.2, 0, 3.0, 1.0, 2.0], "step": 1e-3}


def bouncing():
    builder = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1))
    floor = lo.PointContact("ball", target=(0, 0, 0), directions="z", unilateral=True, restitution=0.6)
    return lo.Locomotion(builder.build(), constraints=[floor]), {"q": [0, 0, 0.3], "v": [0.3, 0, 0]}


def of_catalogue(name):
    system = lo.systems.load(name)
    q, v = system.initial
    return system.problem(), {"q": q, "v": v}


KINDS = {
    "a heavy top": (lambda: of_catalogue("heavy_top"), 0.3),
    "a snakeboard": (lambda: of_catalogue("snakeboard"), 3.0),
    "a four-bar": (lambda: of_catalogue("four_bar"), 2.0),
    "links in flowing water": (in_water, 2.0),
    "links held by PD at ticks": (lambda: (swing(torques=lo.PD({"elbow": lo.Sine(0.4, 3.0)}, 20.0, 2.0, every=0.01)), {}), 2.0),
    "links that a servo moves": (lambda: (swing(torques=lo.Servo({"elbow": lo.Sine(0.4, 3.0)}, 20.0, 2.0)), {}), 2.0),
    "a soft arm with a tendon": (arm, 2.0),
    "Purcell's swimmer": (lambda: of_catalogue("purcell_swimmer"), 2.0),
    "a box that falls on the ground": (tumbling, 0.5),
    "a ball that bounces": (bouncing, 0.8),
}


def run_of(kind: str, samples: int = SAMPLES):
    """A good run of a kind."""
    made, duration = KINDS[kind]
    problem, how = made()
    return problem.simulate(duration, every=duration / samples, progress=False, **how)


# damages


def scaled(x):
    """2 % more."""
    return 1.02 * x


def one_row(x):
    """One sample off by a third of the span of the column."""
    x, row = np.array(x), len(x) // 2 + 1
    x[row] += 0.3 * np.ptp(x, axis=0).max()
    return x


def late(x):
    """Rows a sample late, from the middle on."""
    x, half = np.array(x), len(x) // 2
    x[half + 1 :] = x[half:-1]
    return x


DAMAGES = {"2 % too large": scaled, "one sample off": one_row, "a sample late": late}


def columns_of(run) -> dict[tuple[str, str], np.ndarray]:
    """Fields of a run but t that are not all the same, by name, and by source or force term."""
    found = {}
    for field in FIELDS:
        table = getattr(run, field.name)
        if field.name not in ("t", *ERRORS):
            found |= {(field.name, name): x for name, x in (table.items() if field.by else [("", table)])}
    return {name: x for name, x in found.items() if x.size and np.ptp(x, axis=0).max() > 1e-9 * (1 + abs(x).max())}


def with_column(run, field: str, name: str, x):
    """A run with another column."""
    return replace(run, **{field: {**getattr(run, field), name: x} if name else x})


def damaged(run):
    """(column, damage, run) of all damages of a run."""
    for (field, name), x in columns_of(run).items():
        for damage, change in DAMAGES.items():
            changed = change(x)
            if field == "q":
                changed = run.model.normalize(changed)
                if abs(run.model.difference(x, changed)).max() < 1e-9:  # lengths of quaternions alone
                    continue
            if not np.array_equal(changed, x):
                yield NAMES.get(field, f"`{field}`"), damage, with_column(run, field, name, changed)
    for name in ERRORS if run.constraint_labels else ():
        yield f"`{name}`", "one sample off", replace(run, **{name: getattr(run, name) + 1e-3 * (run.t == run.t[5])})
    half, shifted = len(run) // 2, np.array(run.t)
    shifted[half:] += 2.5 * (run.t[1] - run.t[0])
    yield "`t`", "times moved from the middle on", replace(run, t=shifted)
    yield "`t`", "five samples cut out", cut(run, np.r_[: half - 5, half : len(run)])


def cut(run, rows):
    """A run of some of its samples."""
    parts = {}
    for field in FIELDS:
        table = getattr(run, field.name)
        parts[field.name] = {name: x[rows] for name, x in table.items()} if field.by else table[rows]
    return replace(run, **parts)


# the table


def seen(run) -> tuple[list[str], list[str]]:
    """Names of the checks that fail, of the audit and of the deep one."""
    return tuple([check.name for check in audit.failed] for audit in (run.audit, run.audit.deep()))


def main():
    found = collections.defaultdict(lambda: {"audit": 0, "deep": 0, "runs": 0, "checks": collections.Counter()})
    for kind in KINDS:
        run = run_of(kind)
        assert run.audit.ok and run.audit.deep().ok, run.audit.deep()
        for column, damage, wrong in damaged(run):
            first, deep = seen(wrong)
            row = found[column, damage]
            row["runs"], row["audit"], row["deep"] = row["runs"] + 1, row["audit"] + bool(first), row["deep"] + bool(deep)
            row["checks"].update({"force of a term" if name.startswith("force ") else name for name in deep})
            if not deep:
                print(f"not seen: {column}, {damage}, {kind}")
        print(kind, flush=True)
    (HERE / "damage.md").write_text(page(found))


def page(found) -> str:
    """The page of the docs."""
    lines = ["| column | damage | seen by | audit | deep audit |", "|---|---|---|---|---|"]
    for (column, damage), row in sorted(found.items(), key=lambda item: item[0]):
        most = ", ".join(name for name, _ in row["checks"].most_common(4))
        more = f" and {len(row['checks']) - 4} more" if len(row["checks"]) > 4 else ""
        lines.append(
            f"| {column} | {damage} | {most}{more} | {row['audit']} of {row['runs']} | {row['deep']} of {row['runs']} |"
        )
    names = list(KINDS)
    return PAGE.format(
        count=len(names), names=f"{', '.join(names[:-1])} and {names[-1]}", samples=SAMPLES, table="\n".join(lines)
    )


PAGE = """# What an audit sees

`python docs/make_damage.py` runs {names}, with {samples} intervals
of samples each, damages one column at a time, and writes down which checks of the audit fail: in how many of these runs in
`run.audit`, and in how many in `run.audit.deep()`, which looks at every sample and repeats every interval from the sample
before it. The deep audit sees every damage in every run; `tests/contracts/runs/audit/test_damage.py` keeps it so.

{table}
"""

if __name__ == "__main__":
    main()
