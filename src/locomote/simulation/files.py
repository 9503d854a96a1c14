"""Files of runs: written as all files are, with an error of their own."""

from functools import partial

from locomote import files
from locomote.errors import FileError
from locomote.files import reason, sync

__all__ = ["RunFileError", "reason", "sync", "whole_file"]


class RunFileError(FileError):
    """A run file cannot be written or read. `path` says which."""


whole_file = partial(files.whole_file, error=RunFileError)
