"""Sizes that nobody means: refused in a sentence, at once."""

import os
import warnings

import numpy as np
import pytest

import locomote as lo


def test_more_samples_than_any_memory_holds():
    with pytest.raises(ValueError, match=r"every = 1e-12 s makes 1e\+12 samples in 1 s"):
        lo.systems.load("simple_pendulum").problem().simulate(1.0, every=1e-12, progress=False)


def test_more_steps_than_any_time():
    with pytest.raises(ValueError, match=r"are 1e\+303 steps, more than"):
        lo.rollout(lo.systems.load("simple_pendulum").problem(), None, 4, duration=1e300)


@pytest.mark.parametrize("name", ["q", "v"])
def test_more_dimensions_than_arrays_work_with(name):
    model = lo.systems.load("quadruped").model
    given = {"q": model.neutral(), "v": np.zeros(model.nv)}
    given[name] = given[name].reshape((1,) * 50 + (-1,))
    with pytest.raises(ValueError, match="51 dimensions"):
        lo.bias_force(model, **given)


def test_descriptions_do_not_change():
    model = lo.systems.load("quadruped").model
    with pytest.raises(ValueError, match="read-only"):
        model.description.bodies[0].placement[0, 3] = 1.0
    own = np.eye(4)
    body = lo.Body("b", placement=own)
    own[0, 3] = 1.0
    assert body.placement[0, 3] == 0.0


def test_meshes_of_packages_are_looked_for_inside_of_them(tmp_path):
    (tmp_path / "secret.stl").write_text("")
    (tmp_path / "robots" / "pack" / "meshes").mkdir(parents=True)
    (tmp_path / "robots" / "pack" / "meshes" / "a.stl").write_text("")
    text = """<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual><inertial>
    <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    file, found = tmp_path / "robots" / "r.urdf", {}
    for name in ("pack/meshes/a.stl", "pack/meshes/../meshes/a.stl", "../secret.stl", "pack/../../secret.stl"):
        file.write_text(text.format(f"package://{name}"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = lo.load(file, base="free", package_dirs=[tmp_path / "robots"])
        found[name] = os.path.isfile(model.description.bodies[0].visuals[0].file)
    assert list(found.values()) == [True, True, False, False]
