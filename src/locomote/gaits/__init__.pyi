# written by packaging/stubs.py from public.py
from locomote.gaits.gait import Gait as Gait
from locomote.gaits.net_motion import displacement as displacement
