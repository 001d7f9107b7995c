"""Sets that are read in one of several possible ways: the way is pointed out, or asked by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller

COUNT = 6
NAMES = [f"a{number}.png" for number in range(COUNT)]


@pytest.fixture
def preview(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Returns what an import would make of the folder `in`."""
    call: Call = caller(capsys, tmp_path / "workspace")

    def found(task: str, file: str = "", *words: str) -> dict[str, Any]:
        source = tmp_path / "in" / file
        document: dict[str, Any] = call(
            *("datasets", "import", source, "--task", task, *words, "--preview", "--json")
        ).document
        return document

    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder `in`, empty."""
    path = tmp_path / "in"
    path.mkdir()
    return path


def _pictures(folder: Path, names: Iterable[str] = NAMES) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.effect_noise((40, 30), 90).save(folder / name)


def _table(path: Path, heading: str, cells: Iterable[object]) -> None:
    labels = ("cat", "dog") * COUNT
    rows = (
        f"{name},{label},{cell}\n"
        for name, label, cell in zip(NAMES, labels[:COUNT], cells, strict=True)
    )
    path.write_text(f"image,label,{heading}\n" + "".join(rows))


Preview = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("heading", "yes", "no", "test"),
    [
        ("is_test", "1", "0", 2),
        ("isTest", "True", "False", 2),
        ("is_training_image", "0", "1", 2),
        ("is_train", "nein", "ja", 2),
        ("IsValidation", "yes", "no", 0),
    ],
)
def test_flags_are_splits(
    preview: Preview, folder: Path, heading: str, yes: str, no: str, test: int
) -> None:
    _pictures(folder)
    _table(folder / "t.csv", heading, [no] * 4 + [yes] * 2)

    found = preview("classification", "t.csv")

    assert found["warnings"] == []
    assert found["splits"]["test"] == test
    assert found["split_origin"].startswith("table column")
    if not test:
        assert found["splits"]["val"] == 2


def test_flags_of_boxes_are_splits(preview: Preview, folder: Path) -> None:
    _pictures(folder)
    rows = (f"{name},cat,2,3,20,21,{int(n > 3)}\n" for n, name in enumerate(NAMES))
    (folder / "b.csv").write_text("image,class,xmin,ymin,xmax,ymax,is_test\n" + "".join(rows))

    found = preview("detection", "", "--labels", str(folder / "b.csv"))

    assert found["splits"]["test"] == 2


def test_several_flags_are_not_read(preview: Preview, folder: Path) -> None:
    """An image that is not for training may be for validation."""
    _pictures(folder)
    _table(folder / "t.csv", "is_train,is_val", ["1,0"] * 4 + ["0,1"] * 2)

    found = preview("classification", "t.csv")

    assert any("name no split: 1, 0" in each for each in found["warnings"])
    assert found["split_origin"].startswith("random")


def test_copies_of_folders_are_pointed_out(preview: Preview, folder: Path) -> None:
    names = ("cat", "cat - Copy", "Cat (2)", "dog", "a (1)", "copy")
    _pictures(folder, [f"{name}/{n}.png" for name in names for n in range(3)])

    (warning,) = preview("classification")["warnings"]

    assert '"cat" (3), "Cat (2)" (3), "cat - Copy" (3) are named like copies' in warning


def test_line_breaks_become_spaces(preview: Preview, folder: Path) -> None:
    _pictures(folder)
    cells = ('"big\ncat"', "dog", '"big\t cat"', "dog", "big cat", "dog")
    rows = (f"{name},{cell}\n" for name, cell in zip(NAMES, cells, strict=True))
    (folder / "t.csv").write_text("image,label\n" + "".join(rows))

    found = preview("classification", "t.csv")

    assert found["classes"] == {"big cat": 3, "dog": 3}
    (warning,) = found["warnings"]
    assert "removed from 2 names" in warning
    assert warning.isprintable()


@pytest.mark.parametrize("kind", ["yaml", "list"])
def test_repeated_names_of_yolo_are_pointed_out(preview: Preview, folder: Path, kind: str) -> None:
    _yolo(folder, lambda number: f"{number % 3} 0.5 0.5 0.4 0.4")
    if kind == "list":
        (folder / "data.yaml").unlink()
        (folder / "classes.txt").write_text("cat\ncat\ndog\n")

    found = preview("detection")

    assert found["classes"] == {"cat": 2, "cat 1": 2, "dog": 2}
    assert any('gives the name "cat" to several class numbers' in w for w in found["warnings"])


def _yolo(folder: Path, line: Callable[[int], str]) -> None:
    _pictures(folder / "images" / "train")
    (folder / "labels" / "train").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        path = folder / "labels" / "train" / f"{name[:-4]}.txt"
        path.write_text(line(number) + "\n")
    (folder / "data.yaml").write_text("train: images/train\nnames: [cat, cat, dog]\n")


def test_keypoints_of_yolo_are_reported(preview: Preview, folder: Path) -> None:
    points = " ".join(f"{0.3 + n / 100:.2f}" for n in range(34))
    _yolo(folder, lambda _: f"0 0.5 0.5 0.4 0.4 {points}")
    (folder / "data.yaml").write_text("train: images/train\nnames: [man]\nkpt_shape: [17, 2]\n")

    found = preview("detection")

    assert found["classes"] == {"man": COUNT}
    assert any(each.startswith("6 objects, the first in") for each in found["warnings"])


def _coco(folder: Path, **values: object) -> None:
    _pictures(folder)
    images = [
        {"id": n, "file_name": name, "width": 40, "height": 30} for n, name in enumerate(NAMES)
    ]
    objects = [
        {"id": n, "image_id": n, "category_id": 1, "bbox": [4, 4, 20, 20]} | values
        for n in range(COUNT)
    ]
    document = {"images": images, "annotations": objects, "categories": [{"id": 1, "name": "a"}]}
    (folder / "coco.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"score": 0.4}, "6 objects, the first in annotations[0] (id 0), have a score"),
        ({"keypoints": [5, 5, 2, 0, 0, 0]}, "have keypoints"),
        ({"segmentation": [[25, 20, 39, 20, 39, 29]]}, "6 of 6 boxes, such as annotations[0]"),
        ({"keypoints": [0] * 6, "segmentation": [[4, 4, 24, 4, 24, 23]]}, ""),
    ],
)
def test_what_boxes_of_coco_have_beside_is_reported(
    preview: Preview, folder: Path, values: dict[str, object], text: str
) -> None:
    _coco(folder, **values)

    found = preview("detection")

    assert found["classes"] == {"a": COUNT}
    assert len(found["warnings"]) == bool(text)
    assert all(text in each for each in found["warnings"])


def test_images_that_were_turned_in_label_studio_are_pointed_out(
    preview: Preview, folder: Path
) -> None:
    _pictures(folder)
    value = {"x": 20, "y": 20, "width": 40, "height": 30, "rectanglelabels": ["cat"]}
    tasks = [
        {
            "data": {"image": name},
            "annotations": [
                {
                    "result": [
                        {
                            "type": "rectanglelabels",
                            "original_width": 40,
                            "original_height": 30,
                            "image_rotation": 90 * (number % 2),
                            "value": value,
                        }
                    ]
                }
            ],
        }
        for number, name in enumerate(NAMES)
    ]
    (folder / "export.json").write_text(json.dumps(tasks))

    (warning,) = preview("detection")["warnings"]

    assert warning.startswith("3 images, such as a1.png, were turned in Label Studio")


def _masks(folder: Path, name: str, of_number: Callable[[int], np.ndarray[Any, Any]]) -> None:
    _pictures(folder / "images")
    (folder / name).mkdir()
    for number, each in enumerate(NAMES):
        Image.fromarray(of_number(number)).save(folder / name / each)


@pytest.mark.parametrize("background", [0, 1, 65535])
def test_a_numbered_background_is_pointed_out(
    preview: Preview, folder: Path, background: int
) -> None:
    pixels = np.full((30, 40), background, np.uint16)
    pixels[4:9, 4:9], pixels[14:20, 14:20] = 2, 3
    _masks(folder, "labels", lambda _: pixels)

    found = preview("instances")

    assert found["classes"] == {"object": COUNT * (3 if background else 2)}
    texts = [f"No pixel of 6 label images is 0, and one value, such as {background}"]
    assert [each.split(", has")[0] for each in found["warnings"]] == texts[: bool(background)]


@pytest.mark.parametrize("are_mixed", [False, True])
def test_masks_in_two_scales_are_pointed_out(
    preview: Preview, folder: Path, are_mixed: bool
) -> None:
    def pixels(number: int) -> np.ndarray[Any, Any]:
        found = np.zeros((30, 40), np.uint8)
        found[5:20, 5:20] = 255 if number > 3 else 1
        found[22:28, 5:20] = 255 if are_mixed else 0
        return found

    _masks(folder, "masks", pixels)

    found = preview("segmentation")

    assert [*found["classes"]] == ["0", "1", "255"]
    scales = [each for each in found["warnings"] if "none has both" in each]
    assert len(scales) == (not are_mixed)
    assert all(
        each.startswith("Some masks have the value 1 (4) and others 255 (2), and")
        for each in scales
    )


@pytest.mark.parametrize(
    ("name", "text", "is_found"),
    [
        ("label_num_to_disease_map.json", '{"1": "blight", "2": "rust"}', True),
        ("class_indices.json", '{"blight": 1, "rust": 2}', True),
        ("class_names.txt", "blight\nrust\n", True),
        ("class_names.txt", "1\n2\n", False),
        ("class_names.txt", "blight\n", False),
        ("labels.json", "[1]", False),
        ("labels.json", '{"1": ["a.png"], "2": ["b.png"]}', False),
        ("class_weights.json", '{"1": 0.87, "2": 1.21}', False),
        ("class_weights.json", '{"1": "0.87", "2": "1.21"}', False),
        ("class_weights.json", '{"blight": 1.0, "rust": 2.0}', False),
    ],
)
def test_names_of_numbered_classes_are_pointed_out(
    preview: Preview, folder: Path, name: str, text: str, is_found: bool
) -> None:
    _pictures(folder, [f"{number}/{n}.png" for number in (1, 2) for n in range(3)])
    (folder / name).write_text(text)

    found = preview("classification")

    assert found["classes"] == {"1": 3, "2": 3}
    assert len(found["warnings"]) == is_found
    assert all(f"{name} appears to have their names" in each for each in found["warnings"])


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        (
            "Annotations/a0.xml",
            (
                "<annotation><object><name>car</name><deleted>1</deleted>\n<polygon><pt><x>1</x>"
                "<y>1</y></pt></polygon></object></annotation>"
            ),
            "XML of the old LabelMe",
        ),
        (
            "label_02/0000.txt",
            "0 -1 Car 0 0 -1.79 2.0 3.0 20.0 20.0 1.5 1.6 3.7 1 1 10 0.1\n",
            "KITTI text with tracks",
        ),
    ],
)
def test_formats_that_are_not_read_are_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    path: str,
    text: str,
    kind: str,
) -> None:
    _pictures(folder / "image_02")
    (folder / path).parent.mkdir()
    (folder / path).write_text(text)

    said = caller(capsys, tmp_path / "workspace")(
        "datasets", "import", folder, "--task", "detection", "--preview"
    )

    assert f"{path} is of the kind “{kind}”" in said.mistake


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("kind", ["classes", "boxes"])
def test_numbers_of_a_table_that_are_shifted_are_pointed_out(
    preview: Preview, folder: Path, first: int, kind: str
) -> None:
    _pictures(folder, [f"{number:02}.png" for number in range(1, 9)])
    heading = {"classes": "id,label", "boxes": "id,label,xmin,ymin,xmax,ymax"}[kind]
    rest = {"classes": "", "boxes": ",2,3,20,21"}[kind]
    rows = (f"{number},{'ab'[number % 2]}{rest}\n" for number in range(first, first + 8))
    (folder / "t.csv").write_text(f"{heading}\n" + "".join(rows))

    found = (
        preview("classification", "t.csv")
        if kind == "classes"
        else preview("detection", "", "--labels", str(folder / "t.csv"))
    )

    said = [each for each in found["warnings"] if "numbers the images from" in each]
    assert len(said) == (first != 1)
    match = {
        0: "1 was read as 01.png, and may be 02.png.",
        2: "2 was read as 02.png, and may be 01",
    }
    assert all(match[first] in each for each in said)


def test_a_table_of_names_beside_a_list_is_pointed_out(preview: Preview, folder: Path) -> None:
    _pictures(folder)
    rows = (f"{name},{number % 2}\n" for number, name in enumerate(NAMES))
    (folder / "t.csv").write_text("image,class_id\n" + "".join(rows))
    (folder / "classes.csv").write_text("class_id,name\n0,cat\n1,dog\n")

    (warning,) = preview("classification", "t.csv")["warnings"]

    assert "classes.csv appears to have their names" in warning


def test_a_column_of_names_beside_numbers_has_the_classes(preview: Preview, folder: Path) -> None:
    _pictures(folder)
    names = ("cat", "dog") * COUNT
    rows = (f"{name},{number % 2},{names[number]}\n" for number, name in enumerate(NAMES))
    (folder / "t.csv").write_text("image,label,label_name\n" + "".join(rows))

    found = preview("classification", "t.csv")

    assert (found["classes"], found["warnings"]) == ({"cat": 3, "dog": 3}, [])


@pytest.mark.parametrize(
    ("heading", "cells", "text"),
    [
        ("width", ["40"] * COUNT, "has the same number in all rows"),
        ("taken", [str(1_700_000_000 + 60 * n) for n in (4, 1, 0, 3, 9, 7)], "has dates"),
        ("east", [str(7_000_000 + n / 100) for n in (4, 1, 0, 3, 9, 7)], "32 bits do not tell"),
        ("mass", ["1.5", "2", "7", "7.25", "0", "3"], ""),
    ],
)
def test_columns_that_are_no_quantities_are_pointed_out(
    preview: Preview, folder: Path, heading: str, cells: list[str], text: str
) -> None:
    _pictures(folder)
    values = ("1.5", "2.5", "0.25", "9", "4", "7")
    lines = zip(NAMES, values, cells, strict=True)
    rows = (f"{name},{value},{cell}\n" for name, value, cell in lines)
    (folder / "t.csv").write_text(f"image,height,{heading}\n" + "".join(rows))

    found = preview("regression", "t.csv")

    assert len(found["warnings"]) == bool(text)
    assert all(text in each for each in found["warnings"])
    assert ([*found["classes"]] == ["height"]) == (heading in ("width", "taken"))


def test_names_of_a_table_of_boxes_that_mean_several_images_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    _pictures(folder, [f"{place}/{name}" for place in "xy" for name in NAMES])
    rows = (f"{name},cat,2,3,20,21\n" for name in NAMES)
    (folder / "b.csv").write_text("image,class,xmin,ymin,xmax,ymax\n" + "".join(rows))

    said = caller(capsys, tmp_path / "workspace")(
        "datasets", "import", folder, "--task", "detection", "--preview"
    )

    assert "a0.png: it may mean 2 images: x/a0.png, y/a0.png" in said.mistake
