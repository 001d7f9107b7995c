"""Boxes of COCO, YOLO, KITTI and CSV, as other tools write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from helpers.box_files import (
    ANY_CLASS_KEPT,
    CROWD_KEPT,
    Files,
    apart,
    boxes,
    problems,
    read,
    together,
    unannotated,
)
from studio.engine.datasets.sources.annotated import FoundFiles
from studio.engine.errors import BadDataError, StudioError
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotationFormat, BoxAnnotations
from studio.engine.tasks.boxes import CROWD, DIFFICULT
from studio.engine.tasks.detection.formats import FORMATS, WRITABLE
from studio.engine.tasks.segmentation.formats.coco import CocoMasks

# COCO


def coco(**changes: Any) -> str:
    document = {
        "images": [
            {"id": 7, "file_name": "a.jpg", "width": 100, "height": 80},
            {"id": "8", "file_name": "b.jpg"},
        ],
        "annotations": [
            {"image_id": 7, "category_id": 3, "bbox": [1, 2, 10, 20]},
            {"image_id": 7, "category_id": 1, "bbox": [0.5, 0, 10, 20], "iscrowd": 1},
            {"image_id": 7, "category_id": 1, "bbox": [5, 6, 7, 8], "ignore": 1},
        ],
        "categories": [
            {"id": 3, "name": "dog", "supercategory": "animal"},
            {"id": 1, "name": "cat", "supercategory": "animal"},
            {"id": 0, "name": "animal", "supercategory": "none"},
        ],
    }
    return json.dumps(document | changes)


def pictures(*names: str, **files: str | bytes) -> dict[str, str | bytes]:
    return dict.fromkeys(names, b"") | files


def test_coco() -> None:
    found = read("coco_boxes", together(pictures("a.jpg", "b.jpg", **{"x.json": coco()})))

    assert found.names == ("cat", "dog")
    assert boxes(found) == {
        "a.jpg": [
            ("dog", 1, 2, 11, 22, 0),
            ("cat", 0.5, 0, 10.5, 20, CROWD),
            ("cat", 5, 6, 12, 14, DIFFICULT),
        ],
        "b.jpg": [],
    }
    assert problems(found) == {"a.jpg": [CROWD_KEPT]}
    assert found.max_boxes == 3
    files = together(pictures("a.jpg", "b.jpg", **{"x.json": coco()}))
    assert set(boxes(read("coco_boxes", files, keep_empty=False))) == {"a.jpg"}


def test_coco_objects_that_cannot_be_used() -> None:
    annotations = [
        {"image_id": 7, "category_id": 9, "bbox": [1, 2, 10, 20]},
        {"image_id": 7, "category_id": [], "bbox": [1, 2, 10, 20]},
        {"image_id": 7, "category_id": 1, "bbox": [1, 2, 10]},
        {"image_id": 7, "category_id": 1, "bbox": None},
        {"image_id": 7, "category_id": 1, "bbox": [1, 2, "x", 20]},
        {"image_id": 7, "category_id": 1, "bbox": [1, 2, 0, 20]},
        {"image_id": 7, "category_id": 1, "bbox": [11, 2, -10, 20]},
        {"image_id": 7, "category_id": 1, "bbox": [1, 2, 10, 20]},
        {"image_id": 7, "category_id": 1, "bbox": [1, 2, 10**400, 20]},
        {"image_id": [7], "category_id": 1, "bbox": [1, 2, 10, 20]},
        "no object",
    ]
    images = [
        {"id": 7, "file_name": "a.jpg"},
        {"id": 9, "file_name": "../../gone.jpg"},
        {"id": 10, "file_name": 5},
        {"id": 11, "file_name": "a.jpg"},
    ]
    text = coco(annotations=annotations, images=images)
    found = read(
        "coco_boxes", together(pictures("a.jpg", **{"x.json": text, "y.json": text[:99]}))
    )
    assert boxes(found) == {"a.jpg": [("cat", 1, 2, 11, 22, 0)]}
    assert found.warnings == ["x.json lists a.jpg more than once; its annotations are joined."]
    assert problems(found) == {
        "../../gone.jpg": ["x.json names it, but the image does not exist"],
        "y.json": ["its JSON is cut off at line 1, column 99"],
        "images[2] (id 10)": ["it has no file_name in x.json"],
        "x.json": [
            "left out an annotation that is no JSON object: annotations[10]",
            (
                "left out an annotation of an image that it does not list: annotations[9], "
                "image_id [7]"
            ),
        ],
        "a.jpg": [
            "left out an object whose bbox does not have four values: annotations[2]",
            "left out an object without a box: annotations[3]",
            "left out 2 boxes whose coordinates are not numbers; the first is annotations[4]",
            'left out a box of the unknown class "9"',
            'left out a box of the unknown class "[]"',
            "exchanged the swapped corners of a box",
            "left out an empty box",
            "left out a box that occurs twice",
        ],
    }


def test_coco_objects_with_outlines_alone() -> None:
    annotations = [
        {"image_id": 7, "category_id": 1,
         "segmentation": [[1, 2, 11, 2, 11, 22], [0, 3, 1, 4, 2, 5]]},
        {"image_id": 7, "category_id": 1, "segmentation": [5, 6, 11, 2, 11, 22]},
        # Down the columns of 4 rows: the second and third row of the second one.
        {"image_id": 7, "category_id": 1, "segmentation": {"size": [4, 3], "counts": [5, 2, 5]}},
        {"image_id": 7, "category_id": 1, "segmentation": {"size": [4, 3], "counts": [3, 3, 6]}},
        {"image_id": 7, "category_id": 1, "segmentation": {"size": [4, 3], "counts": [12]}},
        {"image_id": 7, "category_id": 1, "segmentation": {"size": [4, 3], "counts": [13]}},
        {"image_id": 7, "category_id": 1, "segmentation": [[1, 2]]},
        {"image_id": 7, "category_id": 1, "segmentation": [None]},
    ]  # fmt: skip
    files = together(pictures("a.jpg", "b.jpg", **{"x.json": coco(annotations=annotations)}))
    found = read("coco_boxes", files)
    assert [row[1:5] for row in boxes(found)["a.jpg"]] == [
        (0, 2, 11, 22), (5, 2, 11, 22), (1, 1, 2, 3), (0, 0, 2, 4),
    ]  # fmt: skip
    assert problems(found) == {
        "a.jpg": ["left out 4 objects without a box; the first is annotations[4]"]
    }


def test_coco_files_of_splits_in_the_usual_folders() -> None:
    names = ["train2017/1.jpg", "val2017/1.jpg", "val2017/2.jpg"]
    train = coco(images=[{"id": 7, "file_name": "1.jpg"}])
    val = coco(images=[{"id": 7, "file_name": "1.jpg"}, {"id": 1, "file_name": "2.jpg"}])
    content = pictures(
        *names,
        **{
            "annotations/instances_train2017.json": train,
            "annotations/instances_val2017.json": val,
            "annotations/person_keypoints_val2017.json": val,
            "annotations/captions_val2017.json": coco(categories=[]),
        },
    )
    found = read("coco_boxes", together(content))
    assert [(each.path, each.split) for each in found.pictures] == [
        ("train2017/1.jpg", "train"),
        ("val2017/1.jpg", "val"),
        ("val2017/2.jpg", "val"),
    ]
    assert problems(found) == {name: [CROWD_KEPT] for name in names[:2]}
    roboflow = {
        "train/_annotations.coco.json": train,
        "valid/_annotations.coco.json": val,
    }
    content = pictures("train/1.jpg", "valid/1.jpg", "valid/2.jpg", **roboflow)
    found = read("coco_boxes", together(content))
    assert [each.split for each in found.pictures] == ["train", "val", "val"]


def test_coco_without_anything_to_learn() -> None:
    for changes, reason in (
        ({"annotations": []}, "contain no boxes"),
        ({"categories": []}, "contain no boxes"),
        ({"images": []}, "refer to none of the images"),
        ({"annotations": None}, "refer to none of the images"),
    ):
        with pytest.raises(StudioError, match=reason):
            read("coco_boxes", together(pictures("a.jpg", **{"x.json": coco(**changes)})))


def test_coco_is_for_masks_where_it_has_outlines() -> None:
    outline = {"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4]}
    cases: tuple[tuple[object, bool], ...] = (
        ([[1, 2, 3, 4, 5, 6]], True),
        ([1, 2, 3, 4, 5, 6], True),
        ({"size": [1, 1], "counts": "0"}, True),
        ([], False),
        ({}, False),
        (None, False),
    )
    for segmentation, has_outline in cases:
        annotations = [outline | {"segmentation": segmentation}]
        # The annotations may lie behind the beginning of the file.
        for padding in ("", "x" * 70_000):
            text = coco(annotations=annotations, info=padding, images=[{"note": padding}])
            files = together(pictures("a.jpg", **{"x.json": text}))
            assert CocoMasks().is_evident(files) == has_outline
            assert FORMATS["coco_boxes"].is_evident(files) != has_outline
            assert CocoMasks().accepts(files)
            assert FORMATS["coco_boxes"].accepts(files)
    assert not FORMATS["coco_boxes"].is_evident(
        together({"a.jpg": b"", "x.json": '{"shapes": []}'})
    )


# YOLO


def yolo(extra: Mapping[str, str | bytes] | None = None) -> AnnotatedFiles:
    content: dict[str, str | bytes] = {
        "images/train/a.jpg": b"",
        "images/train/b.jpg": b"",
        "images/val/c.jpg": b"",
        "images/val/empty.jpg": b"",
        "labels/train/a.txt": "1 0.5 0.5 0.2 0.5\n0 0.1 0.1 0.2 0.2 0.93\n",
        "labels/val/c.txt": "\n2 0.1 0.1 0.2 0.2\n",
        "labels/val/empty.txt": "",
    }
    return together(content | dict(extra or {}))


def test_yolo() -> None:
    found = read("yolo", yolo())
    assert found.names == ("0", "1", "2")
    assert boxes(found) == {
        "images/train/a.jpg": [("1", 40, 20, 60, 60, 0), ("0", 0, 0, 20, 16, 0)],
        "images/train/b.jpg": [],
        "images/val/c.jpg": [("2", 0, 0, 20, 16, 0)],
        "images/val/empty.jpg": [],
    }
    assert [each.split for each in found.pictures] == ["train", "train", "val", "val"]
    assert len(read("yolo", yolo(), keep_empty=False).pictures) == 2
    assert read("yolo", yolo(), class_names=("a", "b", "c")).names == ("a", "b", "c")
    assert problems(read("yolo", yolo(), class_names=("a", "b")))["images/val/c.jpg"] == [
        'left out a box of the unknown class "2"'
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nc: 3\nnames: ['no', yes, 12]\n", ("no", "yes", "12")),
        ("names:\n  0: cat\n  2: dog\n", ("cat", "1", "dog")),
        ("names:\n- cat\n- cat\n- ''\n", ("cat", "cat 1", "2")),
        ("names: {1000000000: cat, 2: dog, x: y}", ("0", "1", "dog")),
        ("names: !!python/object/apply:os.system ['true', b, c]", ("true", "b", "c")),
        ("names: &a [x, *a, z]", ("0", "1", "2")),
        ("names: [a, [b], {c: d}]", ("a", "1", "2")),
        ("names: 5", ("0", "1", "2")),
        ("train: x", ("0", "1", "2")),
    ],
)
def test_yolo_names_in_yaml(text: str, names: tuple[str, ...]) -> None:
    assert read("yolo", yolo({"data.yaml": text})).names == names


@pytest.mark.parametrize("text", ["names: [", "[" * 100_000, "a: b: c", "\0", "? [a]\n: b"])
def test_yolo_with_a_damaged_yaml_file(text: str) -> None:
    found = read("yolo", yolo({"data.yaml": text}))
    assert found.names == ("0", "1", "2")
    assert problems(found) == {"data.yaml": ["it is damaged or not a YAML file"]}


@pytest.mark.parametrize("name", ["classes.txt", "labels/train/classes.txt", "x/obj.names"])
def test_yolo_names_in_a_list(name: str) -> None:
    found = read("yolo", yolo({name: "cat\ndog\n\ncow\n\n"}))
    assert found.names == ("cat", "dog", "2", "cow")


@pytest.mark.parametrize(
    "text",
    [
        "path: ../datasets/x\ntrain: images/val\nval: images/train\n",
        "train: ../val/../images/val\nvalid: /content/x/images/train\n",
        "train: [images/val/c.jpg, ./images/val/empty.jpg]\nval: images/train\n",
        "train: lists/one.txt\nval: lists/two.txt\n",
    ],
)
def test_yolo_splits_in_yaml(text: str) -> None:
    lists = {
        "lists/one.txt": "../images/val/c.jpg\n/data/images/val/empty.jpg\n",
        "lists/two.txt": "images/train/a.jpg\r\nimages/train/b.jpg\r\nimages/train/gone.jpg\r\n",
    }
    found = read("yolo", yolo({"data.yaml": f"names: [a, b, c]\n{text}"} | lists))
    assert [each.split for each in found.pictures] == ["val", "val", "train", "train"]
    assert not problems(found)


@pytest.mark.parametrize(
    ("form", "line"), [("yolo", "0 0.5 0.5 0.5 0.5"), ("kitti", "car 0 0 0 10 10 40 40")]
)
def test_names_of_pictures_are_no_splits(form: str, line: str) -> None:
    names = ["train_001", "test-2", "valley val 3"]
    content: dict[str, str | bytes] = {f"images/{name}.jpg": b"" for name in names}
    labels: dict[str, str | bytes] = {f"labels/{name}.txt": line for name in names}
    found = read(form, together(content | labels))
    assert len(found.pictures) == 3
    assert {each.split for each in found.pictures} == {None}


@pytest.mark.parametrize(
    "lists",
    [
        {"valid.txt": "data/obj_train_data/b.jpg\n"},
        {
            "test.txt": "data/obj_train_data/b.jpg\n",
            "obj.data": "classes = 1\r\nvalid = data/test.txt\r\n",
        },
    ],
)
def test_yolo_beside_the_pictures_with_lists(lists: dict[str, str | bytes]) -> None:
    files = together(
        lists
        | {
            "obj_train_data/a.jpg": b"",
            "obj_train_data/a.txt": "0 0.5 0.5 0.5 0.5",
            "obj_train_data/b.jpg": b"",
            "obj_train_data/b.txt": "0 0.5 0.5 0.5 0.5",
            "other/without.jpg": b"",
            "obj.names": "cat\n",
            "train.txt": "data/obj_train_data/a.jpg\n",
        }
    )
    found = read("yolo", files)
    assert found.names == ("cat",)
    assert [(each.path, each.split) for each in found.pictures] == [
        ("obj_train_data/a.jpg", "train"),
        ("obj_train_data/b.jpg", "val"),
    ]


def test_yolo_outlines_and_poses() -> None:
    lines = "0 0.1 0.2 0.3 0.2 0.3 0.6\n0 0.1 0.2 0.3 0.2 0.3 0.6 0.05 0.5\n"
    found = read("yolo", yolo({"labels/train/b.txt": lines}))
    assert [row[1:5] for row in boxes(found)["images/train/b.jpg"]] == [
        pytest.approx((10, 16, 30, 48)),
        pytest.approx((5, 16, 30, 48)),
    ]
    poses = yolo(
        {
            "labels/train/b.txt": "0 0.5 0.5 0.2 0.5 0.1 0.1 2 0.9 0.9 2\n",
            "data.yaml": "kpt_shape: [2, 3]\nnames: [a, b, c]\n",
        }
    )
    assert boxes(read("yolo", poses))["images/train/b.jpg"] == [("a", 40, 20, 60, 60, 0)]


def test_yolo_objects_that_cannot_be_used() -> None:
    lines = [
        "0 0.5 0.5 0.2 0.5",
        "0 0.5 0.5 0.2 0.5",
        "3 0.5 0.5 0.2 0.5",
        "-1 0.5 0.5 0.2 0.5",
        "1.5 0.5 0.5 0.2 0.5",
        "1e99 0.5 0.5 0.2 0.5",
        "cat 0.5 0.5 0.2 0.5",
        "0 nan 0.5 0.2 0.5",
        "0 0.5 0.5 0 0.5",
        "0 0.5 0.5 -0.2 0.5",
        "0 50 50 20 50",
        "0 0.5 0.5",
        "0 0.1 0.2 0.3 0.2 inf 0.6",
    ]
    extra = {"labels/train/b.txt": "\n".join(lines), "labels/val/gone.txt": "0 0.5 0.5 0.2 0.5"}
    found = read("yolo", yolo(extra | {"notes/readme2.txt": "0.5 is the best threshold"}))
    assert [row[0] for row in boxes(found)["images/train/b.jpg"]] == ["0", "3"]
    assert problems(found)["labels/val/gone.txt"] == ["no image belongs to this annotation file"]
    assert problems(found)["images/train/b.jpg"] == [
        "left out a box whose numbers are no fractions of the size of the image, in line 11",
        'left out a box of the unknown class "-1"',
        'left out a box of the unknown class "1.5"',
        'left out a box of the unknown class "1e99"',
        'left out a box of the unknown class "cat"',
        "left out an object without a box",
        "left out 2 boxes whose coordinates are not numbers",
        "exchanged the swapped corners of a box",
        "left out an empty box",
        "left out 2 boxes that occur twice",
    ]


def test_other_texts_are_not_yolo() -> None:
    form = FORMATS["yolo"]
    assert form.is_evident(yolo())
    others: list[dict[str, str | bytes]] = [
        {"a.jpg": b"", "a.txt": "a photo of 1 cat"},
        {"a.jpg": b"", "a.txt": "0 0 255"},
        {"a.jpg": b"", "a.txt": "10 20 30 40 50"},
        {"a.jpg": b"", "a.txt": ""},
        {"a.jpg": b"", "b/c.txt": "0 0.5 0.5 0.2 0.5"},
        {"a.jpg": b"", "a.txt": "cat 0 0 0 1 2 3 4"},
    ]
    assert not any(form.accepts(together(files)) for files in others)
    with pytest.raises(StudioError, match="contain no boxes"):
        read("yolo", together(others[3]))


def test_yolo_labels_in_another_folder() -> None:
    labels = {"train/a.txt": "0 0.5 0.5 0.2 0.5", "data.yaml": "names: [cat]\n"}
    found = read("yolo", apart(["images/train/a.jpg", "b.jpg"], labels))
    assert list(boxes(found)) == ["images/train/a.jpg"]
    assert found.names == ("cat",)


# KITTI

_CAR = "0.00 0 -1.58 10.5 20 30 40 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59"


def kitti(text: str) -> AnnotatedFiles:
    return together(
        {
            "training/image_2/000001.png": b"",
            "training/image_2/000002.png": b"",
            "training/image_2/000003.png": b"",
            "testing/image_2/000001.png": b"",
            "training/label_2/000001.txt": text,
            "training/label_2/000002.txt": "",
            "training/calib/000001.txt": "P0: 7.215377e+02 0.0 6.095593e+02 0 0 0 0 0 0",
        }
    )


def test_kitti() -> None:
    unknown = _CAR.replace("0.00 0", "0.00 3").replace("10.5", "11")
    dont = "-1 -1 -10 50 50 60 60 -1 -1 -1 -1000 -1000 -1000 -10"
    found = read("kitti", kitti(f"Car {_CAR}\nVan {unknown}\nDontCare {dont}\n"))
    assert found.names == ("Car", "Van")
    assert boxes(found) == {
        "training/image_2/000001.png": [
            ("Car", 10.5, 20, 30, 40, 0),
            ("Van", 11, 20, 30, 40, DIFFICULT),
            ("Car", 50, 50, 60, 60, CROWD),
            ("Van", 50, 50, 60, 60, CROWD),
        ],
        "training/image_2/000002.png": [],
    }
    assert problems(found) == {"training/image_2/000001.png": [ANY_CLASS_KEPT]}
    assert found.max_boxes == 4
    assert "training/image_2/000003.png" in unannotated(found)
    assert {each.split for each in found.pictures} == {"train"}


def test_kitti_of_digits_and_what_cannot_be_used() -> None:
    files = together(
        {
            "train/images/a.png": b"",
            "train/labels/a.txt": f"car {_CAR}\ncar 0 0 0 1 2\n"
            "car 0 0 0 x 2 3 4 0\ncar 0 0 0 9 2 9 4\n",
            "val/images/a.png": b"",
            "val/labels/a.txt": f"DontCare {_CAR}\n",
        }
    )
    found = read("kitti", files)
    assert [(each.path, each.split) for each in found.pictures] == [
        ("train/images/a.png", "train"),
        ("val/images/a.png", "val"),
    ]
    assert boxes(found)["val/images/a.png"] == [("car", 10.5, 20, 30, 40, CROWD)]
    assert problems(found) == {
        "train/images/a.png": [
            "left out an object without a box",
            "left out a box whose coordinates are not numbers",
            "left out an empty box",
        ],
        "val/images/a.png": [ANY_CLASS_KEPT],
    }
    assert FORMATS["kitti"].is_evident(files)
    assert not FORMATS["kitti"].accepts(yolo())
    with pytest.raises(StudioError, match="contain no boxes"):
        read("kitti", kitti(f"DontCare {_CAR}"))


# CSV


def csv_boxes(text: str, *names: str, path: str = "boxes.csv") -> BoxAnnotations:
    files = together(pictures(*(names or ("a.jpg", "b.jpg")), **{path: text}))
    assert [form.name for form in FORMATS if form.accepts(files)] == ["csv_boxes"]
    return read("csv_boxes", files)


@pytest.mark.parametrize(
    "text",
    [
        "path,class,left,top,right,bottom\na.jpg,cat,1,2,3,4\nb.jpg,,,,,\n",
        "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,100,80,cat,1,2,3,4\nb.jpg,100,80,,,,,\n",
        "\ufeffImage_Path;Label;X1;Y1;X2;Y2\n./a.jpg;cat;1,0;2;3;4\nb.jpg;;;;;\n",
        "image\tname\tx\ty\tw\th\r\na.jpg\tcat\t1\t2\t2\t2\r\nb.jpg\r\n",
        "image_id,bbox_x,bbox_y,bbox_w,bbox_h,category\na,1,2,2,2,cat\nb,,,,,\n",
        "data/a.jpg,1,2,3,4,cat\ndata/b.jpg,,,,,\n",
        '"file_name","label_name","x_min","y_min","x_max","y_max"\n"a.jpg","cat",1,2,3,4\n\nb.jpg\n',
    ],
)
def test_csv_spellings(text: str) -> None:
    found = csv_boxes(text)
    assert boxes(found) == {"a.jpg": [("cat", 1, 2, 3, 4, 0)], "b.jpg": []}
    assert not problems(found)


def test_csv_of_open_images() -> None:
    text = (
        "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsGroupOf\n"
        "a,x,/m/01,1,0.25,0.5,0.1,0.2,0,0\nb,x,/m/02,1,0,1,0,1,0,1\n"
    )
    found = csv_boxes(text)
    assert boxes(found) == {
        "a.jpg": [("/m/01", 25, 8, 50, 16, 0)],
        "b.jpg": [("/m/02", 0, 0, 100, 80, CROWD)],
    }
    (warning,) = found.warnings
    assert warning == (
        "2 classes are codes of Open Images without a name, such as /m/01. Put "
        "class-descriptions-boxable.csv of Open Images beside the table to get names."
    )
    for table in ("/m/01,Cat\n/m/09,Dog\n", "LabelName,DisplayName\n/m/01,Cat\n"):
        named = {"class-descriptions-boxable.csv": table, "a.jpg": b"", "b.jpg": b""}
        found = read("csv_boxes", together(named | {"train-annotations-bbox.csv": text}))
        assert found.names == ("/m/02", "Cat")
        assert boxes(found)["a.jpg"][0][0] == "Cat"
        assert [str(each)[:18] for each in found.warnings] == ["The class /m/02 is"]


def test_the_names_of_open_images_lie_beside_a_lone_table(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (100, 80)).save(tmp_path / "images" / "a.png")
    table = tmp_path / "validation-annotations-bbox.csv"
    table.write_text("ImageID,LabelName,XMin,XMax,YMin,YMax\na,/m/01,0.25,0.5,0.1,0.2\n")
    (tmp_path / "class-descriptions-boxable.csv").write_text("/m/01,Cat\n")
    files = FoundFiles(tmp_path / "images", str(table)).annotated
    found = read("csv_boxes", files)
    assert boxes(found) == {"a.png": [("Cat", 25, 8, 50, 16, 0)]}
    assert not found.warnings


def test_csv_splits_and_flags() -> None:
    text = (
        "split,path,class,left,top,right,bottom,difficult\n"
        "validation,a.jpg,cat,0,0,1,1,1\ntest,b.jpg,'=cat,1,2,3,4,False\n"
    )
    found = csv_boxes(text)
    assert [each.split for each in found.pictures] == ["val", "test"]
    assert boxes(found) == {
        "a.jpg": [("cat", 0, 0, 1, 1, DIFFICULT)],
        "b.jpg": [("=cat", 1, 2, 3, 4, 0)],
    }


def test_csv_for_each_split() -> None:
    text = "filename,class,xmin,ymin,xmax,ymax\na.jpg,cat,1,2,3,4\n"
    content = pictures(
        "train/a.jpg",
        "valid/a.jpg",
        **{"train/_annotations.csv": text, "valid/_annotations.csv": text, "x.csv": "a,b\n1,2\n"},
    )
    found = read("csv_boxes", together(content))
    assert [(each.path, each.split) for each in found.pictures] == [
        ("train/a.jpg", "train"),
        ("valid/a.jpg", "val"),
    ]


def test_csv_rows_that_cannot_be_used() -> None:
    text = (
        "path,class,left,top,right,bottom\n"
        "a.jpg,cat,1,2,3,4\na.jpg,,1,2,3,4\na.jpg,cat,,,,\na.jpg,cat,x,2,3,4\na.jpg,cat,5,4,3,9\n"
        "../gone.jpg,cat,1,2,3,4\n,cat,1,2,3,4\na.jpg,cat\n"
    )
    found = csv_boxes(text)
    assert [row[1:5] for row in boxes(found)["a.jpg"]] == [(1, 2, 3, 4), (3, 4, 5, 9)]
    assert problems(found) == {
        "../gone.jpg": ["boxes.csv names it in line 7, but the image does not exist"],
        "boxes.csv": ["line 8: the line names no image"],
        "a.jpg": [
            'left out a box of the unknown class ""',
            "left out 2 objects without a box",
            "left out a box whose coordinates are not numbers",
            "exchanged the swapped corners of a box",
        ],
    }


def test_csv_continues_after_a_damaged_row() -> None:
    rows = "a.jpg,cat,1,2,3,4\n" * 3
    text = (
        f"path,class,left,top,right,bottom\n{rows}{'x' * 200_000},cat,1,2,3,4\nb.jpg,cat,1,2,3,4\n"
    )
    found = csv_boxes(text)
    assert list(boxes(found)) == ["a.jpg", "b.jpg"]
    assert "line 5: the line has a cell of more than 131,072" in problems(found)["boxes.csv"][0]


def test_csv_without_anything_to_learn() -> None:
    head = "path,class,left,top,right,bottom\n"
    for rows, reason in (("c.jpg,cat,1,2,3,4", "name none of"), ("a.jpg,,,,,", "no boxes")):
        with pytest.raises(StudioError, match=reason):
            csv_boxes(head + rows)


@pytest.mark.parametrize(
    "text", ["", "\n", "path,label\na.jpg,cat\n", "a.jpg 1\n", "x,y,z\n1,2,3\n", "a,1,2,3,4,cat"]
)
def test_tables_of_something_else(text: str) -> None:
    assert not FORMATS["csv_boxes"].accepts(together(pictures("a.jpg", **{"labels.csv": text})))


# All


class _Unreadable(Files):
    """Files of which some cannot be read."""

    def head(self, path: str) -> bytes:
        return self.read(path)[: 2**16]

    def read(self, path: str) -> bytes:
        if "bad" in path:
            raise BadDataError("it cannot be read: no permission")
        return super().read(path)


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
def test_files_that_cannot_be_read_are_reported(form: AnnotationFormat) -> None:
    good: dict[str, dict[str, str]] = {
        "voc_boxes": {"a.xml": "<annotation><object><name>c</name><bndbox><xmin>1</xmin><ymin>1"
        "</ymin><xmax>3</xmax><ymax>3</ymax></bndbox></object></annotation>", "bad.xml": ""},
        "coco_boxes": {"a.json": coco()},
        "kitti": {"a.txt": f"car {_CAR}", "bad.txt": ""},
        "yolo": {"a.txt": "0 0.5 0.5 0.1 0.1", "bad.txt": "", "bad.yaml": ""},
        "csv_boxes": {"a.csv": "a.jpg,1,2,3,4,cat"},
    }  # fmt: skip
    name, names = form.name, ("a.jpg", "b.jpg", "bad.jpg")
    content = {path: text.encode() for path, text in good[name].items()}
    files = _Unreadable(dict.fromkeys(names, b"") | content)
    assert form.accepts(AnnotatedFiles(files, files))
    found = read(name, AnnotatedFiles(files, files))
    reported = [each.path for each in found.problems if each.path != "b.jpg"]
    assert sorted(reported) == ["bad.jpg", *(["bad.yaml"] if name == "yolo" else [])]
    if len(content) > 1:
        reason = next(each.reason for each in found.problems if each.path == "bad.jpg")
        assert str(reason).endswith("cannot be used: it cannot be read: no permission")
