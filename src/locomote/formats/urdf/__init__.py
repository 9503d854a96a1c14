"""URDF: links and joints of a tree, also written in xacro, its macro language."""

from locomote.formats.registry import Format


def reader():
    from locomote.formats.urdf.reader import describe

    return describe


def writer():
    from locomote.formats.urdf.writer import write_urdf

    return write_urdf


FORMAT = Format(
    name="URDF",
    word="urdf",
    suffixes=(".urdf", ".xacro"),
    root_tag="robot",
    reader=reader,
    writer=writer,
    users="ROS, Pinocchio and others",
    says_base=False,
    hints={".srdf": "this says more of a robot that a URDF file has; give it as srdf= beside that, or to lo.read_srdf"},
)
