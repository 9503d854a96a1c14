"""Draw the strip of floating-base.md: `python docs/papers/draw_floating_base.py`."""

from figures import HERE, run_of
from PIL import Image

MOTIONS = ("ball",)
SIZE, COLORS = (240, 180), 255  # pixels of one picture of a strip


def strip(motion: str) -> None:
    """Eight instants of a motion of `handling`."""
    path = HERE / f"floating-{motion}.png"
    run_of("handling", motion=motion).film(path, size=SIZE)
    few = Image.open(path).convert("RGB").quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    for motion in MOTIONS:
        strip(motion)
