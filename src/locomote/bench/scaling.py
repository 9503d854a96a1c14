"""Cost and memory against the number of links: the exponent of a straight line through the logarithms."""

import numpy as np

from locomote.bench import loops
from locomote.bench.models import chain, states
from locomote.bench.timing import side_by_side
from locomote.compiler.scratch_layout import numbers_in
from locomote.kernels.batch import sizes
from locomote.kernels.forward_dynamics import Articulated
from locomote.kernels.inverse_dynamics import Newton

LINKS = (10, 30, 100, 300, 1000, 3000, 10000)


def slope(links, values) -> float:
    """Exponent p of values = c links^p, by least squares."""
    return float(np.polyfit(np.log(links), np.log(values), 1)[0])


def scaling(rounds: int = 10, links=LINKS) -> dict:
    """Microseconds of inverse and forward dynamics and bytes of scratch, for chains by number of links; exponents."""
    rows = []
    for n in links:
        model = chain(n)
        q, v, a = states(model, max(1, 1000 // n))
        out, fixed = np.empty_like(v), (model._topology, model._constants)
        best = side_by_side(
            {
                "inverse": lambda f=fixed, q=q, v=v, a=a, o=out: loops.LOOPS["inverse dynamics"](*f, q, v, a, o),
                "forward": lambda f=fixed, q=q, v=v, a=a, o=out: loops.LOOPS["forward dynamics"](*f, q, v, a, o),
            },
            rounds,
        )
        work = sum(numbers_in(kind, sizes(model.topology)) for kind in (Newton, Articulated))
        numbers = model.topology.size + model.constants.size + work
        inverse, forward = (best[name] / len(q) * 1e6 for name in ("inverse", "forward"))
        rows.append({"links": n, "inverse_us": inverse, "forward_us": forward, "bytes": 8 * numbers})
    keys = ("inverse_us", "forward_us", "bytes")
    return {"rows": rows, "slopes": {key: slope(links, [row[key] for row in rows]) for key in keys}}
