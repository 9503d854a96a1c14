# written by packaging/stubs.py from public.py
from locomote.sweeps.axes import SweepError as SweepError
from locomote.sweeps.axes import draws as draws
from locomote.sweeps.axes import latin_hypercube as latin_hypercube
from locomote.sweeps.axes import read_points as read_points
from locomote.sweeps.axes import sobol as sobol
