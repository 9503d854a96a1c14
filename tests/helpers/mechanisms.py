"""Random mechanisms and random states, each from a seed: trees and forests with every kind of joint and of base."""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from reference import Reference, unit

import locomote as lo

BASES = ("fixed", "free", "planar", "x", "xy", "xyz", "rotation")
KINDS = (
    "revolute",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "euler",
    "spherical",
    "planar",
    "free",
    "x",
    "xy",
    "xyz",
    "pin_in_slot",
)
SEEDED = KINDS[:12]  # what seeds draw from: kinds that came later have special cases, so that the mechanisms of seeds stay
ONE_COORDINATE = ("revolute", "prismatic", "helical")
SEQUENCES = ("zyx", "xyz", "zxz", "yxy", "xzy")
SEEDS = range(28)
# beyond the seeds: sizes and shapes that have code paths of their own (long runs of columns, unarmed turns, many roots)
SPECIAL = {
    "arm": {"seed": 101, "base": "fixed", "bodies": 10, "kinds": ("revolute",), "roots": 1, "chain": True, "bare": True},
    "legged": {"seed": 102, "base": "free", "bodies": 40, "kinds": ("revolute",), "bare": True},
    "swimmer": {"seed": 103, "base": "free", "bodies": 12, "kinds": ("revolute",), "added": True, "bare": True},
    "crowd": {"seed": 104, "base": "fixed", "bodies": 9, "roots": 5},
    "single": {"seed": 105, "base": "free", "bodies": 1},
    "slots": {"seed": 106, "base": "fixed", "bodies": 6, "kinds": ("pin_in_slot", "spherical"), "roots": 1},
    "slots at sea": {"seed": 107, "base": "free", "bodies": 5, "kinds": ("pin_in_slot",), "added": True, "coupled": False},
}
NAMES = (*SEEDS, *SPECIAL)
WORST_CONDITION = 1e5  # of mass matrices: states that are worse are drawn again


