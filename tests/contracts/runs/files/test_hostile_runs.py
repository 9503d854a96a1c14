"""Run files that are damaged, or that somebody made to do harm: refused in words, before anything of them is used."""

import json
import os

import damaged_runs
import h5py
import numpy as np
import pytest
import synthetic_runs
from hostile_runs import forge, journal_of, put, put_at, say
from run_file_trials import chunk, problem

import locomote as lo
from locomote.runs.files import hdf, journal
from locomote.runs.files.files import RunFileError
from locomote.runs.files.runfile import RunWriter, open_run


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run.h5"
    synthetic_runs.still().save(path)
    return path


def refused(path, sentence):
    """The error that opening a file gives."""
    with pytest.raises(RunFileError, match=sentence) as caught:
        open_run(path)
    return caught.value


# what HDF5 can do and a run has no use for


def external(file):
    secret = os.path.join(os.path.dirname(file.filename), "secret.txt")
    with open(secret, "w") as stream:
        stream.write("a file of the user")
    file.create_dataset("state/leak", shape=(18,), dtype="u1", external=[(secret, 0, 18)])


def external_instead_of_q(file):
    del file["q"]
    file.create_dataset("q", shape=(5, 1), dtype="<f8", external=[("/etc/passwd", 0, 40)])


def virtual(file):
    layout = h5py.VirtualLayout(shape=(5,), dtype="<f8")
    layout[:] = h5py.VirtualSource("/etc/hostname", "x", shape=(5,))
    del file["kinetic"]
    file.create_virtual_dataset("kinetic", layout)


def linked_outside(file):
    file["state/leak"] = h5py.ExternalLink("/etc/hostname", "/x")


def linked_inside(file):
    file["state/again"] = h5py.SoftLink("/q")


def reference(file):
    file["state/where"] = np.array([file["q"].ref], dtype=h5py.ref_dtype)


def compound(file):
    file["state/pair"] = np.zeros(3, dtype=[("a", "<f8"), ("b", "<i8")])


def any_length(file):
    file.create_dataset("state/words", data=["a", "bb"], dtype=h5py.string_dtype())


def rows_of_any_length(file):
    file.create_dataset("state/rows", shape=(3,), dtype=h5py.vlen_dtype(np.float64))


def enumeration(file):
    file.create_dataset("state/flag", data=1, dtype=h5py.enum_dtype({"A": 1, "B": 2}))


def named_type(file):
    file["state/kind"] = np.dtype("<f8")


def odd_float(file):
    kind = h5py.h5t.IEEE_F64LE.copy()
    kind.set_ebias(1000)
    h5py.h5d.create(file["state"].id, b"odd", kind, h5py.h5s.create_simple((3,)))


def huge(file):
    del file["q"]
    file.create_dataset("q", shape=(2**40, 1), dtype="f8", chunks=(1024, 1))


def sparse(file):
    del file["q"]
    file.create_dataset("q", shape=(10**8, 1), dtype="f8")


def large_chunks(file):
    file.create_dataset("state/x", shape=(3,), maxshape=(None,), chunks=(2**27,), dtype="f8")


def compressed(file):
    file.create_dataset("state/zeros", data=np.zeros(10**6), compression="gzip")


def unknown_filter(file):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((3,))
    plist.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (1,))
    h5py.h5d.create(file["state"].id, b"odd", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((3,)), plist)


def no_size(file):
    file["state/nothing"] = h5py.Empty("f8")


def nested(file):
    file["state/deep/deeper"] = 1.0


def ring(file):
    file["state/ring"] = file["/"]


def stranger(file):
    file["stranger"] = 1.0


def group_for_array(file):
    del file["q"]
    file["q/x"] = 1.0


def array_for_group(file):
    del file["labels"]
    file["labels"] = 1.0


HARMFUL = {
    external: "keeps its numbers in another file",
    external_instead_of_q: "keeps its numbers in another file",
    virtual: "keeps its numbers in another file",
    linked_outside: "is a link to somewhere else",
    linked_inside: "is a link to somewhere else",
    reference: "is not an array of numbers",
    compound: "is not an array of numbers",
    any_length: "is not an array of numbers",
    rows_of_any_length: "is not an array of numbers",
    enumeration: "is not an array of numbers",
    named_type: "is not an array",
    odd_float: "a type of its own|which run files do not have|cannot be read",
    huge: "bytes of numbers, and is .* bytes long",
    sparse: "bytes of numbers, and is .* bytes long",
    large_chunks: "or one that can grow",
    compressed: "is compressed or filtered",
    unknown_filter: "is compressed or filtered",
    no_size: "has no size",
    nested: "is not an array",
    ring: "is not an array",
    stranger: "'stranger' is no part of a run",
    group_for_array: "'q' is not an array",
    array_for_group: "'labels' is no part of a run",
}


