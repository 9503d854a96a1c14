"""URDF text into a Description.

Every link becomes a body, in the frame of its joint; every joint that moves becomes that body's joint. Bodies come parents
first, depth first, children in the order of the joints in the file.
"""

from collections.abc import Mapping
from typing import Any

from locomote.errors import ModelError
from locomote.formats.faults import Faults
from locomote.formats.inertias import check_policy
from locomote.formats.meshes import MeshFinder
from locomote.formats.registry import wrong_root
from locomote.formats.source import Source, read_source
from locomote.formats.tree import parents_first
from locomote.formats.urdf import FORMAT
from locomote.formats.urdf.control import with_control_limits
from locomote.formats.urdf.joint import UrdfJoint, read_joint
from locomote.formats.urdf.link import read_inertial
from locomote.formats.urdf.mimic import read_couplings
from locomote.formats.urdf.srdf import describe_srdf
from locomote.formats.urdf.visual import read_collisions, read_materials, read_visuals
from locomote.formats.urdf.xacro import expanded, is_xacro
from locomote.formats.xml import Node, parse
from locomote.model.description import Body, Description, Joint
from locomote.spatial.inertia import Inertia

# children that say nothing about the motion: skipped without a warning
SILENT = {
    "robot": set("link joint material gazebo transmission sensor ros2_control group group_state plugin".split()),
    "link": set(
        "inertial visual collision contact sensor material surface kinematic gravity verbose"
        " self_filter collision_checking self_collision_checking".split()
    ),
    "joint": set("origin parent child axis limit dynamics mimic calibration safety_controller".split()),
}


def read_urdf(
    path_or_text, *, mimic: bool = True, package_dirs=(), inertia: str = "warn", arguments: Mapping[str, Any] | None = None,
    srdf=None, control_limits: bool = False,
) -> Description:  # fmt: skip
    """The mechanism that a URDF or xacro file, or its text, describes.

    path_or_text : path of a file, or text (a string that starts with "<", or bytes)
    arguments : values of the <xacro:arg> elements of a xacro file, by name
    srdf : path or text of an SRDF file, whose pairs of links that do not touch and states of groups are kept; see lo.read_srdf
    control_limits : whether limits of commands, which <ros2_control> says, narrow those of the joints
    mimic : keep `mimic` joints coupled to the joint they follow; False leaves them independent
    package_dirs : folders in which `package://` meshes are looked for first. Meshes are not opened, a missing one is a warning
    inertia : "warn" accepts inertias that no real body can have (negative principal moments, or one larger than the sum of the
        other two) with a warning in `Description.warnings`; "error" refuses them. Negative mass and numbers that are not
        finite are always refused.

    Lengths in m, angles in rad, masses in kg, as the file has them. The root link hangs on the world; give it a moving base
    with `Description.with_base`. Raises ModelError with all faults of the file, each with its line.
    """
    check_policy(inertia)
    source = read_source(path_or_text, is_text=lambda text: text.lstrip("\ufeff \t\r\n").startswith("<"))
    options = {"arguments": arguments, "srdf": srdf, "control_limits": control_limits}
    return describe(source, parse(source), mimic=mimic, package_dirs=package_dirs, inertia=inertia, **options)


def describe(
    source: Source, root: Node, *, mimic=True, package_dirs=(), inertia="warn", arguments=None, srdf=None, control_limits=False
) -> Description:
    """The Description of a parsed URDF file."""
    faults = Faults(source.name)
    if root.tag != FORMAT.root_tag:
        raise ModelError(source.name, wrong_root(root, FORMAT))
    meshes = MeshFinder(source.folder, package_dirs)
    if is_xacro(root):
        root = expanded(root, source, arguments=arguments, package_dirs=meshes.package_dirs)
    elif arguments:
        faults.add(root, f"takes no arguments: it has no <xacro:arg>; leave out {', '.join(map(str, arguments))}")
    _name_strangers(root, faults)
    links = _named(root, "link", faults)
    materials = read_materials(root, faults)
    inertias = {name: read_inertial(node, inertia, faults) for name, node in links.items()}
    visuals = {name: read_visuals(node, materials, meshes, faults) for name, node in links.items()}
    shapes = {name: read_collisions(node, meshes, faults) for name, node in links.items()}
    read = [read_joint(name, node, links, faults) for name, node in _named(root, "joint", faults).items()]
    joints = [joint for joint in read if joint is not None]
    joints = with_control_limits(root, joints, faults) if control_limits else joints
    if not links:
        faults.add(root, "there is no <link> with a name")
    complete = len(joints) == len(root.all("joint")) and len(links) == len(root.all("link"))
    order = parents_first(links, joints, complete, faults, no_loops="URDF has no loops", one_root=True)
    couplings = read_couplings(joints, faults) if mimic else ()
    faults.check()
    meshes.report(faults)
    description = Description(
        name=root.get("name") or source.stem or "robot",
        bodies=tuple(_body(link, joint, inertias[link], visuals[link], shapes[link]) for link, joint in order),
        couplings=couplings,
        source=source.name if source.path is not None else "",
        warnings=faults.all_warnings(),
        lenient=inertia == "warn",
    )
    return description if srdf is None else describe_srdf(srdf, description).applied(description)


def _body(link: str, joint: UrdfJoint | None, inertia: Inertia | None, visuals, collisions) -> Body:
    if joint is None:
        return Body(link, inertia=inertia, visuals=visuals, collisions=collisions)
    own = joint.joint or Joint(joint.name, "fixed")  # by its name, which other programs sort by
    return Body(link, joint.parent, joint.placement, (own,), inertia, visuals=visuals, collisions=collisions)


def _named(root: Node, tag: str, faults: Faults) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in root.all(tag):
        name = node.get("name")
        if not name:
            faults.add(node, f"this <{tag}> has no name")
        elif name in found:
            faults.add(node, f"the name is taken by the <{tag}> in line {found[name].line}")
        else:
            found[name] = node
    return found


def _name_strangers(root: Node, faults: Faults) -> None:
    """One warning that names the elements which this reader does not know."""
    strangers: dict[str, int] = {}
    for node in [root, *root.all("link"), *root.all("joint")]:
        for child in node.children:
            if child.tag not in SILENT[node.tag] and ":" not in child.tag:
                strangers.setdefault(f"<{child.tag[:40]}> in <{node.tag}>", child.line)
    if strangers:
        named = ", ".join(f"{what} (line {line})" for what, line in list(strangers.items())[:8])
        more = f" and {len(strangers) - 8} more" if len(strangers) > 8 else ""
        faults.warn(None, f"not part of URDF, not read: {named}{more}")
