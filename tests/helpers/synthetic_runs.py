"""Runs made by hand, without the integrators of the library: a falling quadruped, a board on wheels, a crowd of joints."""

from functools import cache

import numpy as np

import locomote as lo
from locomote.runs.trajectory import Event, Trajectory
from locomote.systems import catalogue


class Problem:
    """What run files ask of a problem. `record` is what it stores; a sentence instead means that it cannot be stored."""

    def __init__(self, model, *, imposed=(), labels=(), record=None):
        self.model = model
        self.imposed = np.isin(np.arange(model.nv), imposed)
        self.constraint_labels = list(labels)
        self.record = {} if record is None else record
        self.plan, self.terms, self.environment, self.actuators, self.contact_names = None, (), (), (), ()

    def to_record(self):
        if isinstance(self.record, str):
            raise ValueError(self.record)
        return self.record


def energies(model, q, v):
    return {
        "kinetic": lo.kinetic_energy(model, q, v),
        "potential": lo.potential_energy(model, q),
        "elastic": lo.spring_energy(model, q),
    }


@cache
def falling(samples=101, seconds=0.5, steps=20):
    """The quadruped of the catalogue, tumbling freely: midpoint steps on the group."""
    model = catalogue.load("quadruped").model
    rng = np.random.default_rng(1)
    q, v = model.neutral(), 0.7 * rng.normal(size=model.nv)
    q[2] = 1.0
    t, zero = np.linspace(0.0, seconds, samples), np.zeros(model.nv)
    h, kept = t[1] / steps, []
    for _ in t:
        kept.append((q, v, lo.forward_dynamics(model, q, v, zero)))
        for _ in range(steps):
            middle = v + h / 2 * lo.forward_dynamics(model, q, v, zero)
            a = lo.forward_dynamics(model, model.integrate(q, h / 2 * v), middle, zero)
            q, v = model.integrate(q, h * middle), v + h * a
    q, v, a = (np.array(x) for x in zip(*kept, strict=True))
    info = {"method": "midpoint", "step": h, "steps": steps * (samples - 1), "wall": 0.1, "status": "finished", "message": ""}
    zeros = np.zeros(samples)
    work = dict.fromkeys(("drives", "torques", "losses", "environment", "constraints"), zeros)
    return Trajectory(model=model, t=t, q=q, v=v, a=a, tau=np.zeros_like(v), work=work, info=info, **energies(model, q, v))


def board_model():
    """A planar base with a rotor, an axle that steers and a slider."""
    disc = lo.Inertia.cylinder(1.0, 0.2, 0.05)
    return (
        lo.Builder("board", base="planar")
        .body("deck", inertia=lo.Inertia.box(2.0, (0.6, 0.2, 0.02)))
        .body("spinner", parent="deck", joint=lo.Joint("rotor"), inertia=disc)
        .body("axle", parent="deck", joint=lo.Joint("steer"), at=(0.3, 0.0, 0.0), inertia=disc)
        .body("load", parent="deck", joint=lo.Joint("slider", "prismatic", axis="y"), inertia=disc)
        .build()
    )


LABELS = [("front", "lateral", "N"), ("rear", "lateral", "N")]


def board_motion(model, t):
    """q without its place, v, a and the forces that they take, along a closed form."""
    zero = np.zeros_like(t)
    turn, speed = 0.8 * np.sin(0.9 * t), 0.25 + 0.1 * t
    dturn, ddturn = 0.72 * np.cos(0.9 * t), -0.648 * np.sin(0.9 * t)
    shape = [
        (f * np.sin(w * t), f * w * np.cos(w * t), -f * w * w * np.sin(w * t)) for f, w in ((0.7, 1.0), (0.3, 2.0), (0.1, 3.0))
    ]
    q = np.stack([zero, zero, turn, *(s[0] for s in shape)], axis=1)
    v = np.stack([speed, zero, dturn, *(s[1] for s in shape)], axis=1)
    a = np.stack([zero + 0.1, zero, ddturn, *(s[2] for s in shape)], axis=1)
    return q, v, a, lo.inverse_dynamics(model, q, v, a)


def summed(rate, step):
    """The integral of what is sampled, by trapezoids."""
    return np.concatenate([[0], np.cumsum((rate[1:] + rate[:-1]) / 2 * step)])


@cache
def board(samples=401, seconds=12.0):
    """A board along a closed form: on a wavy way, with drives on three joints, and a push that gives the rest of its energy."""
    model = board_model()
    t = np.linspace(0.0, seconds, samples)
    zero = np.zeros_like(t)
    q, v, a, tau = board_motion(model, t)
    fine = np.linspace(0.0, seconds, 40 * (samples - 1) + 1)
    path = summed((0.25 + 0.1 * fine) * np.exp(0.8j * np.sin(0.9 * fine)), fine[1])[::40]
    q[:, 0], q[:, 1] = path.real, path.imag
    _, rates, _, forces = board_motion(model, fine)
    drives = summed((rates * forces)[:, 3:].sum(axis=1), fine[1])[::40]
    reactions = np.stack([tau[:, 1] / 2, tau[:, 1] / 2], axis=1)
    tau = np.where(np.arange(6) >= 3, tau, 0.0)
    energy = energies(model, q, v)
    total = sum(energy.values())
    return Trajectory(
        **energy, model=model, t=t, q=q, v=v, a=a, tau=tau, reactions=reactions,
        work={"drives": drives, "environment": total - total[0] + 0.2 * t - drives, "losses": -0.2 * t},
        residual=1e-12 * (1.1 + np.sin(3 * t)), position_residual=zero,
        events=[Event(7.0, "rank", "the axles line up: rank 2 becomes 1", {"rank": [2, 1]}), Event(3.5, "touch", "")],
        problem=Problem(model, imposed=(3, 4, 5), labels=LABELS, record={"drives": {"rotor": ["Sine", 0.7, 1.0]}}),
        info={"method": "adaptive", "rtol": 1e-10, "atol": 1e-12, "steps": 312, "evaluations": 1876, "wall": 0.12,
              "status": "finished"},
        state={"t": seconds, "q": q[-1], "v": v[-1], "step": 0.013, "count": 312, "history": np.arange(6).reshape(2, 3)},
    )  # fmt: skip


@cache
def still():
    """A pendulum on a fixed base that hangs at rest: nothing happens at all."""
    body = lo.Inertia(1.0, com=(0, 0, -0.5))
    pendulum = lo.Builder("pendulum").body("rod", joint=lo.Joint("pivot", axis="y", stiffness=2.0), inertia=body).build()
    t = np.linspace(0.0, 1.0, 5)
    q = np.zeros((5, 1))
    return Trajectory(model=pendulum, t=t, q=q, v=q, a=q, tau=q, **energies(pendulum, q, q))


RUNS = {"falling": falling, "board": board, "still": still}
