"""Microseconds of one call from Python of every public function of the dynamics, for one state of the quadruped.

Plain float64 arrays, best of many rounds. Functions that an older version does not have are left out, so that two versions
can be compared: PYTHONPATH=OTHER/src python benchmarks/calls.py.
"""

import numpy as np

import locomote as lo
from locomote.bench.timing import side_by_side

ROUNDS = 40


def calls() -> dict:
    """Name -> a call without arguments."""
    model = lo.systems.load("quadruped").model
    rng = np.random.default_rng(0)
    q, (v, a, tau) = model.random(rng), rng.normal(size=(3, model.nv))
    other, body, joint = model.integrate(q, 0.1 * v), model.body_names[-1], model.joint_names[-1]
    loads = rng.normal(size=(len(model.body_names), 6))
    one, four = {body: loads[-1]}, dict(zip(model.body_names[-4:], loads, strict=False))
    point, mask = np.array([0.0, 0.0, -0.1]), np.arange(model.nv) >= 6
    found = {
        "inverse_dynamics": lambda: lo.inverse_dynamics(model, q, v, a),
        "inverse_dynamics, wrenches (bodies, 6)": lambda: lo.inverse_dynamics(model, q, v, a, wrenches=loads),
        "inverse_dynamics, wrench on one body": lambda: lo.inverse_dynamics(model, q, v, a, wrenches=one),
        "inverse_dynamics, wrenches on four bodies": lambda: lo.inverse_dynamics(model, q, v, a, wrenches=four),
        "forward_dynamics": lambda: lo.forward_dynamics(model, q, v, tau),
        "forward_dynamics, wrenches (bodies, 6)": lambda: lo.forward_dynamics(model, q, v, tau, wrenches=loads),
        "forward_dynamics, wrench on one body": lambda: lo.forward_dynamics(model, q, v, tau, wrenches=one),
        "hybrid_dynamics, booleans": lambda: lo.hybrid_dynamics(model, q, v, tau, a, mask),
        "hybrid_dynamics, names": lambda: lo.hybrid_dynamics(model, q, v, tau, a, [joint]),
        "hybrid_dynamics, wrenches (bodies, 6)": lambda: lo.hybrid_dynamics(model, q, v, tau, a, mask, wrenches=loads),
        "bias_force": lambda: lo.bias_force(model, q, v),
        "bias_force, wrenches (bodies, 6)": lambda: lo.bias_force(model, q, v, wrenches=loads),
        "gravity_force": lambda: lo.gravity_force(model, q),
        "passive_force": lambda: lo.passive_force(model, q, v),
        "mass_matrix": lambda: lo.mass_matrix(model, q),
        "coriolis_matrix": lambda: lo.coriolis_matrix(model, q, v),
        "forward_kinematics": lambda: lo.forward_kinematics(model, q),
        "motion": lambda: lo.motion(model, q, v, a),
        "motion, frame": lambda: lo.motion(model, q, v, a, frame="aligned"),
        "jacobian": lambda: lo.jacobian(model, q, body),
        "jacobian, point": lambda: lo.jacobian(model, q, body, point=point, frame="aligned"),
        "jacobian_rate": lambda: lo.jacobian_rate(model, q, v, body),
        "velocity": lambda: lo.velocity(model, q, v, body),
        "velocity, point": lambda: lo.velocity(model, q, v, body, point=point, frame="aligned"),
        "acceleration": lambda: lo.acceleration(model, q, v, a, body),
        "acceleration, point": lambda: lo.acceleration(model, q, v, a, body, point=point, frame="aligned"),
        "momentum": lambda: lo.momentum(model, q, v),
        "momentum_matrix": lambda: lo.momentum_matrix(model, q),
        "momentum_rate": lambda: lo.momentum_rate(model, q, v, a),
        "center_of_mass": lambda: lo.center_of_mass(model, q),
        "kinetic_energy": lambda: lo.kinetic_energy(model, q, v),
        "potential_energy": lambda: lo.potential_energy(model, q),
        "spring_energy": lambda: lo.spring_energy(model, q),
        "inverse_dynamics_derivatives": lambda: lo.inverse_dynamics_derivatives(model, q, v, a),
        "inverse_dynamics_derivatives, wrenches": lambda: lo.inverse_dynamics_derivatives(model, q, v, a, wrenches=loads),
        "forward_dynamics_derivatives": lambda: lo.forward_dynamics_derivatives(model, q, v, tau),
        "forward_dynamics_derivatives, wrenches": lambda: lo.forward_dynamics_derivatives(model, q, v, tau, wrenches=loads),
        "regressor": lambda: lo.regressor(model, q, v, a),
        "Model.integrate": lambda: model.integrate(q, v),
        "Model.difference": lambda: model.difference(q, other),
        "Model.normalize": lambda: model.normalize(q),
        "convert, q": lambda: lo.convert(model, q, to="mujoco"),
        "convert, v": lambda: lo.convert(model, v, kind="v", q=q, to="mujoco"),
    }
    there = set(lo.__all__) | set(dir(model))
    return {name: run for name, run in found.items() if name.split(",")[0].split(".")[-1] in there}


def main() -> None:
    """Print a table."""
    times = side_by_side(calls(), ROUNDS)
    width = max(map(len, times))
    for name, seconds in times.items():
        print(f"{name:{width}}  {1e6 * seconds:8.2f}")


if __name__ == "__main__":
    main()
