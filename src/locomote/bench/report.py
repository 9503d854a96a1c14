"""Runs the comparisons and prints them."""

import json
import platform

import llvmlite.binding as llvm
from rich.console import Console
from rich.table import Table

from locomote.bench.compare import compare_python_calls, compare_with_mujoco, compare_with_pinocchio, has
from locomote.bench.models import measured_models
from locomote.bench.rollouts import measure_rollouts
from locomote.bench.scaling import scaling
from locomote.bench.specialised import compare_specialised
from locomote.bench.systems import measure_systems
from locomote.compiler.lanes import WIDTH
from locomote.errors import UnknownName

NEEDS = {
    "pinocchio": ("pinocchio", "pip install pin example-robot-data"),
    "python": ("pinocchio", "pip install pin example-robot-data"),
    "mujoco": ("mujoco", "pip install mujoco"),
    "specialised": ("pinocchio", "pip install pin example-robot-data"),
    "rollouts": ("mujoco", "pip install mujoco"),
}


def run(parts, names=None, rounds: int = 30, cpp=None, console: Console | None = None, systems=None) -> dict:
    """All chosen parts as plain data, printed on the way if there is a console."""
    say = console.print if console else lambda *args: None
    machine = f"{llvm.get_host_cpu_name()}, {WIDTH} lanes, one core, Python {platform.python_version()}"
    say(f"[bold]locomote bench[/]: {machine}; best of {rounds} rounds, sides in turn")
    models = measured_models()
    for name in names or ():
        if name not in models:
            raise UnknownName("model", name, models, "the benchmark")
    models = {name: model for name, model in models.items() if not names or name in names}
    result: dict = {"machine": machine, "rounds": rounds}
    for part in parts:
        package, install = NEEDS.get(part, (None, ""))
        if package and not has(package):
            say(f"[yellow]{part}: left out, {package} is not installed; {install}[/]")
        elif part in ("systems", "rollouts"):
            result[part] = measure_systems(systems, rounds) if part == "systems" else measure_rollouts(rounds)
            _print_rows(part, result[part], say, cpp)
        elif part == "scaling":
            result[part] = scaling(max(5, rounds // 3))
            _print_scaling(result[part], say)
        else:
            compare = {
                "pinocchio": lambda m: compare_with_pinocchio(m, rounds, cpp),
                "python": lambda m: compare_python_calls(m, rounds),
                "mujoco": lambda m: compare_with_mujoco(m, rounds),
                "specialised": lambda m: compare_specialised(m, rounds, cpp),
            }[part]
            result[part] = []
            for model in models.values():
                result[part] += compare(model)
            _print_rows(part, result[part], say, cpp)
    return result


def _print_rows(part: str, rows: list[dict], say, cpp) -> None:
    titles = {
        "pinocchio": "microseconds a state; Pinocchio: "
        + ("its C++ in a loop" if cpp else "one-thread batch call, or calls from Python"),
        "python": "microseconds a call from Python",
        "mujoco": "microseconds a state; MuJoCo: mj_inverse and mj_forward, contacts off",
        "specialised": "specialised functions: microseconds a state in a batch of 4096 and in blocks of 64",
        "rollouts": "simulated seconds a second of 4096 rollouts; MuJoCo: mujoco.rollout, one thread",
        "systems": "systems of the catalogue: microseconds an evaluation, simulated seconds a second",
    }
    table = Table(title=titles[part])
    for key in rows[0]:
        table.add_column(key.replace("_", " "), justify="left" if key in ("model", "function", "system", "method") else "right")
    for row in rows:
        table.add_row(
            *(f"{x:.3g}" + ("x" if key.endswith("ratio") else "") if isinstance(x, float) else x for key, x in row.items())
        )
    say(table)


def _print_scaling(result: dict, say) -> None:
    table = Table(title="chains: cost and memory of one evaluation")
    for key in ("links", "inverse us", "forward us", "kB"):
        table.add_column(key, justify="right")
    for row in result["rows"]:
        table.add_row(str(row["links"]), f"{row['inverse_us']:.2f}", f"{row['forward_us']:.2f}", f"{row['bytes'] / 1e3:.0f}")
    say(table)
    say("exponents: " + ", ".join(f"{key} {value:.3f}" for key, value in result["slopes"].items()))


def report(parts, names, rounds: int, as_json: bool, cpp=None, systems=None) -> None:
    """Run and print, as tables or as plain data."""
    result = run(parts, names, rounds, cpp, None if as_json else Console(), systems)
    if as_json:
        print(json.dumps(result, indent=1))
