"""Height fields and contact pairs of MJCF files: heights against MuJoCo's, files of all kinds, frictions by closed forms."""

import struct

import numpy as np
import pytest

import locomote as lo
from locomote.geometry.grids import GridHeights

mujoco = pytest.importorskip("mujoco")

ROUGH = np.random.default_rng(2).uniform(0, 1, (6, 9))
SCENE = """
<mujoco>
  <asset> <hfield name="land" HFIELD size="2 1.5 0.3 0.1"/> </asset>
  <worldbody>
    <geom name="land" type="hfield" hfield="land" pos="0.3 -0.2 0.5" euler="0 0 25"/>
    <body name="ball" pos="0.2 0 2"> <freejoint/> <geom name="ball" size="0.05" friction="0.2"/> </body>
  </worldbody>
</mujoco>"""


def said():
    rows = " ".join(map(str, ROUGH.ravel()))
    return f'nrow="6" ncol="9" elevation="{rows}"'


def binary(folder):
    (folder / "land.bin").write_bytes(struct.pack("<ii", 6, 9) + ROUGH.astype("<f4").tobytes())
    return 'file="land.bin"'


def picture(folder):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.round(255 * ROUGH).astype(np.uint8)).save(folder / "land.png")
    return 'file="land.png"'


@pytest.mark.parametrize("kind", [None, binary, picture], ids=["elevation", "binary", "picture"])
def test_heights_are_those_of_mujoco(kind, tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(SCENE.replace("HFIELD", said() if kind is None else kind(tmp_path)))
    theirs, scene = mujoco.MjModel.from_xml_path(str(path)), lo.read_scene(path)
    (floor,) = scene.floors
    expected = theirs.hfield_data.reshape(6, 9) * theirs.hfield_size[0, 2]
    np.testing.assert_allclose(floor.heights, expected, atol=1e-7)  # MuJoCo keeps single precision
    surface = lo.load_scene(path).contacts[0].ground.surface
    place = theirs.geom_pos[0][:, None] + floor.placement[:3, :3] @ [[-2, 0.0, 2], [-1.5, 0.3, 1.5], [0, 0, 0]]
    for (x, y), (j, i) in zip(place[:2].T, [(0, 0), (3, 4), (5, 8)], strict=True):
        assert surface.function(x, y)[0] == pytest.approx(0.5 + expected[j, i], abs=1e-7)


def test_slopes_of_grids_are_those_of_their_heights():
    ground, h = GridHeights(ROUGH, (2.0, 1.5), (0.3, -0.2, 0.5), 0.4), 1e-4
    for x, y in np.random.default_rng(0).uniform(-1, 1, (20, 2)):
        f = [[ground(x + a * h, y + b * h) for b in (-1, 0, 1)] for a in (-1, 0, 1)]
        by_x, by_y = (f[2][1] - f[0][1]) / (2 * h), (f[1][2] - f[1][0]) / (2 * h)
        np.testing.assert_allclose([by_x[0], by_y[0]], f[1][1][1:3], atol=1e-5)
        np.testing.assert_allclose([by_x[1], by_y[1], by_y[2]], f[1][1][3:], atol=1e-3)
    assert ground(50.0, 0.0)[0] == ground(90.0, 0.0)[0] and not ground(50.0, 50.0)[1:].any()  # level beyond


def test_a_ball_comes_down_on_a_height_field():
    bowl = " ".join(str(x * x + y * y) for y in np.linspace(-1, 1, 9) for x in np.linspace(-1, 1, 9))
    text = SCENE.replace("HFIELD", f'nrow="9" ncol="9" elevation="{bowl}"').replace("0.2 0 2", "0.35 -0.2 0.6")
    run = lo.load_scene(text).simulate(1.5, step=2e-3, every=0.1, progress=False)
    assert abs(run.q[-1, :2] - [0.3, -0.2]).max() < 0.06 and run.q[-1, 2] == pytest.approx(0.55, abs=2e-3)  # in the middle
    assert run.audit.ok, run.audit


@pytest.mark.parametrize("wrong", [
    'nrow="1" ncol="9"', 'nrow="2" ncol="2" elevation="1 2 3"', 'file="../../no.bin"', 'nrow="1e9" ncol="1e9"', "",
])  # fmt: skip
def test_wrong_height_fields_are_said(wrong):
    with pytest.raises(lo.ModelError, match="hfield"):
        lo.read_scene(SCENE.replace("HFIELD", wrong))


def test_damaged_files_of_heights_are_said(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(SCENE.replace("HFIELD", 'file="land.bin"'))
    for damaged in (
        b"",
        b"\x01",
        struct.pack("<ii", -1, 9),
        struct.pack("<ii", 6, 9) + b"12",
        struct.pack("<ii", 2**30, 2**30),
    ):
        (tmp_path / "land.bin").write_bytes(damaged)
        with pytest.raises(lo.ModelError, match="cannot be read"):
            lo.read_scene(path)


def test_pairs_touch_with_a_friction_of_their_own():
    """Two blocks on a slope, of which one is paired with it: it slides by its own friction, the other stays."""
    text = """<mujoco> <option gravity="3 0 -9.81"/> <worldbody> <geom name="floor" type="plane" size="9 9 1"/>
      <body name="one" pos="0 0 0.1"> <freejoint/>
        <geom name="one" type="box" size=".1 .1 .1" contype="0" conaffinity="0"/> </body>
      <body name="two" pos="0 1 0.1"> <freejoint/> <geom name="two" type="box" size=".1 .1 .1"/> </body>
      <body name="top" pos="0 1 0.301"> <freejoint/> <geom name="top" type="box" size=".1 .1 .1"/> </body> </worldbody>
      <contact> <pair geom1="floor" geom2="one" friction="0.1"/> <pair geom1="top" geom2="two" friction="0.05"/> </contact>
    </mujoco>"""
    run = lo.load_scene(text).simulate(0.4, step=1e-3, progress=False)
    assert run.q[-1, 0] == pytest.approx(0.5 * (3 - 0.981) * 0.4**2, rel=5e-3)
    assert abs(run.q[-1, 7]) < 1e-6 and run.audit.ok
    assert run.q[-1, 14] == pytest.approx(0.5 * (3 - 0.05 * 9.81) * 0.4**2, rel=0.03)  # it falls the first millimetre
    with pytest.raises(lo.ModelError, match="there is no geom 'flor'"):
        lo.read_scene(text.replace('geom1="floor"', 'geom1="flor"'))
    with pytest.raises(lo.ModelError, match="paired with itself"):
        lo.read_scene(text.replace('geom1="floor"', 'geom1="one"'))
