"""Constraints that events open and close, by hand: second pivots, clutches, grippers, blades, ropes, feet that do not count."""

import shutil

import numpy as np
import pytest

import locomote as lo

G = 9.81
PLANE = [lo.Joint("x", "prismatic", axis="x"), lo.Joint("z", "prismatic", axis="z"), lo.Joint("turn", axis="y")]
MASS, LENGTH = 2.0, 1.0


def rod(**more):
    """A uniform rod along x in the vertical plane, its origin at one end; pins at both ends."""
    inertia = lo.Inertia(MASS, (LENGTH / 2, 0, 0), np.diag([0.001, 1.0, 1.0]) * MASS * LENGTH**2 / 12)
    model = lo.Builder("rod").body("rod", joint=PLANE, inertia=inertia).build()
    pins = [
        lo.PointContact("rod", target=(0, 0, 0), directions="xz", name="first"),
        lo.PointContact("rod", (LENGTH, 0, 0), directions="xz", name="second", **more),
    ]
    return lo.Locomotion(model, constraints=pins)


def down(angle):
    """The rod has turned by an angle below x."""
    return lambda t, q, v: q[2] - angle


def swing(when, method="adaptive", **more):
    return rod().simulate(1.2, q=[0, 0, 0], events=[when], ignore=["second"], every=0.01, method=method, **more)


@pytest.mark.parametrize("method", ["adaptive", "rk4", "implicit", "gauss", "variational", "timestep"])
def test_a_rod_caught_at_its_other_end(method):
    """It swings about one end, is let go there and caught at the other: angular momentum about the new pivot is kept, which
    is m l^2 (1/12 - 1/4) w, so that it goes back at half the speed; three quarters of its energy are lost."""
    angle = 1.1
    step = {"step": 1e-3} if method in ("rk4", "variational", "timestep") else {}
    run = swing(lo.When(down(angle), open=["first"], close=["second"], name="caught"), method, **step)
    speed = np.sqrt(3 * G * np.sin(angle) / LENGTH)
    close = {"adaptive": 1e-7, "implicit": 1e-6, "gauss": 1e-5, "rk4": 1e-8}.get(method, 2e-3)
    opened, closed = (next(e for e in run.events if e.kind == kind) for kind in ("open", "close"))
    assert opened.t == closed.t and closed.v[2] == pytest.approx(speed, rel=close)
    pair = np.flatnonzero(np.diff(run.t) == 0)
    assert len(pair) == 1
    assert run.v[pair[0] + 1, 2] == pytest.approx(-closed.v[2] / 2, rel=1e-9)
    kinetic = MASS * LENGTH**2 / 6 * closed.v[2] ** 2
    assert closed.data["energy"] == pytest.approx(-0.75 * kinetic, rel=1e-9)
    assert run.work["losses"][-1] == pytest.approx(closed.data["energy"], rel=1e-9)
    # afterwards the far end stays, and energy about the new pivot is kept
    after = run.t > closed.t
    place = np.array([np.cos(angle), -np.sin(angle)]) * LENGTH
    ends = run.q[after, :2] + LENGTH * np.column_stack([np.cos(run.q[after, 2]), -np.sin(run.q[after, 2])])
    assert abs(ends - place).max() < max(1e-8, 1e-3 * close)
    height = run.q[after, 1] - LENGTH / 2 * np.sin(run.q[after, 2])
    energy = MASS * LENGTH**2 / 6 * run.v[after, 2] ** 2 + MASS * G * height
    start = kinetic / 4 - MASS * G * LENGTH / 2 * np.sin(angle)
    assert abs(energy - start).max() < 20 * close * kinetic
    assert run.audit.ok, run.audit
    if method == "adaptive":
        assert any(check.name == "impulses of impacts" for check in run.audit.checks)
        assert not run["first.x"][after].any() and not run["second.x"][run.t < closed.t].any()


def test_a_pivot_that_is_kept_stops_the_rod():
    """Both ends held: it stands still, and all of its kinetic energy is lost."""
    run = swing(lo.When(down(0.8), close=["second"]))
    after = run.t > run.events[-1].t
    assert abs(run.v[after]).max() < 1e-12
    assert run.work["losses"][-1] == pytest.approx(-MASS * G * LENGTH / 2 * np.sin(0.8), rel=1e-7) and run.audit.ok


