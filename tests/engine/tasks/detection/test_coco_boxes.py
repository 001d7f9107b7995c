"""COCO files of other programs: ids in any spelling, and nothing is lost without a report."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from helpers.box_files import SIZE, boxes, problems, read, together, unannotated
from studio.engine.errors import StudioError
from studio.engine.tasks.annotations import BoxAnnotations, LeftOut

BOX = [1, 2, 10, 20]


def image(number: object, name: object, **more: object) -> dict[str, object]:
    return {"id": number, "file_name": name, "width": 100, "height": 80, **more}


def thing(picture: object, category: object = 1, **more: object) -> dict[str, object]:
    return {"image_id": picture, "category_id": category, "bbox": BOX, **more}


def category(number: object, name: object, **more: object) -> dict[str, object]:
    return {"id": number, "name": name, **more}


CATEGORIES: list[object] = [category(1, "cat"), category(2, "dog")]


def read_coco(
    images: list[Any],
    annotations: list[Any],
    categories: list[Any] | None = None,
    data: bytes | None = None,
) -> BoxAnnotations:
    document = {
        "images": images,
        "annotations": annotations,
        "categories": CATEGORIES if categories is None else categories,
    }
    names = [f"{name}.jpg" for name in "abcdef"]
    content = dict.fromkeys(names, b"")
    content["c.json"] = json.dumps(document).encode() if data is None else data
    return read("coco_boxes", together(content))


def classes_of(found: BoxAnnotations) -> dict[str, list[str]]:
    return {path: [row[0] for row in rows] for path, rows in boxes(found).items()}


def reported(found: BoxAnnotations) -> list[LeftOut]:
    """Return what is left out, except images without annotation."""
    names = unannotated(found)
    return [each for each in found.problems if each.path not in names]


@pytest.mark.parametrize(
    ("listed", "used"),
    [(7, 7.0), (7.0, 7), (7, "7"), ("7", 7), ("7.0", 7), ("007", 7), (7, " 7 "), ("x1", "x1")],
)
def test_an_id_is_the_same_in_any_spelling(listed: object, used: object) -> None:
    found = read_coco(
        [image(listed, "a.jpg"), image(8, "b.jpg")],
        [thing(used, used)],
        [category(listed, "cat"), category(8, "dog")],
    )
    assert classes_of(found) == {"a.jpg": ["cat"], "b.jpg": []}
    assert not problems(found)
    assert not found.warnings


def test_ids_that_differ_in_spelling_alone_are_taken_as_written() -> None:
    found = read_coco(
        [image(7, "a.jpg"), image("7", "b.jpg"), image("007", "c.jpg")],
        [thing(7), thing("7", 2), thing("007"), thing("7.0"), thing(7.0, 2)],
    )
    assert classes_of(found) == {"a.jpg": ["cat", "dog"], "b.jpg": ["dog"], "c.jpg": ["cat"]}
    assert problems(found) == {
        "c.json": [
            (
                "left out an annotation of an image that it does not list: annotations[3], "
                "image_id 7.0"
            )
        ]
    }


@pytest.mark.parametrize("number", [None, True, [], {}, 1e999, "", 7.5])
def test_an_annotation_without_a_listed_image_is_reported(number: object) -> None:
    found = read_coco([image(7, "a.jpg"), image(1, "b.jpg")], [thing(7), thing(number, id=17)])
    assert classes_of(found) == {"a.jpg": ["cat"], "b.jpg": []}
    (left_out,) = reported(found)
    assert left_out.objects == 1
    assert "annotations[1] (id 17), image_id" in left_out.reason


def test_annotations_of_missing_pictures_and_of_none_are_counted() -> None:
    found = read_coco(
        [image(1, "a.jpg"), image(2, "gone.jpg"), image(3, None), image(None, "b.jpg"), None, 5],
        [thing(1), thing(2), thing(2), thing(3), thing(None), thing(99), None, [], "x"],
    )
    assert classes_of(found) == {"a.jpg": ["cat"]}
    assert {(each.path, each.objects) for each in reported(found)} == {
        ("gone.jpg", 2), ("images[2] (id 3)", 1), ("b.jpg", 0),
        ("c.json", 0), ("c.json", 2), ("c.json", 3),
    }  # fmt: skip
    reasons = problems(found)
    assert reasons["b.jpg"] == ["it has no id in c.json, so its annotations are unknown"]
    assert "2 entries are no JSON objects; the first is images[4]" in reasons["c.json"]
    assert (
        "left out 3 annotations that are no JSON objects; the first is annotations[6]"
        in reasons["c.json"]
    )


def test_an_image_id_of_two_pictures_is_ambiguous() -> None:
    found = read_coco(
        [image(1, "a.jpg"), image(1, "b.jpg"), image(2, "c.jpg"), image(3, "d.jpg"),
         image(3, "e.jpg")],
        [thing(1), thing(1), thing(2)],
    )  # fmt: skip
    assert classes_of(found) == {"c.jpg": ["cat"], "d.jpg": [], "e.jpg": []}
    assert problems(found) == {
        "a.jpg": ["c.json has the id of its annotations for b.jpg, too"],
        "b.jpg": ["c.json has the id of its annotations for a.jpg, too"],
    }
    assert [each.objects for each in reported(found)] == [2, 0]


def test_a_category_of_two_names_is_refused_if_it_is_used() -> None:
    categories = [category(1, "cat"), category(1, "dog"), category(2, "cow")]
    images = [image(1, "a.jpg")]
    with pytest.raises(StudioError, match='the id 1, "cat" and "dog"; 2 annotations have this id'):
        read_coco(images, [thing(1), thing(1, "1")], categories)
    assert classes_of(read_coco(images, [thing(1, 2)], categories)) == {"a.jpg": ["cow"]}
    same = [category(1, "cat"), category(1, "cat")]
    assert read_coco(images, [thing(1)], same).names == ("cat",)


def test_categories_of_one_name_are_one_class_with_a_warning() -> None:
    categories = [category(1, "cat"), category(4, "cat"), category(5, "cat"), category(6, "dog")]
    found = read_coco([image(1, "a.jpg")], [thing(1), thing(1, 4)], categories)
    assert found.names == ("cat", "dog")
    assert found.warnings == [
        'The categories 1, 4 in c.json have the same name, "cat"; they are one class.'
    ]


def test_categories_with_odd_names() -> None:
    categories = [category(3, None), category(10, 5), category("9", ""), {"name": "x"}, None]
    found = read_coco([image(1, "a.jpg")], [thing(1, 3), thing(1, "10"), thing(1, 9)], categories)
    assert found.names == ("3", "9", "5")
    assert found.warnings == [
        (
            "2 categories in c.json have no name, such as categories[0] (id 3); their ids are "
            "taken as names."
        )
    ]
    assert problems(found)["c.json"] == [
        "an entry is no JSON object: categories[4]",
        "a category has no id: categories[3]",
    ]


def test_the_group_of_roboflow_is_no_class() -> None:
    categories = [
        category(0, "objects", supercategory="none"),
        category(1, "cat", supercategory="objects"),
        category(2, "dog", supercategory="objects"),
    ]
    found = read_coco([image(0, "a.jpg")], [thing(0, 1)], categories)
    assert found.names == ("cat", "dog")
    found = read_coco([image(0, "a.jpg")], [thing(0, 1), thing(0, 0)], categories)
    assert found.names == ("objects", "cat", "dog")


def test_boxes_that_are_no_boxes_are_reported_with_their_position() -> None:
    odd = [None, [], "1,2,3,4", [1, 2, 3], [1, 2, 3, 4, 5], ["a", 2, 3, 4], [1, 2, None, 4],
           [1, 2, float("nan"), 4], [1, 2, float("inf"), 4], [1, 10**400, 3, 4],
           ["1", "2", "3", "4"]]  # fmt: skip
    annotations = [thing(1, id=100 + index, bbox=box) for index, box in enumerate(odd)]
    del annotations[0]["bbox"]
    found = read_coco([image(1, "a.jpg")], annotations)
    assert [row[1:5] for row in boxes(found)["a.jpg"]] == [(1, 2, 4, 6)]
    assert problems(found)["a.jpg"] == [
        "left out 3 objects without a box; the first is annotations[0] (id 100)",
        (
            "left out 2 objects whose bbox does not have four values; the first is annotations[3] "
            "(id 103)"
        ),
        "left out 5 boxes whose coordinates are not numbers; the first is annotations[5] (id 105)",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"images": [],\n "annotations": [{"bb', "cut off at line 2, column 21"),
        ('{"images": [], "annotations": [1,]}', "damaged at line 1, column 34"),
        ('{"images": [], "x": "\xe4"}', "not in UTF-8 at line 1"),
        ('{"images": [' + "1" * 5000 + "]}", "a number of its JSON is too long"),
        (
            '{"images": [{"id": 1, "file_name": "z.jpg"}], "annotations": []}',
            "z.jpg: c.json names",
        ),
        ('{"images": {"a": [], "images": []}, "annotations": []}', "it has no list of images"),
        ('{"images": []}', "c.json: it lists images, but no annotations"),
    ],
)
def test_the_error_names_the_first_reason(text: str, reason: str) -> None:
    with pytest.raises(StudioError, match="refer to none of the images") as caught:
        read_coco([], [], data=text.encode("latin-1"))
    assert reason in caught.value.message


def test_the_error_names_several_reasons() -> None:
    images = [image(1, "a.jpg"), image(1, "b.jpg")]
    with pytest.raises(StudioError) as caught:
        read_coco(images, [thing(1, id=5), thing(9, id=6)])
    assert "c.json: left out an annotation of an image that it does not" in caught.value.message
    assert "a.jpg: c.json has the id of its annotations for b.jpg, too" in caught.value.message


def test_the_error_about_boxes_names_the_first_reason() -> None:
    with pytest.raises(StudioError, match=r'The first problem: a.jpg: .* unknown class "1"'):
        read_coco([image(1, "a.jpg")], [thing(1)], [])
    with pytest.raises(StudioError, match=r"not numbers: annotations\[0\]"):
        read_coco([image(1, "a.jpg")], [thing(1, bbox=[float("nan")] * 4)])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_with_a_byte_order_mark(encoding: str) -> None:
    document = {
        "images": [image(1, "a.jpg")],
        "annotations": [thing(1)],
        "categories": [category(1, "кот")],
    }
    text = json.dumps(document, ensure_ascii=False).encode(encoding)
    assert read_coco([], [], data=text).names == ("кот",)


def test_boxes_of_corners_are_conspicuous() -> None:
    corners = [[60, 30, 90, 60], [10, 20, 50, 70], [40, 40, 60, 50]]
    found = read_coco([image(1, "a.jpg")], [thing(1, bbox=box) for box in corners])
    assert found.warnings[0].startswith("3 of 3 boxes leave their images, and none would if")
    usual = [[60, 30, 30, 30], [10, 20, 80, 60], [95, 40, 10, 10]]
    assert not read_coco([image(1, "a.jpg")], [thing(1, bbox=box) for box in usual]).warnings


def test_a_picture_in_files_of_several_splits_is_conspicuous() -> None:
    document = {
        "images": [image(1, "a.jpg")],
        "annotations": [thing(1)],
        "categories": CATEGORIES,
    }
    text = json.dumps(document).encode()
    content = {"a.jpg": b"", "train.json": text, "val.json": text}
    found = read("coco_boxes", together(content))
    assert [each.split for each in found.pictures] == ["train"]
    assert found.warnings == [
        "a.jpg is listed for several splits; the split of the first file is used."
    ]


def test_files_beside_instances_are_mentioned() -> None:
    document = {
        "images": [image(1, "a.jpg")],
        "annotations": [thing(1)],
        "categories": CATEGORIES,
    }
    text = json.dumps(document).encode()
    content = {"a.jpg": b"", "instances_train.json": text, "more.json": text}
    assert "more.json is not read" in read("coco_boxes", together(content)).warnings[0]


def test_boxes_of_pycocotools_are_read(tmp_path: Path) -> None:
    coco = pytest.importorskip("pycocotools.coco")
    generator = random.Random(1)
    names = [f"{name}.jpg" for name in "abcdef"]
    document = {
        "images": [image(10 * index, name) for index, name in enumerate(names)],
        "annotations": [
            thing(10 * generator.randrange(6), generator.choice((1, 2)), id=index, area=1,
                  iscrowd=0, bbox=[generator.uniform(0, 50), generator.uniform(0, 30),
                                   generator.uniform(1, 49), generator.uniform(1, 49)])
            for index in range(40)
        ],
        "categories": CATEGORIES,
    }  # fmt: skip
    path = tmp_path / "c.json"
    path.write_text(json.dumps(document))
    theirs = coco.COCO(str(path))
    ours = read("coco_boxes", together(dict.fromkeys(names, b"") | {"c.json": path.read_bytes()}))
    for each in theirs.loadImgs(theirs.getImgIds()):
        expected = [
            (theirs.cats[entry["category_id"]]["name"], *entry["bbox"])
            for entry in theirs.loadAnns(theirs.getAnnIds(each["id"]))
        ]
        found = boxes(ours)[each["file_name"]]
        assert [row[0] for row in found] == [row[0] for row in expected]
        assert [
            (left, top, right - left, bottom - top) for _, left, top, right, bottom, _ in found
        ] == [pytest.approx(row[1:], abs=1e-3) for row in expected]


def faulty(generator: random.Random) -> dict[str, list[Any]]:
    """Return a COCO document with random faults."""
    numbers: list[object] = [1, 2.0, "3", 4, "x", None, [5], True, 99, 2, 1e400]
    names: list[object] = ["a.jpg", "b.jpg", "c.jpg", "gone.jpg", None, 7, "x/d.jpg", "a.jpg"]
    sides: list[object] = [1, 2.5, "3", 40, 200, -5, None, float("nan"), 1e400, 10**400, 0]
    entries: list[dict[str, object] | object] = []
    for index in range(30):
        box = [generator.choice(sides) for _ in range(generator.choice((4, 4, 4, 4, 3, 5, 0)))]
        entry = thing(generator.choice(numbers), generator.choice((1, 2, "1", 2.0, 9, None)))
        entry |= {"id": index, "bbox": generator.choice((box, box, box, None, BOX))}
        entry |= {"segmentation": generator.choice(([], None, [[1, 1, 5, 1, 5, 5]], [[1]], {}))}
        entries.append(generator.choice((entry,) * 9 + (generator.choice((None, [], "x", 3)),)))
    images = [
        generator.choice((image(number, generator.choice(names)),) * 9 + (None,))
        for number in numbers
    ]
    return {"images": [*images, image("f", "f.jpg")], "annotations": [*entries, thing("f")],
            "categories": [*CATEGORIES, None, {"id": None, "name": "x"}]}  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_objects_read_and_reported_are_those_of_the_file(seed: int) -> None:
    document = faulty(random.Random(seed))
    found = read_coco(document["images"], document["annotations"], document["categories"])
    counted = sum(each.objects for each in reported(found))
    for each in found.pictures:
        rows, remarks = found.boxes(each.annotation, SIZE)
        counted += len(rows) + sum(remark.objects for remark in remarks)
    assert counted == len(document["annotations"])


def test_images_that_no_file_lists_are_reported() -> None:
    found = read_coco([image(1, "a.jpg"), image(2, "gone.jpg")], [thing(1)])
    assert unannotated(found) == ["b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]


def test_fractions_instead_of_pixels_are_refused() -> None:
    fractions = [thing(1, bbox=[0.2, 0.1, 0.4, 0.5]), thing(1, bbox=[0, 0, 1, 1])]
    with pytest.raises(StudioError, match="all 2 boxes, such as those of a"):
        read_coco([image(1, "a.jpg")], fractions)
    found = read_coco([image(1, "a.jpg")], [*fractions, thing(1, bbox=[0.5, 0, 7, 7])])
    assert len(boxes(found)["a.jpg"]) == 3


def test_captions_are_named_as_the_reason() -> None:
    captions = [{"id": 5, "image_id": 1, "caption": "a cat"}]
    with pytest.raises(StudioError, match=r"without category_id, such as a caption: .*id 5"):
        read_coco([image(1, "a.jpg")], captions)