@pytest.mark.parametrize("edit", HARMFUL, ids=lambda edit: edit.__name__)
def test_what_no_run_has_is_refused_before_it_is_read(path, edit, monkeypatch):
    forge(path, edit)
    monkeypatch.setattr(hdf, "read_array", pytest.fail)
    refused(path, f"the file is damaged and cannot be read .*({HARMFUL[edit]})")


@pytest.mark.parametrize(
    "edit",
    [
        lambda file: file.attrs.create("sha256", "0" * 64),
        lambda file: file.attrs.pop("sha256"),
        lambda file: file.attrs.create("sha256", 3),
        lambda file: file.attrs.create("sha256", np.zeros(1000)),
        lambda file: file["q"].__setitem__((2, 0), 1e-300),
        lambda file: file["labels/q"].__setitem__((0, 1), b"deg"),
        lambda file: file.move("kinetic", "kinetic_"),
        lambda file: file.move("work/a", "work/b"),
        lambda file: file.create_dataset("work/c", data=np.zeros(5)),
        lambda file: put("potential", file["potential"][()].astype("f4"))(file),
        lambda file: put("info", file["info"].asstr()[()].replace("2", "3", 1))(file),
    ],
)
def test_any_change_is_seen(path, edit):
    forge(path, put("work/a", np.zeros(5)))
    assert open_run(path).work.keys() == {"a"}
    with h5py.File(path, "r+") as file:
        edit(file)
    refused(path, "damaged")


# words


NESTED = "[" * 100_000 + "]" * 100_000
WRONG_TEXTS = [
    put("info", "[]"), put("info", "3"), put("info", "{"), put("info", NESTED), put("info", '{"a": NaN}'),
    put("events", "{}"), put("events", "[3]"), put("events", '[{"t": 0.0}]'), put("events", "null"), put("header", "null"),
    put("header", "{}"), put("header", '{"version": 1}'),
    put("events", '[{"t": "now", "kind": "a", "description": "", "data": {}}]'),
    put("events", '[{"t": {"float": "nan"}, "kind": "a", "description": "", "data": {}}]'),
    put("events", '[{"t": 1.0, "kind": "a", "description": "", "data": [1]}]'),
    put("events", '[{"t": 1.0, "kind": "a", "description": "", "data": {}, "more": 1}]'),
    say("info", steps="12"), say("info", steps=-1), say("info", steps=True), say("info", status=None), say("info", samples=[]),
    say("info", samples={"first": 0.0, "last": 1.0, "count": 2.5}), say("info", samples={"times": [0.0, "x"]}),
    say("info", versions={"numpy": 2}), say("info", wall="long"), say("info", rtol=[1]), say("info", date=1),
    say("header", model=[]), say("header", model={}), say("header", constraint_labels=[["a", "b"]]),
    say("header", constraint_labels=[["a", "b", 3]]), say("header", imposed="no"), say("header", imposed=[1, 2]),
    say("header", problem=3), say("header", more=3), say("header", **{"not stored": None}), say("header", version="2"),
]  # fmt: skip
WRONG_ARRAYS = [
    put("q", np.zeros((4, 1))), put("q", np.zeros((5, 2))), put("t", np.zeros((5, 1))), put("t", np.array([0.0, 1, 2, 1, 3])),
    put_at("t", 2, np.nan), put("reactions", np.zeros((5, 3))), put("work/a", np.zeros(4)), put("t", 3.0),
    put("tracked/path", 3.0), put("tracked/path", np.zeros((2, 2))),
    lambda file: file.pop("kinetic"), lambda file: file.pop("header"), lambda file: file.pop("info"),
]  # fmt: skip


@pytest.mark.parametrize("edit", [*WRONG_TEXTS, *WRONG_ARRAYS])
def test_wrong_words_and_arrays_in_hdf5(path, edit):
    forge(path, edit)
    refused(path, "the file is damaged and cannot be read")


def test_what_is_saved_opens(path):
    """The rules for words hold when a file is written."""
    from dataclasses import replace

    for info in ({"steps": "many"}, {"status": 3}, {"versions": {"numpy": 2}}):
        with pytest.raises(ValueError, match="of info must be"):
            replace(synthetic_runs.still(), info=info).save(path)
        with pytest.raises(ValueError, match="of info must be"):
            RunWriter(path, problem(), info=info)
    with pytest.raises(ValueError, match="'t' of event 0 must be a finite number"):
        replace(synthetic_runs.still(), events=[lo.Event(np.nan, "a", "b")]).save(path)
    assert len(open_run(path)) == 5
    replace(synthetic_runs.still(), info={"mine": [1, {"a": None}], "projection": np.True_, "steps": np.int64(3)}).save(path)
    assert open_run(path).info["mine"] == [1, {"a": None}]


