"""Boxes of Pascal VOC, as other tools write them."""

from __future__ import annotations

import lzma
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from helpers.box_files import CROWD_KEPT, SILENT, apart, boxes, problems, read, together
from studio.engine.datasets.sources.annotated import FoundFiles
from studio.engine.errors import StudioError
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotationOptions, BoxAnnotations
from studio.engine.tasks.boxes import CROWD, DIFFICULT
from studio.engine.tasks.detection.formats.voc import VocBoxes
from studio.engine.tasks.segmentation.formats.voc import VocMasks

BCCD = Path(__file__).resolve().parents[5] / "shared" / "data" / "bccd-voc.tar.xz"
FORM = VocBoxes()


def xml(*objects: str, size: str = "100x80", filename: str = "") -> str:
    """A file with objects such as "cat 1 2 3 4" or "cat 1 2 3 4 <difficult>1</difficult>"."""
    width, height = size.split("x")
    found = []
    for each in objects:
        name, *sides = each.split(" ")
        limits = "".join(
            f"<{key}>{side}</{key}>"
            for key, side in zip(("xmin", "ymin", "xmax", "ymax"), sides[:4], strict=True)
        )
        rest = " ".join(sides[4:])
        found.append(f"<object><name>{name}</name>{rest}<bndbox>{limits}</bndbox></object>")
    return (
        f"<annotation><filename>{filename}</filename><size><width>{width}</width>"
        f"<height>{height}</height><depth>3</depth></size>{''.join(found)}</annotation>"
    )


def devkit(**files: str) -> AnnotatedFiles:
    """A folder with JPEGImages and Annotations, and lists."""
    content: dict[str, str | bytes] = {}
    for name, text in files.items():
        content |= {f"VOC/JPEGImages/{name}.jpg": b"", f"VOC/Annotations/{name}.xml": text}
    return together(content)


def test_pixels_from_one_become_edges() -> None:
    found = read("voc_boxes", devkit(a=xml("cat 1 1 2 2", "dog 100 80 100 80", "dog 3 4 100 80")))

    assert found.names == ("cat", "dog")
    assert boxes(found)["VOC/JPEGImages/a.jpg"] == [
        ("cat", 0, 0, 2, 2, 0),
        ("dog", 2, 3, 100, 80, 0),
    ]
    assert problems(found) == {"VOC/JPEGImages/a.jpg": ["left out an empty box"]}


def test_edges_from_zero_stay_in_all_files() -> None:
    found = read("voc_boxes", devkit(a=xml("cat 0 5 20 30"), b=xml("cat 10 5 20 30")))
    assert [rows[0][1] for rows in boxes(found).values()] == [0, 10]


def test_a_negative_side_says_nothing_about_edges() -> None:
    found = read("voc_boxes", devkit(a=xml("cat -5 5 20 30"), b=xml("cat 10 5 20 30")))
    assert boxes(found)["VOC/JPEGImages/b.jpg"] == [("cat", 9, 4, 20, 30, 0)]
    assert problems(found) == {"VOC/JPEGImages/a.jpg": ["cut a box at the border of the image"]}


def test_sides_with_decimals_are_edges_in_their_file() -> None:
    found = read("voc_boxes", devkit(a=xml("cat 10.5 5 20 30"), b=xml("cat 10 5 20 30")))
    assert [rows[0][1:5] for rows in boxes(found).values()] == [(10.5, 5, 20, 30), (9, 4, 20, 30)]


def test_flags_and_swapped_corners() -> None:
    text = xml(
        "cat 20 30 11 21",
        "cat 1 1 9 9 <difficult>1</difficult>",
        "cat 2 2 9 9 <difficult>0</difficult>",
        "cat 3 3 9 9 <difficult>1</difficult><crowd>1</crowd>",
    )
    found = read("voc_boxes", devkit(a=text))
    (rows,) = boxes(found).values()
    assert [row[5] for row in rows] == [0, DIFFICULT, 0, CROWD]
    assert rows[0][1:5] == (10, 20, 20, 30)
    reasons = ["exchanged the swapped corners of a box", CROWD_KEPT]
    assert problems(found) == {"VOC/JPEGImages/a.jpg": reasons}


