"""Checks that an import reads or reports everything that the files of a dataset contain.

A test writes files with an independent writer (json, csv, xml.etree, Pillow, pycocotools), counts
what it writes in `Contents`, and calls `check_accounting`. `drawn_pictures` generates pictures and
boxes with random faults; a format chooses those that it can express:

    @given(drawn_pictures(faults={"outside", "twice"}, picture_faults={"broken"}))
    def test_accounting(pictures): ...
        contents = write_my_format(folder, pictures)
        check_accounting(recipe, contents, folder / "out")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np
from hypothesis import strategies as st
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.boxes import CLASS, CROWD, FLAGS, VALUES

CLASSES = ("nut", "bolt")
WIDTH, HEIGHT = 32, 24
UNLISTED_CLASS = "ghost"
"""Class that no list of classes names."""

BOX_FAULTS = frozenset(
    {"outside", "empty", "twice", "no number", "no box", "unlisted class", "crowd"}
)
"""Faults of an object; each one costs exactly this object. A crowd is a region, and no object."""
PICTURE_FAULTS = frozenset({"missing", "broken", "other size", "not annotated"})
"""Faults of a picture: its file does not exist, is damaged, has another size than its annotation
says, or has no annotation. They cost the picture with all its objects."""
DAMAGED_FILE = "damaged file"
"""Fault of a picture with an annotation file of its own, which cannot be read."""


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """An object as a file shall describe it.

    Attributes:
        label: Name of its class; `UNLISTED_CLASS` with the fault "unlisted class".
        corners: Left, top, right and bottom in pixels, counted from 0 as edges; NaN with the
            fault "no number".
        fault: One of `BOX_FAULTS`, or empty. "twice" is the copy of another object.
    """

    label: str
    corners: tuple[float, float, float, float]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """A picture of `WIDTH` x `HEIGHT` pixels as the files shall describe it.

    Attributes:
        name: Name of its file.
        boxes: Its objects.
        fault: One of `PICTURE_FAULTS`, or empty.
    """

    name: str
    boxes: tuple[DrawnBox, ...]
    fault: str = ""

    @property
    def stated_size(self) -> tuple[int, int]:
        """Width and height for its annotation."""
        return (WIDTH + 1, HEIGHT) if self.fault == "other size" else (WIDTH, HEIGHT)


@dataclass(slots=True)
class Contents:
    """The content of the files of a dataset, as their writer counted it.

    Attributes:
        images: Names of the pictures that exist or are named by a file.
        objects: Number of objects of each class; empty for tasks without objects.
        readable_classes: Classes that have an object without a fault.
        pixels: Number of pixels of each class by the names of pictures, where masks are written.
        labels: Class by the names of pictures, for classification.
    """

    images: set[str]
    objects: Counter[str] = field(default_factory=Counter)
    readable_classes: set[str] = field(default_factory=set)
    pixels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_pictures(cls, pictures: Sequence[DrawnPicture]) -> Contents:
        """Count drawn pictures whose objects are all written, whatever their faults are."""
        unread = {"not annotated", DAMAGED_FILE}
        written = [each for each in pictures if each.fault not in unread]
        return cls(
            {each.name for each in pictures},
            Counter(box.label for each in written for box in each.boxes),
            {
                box.label
                for each in written
                for box in each.boxes
                if not each.fault and not box.fault
            },
        )


def _corners(fault: str) -> st.SearchStrategy[tuple[float, float, float, float]]:
    if fault == "no number":
        return st.just((float("nan"),) * 4)
    lefts = st.integers(WIDTH + 5, WIDTH + 20) if fault == "outside" else st.integers(1, 20)
    sides = st.just(0) if fault == "empty" else st.integers(3, 8)
    return st.builds(
        lambda left, top, width, height: (left, top, left + width, top + height),
        *(lefts, st.integers(1, 12), sides, sides),
    )


def _boxes(fault: str) -> st.SearchStrategy[DrawnBox]:
    labels = st.just(UNLISTED_CLASS) if fault == "unlisted class" else st.sampled_from(CLASSES)
    return st.builds(DrawnBox, labels, _corners(fault), st.just(fault))


@st.composite
def drawn_pictures(
    draw: st.DrawFn,
    faults: Collection[str] = BOX_FAULTS,
    picture_faults: Collection[str] = PICTURE_FAULTS,
    suffix: str = ".png",
) -> list[DrawnPicture]:
    """Generate pictures with objects and faults; the first one is fine and has an object.

    Args:
        draw: Draws values.
        faults: Possible faults of objects, of `BOX_FAULTS`.
        picture_faults: Possible faults of pictures, of `PICTURE_FAULTS`.
        suffix: Suffix of the pictures.
    """
    kinds = st.sampled_from(["", "", *sorted({*faults} - {"twice"})])
    pictures = []
    for number in range(draw(st.integers(1, 5))):
        boxes = _distinct(draw(st.lists(kinds.flatmap(_boxes), max_size=4)))
        fine = [box for box in boxes if not box.fault]
        if not number and not fine:
            boxes.append(DrawnBox(CLASSES[0], (1, 1, 9, 9)))
        if "twice" in faults and fine and draw(st.booleans()):
            boxes.append(DrawnBox(fine[0].label, fine[0].corners, "twice"))
        fault = draw(st.sampled_from(["", *sorted(picture_faults)])) if number else ""
        pictures.append(DrawnPicture(f"picture {number}{suffix}", tuple(boxes), fault))
    return pictures


def _distinct(boxes: Iterable[DrawnBox]) -> list[DrawnBox]:
    """Return the boxes without those that occurred before: only the fault "twice" repeats one."""
    return list({(each.label, each.corners): each for each in boxes}.values())


def write_pictures(folder: Path, pictures: Iterable[DrawnPicture]) -> None:
    """Write the files of the pictures into a folder, as their faults want them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(pictures):
        path = folder / each.name
        if each.fault == "broken":
            path.write_bytes(b"no picture")
        elif each.fault != "missing":
            Image.new("RGB", (WIDTH, HEIGHT), (40 * number, 90, 120)).save(path)


