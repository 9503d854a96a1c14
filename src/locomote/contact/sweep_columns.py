"""Columns of what a sweep knows of a contact (`methods.timestep.sweep`), vectors in axes of its body."""

# point, normal, velocity before and after, guess of the impulse, direction of friction
POINT, NORMAL, BEFORE, AFTER, IMPULSE, DIRECTION = 0, 3, 6, 9, 12, 15
# size of friction, offset e, whether open, sticking or sliding, gap; across the direction of friction: stiffness, and speed
SIZE, OFFSET, MODE, GAP, ACROSS, DRIFT = range(18, 24)
TURNED = 24  # along the ground, h/2 s of (5) of `timestep.sweep`, which BEFORE and AFTER have
BEND = 27  # h/2 times how the surface bends
NEAR = 28
OPEN, STICK, SLIDE = 0.0, 1.0, 2.0  # values of MODE
SLOW = 1e-7  # m/s, below which nothing slides
