"""Images of a dataset: queries over them, their pictures, and the facts of one of them.

A filter over a million images takes milliseconds: paths, splits and targets are columns of NumPy,
and no text is made per image. The file is open only while it is read, so that the dataset can be
deleted. Everything but `ImageQuery` is used in background threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from studio.engine.datasets.audit import duplicates
from studio.engine.datasets.audit.findings import DoubtedBox, Finding
from studio.engine.datasets.image_names import ImageNames
from studio.engine.datasets.import_report import sample_rows
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store, evenly_spaced
from studio.engine.datasets.survey import spread
from studio.engine.evaluation.evaluated_classes import Predictions
from studio.engine.network_paths import is_network_path
from studio.engine.picture_files import Exposure, PhotoFacts, read_photo_facts
from studio.engine.pixel_format import PixelFormat
from studio.ui.charts.figure import Figure
from studio.ui.pages.datasets.sample_grid import Sample
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataView, Fact
from studio.ui.tasks.targets import Condition, TargetTable, ValueDistribution
from studio.ui.widgets.figures import number, percent
from studio.ui.widgets.overlay import Overlay, OverlayStyle, PictureBox, painted

LEFT_OUT = "left out"
"""In place of a split: excluded images."""


@dataclass(frozen=True, slots=True, eq=False)
class RunPredictions:
    """Predictions of the model of a run.

    Attributes:
        run: Name of the run.
        predictions: The class with the highest score of each image.
        requested: `wrong`, `all`, or the class whose predictions are shown.
    """

    run: str
    predictions: Predictions
    requested: Literal["wrong", "all"] | int


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Images given by their rows.

    Attributes:
        title: Description in a few words.
        line: Their origin, in a sentence.
        rows: Their rows, ascending; excluded images are among them.
        first: Row of the image to select first.
    """

    title: str
    line: str
    rows: NDArray[np.int64]
    first: int | None = None


@dataclass(frozen=True, slots=True)
class ImageQuery:
    """The values of the filters of the browser; None is no filter.

    Attributes:
        target: True for the targets to show.
        split: A split, or `LEFT_OUT`; None is all images that are not excluded.
        text: Part of the path, in any case; empty is no filter.
        order: `import` is the order of the dataset; `finding` that of the finding, with images
            that belong together next to each other; `score` begins with the highest score;
            `name` and `split`; others are defined by the task.
        answers: Predictions of a model.
        only: A finding of the audit, or images given by their rows, also excluded ones.
    """

    target: Condition | None = None
    split: str | None = None
    text: str = ""
    order: str = "import"
    answers: RunPredictions | None = None
    only: Finding | Picked | None = None


