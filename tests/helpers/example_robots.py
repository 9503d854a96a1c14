"""Where the robots of the package `example-robot-data` are: next to Pinocchio, which is installed in the same way."""

import sys
from pathlib import Path

import pinocchio

SHARE = Path("share", "example-robot-data", "robots")


def robots_folder() -> Path:
    """The folder that holds the robots; a clear failure if the package is not installed."""
    places = [above / SHARE for above in [*Path(pinocchio.__file__).resolve().parents, Path(sys.prefix)]]
    found = next((place for place in places if place.is_dir()), None)
    assert found is not None, "the test dependency example-robot-data is not installed"
    return found


ROBOTS = robots_folder()
URDFS = sorted(str(path.relative_to(ROBOTS).as_posix()) for path in ROBOTS.rglob("*.urdf"))
