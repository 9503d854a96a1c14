"""One small run of every kind: methods, constraints, contacts, forces, rods, controllers, events. Tests of fields, files and
resumed runs go over all of them; a new kind is a line in KINDS.

A kind is a function that gives a problem and the options of its run; two calls give two problems that are the same.
"""

from dataclasses import replace

import numpy as np

import locomote as lo
from locomote.methods.method import CONSTRAINTS
from locomote.methods.registry import METHODS

WATER = lo.Fluid(1000.0, 1e-3, lo.water.Uniform((0.2, 0.0, 0.0)) + lo.water.Vortex(0.1, core=0.05))


def hills(x, y):
    return [0.05 * np.sin(3 * x), 0.15 * np.cos(3 * x), 0.0, -0.45 * np.sin(3 * x), 0.0, 0.0]


def chain(n=3, base="fixed", gravity=(0, -9.81, 0)):
    builder = lo.Builder("chain", base=base, gravity=gravity)
    for k in range(n):
        more = {"parent": f"l{k - 1}", "at": (0.3, 0, 0)} if k else {}
        joint = {"joint": lo.Joint(f"j{k}", axis="z", damping=0.01 * k)} if k or base == "fixed" else {}
        builder.body(f"l{k}", inertia=lo.Inertia(0.5, (0.15, 0.01, 0), np.eye(3) * 0.01), **more, **joint)
    return builder.build()


def ball(base="free"):
    return lo.Builder("ball", base=base).body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()


def box():
    return lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.3, 0.2))).build()


def rod():
    soft = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1000.0, 2e6, damping=1e-2), strains="bending", order=1)
    tip = {"parent": "arm", "along": 0.5, "inertia": lo.Inertia(1e-3, moment=np.eye(3) * 1e-6)}
    return lo.Builder("arm", gravity=(0, 0, -9.81)).body("arm", flex=soft).body("tip", **tip).build()


def swing(t, q, v):
    return -0.2 * v + 0.1 * np.sin(3 * t)


def counting(t, q, v, state):
    return -0.3 * v - 0.01 * state, state + v


def nudged(t, q, v):
    return 1e-6 * np.sin(9 * t) - 1e-8 * v


def gust(t, q, v):
    return {"tip": [0.0, 0.0, 0.1 * np.sin(5 * t), 0.0, 0.0, 0.0]}


def wind(t, q, v):
    return {"l2": [np.sin(t), 0.2, 0.0, 0.0, 0.0, 0.05 * np.cos(t)]}


def stepped(method, **options):
    """The chain by a method."""
    return lambda: (lo.Locomotion(chain()), {"q": [0.3, -0.2, 0.5], "duration": 0.6, "every": 0.02, "method": method} | options)


def torqued(make):
    """The chain under a controller, or something else that gives torques."""
    return lambda: (lo.Locomotion(chain(), torques=make()), {"q": [0.3, -0.2, 0.5], "duration": 0.4, "every": 0.02})


def drawn(make, **options):
    """A rod with something that acts on it."""
    return lambda: (lo.Locomotion(rod(), **make()), {"duration": 0.2, "every": 0.01} | options)


def touching(make, **options):
    """A ball or a box that falls on something."""

    def of():
        problem = make()
        q = problem.model.neutral()
        q[2] = 0.16
        v = np.zeros(problem.model.nv)
        v[[0, 4]] = 0.5, 2.0
        return problem, {"q": q, "v": v, "duration": 0.5, "every": 0.01} | options

    return of


TARGETS = {"j0": lo.Sine(0.3, 4.0), "j1": 0.2, "j2": lo.Sine(0.1, 2.0)}
SLOPE = lo.Ground(lo.Plane(normal=(0.1, 0.0, 1.0)), friction=0.5)


def four_bar():
    """A planar four-bar that a loop closes."""
    model = chain()
    q = np.array([np.pi / 2, -np.pi / 2, -np.pi / 2])
    loop = lo.LoopClosure("l2", None, locked="xy", frame=(0.3, 0, 0), other_frame=(0.3, 0.0, 0))
    return lo.Locomotion(model, constraints=[loop]), {"q": q, "v": [1.0, -1.0, 1.0], "duration": 0.5, "every": 0.02}


def bouncing():
    """A ball that hits a sticky ground again and again."""
    ground = lo.PointContact("ball", target=(0, 0, 0), unilateral=True, restitution=0.8)
    spring = lo.Spring("ball", None, (0, 0, 0), (0.3, 0.2, 1.5), 3.0, 0.2)
    problem = lo.Locomotion(ball("xyz"), constraints=[ground], environment=[spring])
    return problem, {"q": [0, 0, 0.3], "v": [0.1, 0, 0], "duration": 1.2, "every": 0.02}


