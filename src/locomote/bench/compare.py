"""The comparisons: one state at a time, one call from Python, batches on lanes; against Pinocchio and MuJoCo."""

import importlib.util
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from locomote.bench import loops
from locomote.bench.models import states
from locomote.bench.peers import mujoco_model, pinocchio_model
from locomote.bench.timing import side_by_side
from locomote.dynamics import derivatives, forces, kinematics, matrices
from locomote.dynamics.function import shape_at
from locomote.model.model import Model

FUNCTIONS = tuple(loops.TIMED)
BLOCK = 64  # rows of a batch whose results stay in the cache


def has(package: str) -> bool:
    """Whether a package is installed."""
    return importlib.util.find_spec(package) is not None


def pinocchio_calls(model: Model, q, v, a, cpp=None, written: bool = False) -> dict:
    """A loop over all states in Pinocchio for each function: its C++ where it can be had, else calls from Python.

    written : keep the results of all states, where it can be told
    """
    pin: Any = import_module("pinocchio")

    twin = pinocchio_model(model)
    if cpp is not None:
        return cpp.loops(twin, q, v, a, written)
    data, pool, out = twin.createData(), pin.ModelPool(twin, 1), np.empty((model.nv, len(q)), order="F")
    qf, vf, af = (np.asfortranarray(x.T) for x in (q, v, a))
    return {
        FUNCTIONS[0]: lambda: pin.rneaInParallel(1, pool, qf, vf, af, out),
        FUNCTIONS[1]: lambda: pin.abaInParallel(1, pool, qf, vf, af, out),
        FUNCTIONS[2]: lambda: [pin.crba(twin, data, x) for x in q],
        FUNCTIONS[3]: lambda: [pin.computeRNEADerivatives(twin, data, x, y, z) for x, y, z in zip(q, v, a, strict=True)],
        FUNCTIONS[4]: lambda: [pin.computeABADerivatives(twin, data, x, y, z) for x, y, z in zip(q, v, a, strict=True)],
    }


def check_against_pinocchio(model: Model) -> None:
    """Refuse to time two programs that do not agree."""
    pin: Any = import_module("pinocchio")

    twin = pinocchio_model(model)
    q, v, a = (x[0].copy() for x in states(model, 1))
    theirs = pin.rnea(twin, twin.createData(), q, v, a)
    ours = forces.inverse_dynamics(model, q, v, a)
    if not np.allclose(ours, theirs, rtol=0, atol=1e-9 * abs(theirs).max()):
        raise RuntimeError(f"inverse dynamics of {model.name!r} differs from Pinocchio's by {abs(ours - theirs).max():.3g}")


def room_for(title: str, model: Model, count: int) -> list[np.ndarray]:
    """Results of `count` states, to be filled again and again."""
    return [np.zeros((count, *shape_at(x, model))) for x in loops.TIMED[title].recursion.outputs]


def one_at_a_time(model: Model, q, v, a) -> dict:
    """A compiled loop over all states for each function; matrices of all states go to the same place."""
    tree, calls = (model._topology, model._constants), {}
    for title, loop in loops.LOOPS.items():
        inputs = (q, v, a)[: len(loops.TIMED[title].recursion.inputs)]
        results = [x if x.ndim == 2 else x[0] for x in room_for(title, model, len(q))]
        calls[title] = partial(loop, *tree, *inputs, *results)
    return calls


def on_lanes(model: Model, q, v, a) -> dict:
    """The batch kernels on row-major arrays, packing included, results written to memory that is reused."""
    return {
        title: partial(x.fill, model, (q, v, a)[: len(x.recursion.inputs)], room_for(title, model, len(q)), 1)
        for title, x in loops.TIMED.items()
    }


def compare_with_pinocchio(model: Model, rounds: int, cpp=None) -> list[dict]:
    """Microseconds a state and ratios, for each function."""
    check_against_pinocchio(model)
    q, v, a = states(model, BLOCK)
    ours, lanes, theirs = one_at_a_time(model, q, v, a), on_lanes(model, q, v, a), pinocchio_calls(model, q, v, a, cpp)
    rows = []
    for name in FUNCTIONS:
        best = side_by_side({"one": ours[name], "lanes": lanes[name], "pinocchio": theirs[name]}, rounds)
        rows.append(
            {
                "model": model.name, "function": name, "pinocchio_us": best["pinocchio"] / BLOCK * 1e6,
                "one_us": best["one"] / BLOCK * 1e6, "one_ratio": best["pinocchio"] / best["one"],
                "lanes_us": best["lanes"] / BLOCK * 1e6, "lanes_ratio": best["pinocchio"] / best["lanes"],
            }
        )  # fmt: skip
    return rows


def compare_python_calls(model: Model, rounds: int) -> list[dict]:
    """One call from Python with arrays that are there, ours and Pinocchio's."""
    pin: Any = import_module("pinocchio")

    twin = pinocchio_model(model)
    data = twin.createData()
    q, v, a = (x[0].copy() for x in states(model, 1))
    pairs = {
        FUNCTIONS[0]: (lambda: forces.inverse_dynamics(model, q, v, a), lambda: pin.rnea(twin, data, q, v, a)),
        FUNCTIONS[1]: (lambda: forces.forward_dynamics(model, q, v, a), lambda: pin.aba(twin, data, q, v, a)),
        FUNCTIONS[2]: (lambda: matrices.mass_matrix(model, q), lambda: pin.crba(twin, data, q)),
        FUNCTIONS[3]: (
            lambda: derivatives.inverse_dynamics_derivatives(model, q, v, a),
            lambda: pin.computeRNEADerivatives(twin, data, q, v, a),
        ),
        FUNCTIONS[4]: (
            lambda: derivatives.forward_dynamics_derivatives(model, q, v, a),
            lambda: pin.computeABADerivatives(twin, data, q, v, a),
        ),
        "forward kinematics": (
            lambda: kinematics.forward_kinematics(model, q),
            lambda: pin.forwardKinematics(twin, data, q),
        ),
    }
    rows = []
    for name, (ours, theirs) in pairs.items():
        best = side_by_side({"call": ours, "pinocchio": theirs}, rounds)
        rows.append(
            {
                "model": model.name, "function": name, "pinocchio_us": best["pinocchio"] * 1e6,
                "call_us": best["call"] * 1e6, "call_ratio": best["pinocchio"] / best["call"],
            }
        )  # fmt: skip
    return rows


def compare_with_mujoco(model: Model, rounds: int) -> list[dict]:
    """`mj_inverse` and `mj_forward` from a Python loop over states, against our loop without Python; see the docs page."""
    mujoco: Any = import_module("mujoco")

    twin = mujoco_model(model)
    data = mujoco.MjData(twin)
    q, v, a = states(model, BLOCK)
    ours = one_at_a_time(model, q, v, a)
    data.qpos[:] = q[0]
    data.qvel[:] = v[0]
    data.qacc[:] = a[0]
    rows = []
    for name, call in ((FUNCTIONS[0], mujoco.mj_inverse), (FUNCTIONS[1], mujoco.mj_forward)):
        best = side_by_side({"one": ours[name], "mujoco": lambda call=call: call(twin, data)}, rounds)
        rows.append(
            {
                "model": model.name, "function": name, "mujoco_us": best["mujoco"] * 1e6,
                "one_us": best["one"] / BLOCK * 1e6, "mujoco_ratio": best["mujoco"] / (best["one"] / BLOCK),
            }
        )  # fmt: skip
    return rows
