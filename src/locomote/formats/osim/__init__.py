"""OpenSim models: bodies, joints whose axes follow curves, muscles along paths."""

from locomote.formats.registry import Format


def reader():
    from locomote.formats.osim.reader import describe

    return describe


def scene():
    from locomote.formats.osim.reader import describe_scene

    return describe_scene


FORMAT = Format(
    name="OpenSim",
    word="osim",
    suffixes=(".osim",),
    root_tag="OpenSimDocument",
    reader=reader,
    scene=scene,
)
