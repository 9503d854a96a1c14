"""Which lines of the package run with the compiler off, kernels among them: `make coverage` prints the figure and worst files.

Interpreted kernels are slow, so that what is run is short: every kind of problem of the crossings for a few steps, every method
on two of them, and tests of what needs little arithmetic, each with its first parameters only.

    python tests/helpers/uncovered.py          all of it, in two processes, and the report
    python tests/helpers/uncovered.py walk N   one half of the walk
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from places import HELPERS, ROOT

PACKAGE = ROOT / "src" / "locomote"
LEAST = 58.0  # percent of lines
WORST = 20  # files that are printed
SLOW = "test_ten_thousand_feasible_programs"
LONG_RUNS = (
    "contracts/gaits/test_gaits.py::test_a_snakeboard_goes_by_runs",
    "contracts/gaits/test_gaits.py::test_purcells_swimmer_is_as_good_as_published_strokes",
    "contracts/gaits/test_rhythms.py::test_drives_of_a_rhythm_are_drives_like_any",
    "laws/gaits/test_efficiency.py::test_efficiencies_are_those_of_runs",
    "laws/gaits/test_following.py::test_a_swimmer_keeps_to_a_path_after_a_push",
    "laws/gaits/test_from_data.py::test_runs_are_records",
    "laws/gaits/test_net_motion.py::test_net_motion_is_that_of_a_run",
    "laws/gaits/test_orbits.py",
    "laws/gaits/test_orbits_over_contacts.py",
    "laws/gaits/test_oscillators.py::test_a_body_draws_its_oscillator_to_itself",
    "laws/gaits/test_reach.py::test_a_swimmer_goes_where_it_is_sent",
    "laws/gaits/test_timing.py::test_forces_stay_within_their_limits",
    "laws/gaits/test_torques.py",
)
# with the compiler off there are no dual numbers: derivatives of flexible models, and what linearises them, refuse to work
TESTS = (
    "laws/spatial laws/linear laws/geometry/test_surfaces.py laws/drives laws/denoc laws/model laws/qp "
    "--ignore=tests/laws/model/flexible --deselect=tests/laws/qp/test_quadratic_programs.py::" + SLOW,
    "laws/dynamics contracts/formats contracts/model contracts/locomotion/test_problem_inputs.py "
    "contracts/view/test_view_meshes.py --ignore=tests/contracts/model/flexible "
    "--ignore=tests/contracts/formats/test_hostile_files.py",
    "laws/symbolic contracts/sweeps peers/test_mujoco_scenes.py laws/identification laws/gradients/test_sensitivity.py",
    "contracts/gaits laws/gaits " + " ".join(f"--deselect=tests/{name}" for name in LONG_RUNS),
)
LENGTH = 4e-3  # s of a run: four steps over contacts
TWO = ("arm", "free rod")  # kinds that every method steps


def pytest_collection_modifyitems(config, items):
    """As a plugin of pytest: the first parameters of every test alone."""
    first = {}
    for item in items:
        first.setdefault(item.nodeid.split("[")[0], item)
    items[:] = first.values()


def walk(part: int) -> None:
    """Every second kind of problem: one instant, its derivatives, a few steps, and a look at them."""
    sys.path.insert(0, str(HELPERS / "crossings"))
    from crossing_cases import rows

    from locomote.methods.choice import METHODS

    single = [case for case in rows().values() if len(case.acts) < 2]
    for case in single[part::2]:
        ways = [{}, *({"method": name} for name in METHODS if case.title in TWO)]
        q, v = case.start
        for ask in (case.problem.evaluate, case.problem.derivatives):
            with contextlib.suppress(ValueError, RuntimeError):  # what a kind refuses, and says why
                ask(0.0, q, v)
        for way in ways:
            with contextlib.suppress(ValueError, RuntimeError):
                run = case.simulate(duration=LENGTH, **way)
                if run.audit.ok and not run.model.flexible:  # the summary of rods looks at finer ones, which takes minutes here
                    run.summary()


def report(data: Path) -> float:
    """Print the worst files and the figure."""
    import coverage

    seen = coverage.Coverage(data_file=str(data), config_file=False)
    seen.load()
    rows, all_lines, all_missing = [], 0, 0
    for path in sorted(PACKAGE.rglob("*.py")):
        _, lines, _, missing, _ = seen.analysis2(str(path))
        all_lines, all_missing = all_lines + len(lines), all_missing + len(missing)
        rows.append((len(missing), len(lines), path.relative_to(PACKAGE).as_posix()))
    print("lines not run with the compiler off, by file:")
    for missing, lines, name in sorted(rows, reverse=True)[:WORST]:
        print(f"  {missing:5d} of {lines:5d}  {name}")
    figure = 100.0 * (1.0 - all_missing / all_lines)
    print(f"coverage with the compiler off: {figure:.1f} % of {all_lines} lines (at least {LEAST:g} %)")
    return figure


def main() -> int:
    folder = Path(tempfile.mkdtemp())
    path = os.pathsep.join([str(PACKAGE.parent), str(HELPERS), os.environ.get("PYTHONPATH", "")])
    place = {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path, "COVERAGE_FILE": str(folder / "lines")}
    measured = [sys.executable, "-m", "coverage", "run", "--parallel-mode", f"--source={PACKAGE}"]
    tests = ["-m", "pytest", "-q", "-p", "uncovered", "-p", "no:cacheprovider"]
    some = [[x if x.startswith("-") else f"tests/{x}" for x in names.split()] for names in TESTS]
    parts = [[__file__, "walk", "0"], [__file__, "walk", "1"], *([*tests, *names] for names in some)]

    def ends_well(words):
        return subprocess.run([*measured, *words], cwd=ROOT, env=os.environ | place).returncode == 0

    with ThreadPoolExecutor(2) as two:
        failed = [words for words, well in zip(parts, two.map(ends_well, parts), strict=True) if not well]
    subprocess.run([sys.executable, "-m", "coverage", "combine", "-q", str(folder)], env=os.environ | place, check=True)
    figure = report(folder / "lines")
    for words in failed:  # the figure decides; whether numbers are right is for tests with the compiler
        print("ended with failures:", *words)
    return int(figure < LEAST)


if __name__ == "__main__":
    sys.exit(walk(int(sys.argv[2])) if sys.argv[1:2] == ["walk"] else main())