# journals


def first_record(tmp_path):
    """What the first record of a journal says, and its arrays."""
    with RunWriter(tmp_path / "first.h5", problem()):
        pass
    with open(tmp_path / "first.h5", "rb") as stream:
        return journal.records(stream)[0][0]


def record(values, arrays=()):
    return json.dumps({"values": values, "arrays": list(arrays)})


MORE = {"events": [], "info": {}, "closes": False}
WRONG_RECORDS = [
    "", "null", "[]", "{", NESTED, '{"values": {}}', '{"arrays": []}', record(None), record([]), record({}),
    record({"header": None, "info": {}}), record({"header": {"version": 3}, "info": None}), record({"header": {"version": 3}}),
    (record(MORE), b"1234567"), record(MORE, [["t", "<f8", [1]]]), (record(MORE, [["t", "<f8", [1]]]), bytes(16)),
    (record(MORE, [["t", "O", [1]]]), bytes(8)), (record(MORE, [["t", "<f8", [-1]]]), bytes(8)),
    (record(MORE, [["t", "<f8", [2**61, 8]]]), b""), (record(MORE, [["t", "<f8", 1]]), bytes(8)),
    (record(MORE, [["t", "<f8", [True]]]), bytes(8)), (record(MORE, [["t", "<f8"]]), b""), (record(MORE, [None]), b""),
    (record(MORE, [[1, "<f8", [1]]]), bytes(8)), (record(MORE, [["t", "<U2", [1]]]), bytes(8)),
    (record(MORE, [["stranger", "<f8", [1]]]), bytes(8)), (record(MORE, [["problem", "<f8", [1]]]), bytes(8)),
    (record(MORE, [["q", "<f8", [1, 1]]]), bytes(8)), record(MORE | {"closes": 1}), record(MORE | {"events": None}),
    record(MORE | {"events": [{"t": "x"}]}), record(MORE | {"info": []}), record(MORE | {"info": {"steps": 1.5}}),
]  # fmt: skip


@pytest.mark.parametrize("content", WRONG_RECORDS)
def test_wrong_journals(tmp_path, content):
    """As the first record, and after a good one."""
    good = first_record(tmp_path)
    table = [[name, array.dtype.str, list(array.shape)] for name, array in good.arrays.items()]
    for contents in ([content], [record(good.values, table), content]):
        path = tmp_path / "bad.h5"
        path.write_bytes(journal_of(*contents))
        refused(path, "the file is damaged and cannot be read")


def test_a_good_journal_made_by_hand_opens(tmp_path):
    """So that those above are refused for what they say."""
    good = first_record(tmp_path)
    table = [[name, array.dtype.str, list(array.shape)] for name, array in good.arrays.items()]
    (tmp_path / "good.h5").write_bytes(journal_of(record(good.values, table), record(MORE)))
    assert len(open_run(tmp_path / "good.h5")) == 0


def test_records_of_a_journal_cannot_change_places(tmp_path):
    path, ends = tmp_path / "run.h5", []
    with RunWriter(path, problem()) as writer:
        for n in range(4):
            ends.append(path.stat().st_size)
            writer.append(chunk(n)[1], state=chunk(n)[2])
    whole = path.read_bytes()
    first, second, third = whole[ends[1] : ends[2]], whole[ends[2] : ends[3]], whole[ends[3] :]
    for changed in (second + first + third, second + third, first + first + second, first + third):
        path.write_bytes(whole[: ends[1]] + changed)
        run = open_run(path)
        assert len(run) in (20, 40) and "left out" in run.info["message"]
        assert np.array_equal(run.t, np.arange(len(run)))


# pipes and devices


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.h5")
    refused(tmp_path / "pipe.h5", "cannot be read: it is a pipe, not a file")
    refused("/dev/zero", "cannot be read: it is a device, not a file")
    for action in (synthetic_runs.still().save, synthetic_runs.still().to_csv, lambda path: RunWriter(path, problem())):
        with pytest.raises(RunFileError, match="cannot be written: it is a pipe, not a file; give the name of a file"):
            action(tmp_path / "pipe.h5")
        with pytest.raises(RunFileError, match="cannot be written: it is a device"):
            action("/dev/null")


# damage


@pytest.mark.parametrize("kind", ["HDF5", "journal"])
def test_damaged_files_never_open_with_other_numbers(tmp_path, kind):
    """One to three changed bytes, cut files, exchanged blocks. Of a journal what comes before the damage may open."""
    found = damaged_runs.outcomes(tmp_path, kind, count=200, seed=5)
    assert found["another"] == 0 and sum(found.values()) == 200
    assert found["refused"] > 150 or kind == "journal", found
    assert found["beginning"] == 0 or kind == "journal"