def watched():
    """Events that are met, one of which changes the velocity."""
    events = [lo.When(lambda t, q, v: q[1], name="crossing"), lo.When(lambda t, q, v: v[0], 1, then=lambda t, q, v: 1.01 * v)]
    return lo.Locomotion(chain()), {"q": [0.3, -0.2, 0.5], "duration": 1.0, "every": 0.02, "events": events}


def stopped(method):
    """A joint that falls onto its stop and lies there, while the next one swings on."""

    def of():
        builder = lo.Builder("stopped", gravity=(0, -9.81, 0))
        for k in range(2):
            limits = {"lower": -0.5, "upper": 0.5, "effort_limit": 0.4} if k == 0 else {}
            more = {"parent": "l0", "at": (0.3, 0, 0)} if k else {}
            inertia = lo.Inertia(0.5, (0.15, 0.01, 0), np.eye(3) * 0.01)
            builder.body(f"l{k}", joint=lo.Joint(f"j{k}", axis="z", **limits), inertia=inertia, **more)
        problem = lo.Locomotion(builder.build(), torques={"j0": lo.Sine(1.0, 9.0)})
        return problem, {"duration": 0.8, "every": 0.02, "method": method, "q": [0.3, 0.2]}

    return of


def skating():
    """A blade, a rolling wheel's kin, and an imposed joint, on a planar base."""
    blade = lo.Blade("l0", (0.0, 0.0, 0.0))
    problem = lo.Locomotion(chain(3, "planar", (0, 0, 0)), drives={"j1": lo.Sine(0.5, 7.0)}, constraints=[blade])
    return problem, {"v": [0.3, 0, 0.2, 0, 0.1], "duration": 0.6, "every": 0.02}


def coupled():
    """A joint that follows another."""
    whole = chain().description
    model = lo.Model(replace(whole, couplings=(lo.Coupling("j1", (("j0", -0.5),), 0.1),)))
    return lo.Locomotion(model), {"duration": 0.5, "every": 0.02}


def on_law(law):
    """A box on level ground with a law of its own."""
    more = {"along": (1, 0, 0)} if "across" in law else {"material": "steel"} if "material" in law else {}
    touches = [lo.Touch("box", lo.Ground(friction=0.4, **law), box=(0.1, 0.15, 0.1), name="box", **more)]
    if "material" in law:
        touches = lo.pair_materials(touches, {("ice", "steel"): {"friction": 0.1, "static": 0.2}})
    return lo.Locomotion(box(), contacts=touches)


def lying():
    """A rod that falls on the ground."""
    soft = lo.Rod(0.5, lo.Section.circle(0.02), lo.Material(1000.0, 1e6, damping=0.02), strains="bending", order=2)
    model = lo.Builder("rod", base="free").body("rod", flex=soft).build()
    return lo.Locomotion(model, contacts=[lo.Touch("rod", lo.Ground(friction=0.3), start=0.0, name="belly")])


def modal():
    """A body that bends by its modes."""
    section, material = lo.Section.circle(0.01), lo.Material(1000.0, 2e6, damping=1e-2)
    flexible = lo.rods.Modes.beam(0.5, section, material, count=2)
    return lo.Locomotion(lo.Builder("modal").body("arm", joint=lo.Joint("hinge", axis="y"), flex=flexible).build()), {
        "duration": 0.2, "every": 0.01,
    }  # fmt: skip


def creeping():
    """Three links in water without inertia."""
    drag = [lo.water.Resistive(f"l{k}", lo.Fluid(1000.0, 1.0), (0, 0, 0), (0.3, 0, 0), 1.0, 2.0) for k in range(3)]
    problem = lo.Locomotion(
        chain(3, "planar", (0, 0, 0)),
        environment=drag,
        inertia=False,
        drives={"j1": lo.Sine(0.5, 3.0), "j2": lo.Sine(0.5, 3.0, 1.0)},
    )
    return problem, {"duration": 0.6, "every": 0.02}


def swimming():
    """Forces of water in a flow, with added mass and buoyancy."""
    forces = [
        lo.Drag("ball", WATER, area=0.03), lo.Buoyancy("ball", WATER, volume=2e-3), lo.Spring("ball", None, stiffness=5.0),
    ]  # fmt: skip
    return lo.Locomotion(ball(), environment=forces), {"duration": 0.5, "every": 0.02, "v": [0.1, 0, 0, 0.2, 0, 0]}


