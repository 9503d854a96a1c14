"""What a summary says of the accuracy of rods, against the distance from rods that are much finer."""

import numpy as np
import pytest

import locomote as lo
from locomote.runs.rod_accuracy import Embedding


def problem(base="fixed", order=None, nodes=None, young=1e7, strains="bending torsion", **more):
    rod = lo.Rod(1.0, lo.Section.circle(0.02), lo.Material(1000.0, young), strains=strains, order=order, nodes=nodes)
    model = lo.Builder("rod", base=base).body("rod", flex=rod).body("tip", parent="rod").build()
    return lo.Locomotion(model, **more)


def start(base, model):
    v = np.zeros(model.nv)
    if base == "free":
        v[:6], v[model.joint("rod").v.start + 6] = [0, 0, 0, 1.0, 2.0, 3.0], 4.0
    return v


@pytest.mark.parametrize("base, young", [("fixed", 1e7), ("fixed", 1e8), ("free", 1e7)])
def test_the_figure_is_the_error(base, young):
    """At all defaults of a rod; the finest has six more degrees and five times the nodes."""
    coarse = problem(base, young=young)
    rod = coarse.model.description.bodies[0].flex
    orders = {name: rod.order_of(name) + 6 for name in rod.active}
    finest = problem(base, orders, 5 * len(coarse.model.flexible.rods["rod"].places), young)
    how = {"rtol": 1e-7, "atol": 1e-10, "every": 0.01, "progress": False}
    run = coarse.simulate(0.5, v=start(base, coarse.model), **how)
    to = Embedding(run.model, finest.model)
    true = finest.simulate(0.5, v=to.v(run.v[0]), **how)
    K, part = finest.model.flexible.rods["rod"].elastic, finest.model.joint("rod").q
    error, size = (np.sqrt(np.einsum("ni,ij,nj->n", r, K, r)).max() for r in ((to.q(run.q) - true.q)[:, part], true.q[:, part]))
    (found,) = lo.rods.rod_accuracy(run)
    assert 0.5 < found.strains / (error / size) < 2.0
    assert "on a finer rod" in run.summary() and f"{100 * found.strains:.2g} %" in run.summary()


def test_finer_rods_are_closer():
    how = {"rtol": 1e-7, "atol": 1e-10, "every": 0.05, "progress": False}
    runs = [problem(order=o, nodes=n).simulate(0.5, **how) for o, n in ((3, 8), (6, 24))]
    rough, good = (lo.rods.rod_accuracy(run)[0] for run in runs)
    assert good.strains < 0.5 * rough.strains and good.tip < 0.2 * rough.tip and rough.body == "rod"


def test_what_cannot_be_compared_is_said():
    run = problem(order=2).simulate(0.1, events=[lambda t, q, v: t - 0.05], progress=False)
    with pytest.raises(ValueError, match="events, ignored constraints or controllers decided"):
        lo.rods.rod_accuracy(run)
    assert "finer" not in run.summary()
    assert "finer" not in lo.systems.load("simple_pendulum").problem().simulate(0.1).summary()
    long = problem(order=2).simulate(9.0, every=1.0, rtol=1e-11, atol=1e-13, progress=False)
    assert "lo.rods.rod_accuracy(run) does" in long.summary()
    limp = problem(order=2, young=0.0).simulate(0.1, progress=False)
    assert 0.0 < lo.rods.rod_accuracy(limp)[0].strains < 2.0


def test_it_goes_with_other_features(tmp_path):
    """Forces along the rod, contacts, a run file; two rods."""
    rod = lo.Rod(0.4, strains="bending", order=2)
    model = lo.Builder("two", base="free").body("a", flex=rod).body("b", parent="a", flex=rod).build()
    drag = [lo.water.Resistive(x, lo.Fluid(1000.0, 1.0), 0.0, 0.4, radius=0.01) for x in "ab"]
    ground = [lo.Touch("a", lo.Ground(), points=[(0, 0, 0)])]
    for more in ({"environment": drag}, {"environment": drag, "inertia": False}, {"contacts": ground}):
        how = {"step": 1e-3} if "contacts" in more else {}
        run = lo.Locomotion(model, **more).simulate(0.02, every=0.01, progress=False, **how)
        assert [x.body for x in lo.rods.rod_accuracy(run)] == ["a", "b"]
    run.save(tmp_path / "run.h5")
    assert lo.rods.rod_accuracy(lo.open_run(tmp_path / "run.h5")) == lo.rods.rod_accuracy(run)
