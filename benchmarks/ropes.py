"""A rope of many links on ball joints: energy, cost per link, and time to the same accuracy beside MuJoCo and Exudyn.

    python benchmarks/ropes.py [links]      beside others with so many links (100); needs mujoco, and exudyn if it is there

The rope is the system `rope`, held at one end, with a push to the side. Times are processor times of one thread, the least of
some runs where they are short. Errors are those of the free end against a run with a tolerance of 1e-12. MuJoCo takes the same
rope from a file that the library writes and steps with Runge and Kutta's method of fourth order; Exudyn has rigid bodies in
absolute coordinates (Euler parameters) with spherical joints, sparse matrices and the generalised-alpha method, its way for
constrained systems.
"""

import sys
import time

import numpy as np

import locomote as lo

END = 0.5  # s, of the comparison


def rope(links: int):
    """The problem, its start, and the place of the free end in the last link, m."""
    system = lo.systems.load("rope", links=links)
    return system.problem(), *system.initial, system.parameters["length"] / links


def free_end(model, q, size: float) -> np.ndarray:
    """Where it is, m."""
    pose = lo.forward_kinematics(model, q)[-1]
    return pose[:3, :3] @ [size, 0.0, 0.0] + pose[:3, 3]


def by_locomote(links: int, tolerance: float, end: float = END, rounds: int = 3):
    """Free end, seconds, run."""
    problem, q, v, size = rope(links)
    best, run = np.inf, None
    for _ in range(rounds):
        begun = time.process_time()
        run = problem.simulate(end, q=q, v=v, samples=np.linspace(0.0, end, 21), rtol=tolerance, atol=tolerance, progress=False)
        best = min(best, time.process_time() - begun)
    assert run is not None
    return free_end(problem.model, run.q[-1], size), best, run


def by_mujoco(links: int, step: float, end: float = END):
    """Free end and seconds."""
    import mujoco

    problem, q, v, size = rope(links)
    text = lo.write_mjcf(problem.model)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep, model.opt.integrator = step, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    data.qpos[:4], data.qvel[:] = q[[3, 0, 1, 2]], v
    begun = time.process_time()
    mujoco.mj_step(model, data, nstep=round(end / step))
    spent = time.process_time() - begun
    mujoco.mj_kinematics(model, data)
    return data.xmat[-1].reshape(3, 3) @ [size, 0.0, 0.0] + data.xpos[-1], spent


def by_exudyn(links: int, step: float, end: float = END):
    """Free end and seconds."""
    import exudyn as exu
    import exudyn.utilities as use

    problem, q, v, size = rope(links)
    model, container = problem.model, exu.SystemContainer()
    mbs = container.AddSystem()
    poses, mass, radius = lo.forward_kinematics(model, q), model.mass / links, lo.systems.load("rope").parameters["radius"]
    across = mass * (3 * radius**2 + size**2) / 12
    ground, before = mbs.AddObject(use.ObjectGround()), None
    spin = poses[0, :3, :3] @ v[:3]
    for k in range(links):
        middle = poses[k, :3, 3] + poses[k, :3, :3] @ [size / 2, 0.0, 0.0]
        inertia = use.RigidBodyInertia(mass, np.diag([mass * radius**2 / 2, across, across]))
        made = mbs.CreateRigidBody(
            inertia=inertia, referencePosition=middle, referenceRotationMatrix=poses[k, :3, :3],
            initialVelocity=np.cross(spin, middle), initialAngularVelocity=spin, gravity=[0.0, 0.0, -9.81],
        )  # fmt: skip
        near = mbs.AddMarker(use.MarkerBodyRigid(bodyNumber=made, localPosition=[-size / 2, 0.0, 0.0]))
        held = before if before is not None else mbs.AddMarker(use.MarkerBodyRigid(bodyNumber=ground))
        mbs.AddObject(use.SphericalJoint(markerNumbers=[held, near], constrainedAxes=[1, 1, 1]))
        before = mbs.AddMarker(use.MarkerBodyRigid(bodyNumber=made, localPosition=[size / 2, 0.0, 0.0]))
    sensor = mbs.AddSensor(
        use.SensorMarker(markerNumber=before, outputVariableType=exu.OutputVariableType.Position, writeToFile=False)
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(end / step), end
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.verboseMode = 0
    settings.displayStatistics = False
    begun = time.process_time()
    mbs.SolveDynamic(settings)
    spent = time.process_time() - begun
    return np.array(mbs.GetSensorValues(sensor)), spent


def beside_others(links: int) -> None:
    """The table of the comparison."""
    exact = by_locomote(links, 1e-12, rounds=1)[0]
    print(f"\nrope of {links} links, {END:g} s{'':14}{'seconds':>10}{'error of the free end, m':>28}")
    for tolerance in (1e-4, 1e-6, 1e-8):
        place, seconds, _ = by_locomote(links, tolerance)
        print(f"{f'locomote, tolerance {tolerance:g}':38}{seconds:10.4f}{np.linalg.norm(place - exact):28.1e}")
    for name, function, steps in (("MuJoCo", by_mujoco, (2e-3, 1e-3, 5e-4)), ("Exudyn", by_exudyn, (1e-3, 2.5e-4, 6.25e-5))):
        for step in steps:
            try:
                place, seconds = function(links, step)
            except ImportError:
                print(f"{name} is not there")
                break
            print(f"{f'{name}, step {step:g} s':38}{seconds:10.4f}{np.linalg.norm(place - exact):28.1e}", flush=True)


def main() -> None:
    links = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    _, seconds, run = by_locomote(1000, 1e-6, 1.0, rounds=1)
    energy, moved = run.kinetic + run.potential, abs(run.potential - run.potential[0]).max()
    print(
        f"1000 links over 1 s: {seconds:.2f} s, {run.info['steps']} steps, energy off by {abs(energy - energy[0]).max():.1e} J"
    )
    print(f"of {moved:.2f} J that went from one form to the other: {abs(energy - energy[0]).max() / moved:.1e}")
    print("\n  links   us per step (rk4)   per link")
    for count in (10, 100, 1000, 10_000):
        problem, q, v, _ = rope(count)
        stepper, best = problem.stepper(q, v, step=1e-6), np.inf
        for _ in range(60):
            begun = time.process_time()
            stepper.advance()
            best = min(best, time.process_time() - begun)
        print(f"{count:7d}{1e6 * best:20.1f}{1e6 * best / count:11.3f}", flush=True)
    beside_others(links)


if __name__ == "__main__":
    main()
