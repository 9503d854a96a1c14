"""A user's program that the type checker must accept; pyright reads it, nobody runs it."""

from pathlib import Path

import numpy as np

import locomote as lo
from locomote.evaluation.protocol import Problem


def fall(path: Path) -> np.ndarray:
    """The acceleration of a robot that is let go."""
    model: lo.Model = lo.load(path, base="free", package_dirs=[path.parent])
    q: np.ndarray = model.neutral()
    return lo.forward_dynamics(model, q, np.zeros(model.nv), np.zeros(model.nv))


def kept(model: lo.Model, path: Path) -> str:
    """The model in a file, and as text."""
    lo.save(model, path.with_suffix(".xml"), unsupported="warn")
    return lo.write_urdf(model, path, visuals=False)


def masses(model: lo.Model) -> dict[str, float]:
    """Mass of every body, kg."""
    return {name: model.body(name).mass for name in model.body_names}


def pendulum(length: float) -> lo.Model:
    """A point mass on a rod."""
    builder = lo.Builder("pendulum", base="fixed").body("support")
    bob = lo.Inertia(1.0, com=(0.0, 0.0, -length))
    return builder.body("bob", parent="support", joint=lo.Joint("pivot", axis="y"), inertia=bob).build()


def gradients(model: lo.Model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How forces change with the configuration and the velocity."""
    derivatives = lo.inverse_dynamics_derivatives(model, q, v, a)
    return derivatives.q, derivatives.v


def tip(model: lo.Model, q: np.ndarray) -> np.ndarray:
    """Jacobian of the last body."""
    return lo.jacobian(model, q, model.body_names[-1], point=(0.0, 0.0, 0.1), frame="aligned")


def catalogue() -> list[float]:
    """Mass of every system, kg."""
    return [lo.systems.load(name).model.mass for name in lo.systems.names()]


def wiggle(model: lo.Model) -> lo.Trajectory:
    """A run of a cart that is steered."""
    problem = lo.Locomotion(
        model, drives={"steer": lo.Sine(0.5, 4.0, ramp=1.0)}, constraints=[lo.Blade("seat"), lo.Blade("bar", name="front")]
    )
    q, v = problem.initial()
    case: str = problem.classify(0.0, q).name
    reactions: np.ndarray = problem.evaluate(0.0, q, v).reactions
    assert case and len(reactions) == 2
    return problem.simulate(10.0, q=q, v=v, method="rk4", step=1e-3, events=[lo.When(lambda t, q, v: q[0], terminal=True)])


def torque(path: Path) -> np.ndarray:
    """A channel of a run on disk."""
    run: lo.Trajectory = lo.open_run(path)
    return run["steer.torque"] if run.audit.ok else lo.resume(path)["steer.torque"]


def identified(model: lo.Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Base parameters from measured torques."""
    base = lo.base_parameters(model)
    Y = lo.regressor(model, q, v, a)[..., base.columns].reshape(-1, base.rank)
    return np.linalg.lstsq(Y, tau.ravel(), rcond=None)[0]


def symbols(model: lo.Model) -> tuple[int, str, float]:
    """Operations, equations, and the fastest rate of small motions."""
    s = lo.symbolic(model, ["gravity"])
    count = lo.operation_count(model, "inverse_dynamics").total + s.inverse_dynamics.n_instructions()
    return count, str(lo.equations(model)), float(abs(lo.linearize(model).eigenvalues).max())


def runnable(problem: lo.Locomotion) -> Problem:
    """A problem has all that runs, contacts and steps by hand ask of it."""
    return problem
