"""Habits of people and tools around Pascal VOC: lists, names, encodings, other shapes."""

from __future__ import annotations

import random
from xml.etree import ElementTree as ET

import pytest

from helpers.box_files import SIZE, apart, boxes, problems, read, together
from studio.engine.errors import StudioError
from studio.engine.tasks.annotations import AnnotatedFiles, BoxAnnotations
from studio.engine.tasks.boxes import DIFFICULT


def thing(name: str, sides: object = (1, 2, 3, 4), shape: str = "bndbox", **more: str) -> str:
    root = ET.Element("object")
    ET.SubElement(root, "name").text = name
    for key, text in more.items():
        ET.SubElement(root, key).text = text
    box = ET.SubElement(root, shape)
    for side, value in zip(("xmin", "ymin", "xmax", "ymax"), sides, strict=True):  # type: ignore[call-overload]  # any sides
        ET.SubElement(box, side).text = str(value)
    return ET.tostring(root, encoding="unicode")


def xml(*objects: str, filename: str = "", size: tuple[object, object] = SIZE) -> str:
    width, height = size
    return (
        f"<annotation><filename>{filename}</filename><size><width>{width}</width>"
        f"<height>{height}</height></size>{''.join(objects)}</annotation>"
    )


def devkit(lists: dict[str, str | bytes], *names: str, root: str = "VOC/") -> AnnotatedFiles:
    content: dict[str, str | bytes] = {}
    for name in names or ("a", "b", "frame 1", "c.v1"):
        content[f"{root}JPEGImages/{name}.jpg"] = b""
        content[f"{root}Annotations/{name}.xml"] = xml(thing("cat"))
    return together(content | {f"{root}ImageSets/{path}": text for path, text in lists.items()})


def splits(found: BoxAnnotations) -> dict[str, str | None]:
    return {each.path.rpartition("/")[2]: each.split for each in found.pictures}


@pytest.mark.parametrize(
    ("train", "val"),
    [
        ("a\nb\n", "frame 1\nc.v1"),
        ("a.jpg\nb.JPG\n", "frame 1.jpg\nc.v1.png"),
        ("a.xml\r\nb.xml\r\n", "frame 1.xml\r\nc.v1.xml"),
        ("JPEGImages/a.jpg\n./b.jpg\n", "Annotations/frame 1.xml\n/data/c.v1.jpg"),
        ("C:\\Users\\x\\a.jpg\n..\\b.jpg\n", '"frame 1.jpg"\nJPEGImages\\c.v1.jpg'),
        ("a  1\nb -1\n", "frame 1  0\nc.v1 1"),
        ("a.jpg 1\nb.jpg  -1\n", "frame 1.jpg 0\nc.v1.jpg\t1"),
        ("JPEGImages/a.jpg Annotations/a.xml\nb.jpg b.xml", "frame 1\nc.v1.jpg c.v1.xml"),
    ],
)
def test_a_list_names_pictures_in_any_way(train: str, val: str) -> None:
    found = read("voc_boxes", devkit({"Main/train.txt": train, "Main/val.txt": val}))
    assert splits(found) == {
        "a.jpg": "train", "b.jpg": "train", "frame 1.jpg": "val", "c.v1.jpg": "val",
    }  # fmt: skip
    assert not problems(found)
    assert not found.warnings


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_lists_with_a_byte_order_mark(encoding: str) -> None:
    found = read("voc_boxes", devkit({"Main/val.txt": "a\nb\n".encode(encoding)}))
    assert splits(found)["a.jpg"] == "val"
    assert not problems(found)


@pytest.mark.parametrize(
    "lists",
    [
        {"Main/cat_train.txt": "a 1\nb -1\n", "Main/cat_val.txt": "frame 1 1\nc.v1 -1"},
        {"train.txt": "a\nb\n", "val.txt": "frame 1\nc.v1"},
        {"Main/training.txt": "a\nb\n", "Main/valid.txt": "frame 1\nc.v1"},
    ],
)
def test_lists_in_other_places(lists: dict[str, str | bytes]) -> None:
    for root in ("", "VOC/"):
        found = read("voc_boxes", devkit(lists, root=root))
        assert list(splits(found).values()) == ["train", "train", "val", "val"]
        assert not problems(found)


def test_entries_without_a_picture_and_in_several_lists() -> None:
    lists: dict[str, str | bytes] = {
        "Main/train.txt": "a\nb\ngone.jpg 1\n..\n",
        "Main/test.txt": "b\nfar/gone 2\n",
    }
    found = read("voc_boxes", devkit(lists))
    assert splits(found)["b.jpg"] == "train"
    assert [each.path for each in found.problems] == ["VOC/gone", "VOC/gone 2"]
    assert found.warnings == [
        "b is in lists of several splits in ImageSets/Main; the first list is used."
    ]


