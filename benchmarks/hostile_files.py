"""Damaged files for readers of tendons, muscles, xacro, SRDF, OpenSim, recorded motion and USD: an answer or a sentence each.

    python benchmarks/hostile_files.py [--count 3000]

Parts of good files are cut, doubled, swapped and replaced by hostile values. Counted are files that load and that are refused
by ModelError; anything else (another error, a file opened that was not named, a program started, more than 20 s) is printed.
"""

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import locomote as lo

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from file_samples import MOT, MUSCLE_ARM, SRDF, TRC, XACRO
from gait_model import gait

VALUES = [
    "", "nan", "inf", "-1", "0", "1e400", "1e30", "1 2", "x", "../../../etc/passwd", "/etc/passwd", "${1/0}", "${", "$(",
    "}", "${9**9**9}", "${__import__('os').system('true')}", "$(find ..)", "$(arg x)", "a" * 3000, "&#0;", "<", "\x00",
    "${a}", "${'a'*99999}", "1 " * 500, "true", "world", "/ground", "shoulder", "link0", "time",
]  # fmt: skip
USDA = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World"
{
    def Xform "arm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        point3f physics:centerOfMass = (0.5, 0, 0)
        float3 physics:diagonalInertia = (0.1, 0.2, 0.3)
        float physics:mass = 2
        double3 xformOp:translate = (0, 0, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsRevoluteJoint "hinge"
    {
        uniform token physics:axis = "Y"
        rel physics:body1 = </World/arm>
        point3f physics:localPos0 = (0, 0, 2)
        float physics:lowerLimit = -90
    }
}
"""
opened: list = []
watching = [False]


def watch(event, arguments):
    """Note what is opened or started."""
    if watching[0] and event in ("open", "os.system", "subprocess.Popen", "socket.connect", "os.remove"):
        if not str(arguments[0]).endswith((".py", ".pyc", ".so", ".json")):
            opened.append((event, str(arguments[0])))


sys.addaudithook(watch)


def damaged(text: str, rng) -> str:
    """A text with some parts broken."""
    for _ in range(rng.integers(1, 4)):
        way = rng.integers(6)
        tags = [m.span() for m in re.finditer(r"<[^<>]*>", text)] or [(0, 1)]
        values = [m.span(1) for m in re.finditer(r'"([^"<>]*)"', text)] or [(0, 1)]
        numbers = [m.span() for m in re.finditer(r"-?\d+\.?\d*", text)] or [(0, 1)]
        (a, b), (c, d), (e, f) = (spans[rng.integers(len(spans))] for spans in (tags, values, numbers))
        hostile = VALUES[rng.integers(len(VALUES))]
        if way == 0:
            text = text[:a] + text[b:]
        elif way == 1:
            text = text[:b] + text[a:b] + text[b:]
        elif way == 2:
            text = text[:c] + hostile + text[d:]
        elif way == 3:
            text = text[:e] + hostile + text[f:]
        elif way == 4:
            (g, h) = tags[rng.integers(len(tags))]
            text = text[:a] + text[g:h] + text[b:]
        else:
            k = rng.integers(len(text))
            text = text[:k] + chr(rng.integers(32, 300)) + text[k + rng.integers(3) :]
    return text


def readers(folder: Path) -> dict:
    """Name -> text and what reads it."""
    robot = lo.Model(lo.read_urdf(XACRO))
    found = {
        "MJCF scene": (MUSCLE_ARM, lambda text: lo.load_scene(text, contacts=False)), "xacro": (XACRO, lo.read_urdf),
        "SRDF": (SRDF, lambda text: lo.read_srdf(text, robot)), "OpenSim": (gait(), lo.load_scene),
        ".mot": (MOT, lambda text: lo.read_motion(text.encode("utf-8", "replace"))),
        ".trc": (TRC, lambda text: lo.read_motion(text.encode("utf-8", "replace"))),
    }  # fmt: skip
    try:
        import pxr  # noqa: F401

        def read_usd(text):
            path = folder / "stage.usda"
            path.write_text(text, encoding="utf-8", errors="replace")
            return lo.read_usd(path)

        found["USD"] = (USDA, read_usd)
    except ImportError:
        print("USD: usd-core is not installed, not tried")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    count, rng = parser.parse_args().count, np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        known, bad = readers(Path(folder)), 0
        for name, (text, read) in known.items():
            read(text)
            loaded = refused = 0
            slowest, each = 0.0, -(-count // len(known))
            for _ in range(each):
                given, begin = damaged(text, rng), time.perf_counter()
                opened.clear()
                watching[0] = name != "USD"
                try:
                    read(given)
                    loaded += 1
                except lo.ModelError as error:
                    refused += 1
                    assert str(error) and len(str(error)) < 100_000
                except Exception as error:
                    bad += 1
                    print(f"BAD {name}: {type(error).__name__}: {str(error)[:200]}")
                watching[0] = False
                slowest = max(slowest, time.perf_counter() - begin)
                if opened and (strange := [what for what in opened if ".cache" not in what[1]]):
                    bad += 1
                    print(f"BAD {name}: opened {strange[:2]}")
            print(f"{name}: {each} files, {loaded} load, {refused} refused in a sentence, slowest {slowest:.2f} s", flush=True)
    print(f"{bad} bad")


if __name__ == "__main__":
    main()