def test_a_clutch():
    """Two wheels: what they have of angular momentum is shared, where they are."""
    one, two = 0.3, 0.5
    builder = lo.Builder("clutch")
    for name, inertia in (("one", one), ("two", two)):
        builder.body(name, joint=lo.Joint(name, axis="x"), inertia=lo.Inertia(1.0, (0, 0, 0), np.eye(3) * inertia))
    plate = lo.Coupled({"one": 1.0, "two": -1.0}, offset=None, name="clutch")
    problem = lo.Locomotion(builder.build(), constraints=[plate])
    time = lo.When(lambda t, q, v: t - 0.5, close=["clutch"]), lo.When(lambda t, q, v: t - 1.0, open=["clutch"])
    run = problem.simulate(2.0, v=[4.0, -1.0], events=list(time), ignore=["clutch"])
    common = (one * 4.0 - two * 1.0) / (one + two)
    assert run.v[-1] == pytest.approx([common, common], abs=1e-10)
    assert run.q[-1] == pytest.approx([2.0 + 1.5 * common, -0.5 + 1.5 * common], abs=1e-8)
    lost = one * two / (one + two) * 25.0 / 2
    assert run.work["losses"][-1] == pytest.approx(-lost, rel=1e-9) and run.audit.ok
    assert [e.kind for e in run.events] == ["event", "close", "event", "open"]


@pytest.mark.parametrize("weld", ["surface", "loop"])
def test_a_gripper_in_space(weld):
    """A hand on a free base grasps a body that floats by: linear and angular momentum of both are kept, the grasp holds where
    it closed, and lets go without a jolt."""
    builder = lo.Builder("space", gravity=(0, 0, 0))
    masses = (2.0, (0.1, 0, 0)), (1.0, (0.1, 0.05, 0))
    moments = {"hand": (0.3, 0.2, 0.4), "thing": (0.05, 0.09, 0.06)}
    for k, name in enumerate(moments):
        inertia = lo.Inertia(*masses[k], np.diag(moments[name]))
        builder.body(name, joint=lo.Joint(name, "free"), inertia=inertia)
    model = builder.build()
    if weld == "surface":
        grasp = lo.SurfaceContact("thing", (0.1, 0, 0), other="hand", name="grasp")
    else:
        grasp = lo.LoopClosure("thing", "hand", frame=(0.1, 0, 0), other_frame=None, name="grasp")
    problem = lo.Locomotion(model, constraints=[grasp])
    rng = np.random.default_rng(3)
    q, v = model.random(rng), rng.normal(size=12)
    events = [lo.When(lambda t, q, v: t - 0.4, close=["grasp"]), lo.When(lambda t, q, v: t - 1.0, open=["grasp"])]
    run = problem.simulate(1.5, q=q, v=v, events=events, ignore=["grasp"], rtol=1e-11, atol=1e-12)

    def momentum(k):
        """By hand: of the masses about their centers, in the world."""
        total = np.zeros(6)
        for name, pose, (m, c) in zip(moments, lo.forward_kinematics(model, run.q[k]), masses, strict=True):
            twist = lo.velocity(model, run.q[k], run.v[k], name)
            p = m * pose[:3, :3] @ (twist[:3] + np.cross(twist[3:], c))
            spin = pose[:3, :3] @ (np.diag(moments[name]) @ twist[3:])
            total += np.r_[p, np.cross(pose[:3, :3] @ c + pose[:3, 3], p) + spin]
        return total

    samples = range(0, len(run.t), 20)
    moments_of = np.array([momentum(k) for k in samples])
    assert abs(moments_of - moments_of[0]).max() < 1e-7
    held = (run.t > 0.4) & (run.t < 1.0)
    poses = lo.forward_kinematics(model, run.q[held])
    relative = np.linalg.inv(poses[:, 0]) @ poses[:, 1]
    assert abs(relative - relative[0]).max() < 1e-8
    free = np.linalg.inv(lo.forward_kinematics(model, run.q[-1])[0]) @ lo.forward_kinematics(model, run.q[-1])[1]
    assert abs(free - relative[0]).max() < 0.1  # the same twist at first: it drifts off by its own spin only
    jump = np.flatnonzero(np.diff(run.t) == 0)
    assert len(jump) == 2 and np.array_equal(run.v[jump[1]], run.v[jump[1] + 1])
    assert run.work["losses"][-1] < -0.1 and run.audit.ok, run.audit


