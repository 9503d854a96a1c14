"""The flying rod of Simo and Vu-Quoc (1986) in the library, for its tests and for the picture of its convergence."""

import json

import numpy as np
from beam_reference import SPAGHETTI, TILT
from places import DATA

import locomote as lo
from locomote.law import scale, sin, unrotate

FILE = json.loads((DATA / "beam_flying_spaghetti_2d.json").read_text())
CONVERGED = json.loads((DATA / "flying_spaghetti_converged.json").read_text())
TIMES = [x["t"] for x in FILE["expected"]["trajectory"]]
THROWN = 2.5  # s
ANGLES, PLACES = [2, 5], [0, 1, 3, 4]  # columns of what `beam_reference.fly` and `ends` give


@lo.force
def dead(t, R, o, u, w, force, moment):
    return unrotate(R, force), unrotate(R, moment)


@lo.force
def swelling(t, R, o, u, w, force, moment, duration):
    share = sin(np.pi * t / duration)
    return unrotate(R, scale(share * share, force)), unrotate(R, scale(share * share, moment))


def rows(content):
    """Both ends over time as (x, y, angle) each, y down."""
    return np.array([[x["A"][0], -x["A"][2], x["angle_A"], x["B"][0], -x["B"][2], x["angle_B"]] for x in content])


def model(base="planar", at=(0.0, 0.0, 0.0), plane="z", **how):
    """The rod, bending about z or y."""
    b = SPAGHETTI
    I = b.EI / b.EA
    section = lo.Section(1.0, I, I, 1.0, 2.0, 2.0, mass_about_y=b.rhoI, mass_about_z=b.rhoI)  # G = E / 2, k G A = GA
    strains = {"z": "bending_z shear_y stretch", "y": "bending_y shear_z stretch"}[plane]
    rod = lo.Rod(b.L, section, lo.Material(b.rhoA, b.EA, poisson=0.0), strains=strains, **how)
    return lo.Builder("spaghetti", gravity=(0, 0, 0), base=base).body("rod", at=at, flex=rod).body("tip", parent="rod").build()


def thrown(model, force, rtol, q=None):
    """States at the times of the file: 2.5 s under a force, then free."""
    how = {"method": "gauss", "rtol": rtol, "progress": False}
    early, late = [t for t in TIMES if t <= THROWN], [t - THROWN for t in TIMES if t > THROWN]
    loaded = lo.Locomotion(model, environment=[force]).simulate(THROWN, q=q, samples=early, **how)
    free = lo.Locomotion(model).simulate(late[-1], q=loaded.q[-1], v=loaded.v[-1], samples=late, **how)
    return np.vstack([loaded.q, free.q]), np.vstack([loaded.v, free.v])


def ends(model, q):
    poses = lo.forward_kinematics(model, q)
    angles = np.arctan2(poses[..., 1, 0], poses[..., 0, 0])
    return np.concatenate([np.column_stack([*poses[:, i, :2, 3].T, angles[:, i]]) for i in (0, 1)], axis=1)


def apart(found, expected):
    """Differences, of angles up to whole turns."""
    off = found[:, :6] - expected[:, :6]
    off[:, ANGLES] = np.sin(off[:, ANGLES])
    return off


def at_tilt(model):
    q = model.neutral()
    q[2] = TILT
    return q


def swell(t):
    """`swelling` for `beam_reference.fly`."""
    share = np.sin(np.pi * t / THROWN) ** 2 if t < THROWN else 0.0
    return 8.0 * share, 0.0, 80.0 * share


STEP = dead("tip", force=(8.0, 0.0, 0.0), moment=(0.0, 0.0, 80.0))
SWELL = swelling("tip", force=(8.0, 0.0, 0.0), moment=(0.0, 0.0, 80.0), duration=THROWN)


def off(rod, force, rtol, expected):
    """How far places and angles of the ends are off at most."""
    q, _ = thrown(rod, force, rtol, q=at_tilt(rod))
    found = abs(apart(ends(rod, q), expected))
    return np.array([found[:, PLACES].max(), found[:, ANGLES].max()])
