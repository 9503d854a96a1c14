"""Films: what a picture must contain, where it must be, and what files hold."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import locomote as lo
from locomote.geometry.meshes import box
from locomote.runs.files.files import RunFileError
from locomote.view import raster
from locomote.view.build import scene_of
from locomote.view.camera import ANGLE, camera_for
from locomote.view.colors import scaled
from locomote.view.draw import Painter
from locomote.view.film import chosen_layers, film, strip
from locomote.view.frames import frames_of
from locomote.view.instants import instants, shapes_at
from locomote.view.scene import Piece, Scene, Tube, piece_corners, tube_limits


def run_of(name, duration=None, **parameters):
    system = lo.systems.load(name, **parameters)
    q, v = system.initial
    return system.problem().simulate(duration or system.duration, q=q, v=v, progress=False)


@pytest.fixture(scope="module")
def pendulum():
    return run_of("simple_pendulum", 1.0)


# the rasteriser


def drawn(points, faces, colors, opacity=None, size=200):
    image, depth = np.zeros((size, size, 3), dtype=np.float32), np.zeros((size, size), dtype=np.float32)
    faces, colors = np.array(faces, dtype=np.int64), np.array(colors, dtype=float)
    clear = np.ones(len(faces)) if opacity is None else np.array(opacity)
    lights = np.ones((len(faces), 3))
    raster.draw_faces(np.array(points, dtype=float), faces, colors, lights, float(size), 0.01, depth, image, clear)
    return image, depth


def test_a_triangle_covers_its_area_once():
    """Two triangles that share an edge cover a square: no gap, no pixel twice."""
    corners = [(-0.3, -0.3, -1), (0.3, -0.3, -1), (0.3, 0.3, -1), (-0.3, 0.3, -1)]
    image, _ = drawn(corners, [(0, 1, 2), (0, 2, 3)], [(0.5, 0, 0), (0.5, 0, 0)], opacity=[0.9999999, 0.9999999])
    assert np.count_nonzero(image[..., 0]) == round(0.6 * 200) ** 2
    assert np.allclose(image[image[..., 0] > 0][:, 0], 0.5, atol=1e-5)


def test_what_is_nearer_hides_what_is_behind():
    near = [(-0.2, -0.2, -1), (0.2, -0.2, -1), (0, 0.2, -1)]
    far = [(-1, -1, -2), (1, -1, -2), (0, 1, -2)]
    for order in ([0, 1], [1, 0]):
        faces = np.array([(0, 1, 2), (3, 4, 5)])[order]
        image, depth = drawn(near + far, faces, np.array([(1.0, 0, 0), (0, 1.0, 0)])[order])
        assert tuple(image[100, 100]) == (1, 0, 0) and tuple(image[150, 60]) == (0, 1, 0)
        assert np.isclose(depth[100, 100], 1.0) and np.isclose(depth[150, 60], 0.5)


def test_faces_behind_the_eye_and_outside_are_left_out():
    wild = [
        (0, 0, 1),
        (1, 0, 1),
        (0, 1, 1),
        (50, 0, -1),
        (60, 0, -1),
        (50, 9, -1),
        (np.nan, 0, -1),
        (0, 0, -1),
        (np.inf, 0, -1),
    ]
    image, _ = drawn(wild, [(0, 1, 2), (3, 4, 5), (6, 7, 8)], np.ones((3, 3)))
    assert not image.any()


# pictures


def test_a_box_is_where_it_is():
    """The middle of the drawn pixels is the projection of the middle of the box, by a camera of the test's own."""
    run, pose = run_of("simple_pendulum", 0.1), np.eye(4)
    whole = scene_of(run.model)
    camera = camera_for(whole, frames_of(whole, run, run.t[:1]), 4 / 3)
    pose[:3, 3] = camera.targets[0] + (0.12, -0.05, 0.08)
    scene = Scene("box", run.model.body_names, (Piece("box", box(0.1, 0.1, 0.1), (1.0, 0.0, 0.0, 1.0), -1, pose),), size=1.0)
    frames = frames_of(scene, run, run.t[:1])
    picture = Painter(scene, camera, 320, 240).picture(frames, 0).astype(float)
    red = (picture[..., 0] > 90) & (picture[..., 1] < 60)
    side, up, back = camera.axes().T
    away = pose[:3, 3] - (camera.targets[0] + camera.distance * camera.direction)
    focal = 120 / np.tan(ANGLE / 2)
    expected = 160 - focal * (away @ side) / (away @ back), 120 + focal * (away @ up) / (away @ back)
    rows, columns = np.nonzero(red)
    assert abs(columns.mean() - expected[0]) < 1.5 and abs(rows.mean() - expected[1]) < 1.5


