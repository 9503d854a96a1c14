"""Run every scenario of whole-body control on hard ground and draw its film strip: `python docs/pictures/whole_body/make.py`.

With names only those; `films` writes a film of each (.mp4) into the present folder instead. Robots of files: give their URDF
with `--talos PATH` or `--g1 PATH`, and their steps are drawn, too.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

from PIL import Image

import locomote as lo
from locomote.systems import hrp2_like

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[3]
sys.path[:0] = [str(HERE.parent), str(ROOT / "tests" / "helpers")]

from make import STRIP, smaller  # noqa: E402


def report_of(name: str):
    """The built-in humanoid's run of a scenario, and what it showed."""
    system = lo.systems.load("hrp2_like", motion=name)
    scenario = hrp2_like.scenario(SimpleNamespace(**system.parameters))
    assert scenario is not None
    report = scenario.run()
    assert bool(report.fallen) == scenario.falls, report
    return report


def of_file(name: str, urdf: str):
    """Steps of a robot from a file."""
    from file_humanoids import ROBOTS, from_file

    robot = from_file(name, Path(urdf).resolve().parents[len(Path(ROBOTS[name][0]).parts) - 1])
    report = robot.scenario("steps", length=0.08).run()
    assert report.done, report
    return report


def main(words: list[str]) -> None:
    """Draw what the words say."""
    films = "films" in words
    files = {key: words[words.index(f"--{key}") + 1] for key in ("talos", "g1") if f"--{key}" in words}
    names = [word for word in words if word in hrp2_like.MOTIONS]
    for name in names or ([] if files and not films else hrp2_like.MOTIONS):
        drawn(name, report_of(name), films)
    for name, urdf in files.items():
        drawn(f"{name}_steps", of_file(name, urdf), films)


def drawn(name: str, report, films: bool) -> None:
    """Its strip, or its film."""
    path = Path(f"{name}.mp4") if films else HERE / f"{name}.png"
    report.run.film(path, size=(640, 480) if films else STRIP)
    if not films:
        smaller(Image.open(path), path)
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB; {report}")


if __name__ == "__main__":
    main(sys.argv[1:])
