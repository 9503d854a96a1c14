"""Pictures of films, our rasteriser beside matplotlib's 3-D axes (painter's order): `python benchmarks/pictures.py`.

Same bodies, camera and pixels.

A painter draws whole faces from back to front by the distance of their middle; faces that cross or lie nested are drawn wrong.
What is wrong is measured in one picture: pixels whose colour is of another body than the nearest one, which a ray against every
triangle finds (no code of either renderer).
"""

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import locomote as lo
from locomote.view.build import scene_of
from locomote.view.camera import ANGLE, camera_for
from locomote.view.draw import Painter
from locomote.view.frames import frames_of

SIZE, RAYS = (640, 480), 2000
SYSTEMS = ("snakeboard", "satellite", "jellyfish", "hrp2_like", "sandfish", "octopus")


def by_matplotlib(triangles, colors, camera, row):
    """A picture (h, w, 3) of triangles (n, 3, 3), painted from back to front."""
    width, height = SIZE
    axes, target = camera.axes(), camera.targets[row]
    eye = target + camera.distance * camera.direction
    seen = (triangles - eye) @ axes
    focal = 0.5 * height / np.tan(ANGLE / 2)
    order = np.argsort(seen[:, :, 2].mean(axis=1))  # the eye looks along -z: far ones first
    flat = np.stack(
        [width / 2 - focal * seen[..., 0] / seen[..., 2], height / 2 - focal * seen[..., 1] / seen[..., 2]], axis=-1
    )
    flat[..., 1] = height - flat[..., 1]
    figure = plt.figure(figsize=(width / 100, height / 100), dpi=100)
    canvas = figure.add_axes((0, 0, 1, 1), projection="3d")
    canvas.set_axis_off()
    canvas.set_proj_type("ortho")
    canvas.view_init(elev=90, azim=-90)
    corners = np.concatenate(
        [flat, 1e-3 * np.arange(len(order))[np.argsort(order)][:, None, None] + np.zeros((*flat.shape[:2], 1))], axis=-1
    )
    canvas.add_collection3d(Poly3DCollection(corners, facecolors=colors, edgecolors="none", zsort="average"))
    canvas.set_xlim(0, width)
    canvas.set_ylim(0, height)
    canvas.set_zlim(0, 1e-3 * len(order) + 1.0)
    figure.canvas.draw()
    picture = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
    plt.close(figure)
    return picture


def nearest(triangles, eye, ray):
    """Index of the first triangle that a ray meets, or -1 (Moeller and Trumbore 1997)."""
    a, ab, ac = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(ray, ac)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 1.0 / np.einsum("ij,ij->i", ab, p)
        u = np.einsum("ij,ij->i", eye - a, p) * share
        q = np.cross(eye - a, ab)
        v, t = (q @ ray) * share, np.einsum("ij,ij->i", ac, q) * share
    hit = np.flatnonzero((u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0))
    return int(hit[np.argmin(t[hit])]) if len(hit) else -1


def painted_first(triangles, eye, axes, ray):
    """The triangle that a painter leaves on top along a ray: of all that it meets, the one whose middle is nearest."""
    a, ab, ac = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(ray, ac)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 1.0 / np.einsum("ij,ij->i", ab, p)
        u = np.einsum("ij,ij->i", eye - a, p) * share
        v = (np.cross(eye - a, ab) @ ray) * share
    hit = np.flatnonzero((u >= 0) & (v >= 0) & (u + v <= 1))
    middle = ((triangles - eye) @ axes)[:, :, 2].mean(axis=1)
    return int(hit[np.argmax(middle[hit])]) if len(hit) else -1


def compared(name):
    """Times a picture, and the share of covered pixels that show a wrong body by the painter's order."""
    system = lo.systems.load(name)
    q, v = system.initial
    run = system.problem().simulate(min(system.duration, 1.0), q=q, v=v, progress=False)
    scene = scene_of(run.model, run.problem, run.q)
    frames = frames_of(scene, run, run.t[:: max(1, len(run.t) // 8)][:8], forces=False)
    camera = camera_for(scene, frames, SIZE[0] / SIZE[1])
    painter = Painter(scene, camera, *SIZE)
    points, faces, normals, colors, _ = painter._bodies_at(frames, 3)
    triangles, owner = points[faces], painter._owners[faces[:, 0]]
    shade = np.clip(0.4 + 0.6 * abs(normals[:, 0] @ [0.35, -0.5, 0.8]), 0, 1)[:, None] * colors
    ours, theirs = [], []
    for _ in range(10):
        start = time.perf_counter()
        painter.picture(frames, 3)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        picture = by_matplotlib(triangles, np.clip(shade, 0, 1), camera, 3)
        theirs.append(time.perf_counter() - start)
    axes = camera.axes()
    eye = camera.targets[3] + camera.distance * camera.direction
    focal, rng, covered, wrong = 0.5 * SIZE[1] / np.tan(ANGLE / 2), np.random.default_rng(0), 0, 0
    for _ in range(RAYS):
        x, y = rng.uniform(-0.5, 0.5, 2) * SIZE
        ray = axes @ np.array([x, y, -focal])
        first = nearest(triangles, eye, ray)
        if first >= 0:
            covered += 1
            wrong += owner[first] != owner[painted_first(triangles, eye, axes, ray)]
    return len(faces), min(ours), min(theirs), wrong / max(covered, 1), picture


def main():
    folder = Path("runs")
    folder.mkdir(exist_ok=True)
    print("system        faces   ours ms   matplotlib ms   ratio   wrong pixels of its order")
    for name in SYSTEMS:
        count, ours, theirs, wrong, picture = compared(name)
        plt.imsave(folder / f"{name}_matplotlib.png", picture)
        print(f"{name:12} {count:6}   {1e3 * ours:7.1f}   {1e3 * theirs:13.1f}   {theirs / ours:5.1f}   {wrong:.1%}")


if __name__ == "__main__":
    main()
