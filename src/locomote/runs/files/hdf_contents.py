"""What an HDF5 file holds, looked at before any of it is read.

HDF5 can do much that a run has no use for and that lets a file reach beyond itself: links to other files, datasets whose
bytes are elsewhere (external storage, virtual datasets), references, types of the user, filters that load libraries,
rows that were never written, and chunks far larger than what is in them. A run has datasets of plain numbers and of texts
with a fixed length, under known names, whose bytes are in the file. Anything else is refused.
"""

from typing import Any

import numpy as np

from locomote.methods.recorded import ARRAYS, ASKED, TABLES
from locomote.runs.files.journal import KINDS

TEXTS = ("header", "info", "events")
GROUPS = (*TABLES, "tracked", "state", "labels")
ATTRIBUTES = ("format", "version", "sha256")
LONGEST_ATTRIBUTE = 100  # bytes
MOST_DIMENSIONS = 4


class Unexpected(ValueError):
    """Something that no run file has."""


def attributes_of(file) -> dict[str, Any]:
    """The attributes of a run, as far as they are integers or short texts of a fixed length."""
    import h5py

    values: dict[str, Any] = {}
    for name in (name for name in ATTRIBUTES if name in file.attrs):
        held = h5py.h5a.open(file.id, name.encode())
        kind, short = held.get_type(), held.shape == () and held.get_storage_size() <= LONGEST_ATTRIBUTE
        text = kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str()
        if short and (text or kind.get_class() == h5py.h5t.INTEGER):
            value = np.empty((), dtype=held.dtype)
            held.read(value)
            values[name] = value.item()
    return values


def datasets_of(file, *, size: int) -> dict[str, Any]:
    """The datasets of an open HDF5 file of `size` bytes by name, in the order in which they were written, all fit to be
    read; else Unexpected."""
    import h5py

    datasets: dict[str, Any] = {}
    for name in file:
        item = linked(file, name)
        if name in GROUPS and isinstance(item, h5py.Group):
            datasets |= {f"{name}/{inner}": linked(item, inner) for inner in item}
        elif name in ARRAYS + TEXTS or any(name == field.name for field in ASKED):
            datasets[name] = item
        else:
            raise Unexpected(f"{name!r:.60} is no part of a run")
    for name, dataset in datasets.items():
        check(name, dataset)
    asked = sum(bytes_of(dataset) for dataset in datasets.values())
    if asked > size:
        raise Unexpected(f"it says that it holds {asked} bytes of numbers, and is {size} bytes long")
    return datasets


def linked(group, name: str):
    """What a name in a group stands for, if that is in the file itself and not by another name."""
    import h5py

    link = group.get(name, getlink=True, getclass=True)
    if link is not h5py.HardLink:
        raise Unexpected(f"{name!r:.60} is a link to somewhere else, which run files do not have")
    return group[name]


def check(name: str, dataset) -> None:
    """Refuse a dataset that is not plain, or whose bytes are not in the file, before it is read."""
    import h5py

    if not isinstance(dataset, h5py.Dataset):
        raise Unexpected(f"{name!r:.60} is not an array")
    layout, kind = dataset.id.get_create_plist(), dataset.id.get_type()
    text = name in TEXTS or name.startswith("labels/")
    if layout.get_external_count() or layout.get_layout() not in (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.CHUNKED):
        raise Unexpected(f"{name!r:.60} keeps its numbers in another file, which run files do not do")
    if any(layout.get_filter(n)[0] != h5py.h5z.FILTER_FLETCHER32 for n in range(layout.get_nfilters())):
        raise Unexpected(f"{name!r:.60} is compressed or filtered, which run files are not")
    if kind.get_class() not in ((h5py.h5t.STRING,) if text else (h5py.h5t.INTEGER, h5py.h5t.FLOAT)):
        raise Unexpected(f"{name!r:.60} is not an array of {'texts' if text else 'numbers'}")
    if text and kind.is_variable_str() or not text and dataset.dtype.str not in KINDS:
        raise Unexpected(f"{name!r:.60} is an array of {dataset.dtype!s:.40}, which run files do not have")
    if not kind.equal(h5py.h5t.py_create(dataset.dtype)):
        raise Unexpected(f"{name!r:.60} has a type of its own, which run files do not have")
    if dataset.shape is None or dataset.maxshape != dataset.shape or len(dataset.shape) > MOST_DIMENSIONS:
        raise Unexpected(f"{name!r:.60} has no size, or one that can grow")
    if dataset.chunks is not None and any(part > whole for part, whole in zip(dataset.chunks, dataset.shape, strict=True)):
        raise Unexpected(f"{name!r:.60} is stored in parts larger than itself")
    if name in TEXTS and dataset.shape != ():
        raise Unexpected(f"{name!r:.60} is not one text")


def bytes_of(dataset) -> int:
    """Bytes that a dataset takes in memory; Python's integers do not overflow."""
    total = dataset.dtype.itemsize
    for length in dataset.shape:
        total *= length
    return total


def read_array(dataset) -> np.ndarray:
    """All of a dataset that was checked."""
    import h5py

    array = np.empty(dataset.shape, dataset.dtype.newbyteorder("="))  # of this machine, which compiled code takes as it is
    if array.size:
        dataset.id.read(h5py.h5s.ALL, h5py.h5s.ALL, array)
    return array
