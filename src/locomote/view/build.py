"""The scene of a model, and of the problem that it is part of."""

from dataclasses import replace

import numpy as np

from locomote.contact.bodies import said_touches
from locomote.dynamics.kinematics import forward_kinematics
from locomote.model.base import moving_root
from locomote.model.joints import WORDS
from locomote.model.model import Model
from locomote.view import contacts, looks
from locomote.view.cables import cable_tubes
from locomote.view.legs import leg_tubes
from locomote.view.rods import rod_tubes
from locomote.view.scene import Piece, Scene, Strut, Tube, piece_corners
from locomote.view.skins import skin_tubes
from locomote.view.tracks import track_pieces
from locomote.view.waters import specks_in, stream_of
from locomote.view.wings import wing_tubes, without_plates

AROUND = 60  # configurations by which a motion is measured
FACES = 60_000  # most faces of all meshes together, by default
AIR = 100.0  # kg/m^3, of a fluid that is drawn as water; without gravity any is
SHALLOW = 0.3  # how far the surface is above a swimmer at least, over its size
DEEP = 0.15  # how far the bottom is below a swimmer, over how far it gets


def scene_of(model: Model, problem=None, q: np.ndarray | None = None, *, tubes: tuple[Tube, ...] = ()) -> Scene:
    """What there is to draw.

    problem : whose constraints and springs are drawn too
    q : (n, nq) configurations that it goes through, which say how far surfaces reach and where the ground is
    tubes : shapes that bend, which bodies have besides
    """
    bodies = [model.body(k).body for k in range(len(model.body_names))]
    places, missing = looks.joint_places(bodies), []
    size = looks.bare_size(bodies, places)
    pieces: list[Piece] = []
    struts: list[Strut] = []
    colors = looks.body_colors(bodies)
    skins, under = skin_tubes(model, bodies)
    for k, body in enumerate(bodies):
        if k in under:
            continue
        own = [piece for visual in body.visuals for piece in looks.visual_pieces(body, k, visual, colors[k], missing)]
        if body.flex is not None:
            pieces += own
            continue
        pieces += own or looks.bare_pieces(body, k, places[body.name], size, colors[k])
        pinned = bool(np.any(model.gravity)) and not any(
            piece.mesh.shades is not None and piece.name == "cylinder" for piece in own[1:] or own
        )
        pieces += looks.joint_pieces(body, k, size, not own, pinned)
        struts += looks.rails(model, k, size, own)
    if missing and not any(piece.layer == "shapes" for piece in pieces):
        missing.append("the model is drawn from its joints and masses instead")
    q = model.neutral()[None] if q is None or not len(q) else np.asarray(q)
    q = q[np.isfinite(q).all(axis=1)]
    whole = q if len(q) else model.neutral()[None]
    q = model.normalize(whole[:: max(1, len(whole) // AROUND)])
    poses = forward_kinematics(model, q)
    scene = Scene(
        model.name,
        model.body_names,
        tuple(pieces),
        tuple(struts),
        (*rod_tubes(model, bodies), *skins, *tubes),
        size,
        missing=tuple(dict.fromkeys(missing)),
        up=upwards(model),
    )
    scene = scene_with_problem(scene, model, problem, poses, q)
    touches = () if problem is None else said_touches(problem.contacts)
    marks = track_pieces(model, problem, touches, whole, scene.ground, scene.size)
    return replace(scene, pieces=(*scene.pieces, *marks))


def upwards(model: Model) -> tuple[float, float, float]:
    """Against gravity if that is nearer to another axis than z; a slope stays a slope."""
    down = np.asarray(model.gravity, dtype=float)
    k = int(np.argmax(abs(down)))
    if k == 2 or not np.any(down):
        return 0.0, 0.0, 1.0
    x, y = ((1.0 if k == j else 0.0) * -float(np.sign(down[k])) for j in (0, 1))
    return x, y, 0.0


def scene_with_problem(scene: Scene, model: Model, problem, poses: np.ndarray, q: np.ndarray) -> Scene:
    """The scene with wheels, blades, surfaces, springs and ground."""
    constraints = () if problem is None else problem.constraints
    environment = () if problem is None else problem.environment
    touches = () if problem is None else said_touches(problem.contacts)
    dense = AIR if np.any(model.gravity) else 0.0
    water = any(getattr(getattr(part, "fluid", None), "density", 0.0) > dense for part in environment)
    controllers = () if problem is None else problem.controllers
    cables = cable_tubes(model, environment, controllers, scene.size)
    scene = replace(
        scene, tubes=(*scene.tubes, *leg_tubes(model, environment), *wing_tubes(model, environment), *cables), water=water
    )
    corners = piece_corners(scene, poses)
    if scene.tubes:
        corners = np.concatenate([corners, *(tube.shape(q)[0][..., :3, 3] for tube in scene.tubes)], axis=1)
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    pieces = without_plates(scene.pieces, model, environment)
    heights = contacts.ground_heights(constraints, touches)
    base = moving_root(model)
    level, kind = False, None
    if base is not None:
        kind = WORDS[base.joints[0].kind]
        flat = kind.roams and not any(axis[2] for axis in kind.slides(base.joints[0]))
        level = flat and abs(base.placement[2, 2] - 1) < 1e-9
    ground = min(heights) if heights else float(low[2]) if level or np.any(model.gravity) else None
    for constraint in constraints:
        if isinstance(constraint, contacts.Rolling):
            pieces += filter(None, [contacts.wheel_piece(model, constraint)])
        elif isinstance(constraint, contacts.Blade) and constraint.other is None:
            point = contacts.world_point(poses[:1], model.body_index(constraint.body), constraint.point)[0]
            above = point[2] - ground if ground is not None else 0.0
            made = contacts.blade_piece(model, constraint, scene.size, above)
            if made is not None:
                pieces.append(made)
                if not heights and level and ground is not None:
                    ground = min(ground, float(point[2] + made.mesh.vertices[:, 0].min()))
    for touch in touches:
        pieces += contacts.touch_piece(model, touch, scene.size)
    pieces += [] if problem is None else contacts.solid_pieces(model, problem.contacts)
    pieces += contacts.surface_pieces(model, constraints, touches, low, high)
    surfaces = [c.surface for c in constraints if isinstance(c, contacts.Rolling)] + [c.ground.surface for c in touches]
    if any(not isinstance(surface, contacts.Plane) for surface in surfaces) and not heights:
        ground = None
    if ground is not None and (kind is None or kind.hangs) and not heights:
        ground = None  # what hangs on the world needs no ground
    struts = (*scene.struts, *contacts.struts(model, constraints, environment, scene.size))
    surface, specks, stream = None, np.zeros((0, 3)), stream_of(environment, low, high)
    if water:
        size = float((corners.max(axis=1) - corners.min(axis=1)).max())
        deep = DEEP * max(float((high - low)[:2].max()), size)
        if ground is not None:
            ground -= 0.0 if heights else deep  # a swimmer does not lie on the bottom
            surface = float(high[2]) + max(deep, SHALLOW * size)
        specks = specks if stream is not None else specks_in(low, high, size, surface, ground)
    water_ = {"surface": surface, "specks": specks, "stream": stream}
    return replace(scene, pieces=tuple(pieces), struts=struts, ground=ground, **water_)