KINDS = {
    **{name: stepped(name) for name, method in METHODS.items() if method.chooses and CONSTRAINTS in method.takes},
    "rk4": stepped("rk4", step=1e-3),
    "variational": stepped("variational", step=2e-3),
    "stop": stopped("adaptive"),
    "stop by gauss": stopped("gauss"),
    "stop by implicit": stopped("implicit"),
    "loop": four_bar,
    "blade and drive": skating,
    "mimic": coupled,
    "impacts": bouncing,
    "events": watched,
    "torques over time": torqued(lambda: {"j1": lo.Sine(0.3, 5.0)}),
    "torque function": torqued(lambda: swing),
    "sampled": torqued(lambda: lo.Sampled(swing, every=0.013)),
    "sampled with a state": torqued(lambda: lo.Sampled(counting, every=0.013, state=np.zeros(3), between="line")),
    "PD": torqued(lambda: lo.PD(TARGETS, 5.0, {"j0": 0.3, "j1": 0.2, "j2": 0.1}, gravity=True, every=0.01)),
    "servo": torqued(lambda: lo.Servo(TARGETS, 5.0, 0.3, torques={"j0": lo.Sine(0.1, 3.0)})),
    "computed torque": torqued(lambda: lo.ComputedTorque(TARGETS, 50.0, 10.0)),
    "feed-forward": torqued(lambda: lo.FeedForward(TARGETS, 5.0, 0.3)),
    "environment function": lambda: (lo.Locomotion(chain(), environment=[wind]), {"duration": 0.4, "every": 0.02}),
    "water": swimming,
    "creeping": creeping,
    "touch": touching(lambda: lo.Locomotion(ball(), contacts=[lo.Touch("ball", SLOPE, sphere=0.1)])),
    "touch of a box": touching(lambda: lo.Locomotion(box(), contacts=[lo.Touch("box", SLOPE, box=(0.1, 0.15, 0.1))])),
    "touch of a height field": touching(
        lambda: lo.Locomotion(ball(), contacts=[lo.Touch("ball", lo.Ground(lo.HeightField(hills), friction=0.5), sphere=0.1)])
    ),
    "compliant touch": touching(
        lambda: lo.Locomotion(
            ball(), contacts=[lo.Touch("ball", lo.Ground(friction=0.5, stiffness=1e4, damping=20.0, shear=1e3), sphere=0.1)]
        )
    ),
    **{
        f"touch of {name}": touching(lambda law=law: on_law(law))
        for name, law in {
            "a belt": {"motion": (0.3, -0.2, 0.0)}, "what sticks more": {"static": 0.6}, "glue": {"adhesion": 2.0},
            "what fades": {"static": 0.6, "fading": 0.2}, "a skate": {"across": 0.1}, "ice": {"material": "ice"},
        }.items()
    },
    "touch and a sampled controller": touching(
        lambda: lo.Locomotion(
            ball(), contacts=[lo.Touch("ball", SLOPE, sphere=0.1)], torques=lo.Sampled(lambda t, q, v: -0.1 * v, every=0.013)
        )
    ),
    "soft ground": touching(
        lambda: lo.Locomotion(ball(), environment=[lo.SoftGround({"ball": [(0, 0, -0.1)]}, 1e4, 20.0, 0.5)]),
        method="rosenbrock",
    ),
    "rod": drawn(dict),
    "rod by radau": drawn(dict, method="radau"),
    "rod by implicit": drawn(dict, method="implicit"),
    "rod with a tendon": drawn(lambda: {"actuators": [lo.Tendon("arm", ((0, 0, 0.005), (0.5, 0, 0.005)), lo.Sine(2.0, 9.0))]}),
    "rod with a sampled controller": drawn(lambda: {"torques": lo.Sampled(nudged, every=0.013)}),
    "rod with a python environment": drawn(lambda: {"environment": [gust]}),
    "rod in water": drawn(lambda: {"environment": [lo.Drag(lo.rods.Along("arm", 0.4), WATER, area=0.001)]}),
    "rod on the ground": touching(lying),
    "modes": modal,
}  # fmt: skip
# kinds whose problems hold Python functions, which files do not keep
WITH_FUNCTIONS = {
    "torque function", "sampled", "sampled with a state", "environment function", "touch of a height field",
    "touch and a sampled controller", "rod with a sampled controller", "rod with a python environment",
}  # fmt: skip
