"""Draw the pictures of the documentation: `python docs/pictures/make.py` for the README, with `all` for every system.

Of each system the film strip that `locomote run NAME` leaves, NAME_strip.png, and the plots of `run.plot()`, NAME.png, with
fewer dots and colors, so that files are small. `strips` draws the strips alone.
"""

import io
import sys
from pathlib import Path

from PIL import Image

import locomote as lo
from locomote.systems.catalogue import pictured

HERE = Path(__file__).parent
DOTS, COLORS = 80, 255  # an inch; in all
STRIP = (240, 180)  # pixels of one picture of a strip


def run_of(name: str) -> lo.Trajectory:
    """The run of a system of the catalogue."""
    return pictured(lo.systems.load(name))


def draw(name: str, run: lo.Trajectory) -> Path:
    """The plots of a run."""
    full, path = io.BytesIO(), HERE / f"{name}.png"
    run.plot().savefig(full, format="png", dpi=DOTS)
    return smaller(Image.open(full), path)


def draw_strip(name: str, run: lo.Trajectory) -> Path:
    """The film strip of a run."""
    path = HERE / f"{name}_strip.png"
    run.film(path, size=STRIP)
    return smaller(Image.open(path), path)


def smaller(picture: Image.Image, path: Path) -> Path:
    """The picture with few colors, in a file."""
    few = picture.convert("RGB").quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    return path


if __name__ == "__main__":
    everything = sys.argv[1:2] in (["all"], ["strips"])
    for name in lo.systems.names() if everything else sys.argv[1:] or ["snakeboard"]:
        run = run_of(name)
        for path in (draw_strip(name, run), *([] if sys.argv[1:2] == ["strips"] else [draw(name, run)])):
            print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
