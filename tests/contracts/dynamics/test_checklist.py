"""One checklist over every public function: what it accepts, what it refuses and how, and what it leaves alone."""

import mechanisms
import numpy as np
import pytest
import xarray
from mechanisms import relative
from public_calls import CALLS, NO_ARRAYS, OF_Q, OF_RODS, arguments, results

from locomote import public

# free base without and with added inertia, coupled joints, fixed base
CASES = [15, 8, 21, "arm"]


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return mechanisms.case(request.param)


@pytest.fixture(params=CALLS)
def call(request):
    """(name, the arrays it takes, the call)."""
    return request.param, *CALLS[request.param]


def test_every_public_function_is_in_the_list():
    homes = public.homes() | public.homes("rods")
    functions = {name for name, home in homes.items() if home.startswith("locomote.dynamics.") and name.islower()}
    listed = {name.split()[0] for name in CALLS if not name.startswith("Model.")}
    assert functions == listed | NO_ARRAYS | OF_RODS


def test_results_are_finite_floats(case, call):
    name, _, run = call
    for array in results(run(case.model, arguments(case))):
        assert np.asarray(array).dtype == np.float64
        assert np.isfinite(array).all()


def test_inputs_are_untouched(case, call):
    name, takes, run = call
    given = arguments(case)
    before = {key: given[key].copy() for key in takes}
    run(case.model, given)
    many = {key: np.stack([array] * 9) for key, array in given.items()}
    run(case.model, many)
    for key in takes:
        assert np.array_equal(given[key], before[key]), key
        assert np.array_equal(many[key], np.stack([before[key]] * 9)), key


def test_results_are_new(case, call):
    """Writing into a result changes neither the inputs nor the next result."""
    name, takes, run = call
    given = arguments(case)
    first = [np.array(array) for array in results(run(case.model, given))]
    again = results(run(case.model, given))
    for array in again:
        if np.ndim(array):
            assert not any(np.shares_memory(array, given[key]) for key in takes)
            array[...] = 7.0
    for ours, theirs in zip(results(run(case.model, given)), first, strict=True):
        assert np.array_equal(ours, theirs)


def strided(array):
    """The same numbers, every second place of a larger array."""
    wide = np.full((*array.shape[:-1], 2 * array.shape[-1]), np.nan)
    wide[..., ::2] = array
    return wide[..., ::2]


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


class Labelled(np.ndarray):
    """An array of somebody else's library."""


FORMS = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "strided": strided,
    "fortran": np.asfortranarray,
    "read-only": frozen,
    "reversed": lambda x: x[..., ::-1].copy()[..., ::-1],
    "big endian": lambda x: x.astype(">f8"),
    "object": lambda x: x.astype(object),
    "subclass": lambda x: x.view(Labelled),
    "masked nowhere": lambda x: np.ma.array(x, mask=False),
    "xarray": xarray.DataArray,
}


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_array_will_do(case, call, form):
    name, takes, run = call
    given = arguments(case)
    expected = results(run(case.model, given))
    changed = given | {key: FORMS[form](given[key]) for key in takes}
    for ours, theirs in zip(results(run(case.model, changed)), expected, strict=True):
        assert relative(ours, theirs) < 1e-12
        assert np.asarray(ours).dtype == np.float64


@pytest.mark.parametrize("form", ["fortran", "strided", "read-only"])
def test_any_form_of_batch_will_do(case, call, form):
    name, takes, run = call
    given = {key: np.stack([array] * 9) for key, array in arguments(case).items()}
    expected = results(run(case.model, given))
    changed = given | {key: FORMS[form](given[key]) for key in takes}
    for ours, theirs in zip(results(run(case.model, changed)), expected, strict=True):
        assert relative(ours, theirs) < 1e-12


def test_an_empty_batch_has_empty_results(case, call):
    name, takes, run = call
    given = arguments(case)
    expected = results(run(case.model, given))
    none = given | {key: np.stack([given[key]] * 2)[:0] for key in takes}
    for ours, theirs in zip(results(run(case.model, none)), expected, strict=True):
        assert ours.shape == (0, *np.shape(theirs))


