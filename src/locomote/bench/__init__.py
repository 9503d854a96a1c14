"""Speed, side by side with other programs; docs/benchmarks.md says how it is measured."""

import argparse


def main(arguments: list[str], cpp=None) -> int:
    """What `locomote bench` does. `cpp` runs Pinocchio's C++ without Python, see benchmarks/pinocchio_loops.py."""
    what = "Time the dynamics against Pinocchio and MuJoCo, and runs of the catalogue."
    parser = argparse.ArgumentParser(prog="locomote bench", description=what)
    parts = ("pinocchio", "python", "mujoco", "scaling", "systems", "specialised", "rollouts")
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts), help="what to compare (all)")
    parser.add_argument("--models", nargs="+", metavar="NAME", help="panda, anymal, talos, 'chain 30', 'chain 100' (all)")
    parser.add_argument("--systems", nargs="+", metavar="NAME", help="systems of the catalogue to run (all)")
    parser.add_argument("--rounds", type=int, default=30, help="windows of 3 ms a side, in turn; the best counts (30)")
    parser.add_argument("--json", action="store_true", help="print plain data")
    chosen = parser.parse_args(arguments)

    from locomote.bench.report import report  # here, so that --help starts fast

    report(chosen.parts, chosen.models, chosen.rounds, chosen.json, cpp, chosen.systems)
    return 0
