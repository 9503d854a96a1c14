"""Along a curve: a snake on blades through its singular shapes, by its own geometry; a swimmer by feedback."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.families import Family


def snake(links):
    builder, link = lo.Builder("snake", base="planar"), lo.Inertia.box(1.0, (1.0, 0.1, 0.1))
    builder.body("link_0", inertia=link)
    for k in range(1, links):
        place = (-1.0 if k > 1 else -0.5, 0.0, 0.0)
        builder.body(f"link_{k}", parent=f"link_{k - 1}", at=place, joint=lo.Joint(f"bend_{k}"), inertia=link)
    blades = [lo.Blade("link_0"), *(lo.Blade(f"link_{k}", (-0.5, 0, 0)) for k in range(1, links))]
    return lo.Locomotion(builder.build(), constraints=blades)


@pytest.mark.parametrize("links", [3, 6])
def test_a_snake_goes_along_a_curve_through_singular_shapes(links):
    problem = snake(links)
    found = lo.gaits.follow(problem, "link_0", lambda s: (s, 0.8 * np.sin(0.5 * s) ** 2), duration=8.0, samples=321)
    assert found.error.max() < 1e-4
    x, y, heading = found.q[:, 0], found.q[:, 1], found.q[:, 2]
    axles = [np.stack([x, y], axis=1)]  # by hand: middles of links
    joint = axles[0] - 0.5 * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    angle = heading
    for k in range(1, links):
        angle = angle + found.q[:, 2 + k]
        along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        axles.append(joint - 0.5 * along)
        joint = joint - along
        moved = np.gradient(axles[-1], found.t, axis=0)[2:-2]
        across = np.stack([-np.sin(angle), np.cos(angle)], axis=1)[2:-2]
        assert abs((moved * across).sum(axis=1)).max() < 2e-3  # no axle slides sideways; by differences
    assert found.sound.min() < 0.01  # shapes at which the connection is singular
    assert found.drives()["bend_1"](1.0)[0] == pytest.approx(float(np.interp(1.0, found.t, found.q[:, 3])), abs=1e-5)


def test_what_is_wrong_with_a_curve_is_said():
    problem = snake(3)
    for words, wrong in (
        ("no body named 'head'", lambda: lo.gaits.follow(problem, "head", lambda s: (s, 0.0))),
        ("expected a function", lambda: lo.gaits.follow(problem, "link_0", 3.0)),
        ("above 0", lambda: lo.gaits.follow(problem, "link_0", lambda s: (s, 0.0), duration=-1.0)),
        ("expected a place", lambda: lo.gaits.follow(problem, "link_0", lambda s: (np.nan, 0.0))),
        ("stands still", lambda: lo.gaits.follow(problem, "link_0", lambda s: (0.0, 0.0))),
    ):
        with pytest.raises((TypeError, ValueError, lo.LocomoteError)) as raised:
            wrong()
        assert words in str(raised.value), str(raised.value)


@pytest.fixture(scope="module")
def swimmer():
    return lo.systems.load("purcell_swimmer", length=1 / 3).problem()


@pytest.fixture(scope="module")
def family(swimmer):
    found = lo.gaits.family(swimmer, [0.0, 0.2, -0.2], harmonics=1)
    order = np.argsort(found.turns)
    return Family(found.turns[order], found.values[order], tuple(found.members[k] for k in order), found.front[order])


def test_a_swimmer_keeps_to_a_path_after_a_push(swimmer, family):
    straight = lo.gaits.displacement(swimmer, family.members[1].gait).position[:2]
    ahead, aside = (
        straight / np.linalg.norm(straight),
        np.array([[0.0, -1.0], [1.0, 0.0]]) @ straight / np.linalg.norm(straight),
    )
    s = np.linspace(0.0, 3.0, 200)[:, None]
    path = s * ahead + 0.15 * np.sin(1.5 * s) * aside

    def pushed(n, pose):
        if n == 4:
            pose[:2, 3] += 0.08 * aside
        return pose

    found = lo.gaits.track(swimmer, family, path, periods=22, pushed=pushed)
    assert found.error[5] > 0.05 and found.error[-6:].max() < 0.03
    quiet = lo.gaits.track(swimmer, family, path, periods=6)
    run = swimmer.replaced(drives=quiet.drives(), start=None).simulate(6.0, samples=np.arange(7.0))
    np.testing.assert_allclose(run.q[:, :2] - run.q[0, :2], quiet.poses[:, :2, 3], atol=1e-5)  # what is said is what is done


def test_what_is_wrong_with_a_track_is_said(swimmer, family):
    one = Family(family.turns[:1], family.values[:1], family.members[:1], family.front[:1])
    for words, wrong in (
        ("both sides of 0", lambda: lo.gaits.track(swimmer, one, [[0, 0], [1, 0]], periods=1)),
        ("expected what lo.gaits.family gives", lambda: lo.gaits.track(swimmer, 3, [[0, 0], [1, 0]], periods=1)),
        ("expected places (M, 2)", lambda: lo.gaits.track(swimmer, family, [0.0, 1.0], periods=1)),
    ):
        with pytest.raises((TypeError, ValueError, lo.LocomoteError)) as raised:
            wrong()
        assert words in str(raised.value), str(raised.value)
