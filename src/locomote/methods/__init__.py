"""Ways through time: one file or folder a method, what all share, and events.

Takes  a Plan, Work, and the state of a run.
Gives  steps with their errors and samples. `advance` is the loop, `choice` says what `auto` takes, `collocation/` and
       `timestep/` are methods of several files, `events/` ends steps where something happens.
"""
