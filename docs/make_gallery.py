"""Moving pictures of the catalogue for the front page: `python docs/make_gallery.py` draws all, with names only these; then the
front page and the page of systems are filled anew.

The studio gets a still of each. What was drawn is noted in drawn.json, as a number made of shapes, colours and parameters of
a system, so that a test finds pictures of systems that look different by now.

Each is a WebP that goes round, of one run with the settings of the catalogue, at most SECONDS long whatever the run takes.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import locomote as lo
from locomote.systems.catalogue import groups, parameters, pictured
from locomote.view.build import scene_of
from locomote.view.film import chosen_layers, pictures_of

HERE = Path(__file__).parent
FOLDER, PAGE = HERE / "gallery", HERE / "index.md"
DRAWN = FOLDER / "drawn.json"
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


def look_of(name: str) -> str:
    """A short number that changes when shapes, colours, sizes, parameters or the length of the run of a system do."""
    system = lo.systems.load(name)
    problem = system.problem()
    scene = scene_of(problem.model, problem, np.asarray(system.initial[0])[None])
    told = [repr([(p.name, str(p.default)) for p in parameters(name)]), f"{system.duration:.4g} {scene.water} {scene.up}"]
    for piece in scene.pieces:
        corners = piece.mesh.vertices @ piece.placement[:3, :3].T + piece.placement[:3, 3]
        told.append(f"{piece.name} {piece.layer} {piece.body} {piece.color} {len(piece.mesh.faces)}")
        told.append(numbers(np.array([corners.min(axis=0), corners.max(axis=0)]) / scene.size))
    told += [f"{tube.name} {tube.color} {numbers(np.asarray(tube.radius) / scene.size)}" for tube in scene.tubes]
    told += [f"{strut.name} {strut.color} {strut.bodies}" for strut in scene.struts]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]


def numbers(values: np.ndarray) -> str:
    """Few digits of them, the same on every machine."""
    return " ".join(f"{x:.3f}" for x in np.ravel(values) + 0.0)


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
    drawn = json.loads(DRAWN.read_text(encoding="utf-8")) if DRAWN.exists() else {}
    for name in sys.argv[1:] or lo.systems.names():
        path = draw(name)
        drawn[name] = look_of(name)
        DRAWN.write_text(json.dumps(drawn, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        still(path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", flush=True)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
