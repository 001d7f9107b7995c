"""Imports that other tools get wrong, by public reports: whatever is not used is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys, tmp_path / "workspace")


def _pictures(folder: Path, names: Iterable[str]) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.effect_noise((40, 30), 90).save(path)
    return folder


def test_a_table_beside_class_folders_is_pointed_out(call: Call, tmp_path: Path) -> None:
    names = [f"{folder}/{number}.png" for folder in ("one", "two") for number in range(3)]
    folder = _pictures(tmp_path / "in", names)
    (folder / "prices.csv").write_text("day,price\n1,2\n3,4\n")
    plain = call("datasets", "import", folder, "--preview", "--json").document
    lines = (f"{name},{'cat' if '0' in name else 'dog'}\n" for name in names)
    (folder / "labels.csv").write_text("file,label\n" + "".join(lines).replace("/", "\\"))

    found = call("datasets", "import", folder, "--preview", "--json").document

    assert plain["warnings"] == []
    (warning,) = found["warnings"]
    assert "The table labels.csv names images of this folder" in warning
    assert found["classes"] == {"one": 3, "two": 3}
    table = call("datasets", "import", folder / "labels.csv", "--preview", "--json").document
    assert table["classes"] == {"cat": 2, "dog": 4}


def test_columns_of_numbers_that_cannot_be_read_are_named(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", [f"{number}.png" for number in range(5)])
    weights = ("1,5 kg", "2,25 kg", "1.234,5 kg", "about 3", "-")
    sizes = ("1 m", "20 cm", "3 m", "4 cm", "5 mm")
    rows = (f"{n}.png;{w};{s}\n" for n, (w, s) in enumerate(zip(weights, sizes, strict=True)))
    table = folder / "labels.csv"
    table.write_text("image;weight;size\n" + "".join(rows))

    found = call(
        *("datasets", "import", table, "--task", "regression", "--preview", "--json")
    ).document

    assert found["classes"] == {"weight": 3}
    assert any("size" in each and "'1 m'" in each for each in found["warnings"])
    assert {each["path"] for each in found["left_out"]} == {"3.png", "4.png"}


def test_a_folder_where_a_table_is_needed_names_its_table(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", ["a/0.png", "b/1.png"])
    (folder / "labels.csv").write_text("image,cat,dog\n0.png,1,0\n1.png,0,1\n")

    mistake = call("datasets", "import", folder, "--task", "multi_label", "--preview").mistake

    assert f"Perhaps import {folder / 'labels.csv'}." in mistake


def test_a_file_of_boxes_alone_says_how_it_is_imported(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", ["images/0.png", "images/1.png"])
    table = folder / "boxes.csv"
    rows = "0.png;cat;1,5;2,5;10,25;12\n1.png;dog;3;4;20,5;22\n"
    table.write_text("filename;class;xmin;ymin;xmax;ymax\n" + rows)
    options = "--task", "detection", "--preview", "--json"

    mistake = call("datasets", "import", table, *options).mistake
    found = call("datasets", "import", folder / "images", "--labels", table, *options).document

    assert "is a single file" in mistake
    assert "--labels" in mistake
    assert found["classes"] == {"cat": 1, "dog": 1}


def test_numbers_of_classes_without_a_name_are_pointed_out(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", ["images/0.png", "images/1.png"])
    (folder / "labels").mkdir()
    for number, label in ((0, 1), (1, 5)):
        (folder / "labels" / f"{number}.txt").write_text(f"{label} 0.5 0.5 0.2 0.2\n")
    names = "names:\n  0: cat\n  2: dog\n  5: 'bird: big'\n"
    (folder / "data.yaml").write_text(f"train: ../images\n{names}")

    found = call(
        *("datasets", "import", folder, "--task", "detection", "--preview", "--json")
    ).document

    assert found["classes"] == {"cat": 0, "1": 1, "dog": 0, "3": 0, "4": 0, "bird: big": 1}
    assert any("3 class numbers below 5 have no name" in each for each in found["warnings"])


def test_labels_are_no_names_where_many_files_are_missing(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", [f"{number}.png" for number in range(6)])
    table = folder / "train.csv"
    table.write_text("id,label\n" + "".join(f"{n},{n % 2}\n" for n in range(30)))

    found = call("datasets", "import", table, "--preview", "--json").document

    assert found["classes"] == {"0": 3, "1": 3}
    assert len(found["left_out"]) == 24


def test_of_two_files_of_an_image_that_of_its_name_is_used(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", ["images/0.png", "images/1.png"])
    (folder / "annotations").mkdir()
    for name, label in (("0", "cat"), ("0 (1)", "copy"), ("1", "cat")):
        text = (
            f"<annotation><filename>{name[0]}.png</filename><size><width>40</width>"
            f"<height>30</height></size><object><name>{label}</name><bndbox><xmin>1</xmin>"
            "<ymin>2</ymin><xmax>10</xmax><ymax>12</ymax></bndbox></object></annotation>"
        )
        (folder / "annotations" / f"{name}.xml").write_text(text)

    found = call(
        *("datasets", "import", folder, "--task", "detection", "--preview", "--json")
    ).document

    assert found["classes"] == {"cat": 2}
    (left_out,) = found["left_out"]
    assert left_out["path"] == "annotations/0 (1).xml"
    assert left_out["reason"] == "annotations/0.xml annotates the same image"


def _preview(call: Call, source: Path, task: str = "") -> Any:
    options = ("--task", task, "--size", "40x30") if task else ()
    return call("datasets", "import", source, *options, "--preview", "--json").document


def _table(folder: Path, text: str, names: Iterable[str] = "abcd") -> Path:
    _pictures(folder, [f"{name}.png" for name in names])
    (folder / "labels.csv").write_text(text)
    return folder / "labels.csv"


def test_rows_with_a_label_each_are_joined(call: Call, tmp_path: Path) -> None:
    rows = "a.png,big cat,ana\na.png,dog,bob\nb.png,big cat,ana\nc.png,dog,ana\nd.png,,ana\n"
    table = _table(tmp_path / "in", f"image,label,who\n{rows}")

    found = _preview(call, table, "multi_label")

    assert found["classes"] == {"big cat": 2, "dog": 2}
    assert found["count"] == 4
    assert found["left_out"] == []
    assert found["warnings"] == [
        'a.png has several rows. Its labels in the column "label" were joined.'
    ]


def test_names_with_commas_and_unreadable_lists_stay_when_rows_are_joined(
    call: Call, tmp_path: Path
) -> None:
    rows = 'a.png,"Chair, folding"\na.png,Lamp\nb.png,"Chair, folding"\nc.png,"[""Lamp"", x]"\n'
    table = _table(tmp_path / "in", f"image,label\n{rows}d.png,\n")

    found = _preview(call, table, "multi_label")

    assert found["classes"] == {"Chair, folding": 2, "Lamp": 1}
    assert [each["path"] for each in found["left_out"]] == ["c.png"]
    table.write_text('image,label\na.png,"dog, cat"\na.png,owl\nb.png,cat\nc.png,"[""cat"", x]"\n')
    assert _preview(call, table, "multi_label")["classes"] == {"cat": 2, "dog": 1, "owl": 1}


def test_rows_of_an_image_in_two_splits_are_not_joined(call: Call, tmp_path: Path) -> None:
    rows = "a.png,cat,train\na.png,dog,test\nb.png,cat,train\nb.png,dog,train\nc.png,dog,test\n"
    table = _table(tmp_path / "in", f"image,label,split\n{rows}")

    found = _preview(call, table, "multi_label")

    assert found["classes"] == {"cat": 2, "dog": 2}
    (left_out,) = found["left_out"]
    assert "twice with different values" in left_out["reason"]


def test_rows_of_flags_are_not_joined(call: Call, tmp_path: Path) -> None:
    table = _table(tmp_path / "in", "image,cat\na.png,1\na.png,0\nb.png,1\nc.png,0\nd.png,1\n")
    found = _preview(call, table, "multi_label")

    assert found["classes"] == {"cat": 3}
    assert "twice with different values" in found["left_out"][0]["reason"]

    table.write_text("image,label,value\na.png,cat,1\na.png,dog,0\nb.png,cat,0\nc.png,dog,1\n")
    options = ("--task", "multi_label", "--preview")
    assert "instead of 0 or 1" in call("datasets", "import", table, *options).mistake


def test_classes_called_as_if_unknown_are_pointed_out(call: Call, tmp_path: Path) -> None:
    rows = "a.png,cat\nb.png,Unknown\nc.png,?\nd.png,not_labeled\n"
    table = _table(tmp_path / "in", f"image,label\n{rows}")

    warning = next(w for w in _preview(call, table)["warnings"] if "unknown" in w)

    assert warning.startswith(
        'The classes "?" (1), "not_labeled" (1), "Unknown" (1) are called as if'
    )


def test_objects_of_the_class_background_are_pointed_out(call: Call, tmp_path: Path) -> None:
    rows = "a.png,cat,1,2,9,9\nb.png,Background,0,0,40,30\n"
    _table(tmp_path / "in", f"image,class,xmin,ymin,xmax,ymax\n{rows}", "ab")

    (warning,) = _preview(call, tmp_path / "in", "detection")["warnings"]

    assert warning.startswith('Objects have the class "Background".')


def test_identical_images_of_two_classes_are_pointed_out(call: Call, tmp_path: Path) -> None:
    names = [f"{folder}/{number}.png" for folder in ("one", "two") for number in range(3)]
    folder = _pictures(tmp_path / "in", names)
    shutil.copy(folder / "one/0.png", folder / "one/0 (1).png")
    assert _preview(call, folder)["warnings"] == []
    shutil.copy(folder / "one/0.png", folder / "two/0 - Copy.png")

    (warning,) = _preview(call, folder)["warnings"]

    assert warning.startswith("two/0 - Copy.png is identical to one/0")


@pytest.mark.parametrize("task", ["detection", "instances", "segmentation"])
def test_class_numbers_from_one_are_pointed_out(call: Call, tmp_path: Path, task: str) -> None:
    folder = _pictures(tmp_path / "in", ["images/0.png", "images/1.png"])
    (folder / "labels").mkdir()
    (folder / "classes.txt").write_text("cat\ndog\n")
    for number in (0, 1):
        lines = (f"{label} .1 .1 .5 .1 .5 .{label}5\n" for label in (1, 2))
        (folder / "labels" / f"{number}.txt").write_text("".join(lines))

    warnings = _preview(call, folder, task)["warnings"]

    assert any("if the numbers begin at 1, each object got the name after" in w for w in warnings)


def test_outlines_of_yolo_are_masks(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", ["images/0.png", "images/1.png"])
    (folder / "labels").mkdir()
    (folder / "data.yaml").write_text("names: [cat, background, dog]\n")
    square = "{} .25 .2 .75 .2 .75 .8 .25 .8\n"  # 20 x 18 pixels
    inner = "{} .5 .2 .75 .2 .75 .8 .5 .8\n"
    (folder / "labels" / "0.txt").write_text(square.format(0) + inner.format(2))
    (folder / "labels" / "1.txt").write_text(
        square.format(2) + inner.format(1) + "0 .1 .1 .1 .1\n" + "7 0 0 .1 0 .1 .1 0 .1\n"
    )

    found = _preview(call, folder, "segmentation")

    ignored = 4 * 3 + 4 * 3
    assert found["format"] == "yolo_masks"
    assert found["classes"]["cat"] == 180
    assert found["classes"]["dog"] == 360
    assert found["classes"]["background"] == 2 * 1200 - 540 - ignored
    assert [each["objects"] for each in found["left_out"]] == [1, 1]


def test_placeholders_of_missing_numbers_are_pointed_out(call: Call, tmp_path: Path) -> None:
    rows = "a.png,1.5,1\nb.png,-999,999\nc.png,2.5,500\nd.png,9999,998\n"
    table = _table(tmp_path / "in", f"image,depth,width\n{rows}")

    warnings = _preview(call, table, "regression")["warnings"]

    assert [each.partition(", far")[0] for each in warnings] == [
        'The column "depth" has the number -999',
        'The column "depth" has the number 9999',
    ]


@pytest.mark.parametrize("name", ["data.yaml", "classes.txt", "labels/classes.txt"])
def test_two_sets_of_yolo_whose_numbers_mean_other_classes_are_refused(
    call: Call, tmp_path: Path, name: str
) -> None:
    orders = {"a": ("cat", "dog"), "b": ("dog", "cat")}
    for place, names in orders.items():
        folder = _pictures(tmp_path / "in" / place, [f"images/{place}.png"])
        (folder / "labels").mkdir()
        (folder / "labels" / f"{place}.txt").write_text("0 .5 .5 .2 .2\n1 .3 .3 .2 .2\n")
        text = f"names: [{', '.join(names)}]\n" if name == "data.yaml" else "\n".join(names)
        (folder / name).write_text(text)
    preview = ("datasets", "import", tmp_path / "in", "--task", "detection", "--preview")

    assert "name the classes in another order" in call(*preview).mistake
    (tmp_path / "in" / "b" / name).write_bytes((tmp_path / "in" / "a" / name).read_bytes())
    assert call(*preview).code == 0


@pytest.mark.parametrize(
    ("names", "warns"),
    [
        (["helmet", "no-helmet"], False),
        (
            ["dog", "person", "cat", "tv", "car", "meatballs", "marinara sauce", "tomato soup"],
            True,
        ),
    ],
)
def test_other_names_within_a_set_of_yolo_are_no_mistake(
    call: Call, tmp_path: Path, names: list[str], warns: bool
) -> None:
    folder = _pictures(tmp_path / "in", ["images/train/0.png", "images/val/1.png"])
    (folder / "data.yaml").write_text("names: [Helmet, No Helmet]\n")
    for part, number in (("train", 0), ("val", 1)):
        (folder / "labels" / part).mkdir(parents=True)
        (folder / "labels" / part / f"{number}.txt").write_text("0 .5 .5 .2 .2\n1 .3 .3 .2 .2\n")
    (folder / "labels" / "classes.txt").write_text("\n".join(names))

    found = _preview(call, folder, "detection")

    assert found["classes"] == {"Helmet": 2, "No Helmet": 2}
    expected = "The names of classes in labels/classes.txt differ from those in data.yaml, which"
    assert [each.startswith(expected) for each in found["warnings"]] == [True] * warns


def test_shapes_without_a_pixel_are_reported(call: Call, tmp_path: Path) -> None:
    folder = _pictures(tmp_path / "in", ["a.png", "b.png"])
    images = [
        {"id": at, "file_name": f"{name}.png", "width": 40, "height": 30}
        for at, name in enumerate("ab")
    ]
    outlines = [[1, 1, 9, 1, 9, 9], [0.1, 0.1, 0.4, 0.1, 0.4, 0.4]]
    annotations = [
        {"id": at, "image_id": at, "category_id": 1, "segmentation": [outline]}
        for at, outline in enumerate(outlines)
    ]
    document = {"images": images, "annotations": annotations}
    document["categories"] = [{"id": 1, "name": "leaf"}]
    (folder / "c.json").write_text(json.dumps(document))

    (left_out,) = _preview(call, folder, "segmentation")["left_out"]

    assert left_out["path"] == "b.png"
    assert left_out["reason"] == "left out an object without a pixel inside the image"
    assert left_out["objects"] == 1


def test_arrays_of_images_without_labels_are_reported(call: Call, tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 255, (8, 20, 20), np.uint8)
    labels = np.arange(8) % 2
    np.savez(tmp_path / "x.npz", x_train=images, y_train=labels, x_test=images, y_test=labels[:5])

    found = _preview(call, tmp_path / "x.npz")

    assert found["count"] == 8
    assert found["left_out"] == [
        {"path": "x_test", "reason": "no array of 8 labels belongs to its images"}
    ]
