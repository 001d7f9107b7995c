"""Boxes of a dataset: storage, import, continuation, versions, adding, tiles."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from box_pictures import NAMES as PICTURE_NAMES
from box_pictures import agrees, blocks, box_folder, box_recipe, coco_document, imported
from dataset_pictures import Listener, import_until_killed
from mask_pictures import save
from numpy.typing import NDArray

from studio.engine.datasets.edits import AddClass, Edit, Exclude, Move, RenameClass, SetTarget
from studio.engine.datasets.export import all_splits, export_dataset
from studio.engine.datasets.importer import read_skipped
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import recipe_to_add
from studio.engine.datasets.schema import FILE_NAME
from studio.engine.datasets.sources import evident_task, source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.store import Store, StoreWriter
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.summary import (
    SKIPPED_NAME,
    SUMMARY_NAME,
    DatasetSummary,
    read_summary,
    write_summary,
)
from studio.engine.datasets.survey import SurveyQuestion, SurveyResult, survey
from studio.engine.datasets.versions import edit_dataset, undo
from studio.engine.datasets.writer import REMARKS_NAME, TARGETS_NAME
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.tasks.annotations import AnnotationOptions, Remark
from studio.engine.tasks.boxes import CROWD, DIFFICULT, box_counts, padded
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.tasks.geometry import unpacked

NAMES = ["cell", "dot"]


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
    writer.write(row, pixels, bytes(16), STORED[row], [Remark(each, 2) for each in remarks])


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

    boxes = store.required_regions
    assert boxes.shape == (4, 3, 6)
    assert boxes.dtype == np.float32
    assert np.array_equal(boxes[:], [padded(each, 3) for each in STORED])
    assert np.array_equal(np.load(tmp_path / "boxes.npy"), boxes[:])
    copy = boxes[[3, 1]]
    copy[:] = 9  # writable, and no view of the file
    assert np.array_equal(boxes[3], STORED[3])
    with store.stays_mapped():
        assert np.array_equal(boxes[1:3], [padded(each, 3) for each in STORED[1:3]])


def test_images_that_cannot_be_read_have_no_boxes(tmp_path: Path) -> None:
    with begin(tmp_path) as writer:
        write(writer, 2)
        store = finish(tmp_path, writer)
    assert (store.required_regions[[0, 1, 3]][..., 0] == -1).all()


def test_a_dataset_without_any_box_has_a_place_for_one(tmp_path: Path) -> None:
    with begin(tmp_path, most=0) as writer:
        write(writer, 1)
        store = finish(tmp_path, writer)
    assert store.required_regions.shape == (4, 1, 6)


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
        assert resumed.remarks[3] == (Remark(said, 2),)
    again = StoreWriter.resume(tmp_path, "f")
    assert again is not None
    with again:
        assert again.remarks == {0: (Remark("more", 2),), 3: (Remark(said, 2),)}
        write(again, 2)
        store = finish(tmp_path, again)
    assert not (tmp_path / REMARKS_NAME).exists()
    assert np.array_equal(store.required_regions[:], [padded(each, 3) for each in STORED])


@pytest.mark.parametrize("damage", ["gone", "short", "other", "rows"])
def test_missing_and_damaged_boxes_are_reported(tmp_path: Path, damage: str) -> None:
    with begin(tmp_path) as writer:
        for row in range(4):
            write(writer, row)
        finish(tmp_path, writer)
    path = tmp_path / "boxes.npy"
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


# Import


def test_an_import_keeps_the_boxes_and_counts_them(tmp_path: Path) -> None:
    store = imported(box_recipe(box_folder(tmp_path / "in")), tmp_path / "out")

    assert store.classes == list(PICTURE_NAMES)
    assert len(set(store.colors)) == 3
    assert store.required_regions.shape[:1] == (10,)
    assert agrees(store)
    assert np.array_equal(store.targets, box_counts(store.required_regions[:], 3))
    assert (~store.is_empty).sum() == 8
    assert read_skipped(tmp_path / "out") == []


@pytest.mark.parametrize("encoding", ["raw", "png"])
def test_an_import_goes_on_where_it_stopped(tmp_path: Path, encoding: str) -> None:
    recipe = box_recipe(box_folder(tmp_path / "in", 60), encoding=encoding)
    whole = imported(recipe, tmp_path / "whole")
    with pytest.raises(Cancelled):
        imported(recipe, tmp_path / "out", Listener(cancel_after=30))
    assert not (tmp_path / "out" / FILE_NAME).exists()

    store = imported(recipe, tmp_path / "out")

    assert np.array_equal(store.required_regions[:], whole.required_regions[:])
    assert np.array_equal(store.targets, whole.targets)
    assert agrees(store)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("values", [{}, {"tile_size": 16, "encoding": "png"}], ids=str)
def test_a_killed_import_goes_on_to_the_same_bytes(tmp_path: Path, values: dict[str, Any]) -> None:
    root = box_folder(tmp_path / "in", 12 if values else 40)
    document = json.loads((root / "annotations.json").read_text())
    for each in document["annotations"][::7]:
        each["bbox"][0] = 500.0  # outside: said of its picture
    (root / "annotations.json").write_text(json.dumps(document))
    recipe = box_recipe(root, **values)
    import_until_killed(recipe, tmp_path / "out")
    assert not (tmp_path / "out" / FILE_NAME).exists()

    listener = Listener()
    imported(recipe, tmp_path / "out", listener)

    begun = next(done for done, _, what in listener.steps if what == "Importing images")
    assert begun >= 20, "what was flushed is not decoded again"
    imported(recipe, tmp_path / "whole")
    assert any(entry.is_partial for entry in read_skipped(tmp_path / "out"))
    for name in ("boxes.npy", TARGETS_NAME, SUMMARY_NAME, SKIPPED_NAME):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    names = [{path.name for path in (tmp_path / name).iterdir()} for name in ("out", "whole")]
    assert names[0] == names[1]


def test_boxes_that_are_left_out_are_reported_and_their_images_imported(tmp_path: Path) -> None:
    root = box_folder(tmp_path / "in", 6)
    document = json.loads((root / "annotations.json").read_text())
    mine = [each for each in document["annotations"] if each["image_id"] == 1]
    mine[0]["bbox"] = [40.0, 2.0, 5.0, 5.0]
    document["annotations"].append({**mine[-1], "id": 77, "category_id": 9})
    document["images"].append({"id": 99, "file_name": "gone.png", "width": 32, "height": 32})
    (root / "annotations.json").write_text(json.dumps(document))
    (root / "images" / "002.png").write_bytes(b"no picture")

    store = imported(box_recipe(root), tmp_path / "out")

    skipped = read_skipped(tmp_path / "out")
    partial = {each.path for each in skipped if each.is_partial}
    lost = {each.path for each in skipped if not each.is_partial}
    assert partial == {"images/001.png"}
    assert "images/002.png" in lost
    assert any("gone.png" in path for path in lost)
    assert len(np.flatnonzero(store.split >= 0)) == 5
    assert read_summary(tmp_path / "out").skipped == len(lost)
    row = store.paths.index("images/001.png")
    assert (store.required_regions[row][:, 0] >= 0).sum() == len(mine) - 1


def test_images_without_objects_are_left_out_on_request(tmp_path: Path) -> None:
    recipe = box_recipe(box_folder(tmp_path / "in"), keep_empty=False)
    store = imported(recipe, tmp_path / "out")
    assert len(store.split) == 8
    assert (~store.is_empty).all()


def test_tiles_have_the_boxes_in_them(tmp_path: Path) -> None:
    root = box_folder(tmp_path / "in", 6, width=40, height=25, most=6)
    fields = {"tile_size": 16, "tile_overlap": 4, "width": 16, "height": 16, "encoding": "png"}
    recipe = box_recipe(root, **fields, least_visible=0.0)
    store = imported(recipe, tmp_path / "out")
    assert len(store.paths) == 6 * 6
    assert agrees(store)
    few = imported(recipe.changed(keep_empty=False, least_visible=0.5), tmp_path / "few")
    rows = np.flatnonzero(few.split >= 0)
    assert 0 < len(rows) < 36
    assert (~few.is_empty)[rows].all()
    assert not (~few.is_empty)[few.split < 0].any()
    empty = [each for each in read_skipped(tmp_path / "few") if "no object" in each.reason]
    left_out = [int(each.reason.partition(" ")[0]) for each in empty]
    assert sum(left_out) + len(rows) == 5 * 6


def test_classes_of_several_places_are_merged_by_name(tmp_path: Path) -> None:
    first = box_folder(tmp_path / "one", 4, names=["a", "b"])
    second = box_folder(tmp_path / "two", 4, names=["b", "z"])
    store = imported(box_recipe(first, more_sources=[str(second)]), tmp_path / "out")
    assert store.classes == ["a", "b", "z"]
    is_second = np.array(["two" in path for path in store.paths])
    labels = store.required_regions[:][..., 0]
    for row in np.flatnonzero(store.split >= 0).tolist():
        found = labels[row][labels[row] >= 0]
        old = blocks(int(Path(store.paths[row]).stem), classes=2)[1][:, 0]
        assert found.tolist() == (old + is_second[row]).tolist()


def test_classes_get_other_names(tmp_path: Path) -> None:
    recipe = box_recipe(box_folder(tmp_path / "in"), class_names=["x", "y", "z"])
    store = imported(recipe, tmp_path / "out")
    assert store.classes == ["x", "y", "z"]
    assert agrees(store)


def test_edits_leave_boxes_alone_and_can_be_undone(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    store = imported(box_recipe(box_folder(tmp_path / "in")), folder)
    first, second = store.rows("train")[:2].tolist()
    edits: list[Edit] = [
        Exclude(rows=str(first)),
        RenameClass(label=0, name="ground"),
        AddClass(name="new"),
        Move(rows=str(second), split="test"),
    ]
    edit_dataset(folder, edits)

    edited = Store.open(folder)
    assert edited.classes == ["ground", *PICTURE_NAMES[1:], "new"]
    assert edited.targets.shape == (10, 4)
    assert np.array_equal(edited.required_regions[:], store.required_regions[:])
    with pytest.raises(StudioError, match="counted in the image"):
        edit_dataset(folder, [SetTarget(rows="1", output=0, value=3.0)])
    undo(folder)
    assert Store.open(folder).classes == store.classes


def test_images_are_added_with_their_boxes(tmp_path: Path) -> None:
    old = box_recipe(box_folder(tmp_path / "in"))
    folder = tmp_path / "old"
    store = imported(old, folder)
    edit_dataset(folder, [Exclude(rows="0"), RenameClass(label=2, name="c")])
    more = box_folder(tmp_path / "more", 4, names=["cell", "c"])

    recipe = recipe_to_add(folder, old, store.counts(), [more])
    both = imported(recipe, tmp_path / "new")

    assert both.classes == ["cell", "dot", "c"]
    assert len(both.labels) == 9 + 4
    assert len({*both.colors}) == 3
    again = imported(box_recipe(folder, keep_empty=False), tmp_path / "again")
    assert len(again.labels) == (~Store.open(folder).is_empty[1:]).sum()


@pytest.mark.parametrize("form", ["voc", "coco", "yolo", "kitti", "csv"])
def test_an_export_is_imported_as_it_was(tmp_path: Path, form: str) -> None:
    root = box_folder(tmp_path / "in", 20)
    document = json.loads((root / "annotations.json").read_text())
    document["annotations"][3]["ignore"] = 1
    (root / "annotations.json").write_text(json.dumps(document))
    recipe = box_recipe(root, val_percent=25, test_percent=25)
    store = imported(recipe, tmp_path / "first")
    to = tmp_path / "to"
    path = export_dataset(store, form, all_splits(store), to, "d", SilentProgress())
    again = imported(box_recipe(path, val_percent=0, test_percent=0), tmp_path / "again")

    assert not read_skipped(tmp_path / "again")
    assert again.counts() == store.counts()
    spaces = "_" if form == "kitti" else " "  # between the words of a line are spaces
    assert sorted(again.classes) == sorted(name.replace(" ", spaces) for name in store.classes)

    def content(one: Store) -> dict[bytes, tuple[int, list[tuple[object, ...]]]]:
        return {
            one.images[row].tobytes(): (
                int(one.split[row]),
                sorted(
                    (
                        one.classes[int(box[0])].replace(" ", spaces),
                        *np.round(box[1:5], 3).tolist(),
                    )
                    for box in one.required_regions[row]
                    if box[0] >= 0
                ),
            )
            for row in range(len(one.split))
        }

    assert content(again) == content(store)


def test_arrays_hold_the_boxes(tmp_path: Path) -> None:
    store = imported(box_recipe(box_folder(tmp_path / "in")), tmp_path / "first")
    path = export_dataset(store, "npz", ["train", "val"], tmp_path / "to", "d", SilentProgress())
    with np.load(path) as arrays:
        rows = store.rows("train")
        assert np.array_equal(arrays["train_boxes"], store.required_regions[rows])
        assert np.array_equal(arrays["train_targets"], store.targets[rows])
        assert arrays["target_names"].tolist() == store.classes


def test_a_folder_with_boxes_says_so(tmp_path: Path) -> None:
    root = box_folder(tmp_path / "in", 5)
    found = evident_task(root)
    assert found is not None
    recipe = box_recipe(root).changed(task="classification")
    result = survey(SurveyQuestion(recipe, suggest=True, max_images=4), SilentProgress())
    assert result.recipe.task == found.name
    assert [each.name for each in result.classes] == list(PICTURE_NAMES)
    image = next(each for each in result.images if each.regions)
    index = int(Path(image.item.key).stem)
    boxes = unpacked(image.regions)
    assert np.array_equal(boxes, blocks(index)[1])
    assert sum(image.values) == len(boxes)
    again = SurveyResult.of_data(json.loads(json.dumps(result.to_data())))
    assert again.images == result.images


@pytest.mark.parametrize(
    ("size", "objects", "side", "resize", "overlap"),
    [
        ((640, 480), (90, 300), 320, "fill", 0),
        ((640, 480), (24, 50), 448, "fill", 0),
        ((480, 640), (6, 6), 640, "fill", 0),
        ((2000, 1900), (40, 30), 320, "squash", 48),
        ((2000, 1900), (100, 30), 640, "squash", 0),
        ((1000, 900), (200, 200), 320, "squash", 0),
        ((100, 100), (6, 6), 128, "squash", 0),
        ((640, 480), (700, 700), 320, "fill", 0),
    ],
)
def test_a_size_is_proposed_at_which_objects_can_be_found(
    tmp_path: Path,
    size: tuple[int, int],
    objects: tuple[int, int],
    side: int,
    resize: str,
    overlap: int,
) -> None:
    # The size of a crowd is not that of an object.
    boxes = [rows((0, 8, 8, 8 + objects[0], 8 + objects[1], 0), (0, 0, 0, 2, 2, CROWD))] * 3
    for index in range(3):
        save(np.full((size[1], size[0], 3), 99, np.uint8), tmp_path / f"images/{index:03}.png")
    (tmp_path / "annotations.json").write_text(json.dumps(coco_document(boxes, size=size)))
    options = SourceOptions(annotations=AnnotationOptions(most=2))

    suggested = suggest_recipe(tmp_path, options=options, source=source_for(tmp_path, DETECTION))

    assert (suggested.width, suggested.height, suggested.resize) == (side, side, resize)
    tiles = (side, overlap) if overlap else (0, 0)
    assert (suggested.tile_size, suggested.tile_overlap) == tiles
    asked = SurveyQuestion(DatasetRecipe(source=str(tmp_path)), suggest=True)
    found = survey(asked, SilentProgress()).recipe
    assert found.task == DETECTION.name
    assert found.changed(task=suggested.task) == suggested


@pytest.mark.parametrize(
    ("larger", "objects", "side"),
    [((360, 350), 10, 384), ((360, 350), 40, 256), ((900, 900), 10, 384)],
    ids=["alike", "no small objects", "not alike"],
)
def test_small_objects_of_most_pictures_are_not_shrunk(
    tmp_path: Path, larger: tuple[int, int], objects: int, side: int
) -> None:
    sizes = [(256, 256)] * 6 + [larger] * 4
    boxes = [rows((0, 8, 8, 8 + objects, 8 + objects, 0))] * len(sizes)
    document: dict[str, Any] = coco_document(boxes, size=(256, 256))
    for entry, (width, height) in zip(document["images"], sizes, strict=True):
        entry |= {"width": width, "height": height}
        save(np.full((height, width, 3), 99, np.uint8), tmp_path / "images" / entry["file_name"])
    (tmp_path / "annotations.json").write_text(json.dumps(document))

    suggested = suggest_recipe(tmp_path, source=source_for(tmp_path, DETECTION))

    assert (suggested.width, suggested.height) == (side, side)


def test_splits_have_a_part_of_each_class(tmp_path: Path) -> None:
    root = box_folder(tmp_path / "in", 40)
    store = imported(box_recipe(root, val_percent=25, test_percent=25), tmp_path / "out")
    for name in ("train", "val", "test"):
        assert (store.targets[store.rows(name)] > 0).any(axis=0).all()
