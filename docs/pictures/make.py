"""Draw the pictures of the documentation: `python docs/pictures/make.py` for the README, with `all` for every system.

Each is what `locomote run NAME` draws, with fewer dots and colors, so that the file is small.
"""

import io
import sys
from pathlib import Path

from PIL import Image

import locomote as lo

HERE = Path(__file__).parent
DOTS, COLORS = 80, 255  # an inch; in all


def draw(name: str) -> Path:
    """Run a system of the catalogue and draw it."""
    system = lo.systems.load(name)
    q, v = system.initial
    figure = system.problem().simulate(system.duration, q=q, v=v, progress=False).plot()
    full, path = io.BytesIO(), HERE / f"{name}.png"
    figure.savefig(full, format="png", dpi=DOTS)
    picture = Image.open(full).convert("RGB")
    picture.quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)
    return path


if __name__ == "__main__":
    for name in lo.systems.names() if sys.argv[1:] == ["all"] else sys.argv[1:] or ["snakeboard"]:
        path = draw(name)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
