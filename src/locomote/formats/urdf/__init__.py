"""URDF: links and joints of a tree."""

from locomote.formats.registry import Format

XACRO = "this is xacro, a macro language that makes URDF; run `xacro model.urdf.xacro > model.urdf` and load the result"


def reader():
    from locomote.formats.urdf.reader import describe

    return describe


def writer():
    from locomote.formats.urdf.writer import write_urdf

    return write_urdf


FORMAT = Format(
    name="URDF",
    word="urdf",
    suffixes=(".urdf",),
    root_tag="robot",
    reader=reader,
    writer=writer,
    users="ROS, Pinocchio and others",
    says_base=False,
    hints={".xacro": XACRO},
)
