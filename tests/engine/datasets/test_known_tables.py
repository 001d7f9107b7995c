"""Tables of known datasets that are no plain lists of classes."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataset_pictures import noise_png, recipe

from studio.engine.datasets.import_report import ImportReport
from studio.engine.datasets.preview import preview_import
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

NAMES = [f"{number:06}.jpg" for number in range(1, 7)]


def previewed(path: Path, task: str) -> ImportReport:
    return preview_import(recipe(source=str(path), task=task), SilentProgress())


@pytest.fixture
def celeba(tmp_path: Path) -> Path:
    (tmp_path / "img_align_celeba").mkdir()
    for number, name in enumerate(NAMES):
        (tmp_path / "img_align_celeba" / name).write_bytes(noise_png(number, 8, 8))
    rows = [f"{name}  1 {(-1, 1)[at % 2]:2}\n" for at, name in enumerate(NAMES)]
    rows[0] = rows[0].replace("  1 ", " -1 ")
    text = f"{len(NAMES)}\nSmiling 5_o_Clock_Shadow \n" + "".join(rows)
    (tmp_path / "list_attr_celeba.txt").write_text(text)
    partitions = "".join(f"{name} {at // 2}\n" for at, name in enumerate(NAMES))
    (tmp_path / "list_eval_partition.txt").write_text(partitions)
    return tmp_path


def test_attributes_of_celeba_are_labels(celeba: Path) -> None:
    report = previewed(celeba / "list_attr_celeba.txt", "multi_label")
    images = dict(zip(report.classes, report.class_images, strict=True))
    assert images == {"Smiling": 5, "5_o_Clock_Shadow": 3}
    assert (report.count, report.counts) == (6, {"train": 2, "val": 2, "test": 2})
    assert any("list_eval_partition.txt, which names 6 of 6" in each for each in report.warnings)


def test_rows_of_another_width_and_a_wrong_count_are_reported(celeba: Path) -> None:
    table = celeba / "list_attr_celeba.txt"
    table.write_text(
        table.read_text().replace(f"{NAMES[1]}  1", NAMES[1]).replace("6\n", "9\n", 1)
    )
    report = previewed(table, "multi_label")
    assert report.count == 5
    assert [(each.line, each.reason) for each in report.skipped] == [
        (4, "the line has 2 cells; there are 3 columns")
    ]
    assert any("The first line says 9 rows; the table has 6." in each for each in report.warnings)


@pytest.mark.parametrize("task", ["classification", "multi_label"])
def test_numbers_of_splits_are_no_classes(celeba: Path, task: str) -> None:
    with pytest.raises(StudioError, match=r"list of the splits|names no column"):
        previewed(celeba / "list_eval_partition.txt", task)
    if task == "classification":
        with pytest.raises(StudioError, match="does not say which column") as caught:
            previewed(celeba / "list_attr_celeba.txt", task)
        assert "multi_label" in caught.value.hint


@pytest.mark.parametrize("task", ["classification", "multi_label", "regression"])
@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("ImageId,EncodedPixels", ["1 3 20 5", ""]),
        ("ImageId,ClassId,EncodedPixels", ["1,7 3", "2,8 2 40 1"]),
        ("img,rle_mask", ["1 3", "2 4"]),
        ("ImageId,EncodedPixels", ["-1", "2 4"]),
    ],
)
def test_run_lengths_are_no_classes(
    tmp_path: Path, header: str, cells: list[str], task: str
) -> None:
    for number in range(2):
        (tmp_path / f"{number}.png").write_bytes(noise_png(number, 8, 8))
    rows = [f"{number}.png,{cell}\n" for number, cell in enumerate(cells)]
    (tmp_path / "train.csv").write_text(f"{header}\n" + "".join(rows))
    with pytest.raises(StudioError, match="masks as RLE in the column"):
        previewed(tmp_path / "train.csv", task)
