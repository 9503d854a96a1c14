"""Forces of what acts inside rods on their coordinates, as `actuators` says: (1) to (4) there."""

from locomote.actuation import actuators as act
from locomote.compiler.indirect import call_compiled
from locomote.compiler.scalars import exp, sqrt
from locomote.compiler.source import kernel, routine
from locomote.evaluation.plan import ACTUATED, SIGNALS
from locomote.kernels.flexible.actuate import add_forces
from locomote.kernels.flexible.columns import STATION, STATIONS, STRAIN, X1, Y1, Z1
from locomote.kernels.flexible.shape import strains_at
from locomote.spatial.algebra import add, cross, dot, scale


@routine
def stress_of(plan, head, e, rate):
    """(4) of the law whose rows begin at `head`, at strain e."""
    table, count = plan.actuator_points, int(plan.actuator_points[head, act.PIECES])
    place = (e - table[head, act.LOWEST]) * table[head, act.PER_KNOT]
    k = int(min(max(place, 0.0), count - 1.0))
    row, x = head + 1 + k, e - table[head, act.LOWEST] - k / table[head, act.PER_KNOT]
    return table[row, 0] + x * (table[row, 1] + x * (table[row, 2] + x * table[row, 3])) + table[head, act.DAMPING] * rate


@kernel
def actuate_one(plan, work, t, q, v):
    """Add the forces of all actuators to work.passive, and fill their power."""
    numbers = (plan.tension_rows, plan.tension_numbers, plan.functions, t, work.tension, work.tension_rate, work.tension_rate,
               work.signal)  # fmt: skip
    call_compiled(plan.calls[SIGNALS], numbers)
    steps, points, power = work.soft_steps, plan.actuator_points, 0.0
    for n in range(plan.actuators.shape[0]):
        rod, kind, at = plan.actuators[n, 0], plan.actuators[n, 1], plan.actuators[n, 2]
        first, count = plan.rods[rod, STATION], plan.rods[rod, STATIONS]
        for s in range(first, first + count):
            strains_at(plan, rod, s, plan.strain, q, v, None, steps)
            for g in range(2):
                p, c = at + 2 * (s - first) + g, X1 + 6 * g
                if kind == act.LAW:
                    head = at + 2 * count
                    own = int(points[head, act.COMPONENT])
                    stress = stress_of(
                        plan, head, steps[s, c + own] - plan.strain[s, STRAIN + 6 * g + own], steps[s, Y1 + 6 * g + own]
                    )
                    for k in range(6):
                        steps[s, Z1 + 6 * g + k] = 0.0
                    steps[s, Z1 + 6 * g + own] = -points[p, act.WEIGHT] * stress
                    continue
                d = (0.0, points[p, act.OFFSET], points[p, act.OFFSET + 1])
                e, push = (1.0, 0.0, 0.0), points[p, act.WEIGHT] * work.tension[n]
                if kind == act.TENDON or kind == act.MUSCLE:
                    nu = (steps[s, c], steps[s, c + 1], steps[s, c + 2])
                    kappa = (steps[s, c + 3], steps[s, c + 4], steps[s, c + 5])
                    slope = (0.0, points[p, act.SLOPE], points[p, act.SLOPE + 1])
                    e = add(add(nu, cross(kappa, d)), slope)
                    stretch = sqrt(dot(e, e))
                    e, push = scale(1.0 / stretch, e), -push
                    if kind == act.MUSCLE:
                        y = Y1 + 6 * g
                        turn = cross((steps[s, y + 3], steps[s, y + 4], steps[s, y + 5]), d)
                        rate = dot(e, add((steps[s, y], steps[s, y + 1], steps[s, y + 2]), turn)) * points[p, act.HILL + 2]
                        away = (stretch - points[p, act.HILL]) * points[p, act.HILL + 1]
                        push = push * exp(-away * away) * (1.0 + rate / sqrt(1.0 + rate * rate))
                turn = cross(d, e)
                for k in range(3):
                    steps[s, Z1 + 6 * g + k] = push * e[k]
                    steps[s, Z1 + 6 * g + 3 + k] = push * turn[k]
            power += add_forces(plan, rod, s, steps, v, work.passive)
    work.power[ACTUATED] = power
    return plan.topology.shape[0]
