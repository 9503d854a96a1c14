"""A legged robot that balances on a ball, robot and ball in one program.

Feet hold on to the ball, which rolls on the ground; the ground touches the whole in one point. About that point

    m h x'' + k b'' = m g (x - b)     x, b: mass center of the robot, ball;  m, h: its mass and height;  k = I/r + m_b r     (1)

so that the ball must first roll away from where the robot is to go. Accelerations of the ball are those of the linear regulator
of (1) about a motion that obeys it; the program finds torques and forces of feet that bring them about, and (1) follows from
its own balance.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from locomote.contact.touch import Ground, Touch
from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.controller import WholeBody
from locomote.control.whole_body.machine import ContactMachine, Phase
from locomote.control.whole_body.result import Now
from locomote.control.whole_body.scenarios import Scenario
from locomote.control.whole_body.stances import Stance, find_stance
from locomote.control.whole_body.tasks import CenterOfMass, Frame, Posture
from locomote.dynamics.kinematics import forward_kinematics, velocity
from locomote.dynamics.momentum import center_of_mass, momentum
from locomote.geometry.shapes.sphere import Sphere
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia

Motion = Callable[[float], tuple[np.ndarray, ...]]


class OnBall(WholeBody):
    """A controller with a task named by the ball, whose acceleration answers to the state.

    ball : name of its body ; gains : (4,) of x, x', b, b' less those of the motion, 1/s^2 and 1/s
    motion : of t, gives x, x', b, b', b'' that are wanted, each (2,), m and s
    """

    def __init__(self, model: Model, ball: str, gains, motion: Motion, tasks, contacts, **options):
        super().__init__(model, tasks, contacts, **options)
        self._ball, self._gains, self._motion = ball, np.array(gains, dtype=float), motion

    def _tick(self, t: float, q: np.ndarray, v: np.ndarray) -> Now:
        place, speed, center, rate = apart(self.model, self._ball, q, v)
        x, x_rate, b, b_rate, given = self._motion(t)
        k = self._gains
        given = given - k[0] * (center - x) - k[1] * (rate - x_rate) - k[2] * (place[:2] - b) - k[3] * (speed[:2] - b_rate)
        asked = place, speed, np.array([*given, 0.0])
        self.tasks[self._ball].position = lambda t: asked  # type: ignore[attr-defined]
        return super()._tick(t, q, v)


def apart(model: Model, ball: str, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Place and velocity (3,) of the ball, and (2,) of the mass center of all but the ball, m and m/s."""
    mass = inertia_of(model, ball).mass
    place = forward_kinematics(model, q)[model.body(ball).index][:3, 3]
    speed = velocity(model, q, v, ball, frame="aligned")[:3]
    rest = model.mass - mass
    center = (model.mass * center_of_mass(model, q) - mass * place)[:2] / rest
    return place, speed, center, (momentum(model, q, v)[:2] - mass * speed[:2]) / rest


def inertia_of(model: Model, ball: str) -> Inertia:
    """That of the ball, which must have some."""
    found = model.body(ball).body.inertia
    if found is None:
        raise ValueError(f"body {ball!r} of model {model.name!r} has no inertia: a ball to stand on needs mass")
    return found


