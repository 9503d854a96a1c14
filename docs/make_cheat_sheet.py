"""The cheat sheet, one printed page: `python docs/make_cheat_sheet.py` writes docs/cheat-sheet.pdf.

Its lines are a program: a test runs them in this order, so that none is wrong.
"""

import hashlib
from pathlib import Path

PATH = Path(__file__).parent / "cheat-sheet.pdf"
TITLE = "locomote on one page"
FOOT = "SI units, rad. q: x y z qx qy qz qw of a free base, then joints. v, a: linear, then angular, in the body. z is up."
SHEET = {  # part -> lines: Python, or "$ command"
    "Start": """
import numpy as np
import locomote as lo
$ locomote list --find wheel
$ locomote run snakeboard --set amplitude=0.5
$ locomote studio
$ locomote view robot.urdf
""",
    "A model": """
link = lo.Inertia.box(1.0, (0.4, 0.1, 0.1))
arm = lo.Builder("arm", base="fixed")
arm.body("one", joint=lo.Joint("a", axis="y"), inertia=link)
arm.body("two", parent="one", at=(0.4, 0, 0),
         joint=lo.Joint("b", axis="y"), inertia=link)
model = arm.build()
lo.save(model, "arm.urdf")
model = lo.load("arm.urdf")     # also MJCF, SDF, DH
model.layout()                  # every slot of q and v
""",
    "Functions of a model": """
q, v, a = np.ones(2), np.ones(2), np.zeros(2)
tau = lo.inverse_dynamics(model, q, v, a)
a = lo.forward_dynamics(model, q, v, tau)
M = lo.mass_matrix(model, q)
T = lo.forward_kinematics(model, q)     # (bodies, 4, 4)
J = lo.jacobian(model, q, "two")
c = lo.center_of_mass(model, q)
W = lo.joint_wrenches(model, q, v, a)
many = lo.mass_matrix(model, np.ones((100, 2)))
""",
    "A problem and its run": """
problem = lo.Locomotion(model, drives={"a": lo.Sine(0.5, 2.0)})
print(problem.classify())
run = problem.simulate(2.0)
assert run.audit.ok
run["b.angle"], run["a.torque"], run.t
run.at(0.5).q
print(run.summary())
""",
    "On wheels, on ground": """
board = lo.Builder("sleigh", base="planar")
board.body("body", inertia=lo.Inertia.box(2.0, (1, 0.3, 0.1)))
sleigh = lo.Locomotion(
    board.build(), constraints=[lo.Blade("body", (0.3, 0, 0))])
sleigh.simulate(1.0, v=[1.0, -0.3, 1.0])
robot = lo.systems.load("quadruped").model
robot.collisions                # of files: lo.on_ground(robot)
""",
    "Rods and water": """
tail = lo.Rod(0.3, lo.Section.circle(0.01),
              lo.Material(density=1000, young=1e6, damping=0.01))
fish = lo.systems.load("fish").problem()
sea = lo.Fluid(density=1000)
swims = fish.simulate(0.5)
""",
    "Parameters, sweeps, gradients": """
problem.parameters              # every number by name
heavy = problem.with_parameters({"one.mass": 2.0})
table = lo.sweep("snakeboard", {"amplitude": [0.2, 0.4]},
                 measure="net.distance", duration=1.0)
table.to_pandas()
sleigh.linearize()              # about its start
symbols = lo.symbolic(model)    # CasADi
""",
    "Look and keep": """
run.report("run.html")
run.film("run.png", size=(64, 48))      # also .mp4, .gif
run.save("run.h5")
lo.open_run("run.h5").extend(1.0)
run.export("run.csv")           # .parquet .nc .mcap .rrd
""",
}


def lines(part: str) -> list[str]:
    """The lines of a part."""
    return SHEET[part].strip("\n").splitlines()


def program() -> str:
    """All Python of the sheet."""
    return "\n".join(line for part in SHEET for line in lines(part) if not line.startswith("$"))


def digest() -> str:
    """What the page says, in few letters; the PDF keeps it."""
    return hashlib.sha256(repr((TITLE, FOOT, SHEET)).encode()).hexdigest()[:16]


def draw(path: Path = PATH) -> None:
    """Write the page, A4 across, in two columns."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    page = Figure(figsize=(11.69, 8.27))
    FigureCanvasPdf(page)
    page.text(0.04, 0.95, TITLE, size=17, weight="bold", color="#0072b2")
    step, half = 0.0212, len(SHEET) // 2
    for column, parts in enumerate((list(SHEET)[:half], list(SHEET)[half:])):
        x, y = 0.04 + 0.48 * column, 0.9
        for part in parts:
            page.text(x, y, part, size=12, weight="bold", color="#333333")
            y -= 1.15 * step
            for line in lines(part):
                shade = "#d55e00" if line.startswith("$") else "#111111"
                page.text(x, y, line, size=9.6, family="monospace", color=shade)
                y -= step
            y -= 0.6 * step
    page.text(0.04, 0.03, FOOT, size=8.6, color="#555555")
    page.savefig(path, metadata={"Title": TITLE, "Keywords": digest(), "CreationDate": None})


if __name__ == "__main__":
    draw()
    print(f"{PATH.name}: {PATH.stat().st_size / 1e3:.0f} kB")
