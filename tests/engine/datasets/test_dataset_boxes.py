"""Boxes of a dataset: storage, import, continuation, versions, adding, tiles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.regions import BOXES
from studio.engine.datasets.store import Store, StoreWriter
from studio.engine.datasets.summary import DatasetSummary, write_summary
from studio.engine.datasets.writer import REMARKS_NAME, TARGETS_NAME
from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.tasks import TASKS
from studio.engine.tasks.boxes import CROWD, DIFFICULT, box_counts, padded
from studio.engine.tasks.detection.task import DETECTION

NAMES = ["cell", "dot"]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, DETECTION.name, DETECTION)


def rows(*boxes: tuple[float, ...]) -> NDArray[np.float32]:
    return np.array(boxes, np.float32).reshape(-1, 6)


STORED = [
    rows((0, 1, 2, 5, 6, 0), (1, 3, 3, 9, 8.5, DIFFICULT)),
    rows(),
    rows((1, 0, 0, 16, 12, CROWD)),
    rows((1, 0, 0, 4, 4, 0), (1, 4, 4, 8, 8, 0), (0, 2, 2, 3, 3, 0)),
]


def begin(folder: Path, count: int = 4, most: int = 3) -> StoreWriter:
    recipe = DatasetRecipe(source="/x", task=DETECTION.name, width=16, height=12)
    paths = [f"{row}.png" for row in range(count)]
    return StoreWriter.create(folder, recipe, paths, NAMES, "f", most)


def write(writer: StoreWriter, row: int, *remarks: str) -> None:
    pixels = np.full((12, 16, 3), row, np.uint8)
    writer.write(row, pixels, bytes(16), STORED[row], remarks)


def finish(folder: Path, writer: StoreWriter) -> Store:
    writer.flush()
    split = np.where(writer.done, 0, -1).astype(np.int8)
    values = np.concatenate([box_counts(each[None], 2) for each in STORED])
    np.save(folder / TARGETS_NAME, values)
    write_summary(
        folder,
        DatasetSummary(
            task=DETECTION.name, width=16, height=12, channels=3, classes=NAMES, count={},
            class_counts={}, skipped=0, mean_color=[],
        ),
    )  # fmt: skip
    writer.finish(np.where(split < 0, -1, 0).astype(np.int32), split, NAMES)
    return Store.open(folder)


def test_boxes_are_read_back_with_empty_places_behind_them(tmp_path: Path) -> None:
    with begin(tmp_path) as writer:
        for row in range(4):
            write(writer, row)
        store = finish(tmp_path, writer)

    assert store.masks is None
    boxes = store.required_boxes
    assert boxes.shape == (4, 3, 6)
    assert boxes.dtype == np.float32
    assert np.array_equal(boxes[:], [padded(each, 3) for each in STORED])
    assert np.array_equal(np.load(tmp_path / BOXES.file_name), boxes[:])
    copy = boxes[[3, 1]]
    copy[:] = 9  # writable, and no view of the file
    assert np.array_equal(boxes[3], STORED[3])
    with store.stays_mapped():
        assert np.array_equal(boxes[1:3], [padded(each, 3) for each in STORED[1:3]])


def test_images_that_cannot_be_read_have_no_boxes(tmp_path: Path) -> None:
    with begin(tmp_path) as writer:
        write(writer, 2)
        store = finish(tmp_path, writer)
    assert (store.required_boxes[[0, 1, 3]][..., 0] == -1).all()


def test_a_dataset_without_any_box_has_a_place_for_one(tmp_path: Path) -> None:
    with begin(tmp_path, most=0) as writer:
        write(writer, 1)
        store = finish(tmp_path, writer)
    assert store.required_boxes.shape == (4, 1, 6)


def test_continued_rows_keep_their_boxes_and_remarks(tmp_path: Path) -> None:
    said = message("{count} boxes lie outside of the image", count=2)
    with begin(tmp_path) as writer:
        write(writer, 3, said)
        write(writer, 1)
        writer.flush()
        with (tmp_path / REMARKS_NAME).open("ab") as file:
            file.write(b'[0, ["cut o')  # by a kill
    resumed = StoreWriter.resume(tmp_path, "f")
    assert resumed is not None
    with resumed:
        assert resumed.done.tolist() == [False, True, False, True]
        assert resumed.missing_bytes == 2 * (12 * 16 * 3 + 3 * 6 * 4)
        assert np.array_equal(resumed.regions(3), STORED[3])
        assert len(resumed.regions(1)) == 0
        write(resumed, 0, "more")
        resumed.flush()
        assert list(resumed.remarks) == [0, 3]
        assert resumed.remarks[3] == (said,)
        write(resumed, 2)
        store = finish(tmp_path, resumed)
    assert not (tmp_path / REMARKS_NAME).exists()
    assert np.array_equal(store.required_boxes[:], [padded(each, 3) for each in STORED])


@pytest.mark.parametrize("damage", ["gone", "short", "other", "rows"])
def test_missing_and_damaged_boxes_are_reported(tmp_path: Path, damage: str) -> None:
    with begin(tmp_path) as writer:
        for row in range(4):
            write(writer, row)
        finish(tmp_path, writer)
    path = tmp_path / BOXES.file_name
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "short":
        path.write_bytes(data[:-1])
    else:
        np.save(path, np.zeros((4, 3, 5) if damage == "other" else (3, 3, 6), np.float32))
    with pytest.raises(BadDataError, match="boxes of the dataset"):
        Store.open(tmp_path)


@pytest.mark.parametrize(
    "boxes",
    [
        np.zeros((4, 6), np.float32),
        np.zeros((2, 5), np.float32),
        np.zeros((2, 6), np.float64),
        np.zeros((12, 16), np.uint8),
    ],
    ids=str,
)
def test_what_is_no_row_of_boxes_is_refused(tmp_path: Path, boxes: NDArray[np.float32]) -> None:
    with begin(tmp_path) as writer:
        with pytest.raises(ValueError, match="boxes are float32"):
            writer.write(0, np.zeros((12, 16, 3), np.uint8), bytes(16), boxes)
        with pytest.raises(ValueError, match="every image needs its boxes"):
            writer.write(0, np.zeros((12, 16, 3), np.uint8), bytes(16))


def test_images_differ_by_their_boxes(tmp_path: Path) -> None:
    with begin(tmp_path) as writer:
        for row in range(4):
            write(writer, row)
        store = finish(tmp_path, writer)
    pairs = np.array([[0, 0], [0, 3], [1, 1], [1, 2], [2, 2]])
    assert store.differ(pairs).tolist() == [False, True, False, True, False]
    assert store.annotation(3) == "2 dot, 1 cell"
    assert store.annotation_document(0)["boxes"] == [
        {"class": "cell", "box": [1, 2, 5, 6]},
        {"class": "dot", "box": [3, 3, 9, 8.5], "difficult": True},
    ]
    assert store.annotation_document(2)["boxes"] == [
        {"class": "dot", "box": [0, 0, 16, 12], "crowd": True}
    ]
