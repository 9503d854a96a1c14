"""Files: read only if they are plain files, written so that they are there as a whole or not at all, with a sentence for
everything that can go wrong."""

import errno
import os
import platform
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from locomote.errors import FileError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

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


def made_folder(folder: Path) -> str:
    """Make a folder for results, with those that it is in; "", or why it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return "it is a file" if folder.is_file() else reason(error)
    return ""


class NotPlain(OSError):
    """A pipe, a device, a socket: reading it may wait for ever, and writing does other things than to keep what was written."""

    def __init__(self, mode: int):
        kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
        super().__init__(errno.EINVAL, f"it is {kinds.get(stat.S_IFMT(mode), 'something else')}, not a file")


def opened(path) -> BinaryIO:
    """A file opened for reading; OSError as from `open`, and NotPlain at once for what is neither a file nor a folder."""
    check_plain(os.stat(path).st_mode)  # opening some devices does things already
    # without waiting for a writer, if what was a file has become a pipe since
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        check_plain(os.fstat(descriptor).st_mode)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def check_plain(mode: int) -> None:
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotPlain(mode)


def checked_path(path, error: type[FileError] = FileError) -> Path:
    """Where to write, links followed; an error if that is a folder or not a path."""
    try:
        target = Path(os.path.realpath(os.fspath(path)))
    except (TypeError, ValueError):  # NUL in the name
        raise error(repr(path), "this is not the path of a file") from None
    if os.path.isdir(target):
        raise error(path, f"cannot be written: {REASONS[errno.EISDIR]}")
    if os.path.exists(target) and not os.path.isfile(target):
        raise error(path, f"cannot be written: {NotPlain(os.stat(target).st_mode).strerror}; give the name of a file")
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


def lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; False if it is locked already. Where the system knows no locks, True."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def is_locked(path) -> bool:
    """Whether another process, or another part of this one, has locked a file."""
    try:
        with opened(path) as stream:
            return not lock(stream.fileno())
    except (OSError, TypeError, ValueError):  # there is none, or this is no path: opening it says so
        return False


def remove_orphans(folder: Path, prefix: str) -> None:
    """Remove what killed processes of this machine left of a file that they were writing."""
    if os.name != "posix":
        return
    with suppress(OSError):
        for entry in folder.iterdir():
            if entry.name.startswith(prefix) and entry.name.endswith(DRAFT):
                process = entry.name.removeprefix(prefix).removesuffix(DRAFT).partition(".")[0]
                if process.isdecimal() and not is_alive(int(process)):
                    entry.unlink(missing_ok=True)


def is_alive(process: int) -> bool:
    """Whether a process of this machine is still there."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it belongs to another user
        return True
    return True


def new_draft(target: Path, prefix: str) -> tuple[Path, BinaryIO]:
    """A new file beside `target` that no other process writes to."""
    for number in count():
        draft = target.with_name(f"{prefix}{os.getpid()}{f'.{number}' if number else ''}{DRAFT}")
        with suppress(FileExistsError):
            return draft, draft.open("x+b")
    raise AssertionError("numbers do not end")


@contextmanager
def whole_file(path, error: type[FileError] = FileError) -> Iterator[BinaryIO]:
    """A new file to write to, which takes the place of `path` when the block ends without an error, and never before.

    Who may read and write a file that was there may do so with the new one.
    """
    target = checked_path(path, error)
    prefix = f".{target.name}.{platform.node()}-"
    remove_orphans(target.parent, prefix)
    try:
        draft, stream = new_draft(target, prefix)
        try:
            with suppress(OSError):
                os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode) & 0o777 | 0o600)
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
