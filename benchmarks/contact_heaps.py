"""Scenes of `contacts.py` in which bodies touch each other: heaps, walls, balls in a funnel, fingers that hold a box."""

from itertools import combinations

import numpy as np
from scipy.spatial.transform import Rotation

import locomote as lo
from locomote.bench.peers import mujoco_model, numbers

STEP, FRICTION = 2e-3, 0.6
HALF = (0.1, 0.06, 0.05)  # m, of boxes
DENSITY = 500.0
PLANE = f'<geom type="plane" size="50 50 1" friction="{FRICTION} 0 0" condim="3"/>'


def free_bodies(inertias):
    """A model of free bodies, one after the other."""
    builder = lo.Builder("heap", base="fixed")
    for k, inertia in enumerate(inertias):
        builder.body(f"body{k}", inertia=inertia, joint=lo.Joint(f"free{k}", "free"))
    return builder.build()


def twin_of(model, geoms, world=PLANE):
    """The same in MuJoCo; geoms : one for each moving body."""
    spec = f'timestep="{STEP}" cone="elliptic"'
    return mujoco_model(model, parts=dict(enumerate(geoms)), world=world, option=spec)


def box_inertia():
    return lo.Inertia.box(8 * DENSITY * float(np.prod(HALF)), tuple(2 * x for x in HALF))


def boxes(places, turns):
    """Boxes at places (n, 3) with rotations on a floor: problem, q, MuJoCo's model."""
    model, ground = free_bodies([box_inertia() for _ in places]), lo.Ground(friction=FRICTION)
    touches = [lo.Touch(f"body{k}", ground, box=HALF, name=f"floor{k}") for k in range(len(places))]
    for a, b in combinations(range(len(places)), 2):
        touches += lo.boxes(f"body{a}", HALF, f"body{b}", HALF, friction=FRICTION)
    q = np.concatenate([np.r_[x, turn.as_quat()] for x, turn in zip(places, turns, strict=True)])
    geom = f'<geom type="box" size="{numbers(HALF)}" friction="{FRICTION} 0 0" condim="3" mass="0"/>'
    return lo.Locomotion(model, contacts=touches, name="boxes"), q, twin_of(model, [geom] * len(places))


def wall(rows=5, wide=4):
    """Twenty boxes in a bond, half a box apart from row to row."""
    places = [
        (2.02 * HALF[0] * (k + 0.5 * (row % 2)), 0.0, HALF[2] * (1 + 2 * row)) for row in range(rows) for k in range(wide)
    ]
    problem, q, twin = boxes(places, [Rotation.identity()] * len(places))
    v = np.zeros(problem.model.nv)
    kicked = 6 * (wide * (rows - 2) + 1)
    v[kicked : kicked + 2] = 0.3, 1.0  # one box of the second row from above
    return problem, q, v, twin


def heap(count=30, seed=3):
    """Boxes that fall on each other."""
    rng = np.random.default_rng(seed)
    turns = Rotation.random(count, random_state=seed)
    places = [(*rng.uniform(-0.15, 0.15, 2), 0.15 + 0.16 * k) for k in range(count)]
    problem, q, twin = boxes(places, list(turns))
    return problem, q, np.zeros(problem.model.nv), twin


