"""USD stages into a Description: rigid bodies with their masses, and the joints between them.

A body hangs on the joint that names it as body1, on body0; one that no joint carries is free, or fixed if it is kinematic.
Numbers of USD are in single precision. A stage is one file here: what it refers to in others is not opened.
"""

import os

import numpy as np

from locomote.errors import ModelError
from locomote.formats import poses
from locomote.formats.faults import Faults, shown
from locomote.formats.inertias import check_policy, judge
from locomote.formats.source import Source, read_file
from locomote.formats.unsupported import Unsupported
from locomote.model.description import Body, Description, Joint, Keyframe
from locomote.spatial.inertia import Inertia

KINDS = {
    "PhysicsRevoluteJoint": "revolute", "PhysicsPrismaticJoint": "prismatic", "PhysicsSphericalJoint": "spherical",
    "PhysicsFixedJoint": "fixed",
}  # fmt: skip
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
MOST_PRIMS = 200_000


def read_usd(path: str | os.PathLike, *, inertia: str = "warn", unsupported: str = "error") -> Description:
    """The mechanism of a USD file (.usda, .usdc, .usd); needs the package usd-core.

    inertia : "warn" accepts inertias that no real body can have with a warning, "error" refuses them
    unsupported : "error" refuses joints and masses that are not supported, "warn" leaves them out, or takes them as massless

    Lengths and masses in m and kg, whatever the units of the stage. Raises ModelError with all faults of the file.
    """
    check_policy(inertia)
    return describe(read_file(path), None, inertia=inertia, unsupported=unsupported)


def describe(source: Source, root, *, inertia="warn", unsupported="error") -> Description:
    """The Description of a USD file."""
    try:
        from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics  # type: ignore[import-not-found]
    except ImportError:
        raise ModelError(source.name, "USD needs the package usd-core; pip install usd-core") from None
    if source.path is None:
        raise ModelError(source.name, "USD is read from files; give a path")
    try:
        layer = Sdf.Layer.FindOrOpen(str(source.path.resolve()))
        if layer is None:
            raise ModelError(source.name, "this is not a USD file that can be read")
        layer.Reload()  # the file may have changed since it was read before
        others = [name for name in layer.GetCompositionAssetDependencies() if name]
        if others:
            name = shown(others[0])
            raise ModelError(source.name, f"refers to {name}, which is not opened; make one file of it (usdcat --flatten)")
        stage = Usd.Stage.Open(layer)
        faults = Faults(source.name)
        return _Stage(stage, source, faults, Unsupported(unsupported, faults), inertia, UsdGeom, UsdPhysics, Usd).description()
    except Tf.ErrorException as error:
        lines = str(error).split("\n")
        reason = max(lines, key=len).strip()[:200]
        raise ModelError(source.name, f"this is not a USD file that can be read: {reason}") from None


