"""Files of runs: written as all files are, with an error of their own."""

from functools import partial

from locomote import files
from locomote.errors import FileError
from locomote.files import opened, reason, sync

__all__ = ["RunFileError", "opened", "reason", "sync", "whole_file"]


class RunFileError(FileError):
    """A run file cannot be written or read. `path` says which."""


whole_file = partial(files.whole_file, error=RunFileError)