def test_a_blade_that_lifts_and_is_put_down_again():
    """In the air a sled goes straight on and spins on; put down it loses what goes sideways, by an impulse at the blade."""
    inertia = lo.Inertia(3.0, (0.2, 0, 0), np.diag([0.3, 0.3, 0.5]))
    model = lo.Builder("sled", base="planar").body("sled", inertia=inertia).build()
    problem = lo.Locomotion(model, constraints=[lo.Blade("sled", name="blade")])
    events = [lo.When(lambda t, q, v: t - 0.5, open=["blade"]), lo.When(lambda t, q, v: t - 1.5, close=["blade"])]
    run = problem.simulate(2.0, v=[1.0, 0, 0.9], events=events, every=0.05)
    up, pair = (run.t > 0.5) & (run.t < 1.5), np.flatnonzero(np.diff(run.t) == 0)[-1]
    c, s = np.cos(run.q[up, 2]), np.sin(run.q[up, 2])
    u, w = run.v[up, 0], run.v[up, 1] + 0.2 * run.v[up, 2]  # of the mass center
    flight = np.column_stack([c * u - s * w, s * u + c * w])
    assert np.ptp(flight, axis=0).max() < 1e-7 and np.ptp(run.v[up, 2]) < 1e-9
    before, after = run.v[pair], run.v[pair + 1]
    impulse = 3.0 * ((after[1] - before[1]) + 0.2 * (after[2] - before[2]))  # sideways, on the mass center
    assert after[1] == pytest.approx(0.0, abs=1e-12) and after[0] == pytest.approx(before[0], abs=1e-12)
    assert 0.5 * (after[2] - before[2]) == pytest.approx(-0.2 * impulse, abs=1e-12)
    assert run.work["losses"][-1] == pytest.approx(impulse * before[1] / 2, rel=1e-9) and run.audit.ok


def test_a_rope_that_becomes_taut():
    """A ball falls beside its rope: when that is taut, what goes along it is lost, and it swings."""
    model = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(0.5, 0.02)).build()
    rope = lo.Distance("ball", length=1.0, name="rope")
    taut = lo.When(lambda t, q, v: q @ q - 1.0, 1, close=["rope"], name="taut")
    run = lo.Locomotion(model, constraints=[rope]).simulate(1.0, q=[0.6, 0, 0], events=[taut], ignore=["rope"])
    event = next(e for e in run.events if e.kind == "close")
    assert event.q[2] == pytest.approx(-0.8, abs=1e-8) and event.v[2] == pytest.approx(-np.sqrt(2 * G * 0.8), rel=1e-8)
    along = 0.8 * np.sqrt(2 * G * 0.8)
    assert event.data["energy"] == pytest.approx(-0.5 * 0.5 * along**2, rel=1e-7)
    assert event.data["impulses"] == pytest.approx([-0.5 * along], rel=1e-7)
    assert np.linalg.norm(run.q[run.t > event.t], axis=1) == pytest.approx(1.0, abs=1e-9) and run.audit.ok


def floor_and_ball():
    model = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(2.0, 0.1)).build()
    floor = lo.PointContact("ball", target=(0, 0, 0), directions="z", unilateral=True, restitution=0.5, name="floor")
    return lo.Locomotion(model, constraints=[floor])


@pytest.mark.parametrize("by", ["time", "event"])
def test_a_floor_that_does_not_count_for_a_while(by):
    """A ball thrown up through a floor: it comes down on it after its turning point."""
    top = 5.0 / G
    highest = lo.When(lambda t, q, v: v[2], -1, close=["floor"], name="highest")
    more = {"ignore": {"floor": 0.6}} if by == "time" else {"ignore": ["floor"], "events": [highest]}
    run = floor_and_ball().simulate(2.0, q=[0, 0, -0.5], v=[0, 0, 5.0], **more)
    fall = np.sqrt(5.0**2 - 2 * G * 0.5)  # speed at the floor
    hit = next(e for e in run.events if e.kind == "impact")
    assert hit.t == pytest.approx(top + fall / G, abs=1e-7)
    assert hit.data["energy"] == pytest.approx(-0.75 * 0.5 * 2.0 * fall**2, rel=1e-6)
    counts = next(e for e in run.events if e.kind == "close")
    assert counts.t == pytest.approx(0.6 if by == "time" else top, abs=1e-9) and "floor counts again" in str(counts)
    assert run.audit.ok


