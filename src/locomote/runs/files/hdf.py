"""A closed run as an HDF5 file that any program can read.

/                 attributes: format, version, sha256
t, q, v, ...      one dataset an array of the run, one row a sample (all are listed in methods/recorded.py)
work/drives, ...  work by source; energies/..., loads/... of force terms
tracked/path, ... what was followed at every step and not only at samples
labels/q, ...     (columns, 2) name and unit of each column of q, v, a, tau, reactions
state/...         what is needed to go on
header, info, events      JSON: mechanism and problem; how it was computed; what happened

`sha256` is over names, kinds, shapes and bytes of all datasets, so that a damaged file is refused and never read as another
run; metadata and rows carry the checksums of HDF5 too, for programs that know nothing of this one. Before anything is read,
every dataset is looked at (hdf_contents.py): an untrusted file can ask for no other file, and for no more
memory than it is long.
"""

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from locomote.runs.files.files import RunFileError, whole_file
from locomote.runs.files.hdf_contents import GROUPS, TEXTS, attributes_of, datasets_of, read_array
from locomote.runs.files.journal import as_stored
from locomote.runs.files.plain import from_text, to_text
from locomote.runs.files.schema import check_all

FORMAT = "locomote run"
VERSION = 3
MAGIC = b"\x89HDF\r\n\x1a\n"
STATE, TRACKED, LABELS = "state/", "tracked/", "labels/"
CHUNK = 2**20  # bytes of the rows that have one checksum of HDF5
READABLE = ("v110", "v110")  # by every HDF5 since 2016; the first whose metadata has checksums throughout


@dataclass
class Stored:
    """A run as files have it: plain values and arrays by name."""

    header: dict[str, Any]
    info: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    state: dict[str, Any] | None = None
    tracked: dict[str, np.ndarray] | None = None


def refuse_other_version(path, version: Any) -> None:
    """Only files of this format are read."""
    if isinstance(version, np.integer):
        version = int(version)
    if type(version) is not int or version < 1:
        raise RunFileError(path, f"the file is damaged and cannot be read (its format is {version!r:.40})")
    if version > VERSION:
        sentence = f"a run file of format {version}, and this locomote reads format {VERSION}; update locomote to read it"
        raise RunFileError(path, sentence)
    if version < VERSION:
        sentence = f"a run file of format {version}, of a locomote before 0.1; run it again"
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

    def flush(self) -> None:
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

    arrays = {f"{LABELS}{name}": as_texts(np.array(columns, dtype=object)) for name, columns in labels.items()}
    texts = {name: to_text(getattr(stored, name), strict=False) for name in TEXTS}
    check_all(**{name: from_text(text) for name, text in texts.items()})
    arrays |= {name: as_texts(text) for name, text in texts.items()}
    arrays |= {name: as_stored(name, array) for name, array in stored.arrays.items()}
    for group, values in ((STATE, stored.state), (TRACKED, stored.tracked)):
        arrays |= {f"{group}{name}": as_stored(name, value) for name, value in (values or {}).items()}
    with whole_file(path) as stream:
        guarded = Forgiving(stream)
        try:
            with h5py.File(guarded, "w", track_order=True, libver=READABLE) as file:
                for name in GROUPS:
                    file.create_group(name, track_order=True)
                for name, array in arrays.items():
                    file.create_dataset(name, data=array, **checksums(array))
                for name, text in (("format", FORMAT), ("sha256", digest(arrays))):
                    file.attrs.create(name, as_texts(text))
                file.attrs["version"] = np.int64(VERSION)
        except Exception:
            if guarded.fault is None:
                raise
        if guarded.fault is not None:
            raise guarded.fault


def as_texts(texts) -> np.ndarray:
    """Texts (one, or an array of them with two columns) as bytes of one length, which HDF5 keeps in place."""
    import h5py

    encoded = np.array([text.encode(errors="replace") for text in np.ravel(np.array(texts, dtype=object))], dtype=object)
    length = max((len(text) for text in encoded), default=0)
    shape = () if isinstance(texts, str) else (len(texts), 2)
    return encoded.astype(h5py.string_dtype("utf-8", max(length, 1))).reshape(shape)


def checksums(array: np.ndarray) -> dict[str, Any]:
    """Options of a dataset whose rows HDF5 checks itself; single numbers and texts cannot have that."""
    if not array.size or not array.ndim:
        return {}
    parts = -(-array.nbytes // CHUNK)
    return {"chunks": (-(-len(array) // parts), *array.shape[1:]), "fletcher32": True}


def digest(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of arrays with their names, kinds and shapes; group by group, in the order in which they were written."""
    total = hashlib.sha256(f"{FORMAT} {VERSION}\n".encode())
    for name in sorted(arrays, key=lambda name: name.rpartition("/")[0]):
        array = np.ascontiguousarray(arrays[name])
        total.update(json.dumps([name, array.dtype.str, np.shape(arrays[name])]).encode() + b"\n")
        total.update(array.reshape(-1).view(np.uint8).data)
    return total.hexdigest()


def read(path, stream: BinaryIO) -> Stored:
    """The run in an open HDF5 file."""
    import h5py

    try:
        with h5py.File(stream, "r") as file:
            attributes = attributes_of(file)
            if attributes.get("format") != FORMAT.encode():
                raise RunFileError(path, "an HDF5 file, but not a run of locomote, or one of a version before 0.1")
            refuse_other_version(path, attributes.get("version"))
            datasets = datasets_of(file, size=stream.seek(0, io.SEEK_END))
            arrays = {name: read_array(dataset) for name, dataset in datasets.items()}
        if attributes.get("sha256") != digest(arrays).encode():
            raise RunFileError(path, "the file is damaged: it holds other numbers than were written (its SHA-256 is wrong)")
        texts = {name: from_text(arrays.pop(name).item().decode()) for name in TEXTS}
        check_all(**texts)
    except (OSError, KeyError, ValueError, RuntimeError, TypeError, AttributeError, MemoryError, OverflowError) as error:
        raise RunFileError(path, f"the file is damaged and cannot be read ({error!s:.100})") from error
    plain = {name: x for name, x in arrays.items() if not name.startswith((STATE, TRACKED, LABELS))}
    return Stored(**texts, arrays=plain, state=part_of(arrays, STATE), tracked=part_of(arrays, TRACKED))


def part_of(arrays: Mapping[str, np.ndarray], group: str) -> dict[str, Any] | None:
    """The arrays of a group by their own names; None if there is none."""
    return {name.removeprefix(group): scalar(x) for name, x in arrays.items() if name.startswith(group)} or None


def scalar(value):
    """Numbers come back as numbers, arrays as arrays."""
    return value.item() if np.ndim(value) == 0 else value
