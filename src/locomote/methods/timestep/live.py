"""Which contacts a sweep looks at: those of touches that are near the ground, or were in the step before (`state.live`).

All others are open, and what is known of them is what it was: their rows of `touch` and `touch_end` are the same. That holds
from the end of one step to the next only (`integrators.timestep.keep_loads`); whoever takes a step again, changes contacts or
goes back to another state begins with all of them.
"""

# entries of `state.live`: whether the others are as they were, above 0; how many there are, -1 if the step is no sweep; whether
# these are all; how many of them are closed; the first of them
KNOWN, COUNT, WHOLE, HELD, LIVE = range(5)


def forget_live(state) -> None:
    """Nothing is known of any contact."""
    state.live[:LIVE] = -1
