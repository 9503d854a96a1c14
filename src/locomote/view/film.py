"""Films: `.mp4` and `.gif` of a run, and as `.png` a strip of eight instants; drawn in memory, without a display."""

import io
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from locomote.runs.files.files import RunFileError, whole_file
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory
from locomote.view.build import scene_of
from locomote.view.camera import camera_for
from locomote.view.colors import scaled
from locomote.view.draw import Painter, grid_spacing
from locomote.view.frames import frames_of, shown
from locomote.view.instants import instants
from locomote.view.scene import LAYERS, LOADS, Tube, tube_limits

KINDS = (".mp4", ".gif", ".png")
INSTANTS, ACROSS = 8, 4
GAP, INK = 6, (60, 60, 60)
COLORS_WIDE = 90  # pixels of the scale of colours
MOST = 100_000  # pictures of a film


def film(
    run: Trajectory,
    path,
    *,
    fps: float | None = None,
    speed: float = 1.0,
    size: tuple[int, int] | None = None,
    show=(),
    hide=(),
    tubes: tuple[Tube, ...] = (),
) -> None:
    """Write a film of a run; see Trajectory.film."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise ValueError(
            f"{path}: a film is {', '.join(KINDS[:-1])} or a strip of pictures as .png, not {kind or 'without a suffix'}"
        )
    run = shown(run)
    layers = chosen_layers(show, hide)
    width, height = checked_size(size or ((320, 240) if kind == ".png" else (640, 480) if kind == ".mp4" else (400, 300)))
    if kind == ".png":
        write_picture(strip(run, layers, width, height, tubes), path)
        return
    fps = (30.0 if kind == ".mp4" else 20.0) if fps is None else float(fps)
    if not (0 < fps <= 240 and 0 < speed < 1e6 and math.isfinite(speed)):
        raise ValueError(f"fps is {fps:g} and speed {speed:g}; both must be above 0, fps at most 240")
    count = (run.t[-1] - run.t[0]) * fps / speed
    if count > MOST:
        raise ValueError(f"{count:.3g} pictures are too many; take a larger speed than {speed:g} or fewer fps than {fps:g}")
    times = np.arange(run.t[0], run.t[-1] + 1e-12, speed / fps) if run.t[-1] > run.t[0] else run.t[:1]
    pictures = pictures_of(run, np.minimum(times, run.t[-1]), layers, width, height, tubes)
    (write_mp4 if kind == ".mp4" else write_gif)(pictures, path, fps, width, height)


def chosen_layers(show, hide) -> frozenset[str]:
    """The layers that are drawn: those that are shown at first, and changes to that."""
    show, hide = ({word} if isinstance(word, str) else set(word) for word in (show, hide))
    for name in show | hide:
        if name not in LAYERS:
            raise ValueError(f"there is no layer {name!r} to show or hide; there are {', '.join(LAYERS)}")
    return frozenset(({name for name, (_, at_first) in LAYERS.items() if at_first} | show) - hide)


def checked_size(size) -> tuple[int, int]:
    """Width and height of a picture, even numbers of pixels."""
    try:
        width, height = (int(x) for x in size)
    except (TypeError, ValueError):
        raise ValueError(f"size must be width and height in pixels, as in (640, 480), not {size!r:.60}") from None
    if not (32 <= width <= 4096 and 32 <= height <= 4096):
        raise ValueError(f"size must be from 32 to 4096 pixels, not {width} x {height}")
    return width - width % 2, height - height % 2


def pictures_of(
    run: Trajectory, times, layers, width: int, height: int, tubes=(), *, clock: bool = True
) -> Iterator[np.ndarray]:
    """The pictures of a film; clock : with the time in a corner."""
    scene = scene_of(run.model, run.problem, run.q, tubes=tubes)
    frames = frames_of(scene, run, times, forces=bool(layers & LOADS))
    painter = Painter(scene, camera_for(scene, frames, width / height), width, height, layers)
    ghosts = ghost_rows(len(times)) if "ghosts" in layers else ()
    write = writer()
    for row, t in enumerate(times):
        picture = painter.picture(frames, row, ghosts=ghosts)
        yield write(picture, (8, 6), f"{t:.2f} s") if clock else picture


def ghost_rows(count: int) -> tuple[int, ...]:
    """Rows at equal distances whose poses are shown as ghosts."""
    return tuple(np.unique(np.linspace(0, count - 1, min(count, 6)).astype(int)).tolist())


def strip(run: Trajectory, layers, width: int, height: int, tubes=()) -> np.ndarray:
    """(h, w, 3) eight instants in two rows, chosen by shape, each with its time; the size of the ground's fields and what
    colours mean below."""
    scene = scene_of(run.model, run.problem, run.q, tubes=tubes)
    times = instants(scene, run, INSTANTS)
    every = np.unique(np.concatenate([times, np.linspace(run.t[0], run.t[-1], 60)]))  # what the camera follows
    frames = frames_of(scene, run, every, forces=bool(layers & LOADS))
    camera = camera_for(scene, frames, width / height)
    painter = Painter(scene, camera, width, height, layers)
    down, across, write = math.ceil(len(times) / ACROSS), min(ACROSS, len(times)), writer()
    foot = 20
    page = np.full((down * (height + GAP) + GAP + foot, across * (width + GAP) + GAP, 3), 255, dtype=np.uint8)
    digits = 2 if times[-1] - times[0] >= 1 else 3
    for n, t in enumerate(times):
        top, left = GAP + (n // ACROSS) * (height + GAP), GAP + (n % ACROSS) * (width + GAP)
        row = int(np.argmin(abs(every - t)))
        page[top : top + height, left : left + width] = write(painter.picture(frames, row), (8, 6), f"{t:.{digits}f} s")
    words = [scene.name]
    if scene.ground is not None and "ground" in layers:
        words.append(f"fields of {grid_spacing(camera.span):g} m")
    if frames.scales and frames.arrows:
        words.append("1 m of arrow is " + ", ".join(f"{value:g} {unit}" for unit, value in frames.scales.items()))
    page = write(page, (GAP + 2, page.shape[0] - foot), ", ".join(words)).copy()
    for (title, unit), (low, high) in list(tube_limits(scene.tubes, frames.tubes).items())[:1]:
        left = page.shape[1] - GAP - COLORS_WIDE
        page[-foot + 3 : -5, left:-GAP] = np.round(255 * scaled(np.linspace(0.0, 1.0, COLORS_WIDE), 0.0, 1.0))
        said = f"{title or 'colours'} {low:.3g} to {high:.3g} {unit}"
        page = write(page, (max(GAP, left - 8 - 7 * len(said)), page.shape[0] - foot), said)
    return page


def writer():
    """A function that writes a text into a picture at a place."""
    package("PIL", "drawing films", "'locomote[view]'")
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(14)

    def write(picture: np.ndarray, place: tuple[int, int], text: str) -> np.ndarray:
        image = Image.fromarray(picture)
        pen = ImageDraw.Draw(image)
        left, top, right, bottom = pen.textbbox(place, text, font=font)
        pen.rectangle((left - 3, top - 2, right + 3, bottom + 2), fill=(250, 250, 250))
        pen.text(place, text, fill=INK, font=font)
        return np.asarray(image)

    return write


def write_picture(picture: np.ndarray, path: Path) -> None:
    """A PNG file."""
    from PIL import Image

    with whole_file(path) as stream:
        Image.fromarray(picture).save(stream, format="png")


def write_mp4(pictures: Iterator[np.ndarray], path: Path, fps: float, width: int, height: int) -> None:
    """H.264, which every browser and player takes."""
    package("av", "films of the kind .mp4", "'locomote[view]'")
    import av

    stream = io.BytesIO()
    with av.open(stream, "w", format="mp4") as container:
        video = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
        video.width, video.height, video.pix_fmt = width, height, "yuv420p"
        video.options = {"crf": "20", "preset": "veryfast"}
        for picture in pictures:
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            for packet in video.encode(frame):
                container.mux(packet)
        for packet in video.encode():
            container.mux(packet)
    with whole_file(path) as file:
        file.write(stream.getvalue())


def write_gif(pictures: Iterator[np.ndarray], path: Path, fps: float, width: int, height: int) -> None:
    """A GIF that goes round."""
    from PIL import Image

    images, palette = [], None
    for picture in pictures:
        image = Image.fromarray(picture)
        if palette is None:
            palette = image.quantize(128)
        images.append(image.quantize(palette=palette, dither=Image.Dither.NONE))
    with whole_file(path) as stream:
        images[0].save(
            stream, format="gif", save_all=True, append_images=images[1:], duration=max(20, round(1000 / fps)), loop=0
        )


__all__ = ["RunFileError", "film", "strip"]