def check_accounting(recipe: DatasetRecipe, contents: Contents, out: Path) -> list[Skipped]:
    """Import files, and check that everything in them is read or reported, as the preview says.

    Args:
        recipe: Imports the files; without resizing where pixels are counted.
        contents: The content of the files.
        out: Folder for the dataset; must not exist.

    Returns:
        What the import reports.
    """
    preview = preview_import(recipe, SilentProgress())
    assert import_dataset(recipe, out, SilentProgress()) == preview
    store, left_out = Store.open(out), read_skipped(out)
    rows = np.flatnonzero(store.split >= 0).tolist()
    read = {_name(store.paths[row]): row for row in rows}
    names = Counter(_name(each.path) for each in left_out if not each.is_partial)
    lost = names.keys()
    twice = {name for name in contents.images if names[name] > 1}
    assert not twice, f"reported more than once: {twice}; reported: {left_out}"
    assert not read.keys() & lost, "an image is read and reported as left out"
    unreported = contents.images - read.keys() - lost
    assert not unreported, f"neither read nor reported: {unreported}; reported: {left_out}"
    if store.task.geometry.unit == "objects":
        _check_objects(store, rows, contents, left_out)
    for name, row in read.items():
        if name in contents.pixels:
            assert _pixels(store, row) == contents.pixels[name], name
        if name in contents.labels:
            assert store.classes[store.labels[row]] == contents.labels[name], name
    return left_out


def _name(path: str) -> str:
    return PurePosixPath(path).name


def _check_objects(
    store: Store, rows: Sequence[int], contents: Contents, left_out: Sequence[Skipped]
) -> None:
    found = store.task.geometry.objects(store.required_regions[rows])
    assert found is not None
    boxes = found.reshape(-1, VALUES)
    objects = boxes[(boxes[:, CLASS] >= 0) & (boxes[:, FLAGS] < CROWD)]
    read = Counter(store.classes[label] for label in objects[:, CLASS].astype(int))
    reported = sum(each.objects for each in left_out)
    assert read.total() + reported == contents.objects.total(), (read, left_out)
    too_many = read - contents.objects
    assert not too_many, f"more objects than in the files: {too_many}"
    assert contents.readable_classes <= read.keys()


def _pixels(store: Store, row: int) -> dict[str, int]:
    values, counts = np.unique(store.required_regions[row], return_counts=True)
    return {
        store.classes[value]: count
        for value, count in zip(values.tolist(), counts.tolist(), strict=True)
        if value != IGNORE
    }
