"""A closed run as an HDF5 file that any program can read.

/                 attributes: format, version
t, q, v, ...      one dataset an array of the run, one row a sample
work/drives, ...  work by source
labels/q, ...     (columns, 2) name and unit of each column of q, v, a, tau, reactions
state/...         what is needed to go on
header, info, events      JSON: mechanism and problem; how it was computed; what happened
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from locomote.simulation.files import RunFileError, whole_file
from locomote.simulation.journal import as_stored
from locomote.simulation.plain import from_text, to_text

FORMAT = "locomote run"
VERSION = 1
MAGIC = b"\x89HDF\r\n\x1a\n"
TEXTS = ("header", "info", "events")
STATE = "state/"
GROUPS = ("state", "labels")


@dataclass
class Stored:
    """A run as files have it: plain values and arrays by name."""

    header: dict[str, Any]
    info: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    state: dict[str, Any] | None = None


def refuse_newer(path, version: Any) -> None:
    """A file of a later format cannot be read."""
    if not isinstance(version, int | np.integer) or version > VERSION or version < 1:
        sentence = (
            f"a run file of format {version}, and this locomote reads formats up to {VERSION}; update locomote to read it"
        )
        raise RunFileError(path, sentence)


class Forgiving(io.RawIOBase):
    """A stream that takes everything. A write that the system refuses is kept in `fault`, since HDF5 cannot close a file
    that it cannot write, and then neither the process."""

    def __init__(self, stream: BinaryIO):
        self.stream, self.fault = stream, None

    def _tried(self, action, otherwise):
        if self.fault is None:
            try:
                return action()
            except OSError as error:
                self.fault = error
        return otherwise

    def write(self, data):
        return self._tried(lambda: self.stream.write(data), len(data))

    def truncate(self, size=None):
        return self._tried(lambda: self.stream.truncate(size), size)

    def flush(self):
        if not self.closed:
            self._tried(self.stream.flush, None)

    def readinto(self, buffer):
        return self.stream.readinto(buffer)  # type: ignore[attr-defined]

    def seek(self, offset, whence=0):
        return self._tried(lambda: self.stream.seek(offset, whence), offset)

    def tell(self):
        return self.stream.tell()

    def seekable(self):
        return True


def write(path, stored: Stored, labels: Mapping[str, list[tuple[str, str]]]) -> None:
    """Write a whole run; the file at `path` is replaced when the new one is complete."""
    import h5py

    with whole_file(path) as stream:
        guarded = Forgiving(stream)
        try:
            with h5py.File(guarded, "w", track_order=True) as file:
                file.attrs["format"], file.attrs["version"] = FORMAT, VERSION
                groups = {name: file.create_group(name, track_order=True) for name in ("work", *GROUPS)}
                for name in TEXTS:
                    file[name] = to_text(getattr(stored, name), strict=False)
                for name, array in stored.arrays.items():
                    file[name] = as_stored(name, array)
                for name, value in (stored.state or {}).items():
                    groups["state"][name] = as_stored(name, value)
                for name, columns in labels.items():
                    table = np.array(columns, dtype=object).reshape(len(columns), 2)
                    groups["labels"].create_dataset(name, data=table, dtype=h5py.string_dtype())
        except Exception:
            if guarded.fault is None:
                raise
        if guarded.fault is not None:
            raise guarded.fault


def read(path, stream: BinaryIO) -> Stored:
    """The run in an open HDF5 file."""
    import h5py

    try:
        with h5py.File(stream, "r") as file:
            if file.attrs.get("format") != FORMAT:
                raise RunFileError(path, "an HDF5 file, but not a run of locomote")
            refuse_newer(path, file.attrs.get("version"))
            found = datasets(file)
            texts = {name: from_text(found[name].decode()) for name in TEXTS}
            arrays = {name: array for name, array in found.items() if name not in TEXTS and name.split("/")[0] not in GROUPS}
            state = {name.removeprefix(STATE): scalar(x) for name, x in found.items() if name.startswith(STATE)} or None
    except (OSError, KeyError, ValueError, RuntimeError, TypeError, AttributeError) as error:
        raise RunFileError(path, f"the file is damaged and cannot be read ({error!s:.100})") from error
    return Stored(**texts, arrays=arrays, state=state)


def datasets(group, prefix: str = "") -> dict[str, Any]:
    """Every dataset under a group of an HDF5 file by its path, in the order in which they were written."""
    import h5py

    found: dict[str, Any] = {}
    for name, item in group.items():
        found |= datasets(item, f"{prefix}{name}/") if isinstance(item, h5py.Group) else {f"{prefix}{name}": item[()]}
    return found


def scalar(value):
    """Numbers come back as numbers, arrays as arrays."""
    return value.item() if np.ndim(value) == 0 else value
