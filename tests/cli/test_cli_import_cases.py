"""Imports that other tools get wrong, by public reports: whatever is not used is named."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

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
