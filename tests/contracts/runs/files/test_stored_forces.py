"""Every force of the library can be stored with a run, read, and gone on with: the problem that comes back is the same to the
last digit."""

import numpy as np
import pytest

import locomote as lo

WATER = lo.Fluid(1000.0, 1e-3, lo.water.KarmanStreet((-0.3, 0, 0), 0.2, 0.02, 0.02) + lo.water.Shear(0.2))


def chain(n=3):
    builder = lo.Builder("chain", base="free", gravity=(0, 0, 0))
    for k in range(n):
        more = {} if k == 0 else {"parent": f"l{k - 1}", "at": (0.1, 0, 0), "joint": lo.Joint(f"j{k}")}
        builder.body(f"l{k}", inertia=lo.Inertia(0.2, (0.05, 0, 0), (1e-4, 3e-4, 3e-4)), **more)
    return builder


def model_for(name):
    """The chain, with a rod at its end where forces act on one."""
    soft = lo.Rod(0.3, lo.Section.circle(0.02), lo.Material(1000.0, 1e4), strains="bending", order=1)
    return (chain().body("r", parent="l2", at=(0.1, 0, 0), flex=soft) if name == "rod" else chain()).build()


SEGMENTS = [
    lo.water.Segment(f"l{k}", (0, 0, 0), (0.1, 0, 0), lambda s, k=k: 0.06 * np.sqrt((k + s) / 3), lambda s: 0.02 + 0.01 * s)
    for k in range(3)
]
FORCES = {
    "lighthill": lambda: [lo.water.Lighthill(WATER, SEGMENTS), lo.water.SectionDrag(WATER, SEGMENTS, 1.1, 0.01, elements=3)],
    "slender": lambda: [lo.water.SlenderDrag("l1", WATER, (0, 0, 0), (0.1, 0, 0), lambda x: 0.03 * (1 - x), 0.02)],
    "wing": lambda: [lo.water.Wing("l0", WATER, (0, 0, 0), (0, 0.3, 0), lambda x: 0.1 - 0.05 * x * x, elements=4)],
    "spheres": lambda: [lo.water.ViscousSpheres(lo.Fluid(1000.0, 1.0), {"l0": 0.01, "l2": 0.02})],
    "sand": lambda: [
        lo.water.Granular("l0", (0, 0, 0), (0.1, 0, 0), 0.01, 3e4, 5e3),
        lo.water.Scales("l2", 1.0, 0.1, 0.3, 0.5, ((0, 0, 0), (0.1, 0, 0))),
    ],
    "rod": lambda: [
        lo.water.Lighthill(WATER, [lo.water.Segment("r", 0.0, 0.3, lambda x: 0.05 + 0.02 * x, 0.02)]),
        lo.water.Wing("r", WATER, 0.05, 0.25, lambda x: 0.1 - 0.05 * x, forward=(0, 1, 0)),
        lo.Spring(lo.rods.Along("r", 0.2), stiffness=3.0, length=0.1),
    ],
    "plate": lambda: [lo.water.Plate("l1", WATER, (0, 0, 0), (0, 0.2, 0), 0.05, speed=0.4)],
    "intrusion": lambda: [lo.water.Intrusion("l1", [(0, 0, 0), (0.05, 0, 0)], [(0, 0, 1), (1, 0, 1)], [1e-5, 2e-5], level=0.1)],
    "grid": lambda: [
        lo.Drag("l0", lo.Fluid(1000.0, 1e-3, lo.water.Grid(np.ones((2, 3, 2, 3)), (-1, -1, -1), (2, 2, 2))), 0.01)
    ],
}


@pytest.mark.parametrize("name", FORCES)
def test_a_run_with_forces_comes_back_and_goes_on(name, tmp_path):
    problem = lo.Locomotion(model_for(name), environment=FORCES[name]())
    v = np.linspace(-0.4, 0.5, problem.model.nv)
    whole = problem.simulate(0.2, v=v, every=0.02, method="adaptive")
    problem.simulate(0.1, v=v, every=0.02, method="adaptive").save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert again.problem is not None, again.problem_missing
    for k in (0, 3):
        here = again.t[k], again.q[k], again.v[k]
        np.testing.assert_array_equal(again.problem.evaluate(*here).a, problem.evaluate(*here).a)
    assert again.audit.ok
    longer = again.extend(0.1)
    np.testing.assert_allclose(longer.q[-1], whole.q[-1], atol=1e-6)


def test_a_section_is_kept_where_it_was_asked():
    from locomote.forces.samples import tabulated

    force = FORCES["lighthill"]()[0]
    kept = tabulated(force, model_for(""))
    assert kept is not force and kept.term(model_for("")).numbers == force.term(model_for("")).numbers
    assert tabulated(kept, model_for("")) is kept
    plain = lo.Drag("l0", WATER, 0.1)
    assert tabulated(plain, model_for("")) is plain


def test_a_function_of_your_own_is_still_refused(tmp_path):
    problem = lo.Locomotion(model_for(""), environment=[lambda t, q, v: {"l0": np.zeros(6)}])
    problem.simulate(0.01).save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert again.problem is None and "cannot be stored" in again.problem_missing
