"""A file that only grows, so that whatever happens to its writer, everything before the last record is whole.

HDF5 keeps its tables of contents in places all over the file: a process that is killed while they change leaves nothing that
opens. A run that goes on is therefore written as a journal, and becomes HDF5 when it is closed:

    one line of text             says what this is to whoever looks into it
    record, record, ...          each: mark, length of text, length of numbers, CRC of both; text (JSON); numbers

A record is there if its CRC is right. Reading stops before the first that is not: what was being written when the process
was killed, the power failed or the disk filled up.
"""

import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from locomote.simulation.files import sync
from locomote.simulation.plain import from_text, to_text

TITLE = b"locomote run that has not been closed: locomote.open_run reads it, and save() of what that gives makes HDF5 of it\n"
MARK = b"\x00rec"
HEAD = struct.Struct("<4sQQI")


@dataclass(frozen=True)
class Record:
    """One record: plain values, and arrays by name."""

    values: dict[str, Any]
    arrays: dict[str, np.ndarray]


def packed(values: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of a record."""
    exact = {name: as_stored(name, array) for name, array in arrays.items()}
    table = [[name, array.dtype.str, list(array.shape)] for name, array in exact.items()]
    text = to_text({"values": values, "arrays": table}, strict=False).encode()
    numbers = b"".join(array.tobytes() for array in exact.values())
    return HEAD.pack(MARK, len(text), len(numbers), zlib.crc32(numbers, zlib.crc32(text))) + text + numbers


def as_stored(name: str, value: Any) -> np.ndarray:
    """A number or an array of numbers with the lowest byte first, as files have it; a ValueError for anything else."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name!r} must be numbers, not {type(value).__name__}: {value!r:.60}")
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def records(stream: BinaryIO) -> tuple[list[Record], int]:
    """All whole records of a journal, and where the last of them ends."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(len(TITLE))
    found, end = [], len(TITLE)
    while len(head := stream.read(HEAD.size)) == HEAD.size:
        mark, of_text, of_numbers, crc = HEAD.unpack(head)
        if mark != MARK or end + HEAD.size + of_text + of_numbers > size:
            break
        text, numbers = stream.read(of_text), stream.read(of_numbers)
        if len(numbers) != of_numbers or zlib.crc32(numbers, zlib.crc32(text)) != crc:
            break
        found.append(_unpacked(text, numbers))
        end += HEAD.size + of_text + of_numbers
    return found, end


def _unpacked(text: bytes, numbers: bytes) -> Record:
    content, arrays, start = from_text(text.decode()), {}, 0
    for name, dtype, shape in content["arrays"]:
        count = int(np.prod(shape, dtype=int))
        arrays[name] = np.frombuffer(numbers, np.dtype(dtype), count, start).reshape(shape)
        start += arrays[name].nbytes
    return Record(content["values"], arrays)


class Journal:
    """A journal that is being written. `end` is where its last whole record ends."""

    def __init__(self, path):
        self._stream = open(path, "r+b", buffering=0)
        self.end = self._stream.seek(0, os.SEEK_END)

    def append(self, record: bytes) -> None:
        """Add a record and have it on the disk. If that fails, the journal is as before."""
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
        self.end += len(record)

    def records(self) -> list[Record]:
        """Everything written so far."""
        return records(self._stream)[0]

    def close(self) -> None:
        self._stream.close()