def test_objects_that_cannot_be_used_cost_only_themselves() -> None:
    text = xml("cat 1 2 3 4", "cat x 2 3 4", "cat 1 2 nan 4", "cat 1 2 1e999 4", "dog 200 1 300 9")
    text = text.replace("</annotation>", "<object><name>cat</name></object></annotation>")
    text = text.replace("<object>", "<object><part><name>ear</name></part>", 1)
    found = read("voc_boxes", devkit(a=text))

    # Of "1e999" all are edges.
    assert boxes(found) == {"VOC/JPEGImages/a.jpg": [("cat", 1, 2, 3, 4, 0)]}
    assert problems(found) == {
        "VOC/JPEGImages/a.jpg": [
            "left out an object without a box",
            "left out 3 boxes whose coordinates are not numbers",
            "left out a box outside the image",
        ]
    }


def test_lists_tell_the_splits() -> None:
    files = devkit(a=xml("cat 1 2 3 4"), b=xml("cat 1 2 3 4"), c=xml(), d=xml())
    lists = "VOC/ImageSets/Main"
    content = {path: files.images.read(path) for path in files.images.paths} | {
        f"{lists}/train.txt": b"a\r\nb\n\n",
        f"{lists}/val.txt": b"c\ngone\n",
        f"{lists}/trainval.txt": b"a\nc\n",
        f"{lists}/cat_test.txt": b"d  1\n",
        "VOC/ImageSets/Layout/test.txt": b"d\n",
    }
    found = read("voc_boxes", together(content))
    assert {each.path[-5]: each.split for each in found.pictures} == {
        "a": "train", "b": "train", "c": "val", "d": None,
    }  # fmt: skip
    assert problems(found) == {"VOC/gone": ["it is in a list, but the image does not exist"]}
    assert len(read("voc_boxes", together(content), keep_empty=False).pictures) == 2


def test_pictures_and_files_beside_each_other_or_named_in_the_file() -> None:
    found = read(
        "voc_boxes",
        together(
            {
                "train/a.jpg": b"",
                "train/a.xml": xml("cat 1 2 3 4"),
                "valid/b.v1.jpg": b"",
                "valid/b.v1.xml": xml("cat 1 2 3 4"),
                "pictures/c 1.jpg": b"",
                "other/17.xml": xml("cat 1 2 3 4", filename="c 1.jpg"),
                "other/18.xml": xml("cat 1 2 3 4", filename="c 1.jpg"),
                "other/19.xml": xml("cat 1 2 3 4", filename="../../../etc/passwd"),
                "train/alone.jpg": b"",
                "notes/alone too.jpg": b"",
                "pom.xml": "<project/>",
                "broken.xml": "<annotation>",
                "train/a.png": b"",
            }
        ),
    )
    assert set(boxes(found)) == {"train/a.jpg", "valid/b.v1.jpg", "pictures/c 1.jpg"}
    assert problems(found) == {
        "../../../etc/passwd": ["other/19.xml names it, but the image does not exist"],
        "broken.xml": ["it is cut off at line 1, column 13"],
        "other/18.xml": ["other/17.xml annotates the same image"],
        "train/a.png": ["it has the same name as train/a.jpg"],
    }


def test_annotations_in_another_folder() -> None:
    labels: dict[str, str | bytes] = {
        "Annotations/a.xml": xml("cat 1 2 3 4"),
        "ImageSets/Main/test.txt": "a\n",
    }
    found = read("voc_boxes", apart(["x/a.jpg", "x/b.jpg"], labels))
    assert [(each.path, each.split) for each in found.pictures] == [("x/a.jpg", "test")]


def test_a_file_for_an_image_of_another_size_is_reported() -> None:
    found = read("voc_boxes", devkit(a=xml("cat 1 2 3 4", size="80x100")))
    with pytest.raises(StudioError, match="is for 80x100 pixels"):
        boxes(found)
    assert boxes(read("voc_boxes", devkit(a=xml("cat 1 2 3 4", size="0x0"))))


