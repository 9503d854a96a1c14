"""Draw the pictures of the page on water and air: `python docs/pictures/water.py [purcell dead_fish cards moth]`."""

import io
import sys

import matplotlib
import numpy as np
from make import DOTS, HERE, smaller
from PIL import Image

import locomote as lo

matplotlib.use("Agg")
import matplotlib.pyplot as plt

STIFFNESS = (0.1, 0.3, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0)
CIRCULATION = (0.015, 0.025, 0.028, 0.03, 0.04)  # m^2/s


def purcell(axes) -> None:
    """Way of a stroke over amplitude: circles of hinge angles, and the closed form of small ones."""
    problem, amplitudes = lo.systems.load("purcell_swimmer").problem(), np.linspace(0.05, 2.8, 111)
    found = []
    for A in amplitudes:
        loop = {"front": lo.Sine(A, 1.0), "rear": lo.Sine(A, 1.0, phase=np.pi / 2)}
        found.append(problem.net_displacement(loop, 2 * np.pi)[:2])
    way = np.sign(np.array(found)[:, 0]) * np.linalg.norm(found, axis=1)
    axes.plot(amplitudes, way, label=f"circles of hinge angles, best at {amplitudes[np.argmax(way)]:.2f} rad")
    small = amplitudes < 1.2
    axes.plot(amplitudes[small], 5 / 81 * np.pi * amplitudes[small] ** 2, "k:", label="5/81 of the area")
    axes.axhline(0, color="gray", lw=0.5)
    axes.set(xlabel="amplitude of the hinges, rad", ylabel="way of a stroke, rods", title="Purcell's swimmer")
    axes.legend()


def dead_fish(axes) -> None:
    """Speed of a dead fish over stiffness and strength of the vortices."""
    seconds = 24.0
    table = np.zeros((len(CIRCULATION), len(STIFFNESS)))
    for i, circulation in enumerate(CIRCULATION):
        for k, stiffness in enumerate(STIFFNESS):
            problem = lo.systems.load("dead_fish", stiffness=stiffness, circulation=circulation).problem()
            run = problem.simulate(seconds, samples=np.linspace(0, seconds, 21), rtol=1e-6, atol=1e-8, progress=False)
            table[i, k] = 1e3 * (run.q[-1, 0] - run.q[10, 0]) / (seconds / 2)
    size = abs(table).max()
    shown = axes.imshow(table, cmap="RdBu", vmin=-size, vmax=size, origin="lower", aspect="auto")
    for (i, k), value in np.ndenumerate(table):
        axes.text(k, i, f"{value:.0f}", ha="center", va="center", color="white" if abs(value) > 0.6 * size else "black")
    axes.set(xlabel="stiffness over that in step with the street", ylabel="circulation, m²/s")
    axes.set_xticks(range(len(STIFFNESS)), [f"{s:g}" for s in STIFFNESS])
    axes.set_yticks(range(len(CIRCULATION)), [f"{c:g}" for c in CIRCULATION])
    axes.set_title("dead fish: speed downstream, mm/s (red: upstream)")
    axes.figure.colorbar(shown, ax=axes)


def cards(axes) -> None:
    """Paths of falling cards."""
    for k, inertia in enumerate((0.6, 1.1, 1.4, 2.2)):
        system = lo.systems.load("falling_plate", inertia=inertia)
        run = system.problem().simulate(1.5 * system.duration, q=system.initial[0], every=0.02, progress=False)
        c, shift = 0.02, 0.7 * k
        for x, y, angle in run.q[::2]:
            across = np.array([np.cos(angle), np.sin(angle)]) * c
            axes.plot([shift + x - across[0], shift + x + across[0]], [y - across[1], y + across[1]], color=f"C{k}", lw=0.8)
        axes.text(shift, 0.1, f"{inertia:g}", color=f"C{k}", ha="center")
    axes.set(xlabel="m", ylabel="m", title="cards of four inertias", ylim=(None, 0.3))
    axes.set_aspect("equal")


def moth(axes) -> None:
    """Lift and power over the torsion frequency of the wings."""
    ratios = np.linspace(1.0, 2.0, 21)
    for wings, color in (("passive", "C0"), ("flexible", "C1")):
        lift, power = [], []
        for ratio in ratios:
            settings = {"wings": wings, "guide": "held", "stiffness": 1.5e-4 * (ratio / 1.353) ** 2}
            run = lo.systems.load("hovering_moth", **settings).problem().simulate(12 / 26, progress=False)
            lift.append(run.energetics.lift)
            power.append(run.energetics.power_per_mass)
        axes.plot(ratios, lift, color=color, label=f"{'stiff' if wings == 'passive' else wings}: lift over weight")
        axes.plot(ratios, np.array(power) / 50, "--", color=color, label="power, 50 W/kg")
    axes.axhspan(0.7, 1.3, color="gray", alpha=0.15)
    axes.set(xlabel="torsion frequency over that of the strokes", title="hovering moth, held")
    axes.legend()


FIGURES = {"purcell": purcell, "dead_fish": dead_fish, "cards": cards, "moth": moth}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
        FIGURES[name](axes)
        full, path = io.BytesIO(), HERE.parent / f"water-{name}.png"
        figure.savefig(full, format="png", dpi=DOTS)
        print(f"{smaller(Image.open(full), path).name}: {path.stat().st_size / 1e3:.0f} kB")