@pytest.mark.parametrize("name", lo.systems.names())
def test_strips_show_the_mechanism(name):
    """In every picture all of the mechanism is inside, large enough, neither black nor empty."""
    run = run_of(name)
    scene = scene_of(run.model, run.problem, run.q)
    assert (scene.pieces or scene.tubes) and not scene.missing
    times = np.unique(np.concatenate([instants(scene, run, 8), np.linspace(run.t[0], run.t[-1], 60)]))
    frames = frames_of(scene, run, times)
    camera = camera_for(scene, frames, 4 / 3)
    corners = np.concatenate([piece_corners(scene, frames.poses), *(poses[..., :3, 3] for poses, _ in frames.tubes)], axis=1)
    seen = np.einsum("nki,ij->nkj", corners - camera.targets[:, None], camera.axes())
    away = camera.distance - seen[..., 2]
    x, y = (seen[..., k] / (away * np.tan(ANGLE / 2)) for k in (0, 1))
    assert (away > 0).all() and abs(x).max() <= 4 / 3 and abs(y).max() <= 1.0  # nothing is cut off
    extent = np.maximum(np.ptp(x, axis=1) * 0.75, np.ptp(y, axis=1)) / 2
    assert np.median(extent) > 0.12, "the mechanism is small in its picture"
    bare = Scene(scene.name, scene.bodies, (), size=scene.size, ground=scene.ground)
    for row in (0, len(times) // 2, len(times) - 1):
        picture = Painter(scene, camera, 160, 120).picture(frames, row).astype(int)
        empty = Painter(bare, camera, 160, 120).picture(replace(frames, tubes=()), row).astype(int)
        changed = abs(picture - empty).max(axis=2) > 24
        assert changed.mean() > 0.0015, "the mechanism cannot be seen"
        assert picture[changed].mean() > 40 and picture.mean() > 120, "the picture is dark"
        assert len(np.unique(picture[changed] // 32, axis=0)) > 2, "it is a flat spot"


def test_a_strip_has_eight_pictures_that_differ():
    page = strip(run_of("snakeboard", 20.0), chosen_layers((), ()), 160, 120)
    assert page.shape == (2 * 126 + 6 + 20, 4 * 166 + 6, 3)
    parts = [page[6 + 126 * (n // 4) :, 6 + 166 * (n % 4) :][30:120, :160].astype(int) for n in range(8)]
    assert all(abs(a - b).max(axis=2).mean() > 1 for a, b in zip(parts[:-1], parts[1:], strict=True))


def test_instants_of_a_strip_show_different_phases():
    """A pendulum that is met at whole periods by equal distances of time: all shapes would be the same one."""
    builder = lo.Builder("arm")
    builder.body("support", inertia=lo.Inertia(1.0))
    builder.body("bar", parent="support", joint=lo.Joint("turn"), inertia=lo.Inertia.box(1.0, (0.5, 0.02, 0.02)))
    run = lo.Locomotion(builder.build(), drives={"turn": lo.Sine(0.5, 2 * np.pi)}).simulate(7.0, every=0.01, progress=False)
    scene = scene_of(run.model, run.problem, run.q)
    times = instants(scene, run, 8)
    assert len(times) == 8 and times[0] == 0.0 and times[-1] == 7.0 and (np.diff(times) > 0).all()
    angles = run.at(times).q[:, 0]
    assert abs(run.at(np.linspace(0.0, 7.0, 8)).q[:, 0]).max() < 1e-6 < 0.8 < np.ptp(angles)
    gaps = np.diff(np.sort(angles[:-1]))
    assert gaps[gaps > 1e-9].min() > 0.02 and shapes_at(scene, run, times).shape[0] == 8


def test_a_strip_says_what_its_colours_mean():
    run = run_of("octopus_arm", 0.4)
    page = strip(run, chosen_layers((), ()), 160, 120)[-17:-5, -96:-6].astype(int)
    ends = np.round(255 * scaled(np.array([0.0, 1.0]), 0.0, 1.0))
    assert (page[:, 0] == ends[0]).all() and (page[:, -1] == ends[1]).all()


def test_rods_of_one_kind_share_a_scale_of_colours():
    tubes = tuple(Tube(name, lambda q: (q, q), np.ones(2), title="bend", unit="1/m") for name in "ab")
    moved = [(np.zeros(0), np.array([[0.0, 1.0]])), (np.zeros(0), np.array([[2.0, 5.0]]))]
    assert tube_limits(tubes, moved) == {("bend", "1/m"): (0.0, 5.0)}
    assert tube_limits(tubes, [(np.zeros(0), None)] * 2) == {}


def test_layers_are_drawn_or_not():
    run = run_of("snakeboard", 20.0)
    scene = scene_of(run.model, run.problem, run.q)
    frames = frames_of(scene, run, np.array([15.0]), forces=True)
    camera = camera_for(scene, frames, 4 / 3)

    def picture(*layers):
        return Painter(scene, camera, 160, 120, frozenset({"shapes", *layers})).picture(frames, 0).astype(int)

    plain = picture()
    for layer in ("ground", "path", "forces", "center"):
        assert (picture(layer) != plain).any(), layer
    orange = picture("path") - plain
    assert (orange[..., 0] - orange[..., 2]).max() > 50


def test_a_shape_that_bends():
    """A tube that follows q, coloured by its value."""
    x = np.linspace(0, 1, 20)

    def shape(q):
        poses = np.broadcast_to(np.eye(4), (len(q), 20, 4, 4)).copy()
        poses[..., 0, 3], poses[..., 2, 3] = x, 0.5 * q[:, :1] * x**2
        return poses, np.broadcast_to(x, (len(q), 20))

    run = run_of("simple_pendulum", 1.0)
    tube = Tube("tail", shape, np.full(20, 0.06), title="place", unit="m", limits=(0.0, 1.0))
    scene = scene_of(run.model, run.problem, run.q, tubes=(tube,))
    frames = frames_of(scene, run, np.array([0.0, 0.9]))
    painter = Painter(scene, camera_for(scene, frames, 4 / 3), 320, 240)
    first, later = (painter.picture(frames, row).astype(int) for row in (0, 1))
    yellow = (first[..., 0] > 150) & (first[..., 2] < 110) & (first[..., 1] > 130)
    violet = (first[..., 2] > first[..., 1] + 15) & (first[..., 2] < 130) & (first[..., 0] < 110)
    assert yellow.any() and violet.any() and (first != later).any()


# files


def test_mp4(pendulum, tmp_path):
    av = pytest.importorskip("av")
    pendulum.film(tmp_path / "swing.mp4", size=(161, 120))
    with av.open(str(tmp_path / "swing.mp4")) as container:
        video = container.streams.video[0]
        pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(video)]
        assert (video.width, video.height, float(video.average_rate)) == (160, 120, 30.0)
    assert len(pictures) == 31 and (pictures[0] != pictures[20]).any() and pictures[0].mean() > 120


def test_gif_at_another_speed(pendulum, tmp_path):
    pendulum.film(tmp_path / "swing.gif", fps=10, speed=0.5, size=(160, 120))
    with Image.open(tmp_path / "swing.gif") as image:
        assert image.n_frames == 21 and image.size == (160, 120) and image.info["duration"] == 100


def test_png(pendulum, tmp_path):
    pendulum.film(tmp_path / "swing.png", show=["forces", "center"], hide="ground")
    with Image.open(tmp_path / "swing.png") as image:
        assert image.size[0] > image.size[1]


def test_a_run_that_failed_is_shown_as_far_as_it_came(pendulum, tmp_path):
    broken = pendulum.q.copy()
    broken[300:] = np.nan
    replace(pendulum, q=broken).film(tmp_path / "part.png", size=(80, 60))
    with pytest.raises(ValueError, match="no samples to show"):
        replace(pendulum, q=np.full_like(broken, np.nan)).film(tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


def test_one_sample(pendulum, tmp_path):
    pendulum.between(0.0, 0.0).film(tmp_path / "one.png", size=(80, 60))
    pendulum.between(0.0, 0.0).film(tmp_path / "one.gif", size=(80, 60))
    assert Image.open(tmp_path / "one.gif").n_frames == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"path": "x.avi"}, "a film is .mp4, .gif or a strip"),
        ({"path": "x"}, "without a suffix"),
        ({"path": "x.mp4", "fps": 0}, "fps is 0"),
        ({"path": "x.mp4", "speed": -1}, "speed -1"),
        ({"path": "x.mp4", "speed": 1e-9}, "too many"),
        ({"path": "x.mp4", "size": (10, 10)}, "from 32 to 4096"),
        ({"path": "x.mp4", "size": "large"}, "width and height"),
        ({"path": "x.mp4", "show": "wind"}, "no layer 'wind'"),
    ],
)
def test_wrong_requests(pendulum, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        film(pendulum, **options)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(pendulum, tmp_path):
    with pytest.raises(RunFileError, match="nowhere"):
        pendulum.film(tmp_path / "nowhere" / "x.png", size=(80, 60))