class _Stage:
    def __init__(self, stage, source: Source, faults: Faults, unsupported: Unsupported, policy: str, geom, physics, usd):
        self.stage, self.source, self.faults, self.unsupported, self.policy = stage, source, faults, unsupported, policy
        self.geom, self.physics, self.usd = geom, physics, usd
        self.length = float(geom.GetStageMetersPerUnit(stage))
        self.mass = float(physics.GetStageKilogramsPerUnit(stage))
        if not (0 < self.length < 1e6 and 0 < self.mass < 1e6):
            raise ModelError(source.name, f"its units are {self.length:g} m and {self.mass:g} kg")

    def description(self) -> Description:
        bodies, joints, gravity = {}, [], None
        for n, prim in enumerate(self.stage.Traverse()):
            if n > MOST_PRIMS:
                raise ModelError(self.source.name, f"more than {MOST_PRIMS} prims: this is not a model file")
            if prim.HasAPI(self.physics.RigidBodyAPI):
                bodies[str(prim.GetPath())] = prim
            elif prim.IsA(self.physics.Joint):
                joints.append(prim)
            elif prim.IsA(self.physics.Scene) and gravity is None:
                gravity = self.guarded(prim, lambda own: self.gravity(self.physics.Scene(own)))
        if not bodies:
            self.faults.add(None, "there is no prim with PhysicsRigidBodyAPI")
        names = _names(bodies)
        carried = self.carried(joints, bodies, names)
        made, start = self.bodies(bodies, names, carried)
        self.faults.check()
        return Description(
            name=self.source.stem or "stage",
            bodies=tuple(made),
            gravity=gravity if gravity is not None else self.down(9.81),
            source=self.source.name,
            warnings=self.faults.all_warnings(),
            lenient=self.policy == "warn",
            keyframes=(Keyframe("start", tuple(start)),) if start else (),
        )

    def down(self, size: float) -> tuple[float, float, float]:
        return (0.0, -size, 0.0) if self.geom.GetStageUpAxis(self.stage) == "Y" else (0.0, 0.0, -size)

    def gravity(self, scene) -> tuple[float, ...]:
        size, way = scene.GetGravityMagnitudeAttr().Get(), scene.GetGravityDirectionAttr().Get()
        size = 9.81 if size is None or size < 0 or not np.isfinite(size) else float(size) * self.length
        direction = np.array(way if way is not None else (0.0, 0.0, 0.0), dtype=float)
        if not direction.any():
            return self.down(size)
        return tuple((size * direction / np.linalg.norm(direction)).tolist())

    def guarded(self, prim, read, otherwise=None):
        """What is read of a prim; a fault if some value is not of the kind that it should be."""
        try:
            return read(prim)
        except (TypeError, ValueError, AttributeError):
            self.faults.add(prim.GetPath(), "has a value that is not of the kind that USD wants there")
            return otherwise

    def world(self, prim) -> np.ndarray:
        """(4, 4) pose of a prim in the world, without its scale."""
        matrix = np.array(self.geom.Xformable(prim).ComputeLocalToWorldTransform(self.usd.TimeCode.Default()), dtype=float).T
        u, _, v = np.linalg.svd(matrix[:3, :3])
        scale = np.linalg.norm(matrix[:3, :3], axis=0)
        if not np.isfinite(matrix).all() or np.linalg.det(matrix[:3, :3]) <= 0:
            self.faults.add(prim.GetPath(), "its place is not a rotation and a shift")
            return np.eye(4)
        if np.ptp(scale) > 1e-6 * scale.max():
            self.unsupported.refuse(prim.GetPath(), "a body that is stretched")
        return poses.pose(u @ v, matrix[:3, 3] * self.length)

    def carried(self, joints, bodies, names) -> dict:
        """Body -> its parent (None: the world), the joint, and whether the joint was turned round."""
        found: dict = {}
        for prim in joints:
            joint = self.physics.Joint(prim)
            if joint.GetJointEnabledAttr().Get() is False:
                continue
            ends = [[str(t) for t in rel.GetTargets()][:1] for rel in (joint.GetBody0Rel(), joint.GetBody1Rel())]
            first, second = (end[0] if end and end[0] in bodies else None for end in ends)
            if prim.GetTypeName() not in KINDS:
                self.unsupported.refuse(prim.GetPath(), f"a joint of kind {prim.GetTypeName() or 'none'}")
                continue
            turned = second is None
            parent, child = (second, first) if turned else (first, second)
            if child is None:
                self.faults.add(prim.GetPath(), "joins no body of the stage")
            elif child in found and parent is not None and parent not in found and child != parent:
                found[parent] = (child, prim, not turned)
            elif child in found:
                self.faults.add(prim.GetPath(), f"is a second joint that carries {shown(child)}; close loops by a constraint")
            else:
                found[child] = (parent, prim, turned)
        for child in found:
            row, at = set(), child
            while at in found and at not in row:
                row.add(at)
                at = found[at][0]
            if at in row:
                self.faults.add(child, "hangs on itself by its joints; close loops by a constraint")
        return found

    def bodies(self, prims, names, carried) -> tuple[list[Body], list]:
        made, start, done = [], [], set()

        def add(path: str) -> None:
            done.add(path)
            prim, inertia = prims[path], self.guarded(prims[path], self.inertia)
            if path not in carried:
                kinematic = self.physics.RigidBodyAPI(prim).GetKinematicEnabledAttr().Get()
                place = self.guarded(prim, self.world, np.eye(4))
                if kinematic:
                    made.append(Body(names[path], None, place, (), inertia))
                else:
                    joint = Joint(f"{names[path]} base", "free")
                    made.append(Body(names[path], None, np.eye(4), (joint,), inertia))
                    start.append((joint.name, (*place[:3, 3].tolist(), *_quaternion(place[:3, :3]))))
                return
            parent, joint_prim, turned = carried[path]
            read = self.guarded(
                joint_prim, lambda own: self.joint(own, turned), (np.eye(4), Joint(joint_prim.GetName(), "fixed"))
            )
            placement, joint = read
            made.append(Body(names[path], None if parent is None else names[parent], placement, (joint,), inertia))

        if self.faults.faults:
            return [], []
        for path in prims:
            row = [path]
            while row[-1] not in done and row[-1] in carried and carried[row[-1]][0] is not None:
                row.append(carried[row[-1]][0])
            for one in reversed(row):
                if one not in done:
                    add(one)
        return made, start

    def joint(self, prim, turned: bool) -> tuple[np.ndarray, Joint]:
        """Where a body is on its parent, and the joint; turned : the child is body0."""
        joint, faults = self.physics.Joint(prim), self.faults
        frames = []
        for which in "01":
            place = getattr(joint, f"GetLocalPos{which}Attr")().Get()
            turn = getattr(joint, f"GetLocalRot{which}Attr")().Get()
            values = (*(place or (0, 0, 0)), *((*turn.GetImaginary(), turn.GetReal()) if turn is not None else (0, 0, 0, 1)))
            if not np.isfinite(values).all() or not np.any(values[3:]):
                faults.add(prim.GetPath(), f"its frame {which} is no place")
                values = (0.0,) * 6 + (1.0,)
            frames.append(poses.pose(poses.from_quaternion(*values[3:]), np.array(values[:3]) * self.length))
        before, after = reversed(frames) if turned else frames
        kind = KINDS[prim.GetTypeName()]
        name = prim.GetName()
        if kind in ("fixed", "spherical"):
            own = Joint(name, kind, anchor=tuple(after[:3, 3].tolist())) if kind == "spherical" else Joint(name, kind)
            return before @ poses.inverse(after), own
        token = prim.GetAttribute("physics:axis").Get() or "X"
        axis = after[:3, :3] @ np.array(AXES.get(str(token), AXES["X"])) * (-1.0 if turned else 1.0)
        scale = np.pi / 180 if kind == "revolute" else self.length
        low, high = (self.limit(prim, f"physics:{side}Limit", scale) for side in ("lower", "upper"))
        lower, upper = (-np.inf if low is None else low, np.inf if high is None else high)
        if lower > upper:
            lower, upper = -np.inf, np.inf  # USD says so that it is free
        return before @ poses.inverse(after), Joint(
            name, kind, tuple(axis.tolist()), anchor=tuple(after[:3, 3].tolist()), lower=lower, upper=upper
        )

    def limit(self, prim, name: str, scale: float) -> float | None:
        value = prim.GetAttribute(name).Get()
        return float(value) * scale if isinstance(value, (int, float)) and np.isfinite(value) and abs(value) < 1e30 else None

    def inertia(self, prim) -> Inertia | None:
        """The mass of a body, in its frame."""
        api = self.physics.MassAPI(prim)
        mass = api.GetMassAttr().Get() if prim.HasAPI(self.physics.MassAPI) else None
        if not mass:
            self.unsupported.refuse(prim.GetPath(), "a body whose mass only its shapes know", "give it PhysicsMassAPI")
            return None
        center = np.array(api.GetCenterOfMassAttr().Get() or (0, 0, 0), dtype=float)
        moment = np.array(api.GetDiagonalInertiaAttr().Get() or (0, 0, 0), dtype=float)
        turn = api.GetPrincipalAxesAttr().Get()
        x, y, z, w = (*turn.GetImaginary(), turn.GetReal()) if turn is not None else (0, 0, 0, 1)
        center = np.where(np.isfinite(center), center, 0.0) * self.length  # USD says -inf where it says nothing
        R = poses.from_quaternion(x, y, z, w) if np.isfinite([x, y, z, w]).all() and any((x, y, z, w)) else np.eye(3)
        if not np.isfinite([mass, *moment]).all() or mass < 0:
            self.faults.add(prim.GetPath(), f"its mass {mass!r} and inertia {moment.tolist()} are no amounts")
            return None
        if not moment.any():
            self.faults.warn_alike("bodies without an inertia are taken as points", prim.GetPath())
        own = Inertia(float(mass) * self.mass, center, R @ np.diag(moment * self.mass * self.length**2) @ R.T)
        judge(own, self.policy, prim.GetPath(), f"body {shown(prim.GetName())}", self.faults)
        return own


def _names(bodies) -> dict[str, str]:
    """Names of bodies: the last part of their paths, or as much of these as tells them apart."""
    short = {path: path.rsplit("/", 1)[-1] for path in bodies}
    alike = {name for name in short.values() if list(short.values()).count(name) > 1}
    return {path: path.strip("/").replace("/", "::") if name in alike else name for path, name in short.items()}


def _quaternion(R: np.ndarray) -> tuple[float, ...]:
    """x y z w of a rotation."""
    from scipy.spatial.transform import Rotation

    return tuple(Rotation.from_matrix(R).as_quat().tolist())
