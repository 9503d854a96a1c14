"""All comparisons of `locomote bench`, with Pinocchio's C++ timed without Python where it can be built.

python benchmarks/speed.py [--help]
"""

import sys

from pinocchio_loops import Loops

from locomote.bench import main

if __name__ == "__main__":
    try:
        cpp = Loops()
    except RuntimeError as reason:
        print(f"Pinocchio's C++ without Python: {reason}; using its Python calls where it has no batch call", file=sys.stderr)
        cpp = None
    sys.exit(main(sys.argv[1:], cpp))