def funnel(count=12, radius=0.05, seed=5):
    """Balls that fall into a funnel of four planes, inclined by 35 degrees."""
    rng, angle = np.random.default_rng(seed), np.radians(35)
    inertias = [lo.Inertia.sphere(1.0, radius) for _ in range(count)]
    model = free_bodies(inertias)
    planes = [lo.Plane.slope(angle, heading) for heading in np.arange(4) * np.pi / 2]
    touches = [
        lo.Touch(f"body{k}", lo.Ground(plane, friction=FRICTION), sphere=radius, name=f"wall{n}_{k}")
        for n, plane in enumerate(planes)
        for k in range(count)
    ]
    for a, b in combinations(range(count), 2):
        touches += lo.balls(f"body{a}", radius, f"body{b}", radius, friction=FRICTION)
    places = [(*rng.uniform(-0.12, 0.12, 2), 0.3 + 0.11 * k) for k in range(count)]
    q = np.concatenate([np.r_[x, 0.0, 0.0, 0.0, 1.0] for x in places])
    world = ""
    for plane in planes:
        turn, _ = Rotation.align_vectors([plane.normal], [(0.0, 0.0, 1.0)])
        x, y, z, w = turn.as_quat()
        world += f'<geom type="plane" size="50 50 1" quat="{numbers((w, x, y, z))}" friction="{FRICTION} 0 0" condim="3"/>'
    geom = f'<geom type="sphere" size="{radius}" friction="{FRICTION} 0 0" condim="3" mass="0"/>'
    return lo.Locomotion(model, contacts=touches, name="balls"), q, np.zeros(model.nv), twin_of(model, [geom] * count, world)


def grasp(radius=0.01, friction=0.8):
    """Three fingers with two pads each press a box from its sides and from behind, and hold it in the air."""
    builder, side, reach = lo.Builder("hand", base="fixed"), 0.05, 0.1
    builder.body("box", inertia=lo.Inertia.box(0.3, (2 * side,) * 3), joint=lo.Joint("free", "free"))
    pads, springs, outwards = {}, {}, [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    for k, out in enumerate(outwards):
        n = np.array(out)
        across = np.cross((0.0, 0.0, 1.0), n)
        root = (side + radius) * n + (0.0, 0.0, reach)
        inertia = lo.Inertia.box(0.1, (0.02, 0.02, reach / 2))
        builder.body(f"upper{k}", inertia=inertia, at=tuple(root), joint=lo.Joint(f"hip{k}", axis=tuple(across)))
        builder.body(
            f"lower{k}",
            inertia=inertia,
            parent=f"upper{k}",
            at=(0.0, 0.0, -reach / 2),
            joint=lo.Joint(f"knee{k}", axis=tuple(across)),
        )
        pads[f"lower{k}"] = [tuple(s * 0.02 * across + (0.0, 0.0, -reach / 2)) for s in (-1.0, 1.0)]
        press = 1.0 if k < 2 else 0.3
        springs[f"hip{k}"], springs[f"knee{k}"] = (10.0, 0.06 * press, 0.2), (10.0, 0.03 * press, 0.2)
    model = builder.build()
    ground = lo.Ground(lo.Box((side,) * 3), friction=friction, body="box")
    touches = [lo.Touch(f, ground, sphere=radius, at=x, name=f"{f}_{i}") for f in pads for i, x in enumerate(pads[f])]
    problem = lo.Locomotion(model, contacts=touches, springs=springs, name="hand", limits=False)
    more = f'friction="{friction} 0 0" condim="3" mass="0"'
    parts = {int(model.carrier[model.body("box").index]): f'<geom type="box" size="{numbers((side,) * 3)}" {more}/>'}
    for f, places in pads.items():
        index = model.body(f).index
        geoms = [numbers((model.placement[index] @ [*x, 1.0])[:3]) for x in places]
        masks = 'contype="2" conaffinity="1"'
        parts[int(model.carrier[index])] = "".join(
            f'<geom type="sphere" size="{radius}" pos="{x}" {more} {masks}/>' for x in geoms
        )
    twin = mujoco_model(model, parts=parts, option=f'timestep="{STEP}" cone="elliptic"')
    for name, (stiffness, rest, damping) in springs.items():
        j = twin.joint(f"joint{int(np.searchsorted(model.topology[:-1, 3], model.joint(name).v.start, side='right') - 1)}")
        twin.jnt_stiffness[j.id], twin.qpos_spring[j.qposadr[0]], twin.dof_damping[j.dofadr[0]] = stiffness, rest, damping
    return problem, model.neutral(), np.zeros(model.nv), twin
