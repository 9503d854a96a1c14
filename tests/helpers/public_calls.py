"""Every public function of the dynamics as one call on named arrays, so that one checklist covers them all."""

import numpy as np

import locomote as lo

# name -> (arrays that it takes, call)
CALLS = {
    "inverse_dynamics": (("q", "v", "a"), lambda m, x: lo.inverse_dynamics(m, x["q"], x["v"], x["a"])),
    "inverse_dynamics loaded": (
        ("q", "v", "a", "wrenches"),
        lambda m, x: lo.inverse_dynamics(m, x["q"], x["v"], x["a"], wrenches=x["wrenches"]),
    ),
    "forward_dynamics": (("q", "v", "tau"), lambda m, x: lo.forward_dynamics(m, x["q"], x["v"], x["tau"])),
    "forward_dynamics loaded": (
        ("q", "v", "tau", "wrenches"),
        lambda m, x: lo.forward_dynamics(m, x["q"], x["v"], x["tau"], wrenches=x["wrenches"]),
    ),
    "hybrid_dynamics": (
        ("q", "v", "tau", "a"),
        lambda m, x: lo.hybrid_dynamics(m, x["q"], x["v"], x["tau"], x["a"], [m.joint_names[0]]),
    ),
    "hybrid_dynamics loaded": (
        ("q", "v", "tau", "a", "wrenches"),
        lambda m, x: lo.hybrid_dynamics(m, x["q"], x["v"], x["tau"], x["a"], m.joint_names[-1:], wrenches=x["wrenches"]),
    ),
    "bias_force": (("q", "v"), lambda m, x: lo.bias_force(m, x["q"], x["v"])),
    "gravity_force": (("q",), lambda m, x: lo.gravity_force(m, x["q"])),
    "passive_force": (("q", "v"), lambda m, x: lo.passive_force(m, x["q"], x["v"])),
    "mass_matrix": (("q",), lambda m, x: lo.mass_matrix(m, x["q"])),
    "coriolis_matrix": (("q", "v"), lambda m, x: lo.coriolis_matrix(m, x["q"], x["v"])),
    "joint_wrenches": (("q", "v", "a"), lambda m, x: lo.joint_wrenches(m, x["q"], x["v"], x["a"])),
    "joint_wrenches loaded": (
        ("q", "v", "a", "wrenches"),
        lambda m, x: lo.joint_wrenches(m, x["q"], x["v"], x["a"], wrenches=x["wrenches"]),
    ),
    "forward_kinematics": (("q",), lambda m, x: lo.forward_kinematics(m, x["q"])),
    "motion": (("q", "v", "a"), lambda m, x: lo.motion(m, x["q"], x["v"], x["a"])),
    "motion aligned": (("q", "v", "a"), lambda m, x: lo.motion(m, x["q"], x["v"], x["a"], frame="aligned")),
    "jacobian": (("q",), lambda m, x: lo.jacobian(m, x["q"], m.body_names[-1])),
    "jacobian_rate": (("q", "v"), lambda m, x: lo.jacobian_rate(m, x["q"], x["v"], m.body_names[-1])),
    "velocity": (("q", "v"), lambda m, x: lo.velocity(m, x["q"], x["v"], m.body_names[-1])),
    "acceleration": (("q", "v", "a"), lambda m, x: lo.acceleration(m, x["q"], x["v"], x["a"], m.body_names[-1])),
    "velocity at a point": (
        ("q", "v"),
        lambda m, x: lo.velocity(m, x["q"], x["v"], m.body_names[-1], point=(0.1, 0.2, 0), frame="world"),
    ),
    "acceleration at a point": (
        ("q", "v", "a"),
        lambda m, x: lo.acceleration(
            m, x["q"], x["v"], x["a"], m.body_names[-1], point=np.array([0.1, 0.2, 0.3]), frame="aligned"
        ),
    ),
    "momentum": (("q", "v"), lambda m, x: lo.momentum(m, x["q"], x["v"])),
    "momentum_matrix": (("q",), lambda m, x: lo.momentum_matrix(m, x["q"])),
    "momentum_rate": (("q", "v", "a"), lambda m, x: lo.momentum_rate(m, x["q"], x["v"], x["a"])),
    "center_of_mass": (("q",), lambda m, x: lo.center_of_mass(m, x["q"])),
    "kinetic_energy": (("q", "v"), lambda m, x: lo.kinetic_energy(m, x["q"], x["v"])),
    "potential_energy": (("q",), lambda m, x: lo.potential_energy(m, x["q"])),
    "spring_energy": (("q",), lambda m, x: lo.spring_energy(m, x["q"])),
    "inverse_dynamics_derivatives": (
        ("q", "v", "a"),
        lambda m, x: lo.inverse_dynamics_derivatives(m, x["q"], x["v"], x["a"]),
    ),
    "forward_dynamics_derivatives": (
        ("q", "v", "tau"),
        lambda m, x: lo.forward_dynamics_derivatives(m, x["q"], x["v"], x["tau"]),
    ),
    "inverse_dynamics_derivatives loaded": (
        ("q", "v", "a", "wrenches"),
        lambda m, x: lo.inverse_dynamics_derivatives(m, x["q"], x["v"], x["a"], wrenches=x["wrenches"]),
    ),
    "forward_dynamics_derivatives loaded": (
        ("q", "v", "tau", "wrenches"),
        lambda m, x: lo.forward_dynamics_derivatives(m, x["q"], x["v"], x["tau"], wrenches=x["wrenches"]),
    ),
    "regressor": (("q", "v", "a"), lambda m, x: lo.regressor(m, x["q"], x["v"], x["a"])),
    "Model.integrate": (("q", "dv"), lambda m, x: m.integrate(x["q"], x["dv"])),
    "Model.difference": (("q0", "q1"), lambda m, x: m.difference(x["q0"], x["q1"])),
    "Model.normalize": (("q",), lambda m, x: m.normalize(x["q"])),
}
# functions of a model alone, searches, and one that gives a function (tests/laws/dynamics/test_gauss.py)
NO_ARRAYS = {"inertial_parameters", "base_parameters", "inverse_kinematics", "all_inverse_kinematics", "workspace", "gauss"}
# of models that have rods or modes: tests/laws/kernels/flexible/test_rods.py, test_modes.py
OF_RODS = {"sections", "section_forces", "deformed"}
OF_Q = ("q", "q0", "q1")


def arguments(case):
    """Arrays of a case under the names that the calls use."""
    wrenches = np.zeros((len(case.model.body_names), 6))
    for name, wrench in case.wrenches.items():
        wrenches[case.model.body(name).index] = wrench
    other = case.model.integrate(case.q, 0.1 * case.v)
    given = {"q": case.q, "v": case.v, "a": case.a, "tau": case.tau, "dv": case.v, "q0": case.q, "q1": other}
    return {name: np.array(array) for name, array in (given | {"wrenches": wrenches}).items()}


def results(value):
    """All arrays of a result."""
    return list(value) if isinstance(value, tuple) else [value]
