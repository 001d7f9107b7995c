"""Labels become annotation files and datasets; undecided pictures are left out."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from labeling_pictures import color_labeling, color_pictures

from helpers.digits import run_to_end
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.labeling.items import ItemLine
from studio.engine.labeling.output import (
    export_labels,
    label_forms,
    request_dataset,
)
from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import EXCLUDED, ClassValue, LabelsValue, NumbersValue
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.workspace import Workspace

ALL: dict[str, Any] = {"val_percent": 0, "test_percent": 0, "width": 8, "height": 8}


def imported(labeling: Labeling, workspace: Workspace, **fields: Any) -> Store:
    queue = JobQueue(workspace)
    job = run_to_end(queue, request_dataset(labeling, queue, "made", **{**ALL, **fields}))
    assert job.history.state == State.COMPLETED
    return Store.open(job.record.folder)


def test_a_dataset_of_classes(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in")
    for item in range(20):
        labeling.label(item, ClassValue(index=item % 3))
    labeling.label(4, EXCLUDED)
    labeling.label(5, None)

    store = imported(labeling, workspace)
    assert store.classes == ["blue", "green", "red"]
    assert len(store.labels) == 18
    for row, path in enumerate(store.paths):
        number = int(Path(path).stem)
        assert store.classes[store.labels[row]] == ("red", "green", "blue")[number % 3]
    assert (store.shape, store.recipe.color) == ((8, 8, 3), "rgb")


@pytest.mark.parametrize("name", ["007", "-3", "=1+1", "a, b", "é ü"])
def test_names_of_classes_survive(workspace: Workspace, tmp_path: Path, name: str) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 8, names=("12", name))
    for item in range(8):
        labeling.label(item, ClassValue(index=item % 2))

    assert sorted(imported(labeling, workspace).classes) == sorted(["12", name])


def test_labels_and_numbers(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 12, "multi_label")
    for item in range(10):
        labeling.label(item, LabelsValue.of([item % 3, 2]))
    store = imported(labeling, workspace)
    assert store.classes == ["red", "green", "blue"]
    rows = {int(Path(path).stem): row for row, path in enumerate(store.paths)}
    assert store.targets[rows[1]].tolist() == [0, 1, 1]
    assert sorted(rows) == list(range(10))


def test_numbers_with_units(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 12, "regression", names=("size", "age"))
    labeling.change_class(0, LabelClass(name="size", unit="cm"))
    for item in range(10):
        labeling.label(item, NumbersValue(numbers=(item * 0.1, -1e6 * item)))
    labeling.label(10, NumbersValue(numbers=(1.0, None)))
    store = imported(labeling, workspace)
    assert (store.classes, store.units) == (["size", "age"], ["cm", ""])
    rows = {int(Path(path).stem): row for row, path in enumerate(store.paths)}
    np.testing.assert_allclose(store.targets[rows[7]], [0.7, -7e6])
    assert 10 not in rows


def test_masks_keep_their_pixels_names_and_colors(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 6, "segmentation")
    labeling.change_class(1, LabelClass(name="leaf", color="#102030"))
    for item in range(5):
        mask = np.full((16, 24), item % 3, np.uint8)
        mask[:4] = IGNORE
        labeling.label(item, labeling.write_mask(item, mask), "drawn")
    store = imported(labeling, workspace, width=24, height=16)
    assert store.classes == ["red", "leaf", "blue"]
    assert store.colors[1] == "#102030"
    rows = {int(Path(path).stem): row for row, path in enumerate(store.paths)}
    expected = np.full((16, 24), 1, np.uint8)
    expected[:4] = IGNORE
    np.testing.assert_array_equal(store.required_regions[rows[4]], expected)
    assert sorted(rows) == list(range(5))


@pytest.mark.parametrize("task", ["classification", "segmentation"])
def test_frames_of_a_film_get_the_same_split(
    workspace: Workspace, tmp_path: Path, task: str
) -> None:
    classes = [LabelClass(name=name) for name in ("red", "green", "blue")]
    labeling = Labeling.create(workspace, "films", LabelingPlan(task=task, classes=classes))
    color_pictures(tmp_path / "frames", 24)
    lines = [
        ItemLine(
            path=str(tmp_path / "frames" / f"{number:04}.png"),
            name=f"film{number % 6}.mp4 {number}",
            origin="video",
            source=f"/films/film{number % 6}.mp4",
            width=24,
            height=16,
        )
        for number in range(24)
    ]
    for item in labeling.add_items(lines):
        mask = np.full((16, 24), item % 3, np.uint8)
        value = labeling.write_mask(item, mask) if task == "segmentation" else None
        labeling.label(item, value or ClassValue(index=item % 3))

    store = imported(labeling, workspace, val_percent=20, test_percent=20)

    assert store.origins.kind == "video"
    assert sorted(store.origins.names) == [f"film{number}.mp4" for number in range(6)]
    for film in range(6):
        splits = store.split[store.origins.name_of == film].tolist()
        assert len(splits) == 4
        assert len(set(splits)) == 1


def test_labeled_pictures_are_added_to_a_dataset(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 12)
    for item in range(6):
        labeling.label(item, ClassValue(index=item % 3))
    queue = JobQueue(workspace)
    first = run_to_end(queue, request_dataset(labeling, queue, "one", **ALL))
    more = Labeling(labeling.record)
    for item in range(6):
        more.label(item, None)
    for item in range(6, 12):
        more.label(item, ClassValue(index=item % 3))
    second = run_to_end(queue, request_dataset(more, queue, "two", into=first.record))

    assert dataset_summary(second.record.folder).count["train"] == 12


def test_a_table_of_labels_names_the_original_files(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 3)
    labeling.label([0, 2], ClassValue(index=2))
    path = export_labels(labeling, "csv", tmp_path / "out")
    again = export_labels(labeling, "csv", tmp_path / "out")

    assert (path.name, again.name) == ("colors.csv", "colors-2.csv")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["path", "label"]
    assert [row[1] for row in rows[1:]] == ["blue", "blue"]
    assert all(Path(row[0]).is_file() for row in rows[1:])


@pytest.mark.parametrize("form", label_forms(TASKS["segmentation"]))
def test_every_format_of_masks(workspace: Workspace, tmp_path: Path, form: str) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 3, "segmentation")
    color_pictures(tmp_path / "in", 3)
    labeling.label(1, labeling.write_mask(1, np.ones((16, 24), np.uint8)))
    folder = export_labels(labeling, form, tmp_path / "out")

    pictures = [path for path in folder.rglob("*") if path.stem == "0001"]
    assert pictures
    assert not [path for path in folder.rglob("*") if path.stem == "0000"]


def test_what_cannot_be_written_is_said(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 3)
    with pytest.raises(StudioError, match="has a label"):
        export_labels(labeling, "csv", tmp_path / "out")
    labeling.label(0, ClassValue(index=0))
    with pytest.raises(StudioError, match="not available"):
        export_labels(labeling, "masks", tmp_path / "out")
    labeling.file_of(0).unlink()
    with pytest.raises(BadDataError, match="no longer exists"):
        export_labels(labeling, "csv", tmp_path / "out")
    assert not (labeling.record.folder / "datasets").exists()
