"""Draw the study of reduced-locomotion.md: `python docs/papers/draw_reduced_locomotion.py`."""

import numpy as np
from figures import keep, plt
from make_reduced_locomotion import softness

PHASES = {"shaft in time with the steering": 0.0, "a quarter of a period ahead": np.pi / 2}


def study() -> None:
    """Way, effort and cost of a board over the stiffness of its rotor."""
    ratios = np.concatenate([np.linspace(0.5, 0.8, 4), np.linspace(0.85, 1.6, 16), np.linspace(1.8, 5.0, 9)])
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for label, phase in PHASES.items():
        found = np.array([softness(r, phase=phase) for r in ratios])
        rigid = softness(50.0, phase=phase)
        for axis, values, stiff in zip(axes, found.T, rigid, strict=True):
            (line,) = axis.plot(ratios, values, marker=".", label=label)
            axis.axhline(stiff, color=line.get_color(), lw=0.8, ls="--")
    titles = ("way in ten periods, m", "torque of the shaft, N m, rms", "work of the shaft over the way, J/m")
    for axis, title in zip(axes, titles, strict=True):
        axis.set(title=title, xlabel="first frequency of the beams over that of the shaft")
        axis.axvline(1.0, color="0.7", lw=0.8)
    axes[2].set_yscale("log")
    axes[0].legend(fontsize=8)
    keep(figure, "reduced-soft-snakeboard")


if __name__ == "__main__":
    study()
