"""`locomote export c` and `locomote export casadi`: files that other programs take."""

import json
import shutil
import subprocess
from functools import partial

import numpy as np
import pytest
from commands import call

import locomote as lo

pytestmark = pytest.mark.usefixtures("folder")
run = partial(call, "export")


def test_c_of_a_system(folder):
    text = run("c", "snakeboard", "--out", "made").stdout
    assert "inverse_dynamics: " in text and "made/snakeboard.h" in text
    assert "cc -O2 made/snakeboard.c made/snakeboard_test.c -lm && ./a.out" in text
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    files = ["made/snakeboard.c", "made/snakeboard_test.c"]
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", *files, "-lm"], check=True)
    assert subprocess.run(["./a.out"], cwd=folder, capture_output=True).returncode == 0


def test_c_of_a_file_as_json():
    lo.save(lo.systems.load("quadruped").model, "dog.urdf")
    found = json.loads(run("c", "dog.urdf", "--base", "free", "--functions", "mass_matrix", "--json").stdout)
    assert found["files"] == ["quadruped.h", "quadruped.c", "quadruped_test.c"] and found["operations"]["mass_matrix"] > 100
    assert "QUADRUPED_NV 18" in open("quadruped.h").read()


def test_nothing_is_replaced_unasked(folder):
    (folder / "board.c").write_text("mine")
    result = run("c", "snakeboard", "--name", "board", code=2)
    assert "board.c is there already; --force replaces it, --out FOLDER writes elsewhere" in result.stderr
    assert (folder / "board.c").read_text() == "mine" and not (folder / "board.h").exists()
    run("c", "snakeboard", "--name", "board", "--force")
    assert (folder / "board.c").read_text() != "mine"


@pytest.mark.parametrize("kind", ["c", "casadi"])
def test_unknown_functions(kind, folder):
    result = run(kind, "snakeboard", "--functions", "mass_matrx", code=2)
    assert "did you mean 'mass_matrix'" in result.stderr and not list(folder.iterdir())


def test_casadi_functions_load_again():
    import casadi

    found = json.loads(run("casadi", "snakeboard", "--functions", "inverse_dynamics,kinetic_energy", "--json").stdout)
    assert found["files"] == ["snakeboard_inverse_dynamics.casadi", "snakeboard_kinetic_energy.casadi"]
    model, rng = lo.systems.load("snakeboard").model, np.random.default_rng(0)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    function = casadi.Function.deserialize(open(found["files"][0]).read())
    assert function.name_in() == ["q", "v", "a"]
    assert np.allclose(np.array(function(q, v, a)).ravel(), lo.inverse_dynamics(model, q, v, a), atol=1e-12)
    assert "casadi.Function.deserialize" in run("casadi", "snakeboard", "--force").stdout
    assert "is there already" in run("casadi", "snakeboard", code=2).stderr