def test_single_precision_is_widened(case, call):
    name, takes, run = call
    given = {key: array.astype(np.float32) for key, array in arguments(case).items()}
    wide = {key: array.astype(np.float64) for key, array in given.items()}
    for ours, theirs in zip(results(run(case.model, given)), results(run(case.model, wide)), strict=True):
        assert np.asarray(ours).dtype == np.float64
        assert relative(ours, theirs) < 1e-12


def test_whole_numbers_are_numbers(case, call):
    """Integer and boolean arrays count as floats."""
    name, takes, run = call
    given = arguments(case)
    neutral = case.model.neutral().astype(int)
    for key in takes:
        given[key] = neutral if key in OF_Q else np.ones(given[key].shape, int)
    wide = {key: array.astype(float) for key, array in given.items()}
    for ours, theirs in zip(results(run(case.model, given)), results(run(case.model, wide)), strict=True):
        assert relative(ours, theirs) < 1e-12


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_a_number_is_refused(case, call, bad):
    name, takes, run = call
    for key in takes:
        given = arguments(case)
        given[key][..., -1] = bad
        with pytest.raises(ValueError, match="finite"):
            run(case.model, given)
        many = {k: np.stack([array] * 9) for k, array in arguments(case).items()}
        many[key][5, ..., -1] = bad
        with pytest.raises(ValueError, match=rf"(?s){'wrench' if key == 'wrenches' else key}.*finite"):
            run(case.model, many)


def test_wrong_length_is_refused(case, call):
    name, takes, run = call
    for key in takes:
        for wrong in (lambda x: x[..., :-1], lambda x: np.concatenate([x, x[..., :1]], axis=-1), lambda x: x.ravel()[0]):
            given = arguments(case)
            given[key] = wrong(given[key])
            with pytest.raises(ValueError, match=rf"(?s){key}.* has shape .*expected"):
                run(case.model, given)


def test_what_is_no_array_is_refused(case, call):
    name, takes, run = call
    for key in takes:
        for wrong in ("upright", {"a": 1}, [[1.0], [1.0, 2.0]]):
            if key == "wrenches" and isinstance(wrong, dict):
                continue
            given = arguments(case)
            given[key] = wrong
            with pytest.raises(ValueError, match=rf"(?s){key}.*(number|shape)"):
                run(case.model, given)


def test_complex_numbers_are_refused(case, call):
    """An imaginary part must not be dropped in silence."""
    name, takes, run = call
    for key in takes:
        given = arguments(case)
        given[key] = given[key] + 1j
        with pytest.raises(ValueError, match=rf"(?s){key}"):
            run(case.model, given)


def test_none_is_refused(case, call):
    name, takes, run = call
    for key in takes:
        if key != "wrenches":
            given = arguments(case)
            given[key] = None
            with pytest.raises(ValueError, match=rf"(?s){key}.*(number|shape)"):
                run(case.model, given)


def test_quaternions_must_be_unit(case, call):
    name, takes, run = call
    start = next(
        (case.model.joint(n).q.stop - 4 for n in case.model.joint_names if case.model.joint(n).kind in ("free", "spherical")),
        None,
    )
    if start is None or name == "Model.normalize":
        return
    for key in set(takes) & set(OF_Q):
        given = arguments(case)
        given[key][start : start + 4] *= 1 + 2e-5
        with pytest.raises(ValueError, match=rf"(?s)quaternion of joint .* in {key}\[.*norm.*normalize"):
            run(case.model, given)
        many = {k: np.stack([array] * 9) for k, array in arguments(case).items()}
        many[key][8, start : start + 4] *= 1 - 2e-5
        with pytest.raises(ValueError, match=rf"(?s)quaternion of joint .* in {key}\[.*norm.*normalize"):
            run(case.model, many)
        within = arguments(case)
        within[key][start : start + 4] *= 1 + 5e-7
        run(case.model, within)


def test_batches_that_do_not_fit_are_refused(case, call):
    name, takes, run = call
    if len(takes) < 2:
        return
    given = {key: np.stack([array] * (9 - n)) for n, (key, array) in enumerate((k, arguments(case)[k]) for k in takes)}
    with pytest.raises(ValueError, match="leading batch dimensions .* do not fit together"):
        run(case.model, given)