class ImageTable:
    """Paths, splits and targets of all images as columns.

    Args:
        store: The version.
        names: The paths; the same for all versions.
        targets: Targets of the version.
    """

    def __init__(self, store: Store, names: ImageNames, targets: TargetTable) -> None:
        self.names = names
        self.classes = store.classes
        self.version = store.version
        self.recipe = store.recipe
        self.labels = store.labels
        self.targets = targets
        self.view: DataView = view_of(store.task)
        self.origins = store.origins
        self._split = store.split
        self._dealt = store.split if store.overlay is None else store.overlay.dealt
        self._excluded = None if store.overlay is None else store.overlay.excluded

    def select(self, query: ImageQuery) -> NDArray[np.int64]:
        """Return the rows of a query, in its order."""
        chosen = self._of_split(query)
        if query.target is not None:
            chosen = chosen & query.target(self.targets)
        if query.text:
            chosen = chosen & self.names.holding(query.text)
        lists: dict[str, NDArray[np.int64]] = {}
        if isinstance(query.only, Finding):
            lists["finding"] = duplicates.shown_order(query.only)
        if query.answers is not None:
            lists["score"] = self._answered(query.answers)
        for rows in lists.values():
            chosen = chosen & self._mask(rows)
        order = lists[query.order] if query.order in lists else self._order(query.order)
        return np.flatnonzero(chosen) if order is None else order[chosen[order]]

    def split_name(self, row: int) -> str:
        """Return the split of a row, or `LEFT_OUT`."""
        split = int(self._split[row])
        return LEFT_OUT if split == SKIPPED else SPLIT_NAMES[split]

    def source_files(self, rows: NDArray[np.int64]) -> list[Path]:
        """Return the source files of images, without those that are gone."""
        found = (self.source_file(row) for row in rows.tolist())
        return [path for path in found if path is not None]

    def source_file(self, row: int) -> Path | None:
        """Return the source file of an image; None if it is gone, or part of another file.

        One on another computer is not looked for.
        """
        text = self.names.text(row)
        for root in self._roots:
            path = root / text
            if not is_network_path(str(path)) and path.is_file():
                return path
        return None

    @cached_property
    def _roots(self) -> list[Path]:
        # Images of further sources have absolute paths, which stay the same behind any root.
        texts = (self.recipe.path_prefix, self.recipe.source)
        roots = [Path(text) for text in texts if text and not is_network_path(text)]
        # Paths in a list are relative to its folder.
        return [root.parent if root.is_file() else root for root in roots]

    def are_left_out(self, rows: NDArray[np.int64]) -> bool:
        """Return True if all of these images are excluded."""
        return self._excluded is not None and bool(len(rows)) and bool(self._excluded[rows].all())

    def _of_split(self, query: ImageQuery) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_]
        if query.split == LEFT_OUT:
            chosen = self._mask([]) if self._excluded is None else self._excluded
        elif query.split is not None:
            chosen = self._split == SPLIT_NAMES.index(query.split)
        else:
            chosen = (self._dealt if isinstance(query.only, Picked) else self._split) != SKIPPED
        return chosen & self._mask(query.only.rows) if isinstance(query.only, Picked) else chosen

    def _mask(self, rows: NDArray[np.int64] | list[int]) -> NDArray[np.bool_]:
        """Return true at these rows, N."""
        mask = np.zeros(len(self.labels), np.bool_)
        mask[np.asarray(rows, np.int64)] = True
        return mask

    def _answered(self, answers: RunPredictions) -> NDArray[np.int64]:
        """Return the rows with the requested predictions, the highest score first."""
        predictions, requested = answers.predictions, answers.requested
        # The run may know images that a later version added.
        known = predictions.rows < len(self.labels)
        rows, classes, scores = predictions.rows, predictions.classes, predictions.scores
        predictions = Predictions(rows[known], classes[known], scores[known])
        if requested == "wrong":
            return predictions.wrong(self.labels)
        if requested == "all":
            return predictions.surest_first(np.ones(len(predictions.rows), np.bool_))
        return predictions.surest_first(predictions.classes == requested)

    def _order(self, order: str) -> NDArray[np.int64] | None:
        if order == "name":
            return self.names.order
        if order == "split":
            return np.argsort(self._dealt, kind="stable").astype(np.int64)
        return self.view.order(self.targets, order)


def _doubt(box: DoubtedBox) -> str:
    """Return what a tag says of a doubted box: square?, disc 93 %?, square → disc 93 %?"""
    parts = f"{box.label} → {box.predicted}" if box.label and box.predicted else ""
    score = f" {percent(box.score, 0)}" if box.predicted else ""
    return f"{parts or box.predicted or box.label}{score}?"


COVER = 4
PER_CLASS = 9
# Sides in pixels: tiles of a mosaic at twice the resolution of the screen.
TILE = 128


@dataclass(frozen=True, slots=True)
class ImageSelection:
    """Rows of a dataset, and the table of all of them."""

    rows: NDArray[np.int64]
    table: ImageTable