def test_classes_by_a_table_or_options() -> None:
    files = devkit(a=xml("white 1 2 3 4", "red 1 2 3 4"))
    assert read("voc_boxes", files).names == ("red", "white")
    table = b"# label:color_rgb\nbackground:0,0,0::\nwhite:1,2,3::\nred:4,5,6::\nx:7,8,9::"
    content = {path: files.images.read(path) for path in files.images.paths}
    found = read("voc_boxes", together(content | {"labelmap.txt": table}))
    assert (found.names, found.colors) == (
        ("white", "red", "x"),
        ("#010203", "#040506", "#070809"),
    )
    assert [row[0] for row in boxes(found)["VOC/JPEGImages/a.jpg"]] == ["white", "red"]
    assert read("voc_boxes", together(content | {"labels.txt": b"red\n"})).names[1] == "white"
    assert read("voc_boxes", together(content | {"labels.txt": b"a\na\n"})).names[1] == "white"
    renamed = read("voc_boxes", files, class_names=("rot", "weiß"), class_colors=("#1", "#2"))
    assert (renamed.names, renamed.colors) == (("rot", "weiß"), ("#1", "#2"))
    assert [row[0] for row in boxes(renamed)["VOC/JPEGImages/a.jpg"]] == ["weiß", "rot"]
    for options in ({"class_names": ("a",)}, {"class_names": ("a", "a")}, {"labels_text": "a"}):
        with pytest.raises(StudioError):
            read("voc_boxes", files, **options)


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(StudioError, match="at most 255 classes; received 300"):
        read("voc_boxes", devkit(a=xml(*(f"c{number} 1 2 3 4" for number in range(300)))))


def test_what_the_format_accepts() -> None:
    assert FORM.is_evident(devkit(a=xml("cat 1 2 3 4")))
    assert not FORM.accepts(devkit(a=xml()))
    with pytest.raises(StudioError, match="have no boxes for the images"):
        read("voc_boxes", devkit(a=xml()))


def test_a_folder_with_masks_too_is_for_either_task() -> None:
    files = devkit(a=xml("cat 1 2 3 4"))
    content = {path: files.images.read(path) for path in files.images.paths}
    both = together(content | {"VOC/SegmentationClass/a.png": b""})
    assert FORM.accepts(both)
    assert not FORM.is_evident(both)
    assert VocMasks().is_evident(both)
    assert not VocMasks().is_evident(files)


def test_some_files_are_enough_for_a_first_look() -> None:
    names = [f"{number:03}" for number in range(20)]
    files = devkit(**{name: xml(f"c{int(name) // 10} 1 2 3 4") for name in names})
    found = read("voc_boxes", files, most=5)
    assert len(found.pictures) == 20
    assert found.names == ("c0",)
    assert len(boxes(found)["VOC/JPEGImages/009.jpg"]) == 1
    assert problems(found)["VOC/JPEGImages/019.jpg"] == [
        'left out a box of the unknown class "c1"'
    ]


@pytest.mark.skipif(not BCCD.exists(), reason="the dataset is not on this machine")
def test_blood_cells(tmp_path: Path) -> None:
    with lzma.open(BCCD) as packed, tarfile.open(fileobj=packed) as archive:
        archive.extractall(tmp_path, filter="data")
    files = FoundFiles(tmp_path)
    assert FORM.is_evident(files.annotated)
    found = FORM.read(files.annotated, AnnotationOptions(), SILENT)
    assert isinstance(found, BoxAnnotations)
    size = (640, 480)

    assert Counter(each.split for each in found.pictures) == {"train": 205, "val": 87, "test": 72}
    assert found.names == ("Platelets", "RBC", "WBC")
    assert found.max_boxes == 30
    counts = Counter(row[0] for rows in boxes(found, size).values() for row in rows)
    # Published are 4155 red cells; two of them are points, where no box was drawn.
    assert counts == {"RBC": 4153, "WBC": 372, "Platelets": 361}
    empty = ["BCCD/JPEGImages/BloodImage_00338.jpg", "BCCD/JPEGImages/BloodImage_00343.jpg"]
    assert problems(found, size) == {path: ["left out an empty box"] for path in empty}
    sides = np.array([row[1:5] for rows in boxes(found, size).values() for row in rows])
    assert (sides.min(axis=0)[:2].tolist(), sides.max(axis=0)[2:].tolist()) == ([0, 0], [640, 480])
