"""OpenSim and this library: places of bodies by every kind of joint, splines, inverse dynamics, muscles along paths."""

import numpy as np
import pytest
from gait_model import body, coordinates, frame, gait, joint

import locomote as lo

opensim = pytest.importorskip("opensim", reason="OpenSim is not installed")
KINDS = {
    "PinJoint": 1,
    "SliderJoint": 1,
    "UniversalJoint": 2,
    "BallJoint": 3,
    "GimbalJoint": 3,
    "PlanarJoint": 3,
    "FreeJoint": 6,
}


class Person:
    """A file in both programs."""

    def __init__(self, text, folder):
        opensim.Logger.setLevelString("Off")
        path = folder / "model.osim"
        path.write_text(text)
        self.theirs = opensim.Model(str(path))
        self.state = self.theirs.initSystem()
        for k in range(self.theirs.getForceSet().getSize()):
            self.theirs.getForceSet().get(k).setAppliesForce(self.state, False)
        self.scene = lo.read_scene(path)
        self.model = lo.Model(self.scene.description).unfolded
        names = self.theirs.getCoordinateNamesInMultibodyTreeOrder()
        self.names = [str(names.getElt(k)).rsplit("/", 1)[-1] for k in range(names.size())]

    def put(self, q, v):
        own = self.theirs.getCoordinateSet()
        for name, place, speed in zip(self.names, q, v, strict=True):
            own.get(name).setValue(self.state, float(place), False)
            own.get(name).setSpeedValue(self.state, float(speed))
        self.theirs.realizeVelocity(self.state)

    def course(self, q):
        """A recording that stays at q, and our whole q."""
        full = np.zeros((1, self.model.nq))
        for name, value in zip(self.names, q, strict=True):
            full[0, self.model.joint(name).q.start] = value
        from locomote.locomotion.recorded import follow, in_order

        for relation in in_order(self.scene.relations):
            follow(self.model, relation, full, np.zeros((1, self.model.nv)), np.zeros((1, self.model.nv)))
        return full[0]

    def places(self, q):
        poses = lo.forward_kinematics(self.model, q)
        for own in self.theirs.getBodyList():
            X = own.getTransformInGround(self.state)
            turn = np.array([[X.R().get(i, j) for j in range(3)] for i in range(3)])
            yield poses[self.model.body_index(own.getName())], turn, [X.p().get(k) for k in range(3)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint(kind, tmp_path):
    names = [f"q{k}" for k in range(KINDS[kind])]
    ends = frame("near", "/ground", "0.1 0.2 0.3", "0.3 -0.2 0.5") + frame("far", "/bodyset/a", "-0.3 0.1 0.2", "0.1 0.4 -0.6")
    joints = joint(kind, "j", "near", "far", ends, coordinates(*names))
    bodies = body("a", 1, "0 0 0", "1 1 1")
    sets = f"<BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>{joints}</objects></JointSet>"
    person = Person(f'<OpenSimDocument Version="40500"><Model name="m">{sets}</Model></OpenSimDocument>', tmp_path)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = rng.uniform(-0.8, 0.8, len(person.names))
        person.put(q, 0 * q)
        for pose, turn, place in person.places(person.course(q)):
            np.testing.assert_allclose(pose[:3, :3], turn, atol=1e-12)
            np.testing.assert_allclose(pose[:3, 3], place, atol=1e-12)


@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_splines(count):
    from locomote.model.splines import Spline

    rng = np.random.default_rng(count)
    x, y = np.cumsum(rng.uniform(0.1, 1.0, count)), rng.normal(size=count)
    theirs = opensim.SimmSpline()
    for a, b in zip(x, y, strict=True):
        theirs.addPoint(float(a), float(b))
    at = np.linspace(x[0] - 1, x[-1] + 1, 40)
    for order in range(3):
        if order == 0:
            expected = [theirs.calcValue(opensim.Vector(1, float(s))) for s in at]
        else:
            which = opensim.StdVectorInt([0] * order)
            expected = [theirs.calcDerivative(which, opensim.Vector(1, float(s))) for s in at]
        np.testing.assert_allclose(Spline(x, y)(at, order), expected, atol=1e-9)


def test_a_person(tmp_path):
    """Places, torques of given motion, and lengths and moment arms of muscles."""
    from locomote.locomotion.recorded import follow, in_order

    person, rng = Person(gait(), tmp_path), np.random.default_rng(1)
    solver, model = opensim.InverseDynamicsSolver(person.theirs), person.model
    relations = in_order(person.scene.relations)
    for _ in range(5):
        q, v, a = rng.uniform(-0.6, 0.6, 12), rng.normal(size=12), rng.normal(size=12)
        person.put(q, v)
        for pose, turn, place in person.places(person.course(q)):
            np.testing.assert_allclose(pose[:3, :3], turn, atol=1e-12)
            np.testing.assert_allclose(pose[:3, 3], place, atol=1e-12)
        wanted = opensim.Vector(12, 0.0)
        for k, value in enumerate(a):
            wanted.set(k, float(value))
        theirs = solver.solve(person.state, wanted)
        full = [np.zeros((1, size)) for size in (model.nq, model.nv, model.nv)]
        for name, *values in zip(person.names, q, v, a, strict=True):
            for own, value in zip(full, values, strict=True):
                own[0, model.joint(name).v.start] = value
        for relation in relations:
            follow(model, relation, *full)
        tau = lo.inverse_dynamics(model, *(own[0] for own in full))
        paths = {motor.name: motor.path for motor in person.scene.motors}
        lengths, arms = lo.path_lengths(model, list(paths.values()), full[0][0])
        for relation in reversed(relations):
            leader, own = model.joint(relation.other).v.start, model.joint(next(iter(relation.ratios))).v.start
            slope = relation.curve()(full[0][0, leader], 1)
            tau[leader] += slope * tau[own]
            arms[:, leader] += slope * arms[:, own]
        places = [model.joint(name).v.start for name in person.names]
        np.testing.assert_allclose(tau[places], [theirs.get(k) for k in range(12)], atol=1e-10)
        muscles = person.theirs.getMuscles()
        for name, length, arm in zip(paths, lengths, arms, strict=True):
            path = muscles.get(name).getGeometryPath()
            assert length == pytest.approx(path.getLength(person.state), abs=1e-13)
            set_of = person.theirs.getCoordinateSet()
            expected = [path.computeMomentArm(person.state, set_of.get(own)) for own in person.names]
            np.testing.assert_allclose(-arm[places], expected, atol=1e-12)


def test_inverse_dynamics_of_a_recorded_step(tmp_path):
    """A file of motion, by OpenSim's own tool."""
    person, t = Person(gait(), tmp_path), np.linspace(0, 1, 101)
    rng = np.random.default_rng(2)
    courses = {name: 20 * rng.uniform(0.3, 1) * np.sin(2 * np.pi * t + rng.uniform(0, 6)) for name in person.names}
    courses |= {name: 0.02 * courses[name] for name in ("pelvis_tx", "pelvis_ty")}
    rows = "\n".join("\t".join(f"{x:.16g}" for x in row) for row in np.column_stack([t, *courses.values()]))
    head = f"step\nversion=1\nnRows={len(t)}\nnColumns={len(courses) + 1}\ninDegrees=yes\nendheader\n"
    (tmp_path / "step.mot").write_text(head + "\t".join(["time", *courses]) + "\n" + rows + "\n")
    tool = opensim.InverseDynamicsTool()
    tool.setModelFileName(str(tmp_path / "model.osim"))
    tool.setCoordinatesFileName(str(tmp_path / "step.mot"))
    tool.setStartTime(0.0)
    tool.setEndTime(1.0)
    excluded = opensim.ArrayStr()
    excluded.append("Muscles")
    tool.setExcludedForces(excluded)
    tool.setResultsDir(str(tmp_path))
    tool.setOutputGenForceFileName("forces.sto")
    assert tool.run()
    theirs = lo.read_motion(tmp_path / "forces.sto")
    ours = lo.forces_of_motion(person.scene, lo.read_motion(tmp_path / "step.mot"))
    for name, course in ours.columns.items():
        kind = "force" if name in ("pelvis_tx", "pelvis_ty") else "moment"
        expected = np.interp(t, theirs.time, theirs.columns[f"{name}_{kind}"])
        inner = slice(5, -5)
        assert np.abs(course - expected)[inner].max() < 1e-3 * max(np.abs(expected).max(), 1.0), name
