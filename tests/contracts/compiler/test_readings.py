"""What a law of force or flow reads is part of what its kernel is found by on disk; what cannot be is refused."""

import importlib
import itertools
import sys
import types

import numpy as np
import pytest

import locomote as lo
from locomote.compiler.fingerprint import kernel_stamp

_numbers = itertools.count()
# ways to read a number K that stands in another module, `par`; each module defines `law`
WAYS = {
    "attribute of a module": "import {par} as par\ndef law(): return par.K",
    "by another name": "import {par} as par\ndef law():\n    p = par\n    return p.K",
    "attribute of an attribute": "import {outer} as outer\ndef law(): return outer.inner.K",
    "imported name": "from {par} import K\ndef law(): return K",
    "closure": "from {par} import K\ndef made(k):\n    def law(): return k\n    return law\nlaw = made(K)",
    "global of a helper": "from {par} import helper\ndef law(): return helper()",
    "helper of a module": "import {par} as par\ndef law(): return par.helper()",
    "default of a helper": "import {par} as par\ndef helper(x, k=par.K): return x * k\ndef law(): return helper(1.0)",
    "keyword of a helper": "import {par} as par\ndef helper(x, *, k=par.K): return x * k\ndef law(): return helper(1.0)",
    "array": "import numpy as np, {par} as par\nA = np.full(5000, 1.0)\nA[2500] = par.K\ndef law(): return A[2500]",
    "array in a tuple": (
        "import numpy as np, {par} as par\nA = np.full(5000, 1.0)\nA[2500] = par.K\nT = (1, A)\ndef law(): return T[1][2500]"
    ),
    "tuple": "import {par} as par\nT = (1.0, (par.K, 2))\ndef law(): return T[1][0]",
    "named tuple": (
        "import collections, {par} as par\nP = collections.namedtuple('P', 'x')(par.K)\ndef law(): return P.x"
    ),
    "enumeration": "import enum, {par} as par\nclass E(enum.Enum):\n    K = par.K\ndef law(): return E.K.value",
    "compiled helper": "import numba, {par} as par\n@numba.njit\ndef helper(): return par.K\ndef law(): return helper()",
    "table": "import {par} as par\nD = {{'k': par.K}}\ndef law(): return D['k']",
}  # fmt: skip
REFUSED = {
    "an object": ("class C: pass\nc = C()\nc.K = 1.0\ndef law(): return c.K", "'c', a C"),
    "a name space": ("import types\nc = types.SimpleNamespace(K=1.0)\ndef law(): return c.K", "'c', a SimpleNamespace"),
    "an array of objects": ("import numpy as np\nA = np.array([None])\ndef law(): return A[0]", "'A', a ndarray"),
    "a class": ("class C:\n    K = 1.0\ndef law(): return C.K", "'C', a type"),
}


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A function that makes a module of a text."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(text, name):
        (tmp_path / f"{name}.py").write_text(text)
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    return make


@pytest.mark.parametrize("way", WAYS)
def test_a_value_that_is_read_counts(way, module, monkeypatch):
    """Another value of K is another kernel, the same value the same one, in any process."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    n = next(_numbers)
    names = {"par": f"par{n}", "outer": f"outer{n}"}
    stamps = []
    for k in (1.0, 2.0, 1.0):
        module(f"K = {k}\ndef helper(): return 3.0 * K", names["par"])
        module(f"import {names['par']} as inner", names["outer"])
        stamps.append(kernel_stamp(module(WAYS[way].format(**names), f"law{n}").law))
    assert stamps[0] == stamps[2] != stamps[1]


@pytest.mark.parametrize("what", REFUSED)
def test_what_text_cannot_say_is_refused(what, module):
    text, said = REFUSED[what]
    with pytest.raises(TypeError, match=rf"'law' reads {said}.*hand over what it needs of it as numbers"):
        kernel_stamp(module(text, f"law{next(_numbers)}").law)


def test_a_name_that_is_only_an_attribute_does_not_count(module):
    """Of a global name that is never read as one."""
    n = next(_numbers)
    module("K = 1.0", f"par{n}")
    law = module(f"import par{n} as par\nK = object()\ndef law(): return par.K", f"law{n}").law
    assert kernel_stamp(law)


def pendulum():
    joint = lo.Joint("x", "prismatic", axis="x")
    return lo.Builder("p", gravity=(0, 0, 0)).body("rod", joint=joint, inertia=lo.Inertia(1.0)).build()


strength = 1.0


@lo.force
def push(t, R, o, u, w):
    return (strength, 0.0, 0.0), (0.0, 0.0, 0.0)


@lo.water.flow
def stream(t, x):
    return (strength, 0.0, 0.0)


def test_a_value_that_changes_in_the_same_process_is_refused(monkeypatch):
    """Compiled code has the old one; a number of the force itself can change."""
    problems = (
        lambda: lo.Locomotion(pendulum(), environment=[push("rod")]),
        lambda: lo.Locomotion(pendulum(), environment=[lo.Drag("rod", lo.Fluid(1000.0, flow=stream()), area=0.01)]),
    )
    for make in problems:
        first = make().evaluate(0.0, [0.0], [0.0]).a[0]
        with monkeypatch.context() as patch:
            patch.setattr(sys.modules[__name__], "strength", 2.0)
            with pytest.raises(ValueError, match=r"reads 'strength', which is not what it was when the force was compiled"):
                make()
        assert make().evaluate(0.0, [0.0], [0.0]).a[0] == first


def test_modules_that_know_each_other_come_to_an_end(module):
    n = next(_numbers)
    one = types.ModuleType(f"one{n}")
    two = types.ModuleType(f"two{n}")
    one.b, two.a, two.K = two, one, np.float64(3.0)
    law = module("def law(): return a.b.a.b.K", f"law{n}").law
    law.__globals__["a"] = one
    assert kernel_stamp(law)
