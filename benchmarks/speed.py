"""All comparisons of `locomote bench`, with Pinocchio's C++ timed without Python where it can be built.

python benchmarks/speed.py [--rounds 30] [--parts pinocchio python mujoco scaling] [--json]
"""

import argparse

from pinocchio_loops import Loops

from locomote.bench.report import PARTS, main

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        cpp = Loops()
    except RuntimeError as reason:
        print(f"Pinocchio's C++ without Python: {reason}; using its Python calls where it has no batch call")
        cpp = None
    main(arguments.parts, arguments.rounds, arguments.json, cpp)
