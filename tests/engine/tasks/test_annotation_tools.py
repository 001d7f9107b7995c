"""Shapes in files of annotation tools as boxes and masks: read, or reported with counts."""

from __future__ import annotations

import base64
import csv
import io
import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from helpers.box_files import SIZE, boxes, problems, together
from helpers.box_files import read as read_boxes
from helpers.tool_files import (
    Drawn,
    Picture,
    bdd100k,
    create_ml,
    cvat,
    cvat_shape,
    label_studio,
    label_studio_csv,
    label_studio_min,
    label_studio_result,
    label_studio_task,
    labelme,
    supervisely,
    via,
    via_3,
)
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.tools.label_studio import LabelStudio
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    MaskAnnotations,
)
from studio.engine.tasks.detection.formats import FORMATS as BOX_FORMATS
from studio.engine.tasks.segmentation.formats import FORMATS as MASK_FORMATS

WIDTH, HEIGHT = SIZE
SILENT = SilentProgress()


def _project(pictures: Sequence[Picture]) -> str:
    return via(pictures, is_project=True)


Write = Callable[[Sequence[Picture]], str]
FILES: dict[str, tuple[str, str, Write]] = {
    "label studio": ("label_studio", "export.json", label_studio),
    "label studio min": ("label_studio", "min.json", label_studio_min),
    "label studio csv": ("label_studio", "table.csv", label_studio_csv),
    "cvat": ("cvat", "annotations.xml", cvat),
    "via": ("via", "via_export.json", via),
    "via project": ("via", "via_project.json", _project),
    "via 3": ("via", "project.json", via_3),
    "create ml": ("create_ml", "_annotations.createml.json", create_ml),
    "bdd100k": ("bdd100k", "labels.json", bdd100k),
    "supervisely": ("supervisely", ".png.json", supervisely),  # type: ignore[dict-item]
    "labelme": ("labelme", ".json", labelme),  # type: ignore[dict-item]
}
"""Format, name of the file and writer of each layout; a suffix where each picture has a file."""
BRUSHES = ("label studio", "label studio min", "label studio csv", "cvat")


def written(layout: str, pictures: Sequence[Picture]) -> AnnotatedFiles:
    """Return pictures, and their annotations in a layout."""
    _, name, write = FILES[layout]
    content: dict[str, str | bytes] = {each.name: b"" for each in pictures}
    if name[:1] != ".":
        content[name] = write(pictures)
    elif layout == "supervisely":
        content |= {f"{each.name}.json": supervisely(each) for each in pictures}
    else:
        content |= {f"{each.name[:-4]}.json": labelme(each) for each in pictures}
    return together(content)


def masks(form: str, files: AnnotatedFiles) -> dict[str, NDArray[np.uint8]]:
    """Return the mask of each picture."""
    found = MASK_FORMATS[form].read(files, AnnotationOptions(), SILENT)
    assert isinstance(found, MaskAnnotations)
    return {each.path: found.mask(each.annotation, SIZE)[0] for each in found.pictures}