def random_rotation(rng):
    """Uniform over all rotations."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)


def random_pose(rng, reach=0.6):
    """A (4, 4) pose; now and then without a turn, as many files have it."""
    pose = np.eye(4)
    if rng.random() < 0.7:
        pose[:3, :3] = random_rotation(rng)
    pose[:3, 3] = rng.uniform(-reach, reach, 3)
    return pose


def random_inertia(rng):
    """That of a solid ellipsoid, off its center and turned."""
    mass, (a, b, c) = rng.uniform(0.3, 3.0), rng.uniform(0.1, 0.5, 3)
    turn = random_rotation(rng)
    moment = turn @ np.diag(mass / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])) @ turn.T
    return lo.Inertia(mass, rng.uniform(-0.3, 0.3, 3), moment)


def random_added(rng):
    """A symmetric positive definite (6, 6) matrix without any structure."""
    root = rng.normal(size=(6, 6))
    return root @ root.T / 6 + 0.1 * np.eye(6)


def random_axis(rng):
    """A letter, an axis of the frame with either sign, or any direction of any length."""
    draw = rng.random()
    if draw < 0.4:
        return str(rng.choice(list("xyz")))
    if draw < 0.6:
        return tuple(float(x) for x in np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 2.0]))
    return tuple(float(x) for x in rng.normal(size=3))


def random_joint(rng, name, kind):
    """A joint with everything that its kind allows set at random."""
    options = {"axis": random_axis(rng)}
    if kind == "universal":
        options["axis2"] = tuple(float(x) for x in rng.normal(size=3))
    if kind == "pin_in_slot":
        across = np.cross(np.array(unit(options["axis"])), rng.normal(size=3))
        options["axis2"] = tuple(float(x) for x in across)
    if kind == "euler":
        options["sequence"] = str(rng.choice(SEQUENCES))
    if kind == "helical":
        options["pitch"] = float(rng.uniform(-0.4, 0.4))
    if kind not in ("free", "planar") and rng.random() < 0.6:
        options["anchor"] = tuple(float(x) for x in rng.uniform(-0.4, 0.4, 3))
    if kind in (*ONE_COORDINATE, "x") and rng.random() < 0.4:
        options["reference"] = float(rng.uniform(-1.0, 1.0))
    joint = lo.Joint(name, kind, **options)
    if rng.random() < 0.4:
        size = joint.sizes[1]
        armature = rng.uniform(0.0, 0.5, size) if size > 1 and rng.random() < 0.5 else float(rng.uniform(0.0, 0.5))
        joint = armed(joint, armature)
    return joint


def armed(joint, armature):
    """The joint with as much of an armature as its kind may have: none on groups, the same about all axes of a ball."""
    if joint.kind in ("fixed", "free", "planar"):
        return joint
    return replace(joint, armature=float(np.mean(armature)) if joint.kind == "spherical" else armature)


def random_joints(rng, n, kinds, bare):
    """Mostly one joint, sometimes two; now and then with a fixed one among them. `bare`: always one, without armature."""
    if bare:
        return (replace(random_joint(rng, f"joint {n}a", str(rng.choice(kinds))), armature=0.0),)
    chosen = ["revolute" if "revolute" in kinds and rng.random() < 0.25 else str(rng.choice(kinds))]
    small = [kind for kind in kinds if kind in (*ONE_COORDINATE, "x")]
    if small and rng.random() < 0.25 and chosen[0] != "free":
        chosen.append(str(rng.choice(small)))
    if rng.random() < 0.1:
        chosen.insert(0, "fixed")
    joints = [random_joint(rng, f"joint {n}{letter}", kind) for letter, kind in zip("abc", chosen, strict=False)]
    if len(chosen) > 1:  # two joints without mass in between could do the same
        joints = [armed(joint, joint.armature + 0.2) for joint in joints]
    return tuple(joints)


def random_description(
    seed, *, base=None, bodies=None, kinds=SEEDED, added=None, coupled=None, roots=None, chain=None, bare=False
):
    """A Description; what is not said is drawn. Every leaf has mass, so the mass matrix is regular almost everywhere."""
    rng = np.random.default_rng([seed, 77])
    base = BASES[seed % len(BASES)] if base is None else base
    count = int(rng.integers(3, 10)) if bodies is None else bodies
    if roots is None:
        roots = int(rng.integers(1, 4)) if base == "fixed" else 1
    chain = rng.random() < 0.25 if chain is None else chain
    coupled = False if bare else coupled
    parts = []
    for n in range(count):
        if n < roots:
            parent, joints = None, ()
            if base == "fixed" and (n or roots == 1):
                joints = random_joints(rng, n, kinds, bare)
        else:
            parent = f"body {n - 1 if chain or n == roots else rng.integers(n)}"
            joints = () if rng.random() < 0.15 else random_joints(rng, n, kinds, bare)
        massless = parent is not None and rng.random() < (0.0 if bare else 0.15)
        if massless and joints:
            light = random_joint(rng, f"joint {n}a", str(rng.choice(ONE_COORDINATE)))
            joints = (replace(light, armature=light.armature + 0.2),)
        parts.append(lo.Body(f"body {n}", parent, random_pose(rng), joints, None if massless else random_inertia(rng)))
    carriers = {part.parent for part in parts}
    for n, part in enumerate(parts):
        if part.inertia is None and part.name not in carriers:
            parts[n] = replace(part, inertia=random_inertia(rng))
    if rng.random() < 0.35 if added is None else added:
        chosen = rng.choice(count, size=max(1, count // 2), replace=False)
        parts = [replace(p, added_inertia=random_added(rng)) if n in chosen else p for n, p in enumerate(parts)]
    gravity = tuple(float(x) for x in 9.81 * rng.normal(size=3) / np.sqrt(3))
    description = lo.Description(f"mechanism {seed}", tuple(parts), gravity=gravity).with_base(base)
    if rng.random() < 0.25 if coupled is None else coupled:
        description = replace(description, couplings=random_couplings(rng, description))
    return description


def random_couplings(rng, description):
    """One joint follows one or two others, and another one follows it, if there are enough of them."""
    names = [joint.name for body in description.bodies for joint in body.joints if joint.kind in (*ONE_COORDINATE, "x")]
    names = [str(name) for name in rng.permutation(names)]
    if len(names) < 2:
        return ()
    first = tuple((name, float(rng.uniform(-2.0, 2.0))) for name in names[1:3])
    couplings = [lo.Coupling(names[0], first, float(rng.uniform(-1.0, 1.0)))]
    if len(names) > 4:
        couplings.insert(0, lo.Coupling(names[3], ((names[0], float(rng.uniform(-2.0, 2.0))),), 0.3))
    return tuple(couplings)


def random_q(reference, rng):
    """A configuration: angles up to pi, shifts up to 0.5 m, rotations over all rotations."""
    q = np.zeros(reference.nq)
    for joint in reference.joints:
        if joint.name in reference.places:
            place = reference.places[joint.name][0]
            size = place.stop - place.start
            reach = 0.5 if joint.kind in ("prismatic", "x", "xy", "xyz") else np.pi
            value = rng.uniform(-reach, reach, size)
            if joint.kind in ("spherical", "free"):
                value[-4:] = rng.normal(size=4)
                value[-4:] /= np.linalg.norm(value[-4:])
            q[place] = value
    return q


@dataclass(frozen=True)
class Case:
    """A mechanism with a random state, and its second formulation."""

    seed: int
    model: "lo.Model"  # by name, so that collecting tests does not load the compiler
    reference: Reference
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    wrenches: dict

    @cached_property
    def truth(self):
        """The second formulation at (q, v, a)."""
        return self.reference.at(self.q, self.v, self.a)

    @cached_property
    def still(self):
        """The second formulation at (q, v) without acceleration."""
        return self.reference.at(self.q, self.v)

    def rng(self, salt):
        """Random numbers of this case, for one more purpose."""
        return np.random.default_rng([self.seed, salt])


def case_of(description, seed=0):
    """A random regular state of any description."""
    reference, rng = Reference(description), np.random.default_rng([seed, 5])
    for _ in range(100):
        q = random_q(reference, rng)
        if np.linalg.cond(reference.at(q).mass_matrix()) < WORST_CONDITION:
            break
    else:
        raise AssertionError(f"no regular state of {description.name} found")
    v, a, tau = rng.normal(size=(3, reference.nv))
    names = [body.name for body in reference.bodies]
    loaded = rng.choice(names, size=min(3, len(names)), replace=False)
    wrenches = {str(name): 3.0 * rng.normal(size=6) for name in loaded}
    for array in (q, v, a, tau):
        array.flags.writeable = False
    return Case(seed, lo.Model(description), reference, q, v, a, tau, wrenches)


@cache
def case(name, **options):
    """The random case of a seed, or a special one by name."""
    options = SPECIAL.get(name, {"seed": name}) | options
    return case_of(random_description(**options), options["seed"])


def relative(x, y):
    """Largest difference, relative to the largest entry of y (or to one, if that is smaller)."""
    x, y = np.asarray(x), np.asarray(y)
    assert x.shape == y.shape, (x.shape, y.shape)
    return float(np.max(abs(x - y), initial=0.0) / max(1.0, np.max(abs(y), initial=0.0)))
