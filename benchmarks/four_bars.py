"""IFToMM benchmark A02, the N-four-bar mechanism (N = 2), side by side with Exudyn: time and accuracy over 10 s.

The mechanism passes a singular configuration twice a turn. All vertical rods move alike, so one equation is the exact answer:
theta'' = (G/I) g sin theta with I = 3, G = 3.5, integrated here to 1e-13. Run: python benchmarks/four_bars.py (needs exudyn).
"""

import time

import numpy as np
from scipy.integrate import solve_ivp

import locomote as lo

END, RODS, GRAVITY = 10.0, 2, 9.81


def exact() -> np.ndarray:
    """Angle of the vertical rods from upright, and its rate, at the end."""
    ratio = ((RODS + 1) / 2 + RODS) / ((RODS + 1) / 3 + RODS) * GRAVITY
    solution = solve_ivp(lambda t, y: [y[1], ratio * np.sin(y[0])], (0, END), [0.0, 1.0], "DOP853", rtol=1e-13, atol=1e-13)
    return solution.y[:, -1]


def by_locomote(**options) -> tuple[np.ndarray, float]:
    """Corner B0 at the end, and seconds."""
    system = lo.systems.load("n_four_bar")
    problem = system.problem()
    q, v = system.initial
    begun = time.perf_counter()
    run = problem.simulate(END, q=q, v=v, samples=[END], **options)
    return np.array([run.q[-1, 0], run.v[-1, 0]]), time.perf_counter() - begun


def by_exudyn(step: float) -> tuple[np.ndarray, float]:
    """The same with Exudyn: planar rigid bodies in absolute coordinates, revolute joints, generalised alpha."""
    import exudyn as exu
    from exudyn.itemInterface import (
        Force,
        MarkerBodyPosition,
        NodeRigidBody2D,
        ObjectGround,
        ObjectJointRevolute2D,
        ObjectRigidBody2D,
    )

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(ObjectGround())

    def marker(body, x, y):
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[x, y, 0.0]))

    def rod(x, y, angle, speed, spin):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=[speed, 0.0, spin]))
        body = mbs.AddObject(ObjectRigidBody2D(nodeNumber=node, physicsMass=1.0, physicsInertia=1 / 12))
        mbs.AddLoad(Force(markerNumber=marker(body, 0.0, 0.0), loadVector=[0.0, -GRAVITY, 0.0]))
        return node, body

    def joint(first, second):
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[first, second]))

    upright = [rod(float(n), 0.5, np.pi / 2, 0.5, -1.0) for n in range(RODS + 1)]
    for n, (_, body) in enumerate(upright):
        joint(marker(ground, float(n), 0.0), marker(body, -0.5, 0.0))
    for n in range(RODS):
        _, beam = rod(n + 0.5, 1.0, 0.0, 1.0, 0.0)
        joint(marker(upright[n][1], 0.5, 0.0), marker(beam, -0.5, 0.0))
        joint(marker(upright[n + 1][1], 0.5, 0.0), marker(beam, 0.5, 0.0))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(END / step)
    settings.timeIntegration.endTime = END
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.solutionSettings.writeSolutionToFile = False
    settings.timeIntegration.verboseMode = 0
    settings.displayStatistics = False
    begun = time.perf_counter()
    mbs.SolveDynamic(settings)
    spent = time.perf_counter() - begun
    angle = mbs.GetNodeOutput(upright[0][0], exu.OutputVariableType.Coordinates)[2]
    rate = mbs.GetNodeOutput(upright[0][0], exu.OutputVariableType.Coordinates_t)[2]
    return np.array([-angle, -rate]), spent


def main() -> None:
    answer = exact()
    by_locomote(rtol=1e-4, atol=1e-4)  # compiled now
    print(f"{'':34}{'seconds':>10}{'error of the angle after 10 s, rad':>38}")
    for tolerance in (1e-6, 1e-8, 1e-10):
        rounds = [by_locomote(rtol=tolerance, atol=tolerance) for _ in range(5)]
        seconds, error = min(spent for _, spent in rounds), abs(abs(rounds[0][0][0]) - abs(answer[0]))
        print(f"{f'locomote, tolerance {tolerance:g}':34}{seconds:10.4f}{error:38.2e}")
    for step in (1e-2, 1e-3, 1e-4):
        state, seconds = by_exudyn(step)
        print(f"{f'Exudyn, step {step:g} s':34}{seconds:10.4f}{abs(abs(state[0]) - abs(answer[0])):38.2e}")


if __name__ == "__main__":
    main()