def sides(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Draw the sides of a box of whole or broken pixels."""
    left = draw(st.integers(0, WIDTH - 3)) + draw(st.sampled_from((0, 0.25)))
    top = draw(st.integers(0, HEIGHT - 3)) + draw(st.sampled_from((0, 0.5)))
    right = draw(st.integers(int(left) + 1, WIDTH))
    bottom = draw(st.integers(int(top) + 1, HEIGHT))
    return left, top, float(right), float(bottom)


@st.composite
def box_pictures(draw: st.DrawFn) -> list[Picture]:
    """Draw pictures with boxes, none of them twice in a picture."""
    found = [Picture(f"img {number}.jpg") for number in range(draw(st.integers(1, 4)))]
    for picture in found:
        for values in {sides(draw) for _ in range(draw(st.integers(0, 4)))}:
            label = draw(st.sampled_from(("cat", "größe ± 日本", "<a & 'b'>")))
            picture.shapes.append(Drawn(label, "box", values))
    found[0].shapes.append(Drawn("cat", "box", (0.0, 0.0, 1.0, 1.5)))
    return found


@pytest.mark.parametrize("layout", FILES)
@settings(max_examples=25, deadline=None)
@given(pictures=box_pictures())
def test_boxes_are_read_as_they_were_drawn(layout: str, pictures: list[Picture]) -> None:
    name = FILES[layout][0]
    files = written(layout, pictures)
    assert next(each.name for each in BOX_FORMATS if each.accepts(files)) == name
    assert BOX_FORMATS[name].is_evident(files)
    assert not any(each.is_evident(files) for each in MASK_FORMATS)
    found = read_boxes(name, files)
    assert problems(found) == {}
    assert found.warnings == []
    read = boxes(found)
    assert set(read) == {each.name for each in pictures}
    for picture in pictures:
        expected = sorted((each.label, *each.values) for each in picture.shapes)
        rows = sorted(row[:5] for row in read[picture.name])
        assert [row[0] for row in rows] == [each[0] for each in expected]
        for row, each in zip(rows, expected, strict=True):
            assert row[1:] == pytest.approx(each[1:], abs=1e-4)


OUTLINES = [
    Drawn("b", "box", (10, 10, 40, 30)),
    Drawn("a", "polygon", [(20, 5), (60, 5), (60, 50), (20, 50)]),
    Drawn("c", "ellipse", (50, 40, 70, 60)),
    Drawn("a", "polyline", [(1, 1), (5, 9), (7, 2)]),
    Drawn("b", "point", (3, 3)),
]


def _painted(shapes: Sequence[Drawn]) -> NDArray[np.uint8]:
    """Paint shapes pixel by pixel: those whose center is inside."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    y, x = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    for shape in shapes:
        label = "abc".index(shape.label) + 1
        if shape.kind == "pixels":
            mask[shape.values] = label
        elif shape.kind in {"box", "polygon"}:
            corners = np.array(shape.values).reshape(-1, 2)
            (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
            mask[(x > left) & (x < right) & (y > top) & (y < bottom)] = label
        elif shape.kind == "ellipse":
            left, top, right, bottom = shape.values
            across = ((x - (left + right) / 2) / ((right - left) / 2)) ** 2
            down = ((y - (top + bottom) / 2) / ((bottom - top) / 2)) ** 2
            mask[across + down < 1] = label
    return mask


@pytest.mark.parametrize("layout", [each for each in FILES if each != "cvat"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_of_files(layout: str, encoding: str) -> None:
    shapes = [Drawn("größe", "box", (1, 1, 5, 5))]
    found = written(layout, [Picture("x.png", shapes)]).images
    content = {path: found.read(path).decode().encode(encoding) for path in found.paths}
    files = together(content | {"x.png": b""})
    name = next(each.name for each in BOX_FORMATS if each.accepts(files))
    assert boxes(read_boxes(name, files)) == {"x.png": [("größe", 1, 1, 5, 5, 0)]}


@pytest.mark.parametrize("layout", [each for each in FILES if each != "create ml"])
def test_outlines_become_masks_and_boxes(layout: str) -> None:
    name = FILES[layout][0]
    files = written(layout, [Picture("x.png", OUTLINES), Picture("y.png")])
    assert next(each.name for each in MASK_FORMATS if each.accepts(files)) == name
    assert MASK_FORMATS[name].is_evident(files)
    assert not BOX_FORMATS[name].is_evident(files)
    found = MASK_FORMATS[name].read(files, AnnotationOptions(), SILENT)
    assert isinstance(found, MaskAnnotations)
    assert found.names == ("background", "a", "b", "c")
    mask, remarks = found.mask("x.png", SIZE)
    assert np.array_equal(mask, _painted(OUTLINES))
    assert sum(each.objects for each in remarks) == 2
    assert found.object_count("x.png") == len(OUTLINES)
    assert not found.mask("y.png", SIZE)[0].any()
    assert any("rectangle" in str(each) for each in found.warnings)

    as_boxes = read_boxes(name, files)
    rows = [row[:5] for row in boxes(as_boxes)["x.png"]]
    expected = [("b", 10, 10, 40, 30), ("a", 20, 5, 60, 50), ("c", 50, 40, 70, 60)]
    assert sorted(rows) == sorted(expected)
    assert [str(each) for each in as_boxes.warnings] == [
        "2 shapes are not upright rectangles: the boxes around them are used."
    ]


def test_holes_and_bitmaps_of_supervisely() -> None:
    outer, hole = (
        [[10, 10], [50, 10], [50, 40], [10, 40]],
        [[20, 20], [30, 20], [30, 30], [20, 30]],
    )
    file = io.BytesIO()
    Image.fromarray(np.array([[0, 255], [255, 255]], np.uint8)).save(file, "PNG")
    packed = base64.b64encode(zlib.compress(file.getvalue())).decode()
    entries = [
        {"geometryType": "polygon", "points": {"exterior": outer, "interior": [hole]}},
        {"geometryType": "bitmap", "bitmap": {"data": packed, "origin": [60, 5]}},
        {"geometryType": "bitmap", "bitmap": {"data": "!", "origin": [60, 5]}},
        {"geometryType": "rectangle", "points": {"exterior": [[1, 2]]}},
        {"geometryType": "graph", "points": {}},
    ]
    document = {
        "size": {"width": WIDTH, "height": HEIGHT},
        "tags": [],
        "objects": [each | {"classTitle": "a"} for each in entries],
    }
    content: dict[str, str | bytes] = {"ds/img/x.png": b"", "other/x.png": b""}
    content["ds/ann/x.png.json"] = json.dumps(document)
    found = read_boxes("supervisely", together(content))
    rows = boxes(found)["ds/img/x.png"]
    assert rows == [("a", 10, 10, 50, 40, 0), ("a", 60, 5, 62, 7, 0)]
    assert sum(each.objects for each in found.boxes("ds/img/x.png", SIZE)[1]) == 3
    document["objects"] = document["objects"][:2]  # type: ignore[index]
    files = together({"x.png": b"", "x.png.json": json.dumps(document)})
    mask = masks("supervisely", files)["x.png"]
    assert mask[25, 25] == 0, "the hole"
    assert mask[15, 15] == 1
    assert mask.sum() == 40 * 30 - 10 * 10 + 3


def test_faces_of_wider_face() -> None:
    text = (
        "0--Parade/a.jpg\n3\n10 5 20 30 0 0 0 0 0 0\n1 1 0 5 0 0 0 0 0 0\n"
        "2 2 9 9 1 0 0 1 0 0\n1--B/b.jpg\n0\n0 0 0 0 0 0 0 0 0 0\n1--B/gone.jpg\n1\n1 2 3 4\n"
    )
    pictures = {"WIDER_train/images/0--Parade/a.jpg": b"", "WIDER_train/images/1--B/b.jpg": b""}
    found = read_boxes("wider_face", together(pictures | {"wider_face_train_bbx_gt.txt": text}))
    assert boxes(found) == dict(zip(pictures, ([("face", 10, 5, 30, 35, 0)], []), strict=True))
    assert {each.split for each in found.pictures} == {"train"}
    assert [(each.path, each.objects) for each in found.problems] == [("1--B/gone.jpg", 1)]
    (first, *_) = found.pictures
    assert sum(each.objects for each in found.boxes(first.annotation, SIZE)[1]) == 2
    with pytest.raises(StudioError, match="the number of objects is missing after line 7"):
        read_boxes(
            "wider_face", together({"a.jpg": b"", "x.txt": text.replace("3\n10", "4\n10", 1)})
        )


@pytest.mark.parametrize("layout", BRUSHES)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(("noise", "blocks", "all")))
def test_brushes_are_read_pixel_by_pixel(layout: str, seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    mask = random.random((HEIGHT, WIDTH)) < 0.3
    if kind == "blocks":
        mask = np.kron(random.random((HEIGHT // 20, WIDTH // 20)) < 0.5, np.ones((20, 20))) > 0
    mask |= kind == "all"
    mask[10, 10] = True
    files = written(layout, [Picture("x.png", [Drawn("a", "pixels", mask)])])
    name = FILES[layout][0]
    assert np.array_equal(masks(name, files)["x.png"], mask)
    rows, columns = np.nonzero(mask)
    (row,) = boxes(read_boxes(name, files))["x.png"]
    around = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert row[:5] == ("a", *around)


# Label Studio


def task(
    number: int = 1, name: str = "x.png", label: str = "a", **facts: object
) -> dict[str, Any]:
    """Return a task with a box."""
    picture = Picture(name, [Drawn(label, "box", (10, 10, 20, 20))])
    return label_studio_task(picture, number) | facts


@pytest.mark.parametrize(
    ("image", "stored"),
    [
        ("/data/upload/1/a1b2c3d4-x.png", "x.png"),
        ("/data/upload/1/a1b2c3d4-x.png", "images/a1b2c3d4-x.png"),
        ("/data/upload/1/a1b2c3d4-my_photo_1.png", "my photo (1).png"),
        ("/data/local-files/?d=set%201/x.png", "set 1/x.png"),
        ("/data/local-files/?d=C:\\photos\\x.png", "x.png"),
        ("s3://bucket/folder/x%20y.png", "x y.png"),
        ("https://host.example/a/x.png?sign=1&to=2", "a/x.png"),
        ("\\\\server\\share\\x.png", "x.png"),
        ("../../../x.png", "x.png"),
    ],
)
def test_label_studio_names_of_pictures(image: str, stored: str) -> None:
    text = json.dumps([task(data={"image": image})])
    found = read_boxes("label_studio", together({"in.json": text, stored: b""}))
    assert boxes(found) == {stored: [("a", 10, 10, 20, 20, 0)]}
    assert problems(found) == {}


def test_uploads_of_the_same_name_are_not_mixed_up() -> None:
    tasks = [task(1), task(2, data={"image": "/data/upload/1/ffffffff-x.png"})]
    names = {"a1b2c3d4-x.png": b"", "ffffffff-x.png": b""}
    text = json.dumps(tasks)
    assert set(boxes(read_boxes("label_studio", together({"in.json": text, **names})))) == set(
        names
    )
    found = read_boxes("label_studio", together({"in.json": text, "x.png": b""}))
    assert list(boxes(found)) == ["x.png"]
    assert [each.objects for each in found.boxes("x.png", SIZE)[1]] == [1]


def test_annotations_of_several_people() -> None:
    first, second, third = (task(label=each)["annotations"][0] for each in "abc")
    cancelled = second | {"was_cancelled": True}
    chosen = {
        "last": [first, second, third],
        "truth": [first | {"ground_truth": True}, second],
        "cancelled": [first, cancelled],
    }
    tasks = [
        task(number, f"{name}.png", annotations=annotations, predictions=[{"result": []}])
        for number, (name, annotations) in enumerate(chosen.items(), 1)
    ]
    tasks += [task(8, "skipped.png", annotations=[cancelled]), task(9, "new.png", annotations=[])]
    content: dict[str, str | bytes] = {f"{name}.png": b"" for name in (*chosen, "skipped", "new")}
    found = read_boxes("label_studio", together({"in.json": json.dumps(tasks)} | content))
    labels = {path: [row[0] for row in rows] for path, rows in boxes(found).items()}
    assert labels == {"last.png": ["c"], "truth.png": ["a"], "cancelled.png": ["a"]}
    reported = {path: sum(each.objects for each in found.boxes(path, SIZE)[1]) for path in labels}
    assert reported == {"last.png": 2, "truth.png": 1, "cancelled.png": 1}
    (skipped,) = [each for each in found.problems if each.objects]
    assert (skipped.path.rpartition("-")[2], skipped.objects) == ("skipped.png", 1)
    several, predictions = map(str, found.warnings)
    assert several.startswith(
        "2 tasks in in.json have more than one annotation, of which 2 differ"
    )
    assert predictions == "3 predictions of models in in.json are not used."


def test_turned_shapes() -> None:
    shapes = [
        Drawn("a", "box", (50, 20, 60, 50), turn=90),
        Drawn("b", "ellipse", (10, 10, 30, 20), turn=90),
    ]
    files = written("label studio", [Picture("x.png", shapes)])
    rows = {row[0]: row[1:5] for row in boxes(read_boxes("label_studio", files))["x.png"]}
    # Label Studio turns rectangles around their upper left corner, clockwise.
    assert rows["a"] == pytest.approx((20, 20, 50, 30), abs=1e-4)
    assert rows["b"] == pytest.approx((15, 5, 25, 25), abs=1e-3)
    rows = {
        row[0]: row[1:5]
        for row in boxes(read_boxes("cvat", written("cvat", [Picture("x.png", shapes)])))["x.png"]
    }
    assert rows["a"] == pytest.approx((40, 30, 70, 40), abs=1e-4), "CVAT, around the center"


def test_a_region_and_its_label_may_be_two_entries() -> None:
    both = label_studio_result(Drawn("a", "box", (10, 10, 20, 20)))
    value = {key: side for key, side in both["value"].items() if key != "rectanglelabels"}
    entries = [
        both | {"type": "rectangle", "value": value},
        both | {"type": "labels", "from_name": "kind", "value": value | {"labels": ["a"]}},
        both | {"type": "choices", "from_name": "quality", "value": {"choices": ["good"]}},
        both | {"id": "n", "type": "rectangle", "value": value},
        label_studio_result(Drawn("a", "box", (1, 1, 9, 9)), 5)
        | {"value": value | {"rectanglelabels": ["a", "b"]}},
        {"id": "c", "type": "cuboidlabels", "value": {"cuboidlabels": ["a"]}},
    ]
    found = read_boxes(
        "label_studio",
        together({"in.json": json.dumps([task(annotations=[{"result": entries}])]), "x.png": b""}),
    )
    assert boxes(found)["x.png"] == [("a", 10, 10, 20, 20, 0)]
    reported = found.boxes("x.png", SIZE)[1]
    assert sum(each.objects for each in reported) == 3
    assert problems(found)["x.png"] == [
        "left out a shape: a shape has no label",
        "left out a shape: it has several labels (a, b)",
        'left out a shape: it has a shape of an unknown type, "cuboid"',
    ]


def _on_page(shape: Drawn, number: int, page: int | None) -> dict[str, Any]:
    return label_studio_result(shape, number) | ({} if page is None else {"item_index": page})


@pytest.mark.parametrize("is_short", [False, True])
def test_shapes_of_label_studio_belong_to_the_page_on_which_they_were_drawn(
    is_short: bool,
) -> None:
    names = ["a.png", "b.png", "c.png"]
    drawn = [_on_page(Drawn("x", "box", (n, 5, n + 9, 20)), n, n % 2) for n in range(4)]
    task: dict[str, Any] = label_studio_task(Picture("a.png", []), 1) | {
        "data": {"pages": [f"/data/upload/1/a1b2c3d4-{name}" for name in names]}
    }
    task["annotations"][0]["result"] = drawn
    if is_short:
        regions = [
            each["value"]
            | {key: each[key] for key in each if key.startswith(("original", "item"))}
            for each in drawn
        ]
        task = {**task["data"], "id": 1, "label": regions, "annotation_id": 1, "lead_time": 2.5}
    content: dict[str, str | bytes] = {**dict.fromkeys(names, b""), "in.json": json.dumps([task])}
    found = read_boxes("label_studio", together(content))

    assert problems(found) == {}
    lefts = {name: sorted(row[1] for row in rows) for name, rows in boxes(found).items()}
    assert lefts == {"a.png": [0, 2], "b.png": [1, 3], "c.png": []}


def test_choices_of_label_studio_without_a_page_are_for_all_pages() -> None:
    def choice(name: str, text: str) -> dict[str, Any]:
        return {"id": name, "type": "choices", "from_name": name, "value": {"choices": [text]}}

    task: dict[str, Any] = label_studio_task(Picture("a.png", []), 1)
    task["data"] = {"pages": ["a.png", "b.png"]}
    task["annotations"][0]["result"] = [
        choice("document", "invoice"),
        choice("page", "first") | {"item_index": 0},
        choice("page", "last") | {"item_index": 1},
    ]
    data = json.dumps([task]).encode()
    files = together({"in.json": data, "a.png": b"", "b.png": b""})
    found = LabelStudio().parsed(data, "in.json", PictureNames(files))
    assert [each.labels for each in found.pictures] == [
        {"document": ["invoice"], "page": ["first"]},
        {"document": ["invoice"], "page": ["last"]},
    ]


@pytest.mark.parametrize(
    ("pages", "page"), [(["a.png", "b.png"], None), (["a.png", "b.png"], 2), (["a.png"], 1)]
)
def test_shapes_of_label_studio_on_an_unknown_page_are_reported(
    pages: list[str], page: int | None
) -> None:
    task: dict[str, Any] = label_studio_task(Picture("a.png", []), 1)
    task["data"] = {"image": pages if len(pages) > 1 else pages[0]}
    task["annotations"][0]["result"] = [_on_page(Drawn("x", "box", (1, 5, 9, 20)), 1, page)]
    other = label_studio_task(Picture("d.png", [Drawn("x", "box", (1, 5, 9, 20))]), 2)
    content: dict[str, str | bytes] = {
        "in.json": json.dumps([task, other]),
        "a.png": b"",
        "b.png": b"",
        "d.png": b"",
    }
    found = read_boxes("label_studio", together(content))

    assert "item_index" in str(problems(found)["a.png"])
    assert [*boxes(found)] == ["d.png"]


@pytest.mark.parametrize("prefix", ["", "a1b2c3d4-"])
def test_yolo_of_label_studio(prefix: str) -> None:
    notes = {"categories": [{"id": 0, "name": "cat"}, {"id": 1, "name": "dog"}]}
    info = {"info": {"year": 2025, "version": "1.0", "contributor": "Label Studio"}}
    files = together(
        {
            "classes.txt": "cat\ndog\n",
            "notes.json": json.dumps(notes | info),
            "labels/a1b2c3d4-x.txt": "1 0.5 0.5 0.2 0.25\n",
            f"images/{prefix}x.png": b"",
        }
    )
    assert [each.name for each in BOX_FORMATS if each.accepts(files)] == ["yolo"]
    assert not any(each.accepts(files) for each in MASK_FORMATS)
    found = read_boxes("yolo", files)
    assert boxes(found) == {f"images/{prefix}x.png": [("dog", 40, 30, 60, 50, 0)]}
    assert problems(found) == {}


# CVAT "for video"


def video(*tracks: Sequence[dict[str, object]], size: int = 6) -> str:
    """Return XML with tracks of boxes, whose facts are changed."""
    root = ET.Element("annotations")
    meta = ET.SubElement(ET.SubElement(root, "meta"), "task")
    ET.SubElement(meta, "size").text = str(size)
    original = ET.SubElement(meta, "original_size")
    ET.SubElement(original, "width").text = str(WIDTH)
    ET.SubElement(original, "height").text = str(HEIGHT)
    for number, shapes in enumerate(tracks):
        track = ET.SubElement(root, "track", {"id": str(number), "label": "car"})
        for facts in shapes:
            box = cvat_shape(track, Drawn("", "box", (10, 10, 20, 20)))
            del box.attrib["label"]
            box.attrib.update({key: str(value) for key, value in facts.items()})
    return ET.tostring(root, encoding="unicode")


def test_frames_of_a_video() -> None:
    text = video(
        [{"frame": 0}, {"frame": 1}, {"frame": 2, "outside": 1}, {"frame": 4}, {"frame": 9}],
        [{"frame": 1, "xtl": 30, "xbr": 40}],
    )
    content: dict[str, str | bytes] = {f"images/frame_{number:06}.png": b"" for number in range(6)}
    found = read_boxes("cvat", together(content | {"annotations.xml": text}))
    rows = {int(path[-10:-4]): len(rows) for path, rows in boxes(found).items()}
    assert rows == {0: 1, 1: 2, 2: 0, 3: 0, 4: 1}
    reasons = {each.path: (str(each.reason), each.objects) for each in found.problems}
    assert reasons == {
        "frame_000005": (
            "the shape of a track lies between two key frames and is not in the file", 0,
        ),
        "frame_000009": ("annotations.xml names it, but the image does not exist", 1),
        "images/frame_000005.png": ("no annotation of CVAT XML names it", 0),
    }  # fmt: skip


def test_a_video_without_frames_says_what_to_export() -> None:
    files = together({"annotations.xml": video([{"frame": 0}]), "other.png": b""})
    with pytest.raises(StudioError, match="frame_000000") as caught:
        read_boxes("cvat", files)
    assert "Save images" in str(caught.value.hint)


# VIA


def test_attributes_of_via() -> None:
    picture = Picture(
        "x.png", [Drawn("a", "box", (1, 1, 5, 5)), Drawn("b", "box", (9, 9, 20, 20))]
    )

    def files(change: Callable[[dict[str, Any], int], None]) -> AnnotatedFiles:
        document = json.loads(via([picture]))
        for number, region in enumerate(document["x.png12345"]["regions"]):
            change(region["region_attributes"], number)
        return together({"via.json": json.dumps(document), "x.png": b""})

    def labels(change: Callable[[dict[str, Any], int], None]) -> list[str]:
        return [row[0] for row in boxes(read_boxes("via", files(change)))["x.png"]]

    assert labels(lambda facts, _: facts.update(color="red")) == ["a", "b"]
    assert labels(lambda facts, _: facts.update({"class": {"c": True, "d": False}})) == ["c", "c"]
    plain = files(lambda facts, _: facts.clear())
    found = read_boxes("via", plain)
    assert [row[0] for row in boxes(found)["x.png"]] == ["object", "object"]
    assert "no attributes" in str(found.warnings[0])

    def two(facts: dict[str, Any], _: int) -> None:
        facts.clear()
        facts.update(color="red", size="big")

    with pytest.raises(StudioError, match=r"2 attributes \(color, size\)"):
        read_boxes("via", files(two))
    half = read_boxes("via", files(lambda facts, number: facts.clear() if number else None))
    assert len(boxes(half)["x.png"]) == 1
    assert problems(half)["x.png"] == ["left out a shape: a shape has no label"]


# Hostile files


def test_a_cell_of_a_table_may_be_large() -> None:
    mask = np.random.default_rng(1).random((HEIGHT, WIDTH)) < 0.5
    text = label_studio_csv([Picture("x.png", [Drawn("a", "pixels", mask)] * 4)])
    assert len(text) > 3 * 2**17
    files = together({"table.csv": text, "x.png": b""})
    assert np.array_equal(masks("label_studio", files)["x.png"], mask)
    assert csv.field_size_limit() == 2**17, "the limit of all other readers"


@pytest.mark.parametrize(
    ("rle", "reason"),
    [
        ([255] * 20, "its RLE is not for the size of the image"),
        ([0, 0, 125, 0, 57], "its RLE is damaged"),
        ([300], "its RLE is damaged"),
        ("x", "its RLE is damaged"),
        (None, "its RLE is damaged"),
    ],
)
def test_damaged_brushes_are_reported(rle: object, reason: str) -> None:
    document = task()
    document["annotations"][0]["result"].append(
        label_studio_result(Drawn("b", "pixels", np.ones((HEIGHT, WIDTH), bool)), 9)
    )
    document["annotations"][0]["result"][-1]["value"]["rle"] = rle
    found = read_boxes("label_studio", together({"in.json": json.dumps([document]), "x.png": b""}))
    assert problems(found)["x.png"] == [f"left out a shape: {reason}"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rle": "5, 7"}, "damaged"),
        ({"rle": "-1, 101"}, "damaged"),
        ({"rle": "9" * 400}, "damaged"),
        ({"rle": "99999999999999999999"}, "damaged"),
        ({"width": "1e300"}, "far outside"),
        ({"width": "0"}, "no size"),
        ({"left": "nan"}, "not a number"),
        ({"left": "95"}, "beyond the image"),
    ],
)
def test_damaged_masks_of_cvat_cost_their_picture(change: dict[str, str], reason: str) -> None:
    root = ET.fromstring(
        cvat(
            [
                Picture("x.png", [Drawn("a", "pixels", np.eye(10) > 0)]),
                Picture("y.png", [Drawn("a", "box", (1, 1, 5, 5))]),
            ]
        )
    )
    mask = root.find("image/mask")
    assert mask is not None
    mask.attrib.update(change)
    text = ET.tostring(root, encoding="unicode")
    files = together({"a.xml": text, "x.png": b"", "y.png": b""})
    found = MASK_FORMATS["cvat"].read(files, AnnotationOptions(), SILENT)
    assert isinstance(found, MaskAnnotations)
    assert found.mask("y.png", SIZE)[0].any()
    with pytest.raises(BadDataError, match=reason):
        found.mask("x.png", SIZE)
    assert found.object_count("x.png") == 1


def test_the_name_of_a_file_may_define_the_split() -> None:
    shapes = [Drawn("a", "box", (1, 1, 5, 5))]
    files = {
        "train.xml": cvat([Picture("a.png", shapes)]),
        "val.xml": cvat([Picture("b.png", shapes)]),
    }
    found = read_boxes("cvat", together(files | {"a.png": b"", "b.png": b""}))
    assert {each.path: each.split for each in found.pictures} == {"a.png": "train", "b.png": "val"}
    # A file of LabelMe has the name of its picture: a train is no training image.
    of_train = together({"train.json": labelme(Picture("train.png", shapes)), "train.png": b""})
    assert read_boxes("labelme", of_train).pictures[0].split is None


@pytest.mark.parametrize("folders", [("", ""), ("images/", "labels/")])
def test_files_of_labelme_that_were_renamed_with_their_pictures(folders: tuple[str, str]) -> None:
    images, labels = folders
    content: dict[str, str | bytes] = {}
    for number in (1, 2, 3):
        shape = Drawn("a", "box", (1, 1, 5 + number, 9))
        content[f"{images}{number}.png"] = b""
        content[f"{labels}{number}.json"] = labelme(Picture(f"{number - 1}.png", [shape]))
    found = read_boxes("labelme", together(content))
    assert boxes(found) == {
        f"{images}{number}.png": [("a", 1, 1, 5 + number, 9, 0)] for number in (1, 2, 3)
    }
    assert problems(found) == {}
    warning = (
        f"2 annotation files, such as {labels}2.json, name the image of another file. The images "
        "beside them are used."
    )
    assert list(map(str, found.warnings)) == [warning]


def test_labels_of_labelme_may_be_numbers() -> None:
    shapes = [Drawn(label, "box", (1, 1, 5, 5 + at)) for at, label in enumerate(("7", "8", "9"))]
    document = json.loads(labelme(Picture("x.png", shapes)))
    for shape, label in zip(document["shapes"], (7, True, None), strict=True):
        shape["label"] = label
    found = read_boxes("labelme", together({"x.png": b"", "x.json": json.dumps(document)}))
    assert boxes(found)["x.png"] == [("7", 1, 1, 5, 5, 0)]
    assert problems(found)["x.png"] == ["left out 2 shapes: a shape has no label"]
    document["shapes"] = document["shapes"][1:]
    files = together({"x.png": b"", "x.json": json.dumps(document)})
    with pytest.raises(StudioError, match=r"2 shapes cannot be used.*a shape has no label"):
        read_boxes("labelme", files)
