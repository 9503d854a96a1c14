"""docs/inside: files that pages name exist; a run passes through those that data-paths.md lists, and as many as it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from places import DOCS

import locomote

PACKAGE = Path(locomote.__file__).resolve().parent
PAGE = (DOCS / "inside" / "data-paths.md").read_text()
FILES = [
    file for page in sorted((DOCS / "inside").glob("*.md")) for file in re.findall(r"`(\w+/[\w/]+\.py)`", page.read_text())
]

# without a compiler every function is a Python function, which a profiler sees
PROGRAM = """
import json, os, sys
import locomote as lo
root, seen = os.path.dirname(lo.__file__), set()
def note(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(root) and frame.f_code.co_name != "<module>":
        seen.add(os.path.relpath(frame.f_code.co_filename, root).replace(os.sep, "/"))
system = lo.systems.load("snakeboard")
q, v = system.initial
system.problem().simulate(2e-3, q=q, v=v, every=1e-3, progress=False)  # imports what it needs
problem = system.problem()
sys.setprofile(note)
run = problem.simulate(2e-3, q=q, v=v, every=1e-3, progress=False)
sys.setprofile(None)
print(json.dumps(sorted(seen)))
"""


@pytest.mark.parametrize("file", sorted(file for file in set(FILES) if not file.startswith(("tests/", "benchmarks/"))))
def test_files_exist(file):
    assert (PACKAGE / file).is_file()


def test_a_run_passes_through_these_files():
    settings = {"PYTHONPATH": str(PACKAGE.parent), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=os.environ | settings)
    assert done.returncode == 0, done.stderr
    passed = set(json.loads(done.stdout))
    steps = PAGE[PAGE.index("## A run") : PAGE.index("A run of the snakeboard")]
    made = ("locomotion/statement.py", "locomotion/parts.py", "locomotion/pieces.py")  # when the problem is
    first = ("runs/audit/audit.py", *made)  # the audit is later
    assert not set(re.findall(r"`(\w+/[\w/]+\.py)`", steps)) - passed - set(first)
    said = int(re.search(r"passes through (\d+) files", PAGE)[1])
    assert said - 6 <= len(passed) <= said, sorted(passed)
