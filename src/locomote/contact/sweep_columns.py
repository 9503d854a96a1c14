"""Columns of what a sweep knows of a contact (`methods.timestep.sweep`), vectors in axes of its body."""

# point, normal, velocity before and after, guess of the impulse, direction of friction
POINT, NORMAL, BEFORE, AFTER, IMPULSE, DIRECTION = 0, 3, 6, 9, 12, 15
# size of friction, offset e, whether open, sticking or sliding, gap; across the direction of friction: stiffness, and speed
SIZE, OFFSET, MODE, GAP, ACROSS, DRIFT = range(18, 24)
NEAR = 24
OPEN, STICK, SLIDE = 0.0, 1.0, 2.0  # values of MODE
SLOW = 1e-7  # m/s, below which nothing slides
