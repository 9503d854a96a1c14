"""What is said while kernels are compiled."""

import os
import threading

import pytest

from locomote.compiler import notice


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(notice, "PATIENCE", 0.02)
    monkeypatch.setitem(notice._state, "told", False)
    monkeypatch.delenv("LOCOMOTE_QUIET", raising=False)


def slow(name):
    """Something that lasts until the word is said; without a word, a while."""
    said, tell = threading.Event(), notice.tell
    notice.tell = lambda *given: (tell(*given), said.set())
    try:
        with notice.while_compiling(name):
            said.wait(0.1 if os.environ.get("LOCOMOTE_QUIET") else 120)
    finally:
        notice.tell = tell


def test_what_takes_long_is_named_and_explained_once(impatient, capfd):
    slow("advance")
    slow("rows_one")
    out, (first, second) = (lambda c: (c.out, c.err.splitlines()))(capfd.readouterr())
    assert not out and second == "locomote: compiling rows_one ..."
    assert first.startswith("locomote: compiling advance ... (once") and "LOCOMOTE_QUIET=1" in first


def test_what_is_quick_is_not_said(capfd, monkeypatch):
    monkeypatch.setattr(notice, "PATIENCE", 30.0)
    with notice.while_compiling("advance"):
        pass
    assert capfd.readouterr().err == ""


def test_it_can_be_switched_off(impatient, capfd, monkeypatch):
    monkeypatch.setenv("LOCOMOTE_QUIET", "1")
    slow("advance")
    assert capfd.readouterr().err == ""


def test_nothing_is_said_of_what_failed_early(impatient, capfd, monkeypatch):
    """Nobody waits any more to say it."""
    monkeypatch.setattr(notice, "PATIENCE", 1000.0)
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), notice.while_compiling("advance"):
        1 / 0
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(60)
    assert threading.active_count() <= before and capfd.readouterr().err == ""
