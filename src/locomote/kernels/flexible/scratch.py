"""Scratch of the recursions over trees with flexible bodies, and the sizes that it goes by."""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NQ, NV, ROWS, Like, Size
from locomote.compiler.source import helper
from locomote.compiler.trigonometry import padded
from locomote.kernels.flexible.columns import SIZE, STEPS, WORK
from locomote.kernels.flexible.gather import TABLE
from locomote.kernels.forward_dynamics import DOFS
from locomote.kernels.kinematics import Places
from locomote.model.columns import Q, V

STATIONS = Size("stations")  # stations of all flexible bodies
WIDEST = Size("widest")  # most coordinates of one flexible body


class TreeSizes(NamedTuple):
    """Sizes of a tree with flexible bodies."""

    nq: int
    nv: int
    rows: int
    stations: int
    widest: int


@helper
def tree_sizes(tree):
    """Sizes of a tree."""
    world, widest = tree.topology.shape[0] - 1, 1
    for n in range(tree.rods.shape[0]):
        widest = max(widest, tree.rods[n, SIZE])
    return TreeSizes(tree.topology[world, Q], tree.topology[world, V], world + 1, tree.stations.shape[0], widest)


class NamedTreeSizes(NamedTuple):
    """Sizes of a tree whose named bodies are asked for."""

    nq: int
    nv: int
    rows: int
    stations: int
    widest: int
    named: int


@helper
def named_tree_sizes(tree, carrier):
    """Sizes of a tree, and how many named bodies it has."""
    n = tree_sizes(tree)
    return NamedTreeSizes(n.nq, n.nv, n.rows, n.stations, n.widest, carrier.shape[0])


class Carried(NamedTuple):
    """Scratch of inverse dynamics."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    steps: Annotated[np.ndarray, STATIONS, STEPS, "the step to each station and its motion, by `shape`"]
    work: Annotated[np.ndarray, ROWS, WORK, "pose in the parent, motion, wrench of each row, by `place_rows` and `carry`"]


class Placed(NamedTuple):
    """Scratch of poses and motion in the world."""

    sine: Annotated[np.ndarray, Like(Carried, "sine"), "as in Carried"]
    cosine: Annotated[np.ndarray, Like(Carried, "cosine"), "as in Carried"]
    steps: Annotated[np.ndarray, Like(Carried, "steps"), "as in Carried"]
    work: Annotated[np.ndarray, Like(Carried, "work"), "as in Carried"]
    bodies: Annotated[np.ndarray, Like(Places, "bodies"), "pose in the world, and twist at the world origin where one is asked"]
    rates: Annotated[np.ndarray, ROWS, 6, "rate of that twist, by `world_motion`"]


class Gathered(NamedTuple):
    """Scratch of the mass matrix, and of forward and hybrid dynamics."""

    sine: Annotated[np.ndarray, Like(Carried, "sine"), "as in Carried"]
    cosine: Annotated[np.ndarray, Like(Carried, "cosine"), "as in Carried"]
    steps: Annotated[np.ndarray, Like(Carried, "steps"), "as in Carried"]
    work: Annotated[np.ndarray, Like(Carried, "work"), "as in Carried, and the inertia of all that hangs on a row"]
    table: Annotated[np.ndarray, TABLE, padded(NV), "columns of coordinates; in the end their momenta, seen from the world"]
    m: Annotated[np.ndarray, NV, WIDEST, "mass matrix of each flexible body, or its factors, in the rows of its coordinates"]
    dofs: Annotated[np.ndarray, NV, DOFS, "U, 1/d and u of coordinates of joints, by forward dynamics"]
    force: Annotated[np.ndarray, NV, "what is left for deformations, by forward dynamics"]
    free_a: Annotated[np.ndarray, NV, "accelerations of deformations that are not imposed, by forward dynamics"]