def test_lists_of_annotations_in_another_folder() -> None:
    labels: dict[str, str | bytes] = {
        "Annotations/a.xml": xml(thing("cat")),
        "ImageSets/Main/test.txt": "a.jpg\n",
    }
    found = read("voc_boxes", apart(["x/a.jpg", "y/b.jpg"], labels))
    assert splits(found) == {"a.jpg": "test"}
    assert not problems(found)


def test_the_neighbor_wins_over_the_name_in_the_file() -> None:
    files = together(
        {
            "a.jpg": b"",
            "b.jpg": b"",
            "c.jpg": b"",
            "a.xml": xml(thing("cat"), filename="a.png"),
            "b.xml": xml(thing("dog"), filename="a.jpg"),
            "c.xml": xml(thing("cow"), filename="before renaming.jpg"),
        }
    )
    found = read("voc_boxes", files)
    assert [rows[0][0] for rows in boxes(found).values()] == ["cat", "dog", "cow"]
    assert found.warnings == [
        "b.xml names the image of another file. The image beside it is used."
    ]


def test_other_shapes_are_reported() -> None:
    polygon = "<object><name>cat</name><polygon><x1>1</x1></polygon></object>"
    both = thing("cat", (5, 6, 20, 30)).replace("</object>", "<polygon/></object>")
    rotated = "<object><name>cat</name><robndbox><cx>1</cx></robndbox></object>"
    two = thing("dog").replace("</object>", thing("", (7, 8, 9, 9))[len("<object><name />") :])
    text = xml(polygon, polygon, both, rotated, two, thing(""), "<object><name>x</name></object>")
    found = read("voc_boxes", together({"a.jpg": b"", "a.xml": text}))
    assert [row[:3] for row in boxes(found)["a.jpg"]] == [
        ("cat", 4, 5), ("dog", 0, 1), ("dog", 6, 7),
    ]  # fmt: skip
    assert problems(found)["a.jpg"] == [
        "left out 2 objects with an outline instead of a box",
        "left out an object with a rotated box",
        "left out an object without a name",
        "left out an object without a box",
    ]


def test_flags_in_other_spellings() -> None:
    values = ("1", "1.0", "true", "True", "0", "false", "Unspecified", "")
    objects = [
        thing("cat", (1, 1, 9 + index, 9), difficult=value) for index, value in enumerate(values)
    ]
    found = read("voc_boxes", together({"a.jpg": b"", "a.xml": xml(*objects)}))
    assert [row[5] for row in boxes(found)["a.jpg"]] == [DIFFICULT] * 4 + [0] * 4


def test_files_in_utf_16_are_found() -> None:
    text = f'<?xml version="1.0" encoding="UTF-16"?>{xml(thing("齿轮"))}'
    files = together({"a.jpg": b"", "a.xml": text.encode("utf-16")})
    assert read("voc_boxes", files).names == ("齿轮",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<annotation><object>", "a.xml cannot be used: it is cut off at line 1, column 21"),
        (
            xml(thing("Zähne")).encode("cp1252"),
            "a.xml cannot be used: it is not in UTF-8 at",
        ),
        (xml("<object><name>x</name><polygon/></object>"), "a.jpg: left out an object with an"),
        (xml(), "have no boxes"),
    ],
)
def test_the_error_names_the_first_reason(text: str | bytes, reason: str) -> None:
    with pytest.raises(StudioError) as caught:
        read("voc_boxes", together({"a.jpg": b"", "a.xml": text}))
    assert reason in caught.value.message


@pytest.mark.parametrize("seed", range(20))
def test_objects_read_and_reported_are_those_of_the_files(seed: int) -> None:
    generator = random.Random(seed)
    sides = (1, 5, 50.5, 90, 200, -3, "x", "", "nan", "1e999")
    content: dict[str, str | bytes] = {f"{name}.jpg": b"" for name in "abcd"}
    total = 0
    for path in ("a.xml", "b.xml", "c.xml", "gone.xml", "x/1.xml"):
        objects = []
        for _ in range(generator.randrange(8)):
            box = [generator.choice(sides) for _ in range(4)]
            name = generator.choice(("cat", "dog", "", " "))
            shape = generator.choice(("bndbox", "bndbox", "bndbox", "polygon", "robndbox", "x"))
            objects.append(thing(name, box, shape))
        total += len(objects)
        content[path] = xml(*objects, filename=generator.choice(("a.jpg", "b.jpg", "z.jpg", "")))
    content["d.xml"] = xml(thing("cat"))
    found = read("voc_boxes", together(content))
    counted = sum(each.objects for each in found.problems)
    for each in found.pictures:
        rows, remarks = found.boxes(each.annotation, SIZE)
        counted += len(rows) + sum(remark.objects for remark in remarks)
    assert counted == total + 1
