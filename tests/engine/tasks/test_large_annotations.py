"""Large annotation files: limits before they are held, and reading piece by piece."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.box_files import boxes, problems, read, together
from studio.engine.errors import BadDataError, StudioError
from studio.engine.tasks.annotation_files import json_files, json_lists, xml_files
from studio.engine.tasks.annotation_files.json_files import parsed, value_of
from studio.engine.tasks.annotation_files.json_lists import JsonList, is_list, parsed_in_pieces
from studio.engine.tasks.annotation_files.xml_files import Element, parsed_xml

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(max_size=6), VALUES, max_size=5)
BROKEN = ("", "{", "[]", '"a"', '{"a":1,}', '{"a":[1,]}', '{"a":[1 2]}', '{"a" 1}', "{1:2}", "{}x")


@pytest.fixture(autouse=True)
def small_files_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lists, "_IN_PIECES", 0)


def as_lists(value: object) -> object:
    return list(value) if isinstance(value, JsonList) else value


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.sampled_from((None, 1)))
def test_pieces_hold_what_the_whole_file_holds(document: dict[str, object], indent: int) -> None:
    data = json.dumps(document, indent=indent, ensure_ascii=False).encode("utf-8", "replace")
    found = parsed_in_pieces(data)
    assert {key: as_lists(value) for key, value in found.items()} == parsed(data)
    assert all(is_list(found[key]) for key, value in document.items() if isinstance(value, list))


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS.filter(bool), st.data())
def test_a_cut_off_file_is_called_so(document: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(document)
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(BadDataError) as error:
        parsed_in_pieces(text[:cut].encode())
    assert "its JSON is" in str(error.value.message)


@pytest.mark.parametrize("text", BROKEN)
def test_damaged_files_are_refused_as_a_whole_would_be(text: str) -> None:
    with pytest.raises(BadDataError):
        parsed(text.encode())
    with pytest.raises(BadDataError):
        parsed_in_pieces(text.encode())


def test_the_position_of_damage_is_reported() -> None:
    text = b'{"images": [\n{"id": 1},\n{"id": ?}]}'
    with pytest.raises(BadDataError, match="damaged at line 3, column 8"):
        parsed_in_pieces(text)
    with pytest.raises(BadDataError, match="cut off at line 2, column 9"):
        parsed_in_pieces(text[:22])
    with pytest.raises(BadDataError, match="not in UTF-8 at line 2, column 2"):
        parsed_in_pieces(b'{"a":\n"\xff"}')


def test_deep_nesting_and_long_numbers_are_damage() -> None:
    for text in ('{"a": ' + "[" * 200_000, '{"a": [' + "9" * 10_000 + "]}"):
        with pytest.raises(BadDataError):
            parsed_in_pieces(text.encode())


def test_coco_is_read_alike_in_any_order() -> None:
    parts: dict[str, object] = {
        "annotations": [
            {"image_id": 1, "category_id": 1, "bbox": [at, 2, 10, 20]} for at in range(5)
        ],
        "categories": [{"id": 1, "name": "cat"}],
        "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 80}],
    }
    for order in (parts, dict(reversed(parts.items()))):
        found = read("coco_boxes", together({"a.jpg": b"", "c.json": json.dumps(order)}))
        assert [row[0] for row in boxes(found)["a.jpg"]] == ["cat"] * 5
        assert not problems(found)


def test_a_long_list_takes_no_more_memory_than_its_text() -> None:
    entry = {"image_id": 1, "bbox": [1.5, 2.5, 3.5, 4.5], "segmentation": [[0.25] * 30]}
    data = json.dumps({"annotations": [entry] * 20_000}).encode()
    tracemalloc.start()
    try:
        found = parsed_in_pieces(data)
        assert sum(1 for _ in found["annotations"]) == 20_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * len(data)


def test_a_json_file_is_refused_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "_LARGEST", 2**20)
    value_of(b"[" + b" " * 2**19 + b"]")
    with pytest.raises(BadDataError, match="larger than 1 MB; export it in several files"):
        value_of(b"[" + b" " * 2**20 + b"]")


# XML.


def images_of_cvat(images: int, shapes: int) -> bytes:
    shape = '<box label="cat" xtl="1" ytl="2" xbr="30" ybr="40"/>'
    entry = '<image id="{0}" name="{0}.jpg" width="100" height="80">' + shape * shapes + "</image>"
    return f"<annotations>{''.join(map(entry.format, range(images)))}</annotations>".encode()


def test_received_elements_are_not_held() -> None:
    received: list[Element] = []
    root = parsed_xml(images_of_cvat(3, 2), {"image": received.append})
    assert not root.children
    assert [len(each.children) for each in received] == [2, 2, 2]


def test_a_file_of_many_images_is_no_large_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_files, "_MOST_ELEMENTS", 30)
    content: dict[str, str | bytes] = {f"{number}.jpg": b"" for number in range(20)}
    found = read("cvat", together(content | {"annotations.xml": images_of_cvat(20, 10)}))
    assert sum(len(rows) for rows in boxes(found).values()) == 20  # ten alike in each image
    with pytest.raises(StudioError, match="more than 30 elements; export it in several files"):
        read("cvat", together(content | {"annotations.xml": images_of_cvat(1, 40)}))


def test_tracks_are_held_and_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_files, "_MOST_ELEMENTS", 30)
    shape = '<box frame="0" xtl="1" ytl="2" xbr="30" ybr="40"/>'
    track = f'<track id="0" label="cat">{shape * 10}</track>'
    content: dict[str, str | bytes] = {"frame_000000.jpg": b""}
    with pytest.raises(StudioError, match="more than 30 elements; export it in several files"):
        read("cvat", together(content | {"a.xml": f"<annotations>{track * 3}</annotations>"}))


def test_an_xml_file_is_refused_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_files, "_LARGEST", 1000)
    data = images_of_cvat(10, 1)
    with pytest.raises(BadDataError, match="export it in several files"):
        parsed_xml(data)
    assert len(data) > 1000
    parsed_xml(data, {"image": lambda element: None})
    monkeypatch.setattr(xml_files, "_LARGEST_IN_PIECES", 1000)
    with pytest.raises(BadDataError, match="export it in several files"):
        parsed_xml(data, {"image": lambda element: None})
