"""Files of runs: written as all files are, with an error of their own."""

from functools import partial

from locomote import files
from locomote.errors import FileError
from locomote.files import is_locked, lock, opened, reason, sync

__all__ = ["RunFileError", "lock", "opened", "reason", "refuse_busy", "sync", "whole_file"]


class RunFileError(FileError):
    """A run file cannot be written or read. `path` says which."""


whole_file = partial(files.whole_file, error=RunFileError)


def refuse_busy(path) -> None:
    """A RunFileError if a run is being written to a file."""
    if is_locked(path):
        raise RunFileError(path, "a run is being written to this file; wait until that has ended, or name another file")
