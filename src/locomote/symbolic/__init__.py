"""The kernels on symbols: operation counts, equations, derivatives, CasADi functions, C code.

`lo.symbolic(model)` is a function, and this folder has its name. Python shows the folder once anything in it was imported, so
the folder can be called too, and does what the function does.
"""

import sys
from types import ModuleType


class _Folder(ModuleType):
    def __call__(self, model, parameters=()):
        from locomote.symbolic.casadi_model import symbolic

        return symbolic(model, parameters)


sys.modules[__name__].__class__ = _Folder
