"""The package as a whole: what an import does, which folder may import which, and life without a compiler."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import locomote as lo
from locomote import public

PACKAGE = Path(lo.__file__).resolve().parent
# imports go one way: a module may use its own folder and those before it
ORDER = [
    "errors", "files", "later", "public", "arguments", "tables", "brief", "quantities", "rods", "water",
    "compiler", "linear", "spatial", "law", "qp",  # numbers
    "model", "formats",  # bodies
    "kernels", "dynamics", "denoc",  # motion
    "geometry", "constraints", "contact", "forces",  # world
    "drives", "actuation", "evaluation", "methods",  # problem
    "runs", "locomotion", "control", "symbolic", "compiled", "gradients", "identification", "bridges", "gaits",  # answers
    "systems", "reopen", "sweeps", "learning", "view", "needed", "bench", "cli",
]  # fmt: skip
FILES = sorted(PACKAGE.rglob("*.py"))


def run(program, **environment):
    """A program in a fresh Python; its standard output."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)} | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_prints_nothing_and_compiles_nothing():
    program = """
import sys, json, warnings, logging
import numpy
before = {"errors": str(numpy.geterr()), "print": str(numpy.get_printoptions()), "filters": len(warnings.filters)}
handlers = list(logging.getLogger().handlers)
import locomote
after = {"errors": str(numpy.geterr()), "print": str(numpy.get_printoptions()), "filters": len(warnings.filters)}
assert before == after and handlers == logging.getLogger().handlers
heavy = ["numba", "llvmlite", "scipy", "casadi", "sympy", "matplotlib", "h5py", "pinocchio", "mujoco"]
sys.stderr.write(json.dumps([name for name in heavy if name in sys.modules]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert json.loads(done.stderr) == []


def test_import_starts_no_thread_and_writes_no_file(tmp_path):
    program = "import threading, locomote; print(threading.active_count())"
    assert run(program, LOCOMOTE_CACHE_DIR=str(tmp_path / "cache"), HOME=str(tmp_path)) == "1\n"
    assert list(tmp_path.iterdir()) == []


def test_every_public_name_is_there():
    for name in lo.__all__:
        assert getattr(lo, name) is not None
    assert set(lo.__all__) == set(dir(lo))


def test_every_public_function_says_what_it_does():
    for name, value in public.everything().items():
        if callable(value):
            assert value.__doc__ and len(value.__doc__) > 20, name


def imported(path):
    """Modules of the package that a file imports, at any depth of its code, with type-checking blocks left out."""
    tree = ast.parse(path.read_text())
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            skipped.update(id(inner) for inner in ast.walk(node))
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "locomote":
                yield from (f"locomote.{alias.name}" for alias in node.names)
            elif node.module and node.module.startswith("locomote."):
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "locomote")


def stage(parts):
    """The place of a folder or file in the order."""
    return ORDER.index(parts[0].removesuffix(".py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(path):
    own = path.relative_to(PACKAGE).parts
    if own in (("__init__.py",), ("__main__.py",)):
        return
    assert own[0].removesuffix(".py") in ORDER, f"{own[0]} has no place in the order; give it one"
    for module in imported(path):
        parts = module.split(".")[1:]
        if parts == ["__version__"]:
            continue
        assert parts, f"{path.name} imports the whole package"
        assert stage(parts) <= stage(own), f"{'/'.join(own)} imports {module}, which comes later"


def test_folders_do_not_hide_public_functions():
    """Python shows a folder under its name once anything in it was imported; `symbolic` can be called for that reason."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} | {path.stem for path in PACKAGE.glob("*.py")}
    assert folders & set(lo.__all__) <= {*public.FOLDERS, "symbolic"}


def test_package_file_imports_the_list_of_names_only():
    assert list(imported(PACKAGE / "__init__.py")) == ["locomote.public"]


def test_kernels_are_never_imported_by_models():
    """The description of a mechanism must be readable where no kernel can be compiled."""
    program = """
import sys, locomote as lo
lo.Joint("j"), lo.Body("b"), lo.Inertia(1.0)
print([name for name in sys.modules if name.startswith("locomote.kernels")])
"""
    assert run(program) == "[]\n"


