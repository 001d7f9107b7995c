"""Exports of annotation tools and folders of other systems: read, or the file is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import studio
from helpers.command_line import Call, caller
from studio.engine.errors import StudioError

SPLITS = {"train": 4, "valid": 2, "test": 2}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    return caller(capsys, tmp_path / "workspace")


def draw(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    seed = [*path.as_posix().encode()]
    pixels = np.random.default_rng(seed).integers(0, 255, (32, 32, 3), np.uint8)
    Image.fromarray(pixels).save(path, "PNG" if path.suffix == ".png" else "JPEG")
    return path


def in_splits(root: Path) -> list[Path]:
    """Draw images as Roboflow names them, and return their paths."""
    return [
        draw(root / split / f"i{split}{number}_jpg.rf.0{number}a.jpg")
        for split, count in SPLITS.items()
        for number in range(count)
    ]


def preview(call: Call, source: Path) -> dict[str, Any]:
    document: dict[str, Any] = call("datasets", "import", source, "--preview", "--json").document
    return document


def test_names_of_darknet_beside_the_images(call: Call, tmp_path: Path) -> None:
    for path in in_splits(tmp_path / "set"):
        path.with_suffix(".txt").write_text("1 0.5 0.5 0.25 0.25\n")
    for split in SPLITS:
        (tmp_path / "set" / split / "_darknet.labels").write_text("cat\ndog\n")
    found = preview(call, tmp_path / "set")
    assert found["classes"] == {"cat": 0, "dog": 8}
    assert list(found["splits"].values()) == [4, 2, 2]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        (
            "export.ndjson",
            '{"data_row": {"external_id": "a.jpg"}, "projects": {"p": {"labels": []}}}',
            "Labelbox NDJSON",
        ),
        (
            "labelTxt/itest0_jpg.txt",
            "imagesource:GoogleEarth\ngsd:0.1\n5.0 5.0 30.0 8.0 28.0 20.0 3.0 17.0 ship 0\n",
            "DOTA",
        ),
        ("_annotations.txt", "a.jpg 5,6,25,30,0 3,6,4,3,1\n", "Keras YOLO"),
    ],
)
def test_unread_annotations_are_named_wherever_one_imports(
    call: Call, tmp_path: Path, name: str, text: str, kind: str
) -> None:
    source = tmp_path / "set"
    for number in range(3):
        draw(source / "images" / f"a{number}.jpg")
    (source / name).parent.mkdir(exist_ok=True)
    (source / name).write_text(text)
    for words in (("--preview",), ("--name", "x")):
        refused = call("datasets", "import", source, *words).mistake
        assert kind in refused
        assert name in refused
    with (
        studio.open(tmp_path / "workspace", progress=False) as workspace,
        pytest.raises(StudioError, match=kind),
    ):
        workspace.datasets.import_folder(source, name="y")


def test_masks_and_tables_in_the_folders_of_splits_are_named(call: Call, tmp_path: Path) -> None:
    for path in in_splits(tmp_path / "labels"):
        table = path.parent / "_classes.csv"
        before = table.read_text() if table.exists() else "filename, cat, dog\n"
        table.write_text(f"{before}{path.name}, 1, 0\n")
    refused = call("datasets", "import", tmp_path / "labels", "--preview").mistake
    assert "tables such as test/_classes.csv" in refused
    for path in in_splits(tmp_path / "masks"):
        mask = np.zeros((32, 32), np.uint8)
        mask[:9, :9] = 1
        Image.fromarray(mask).save(path.with_name(f"{path.stem}_mask.png"))
        (path.parent / "_classes.csv").write_text("Pixel Value, Class\n0, background\n1, cat\n")
    refused = call("datasets", "import", tmp_path / "masks", "--preview").mistake
    assert "choose this task (segmentation)" in refused
    found = preview_as(call, tmp_path / "masks", "segmentation")
    assert found["classes"] == {"background": 8 * (32 * 32 - 81), "cat": 8 * 81}


def preview_as(call: Call, source: Path, task: str) -> dict[str, Any]:
    words = ("datasets", "import", source, "--preview", "--task", task, "--json")
    document: dict[str, Any] = call(*words).document
    return document


@pytest.mark.parametrize(
    "names",
    [
        ("Training", "Validierung", "Test"),
        ("entraînement", "validation", "essai"),
        ("allenamento", "convalida", "prova"),
        ("training", "validatie", "test"),
    ],
)
def test_splits_of_other_languages(call: Call, tmp_path: Path, names: tuple[str, ...]) -> None:
    for name, count in zip(names, (4, 2, 2), strict=True):
        for label in ("cat", "dog"):
            for number in range(count):
                draw(tmp_path / "set" / name / label / f"{name}{number}.png")
    found = preview(call, tmp_path / "set")
    assert found["classes"] == {"cat": 8, "dog": 8}
    assert list(found["splits"].values()) == [8, 4, 4]
    assert found["split_origin"] == "folders"


def test_files_of_systems_are_no_images(call: Call, tmp_path: Path) -> None:
    source = tmp_path / "set"
    for label in ("cat", "dog"):
        for number in range(3):
            draw(source / label / f"{number}.jpg")
        for junk in ("._0.jpg", "Thumbs.db", ".DS_Store", "desktop.ini"):
            (source / label / junk).write_bytes(b"\0\5\x16\7")
    draw(source / "@eaDir" / "0.jpg" / "SYNOPHOTO_THUMB_M.jpg")
    draw(source / "__MACOSX" / "cat" / "._0.jpg")
    found = preview(call, source)
    assert (found["classes"], found["left_out"]) == ({"cat": 3, "dog": 3}, [])
    assert json.dumps(found["warnings"]) == "[]"
