"""Specialised functions of random models against the public ones, and where their code is kept."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from mechanisms import KINDS, SEEDED, case_of, random_description, relative

import locomote as lo
from locomote.compiled import library
from locomote.compiled.emit import emitted
from locomote.compiled.kernel import RowKernel
from locomote.compiled.program import traced
from locomote.compiled.vectors import Lanes
from locomote.compiler import disk as store
from locomote.compiler.disk import cache_folder
from locomote.dynamics.dispatch import SPECIALISED
from locomote.symbolic.functions import FUNCTIONS

TOLERANCE, SOLVED = 1e-12, 1e-11
SEEDS = range(6)
ROWS = 13  # no multiple of any number of lanes


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache of its own, and no specialised functions of other tests."""
    monkeypatch.setenv("LOCOMOTE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("locomote.dynamics.dispatch.SPECIALISED", SPECIALISED)
    SPECIALISED.clear()
    yield tmp_path / "cache"
    SPECIALISED.clear()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A cache for tests that want the code of one model many times."""
    return tmp_path_factory.mktemp("kept")


def small_case(seed):
    """Few bodies; with added inertia, coupled joints and what else there is."""
    kinds = SEEDED if seed < 12 else KINDS[12:]
    return case_of(random_description(seed, bodies=4, kinds=kinds, added=seed % 3 == 0, coupled=seed % 2 == 0), seed)


def inputs(case, name):
    """Batches for a function, by the names of its inputs."""
    rng, model = case.rng(90), case.model
    given = {"q": np.concatenate([[case.q], model.random(rng, ROWS - 1)])}
    for label in ("v", "a", "tau"):
        given[label] = np.concatenate([[getattr(case, label, case.v)], rng.normal(size=(ROWS - 1, model.nv))])
    return [given[label] for label in FUNCTIONS[name].inputs]


def place(case, name):
    """Further arguments of a function."""
    given = {"body": case.model.body_names[-1], "point": (0.1, -0.2, 0.3), "frame": "aligned"}
    given["imposed"] = [name for name in case.model.joint_names[::2] if not case.model.joint(name).coupled]
    return {option: given[option] for option in FUNCTIONS[name].options}


def test_the_models_have_every_kind_of_joint():
    assert {joint.kind for seed in range(13) for joint in small_case(seed).reference.joints} == set(KINDS)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_function_of_random_models(name, seed):
    case = small_case(seed)
    given, options = inputs(case, name), place(case, name)
    expected = getattr(lo, name)(case.model, *given, **options)
    kernel = getattr(lo.compile(case.model, {name: options}), name)
    got = kernel(*given)
    several = isinstance(expected, tuple)
    solved = name.startswith(("forward_dynamics", "hybrid"))
    for ours, theirs in zip(got if several else [got], expected if several else [expected], strict=True):
        assert ours.shape == theirs.shape
        rows = range(1) if solved else range(ROWS)  # only the first state is known to be well conditioned
        assert relative(ours[rows], theirs[rows]) < (SOLVED if solved else TOLERANCE)


@pytest.mark.parametrize("seed", range(6, 13))
def test_the_other_kinds_of_joints(seed):
    case = small_case(seed)
    for name in ("inverse_dynamics", "mass_matrix"):
        given = inputs(case, name)
        got = getattr(lo.compile(case.model, name), name)(*given)
        assert relative(got, getattr(lo, name)(case.model.edited(name="other"), *given)) < TOLERANCE


@pytest.mark.parametrize("piece", [1, 7, 40])
def test_cuts_lose_nothing(piece):
    """However short the pieces, values that cross from one to another arrive."""
    case, lanes = small_case(2), Lanes(4)
    for name in ("inverse_dynamics", "forward_dynamics"):
        given = inputs(case, name)
        program, shapes = traced(case.model, name, {})
        module = emitted(program, lanes, piece)
        kernel = RowKernel(lanes, library.Code(library.object_code(module.text), module.scratch, program.inputs, shapes, 0))
        expected = getattr(lo, name)(case.model, *given)
        assert relative(kernel.run([np.ascontiguousarray(x) for x in given])[0][0], expected[0]) < SOLVED


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_every_number_of_lanes(lanes):
    case = small_case(2)
    given = inputs(case, "inverse_dynamics")
    got = lo.compile(case.model, "inverse_dynamics", lanes=lanes).inverse_dynamics(*given)
    SPECIALISED.clear()
    assert relative(got, lo.inverse_dynamics(case.model, *given)) < TOLERANCE


@pytest.mark.parametrize("lanes", ["auto", 4, 16])
def test_single_precision(lanes):
    case = small_case(4)
    given = inputs(case, "inverse_dynamics")
    got = lo.compile(case.model, "inverse_dynamics", lanes=lanes, dtype="float32").inverse_dynamics(*given)
    assert got.dtype == np.float32 and not SPECIALISED
    assert 0 < relative(got.astype(float), lo.inverse_dynamics(case.model, *given)) < 1e-5


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 9, 63, 64, 65, 200])
def test_public_functions_use_it_for_batches(threads, count, kept, monkeypatch):
    monkeypatch.setenv("LOCOMOTE_CACHE_DIR", str(kept))
    case = small_case(2)
    model, rng = case.model, case.rng(91)
    q, v, a = model.random(rng, count), rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))
    calls = {
        "inverse_dynamics": (q, v, a), "forward_dynamics": (q, v, a), "mass_matrix": (q,),
        "inverse_dynamics_derivatives": (q, v, a), "forward_dynamics_derivatives": (q, v, a),
    }  # fmt: skip
    before = {name: getattr(lo, name)(model, *given) for name, given in calls.items()}
    lo.compile(model)
    used = []
    for name, kernel in ((key[1], kernel) for key, kernel in SPECIALISED.items()):
        run = kernel.run
        monkeypatch.setattr(kernel, "run", lambda *x, run=run, name=name: (used.append(name), run(*x))[1])
    for name, given in calls.items():
        now = getattr(lo, name)(model, *given, threads=threads)
        for ours, theirs in zip(np.atleast_1d(now), np.atleast_1d(before[name]), strict=True):
            assert ours.shape == theirs.shape
            assert np.allclose(ours, theirs, rtol=1e-7, atol=1e-9 * abs(theirs).max(initial=1.0))
    assert sorted(set(used)) == (sorted(calls) if count >= 8 else []) or count in (4, 5)


def test_shapes_and_broadcasting_as_in_public_functions():
    case = small_case(1)
    model, rng = case.model, case.rng(92)
    kernel = lo.compile(model, "inverse_dynamics").inverse_dynamics
    q, v, a = model.random(rng, (2, 3)), rng.normal(size=(3, model.nv)), rng.normal(size=model.nv)
    assert relative(kernel(q, v, a), lo.inverse_dynamics(model, q, v, a)) < TOLERANCE
    assert kernel(q[0, 0], v[0], a).shape == (model.nv,)
    assert kernel(np.asfortranarray(q), v, a).shape == (2, 3, model.nv)


def test_wrong_states_are_still_refused():
    model = small_case(1).model
    kernel = lo.compile(model, "inverse_dynamics").inverse_dynamics
    good = np.zeros((5, model.nv))
    with pytest.raises(ValueError, match="q has shape"):
        kernel(np.zeros((5, model.nq + 1)), good, good)
    with pytest.raises(ValueError, match=r"v\[0, 0\] is nan"):
        kernel(np.tile(model.neutral(), (5, 1)), good + np.nan, good)
    with pytest.raises(ValueError, match="inverse_dynamics takes q, v, a: 3 arrays, not 2"):
        kernel(model.neutral(), good)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"functions": "inverse_dynamic"}, "did you mean 'inverse_dynamics'"),
        ({"lanes": 3}, "lanes must be 'auto' or one of 2, 4, 8 for float64, not 3"),
        ({"lanes": True}, "lanes must be"),
        ({"dtype": "float16"}, "dtype must be 'float64' or 'float32', not 'float16'"),
        ({"functions": {"jacobian": {"body": "foot"}}}, "no body named 'foot'"),
    ],
)
def test_wrong_calls(arguments, sentence):
    with pytest.raises((ValueError, KeyError), match=sentence):
        lo.compile(small_case(1).model, **arguments)


def test_it_goes_through_pickle():
    model = small_case(1).model
    made = lo.compile(model, {"jacobian": {"body": model.body_names[-1]}})
    back = pickle.loads(pickle.dumps(made))
    q = np.tile(model.neutral(), (4, 1))
    assert "from disk" in str(back) and np.array_equal(back.jacobian(q), made.jacobian(q))


def test_a_model_is_needed():
    with pytest.raises(TypeError, match="expected a lo.Model, not 'anymal.urdf'; lo.load reads one from a file"):
        lo.compile("anymal.urdf")  # type: ignore[arg-type]


def test_long_functions_are_left_to_lanes(monkeypatch, folder):
    monkeypatch.setattr("locomote.compiled.kernel.LIMIT", 100)
    model = small_case(1).model
    made = lo.compile(model, "inverse_dynamics")
    assert "inverse_dynamics: not specialised" in str(made) and not SPECIALISED
    with pytest.raises(AttributeError, match="no specialised function 'inverse_dynamics' here; there are: none"):
        made.inverse_dynamics
    assert str(lo.compile(model, "inverse_dynamics")) == str(made)  # and this is known without tracing again
    assert len(list(folder.rglob("*.o"))) == 1


def test_code_is_kept_and_damage_is_noticed(folder):
    model = small_case(1).model
    first = lo.compile(model, "mass_matrix")
    assert "compiled in" in str(first)
    assert "from disk in" in str(lo.compile(model, "mass_matrix"))
    (file,) = folder.rglob("*.o")
    good = file.read_bytes()
    for damaged in (b"", b"{}\n", good[:-1], good[:-40] + b"x" * 40, b"\x00" * 100, b"[1]\n" + good):
        file.write_bytes(damaged)
        assert "compiled in" in str(lo.compile(model, "mass_matrix"))
        assert file.read_bytes()[-100:] == good[-100:]
    assert "compiled in" in str(lo.compile(model, "mass_matrix", lanes=2))
    assert "compiled in" in str(lo.compile(model.edited(gravity=(0.0, 0.0, -1.6)), "mass_matrix"))


def test_no_place_to_keep_code_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOCOMOTE_CACHE_DIR", str(tmp_path / "file"))
    model = small_case(1).model
    kernel = lo.compile(model, "mass_matrix").mass_matrix
    assert relative(kernel(np.tile(model.neutral(), (4, 1)))[0], lo.mass_matrix(model, model.neutral())) < TOLERANCE


def test_a_full_disk_leaves_nothing_behind(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "replace", full)
    lo.compile(small_case(1).model, "mass_matrix")
    assert [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".kernel"] == []


def test_processes_side_by_side(folder):
    program = """
import numpy as np, locomote as lo
model = lo.systems.load("quadruped").model
kernel = lo.compile(model, ["mass_matrix", "gravity_force"]).mass_matrix
print(float(abs(kernel(np.tile(model.neutral(), (8, 1)))).sum()))
"""

    def run(_):
        environment = os.environ | {"LOCOMOTE_CACHE_DIR": str(cache_folder())}
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(run, range(4)))
    assert [d.stderr for d in done] == [""] * 4
    assert len({d.stdout for d in done}) == 1
    assert len(list(folder.rglob("*.o"))) == 2