WITHOUT_COMPILER = """
import numpy as np
import locomote as lo
box = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
added = 0.3 * np.eye(6)
model = (
    lo.Builder("small", base="free")
    .body("trunk", inertia=box, added_inertia=None if plain else added)
    .body("leg", parent="trunk", joint=lo.Joint("knee", axis=(0, 1, 1)), at=(0, 0, -0.4), inertia=box)
    .body("wheel", parent="leg", joint=lo.Joint("ball", "spherical"), at=(0, 0.1, -0.4), inertia=box)
    .build()
)
rng = np.random.default_rng(0)
q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
f = {"leg": rng.normal(size=6)}
numbers = [
    lo.inverse_dynamics(model, q, v, a), lo.inverse_dynamics(model, q, v, a, wrenches=f),
    lo.forward_dynamics(model, q, v, a), lo.forward_dynamics(model, q, v, a, wrenches=f),
    *lo.hybrid_dynamics(model, q, v, a, a, ["knee"]), lo.bias_force(model, q, v), lo.gravity_force(model, q),
    lo.mass_matrix(model, q), lo.coriolis_matrix(model, q, v), lo.forward_kinematics(model, q),
    lo.jacobian(model, q, "wheel"), lo.jacobian_rate(model, q, v, "wheel", frame="aligned"),
    lo.momentum(model, q, v), lo.momentum_rate(model, q, v, a), lo.center_of_mass(model, q),
    lo.kinetic_energy(model, q, v), lo.potential_energy(model, q), lo.regressor(model, q, v, a),
    *lo.inverse_dynamics_derivatives(model, q, v, a), *lo.forward_dynamics_derivatives(model, q, v, a),
    model.integrate(q, v), model.difference(q, model.integrate(q, v)),
]
for rows in (9, model.nq, model.nv) if batched else ():
    many = [np.tile(x, (rows, 1)) for x in (q, v, a)]
    numbers += [lo.inverse_dynamics(model, *many), lo.forward_dynamics(model, *many), lo.mass_matrix(model, many[0])]
    numbers += [*lo.inverse_dynamics_derivatives(model, *many), *lo.forward_dynamics_derivatives(model, *many)]
    numbers += [lo.forward_kinematics(model, many[0]), lo.jacobian(model, many[0], "wheel")]
print(" ".join(f"{x:.12e}" for array in numbers for x in np.ravel(array)))
"""


@pytest.mark.parametrize("batched", [False, True], ids=["single", "batch"])
@pytest.mark.parametrize("plain", [True, False], ids=["rigid", "added"])
def test_everything_runs_without_a_compiler(plain, batched):
    """With NUMBA_DISABLE_JIT, as for measuring coverage, and with the same numbers."""
    import numpy as np

    program = f"plain, batched = {plain}, {batched}\n{WITHOUT_COMPILER}"
    slow = np.array(run(program, NUMBA_DISABLE_JIT="1").split(), dtype=float)
    fast = np.array(run(program).split(), dtype=float)
    assert slow.shape == fast.shape and slow.size > 300
    assert np.allclose(slow, fast, rtol=1e-9, atol=1e-9)


def test_no_file_is_too_long():
    """A file is one idea; beyond 600 lines it is at least two."""
    long = {path.name: len(path.read_text().splitlines()) for path in FILES if len(path.read_text().splitlines()) > 600}
    assert long == {}


@pytest.mark.parametrize("looked_at", [False, True], ids=["run", "view"])
def test_a_run_imports_no_force_that_it_does_not_use(looked_at):
    """Snakeboards have none: what all terms share is there, and no law; nor are laws there for its pictures."""
    program = """
import sys, locomote as lo
system = lo.systems.load("snakeboard")
q, v = system.initial
run = system.problem().simulate(0.01, q=q, v=v, progress=False)
run.summary()
if looked_at:
    from locomote.view.build import scene_of
    from locomote.view.frames import frames_of
    frames_of(scene_of(run.model, run.problem, run.q), run, run.t[:3], forces=True)
print(*sorted(name for name in sys.modules if name.startswith(("locomote.forces.", "locomote.control", "locomote.symbolic"))))
"""
    shared = "acting added_inertia along kinds massless numbers plain samples terms".split()
    assert set(run(f"looked_at = {looked_at}\n{program}").split()) <= {f"locomote.forces.{name}" for name in shared}


def test_headers_name_modules_that_exist():
    """Backticks around a dotted name whose first word is a folder: a module, or a name of one."""
    modules = {".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__") for path in FILES}
    folders = {module.split(".")[0] for module in modules}
    for path in FILES:
        named = re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", path.read_text())
        strange = [n for n in named if n.split(".")[0] in folders and n not in modules and n.rpartition(".")[0] not in modules]
        assert not strange, f"{path.relative_to(PACKAGE)}: {strange}"
