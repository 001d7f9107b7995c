"""Reads a finished dataset: small columns at once, images from the file when needed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.edits import EDITS_NAME, edits_in_effect, read_edits
from studio.engine.datasets.images import EncodedImages, Images, MappedColumn, RawImages, RawRows
from studio.engine.datasets.origins.record import Origins, origins_by_pattern, read_origins
from studio.engine.datasets.overlay import EditOverlay
from studio.engine.datasets.positions import read_positions
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.regions import RegionFiles
from studio.engine.datasets.schema import FILE_NAME, FORMAT_VERSION, StoredColumn, columns_of
from studio.engine.datasets.sources.base import Tile, split_part_path
from studio.engine.datasets.sources.list_file import base_of
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.summary import read_summary
from studio.engine.datasets.writer import StoreWriter, class_counts, partial_path, read_targets
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.files import read_failure
from studio.engine.messages import as_message, message
from studio.engine.network_paths import is_network_path
from studio.engine.pictures.info import Georeference
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import TASKS
from studio.engine.tasks.targets import TargetArray
from studio.engine.tasks.task import Task
from studio.engine.web.address import address_of, location_text
from studio.engine.workspace import is_mirror

__all__ = ["FILE_NAME", "Store", "StoreWriter"]

_AT_ONCE = 4096
_GONE = "Import the images again, or choose another dataset."


class Store:
    """One dataset, read only. No file stays open, so it can be deleted at any time.

    Rows whose split is -1 are holes (see `schema`) or were left out by an edit: `rows`, `counts`
    and `class_rows` skip them, and other code should, too.

    Attributes:
        path: The file.
        images: Pixels of the type `pixel_format.dtype`, N x H x W x C: a batch is `images[rows]`,
            a copy.
        targets: Annotation of each row as numbers, N x outputs, see the task: its class, labels
            or quantities, or the number of pixels or objects of each class.
        regions: Masks or boxes of the images, see `RegionRows` of the task: `regions[rows]` is a
            copy. None where annotations are about images as wholes.
        split: `splits.TRAIN`, `VAL`, `TEST` or `SKIPPED` of each row, int8, N.
        classes: Class names, a label is an index into them; or names of the labels or quantities
            that the targets are about.
        recipe: Recipe of the import.
        created: When, ISO 8601 in UTC.
        version: Number of steps of `edits.jsonl` applied to labels, split and classes; see
            `edits`.
        overlay: Result of those steps, with excluded rows; None for no steps.
    """

    def __init__(self, path: Path, file: h5py.File, columns: dict[str, StoredColumn]) -> None:
        self.path = path
        self.recipe = DatasetRecipe.model_validate_json(file.attrs["recipe"])
        self.images = _images(path, file, columns, self.recipe)
        labels: NDArray[np.int32] = file["labels"][:]
        self.split: NDArray[np.int8] = file["split"][:]
        self.classes: list[str] = _texts(file["classes"][:])
        while self.classes and not self.classes[-1]:
            self.classes.pop()
        self.targets: TargetArray = read_targets(
            path.parent, self.task.targets, labels, len(self.classes)
        )
        self.regions: RawRows[Any] | None = None
        kind = RegionFiles.of(self.task)
        if kind is not None:
            self.regions = kind.open(path.parent, kind.shape(self.images.shape, 0))
        self.created = str(file.attrs["created"])
        self.version = 0
        self.overlay: EditOverlay | None = None
        self.split.setflags(write=False)
        self._check()

    @classmethod
    def open(cls, folder: Path, version: int | None = None) -> Self:
        """Open the dataset of a folder.

        Args:
            folder: The dataset's folder.
            version: The version (see `edits`): 0 as imported, None for the newest.

        Raises:
            BadDataError: It does not exist, or it is damaged, foreign, or from a newer Studio.
            StudioError: There is no such version.
        """
        path = folder / FILE_NAME
        with _reading(path) as file:
            columns = columns_of(file)
            if max(column.end for column in columns.values()) > path.stat().st_size:
                raise ValueError("the file is shorter than its contents")
            store = cls(path, file, columns)
        store._edit(version)
        return store

    @property
    def pixel_format(self) -> PixelFormat:
        """Number format of the images."""
        return self.recipe.pixel_format

    @property
    def task(self) -> Task:
        """Task that networks learn on its images."""
        return TASKS[self.recipe.task]

    @property
    def labels(self) -> NDArray[np.int32]:
        """Class of each row, N; 0 where images do not have a single one, see `targets`."""
        return self.task.targets.labels(self.targets)

    @property
    def confirmed(self) -> NDArray[np.bool_]:
        """True for rows whose label was checked and is right, shape (N,)."""
        if self.overlay is None:
            return np.zeros(len(self.split), np.bool_)
        return self.overlay.confirmed

    @property
    def required_regions(self) -> RawRows[Any]:
        """The masks or the boxes of each row, for what only tasks with regions do.

        Raises:
            TypeError: There are none.
        """
        if self.regions is None:
            raise TypeError(f"{self.path} has neither masks nor boxes")
        return self.regions

    @contextlib.contextmanager
    def stays_mapped(self) -> Iterator[None]:
        """Keep images and their regions mapped in the block, see `MappedColumn`."""
        with contextlib.ExitStack() as stack:
            for column in (self.images, self.regions):
                if column is not None:
                    stack.enter_context(column.stays_mapped())
            yield

    @cached_property
    def strata(self) -> NDArray[np.int32]:
        """Class of each row, or the rarest trait of its targets; 0 for skipped rows, shape N."""
        found = np.zeros(len(self.split), np.int32)
        found[self.split >= 0] = self.task.targets.strata(self.targets[self.split >= 0])
        return found

    @cached_property
    def units(self) -> list[str]:
        """Units of the outputs, in the order of `classes`; empty if there are none."""
        return read_summary(self.path.parent).units

    @cached_property
    def colors(self) -> tuple[str, ...]:
        """Color of each class of masks or boxes as "#rrggbb"; none without regions."""
        return self.task.geometry.colors(self.classes, read_summary(self.path.parent).colors)

    def differ(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask, (K,), of the pairs of rows, (K, 2), with different classes or targets.

        Images with equal counts may have different regions, see `Geometry.differ`.
        """
        one, other = self.targets[pairs[:, 0]], self.targets[pairs[:, 1]]
        different: NDArray[np.bool_] = (one != other).any(axis=1)
        if self.regions is not None:
            for index in np.flatnonzero(~different).tolist():
                one, other = self.regions[pairs[index]]
                different[index] = self.task.geometry.differ(one, other)
        return different

    def annotation(self, row: int) -> str:
        """Return the class of an image, or its targets in a line."""
        return self.task.targets.text(self.classes, self.units, self.targets[row])

    def annotation_document(self, row: int) -> dict[str, object]:
        """Return the class of an image, or its targets, as JSON data."""
        document = self.task.targets.document(self.classes, self.targets[row])
        if self.regions is not None:
            document |= self.task.geometry.document(self.regions[row], self.classes)
        return document

    @cached_property
    def is_empty(self) -> NDArray[np.bool_]:
        """True for rows without any of the objects that other rows have, shape N."""
        found = np.zeros(len(self.split), np.bool_)
        if self.regions is not None:
            for start in range(0, len(found), _AT_ONCE):
                part = self.regions[start : start + _AT_ONCE]
                found[start : start + len(part)] = self.task.geometry.is_empty(part)
        return found

    def examples(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return masks or boxes of images, their classes, or their targets, n rows.

        Args:
            rows: The images, shape (n,).
        """
        if self.regions is not None:
            return self.regions[rows]
        return self.task.targets.examples(self.targets[rows])

    def example(self, row: int) -> NDArray[Any]:
        """Return the masks or boxes of an image, its class, or its targets; see `examples`."""
        found: NDArray[Any] = self.examples(np.array([row]))[0]
        return found

    def has_output(self, output: int) -> NDArray[np.bool_]:
        """Return a mask of the rows with a class or label, or of all for a quantity; (N,)."""
        return self.task.targets.has(self.targets, output)

    @cached_property
    def origins(self) -> Origins:
        """Origins of the rows: those of the import, or of the pattern of the last split."""
        origins = read_origins(self.path.parent, len(self.split))
        pattern = "" if self.overlay is None else self.overlay.pattern
        if not pattern:
            return origins
        return origins_by_pattern(self.paths, pattern, origins.related)

    @cached_property
    def positions(self) -> dict[int, Georeference]:
        """Position of each image on the earth, by row, of those that are known."""
        return read_positions(self.path.parent)

    def origin(self, row: int) -> str:
        """Return the path or address of the file that an image was read from.

        Of an image in an archive it is the path of the archive, followed by that in it. Of a tile
        it is that of the whole picture.
        """
        path, _ = split_part_path(self.paths[row])
        return address_of(path) or location_text(base_of(Path(self.recipe.source)) / path)

    def local_origin(self, row: int) -> Path | None:
        """Return the path of the file that an image was read from, if it is on this computer.

        A dataset may come from another person: what it names elsewhere is not opened unasked.
        """
        origin = self.origin(row)
        return None if address_of(origin) or is_network_path(origin) else Path(origin)

    def tile(self, row: int) -> Tile | None:
        """Return the part of the original picture that an image shows; None for all of it."""
        return split_part_path(self.paths[row])[1]

    @cached_property
    def pictures(self) -> NDArray[np.int64]:
        """Number of the original picture of each row, shape N: tiles of one have the same."""
        names = [split_part_path(path)[0] for path in self.paths]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return np.array([numbers[name] for name in names], np.int64)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels of every image."""
        _, height, width, channels = self.images.shape
        return height, width, channels

    @property
    def is_encoded(self) -> bool:
        """True if images must be decoded when they are read."""
        return isinstance(self.images, EncodedImages)

    def rows(self, split_name: str) -> NDArray[np.int64]:
        """Return the rows of a split, ascending.

        Raises:
            StudioError: There is no such split.
        """
        if split_name not in SPLIT_NAMES:
            raise StudioError(
                'There is no split called "{split}".',
                did_you_mean(split_name, SPLIT_NAMES),
                "split",
                split=split_name,
            )
        return np.flatnonzero(self.split == SPLIT_NAMES.index(split_name)).astype(np.int64)

    def counts(self) -> dict[str, int]:
        """Return the images per split."""
        return {name: len(self.rows(name)) for name in SPLIT_NAMES}

    def class_counts(self) -> dict[str, list[int]]:
        """Return the images per split and class, in the order of `classes`."""
        return class_counts(self.task.targets, self.targets, self.split, len(self.classes))

    def class_rows(self, class_index: int) -> NDArray[np.int64]:
        """Return the rows of a class in any split, ascending."""
        return self._by_class[class_index]

    @cached_property
    def paths(self) -> list[str]:
        """Origin of each row, relative to the recipe's source; read on first use."""
        with _reading(self.path) as file:
            return _texts(file["path"][:])

    @cached_property
    def hashes(self) -> NDArray[np.uint8]:
        """blake2b of each row's encoded bytes, N x 16; read at the first use."""
        with _reading(self.path) as file:
            hashes: NDArray[np.uint8] = file["hash"][:]
            return hashes

    @cached_property
    def _by_class(self) -> list[NDArray[np.int64]]:
        seen = np.flatnonzero(self.split >= 0).astype(np.int64)
        found = self.task.targets.rows(self.targets[seen], len(self.classes))
        return [seen[rows] for rows in found]

    def _edit(self, version: int | None) -> None:
        lines = read_edits(self.path.parent, version)
        self.version = len(lines)
        edits = edits_in_effect(lines)
        if not edits:
            return
        self.overlay = EditOverlay(self.task.targets, self.targets, self.split, self.classes)
        for edit in edits:
            try:
                self.overlay.apply(edit)
            except StudioError as error:
                raise BadDataError(
                    "The edits of {folder} belong to other images: {reason}",
                    message(
                        "Move {file} away to restore the dataset as it was imported.",
                        file=EDITS_NAME,
                    ),
                    str(self.path.parent / EDITS_NAME),
                    folder=self.path.parent,
                    reason=error.message,
                ) from error
        self._remove_objects(self.overlay)
        self.classes, self.split = self.overlay.classes, self.overlay.split
        self.targets = self.overlay.targets
        for column in (self.targets, self.split):
            column.setflags(write=False)

    def _remove_objects(self, overlay: EditOverlay) -> None:
        """Take the removed objects out of the regions, and out of the targets that count them."""
        if not overlay.removed:
            return
        if self.regions is None:
            raise BadDataError("The edits remove objects, and the images have none.")
        geometry = self.task.geometry
        edited = {
            row: geometry.without(self.regions[row], places)
            for row, places in overlay.removed.items()
        }
        for row, region in edited.items():
            overlay.targets[row] = geometry.counts(region, len(overlay.classes))
        self.regions = self.regions.with_rows(edited)

    def _check(self) -> None:
        rows = len(self.images)
        if self.images.ndim != 4 or len(self.targets) != rows or len(self.split) != rows:
            raise ValueError("the columns do not have the same length")
        pixels = self.pixel_format
        if self.images.dtype != pixels.dtype or self.images.shape[3] != pixels.channels:
            raise ValueError("the pixels are not of the type that its recipe names")
        if self.split.min(initial=-1) < -1 or self.split.max(initial=-1) >= len(SPLIT_NAMES):
            raise ValueError("a split is not known")
        seen = self.labels[self.split >= 0]
        if seen.min(initial=0) < 0 or seen.max(initial=0) >= len(self.classes):
            raise ValueError("a label has no class")
        if isinstance(self.images, EncodedImages):
            self.images.check(self.split >= 0)


def _images(
    path: Path, file: h5py.File, columns: dict[str, StoredColumn], recipe: DatasetRecipe
) -> Images:
    if "images" in columns:
        return RawImages(MappedColumn(path, columns["images"]))
    shape = recipe.height, recipe.width, recipe.channels
    offsets: NDArray[np.int64] = file["place"][:]
    data = MappedColumn(path, columns["bytes"])
    dtype = recipe.pixel_format.dtype
    return EncodedImages(data, offsets, shape, partial(_path_of, path), dtype)


def _path_of(path: Path, row: int) -> str:
    """Return the origin of one row without reading the others."""
    with _reading(path) as file:
        return _texts(file["path"][row : row + 1])[0]


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[h5py.File]:
    """Open the file for the block; translate failures into a clear error."""
    if not path.is_file():
        if is_mirror(path.parent.parent.parent):
            raise BadDataError(
                "The images of this dataset are not on this computer.",
                "They are copied from the server if they have less than 1 GB.",
                str(path),
            )
        begun = partial_path(path.parent).exists()
        raise BadDataError(
            "The import of this dataset was not finished."
            if begun
            else "The dataset no longer exists.",
            "Continue or repeat the import." if begun else _GONE,
            str(path),
        )
    try:
        # Unlocked: two windows, a worker and a backup program may all read at the same time.
        with h5py.File(path, "r", locking=False) as file:
            version = int(file.attrs.get("format_version", 0))
            if version > FORMAT_VERSION:
                raise BadDataError(
                    "The dataset was written by a newer Studio (format {version}; this one "
                    "reads up to {supported}).",
                    "Update Studio, or import the images again.",
                    str(path),
                    version=version,
                    supported=FORMAT_VERSION,
                )
            yield file
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        # A ValueError is ours, and says what is wrong.
        reason = str(error) if isinstance(error, ValueError) else read_failure(error)
        raise BadDataError(
            "The file {file} is damaged or is not a dataset of Studio: {reason}.",
            _GONE,
            str(path),
            file=path.name,
            reason=as_message(reason),
        ) from error


def _texts(values: NDArray[np.bytes_]) -> list[str]:
    return [bytes(value).decode("utf-8", "surrogateescape") for value in values]


def evenly_spaced(rows: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return evenly spaced rows.

    Args:
        rows: Rows to choose from, shape (N,).
        limit: Greatest number of rows.
    """
    count = min(limit, len(rows))
    indices = (np.arange(count) * len(rows)) // max(count, 1)
    return rows[indices]
