"""Run files that somebody else made: changed by hand, with checksums that are right again."""

import json
import zlib

import h5py
import numpy as np

from locomote.runs.files import hdf, journal


def forge(path, edit):
    """Change an HDF5 file of a run by a function of the open file, and make its SHA-256 that of what is in it then."""
    with h5py.File(path, "r+") as file:
        edit(file)
        found = {name: file.get(name) for name in file}
        for group in [name for name, item in found.items() if isinstance(item, h5py.Group)]:
            found |= {f"{group}/{name}": item for name, item in found.pop(group).items()}
        arrays = {name: np.asarray(item[()], dtype=item.dtype) for name, item in found.items() if is_plain(item)}
        file.attrs.create("sha256", hdf.as_texts(hdf.digest(arrays)))


def is_plain(item):
    """Whether a dataset can be read without harm."""
    harmless = isinstance(item, h5py.Dataset) and not item.is_virtual and not item.external and item.dtype.kind in "Siuf"
    return harmless and item.shape is not None and item.nbytes < 2**24


def put(name, value):
    """An edit: a dataset of this name with this value, in place of the one that is there."""

    def edit(file):
        file.pop(name, None)
        file[name] = hdf.as_texts(value) if isinstance(value, str) else value

    return edit


def put_at(name, place, value):
    """An edit: one number of a dataset."""

    def edit(file):
        array = file[name][()]
        array[place] = value
        put(name, array)(file)

    return edit


def say(name, **values):
    """An edit: some keys of one of the JSON texts; None removes a key."""

    def edit(file):
        said = json.loads(file[name].asstr()[()]) | values
        put(name, json.dumps({key: value for key, value in said.items() if value is not REMOVED}))(file)

    return edit


REMOVED = object()


def both(*edits):
    """Several edits, one after the other."""

    def edit(file):
        for one in edits:
            one(file)

    return edit


def journal_of(*contents):
    """The bytes of a journal whose records say these texts with these numbers, (text, bytes) or just text, all CRCs right."""
    parts, before = [journal.TITLE], 0
    for content in contents:
        text, numbers = content if isinstance(content, tuple) else (content, b"")
        before = zlib.crc32(numbers, zlib.crc32(text.encode(), before))
        parts.append(journal.HEAD.pack(journal.MARK, len(text.encode()), len(numbers), before) + text.encode() + numbers)
    return b"".join(parts)