class DatasetImages(DatasetPictures):
    """The images of the newest version of a dataset, their targets, and queries over them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder
        self._names: ImageNames | None = None
        self._table: ImageTable | None = None
        self._targets: TargetTable | None = None
        self._doubted: Mapping[int, Sequence[DoubtedBox]] = {}

    def show_doubts(self, only: Finding | Picked | None) -> bool:
        """Paint the boxes that a finding is about over those of its images, or none.

        Returns:
            True if pictures change by it.
        """
        before = self._doubted
        self._doubted = {}
        if isinstance(only, Finding):
            self._doubted = dict(zip(only.rows, only.boxes, strict=False))
        return before != self._doubted

    def overlay(self, row: int) -> Overlay | None:
        """Return the mask or the boxes of a picture, and the boxes that are doubted."""
        found, doubted = super().overlay(row), self._doubted.get(row, ())
        if found is None or not doubted:
            return found
        names = list(found.names)
        # Dashed boxes are not counted in the legend.
        more = [
            PictureBox(
                names.index(box.predicted or box.label), *box.box, dashed=True, text=_doubt(box)
            )
            for box in doubted
            if (box.predicted or box.label) in names
        ]
        return found.with_boxes(more)

    def cover(self) -> list[QImage]:
        """Return four pictures, of different classes if there are as many."""
        store = self._opened()
        groups, seen = [], set[int]()
        for index in range(len(store.classes)):
            groups.append([row for row in self._sample(index, COVER) if row not in seen])
            seen.update(groups[-1])
        return [self.tile(row) for row in spread(groups, COVER)]

    def samples(self) -> list[Sample]:
        """Return random images with their annotations."""
        store, targets = self._opened(), self.targets()
        view, style = view_of(store.task), replace(self.style, has_tags=False)
        rows = (store.split >= 0).nonzero()[0].tolist()
        found = []
        for row in sample_rows(rows, store.recipe.seed):
            image = painted(self.image(store, row), self.overlay(row), style)
            name = view.caption(targets, row) or store.classes[store.labels[row]]
            found.append(Sample(image, name))
        return found

    def of_classes(self, numbers: Sequence[int]) -> list[list[QImage]]:
        """Return up to nine pictures of each of these classes, labels or quantities."""
        classes = len(self._opened().classes)
        return [
            [self.tile(row, self.style.only(at, classes)) for row in self._sample(at, PER_CLASS)]
            for at in numbers
        ]

    def figures(self) -> tuple[ValueDistribution, ...]:
        """Return the distribution of each quantity's values over the images."""
        store = self._opened()
        return view_of(store.task).figures(self.targets(), (store.split >= 0).nonzero()[0])

    def charts(self) -> list[Figure]:
        """Return charts of the targets of the images."""
        store = self._opened()
        return view_of(store.task).charts(self.targets(), (store.split >= 0).nonzero()[0])

    def targets(self) -> TargetTable:
        """Return the targets of all images of the newest version."""
        store = self._opened()
        with self._guard:
            if self._targets is None:
                self._targets = TargetTable.of_store(store)
            return self._targets

    def _sample(self, output: int, limit: int) -> list[int]:
        """Return the rows of a class, evenly spaced."""
        store = self._opened()
        rows = view_of(store.task).showcase(self.targets(), store.class_rows(output), output)
        found: list[int] = evenly_spaced(rows, limit).tolist()
        return found

    def select(self, query: ImageQuery) -> ImageSelection:
        """Return the images of a query, in the newest version."""
        table = self.table()
        return ImageSelection(table.select(query), table)

    def table(self) -> ImageTable:
        """Return the table of all images."""
        store, targets = self._opened(), self.targets()
        with self._guard:
            if self._names is None:
                self._names = ImageNames(store.path)
            if self._table is None:
                self._table = ImageTable(store, self._names, targets)
            return self._table

    def reload(self) -> None:
        """Switch to the newest version."""
        with self._guard:
            self._store = None
            self._table = None
            self._targets = None

    def tile(self, row: int, style: OverlayStyle | None = None) -> QImage:
        """Return one picture, no larger than a tile.

        Args:
            row: Row of the image.
            style: Style of its regions; by default that of all pictures.
        """
        image = _tile(self.image(self._opened(), row, TILE))
        # Tags of boxes would be too small to read: tiles are scaled down.
        shown = replace(style or self.style, has_tags=False)
        return painted(image, self.overlay(row), shown)


def _tile(image: QImage) -> QImage:
    if max(image.width(), image.height()) <= TILE:
        return image
    mode, smooth = Qt.AspectRatioMode, Qt.TransformationMode.SmoothTransformation
    return image.scaled(TILE, TILE, mode.KeepAspectRatioByExpanding, smooth)


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """Everything the browser shows of one image.

    Attributes:
        name: Its path as the dataset has it.
        targets: Headings with a text, or with several words.
        origin: Name of its origin, such as a film; empty if it has none.
        split: Its split, or `LEFT_OUT`.
        picture: The picture as the network sees it.
        overlay: Its mask or its boxes; None if there are none.
        pixels: Number format of the stored picture.
        file: Facts of its source file; None if it no longer exists.
    """

    name: str
    targets: list[Fact]
    origin: str
    split: str
    picture: QImage
    overlay: Overlay | None
    pixels: PixelFormat
    file: PhotoFacts | None


def read_image_facts(pictures: DatasetImages, row: int) -> ImageFacts:
    """Read one image and its source file."""
    table = pictures.table()
    path = table.source_file(row)
    return ImageFacts(
        name=table.names.shown(row),
        targets=table.view.facts(table.targets, row),
        origin=table.origins.name(row),
        split=table.split_name(row),
        picture=pictures.picture(row),
        overlay=pictures.overlay(row),
        pixels=table.recipe.pixel_format,
        file=None if path is None else read_photo_facts(path),
    )


def exposure_words(exposure: Exposure) -> str:
    """Format the exposure of a photograph: 1/250 s · f/2.8 · ISO 100 · 35 mm."""
    seconds = exposure.seconds
    time = f"1/{round(1 / seconds)}" if 0 < seconds < 0.3 else number(seconds)
    parts = (
        (seconds, f"{time} s"),
        (exposure.aperture, f"f/{number(exposure.aperture)}"),
        (exposure.speed, f"ISO {number(exposure.speed)}"),
        (exposure.focal, f"{number(exposure.focal)} mm"),
    )
    return " · ".join(text for known, text in parts if known)
