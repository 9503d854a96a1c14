# written by packaging/stubs.py from public.py
from locomote.gaits.families import family as family
from locomote.gaits.gait import Gait as Gait
from locomote.gaits.local_form import NoConnection as NoConnection
from locomote.gaits.net_motion import displacement as displacement
from locomote.gaits.optimisation import optimize as optimize
