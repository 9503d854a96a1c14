"""C source of random models: compiled without a warning, and its own test passes."""

import shutil
import subprocess

import pytest
from mechanisms import case_of, random_description

import locomote as lo
from locomote.symbolic.functions import FUNCTIONS

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]


def model_of(seed):
    return case_of(random_description(seed, bodies=4, added=seed % 3 == 0, coupled=seed % 2 == 0), seed).model


def built(folder, paths, *options):
    """Compile a source with its test, and run it."""
    header, source, test = paths
    assert header.suffix == ".h"
    command = [COMPILER, *STRICT, *options, str(source), str(test), "-lm", "-o", str(folder / "test")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return subprocess.run([str(folder / "test")], capture_output=True, text=True)


@needs_compiler
@pytest.mark.parametrize("seed", range(6))
def test_all_functions_of_random_models(seed, tmp_path):
    model = model_of(seed)
    functions = [name for name, function in FUNCTIONS.items() if not function.options]
    done = built(tmp_path, lo.write_c(model, tmp_path, functions, name="m"))
    assert done.returncode == 0, done.stdout
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == functions


@needs_compiler
def test_the_test_can_fail(tmp_path):
    paths = lo.write_c(model_of(1), tmp_path, "inverse_dynamics", name="m")
    text = paths[1].read_text()
    assert "tau[0] = " in text
    paths[1].write_text(text.replace("tau[0] = ", "tau[0] = 1e-6 + "))
    assert built(tmp_path, paths).returncode == 1


@needs_compiler
def test_names_that_c_does_not_have(tmp_path):
    builder = lo.Builder("3-link */ arm; int main", base="fixed")
    builder.body("a", inertia=lo.Inertia(1.0, (0.1, 0, 0)), joint=lo.Joint("*/ #error"))
    paths = lo.write_c(builder.build(), tmp_path, "inverse_dynamics")
    assert paths[0].name == "model_3_link____arm__int_main.h"
    assert built(tmp_path, paths).returncode == 0


@needs_compiler
def test_it_is_c_plus_plus_too(tmp_path):
    paths = lo.write_c(model_of(1), tmp_path, "mass_matrix", name="m")
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    main = tmp_path / "main.cpp"
    main.write_text('#include "m.h"\nint main() { return M_NV < 0; }\n')
    done = subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-c", str(main), "-o", str(tmp_path / "main.o")])
    assert done.returncode == 0 and paths[0].exists()


def test_what_cannot_be_written(tmp_path):
    model = model_of(1)
    with pytest.raises(lo.ModelError, match="jacobian needs body, which C code has no word for"):
        lo.write_c(model, tmp_path, "jacobian")
    with pytest.raises(lo.UnknownName, match="did you mean 'mass_matrix'"):
        lo.write_c(model, tmp_path, ["mass_matrx"])
    (tmp_path / "file").write_text("")
    with pytest.raises(lo.FileError, match="cannot be made: its folder is not a folder"):
        lo.write_c(model, tmp_path / "file" / "inside", "mass_matrix")
