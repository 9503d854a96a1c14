"""Texts of a release fit each other: version, citation, changelog, recipe of conda."""

import importlib.util
import tomllib

from places import ROOT

spec = importlib.util.spec_from_file_location("release", ROOT / "packaging" / "release.py")
assert spec is not None and spec.loader is not None
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_versions_and_dependencies_are_the_same_everywhere():
    assert release.faults_of_texts(PROJECT) == []


def test_what_differs_is_found():
    wrong = release.faults_of_texts(PROJECT | {"version": "9.9", "dependencies": [*PROJECT["dependencies"], "fishing>=1"]})
    assert len(wrong) == 3 and "the conda recipe lacks fishing>=1" in wrong
