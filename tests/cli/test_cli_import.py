"""`studio datasets import` from every kind of place."""

from __future__ import annotations

import shutil
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.box_datasets import shapes, write_boxes
from helpers.command_line import Call, caller
from helpers.pictures import picture_folder
from helpers.web import serving
from studio.cli import dataset_import
from studio.engine.datasets.preview import preview_import
from studio.engine.workspace import Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "pictures", 6, ("cat", "dog"))


def made(call: Call, *words: str | Path) -> dict[str, object]:
    document: dict[str, object] = call(
        "datasets", "import", *words, "--size", "8x8", "--json"
    ).document
    return document


def test_an_archive_takes_the_name_before_its_suffix(
    call: Call, pictures: Path, tmp_path: Path
) -> None:
    archive = shutil.make_archive(str(tmp_path / "pets"), "xztar", pictures)
    found = made(call, archive)
    assert (found["name"], found["count"], found["classes"]) == ("pets", 12, ["cat", "dog"])


def test_a_list_says_which_lines_are_bad(call: Call, pictures: Path) -> None:
    files = sorted(pictures.rglob("*.*"))
    lines = [f"{file.relative_to(pictures)} {file.parent.name}" for file in files]
    (pictures.parent / "list.txt").write_text("\n".join([*lines, "gone.png cat"]))
    found = made(call, pictures.parent / "list.txt", "--path-prefix", pictures, "--name", "x")
    assert (found["count"], found["skipped"]) == (12, 1)
    shown = call("datasets", "show", "x", "--json").document
    assert shown["skipped"][0]["line"] == 13
    assert "gone.png, line 13: it cannot be read" in call("datasets", "show", "x").out


def test_merging_adding_and_cutting_down(call: Call, pictures: Path, tmp_path: Path) -> None:
    more = picture_folder(tmp_path / "more", 4, ("dog", "owl"))
    both = made(call, pictures, more, "--name", "both")
    assert (both["count"], both["classes"]) == (20, ["cat", "dog", "owl"])
    less = made(call, "both", "--only-classes", "cat, owl", "--max-per-class", "3")
    assert less["name"] == "both-2"
    assert less["classes"] == ["cat", "owl"]
    one_class = picture_folder(tmp_path / "one class", 5, ("cat",))
    added = made(call, one_class, "--add-to", "both", "--name", "added")
    assert added["count"] == 25
    before = call("datasets", "show", "both", "--json").document
    after = call("datasets", "show", "added", "--json").document
    assert after["width"] == before["width"]
    assert all(after["count"][split] >= before["count"][split] for split in before["count"])


def test_separate_validation_images(call: Call, pictures: Path, tmp_path: Path) -> None:
    val = picture_folder(tmp_path / "val", 2, ("cat", "dog"))
    made(call, pictures, "--val-source", val, "--test", "0", "--name", "x")
    assert call("datasets", "show", "x", "--json").document["count"] == {
        "train": 12,
        "val": 4,
        "test": 0,
    }


def test_separate_folders_have_their_own_limits(
    call: Call, pictures: Path, tmp_path: Path
) -> None:
    val = picture_folder(tmp_path / "val", 4, ("cat", "dog"))
    words = ("--val-source", val, "--test", "0", "--val-max-per-class", "3", "--name", "x")
    made(call, pictures, *words)
    shown = call("datasets", "show", "x", "--json").document
    assert shown["count"] == {"train": 12, "val": 6, "test": 0}


