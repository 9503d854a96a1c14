"""SDF (SDFormat), the format of Gazebo: models of links and joints, placed by frames that refer to each other by name."""

from locomote.formats.registry import Format


def reader():
    from locomote.formats.sdf.reader import describe

    return describe


def scene():
    from locomote.formats.sdf.scene import describe_scene

    return describe_scene


def writer():
    from locomote.formats.sdf.writer import write_sdf

    return write_sdf


FORMAT = Format(
    name="SDF",
    word="sdf",
    suffixes=(".sdf", ".world"),
    root_tag="sdf",
    reader=reader,
    writer=writer,
    users="Gazebo, Drake and others",
    scene=scene,
)
