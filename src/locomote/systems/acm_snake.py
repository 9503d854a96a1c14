"""A snake of rigid links on wheels (active cord mechanism): one axle in the middle of each link, no side slip.

The head is link 0, its frame in the middle, x forward; joint k is at the rear end of link k - 1. Three ways to move it:

    head     the head has two small driven wheels, which impose its speed and its yaw rate; joints are passive and follow.
             The torques of the wheels are what it costs to pull the train.
    joints   all joints are imposed, with the angles of the same motion: the snake moves itself. There are more axles than
             motions, so torques are known up to a self-stress.
    arc      all joints are held at one angle. All axles then meet in one point, the constraints leave one motion free, and
             the snake glides along its circle by dynamics.

The trailing motion is a cascade from the head: u_k, w_k speed and yaw rate of link k, a half its length (follower-leader),

    w_k = -u_(k-1) sin r_k / a - w_(k-1) cos r_k ,   u_k = u_(k-1) cos r_k - a w_(k-1) sin r_k ,   r_k' = w_k - w_(k-1)   (1)
"""

from functools import lru_cache
from math import cos, sin

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.systems.parameters import choice, number, positive, whole
from locomote.systems.parts import rod, wheel

SOURCE = (
    "F. Boyer, M. Porez: Multibody system dynamics for bio-inspired locomotion: from geometric structures to computational "
    "aspects. Bioinspiration & Biomimetics 10 (2015), after S. Hirose: Biologically Inspired Robots (1993); numbers chosen"
)
SEE = "every axle runs on the track of the head; 18 self-stresses of 21 axles when all joints are imposed"
PARAMETERS = {
    "imposed": choice("head", ("head", "joints", "arc"), "what is imposed: the head, all joints, or an arc"),
    "links": whole(21, "number of links", lowest=2, highest=500),
    "length": positive(0.1, "m", "length of a link"),
    "mass": positive(0.5, "kg", "mass of a link, a slender rod"),
    "speed": positive(0.3, "m/s", "speed of the head"),
    "yaw_rate": number(0.9, "rad/s", "amplitude of the yaw rate of the head"),
    "rate": positive(1.2, "rad/s", "its angular frequency"),
    "angle": number(0.1, "rad", "angle of all joints, for arc"),
}
RADIUS, TRACK, WHEEL = 0.02, 0.06, 0.01  # m, m, kg: driven wheels of the head
STEP, MARGIN = 0.01, 0.5  # s, between the knots of imposed joint motions; what they reach beyond a run


def build(p) -> Model:
    """The links from the head to the tail, each with its frame in the middle."""
    half = p.length / 2
    builder = Builder("acm snake", base="planar")
    builder.body("link0", at=(0.0, 0.0, RADIUS), **rod(p.mass, p.length, start=-half))
    for k in range(1, p.links):
        joint = Joint(f"joint{k}", anchor=(half, 0.0, 0.0))
        builder.body(f"link{k}", parent=f"link{k - 1}", at=(-p.length, 0, 0), joint=joint, **rod(p.mass, p.length, start=-half))
    if p.imposed == "head":
        disc = wheel(WHEEL, WHEEL * RADIUS**2 / 2, WHEEL * RADIUS**2 / 4, RADIUS)
        for name, y in (("left", TRACK / 2), ("right", -TRACK / 2)):
            builder.body(f"{name}_wheel", parent="link0", at=(0.0, y, 0.0), joint=Joint(name, axis="y"), **disc)
    return builder.build()


def setting(p) -> dict:
    """An axle on each link; the head, the joints or an arc imposed."""
    from locomote.constraints.kinds import Blade, Rolling
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.polynomial import Polynomial
    from locomote.drives.kinds.sine import Sine
    from locomote.drives.kinds.spline import Spline

    axles = [Blade(f"link{k}", name=f"axle{k}") for k in range(p.links)]
    joints = [f"joint{k}" for k in range(1, p.links)]
    if p.imposed == "head":
        forward, turn = Polynomial((0.0, p.speed / RADIUS)), Sine(TRACK / 2 / RADIUS * p.yaw_rate / p.rate, p.rate)
        wheels = [Rolling(f"{s}_wheel", RADIUS, axle=(0, 1, 0), directions="f", name=s) for s in ("left", "right")]
        return {"drives": {"left": forward - turn, "right": forward + turn}, "constraints": [*axles, *wheels]}
    if p.imposed == "arc":
        return {"drives": {joint: Constant(p.angle) for joint in joints}, "constraints": axles}
    times, angles = trailing(p)
    drives = {joint: Spline(times, angles[:, k], order=5) for k, joint in enumerate(joints)}
    return {"drives": drives, "constraints": axles}


def rates(half: float, u: float, w: float, r) -> list[float]:
    """Joint rates of the trailing links for speed u and yaw rate w of the head, (1); half is half the length of a link."""
    result = []
    for angle in r:
        s, c = sin(angle), cos(angle)
        u, ahead, w = u * c - half * w * s, w, -u * s / half - w * c
        result.append(w - ahead)
    return result


def warm_up(p) -> float:
    """A time after which all links are on a curved track, a multiple of STEP, s."""
    return STEP * round(p.links * p.length / p.speed / STEP)


def trailing(p):
    """Times and joint angles (samples, joints) when the head leads from a straight start; time 0 is after the warm-up."""
    end = warm_up(p) + duration(p) + MARGIN
    times, angles = led(p.links, p.length, p.speed, p.yaw_rate, p.rate, end)
    kept = times >= warm_up(p) - MARGIN
    return times[kept] - warm_up(p), angles[kept]


@lru_cache(maxsize=4)
def led(links: int, length: float, speed: float, yaw_rate: float, rate: float, end: float):
    """The same from the straight start on."""
    from scipy.integrate import solve_ivp

    def slope(t, r):
        return rates(length / 2, speed, yaw_rate * cos(rate * t), r.tolist())

    times = STEP * np.arange(int(np.ceil(end / STEP)) + 1)
    run = solve_ivp(slope, (0.0, times[-1]), np.zeros(links - 1), "DOP853", times, rtol=1e-12, atol=1e-13)
    return times, run.y.T


def initial(p, model: Model):
    """Straight behind the head, on the curved track of the head, or on the arc; moving at its speed."""
    q, v = model.neutral(), np.zeros(model.nv)
    v[0] = p.speed
    if p.imposed == "arc":
        q[3:], v[2] = p.angle, -2 * p.speed / p.length * np.tan(p.angle / 2)
    elif p.imposed == "joints":
        times, angles = trailing(p)
        q[3:], v[2] = angles[np.argmin(abs(times))], p.yaw_rate * cos(p.rate * warm_up(p))
        v[3:] = rates(p.length / 2, p.speed, v[2], q[3:])
    else:
        joints, wheels = slice(3, p.links + 2), slice(p.links + 2, None)
        v[2], v[joints] = p.yaw_rate, rates(p.length / 2, p.speed, p.yaw_rate, q[joints])
        v[wheels] = (p.speed + np.array([-1.0, 1.0]) * TRACK / 2 * p.yaw_rate) / RADIUS
    return q, v


def duration(p) -> float:
    """s"""
    return 15.0
