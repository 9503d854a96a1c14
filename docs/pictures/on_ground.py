"""The picture of docs/on-ground.md: a robot of example-robot-data falls from 10 cm and stands.

python docs/pictures/on_ground.py
"""

import sys
from pathlib import Path

import locomote as lo

DOCS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(DOCS.parent / "tests"))
from helpers.example_robots import ROBOTS  # noqa: E402

if __name__ == "__main__":
    robot = lo.load(ROBOTS / "go2_description" / "urdf" / "go2.urdf", base="free")
    lo.on_ground(robot, drop=0.1).simulate(0.6, step=1e-3, every=0.02).film(DOCS / "on-ground.png")
