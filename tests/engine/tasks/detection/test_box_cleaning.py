"""What of the boxes in files can be used, and what is said about the others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files import xml_files
from studio.engine.tasks.annotation_files.values import name_in, number_in, size_in
from studio.engine.tasks.annotation_files.xml_files import escaped, parsed_xml
from studio.engine.tasks.boxes import BOTTOM, CROWD, LEFT, MAX_BOXES, RIGHT, TOP
from studio.engine.tasks.detection.found_boxes import (
    FoundBoxes,
    PictureBoxes,
    cleaned,
)

SIZE = (100, 80)


def rows(*boxes: tuple[float, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([(0, *box, 0) for box in boxes], np.float64).reshape(-1, 6)


@pytest.mark.parametrize(
    ("box", "expected", "reason"),
    [
        ((1, 2, 3, 4), (1, 2, 3, 4), ""),
        ((0, 0, 100, 80), (0, 0, 100, 80), ""),
        ((3, 2, 1, 4), (1, 2, 3, 4), "exchanged the swapped corners of a box"),
        ((3, 4, 1, 2), (1, 2, 3, 4), "exchanged the swapped corners of a box"),
        ((-0.5, 2, 100.9, 4), (0, 2, 100, 4), ""),
        ((-5, 2, 3, 4), (0, 2, 3, 4), "cut a box at the border of the image"),
        ((1, 2, 1e300, 4), (1, 2, 100, 4), "cut a box at the border of the image"),
        ((100, 2, 110, 4), None, "left out a box outside the image"),
        ((-9, 2, 0, 4), None, "left out a box outside the image"),
        ((1, -9, 2, -4), None, "left out a box outside the image"),
        ((1, 2, 1, 4), None, "left out an empty box"),
        ((1, 2, 1 + 1e-12, 4), None, "left out an empty box"),
        ((500, 2, 500, 2), None, "left out an empty box"),
        ((math.nan, 2, 3, 4), None, "left out a box whose coordinates are not numbers"),
        ((1, 2, math.inf, 4), None, "left out a box whose coordinates are not numbers"),
    ],
)
def test_a_box(box: tuple[float, ...], expected: tuple[float, ...] | None, reason: str) -> None:
    found, problems = cleaned(rows(box), SIZE)

    assert [each.reason for each in problems] == ([reason] if reason else [])
    assert sum(each.objects for each in problems) == 1 - len(found)
    assert found.dtype == np.float32
    assert found[:, 1:5].tolist() == ([] if expected is None else [list(expected)])


def test_duplicates_are_left_out() -> None:
    one = (0, 1, 2, 3, 4, 0)
    other = (1, 1, 2, 3, 4, 0)
    crowd = (0, 1, 2, 3, 4, CROWD)
    found, problems = cleaned(np.array([other, one, other, crowd, one], np.float64), SIZE)

    assert found.tolist() == [list(other), list(one), list(crowd)]
    assert problems == [("left out 2 boxes that occur twice", 2)]


def test_an_image_has_at_most_so_many_boxes() -> None:
    many = np.zeros((MAX_BOXES + 5, 6))
    many[:, RIGHT] = np.linspace(1, 90, len(many))
    many[:, BOTTOM] = 9
    many[:5, 5] = CROWD
    found, problems = cleaned(many, SIZE)

    assert len(found) == MAX_BOXES
    assert not found[:, 5].any(), "crowds are left out first"
    assert problems == [("left out 5 boxes; an image can have at most 2000", 5)]


def test_fractions_are_of_the_size_of_the_image() -> None:
    found, problems = cleaned(rows((0.1, 0.25, 0.5, 1.0)), SIZE, is_relative=True)
    assert found[0, 1:5].tolist() == [10, 20, 50, 80]
    assert not problems


_ANY = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from((0.0, 100.0, 80.0, -1.0))


@given(st.lists(st.tuples(_ANY, _ANY, _ANY, _ANY), max_size=6), st.booleans())
def test_whatever_is_left_has_an_area_inside_the_image(
    boxes: list[tuple[float, ...]], is_relative: bool
) -> None:
    found, problems = cleaned(rows(*boxes), SIZE, is_relative=is_relative)

    assert np.isfinite(found).all()
    assert (found[:, LEFT : TOP + 1] >= 0).all()
    assert (found[:, RIGHT : BOTTOM + 1] <= SIZE).all()
    assert (found[:, LEFT : TOP + 1] < found[:, RIGHT : BOTTOM + 1]).all()
    assert len(found) + sum(each.objects for each in problems) == len(boxes)


def test_annotations_of_an_image_of_another_size_are_refused() -> None:
    found = FoundBoxes(
        found={
            "a": PictureBoxes(rows((1, 2, 3, 4)), size=(100, 81)),
            "b": PictureBoxes(rows(), refused="it is damaged"),
        }
    )
    with pytest.raises(BadDataError, match="for 100x81 pixels, but its image has 100x80"):
        found.boxes("a", SIZE)
    with pytest.raises(BadDataError, match="it is damaged"):
        found.boxes("b", SIZE)
    with pytest.raises(BadDataError, match="no annotation"):
        found.boxes("c", SIZE)


@pytest.mark.parametrize("value", [None, True, "", "x", [], {}, "0x1", 10**400])
def test_what_is_no_number(value: object) -> None:
    assert math.isnan(number_in(value))


def test_sizes_and_names_of_others() -> None:
    assert size_in("640", 480.0) == (640, 480)
    for size in ((0, 5), (-1, 5), ("", "5"), (1.5, 5), (math.nan, 5), (10**30, 5), (None, None)):
        assert size_in(*size) is None
    assert name_in(" red\ncell\x1b ") == "red cell\\x1b"
    assert name_in("\ud800") == "\\ud800"
    assert len(name_in("x" * 5000)) == 100
    assert name_in(3) == name_in(None) == name_in("\n") == ""


def test_xml_without_entities() -> None:
    root = parsed_xml("<a>\n<b>1&lt;2</b><c/><b>é</b> </a>".encode())
    assert root.name == "a"
    assert [each.texts for each in root.all("b")] == [["1<2"], ["é"]]
    assert (root.text("b"), root.text("c"), root.text("d")) == ("1<2", "", "")
    assert parsed_xml("<a><b>ß</b></a>".encode("utf-16")).text("b") == "ß"


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        ("GBK", "gbk", "齿轮"),
        ("gb2312", "gb2312", "齿轮"),
        ("Shift_JIS", "shift_jis", "歯車"),
        ("EUC-KR", "euc-kr", "기어"),
        ("windows-1252", "cp1252", "Zähn€"),
        ("ISO-8859-15", "iso-8859-15", "€"),
        ("UTF8", "utf-8", "ä"),
        ("utf-8", "utf-16", "齿"),
        ("utf-16", "utf-8", "齿"),
        ("GBK", "utf-8-sig", "齿"),
    ],
)
def test_xml_in_other_encodings(declared: str, encoding: str, text: str) -> None:
    document = f'<?xml version="1.0" encoding="{declared}"?>\n<a><b>{text}</b></a>'
    assert parsed_xml(document.encode(encoding)).text("b") == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<a>\n\xe4</a>", "not in UTF-8 at line 2, and declares no other encoding"),
        (b'<?xml version="1.0" encoding="gbk"?><a>\xff</a>', "not in the encoding gbk"),
    ],
)
def test_xml_in_an_encoding_that_it_does_not_declare(data: bytes, reason: str) -> None:
    with pytest.raises(BadDataError, match=reason):
        parsed_xml(data)


_LAUGHS = """<!DOCTYPE a [<!ENTITY b "xxxxxxxxxx">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (_LAUGHS, "document type"),
        ('<!DOCTYPE a SYSTEM "http://localhost/x.dtd"><a/>', "document type"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "document type"),
        ("", "the file is empty"),
        ("<a>", "cut off at line 1, column 4"),
        ("\n<a></b>", "damaged at line 2, column 6"),
        ("<a>&b;</a>", "damaged"),
        ("\0", "cut off"),
        ('<?xml version="1.0" encoding="nonsense"?><a/>', "unsupported encoding nonsense"),
        ('<?xml version="1.0" encoding="idna"?><a/>', "unsupported encoding idna"),
        ("x" * (32 * 2**20 + 1), "larger than 32 MB"),
        ("<a>" * 5_000_000, "more than 100 levels"),
    ],
    ids=range(12),
)
def test_xml_that_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadDataError, match=reason):
        parsed_xml(text.encode())


def test_xml_of_too_many_elements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real limit takes five seconds to reach."""
    assert xml_files._MOST_ELEMENTS == 1_000_000
    monkeypatch.setattr(xml_files, "_MOST_ELEMENTS", 1000)
    with pytest.raises(BadDataError, match="more than 1000 elements"):
        parsed_xml(b"<a>" + b"<b/>" * 1001 + b"</a>")


@given(st.text())
def test_escaped_text_is_read(text: str) -> None:
    found = parsed_xml(f"<a><b>{escaped(text)}</b></a>".encode("utf-8", "surrogatepass"))
    kept = "".join(char for char in text if char in "\t\n\r" or char >= " ")
    kept = "".join(char for char in kept if not "\ud800" <= char <= "\udfff")
    kept = kept.replace("\ufffe", "").replace("\uffff", "")
    assert found.text("b") == kept.replace("\r\n", "\n").replace("\r", "\n").strip()