def test_a_folder_and_an_archive_of_the_web(
    call: Call, pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.make_archive(str(tmp_path / "more"), "zip", pictures)
    with serving(tmp_path, monkeypatch) as base:
        found = made(call, f"{base}/pictures/")
        assert (found["name"], found["count"], found["classes"]) == (
            "pictures",
            12,
            ["cat", "dog"],
        )
        both = made(call, f"{base}/more.zip", pictures, "--test-source", f"{base}/pictures")
        assert (both["name"], both["count"]) == ("more", 36)
        assert "404" in call("datasets", "import", f"{base}/nothing/").mistake
    assert "cannot be reached" in call("datasets", "import", f"{base}/pictures/").mistake


def test_addresses_of_s3(call: Call, pictures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("datasets", "import", str(pictures), "--s3-endpoint", "http://h")
    assert "--s3-endpoint has no effect" in call(*words).mistake
    location = "s3://pets/x"
    assert (
        "must be an address" in call("datasets", "import", location, "--s3-endpoint", "h").mistake
    )
    monkeypatch.setitem(sys.modules, "boto3", None)
    assert "needs the package boto3" in call("datasets", "import", location).mistake


def test_mistakes_are_one_line(call: Call, pictures: Path, tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_text("x")
    for words, part in {
        ("nowhere",): "no file, folder or dataset nowhere",
        (str(tmp_path / "x.pdf"),): "unsupported file type",
        (str(pictures), "--add-to", "nothing"): "nothing",
        (str(pictures), "--val-source", str(tmp_path / "gone")): "gone",
        (str(pictures), "--only-splits", "dev"): "--only-splits must be one of",
        (str(pictures), "--min-per-class", "9"): "At least two classes",
        (str(pictures), "--max-per-class", "0"): "--max-per-class must be",
        (str(pictures), "--labels-file", str(tmp_path / "x.pdf")): "has no effect",
    }.items():
        assert part in call("datasets", "import", *words).mistake, words


def test_a_folder_with_a_table_of_labels(call: Call, pictures: Path, tmp_path: Path) -> None:
    files = sorted(pictures.rglob("*.*"))
    lines = [f"{file.relative_to(pictures).as_posix()},{file.parent.name}" for file in files]
    table = tmp_path / "labels.csv"
    table.write_text("\n".join(["path,label", *lines]))

    found = made(call, pictures, "--labels", table, "--name", "x")

    assert (found["task"], found["count"], found["skipped"]) == ("classification", 12, 0)
    assert found["classes"] == ["cat", "dog"]
    two = call("datasets", "import", pictures, pictures, "--labels", table)
    assert "one folder" in two.mistake


def test_a_folder_with_labels_of_a_tool(call: Call, pictures: Path, tmp_path: Path) -> None:
    names = sorted(path.relative_to(pictures) for path in pictures.rglob("*.*"))[:6]
    tags = [f'<tag label="{"xyz"[at % 3]}"/>' for at in range(len(names))]
    images = [
        f'<image name="{name.as_posix()}">{tag}{tags[0]}</image>'
        for name, tag in zip(names, tags, strict=True)
    ]
    file = tmp_path / "annotations.xml"
    text = f"<annotations><version>1.1</version>{''.join(images)}</annotations>"
    file.write_text(text)
    words = ("datasets", "import", str(pictures), "--labels", str(file), "--preview", "--json")
    found = call(*words, "--task", "multi_label").document
    assert (found["format"], found["count"]) == ("drawn_labels", 6)
    assert found["classes"] == {"x": 6, "y": 2, "z": 2}
    assert "have several labels" in call(*words).mistake


def test_a_preview_writes_nothing(
    capsys: pytest.CaptureFixture[str], pictures: Path, tmp_path: Path
) -> None:
    (pictures / "cat" / "broken.png").write_bytes(b"no picture")
    before = sorted(tmp_path.rglob("*"))
    call = caller(capsys, tmp_path / "no workspace")
    options = ("--preview", "--val", "20", "--test", "10", "--set", "seed=1")

    found = call("datasets", "import", pictures, *options, "--json").document

    assert sorted(tmp_path.rglob("*")) == before
    assert (found["format"], found["task"], found["count"]) == ("folder", "classification", 12)
    assert found["classes"] == {"cat": 6, "dog": 6}
    assert sum(found["splits"].values()) == 12
    assert found["split_origin"] == "random 70/20/10 (seed 1)"
    assert [entry["path"] for entry in found["left_out"]] == ["cat/broken.png"]
    assert found["warnings"] == []
    text = call("datasets", "import", pictures, *options).out
    assert "random 70/20/10 (seed 1)" in text
    assert "cat/broken.png: " in text


def test_the_text_of_a_preview_has_warnings_and_the_number_of_examined_images(
    call: Call, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pictures / "empty").mkdir()
    examined = partial(preview_import, max_examined=5)
    monkeypatch.setattr(dataset_import, "preview_import", examined)

    text = call("datasets", "import", pictures, "--preview").out

    assert "1 warning; please check:\n  Folders without images: 1 (empty)." in text
    assert "Examined: 5 of 12 images, chosen at random." in text


def test_a_sample_is_previewed_without_a_workspace(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, tmp_path / "no workspace")
    found = call("datasets", "import", "shapes_segmentation", "--preview", "--json").document
    assert found["class_unit"] == "pixels"
    assert not any(tmp_path.iterdir())


def test_an_import_and_its_dataset_say_what_a_preview_says(call: Call, pictures: Path) -> None:
    (pictures / "empty").mkdir()
    previewed = call("datasets", "import", pictures, "--preview", "--json").document
    imported = call("datasets", "import", pictures, "--name", "x", "--json").document
    shown = call("datasets", "show", "x", "--json").document
    assert "Folders without images" in previewed["warnings"][0]
    for key in ("format", "splits", "split_origin", "left_out", "warnings", "pixel_format"):
        assert previewed[key] == imported[key] == shown[key], key
    assert "Folders without images" in call("datasets", "show", "x").out


def test_the_objects_of_a_version_are_shown(call: Call, tmp_path: Path) -> None:
    images, boxes = shapes(6)
    folder = write_boxes(tmp_path / "shapes", images, boxes)
    total = sum(map(len, boxes))
    options = ("--task", "detection", "--size", "64x64", "--name", "shapes", "--json")
    imported = call("datasets", "import", folder, *options).document
    assert sum(imported["objects"].values()) == total
    assert call("datasets", "edit", "shapes", "exclude", "images/0000.png").code == 0
    shown = call("datasets", "show", "shapes", "--json").document
    assert sum(shown["objects"].values()) == total - len(boxes[0])
    assert sum(shown["splits"].values()) == 5


def test_the_text_of_a_preview_has_values_and_numbers_of_what_is_left_out(
    call: Call, tmp_path: Path
) -> None:
    folder = tmp_path / "boxes"
    folder.mkdir()
    rows = ["file,class,xmin,ymin,xmax,ymax"]
    for number in range(4):
        pixels = np.full((20, 20), 10 + number, np.uint8)
        pixels[5:9, 5:9] = 200
        Image.fromarray(pixels).save(folder / f"{number}.png")
        rows += [f"{number}.png,a,5,5,9,9"]
    (folder / "broken.png").write_bytes(b"no picture")
    rows += ["0.png,a,30,30,40,40", "broken.png,a,1,1,5,5"]
    (folder / "boxes.csv").write_text("\n".join(rows))

    text = call("datasets", "import", folder, "--task", "detection", "--preview").out

    assert "Pixels: uint8, 1 channel, values 0 to 255\n" in text
    assert "1 file left out, 1 used in part, 2 objects in total:\n" in text
