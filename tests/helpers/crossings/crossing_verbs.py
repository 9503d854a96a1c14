"""All columns of the crossings, in the order of their files: a new one stands in one of these with `@verb(title)`."""

import crossing_instants
import crossing_runs
import crossing_steps
from crossing_checks import VERBS, NotApplicable, Wrong

__all__ = ["VERBS", "NotApplicable", "Wrong", "crossing_instants", "crossing_runs", "crossing_steps"]
