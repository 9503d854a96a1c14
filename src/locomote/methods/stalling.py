"""When a run gets nowhere: its steps become shorter and shorter, without end.

Where the equations become infinitely stiff (a damped joint of three angles that runs into its gimbal lock, a nearly massless
part), an explicit method still finds a step that its error allows, but steps go like 1/n^2, so that their sum never
reaches the end. Seen over windows of steps:

    each of the last ROW windows went less far than the one before, and the last one less than FAR_LESS of what
    such a window went on average before them.

It depends on times and counts only, not on the speed of the computer.
"""

WINDOW = 5_000  # steps
ROW, FAR_LESS = 5, 1e-4


class Progress:
    """How far windows of steps went; t0, steps : where the run, or this part of it, begins (s)."""

    def __init__(self, t0: float, steps: int = 0):
        self._marks = [(int(steps), float(t0))]

    def left(self, steps: int) -> int:
        """How many steps it is to the end of the window."""
        return max(1, self._marks[-1][0] + WINDOW - steps)

    def stalls(self, steps: int, t: float) -> bool:
        """Whether the run, now at time t after `steps` steps, makes no progress."""
        marks = self._marks
        if steps - marks[-1][0] < WINDOW:
            return False
        marks.append((steps, t))
        if len(marks) > ROW + 2:
            del marks[1]  # the first one stays: where all began
        if len(marks) < ROW + 2:
            return False
        speeds = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(marks, marks[1:], strict=False)]  # before, then ROW windows
        shorter = all(late < early for early, late in zip(speeds[1:], speeds[2:], strict=False))
        return shorter and speeds[-1] < FAR_LESS * speeds[0]
