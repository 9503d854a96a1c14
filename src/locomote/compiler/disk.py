"""Compiled code on disk: pieces of bytes by name, in a folder that only this user can write to.

What is loaded is run, so a folder or file that another user owns, or could have changed, is not used. A piece has
one line of JSON before it, with a checksum: a damaged one is not there either. It appears as a whole or not at all, so that
processes side by side may share the folder.
"""

import hashlib
import json
import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any


def cache_folder() -> Path:
    """Where compiled code is kept: LOCOMOTE_CACHE_DIR, or the user's cache folder."""
    if chosen := os.environ.get("LOCOMOTE_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "locomote"


def is_own(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and no other can write to it; where there are no users, always."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def own_folder(folder: Path) -> bool:
    """Make a folder, and those above it, for this user alone; False if it cannot be, or is not, the user's own."""
    try:
        if not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        return is_own(os.stat(folder))
    except OSError:
        return False


def load(path: Path, *, trusted: bool = False) -> tuple[dict[str, Any], bytes] | None:
    """Facts and bytes of a piece; None if it is not there, damaged, or, unless its place is trusted, not the user's own."""
    try:
        if not trusted and not is_own(os.stat(path.parent)):
            return None
        with path.open("rb") as file:
            if not trusted and not is_own(os.fstat(file.fileno())):
                return None
            head, _, piece = file.read().partition(b"\n")
        facts = json.loads(head)
        if facts.pop("checksum") != checksum(facts, piece):
            return None
        return facts, piece
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def save(path: Path, facts: dict[str, Any], piece: bytes) -> bool:
    """Put a piece into a file, at once; False if there is no room or right to: that costs the next process its time."""
    if not own_folder(path.parent.parent) or not own_folder(path.parent):
        return False
    head = json.dumps(facts | {"checksum": checksum(facts, piece)}).encode()
    draft = None
    try:
        descriptor, draft = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(head + b"\n" + piece)
        os.replace(draft, path)
        return True
    except OSError:
        if draft is not None:
            with suppress(OSError):
                os.unlink(draft)
        return False


def checksum(facts: dict[str, Any], piece: bytes) -> str:
    """Over the piece and all that is said of it."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode() + b"\n" + piece).hexdigest()
