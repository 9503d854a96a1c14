"""The cantilever of `benchmarks/rods.py` in PyElastica and in Exudyn: each gives (seconds, tip (n, 3) at the times)."""

import time

import numpy as np

LENGTH, RADIUS, DENSITY, GRAVITY = 1.0, 0.02, 1000.0, 9.81
AREA, SECOND = np.pi * RADIUS**2, np.pi / 4 * RADIUS**4
SHEAR_FACTOR = 27 / 28
CALM = 0.9  # of the step that the fastest wave allows


def elastica(young: float, elements: int, times: np.ndarray, clock=time.perf_counter) -> tuple[float, np.ndarray]:
    """Verlet steps, nearly as long as they are stable; the clamp is in the middle of the first element, which makes it of
    second order. Building is not counted, nor is looking at the tip, nor compiling."""
    import elastica as ea

    class Beam(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):
        pass

    size, beam = LENGTH / (elements - 0.5), Beam()
    rod = ea.CosseratRod.straight_rod(
        elements, np.array([-0.5 * size, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), elements * size,
        RADIUS, DENSITY, youngs_modulus=young, shear_modulus=young / 3,
    )  # fmt: skip
    beam.append(rod)
    beam.constrain(rod).using(ea.FixedConstraint, constrained_position_idx=(0, 1), constrained_director_idx=(0,))
    beam.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0.0, -GRAVITY, 0.0]))
    beam.finalize()
    longest = CALM / np.sqrt(young / DENSITY) / np.sqrt(1.0 / size**2 + SHEAR_FACTOR / (3 * RADIUS**2))
    stepper, tips, spent, now = ea.PositionVerlet(), [], 0.0, np.float64(0.0)
    stepper.step(beam, now, np.float64(1e-12))
    for gap in np.diff(times, prepend=0.0):
        steps = int(np.ceil(gap / longest))
        tick = clock()
        for _ in range(steps):
            now = stepper.step(beam, now, np.float64(gap / steps))
        spent += clock() - tick
        tips.append(rod.position_collection[:, -1].copy())
    return spent, np.array(tips)


def exudyn(young: float, elements: int, step: float, times: np.ndarray, clock=time.perf_counter) -> tuple[float, np.ndarray]:
    """Geometrically exact beams in three dimensions, generalised-alpha with a spectral radius of 0.9, modified Newton, sparse
    factors, one thread; `times` are equal multiples of the step. Building is not counted."""
    import exudyn as exu
    from exudyn import itemInterface as item

    container = exu.SystemContainer()
    system, size = container.AddSystem(), LENGTH / elements
    section, shear = exu.BeamSection(), young / 3
    section.stiffnessMatrix = np.diag(
        [
            young * AREA,
            SHEAR_FACTOR * shear * AREA,
            SHEAR_FACTOR * shear * AREA,
            2 * shear * SECOND,
            young * SECOND,
            young * SECOND,
        ]
    )
    section.inertia = np.diag([2 * DENSITY * SECOND, DENSITY * SECOND, DENSITY * SECOND])
    section.massPerLength = DENSITY * AREA
    nodes = [
        system.AddNode(item.NodeRigidBodyRxyz(referenceCoordinates=[k * size, 0, 0, 0, 0, 0])) for k in range(elements + 1)
    ]
    for k in range(elements):
        beam = item.ObjectBeamGeometricallyExact(nodeNumbers=[nodes[k], nodes[k + 1]], length=size, sectionData=section)
        mass = system.AddMarker(item.MarkerBodyMass(bodyNumber=system.AddObject(beam)))
        system.AddLoad(item.LoadMassProportional(markerNumber=mass, loadVector=[0, -GRAVITY, 0]))
    ground = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=system.AddNode(item.NodePointGround()), coordinate=0))
    for k in range(6):
        own = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[ground, own]))
    kind = exu.OutputVariableType.Position
    tip = system.AddSensor(item.SensorNode(nodeNumber=nodes[-1], outputVariableType=kind, storeInternal=True))
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(times[-1] / step), float(times[-1])
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = float(times[1] - times[0])
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    tick = clock()
    system.SolveDynamic(settings)
    spent = clock() - tick
    data = np.array(system.GetSensorStoredData(tip))
    places = [np.interp(times, data[:, 0], data[:, k]) for k in (1, 2, 3)]
    return spent, np.stack(places, axis=1)