def regulator(mass: float, height: float, ball: tuple[float, float, float], gravity: float = 9.81) -> np.ndarray:
    """(4,) gains of the linear regulator of (1), for x, x', b, b'.

    mass, height : of the robot, kg, and of its mass center above the ground, m ; ball : mass, moment of inertia, radius
    """
    from scipy.linalg import solve_continuous_are

    weight, moment, radius = ball
    lean, share = gravity / height, (moment / radius + weight * radius) / (mass * height)
    A = np.array([[0, 1, 0, 0], [lean, 0, -lean, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    B = np.array([[0.0], [-share], [0.0], [1.0]])
    X = solve_continuous_are(A, B, np.diag([100.0, 1.0, 10.0, 1.0]), np.eye(1))
    return (B.T @ X)[0]


@dataclass(frozen=True)
class Mounted:
    """A robot with point feet on a ball: what holds it, and who controls it.

    ball, trunk : names of bodies ; passive : joints without motors ; radius : m ; friction : of the plant
    feet : by name, its contact with the ball at the start ; ground : the contact of the ball ; stance : at the start
    mass, height : of the robot, kg, and of its mass center above the ground, m ; share : k / (m h) of (1)
    """

    model: Model
    ball: str
    trunk: str
    passive: tuple[str, ...]
    radius: float
    friction: float
    feet: dict[str, Contact]
    ground: Contact
    stance: Stance
    mass: float
    height: float
    share: float

    @property
    def middle(self) -> np.ndarray:
        """(3,) of the ball at the start, m."""
        return forward_kinematics(self.model, self.stance.q)[self.model.body(self.ball).index][:3, 3]

    def control(self, motion: Motion) -> OnBall:
        """Upright at its height, the ball after a motion."""
        own, model = inertia_of(self.model, self.ball), self.model
        ball = own.mass, float(own.moment[0, 0]), self.radius
        gains = regulator(self.mass, self.height, ball, abs(float(model.gravity[2])))
        moved = Frame(self.ball, name=self.ball, axes="xy", rotation=False, stiffness=0.0, weight=10.0)
        upright = Frame(self.trunk, name="trunk", position=False)
        tasks = [CenterOfMass(axes="z"), upright, moved, Posture(reference=self.stance.q, weight=1e-5)]
        contacts = [*self.feet.values(), self.ground]
        return OnBall(model, self.ball, gains, motion, tasks, contacts, passive=list(self.passive))

    def scenario(self, name: str, machine: Callable[[], ContactMachine], push: tuple | None = None) -> Scenario:
        """With a plant in which feet touch the ball, and the ball the ground."""
        on = Ground(Sphere(radius=self.radius), self.friction, body=self.ball)
        between = tuple(Touch(foot, on, points=((0.0, 0.0, 0.0),)) for foot in self.feet)
        rolls = Touch(self.ball, Ground(friction=self.friction), sphere=self.radius)
        return Scenario(name, self.model, machine, self.stance.q, {}, self.trunk, push, between=(*between, rolls))


def mounted(
    model: Model, feet: Sequence[str], posture, *, ball: str = "ball", joint: str = "ball_free", trunk: str = "trunk",
    radius: float, friction: float = 0.7,
) -> Mounted:  # fmt: skip
    """A robot with point feet stands on a ball of a radius (m).

    posture : (nq,) near which it stands, the ball where it is to be ; joint : of the ball
    """
    passive = (model.joint_names[0], joint)
    poses = forward_kinematics(model, posture)
    middle = poses[model.body(ball).index]
    places, contacts = {ball: middle[:3, 3]}, {}
    for foot in feet:
        out = poses[model.body(foot).index][:3, 3] - middle[:3, 3]
        out /= np.linalg.norm(out)
        places[foot] = middle[:3, 3] + radius * out
        contacts[foot] = Contact(foot, normal=middle[:3, :3].T @ out, friction=0.8 * friction, least=1.0, other=ball)
    ground = Contact(ball, radius=radius, friction=0.8 * friction, name=ball)
    held = [*contacts.values(), ground]
    stance = find_stance(model, held, places, posture=posture, center=middle[:2, 3], passive=list(passive))
    off = max(stance.error, float(abs(stance.center - middle[:3, 3])[:2].max()))
    if off > 1e-6:  # it balances on a point, which only an exact stance would hold
        raise ValueError(f"{model.name!r} does not stand on its ball: feet or mass center are off by {off:.2g} m")
    own = inertia_of(model, ball)
    robot = model.mass - own.mass
    height = float(model.mass * stance.center[2] - own.mass * middle[2, 3]) / robot
    share = (float(own.moment[0, 0]) / radius + own.mass * radius) / (robot * height)
    return Mounted(model, ball, trunk, passive, radius, friction, contacts, ground, stance, robot, height, share)


def on_ball(
    model: Model, feet: Sequence[str], posture, *, push: tuple | None = ((4.0, 2.5, 0.0), 0.3, 0.45), duration: float = 4.0,
    **options,
) -> Scenario:  # fmt: skip
    """A robot with point feet stands on a ball, is pushed, and balances.

    push : as of Scenario ; options : as of `mounted`
    """
    robot = mounted(model, feet, posture, **options)
    home, still = robot.middle[:2], np.zeros(2)

    def machine() -> ContactMachine:
        control = robot.control(lambda t: (home, still, home, still, still))
        return ContactMachine(control, [Phase("balance", duration)], near=(0.2, 0.2))

    return robot.scenario("on_ball", machine, push)
