"""Which instants a strip of pictures shows: those at which the shape differs most.

Equal distances of time meet a periodic motion at the same phase again and again. So the run is cut into as many spans as there
are pictures between its start and its end, each gets CHOICES candidates, and of each span, in order, the candidate is taken
whose shape is farthest from all shapes that were taken before. Time stays in order, and covers the whole run.

    shape of a body   its pose as seen from the first body of the model; that of a single body is its turn in the world  (1)
"""

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.runs.trajectory import Trajectory
from locomote.view.scene import Scene

CHOICES = 9  # candidates of a span
ALIKE = 1e-3  # differences of shape, over the largest, below which the middle of a span is as good


def instants(scene: Scene, run: Trajectory, count: int) -> np.ndarray:
    """(count,) times, s, from the start to the end of a run; one for a run without length."""
    start, end = float(run.t[0]), float(run.t[-1])
    if not end > start:
        return run.t[:1].copy()
    if count < 3:
        return np.linspace(start, end, count)
    width = (end - start) / (count - 1)
    middles = np.linspace(start, end, count)[1:-1]
    offsets = np.linspace(-0.4, 0.4, CHOICES) * width  # apart from each other, so that order holds
    offsets = offsets[np.argsort(abs(offsets), kind="stable")]  # the middle first: it is taken where all are alike
    times = middles[:, None] + offsets
    shapes = shapes_at(scene, run, np.concatenate([[start, end], times.ravel()]))
    taken, rest = list(shapes[:2]), shapes[2:].reshape(count - 2, CHOICES, -1)
    least = ALIKE * float(np.ptp(shapes, axis=0).max())
    chosen = []
    for span, options in zip(times, rest, strict=True):
        far = np.min(np.linalg.norm(options[:, None] - np.array(taken), axis=2), axis=1)
        best = int(np.argmax(far > far.max() - least))
        chosen.append(span[best])
        taken.append(options[best])
    return np.array([start, *chosen, end])


def shapes_at(scene: Scene, run: Trajectory, times: np.ndarray) -> np.ndarray:
    """(n, k) numbers that say what shape it has at times, in m."""
    q = run.model.normalize(run.at(times).q)
    poses = forward_kinematics(run.model, q)
    first = poses[:, :1]
    parts = [poses, *(tube.shape(q)[0] for tube in scene.tubes)]
    if sum(part.shape[1] for part in parts) == 1:
        return scene.size * first[:, 0, :3, :3].reshape(len(times), -1)
    back = np.linalg.inv(first)
    seen = np.concatenate([back @ part for part in parts], axis=1)[:, 1:]  # (1)
    turns, places = scene.size * seen[..., :3, :3], seen[..., :3, 3]
    return np.concatenate([turns.reshape(len(times), -1), places.reshape(len(times), -1)], axis=1)
