"""MJCF, the format of MuJoCo: nested bodies with joints, inertias and geoms."""

from locomote.formats.registry import Format


def reader():
    from locomote.formats.mjcf.reader import describe

    return describe


def writer():
    from locomote.formats.mjcf.writer import write_mjcf

    return write_mjcf


def scene():
    from locomote.formats.mjcf.reader import describe_scene

    return describe_scene


FORMAT = Format(
    name="MJCF",
    word="mjcf",
    suffixes=(".xml", ".mjcf"),
    root_tag="mujoco",
    reader=reader,
    writer=writer,
    scene=scene,
    users="MuJoCo",
    hints={".mjb": "this is a compiled MuJoCo model; save it as XML with MuJoCo and load that"},
)
