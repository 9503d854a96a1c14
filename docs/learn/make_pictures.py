"""Draw the pictures of the stories: `python docs/learn/make_pictures.py [STORY ...]`. The code of a story runs as it stands on
its page, and what it found is drawn."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib

matplotlib.use("agg")
from PIL import Image

HERE = Path(__file__).resolve().parent
CODE = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
STRIP = (210, 158)  # pixels of one picture of a strip
DOTS, COLORS = 90, 200  # an inch; in all


def strip_of(name: str) -> Callable:
    """A strip of instants of the run that the story calls by this name."""
    return lambda found, path: found[name].film(path, size=STRIP)


PICTURES = {
    "first-robot": strip_of("swinging"),
    "first-swimmer": strip_of("turning"),
    "first-soft-arm": strip_of("run"),
    "first-walk": strip_of("run"),
    "first-gait": lambda found, path: found["field"].plot().savefig(path, dpi=DOTS),
    "first-sweep": lambda found, path: found["table"].plot("amplitude", "rotor_amplitude", "net.distance", path=path),
    "motion-to-torques": strip_of("run"),
}


def draw(story: str) -> Path:
    """Run a story and draw its picture."""
    path, found = HERE / "pictures" / f"{story}.png", {"__name__": story}
    for text in CODE.findall((HERE / f"{story}.md").read_text(encoding="utf-8")):
        exec(compile(text, story, "exec"), found)
    PICTURES[story](found, path)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(COLORS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    return path


if __name__ == "__main__":
    (HERE / "pictures").mkdir(exist_ok=True)
    for story in sys.argv[1:] or PICTURES:
        with TemporaryDirectory() as folder:
            os.chdir(folder)
            path = draw(story)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", flush=True)
