"""Writing a file so that it is there as a whole or not at all, with a sentence for everything that can go wrong."""

import errno
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from locomote.errors import FileError

REASONS = {
    errno.ENOSPC: "the disk is full; free some space or write elsewhere",
    errno.EDQUOT: "your share of the disk is full; free some space or write elsewhere",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.EACCES: "you may not write there; choose another folder or change its permissions",
    errno.EPERM: "you may not write there; choose another folder or change its permissions",
    errno.EROFS: "that disk can only be read; choose another folder",
    errno.ENOENT: "its folder does not exist; make it first",
    errno.ENOTDIR: "its folder is not a folder",
    errno.EISDIR: "it is a folder; give the name of a file in it",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EIO: "the disk reports an error",
}
DRAFT = ".draft"


def reason(error: OSError) -> str:
    """Why the system refused, in words, and what to do."""
    return REASONS.get(error.errno or 0, error.strerror or str(error))


def checked_path(path, error: type[FileError] = FileError) -> Path:
    """Where to write, links followed; an error if that is a folder or not a path."""
    try:
        target = Path(os.path.realpath(os.fspath(path)))
    except (TypeError, ValueError):  # NUL in the name
        raise error(repr(path), "this is not the path of a file") from None
    if os.path.isdir(target):
        raise error(path, f"cannot be written: {REASONS[errno.EISDIR]}")
    return target


def sync(descriptor: int) -> None:
    """Have everything written so far on the disk itself; some folders of networks cannot, and need not."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
            raise


def sync_folder(folder: Path) -> None:
    """Have a renaming in a folder on the disk itself, where the system offers that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_orphans(folder: Path, prefix: str) -> None:
    """Remove what killed processes of this machine left of a file that they were writing."""
    if os.name != "posix":
        return
    with suppress(OSError):
        for entry in folder.iterdir():
            process = entry.name.removeprefix(prefix).removesuffix(DRAFT)
            if entry.name == f"{prefix}{process}{DRAFT}" and process.isdecimal() and not is_alive(int(process)):
                entry.unlink(missing_ok=True)


def is_alive(process: int) -> bool:
    """Whether a process of this machine is still there."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it belongs to somebody else
        return True
    return True


@contextmanager
def whole_file(path, error: type[FileError] = FileError) -> Iterator[BinaryIO]:
    """A new file to write to, which takes the place of `path` when the block ends without an error, and never before."""
    target = checked_path(path, error)
    prefix = f".{target.name}.{platform.node()}-"
    remove_orphans(target.parent, prefix)
    draft = target.with_name(f"{prefix}{os.getpid()}{DRAFT}")
    try:
        stream = draft.open("w+b")
        try:
            with stream:
                yield stream
                stream.flush()
                sync(stream.fileno())
            os.replace(draft, target)
            sync_folder(target.parent)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as fault:
        raise error(path, f"cannot be written: {reason(fault)}") from fault
