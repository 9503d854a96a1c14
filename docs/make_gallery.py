"""Moving pictures of the catalogue for the front page: `python docs/make_gallery.py` draws all, with names only these; then the
front page and the page of systems are filled anew.

The studio gets a still of each.

Each is a WebP that goes round, of one run with the settings of the catalogue, at most SECONDS long whatever the run takes.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import locomote as lo
from locomote.systems.catalogue import groups, pictured
from locomote.view.film import chosen_layers, pictures_of

HERE = Path(__file__).parent
FOLDER, PAGE = HERE / "gallery", HERE / "index.md"
BEGIN, END = "<!-- gallery -->\n", "<!-- end of gallery -->"
STILLS = HERE.parent / "src" / "locomote" / "cli" / "studio" / "pages" / "pictures"
SIZE, RATE, SECONDS, QUALITY = (240, 180), 12.0, 4.0, 42  # pixels; pictures a second; s; of WebP


def pictures(run: lo.Trajectory) -> list[Image.Image]:
    """The pictures of a film: in real time if that is short enough, else faster."""
    length = run.t[-1] - run.t[0]
    count = int(np.clip(length, 1.5, SECONDS) * RATE)
    times = np.linspace(run.t[0], run.t[-1], count)
    return [Image.fromarray(picture) for picture in pictures_of(run, times, chosen_layers((), ()), *SIZE, clock=False)]


def draw(name: str) -> Path:
    """The moving picture of a system."""
    images = pictures(pictured(lo.systems.load(name)))
    path = FOLDER / f"{name}.webp"
    options = {"save_all": True, "append_images": images[1:], "duration": round(1000 / RATE), "loop": 0}
    images[0].save(path, quality=QUALITY, method=6, minimize_size=True, **options)
    return path


def still(path: Path) -> None:
    """A picture of the middle of a film, for the gallery of the studio."""
    with Image.open(path) as film:
        film.seek(getattr(film, "n_frames", 1) // 2)
        film.convert("RGB").save(STILLS / path.name, quality=60, method=6)


def gallery() -> str:
    """The gallery as HTML, group by group."""
    lines = []
    for title, names in groups().items():
        lines += [f"## {title}", "", '<div class="gallery">']
        for name in names:
            if not (FOLDER / f"{name}.webp").exists():
                continue
            looks = f'<img src="gallery/{name}.webp" alt="{name}" loading="lazy" width="{SIZE[0]}" height="{SIZE[1]}">'
            words = f"<b>{name.replace('_', ' ')}</b><span>{lo.systems.title(name)}</span>"
            lines.append(f'<a href="systems/{name}.html">{looks}{words}</a>')
        lines += ["</div>", ""]
    return "\n".join(lines)


def filled(text: str) -> str:
    """The front page with the gallery."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + "\n" + gallery() + END + rest.partition(END)[2]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    STILLS.mkdir(exist_ok=True)
    for name in sys.argv[1:] or lo.systems.names():
        path = draw(name)
        still(path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", flush=True)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
