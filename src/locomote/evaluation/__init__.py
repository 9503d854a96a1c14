"""One evaluation of a problem: from state and time to accelerations, torques and reactions.

Takes  a Plan (`plan`: all numbers of a packed problem) and Work (`work`: scratch of one evaluation).
Gives  the motion (`evaluate`), by parts (`local_elimination`, `subsystems`), its derivatives, without inertia (`overdamped`);
       the way back onto the constraints (`projection`).
"""
