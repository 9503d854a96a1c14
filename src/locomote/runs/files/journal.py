"""A file that only grows, so that whatever happens to its writer, everything before the last record is whole.

HDF5 keeps its tables of contents in places all over the file: a process that is killed while they change leaves nothing that
opens. A run that goes on is therefore written as a journal, and becomes HDF5 when it is closed:

    one line of text             says what this file is
    record, record, ...          each: mark, length of text, length of numbers, CRC of both; text (JSON); numbers

A record is there if its CRC is right, which goes on from that of the record before: none can be missing, doubled or out of
its place. Reading stops before the first that is not: what was being written when the process was killed, the power failed
or the disk filled up.
"""

import math
import os
import struct
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from locomote.runs.files.files import sync
from locomote.runs.files.plain import from_text, to_text

TITLE = b"locomote run that has not been closed: locomote.open_run reads it, and save() of what that gives makes HDF5 of it\n"
MARK = b"\x00rec"
HEAD = struct.Struct("<4sQQI")
KINDS = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1")


@dataclass(frozen=True)
class Record:
    """One record: plain values, and arrays by name."""

    values: dict[str, Any]
    arrays: dict[str, np.ndarray]


def packed(values: Mapping[str, Any], arrays: Mapping[str, np.ndarray], *, after: bytes = b"") -> bytes:
    """The bytes of a record that follows another."""
    exact = {name: as_stored(name, array) for name, array in arrays.items()}
    table = [[name, array.dtype.str, list(array.shape)] for name, array in exact.items()]
    text = to_text({"values": values, "arrays": table}, strict=False).encode()
    numbers = b"".join(array.tobytes() for array in exact.values())
    return HEAD.pack(MARK, len(text), len(numbers), crc_of(text, numbers, crc_in(after))) + text + numbers


def crc_of(text: bytes, numbers: bytes, before: int) -> int:
    """The CRC of a record, which goes on from that of the record before."""
    return zlib.crc32(numbers, zlib.crc32(text, before))


def crc_in(record: bytes) -> int:
    """The CRC that a record carries; 0 if there is none."""
    return HEAD.unpack_from(record)[3] if record else 0


def as_stored(name: str, value: Any) -> np.ndarray:
    """A number or an array of numbers with the lowest byte first, as files have it; a ValueError for anything else.

    True and False are 1 and 0.
    """
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ValueError(f"{name!r} must be numbers, not {type(value).__name__}: {value!r:.60}")
    kind = np.dtype(np.uint8) if array.dtype.kind == "b" else array.dtype.newbyteorder("<")
    return np.asarray(array, dtype=np.float32 if kind.str == "<f2" else kind, order="C")


def records(stream: BinaryIO) -> tuple[list[Record], int]:
    """All whole records of a journal, and where the last of them ends; a ValueError for a whole one that says nonsense."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(len(TITLE))
    found, end, before = [], len(TITLE), 0
    while len(head := stream.read(HEAD.size)) == HEAD.size:
        mark, of_text, of_numbers, crc = HEAD.unpack(head)
        if mark != MARK or end + HEAD.size + of_text + of_numbers > size:
            break
        text, numbers = stream.read(of_text), stream.read(of_numbers)
        if len(numbers) != of_numbers or crc_of(text, numbers, before) != crc:
            break
        found.append(_unpacked(text, numbers))
        end, before = end + HEAD.size + of_text + of_numbers, crc
    return found, end


def _unpacked(text: bytes, numbers: bytes) -> Record:
    content = from_text(text.decode())
    if not isinstance(content, dict) or not isinstance(content.get("values"), dict):
        raise ValueError("a record does not say what it holds")
    arrays: dict[str, np.ndarray] = {}
    start = 0
    for name, kind, shape in _table(content.get("arrays")):
        count = math.prod(shape)
        if count * np.dtype(kind).itemsize > len(numbers) - start:
            raise ValueError(f"{name!r:.60} is larger than its record")
        found = np.frombuffer(numbers, kind, count, start)
        if sys.byteorder == "little":  # what compiled code takes as it is
            found = found.view(np.dtype(kind).newbyteorder("="))
        arrays[name] = found.reshape(shape)
        start += arrays[name].nbytes
    if start != len(numbers):
        raise ValueError("a record has numbers that belong to nothing")
    return Record(content["values"], arrays)


def _table(listed: Any) -> list:
    """The list of arrays of a record: names, kinds and shapes of plain numbers."""
    if not isinstance(listed, list):
        raise ValueError("a record does not list its arrays")
    for entry in listed:
        name, kind, shape = entry if isinstance(entry, list) and len(entry) == 3 else (None, None, None)
        sizes = isinstance(shape, list) and len(shape) <= 4 and all(type(n) is int and 0 <= n < 2**62 for n in shape)
        if not isinstance(name, str) or kind not in KINDS or not sizes:
            raise ValueError(f"a record lists {entry!r:.60}, which is no array")
    return listed


class Journal:
    """A journal that is being written. `last` is its last whole record, which ends at `end`; `path` its name.

    It is locked for as long as it is open, so that no other process takes its place.
    """

    def __init__(self, path, descriptor: int, last: bytes):
        self.path, self._stream = path, open(descriptor, "r+b", buffering=0)
        self.end, self.last = self._stream.seek(0, os.SEEK_END), last[: HEAD.size]

    def check_place(self) -> None:
        """An OSError if another file has taken the place of this one; if there is none any more, closing makes it again."""
        with suppress(FileNotFoundError):
            if not os.path.samestat(os.stat(self.path), os.fstat(self._stream.fileno())):
                raise OSError(None, "another file has taken its place since the run began")

    def append(self, record: bytes) -> None:
        """Add a record and have it on the disk. If that fails, the journal is as before."""
        self.check_place()
        try:
            view, at = memoryview(record), self.end
            while view:
                self._stream.seek(at)
                written = self._stream.write(view)
                view, at = view[written:], at + written
            sync(self._stream.fileno())
        except BaseException:
            self._stream.truncate(self.end)
            raise
        self.end, self.last = self.end + len(record), record[: HEAD.size]

    def records(self) -> list[Record]:
        """Everything written so far."""
        return records(self._stream)[0]

    def close(self) -> None:
        self._stream.close()
