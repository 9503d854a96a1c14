"""No input makes a reader do anything but answer or raise ModelError: no other error, no hang, no file that was not named.

More than 10,000 files; each has seconds where it should take milliseconds.
"""

from pathlib import Path

import hostile_files as hostile
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from locomote.errors import ModelError
from locomote.formats.dh.reader import read_dh
from locomote.formats.mjcf.reader import read_mjcf
from locomote.formats.urdf.reader import read_urdf

CALM = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
check = hostile.check


@settings(CALM, max_examples=2600)
@given(hostile.documents(hostile.URDF))
@example("<robot>" * 1500)
@example("<robot><link name='a'/>" + "<joint name='x'/>" * 5000 + "</robot>")
def test_urdf_from_a_grammar(text):
    check(read_urdf, text)


@settings(CALM, max_examples=2600)
@given(hostile.broken([hostile.ARM]))
def test_urdf_broken(text):
    check(read_urdf, text)


@settings(CALM, max_examples=2300)
@given(hostile.documents(hostile.MJCF), st.sampled_from(["error", "warn"]))
def test_mjcf_from_a_grammar(text, policy):
    check(lambda given: read_mjcf(given, unsupported=policy), text)


@settings(CALM, max_examples=2300)
@given(hostile.broken([hostile.WALKER]), st.sampled_from(["error", "warn"]))
def test_mjcf_broken(text, policy):
    check(lambda given: read_mjcf(given, unsupported=policy), text)


@settings(CALM, max_examples=500)
@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"<", b"<?xml version='1.0' encoding='utf-16'?>", b"\xff\xfe", b"\xef\xbb\xbf<"]),
)
def test_bytes(content, start):
    check(read_urdf, start + content)
    check(read_mjcf, start + content)


def spoiled(drawn):
    text, changes = drawn
    for at, value in changes:
        at %= len(text) + 1
        text = text[:at] + value + text[at + len(value) // 2 :]
    return text + "\n"


@settings(CALM, max_examples=500)
@given(st.tuples(st.just(hostile.TABLE), st.lists(st.tuples(st.integers(0, 400), hostile.VALUES), max_size=4)).map(spoiled))
def test_tables(text):
    check(read_dh, "\n" + text)


@settings(CALM, max_examples=250)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["name", "parent", "kind", "alpha", "a", "theta_deg", "mass", "ixx", "lower", "x"]),
            st.one_of(
                st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.integers(), max_size=2)
            ),
        ),
        max_size=4,
    )
)
def test_rows(rows):
    check(lambda given: read_dh(given, convention="standard", angles="rad"), rows)


@pytest.mark.parametrize("name", ["file:///etc/passwd", "/etc/passwd", "../secret.xml", "package://../secret.xml"])
def test_a_file_opens_only_itself(tmp_path, name):
    folder = tmp_path.resolve() / "model"
    folder.mkdir()
    (tmp_path / "secret.xml").write_text("<secret/>")
    urdf, mjcf = folder / "x.urdf", folder / "x.xml"
    urdf.write_text(hostile.ARM.replace("package://a/b.stl", name))
    mjcf.write_text(hostile.WALKER.replace("parts/m.stl", name).replace("<light/>", f'<include file="{name}"/>'))
    hostile.seen.clear()
    hostile.watching = True
    try:
        read_urdf(urdf)
        with pytest.raises(ModelError, match="outside the folder of the model|the included file"):
            read_mjcf(mjcf)
    finally:
        hostile.watching = False
    opened = {Path(event[1]).resolve() for event in hostile.seen if not isinstance(event[1], int)}  # files, no descriptors
    assert {urdf, mjcf} <= opened
    assert all(path.is_relative_to(folder) for path in opened)


def test_growing_entities_are_refused_at_once():
    names = [f"<!ENTITY e{i} '{f'&e{i - 1};' * 10 if i else 'ha'}'>" for i in range(30)]
    check(read_urdf, f"<!DOCTYPE robot [{''.join(names)}]><robot name='&e29;'/>")
