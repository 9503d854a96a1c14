"""A rope of many links on ball joints: energy, cost per link, and time to the same accuracy beside MuJoCo and Exudyn.

    python benchmarks/ropes.py            energy, cost per link, and beside others with 100 links over 0.5 s
    python benchmarks/ropes.py 1000       beside others with 1,000 links, over 0.02 s: a step of MuJoCo takes seconds there

The rope is the system `rope`, held at one end, with a push to the side. Times are processor times of one thread, the least of
some runs where they are short. Errors are those of the free end against a run with a tolerance of 1e-12. MuJoCo steps with
Runge and Kutta's method of fourth order; Exudyn has rigid bodies in
absolute coordinates (Euler parameters) with spherical joints, sparse matrices and the generalised-alpha method, its way for
constrained systems.
"""

import sys
import time
from functools import cache

import numpy as np

import locomote as lo

COMPARED = {  # links : end, s, and steps, s, of MuJoCo and Exudyn
    100: (0.5, (2e-3, 1e-3, 5e-4), (1e-3, 2.5e-4, 6.25e-5)),
    1000: (0.02, (1e-2, 5e-3), (2e-3, 5e-4, 1.25e-4)),
}


def rope(links: int):
    """The problem, its start, and the place of the free end in the last link, m."""
    system = lo.systems.load("rope", links=links)
    return system.problem(), *system.initial, system.parameters["length"] / links


def free_end(model, q, size: float) -> np.ndarray:
    """Where it is, m."""
    pose = lo.forward_kinematics(model, q)[-1]
    return pose[:3, :3] @ [size, 0.0, 0.0] + pose[:3, 3]


def by_locomote(links: int, tolerance: float, end: float, rounds: int = 3):
    """Free end, seconds, run."""
    problem, q, v, size = rope(links)
    best, run = np.inf, None
    for _ in range(rounds):
        begun = time.process_time()
        run = problem.simulate(end, q=q, v=v, samples=np.linspace(0.0, end, 21), rtol=tolerance, atol=tolerance, progress=False)
        best = min(best, time.process_time() - begun)
    assert run is not None
    return free_end(problem.model, run.q[-1], size), best, run


@cache
def mujoco_rope(links: int):
    """The model, made once."""
    import mujoco

    problem, _, _, size = rope(links)
    mass, radius = problem.model.mass / links, lo.systems.load("rope").parameters["radius"]
    across = mass * (3 * radius**2 + size**2) / 12
    spec, place = mujoco.MjSpec(), 0.0
    body = spec.worldbody
    for _ in range(links):  # a file would be nested too deep for its parser
        body = body.add_body(pos=[place, 0.0, 0.0], mass=mass, ipos=[size / 2, 0.0, 0.0], explicitinertial=True,
                             inertia=[mass * radius**2 / 2, across, across])  # fmt: skip
        body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        place = size
    return spec.compile()


def by_mujoco(links: int, step: float, end: float):
    """Free end and seconds."""
    import mujoco

    _, q, v, size = rope(links)
    model = mujoco_rope(links)
    model.opt.gravity = [0.0, 0.0, -9.81]
    model.opt.timestep, model.opt.integrator = step, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    data.qpos[:4], data.qvel[:] = q[[3, 0, 1, 2]], v
    begun = time.process_time()
    mujoco.mj_step(model, data, nstep=round(end / step))
    spent = time.process_time() - begun
    mujoco.mj_kinematics(model, data)
    return data.xmat[-1].reshape(3, 3) @ [size, 0.0, 0.0] + data.xpos[-1], spent


def by_exudyn(links: int, step: float, end: float):
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
    end, mujoco_steps, exudyn_steps = COMPARED[links]
    exact = by_locomote(links, 1e-12, end, rounds=1)[0]
    print(f"\nrope of {links} links, {end:g} s{'':14}{'seconds':>10}{'error of the free end, m':>28}")
    for tolerance in (1e-4, 1e-6, 1e-8):
        place, seconds, _ = by_locomote(links, tolerance, end)
        print(f"{f'locomote, tolerance {tolerance:g}':38}{seconds:10.4f}{np.linalg.norm(place - exact):28.1e}")
    for name, function, steps in (("Exudyn", by_exudyn, exudyn_steps), ("MuJoCo", by_mujoco, mujoco_steps)):
        for step in steps:
            try:
                place, seconds = function(links, step, end)
            except ImportError:
                print(f"{name} is not there")
                break
            print(f"{f'{name}, step {step:g} s':38}{seconds:10.4f}{np.linalg.norm(place - exact):28.1e}", flush=True)


def main() -> None:
    if len(sys.argv) > 1:
        beside_others(int(sys.argv[1]))
        return
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
    beside_others(100)


if __name__ == "__main__":
    main()
