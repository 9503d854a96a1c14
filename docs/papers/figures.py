"""What the figures of papers share."""

import io
from pathlib import Path

import matplotlib
from PIL import Image

import locomote as lo

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
DOTS, COLORS = 80, 128

__all__ = ["keep", "plt", "run_of"]


def run_of(name: str, duration: float | None = None, **parameters) -> lo.Trajectory:
    """A run of a system."""
    system = lo.systems.load(name, **parameters)
    return system.problem().simulate(duration or system.duration, progress=False)


def keep(figure, name: str) -> None:
    """The picture with few colors, in a file."""
    full = io.BytesIO()
    figure.savefig(full, format="png", dpi=DOTS)
    few = Image.open(full).convert("RGB").quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(HERE / f"{name}.png", optimize=True)
    plt.close(figure)
