"""Folders that tests read, wherever a test stands."""

from pathlib import Path

HELPERS = Path(__file__).resolve().parent
ROOT = HELPERS.parents[1]
DATA = ROOT / "tests" / "published" / "data"
DOCS = ROOT / "docs"
