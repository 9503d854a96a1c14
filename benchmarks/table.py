"""The tables of docs/benchmarks.md, from the plain data of a run.

python benchmarks/speed.py --json | python benchmarks/table.py
"""

import json
import sys

TITLES = {
    "pinocchio": "One state at a time, and batches on lanes (packing included), against Pinocchio's C++; microseconds a state",
    "python": "One call from Python; microseconds",
    "specialised": "Functions specialised to one model, in a batch of 4096 states (both write all results to memory), what "
    "writing zeros to that memory takes, and in blocks of 64; operations, share of the peak of the core, two threads against "
    "one, seconds to compile and to load again",
    "rollouts": "Simulated seconds a second of 4096 rollouts in steps of 1 ms, beside `mujoco.rollout`, one thread each",
    "systems": "Systems of the catalogue: microseconds of an evaluation, and simulated seconds a second with Runge-Kutta 4 at "
    "1 ms and with the adaptive method at its default tolerances",
    "mujoco": "One state at a time against MuJoCo, contacts off; microseconds a state",
}


def cell(key: str, value) -> str:
    """A number to three digits, a ratio with its sign."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" + ("x" if key.endswith("ratio") else "")


def table(rows: list[dict]) -> str:
    """Rows of equal keys as a Markdown table."""
    keys = list(rows[0])
    lines = ["| " + " | ".join(key.replace("_", " ") for key in keys) + " |", "|" + "---|" * len(keys)]
    lines += ["| " + " | ".join(cell(key, row[key]) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    result = json.load(sys.stdin)
    print(f"Measured on: {result['machine']}; best of {result['rounds']} rounds.\n")
    for part, title in TITLES.items():
        if part in result:
            print(f"{title}:\n\n{table(result[part])}\n")
    if "scaling" in result:
        slopes = ", ".join(f"{key} {value:.2f}" for key, value in result["scaling"]["slopes"].items())
        print(f"Chains by number of links, one evaluation:\n\n{table(result['scaling']['rows'])}\n\nExponents: {slopes}.")