def test_a_floor_that_is_ignored_from_some_time_on():
    run = floor_and_ball().simulate(1.0, q=[0, 0, 0], events=[lo.When(lambda t, q, v: t - 0.5, open=["floor"])])
    assert run.q[-1, 2] == pytest.approx(-0.5 * G * 0.25, rel=1e-8) and run.audit.ok
    assert "floor is ignored from here on" in str(run.events[-1])


def test_contacts_take_part_when_something_closes():
    """A plank that lies on two supports is pinned while it slides: it stops, the supports stay closed, and nothing hops."""
    inertia = lo.Inertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.1]))
    model = lo.Builder("plank").body("plank", joint=PLANE, inertia=inertia).build()
    feet = [
        lo.PointContact("plank", (x, 0, -0.1), (x, 0, 0), "z", unilateral=True, name=name)
        for x, name in ((-0.5, "left"), (0.5, "right"))
    ]
    pin = lo.PointContact("plank", (0, 0, 0.3), directions="x", name="pin")  # above the center: it would tip
    problem = lo.Locomotion(model, constraints=[*feet, pin])
    event = lo.When(lambda t, q, v: q[0] - 0.1, close=["pin"])
    run = problem.simulate(1.0, q=[0, 0.1, 0], v=[1.0, 0, 0], events=[event], ignore=["pin"])
    expected = problem.impact([0.1, 0.1, 0], [1.0, 0, 0], closed=["left", "right"])
    pair = np.flatnonzero(np.diff(run.t) == 0)[0]
    assert run.v[pair + 1] == pytest.approx(expected.v, abs=1e-9)
    assert expected.v[2] != 0 and (run.v[pair + 1, 1] - 0.5 * abs(run.v[pair + 1, 2])) > -1e-9  # one lifts off, none sinks in
    # by hand: turns about the foot ahead, held at x by the pin; impulses at both
    I, h, half = 0.1, 0.3, 0.5
    w = -1.0 * h / (I + h**2 + half**2) if expected.v[2] < 0 else 1.0 * h / (I + h**2 + half**2)
    assert abs(expected.v[2]) == pytest.approx(abs(w), rel=1e-9)
    assert run.audit.ok, run.audit


def test_imposed_motion_pays_for_a_closing():
    """A driven wheel takes another along: the drive does the work that is not lost."""
    builder = lo.Builder("driven")
    for name in ("one", "two"):
        builder.body(name, joint=lo.Joint(name, axis="x"), inertia=lo.Inertia(1.0, (0, 0, 0), np.eye(3) * 0.4))
    plate = lo.Coupled({"one": 1.0, "two": -1.0}, offset=None, name="clutch")
    problem = lo.Locomotion(builder.build(), drives={"one": lo.Polynomial([0.0, 3.0])}, constraints=[plate])
    run = problem.simulate(1.0, events=[lo.When(lambda t, q, v: t - 0.5, close=["clutch"])], ignore=["clutch"])
    assert run.v[-1] == pytest.approx([3.0, 3.0]) and run.audit.ok
    assert run.work["losses"][-1] == pytest.approx(-0.5 * 0.4 * 9) and run.work["drives"][-1] == pytest.approx(0.4 * 9)


# going on


def events_of(copy_at=None, path=None, copy=None):
    """A rod that is caught to and fro; at some time the file of the run is copied."""

    def turned(t, q, v):
        if copy_at is not None and t > copy_at and not copy.exists():
            shutil.copy(path, copy)
        return q[2] - 0.9

    return [
        lo.When(turned, 1, open=["first"], close=["second"], name="caught"),
        lo.When(lambda t, q, v: q[2] - 0.5, -1, open=["second"], close=["third"], name="back"),
    ]


def three_pins():
    problem = rod()
    third = lo.PointContact("rod", directions="xz", name="third")
    return lo.Locomotion(problem.model, constraints=[*problem.constraints, third])


