"""Shapes are closed, face outwards, and have the volume of the body that they stand for."""

import numpy as np
import pytest

from locomote.geometry import meshes
from locomote.geometry.meshes import Mesh
from locomote.view.bent import AROUND, arrow_mesh, bar, tube_faces, tube_vertices

SHAPES = {  # with the volume of the round shape; meshes are a little smaller
    "box": (meshes.box(0.2, 0.3, 0.5), 0.03),
    "sphere": (meshes.sphere(0.3, rings=24), 4 / 3 * np.pi * 0.027),
    "ellipsoid": (meshes.ellipsoid(0.1, 0.2, 0.3, rings=24), 4 / 3 * np.pi * 0.006),
    "cylinder": (meshes.cylinder(0.2, 0.7), np.pi * 0.04 * 0.7),
    "capsule": (meshes.capsule(0.2, 0.7, rings=12), np.pi * 0.04 * 0.7 + 4 / 3 * np.pi * 0.008),
    "torus": (meshes.torus(0.5, 0.1, rings=24), 2 * np.pi**2 * 0.5 * 0.01),
    "bar": (bar(np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.2, 0.9]), 0.05), np.pi * 0.0025 * np.sqrt(0.16 + 0.16 + 0.36)),
}


def volume(mesh):
    """By the divergence theorem: a sixth of the triple products of all faces; negative if they face inwards."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def edges(mesh):
    """Directed edges of all faces by places of their corners."""
    _, same = np.unique(np.round(mesh.vertices, 9), axis=0, return_inverse=True)
    faces = same.reshape(-1)[mesh.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    return [tuple(edge) for face in faces.tolist() for edge in zip(face, face[1:] + face[:1], strict=True)]


@pytest.mark.parametrize("name", SHAPES)
def test_volume_and_closed(name):
    mesh, exact = SHAPES[name]
    assert 0.93 * exact < volume(mesh) <= exact * (1 + 1e-12)
    directed = edges(mesh)
    assert sorted(directed) == sorted((b, a) for a, b in directed)  # every edge once each way


@pytest.mark.parametrize("name", SHAPES)
def test_normals_are_unit_and_face_outwards(name):
    mesh, _ = SHAPES[name]
    assert np.allclose(np.linalg.norm(mesh.normals, axis=2), 1, atol=1e-9)
    own = meshes.face_normals(mesh.vertices, mesh.faces)
    assert ((mesh.normals * own[:, None]).sum(axis=2) >= 0).all()


def test_a_tube_is_closed_and_follows_its_sections():
    """A quarter of a ring: volume by Pappus."""
    angle, radius, tube = np.linspace(0, np.pi / 2, 60), 0.5, 0.05
    poses = np.broadcast_to(np.eye(4), (60, 4, 4)).copy()
    poses[:, :3, 0] = np.column_stack([-np.sin(angle), np.cos(angle), 0 * angle])
    poses[:, :3, 1] = np.column_stack([-np.cos(angle), -np.sin(angle), 0 * angle])
    poses[:, :3, 3] = radius * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    mesh = Mesh(tube_vertices(poses, np.full(60, tube)), tube_faces(60))
    around = AROUND / 2 * np.sin(2 * np.pi / AROUND) * tube**2  # area of the polygon
    assert np.isclose(volume(mesh), around * radius * np.pi / 2, rtol=1e-3)
    directed = edges(mesh)
    assert sorted(directed) == sorted((b, a) for a, b in directed)


def test_an_arrow_ends_where_its_vector_ends():
    start, vector = np.array([0.1, 0.2, 0.3]), np.array([0.3, -0.4, 0.5])
    mesh = arrow_mesh(start, vector, 0.02)
    reach = (mesh.vertices - start) @ vector / np.linalg.norm(vector)
    assert np.isclose(reach.max(), np.linalg.norm(vector)) and np.isclose(reach.min(), 0)


def test_a_mirror_image_keeps_its_outside():
    mirrored = meshes.box(1.0, 2.0, 3.0).moved(np.diag([-1.0, 1.0, 1.0, 1.0]))
    assert np.isclose(volume(mirrored), 6.0)


def test_simplified_is_smaller_and_about_the_same():
    mesh = meshes.sphere(1.0, rings=60)
    less = meshes.simplified(mesh, 500)
    assert len(less.faces) <= 500 and abs(volume(less) / volume(mesh) - 1) < 0.2
    assert meshes.simplified(mesh, 10**6) is mesh
