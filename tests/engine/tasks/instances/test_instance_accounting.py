"""Objects that are read or reported are those of the files; exports are read back unchanged."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image

from helpers.accounting import (
    CLASSES,
    HEIGHT,
    WIDTH,
    Contents,
    DrawnBox,
    DrawnPicture,
    check_accounting,
    drawn_pictures,
    write_pictures,
)
from studio.engine.datasets.export import export_dataset
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import IGNORED, instance_table, values_of

SILENT = SilentProgress()
_EXAMPLES = settings(max_examples=8, deadline=None)
_FAULTS = {"outside", "empty", "twice", "no box", "unlisted class", "crowd"}


def recipe(folder: Path, **fields: object) -> DatasetRecipe:
    plan = {"task": "instances", "source": str(folder), "val_percent": 0, "test_percent": 0}
    return DatasetRecipe.parse(plan | {"width": WIDTH, "height": HEIGHT} | fields)


def contents_of(pictures: Sequence[DrawnPicture]) -> Contents:
    contents = Contents.of_pictures(pictures)
    contents.readable_classes = set()  # an object may cover the only one of a class
    return contents


def outline(corners: tuple[float, float, float, float]) -> list[float]:
    left, top, right, bottom = corners
    return [left, top, right, top, right, bottom, left, bottom]


def corners_of(box: DrawnBox) -> list[float]:
    """Return the corners that a file has: one alone for an object without an outline."""
    return outline(box.corners)[: 2 if box.fault == "no box" else None]


@_EXAMPLES
@given(drawn_pictures(faults=_FAULTS))
def test_coco(pictures: list[DrawnPicture]) -> None:
    images, annotations = [], []
    for number, each in enumerate(pictures):
        if each.fault == "not annotated":
            continue
        width, height = each.stated_size
        images.append({"id": number, "file_name": each.name, "width": width, "height": height})
        for box in each.boxes:
            entry: dict[str, object] = {"image_id": number, "iscrowd": int(box.fault == "crowd")}
            entry["category_id"] = CLASSES.index(box.label) + 1 if box.label in CLASSES else 99
            entry["segmentation"] = [] if box.fault == "no box" else [outline(box.corners)]
            annotations.append(entry)
    categories = [{"id": at, "name": name} for at, name in enumerate(CLASSES, 1)]
    document = {"images": images, "annotations": annotations, "categories": categories}
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pictures(folder / "in", pictures)
        (folder / "in" / "a.json").write_text(json.dumps(document))
        check_accounting(recipe(folder / "in"), contents_of(pictures), folder / "out")


@_EXAMPLES
@given(drawn_pictures(faults=_FAULTS - {"crowd"}, picture_faults={"broken", "missing"}))
def test_yolo(pictures: list[DrawnPicture]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pictures(folder / "in" / "images", pictures)
        (folder / "in" / "labels").mkdir()
        (folder / "in" / "data.yaml").write_text(f"names: [{', '.join(CLASSES)}]")
        contents = contents_of(pictures)
        for each in pictures:
            lines = []
            for box in each.boxes:
                label = CLASSES.index(box.label) if box.label in CLASSES else 7
                points = np.divide(outline(box.corners), [WIDTH, HEIGHT] * 4).tolist()
                words = [0.5, 0.5, 0.1, 0.1] if box.fault == "no box" else points
                lines.append(" ".join(map(str, [label, *words])))
            path = folder / "in" / "labels" / f"{Path(each.name).stem}.txt"
            path.write_text("\n".join(lines))
            if each.fault == "missing":
                contents.images = (contents.images - {each.name}) | {path.name}
        check_accounting(recipe(folder / "in"), contents, folder / "out")


@_EXAMPLES
@given(drawn_pictures(faults=_FAULTS - {"crowd", "unlisted class"}, picture_faults={"missing"}))
def test_tables(pictures: list[DrawnPicture]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pictures(folder / "in", pictures)
        with (folder / "in" / "t.csv").open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["image", "class", "object", "outline"])
            for each in pictures:
                rows = [
                    [
                        *(each.name, box.label, number),
                        "1 2"
                        if box.fault == "no box"
                        else " ".join(map(str, outline(box.corners))),
                    ]
                    for number, box in enumerate(each.boxes)
                ]
                table.writerows(rows or [[each.name, "", "", ""]])
        contents = contents_of(pictures)
        left_out = check_accounting(recipe(folder / "in"), contents, folder / "out")
        lost = Counter(each.path for each in left_out if not each.is_partial)
        assert all(count == 1 for count in lost.values())


NUMBERS = arrays(np.int32, (HEIGHT, WIDTH), elements=st.sampled_from([0, 0, 0, 1, 2, 3, 4]))


def dataset(folder: Path, every: list[NDArray[np.int32]], names: Sequence[str]) -> Store:
    """Write label images and their table with Pillow, and import them."""
    (folder / "in" / "images").mkdir(parents=True)
    (folder / "in" / "labels").mkdir()
    rows = ["labels,number,class\n"]
    for index, numbers in enumerate(every):
        pixels = np.full((HEIGHT, WIDTH, 3), 60 * index + 7, np.uint8)
        Image.fromarray(pixels).save(folder / "in" / "images" / f"{index}.png")
        Image.fromarray(numbers.astype(np.uint16)).save(folder / "in/labels" / f"{index}.png")
        present = np.unique(numbers[numbers > 0]).tolist()
        rows += [
            f"{index}.png,{number},{'__ignore__' if number == 4 else names[number % len(names)]}\n"
            for number in present
        ]
    (folder / "in" / "objects.csv").write_text("".join(rows))
    import_dataset(recipe(folder / "in"), folder / "d", SILENT)
    return Store.open(folder / "d")


def contents(store: Store) -> list[tuple[set[tuple[str, bytes]], bytes]]:
    """Return class and pixels of each object of each image, and the pixels that do not count."""
    found = []
    order = np.argsort([Path(path).name for path in store.paths])
    for row in store.required_regions[order]:
        table = instance_table(row)
        objects = {
            (store.classes[label], (row == value).tobytes())
            for value, label in zip(table.values.tolist(), table.classes.tolist(), strict=True)
        }
        found.append((objects, (row == IGNORED).tobytes()))
    return found


@pytest.mark.parametrize(
    "form", [each.export for each in TASKS["instances"].source.export_formats]
)
@_EXAMPLES
@given(every=st.lists(NUMBERS, min_size=2, max_size=2))
def test_exports_are_read_back_unchanged(form: str, every: list[NDArray[np.int32]]) -> None:
    every = [np.concatenate([np.full((1, WIDTH), 1 + at, np.int32), each[1:]]) for at, each in
             enumerate(every)]  # fmt: skip
    if form == "yolo":  # it has no regions that count nowhere
        every = [np.where(each == 4, 0, each).astype(np.int32) for each in every]
    with TemporaryDirectory() as name:
        folder = Path(name)
        store = dataset(folder, every, ["cell", "dust"])
        for index, (numbers, (objects, ignored)) in enumerate(
            zip(every, contents(store), strict=True)
        ):
            expected = {
                (["cell", "dust"][number % 2], (numbers == number).tobytes())
                for number in np.unique(numbers).tolist()
                if number not in {0, 4}
            }
            assert objects == expected, index
            assert ignored == (numbers == 4).tobytes()
        export_dataset(store, form, ["train"], folder, "exported", SILENT)
        import_dataset(recipe(folder / "exported"), folder / "again", SILENT)
        assert contents(Store.open(folder / "again")) == contents(store)


def test_voc_refuses_more_objects_than_its_files_hold(tmp_path: Path) -> None:
    form = next(each for each in TASKS["instances"].source.export_formats if each.export == "voc")
    labels: Instances = values_of(np.arange(400, dtype=np.int32).reshape(20, 20), 0)
    writer = form.writer(tmp_path, ["cell"], ["#ff0000"])
    with pytest.raises(StudioError, match="399 objects"):
        writer.add("JPEGImages/a.png", "train", labels, (20, 20))


def test_images_without_objects_can_be_left_out(tmp_path: Path) -> None:
    numbers = np.zeros((HEIGHT, WIDTH), np.int32)
    some = numbers.copy()
    some[:2, :2], some[4:6, 4:6] = 1, 2
    dataset(tmp_path, [numbers, some], ["cell"])
    store = Store.open(tmp_path / "d")
    assert len(store.paths) == 2
    import_dataset(recipe(tmp_path / "in", keep_empty=False), tmp_path / "e", SILENT)
    assert Store.open(tmp_path / "e").split.tolist() == [-1, 0]
