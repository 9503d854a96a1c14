"""What an audit must know of a problem, kept in `info` of its run: a run that is saved and opened again, whose problem may hold
functions that no file keeps, is judged by the same rules.

An audit that needs something of `run.problem` that changes a verdict finds it here instead.
"""

from collections.abc import Iterator
from typing import Any

from locomote.actuation.controllers import clocked
from locomote.contact.spots import NEWTON, RESTITUTION, RIM, SHEAR, STIFFNESS
from locomote.evaluation.protocol import Problem
from locomote.runs.trajectory import Trajectory

CLOCKS, ENERGIES, HARD = "clocks", "energies of terms", "hard contacts"
BY_NEWTON, DISCS = "impacts by Newton's law alone", "discs touch"
ELASTIC, POTENTIAL = "elastic", "potential"


def audited(problem: Problem) -> dict[str, Any]:
    """Entries of `info`: (period, start) of every clock, s; of which energy the energies of force terms are a part; whether
    nothing that touches stores energy, bounces by Newton's law alone, and is a disc."""
    plan = problem.plan
    laws = plan.spot_laws
    soft = bool((plan.spot_laws[:, [STIFFNESS, SHEAR]] > 0).any()) or len(plan.rods) > 0
    return {
        CLOCKS: [[c.every, c.start] for c in clocked(problem.controllers)],
        ENERGIES: {term.name: ELASTIC if term.elastic else POTENTIAL for term in problem.terms if term.kind.energy},
        HARD: bool(problem.contacts) and not soft,
        BY_NEWTON: bool(((laws[:, NEWTON] > 0) & (laws[:, RESTITUTION] > 0)).any()),
        DISCS: bool((laws[:, RIM] > 0).any()),
    }


def clocks_of(run: Trajectory) -> Iterator[tuple[float, float]]:
    """Period and start of every clock that ticked in a run, s."""
    for period, start in run.info.get(CLOCKS, ()):
        yield float(period), float(start)


def part_of_energy(run: Trajectory, name: str) -> str:
    """The energy that the energy of a force term is a part of; empty if the run does not say."""
    return str(run.info.get(ENERGIES, {}).get(name, ""))


def is_hard(run: Trajectory) -> bool:
    """Whether nothing that touches stores energy: neither ground that gives way nor flexible bodies."""
    return bool(run.info.get(HARD, False))


def solved(run: Trajectory) -> Problem:
    """The problem of a run that holds it; checks ask for that first."""
    assert run.problem is not None, run.problem_missing
    return run.problem


def problem_of(run: Trajectory) -> Problem | None:
    """The problem of a run; None if the run does not hold it, or its numbers are not those of that one."""
    plan = None if run.problem is None else run.problem.plan
    return run.problem if plan is not None and len(plan.imposed) == run.tau.shape[1] == run.model.nv else None