@pytest.mark.parametrize("copy_at", [0.2, 0.6, 1.5])
def test_resume_is_the_same_run(copy_at, tmp_path):
    """Before, between and after the closings: numbers of the run that was not cut off, bit for bit."""
    path, copy = tmp_path / "whole.h5", tmp_path / "cut.h5"
    options = {"q": [0, 0, 0], "ignore": ["second", "third"], "max_step": 1e-4}
    whole = three_pins().simulate(
        2.0, events=events_of(copy_at, path, copy), checkpoint=path, checkpoint_interval=0.0, **options
    )
    assert sum(e.kind == "close" for e in whole.events) >= 2 and whole.audit.ok
    cut = lo.open_run(copy)
    assert 0 < cut.t[-1] < whole.t[-1]
    again = lo.resume(copy, problem=three_pins(), events=events_of())
    for name in ("t", "q", "v", "a", "reactions"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name
    assert [(e.t, e.kind) for e in again.events] == [(e.t, e.kind) for e in whole.events]


def test_ignored_until_a_time_is_kept_in_files(tmp_path):
    """Resume and extend know which contact was ignored, and until when."""
    path = tmp_path / "run.h5"
    stop = lo.When(lambda t, q, v: t - 0.2, terminal=True)
    start = {"q": [0, 0, -0.5], "v": [0, 0, 5.0], "ignore": {"floor": 0.6}}
    floor_and_ball().simulate(2.0, events=[stop], checkpoint=path, **start)
    again = lo.resume(path, events=[lo.When(lambda t, q, v: t - 10.0, terminal=True)])
    whole = floor_and_ball().simulate(2.0, **start)
    assert again.info["ignore"] == {"floor": 0.6}
    assert [e.t for e in again.events[-3:]] == pytest.approx([e.t for e in whole.events[-3:]], abs=1e-7)
    longer = floor_and_ball().simulate(0.3, **start).extend(1.7)
    assert [e.t for e in longer.events[-3:]] == pytest.approx([e.t for e in whole.events[-3:]], abs=1e-7)


# what cannot be


def test_a_constraint_that_does_not_fit():
    with pytest.raises(lo.RunFailed, match=r"second cannot close at t = .* s: row 'z' of 'second' is off by .* m or rad; let"):
        rod(target=(0.5, 0, 0.5)).simulate(1.0, events=[lo.When(down(0.5), close=["second"])], ignore=["second"])


def test_a_contact_that_is_inside_when_it_counts_again():
    with pytest.raises(lo.RunFailed, match="'floor' counts again at t = 0.1 s and is 0.049 m inside"):
        floor_and_ball().simulate(1.0, ignore={"floor": 0.1}, q=[0, 0, 0])


def test_imposed_motion_that_a_closing_does_not_fit():
    builder = lo.Builder("driven")
    builder.body("one", joint=lo.Joint("one", axis="x"), inertia=lo.Inertia.sphere(1.0, 0.1))
    brake = lo.Coupled({"one": 1.0}, offset=None, name="brake")
    problem = lo.Locomotion(builder.build(), drives={"one": lo.Polynomial([0.0, 3.0])}, constraints=[brake])
    with pytest.raises(lo.RunFailed, match="brake closes at t = 0.5 s, and no velocities meet all constraints then"):
        problem.simulate(1.0, events=[lo.When(lambda t, q, v: t - 0.5, close=["brake"])], ignore=["brake"])


def test_names_that_are_wrong():
    problem, time = rod(), lambda t, q, v: t - 0.5
    with pytest.raises(lo.UnknownName, match="no constraint named 'secnd' in 'rod'"):
        problem.simulate(1.0, ignore=["secnd"])
    with pytest.raises(lo.UnknownName, match="no constraint named 'thrd'"):
        problem.simulate(1.0, events=[lo.When(time, close=["thrd"])], ignore=["second"])
    with pytest.raises(TypeError, match=r"close must be a list of the names of constraints, such as close=\['foot'\]"):
        problem.simulate(1.0, events=[lo.When(time, close="second")], ignore=["second"])
    with pytest.raises(ValueError, match=r"ignore\['second'\] is -1.0, expected the time"):
        problem.simulate(1.0, ignore={"second": -1.0})
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    touching = lo.Locomotion(ball, contacts=[lo.Touch("ball", sphere=0.1, name="skin")])
    with pytest.raises(ValueError, match=r"ignore names 'skin', a lo.Touch, which time steps always look at"):
        touching.simulate(1.0, ignore=["skin"])


def test_evaluations_without_a_constraint():
    """`ignore` of evaluate, classify and impact: the rows are not there."""
    problem = rod()
    q, v = np.array([0.0, 0, 0]), np.zeros(3)
    alone = problem.evaluate(0.0, q, v, ignore=["second"])
    assert alone.a[2] == pytest.approx(1.5 * G / LENGTH) and not alone.reactions[2:].any()
    assert problem.classify(0.0, q, ignore=["first", "second"]).free == 3
    caught = problem.impact(q, [0, 0, 1.0], closed=[], ignore=["first"])
    assert caught.v[2] == pytest.approx(-0.5)
