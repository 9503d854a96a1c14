"""USD physics: rigid bodies and joints of a stage, by the package usd-core."""

from locomote.formats.registry import Format


def reader():
    from locomote.formats.usd.reader import describe

    return describe


FORMAT = Format(
    name="USD",
    word="usd",
    suffixes=(".usda", ".usd", ".usdc"),
    root_tag="",
    reader=reader,
    hints={".usdz": "this is an archive of USD; unpack it and load the file inside"},
)
