"""The table of docs/damage.md: the deep audit sees damage to every column of every kind of run."""

import re
import sys

import pytest
from places import DOCS

sys.path.insert(0, str(DOCS))
import make_damage


@pytest.mark.parametrize("kind", make_damage.KINDS)
def test_no_column_is_damaged_unseen(kind):
    run = make_damage.run_of(kind, samples=30)
    assert run.audit.ok and run.audit.deep().ok, run.audit.deep()
    for column, damage, wrong in make_damage.damaged(run):
        if damage != "a sample late":
            assert not wrong.audit.deep().ok, (column, damage)


def test_the_table_says_so():
    rows = re.findall(r"\| (\d+) of (\d+) \| (\d+) of (\d+) \|$", (DOCS / "damage.md").read_text(), re.MULTILINE)
    assert len(rows) > 30 and all(deep == runs for _, _, deep, runs in rows)
