"""Regions of images, such as masks: how they are stored, and how they follow their images."""

from __future__ import annotations

import io
import zlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotations import (
    IGNORE,
    Boxes,
    ClassUnit,
    Regions,
    default_colors,
)
from studio.engine.tasks.outputs import Output
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.placement import Framing, Tile


class Motion(Protocol):
    """Map of an image onto itself that augmentation drew."""

    def labels(self, mask: NDArray[Any], outside: int = IGNORE) -> NDArray[Any]:
        """Return a mask that is turned and moved as the image.

        Args:
            mask: uint8 or int32, shape (height, width).
            outside: Value of areas outside of the original.
        """

    def boxes(self, rows: Boxes) -> None:
        """Turn and move boxes in place, shape (M, 6); hidden ones are dropped."""


Number = TypeVar("Number", int, dict[str, int])
Window = tuple[slice, slice]
"""Rows and columns of a part of images, in pixels."""


class RegionRows(ABC):
    """Regions as rows of an array, one row for each image.

    Attributes:
        name: Name of the array.
        dtype: Type of a value.
        unreadable: Message about a file that cannot be read, with `{folder}` and `{reason}`.
    """

    name: str
    dtype: np.dtype[Any]
    unreadable: str

    @abstractmethod
    def row_shape(self, height: int, width: int, places: int) -> tuple[int, int]:
        """Return the shape of a row.

        Args:
            height: Height of the images in pixels.
            width: Width of the images in pixels.
            places: Objects of the image that has the most; 0 for any number.
        """

    @abstractmethod
    def row(self, regions: Regions, shape: tuple[int, ...]) -> Regions:
        """Return the row of an image.

        Args:
            regions: Its regions.
            shape: Shape of a row.

        Raises:
            ValueError: They do not fit into a row.
        """

    def cut(self, rows: NDArray[Any], window: Window) -> NDArray[Any]:
        """Return the rows of a part of images.

        Args:
            rows: Rows of the images, shape (n, …).
            window: The part.

        Raises:
            TypeError: Regions cannot be cut off.
        """
        raise TypeError(f"{self.name} of shape {rows.shape} cannot be cut to {window}")

    def regions(self, row: Regions) -> Regions:
        """Return the regions that were given to `row`."""
        return row

    def nothing(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return the row of an image without regions.

        Args:
            shape: Shape of a row.
        """
        return np.zeros(shape, self.dtype)

    def _misfit(self, regions: Regions, shape: tuple[int, ...]) -> ValueError:
        return ValueError(f"{self.name} are {self.dtype} {shape}, not {regions.shape}")


class PixelRows(RegionRows):
    """Base of regions with one value for each pixel: N x height x width."""

    def row_shape(self, height: int, width: int, places: int) -> tuple[int, int]:  # noqa: ARG002
        """Return height and width; see `RegionRows.row_shape`."""
        return height, width

    def cut(self, rows: NDArray[Any], window: Window) -> NDArray[Any]:
        """Return the values of the pixels in a part of images; see `RegionRows.cut`."""
        return rows[:, *window]

    def row(self, regions: Regions, shape: tuple[int, ...]) -> Regions:
        """Return the values as they are; see `RegionRows.row`.

        Raises:
            ValueError: They have another size or type.
        """
        if regions.shape != shape or regions.dtype != self.dtype:
            raise self._misfit(regions, shape)
        return regions


class Geometry(ABC):
    """Regions of images, and what becomes of them where their images are changed.

    Attributes:
        rows: How regions are stored; None for annotations of images as wholes.
        part_type: Type of the part of predictions that is drawn like the regions; None for none.
        unit: Word for the counted parts of a class.
        names_classes: True if annotations name their classes; False if they number them.
        moves_on_host: True if regions follow their images on the processor alone.
        ignores_pixels: True if pixels of an image can be left out of training and metrics.
        no_reflection: Reason why borders cannot be mirror images; empty if they can.
    """

    rows: RegionRows | None = None
    part_type: type[PredictionPart] | None = None
    unit: ClassUnit = "images"
    names_classes: bool = True
    no_reflection: str = ""
    ignores_pixels: bool = False
    moves_on_host: bool = True

    @abstractmethod
    def fitted(
        self, regions: Regions, full: tuple[int, int], tile: Tile | None, framing: Framing
    ) -> Regions:
        """Return the regions of an image that a picture, or a part of it, was converted to.

        Args:
            regions: Those of the whole picture.
            full: Width and height of the whole picture.
            tile: The part; None for all of it.
            framing: Conversion of the part.
        """

    def without_pixels(
        self,
        regions: Regions,
        missing: NDArray[np.bool_],  # noqa: ARG002 - of objects
    ) -> Regions:
        """Return regions of a picture some of whose pixels have no value; as they are by default.

        Args:
            regions: Regions of the picture, or those `inside` a part of it.
            missing: True for the pixels of it without a value, shape (height, width).
        """
        return regions

    @abstractmethod
    def relabeled(self, regions: Regions, table: NDArray[np.uint8]) -> Regions:
        """Return regions with other numbers of their classes.

        Args:
            regions: Regions of an image.
            table: New number of each class, shape (256,).
        """

    @abstractmethod
    def counts(self, regions: Regions, classes: int) -> NDArray[np.int64]:
        """Count the regions of each class in an image in `unit`, shape (classes,).

        Args:
            regions: Regions of an image.
            classes: Number of classes.
        """

    def by_unit(self, number: Number) -> dict[str, Number]:
        """Return what was counted by its `unit`; nothing where only images are counted.

        Args:
            number: The number of regions, or several by the names of their classes.
        """
        return {self.unit: number}

    def without(self, row: NDArray[Any], places: Collection[int]) -> NDArray[Any]:  # noqa: ARG002
        """Return the row of an image without some of its objects.

        Args:
            row: Its regions, as `rows` stores them.
            places: Indices of the objects.

        Raises:
            BadDataError: The regions are not separate objects.
        """
        raise BadDataError("The regions of these images are not separate objects.")

    def inside(self, regions: Regions, tile: Tile | None) -> Regions:  # noqa: ARG002
        """Return the regions to count in a part of a picture; all by default.

        Args:
            regions: Those of the whole picture.
            tile: The part; None for all of it.
        """
        return regions

    def first_class(
        self,
        shape: tuple[int, int, int],
        output: Output,  # noqa: ARG002 - of several families
    ) -> NDArray[Any]:
        """Return targets of images that are all of the first class, for measurements.

        Args:
            shape: Number, height and width of the images.
            output: Output of the network.
        """
        return np.zeros(shape[:1], np.int32)

    @abstractmethod
    def move(self, row: Regions, motion: Motion) -> None:
        """Turn and move the stored regions of an image in place.

        Args:
            row: Stored regions of the image.
            motion: Map of the image.
        """

    def with_room(self, rows: NDArray[Any], images: int) -> NDArray[Any]:  # noqa: ARG002
        """Return a copy of stored regions with room for those of several images in each.

        Args:
            rows: Stored regions of images, shape (n, …).
            images: Number of images that are joined in one.
        """
        return rows.copy()

    def hidden_objects(
        self,
        regions: Regions,  # noqa: ARG002 - of objects
        full: tuple[int, int],  # noqa: ARG002
        tiles: Sequence[Tile | None],  # noqa: ARG002
        framing: Framing,  # noqa: ARG002
    ) -> int:
        """Return the number of objects of a picture that none of its parts shows; 0 by default.

        Args:
            regions: Those of the whole picture.
            full: Width and height of the whole picture.
            tiles: The parts; None for the whole.
            framing: Conversion of the parts.
        """
        return 0

    def is_empty(self, rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return True for images without regions, shape (n,).

        Args:
            rows: Stored regions of the images, shape (n, …).
        """
        return np.zeros(len(rows), np.bool_)

    def differ(self, one: NDArray[Any], other: NDArray[Any]) -> bool:  # noqa: ARG002
        """Return True if two images with equal counts have different regions.

        Args:
            one: Stored regions of an image.
            other: Those of the other one.
        """
        return False

    def facts(self, images: Iterable[Regions]) -> dict[str, float]:  # noqa: ARG002
        """Return figures that recommendations depend on, by their names; none by default.

        Args:
            images: Regions of some images of a dataset.
        """
        return {}

    def objects(self, rows: NDArray[Any]) -> Boxes | None:  # noqa: ARG002
        """Return the boxes of objects, see `tasks.boxes`; None if regions are no objects.

        Args:
            rows: Stored regions of images, shape (n, …).

        Returns:
            Shape (n, M, 6), with empty places.
        """
        return None

    def outlines(self, row: NDArray[Any]) -> list[tuple[int, tuple[Ring, ...]]]:  # noqa: ARG002
        """Return the class and the rings around each object or region; none by default.

        Args:
            row: Stored regions of an image.

        Returns:
            Rings of corners in pixels of the image, see `DetectedObject.outline`.
        """
        return []

    def background_classes(self, names: Sequence[str]) -> frozenset[int]:  # noqa: ARG002
        """Return the classes of pixels that show nothing; none by default.

        Args:
            names: Names of the classes, K.
        """
        return frozenset()

    def colors(self, names: Sequence[str], known: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the color of each class as "#rrggbb"; none if nothing is drawn in colors.

        Args:
            names: Names of the classes, K.
            known: Colors of the first classes; empty texts where they are not known.
        """
        return () if self.rows is None else default_colors(names, known)

    def document(self, row: NDArray[Any], names: Sequence[str]) -> dict[str, object]:  # noqa: ARG002
        """Return the regions of an image as JSON data; nothing by default.

        Args:
            row: Its stored regions.
            names: Names of the classes.
        """
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class RegionBatch:
    """Regions of the images of a batch.

    Attributes:
        geometry: What they are.
        rows: Stored regions, shape (n, …); of annotations of images as wholes anything.
    """

    geometry: Geometry
    rows: NDArray[Any]

    @property
    def boxes(self) -> Boxes | None:
        """The boxes of objects, shape (n, M, 6); None if regions are no objects."""
        return self.geometry.objects(self.rows)

    def cut(self, window: Window) -> RegionBatch:
        """Return the regions in a part of the images; annotations of images as wholes stay."""
        stored = self.geometry.rows
        return (
            self if stored is None else RegionBatch(self.geometry, stored.cut(self.rows, window))
        )

    def copy(self, images: int = 1) -> RegionBatch:
        """Return a copy with room for the regions of several images in each row."""
        return RegionBatch(self.geometry, self.geometry.with_room(self.rows, images))


def packed(regions: Regions) -> bytes:
    """Return regions as compressed bytes, for other processes."""
    file = io.BytesIO()
    np.save(file, regions, allow_pickle=False)
    return zlib.compress(file.getvalue(), 1)


def unpacked(data: bytes) -> Regions:
    """Return the regions that `packed` was given."""
    regions: Regions = np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False)
    return regions


class WholeImages(Geometry):
    """Annotations of images as wholes: they have no regions."""

    moves_on_host = False

    def fitted(
        self,
        regions: Regions,  # noqa: ARG002 - there are none
        full: tuple[int, int],  # noqa: ARG002
        tile: Tile | None,  # noqa: ARG002
        framing: Framing,  # noqa: ARG002
    ) -> Regions:
        """Refuse regions; see `Geometry.fitted`.

        Raises:
            TypeError: Always.
        """
        raise self._no_regions()

    def relabeled(self, regions: Regions, table: NDArray[np.uint8]) -> Regions:  # noqa: ARG002
        """Refuse regions; see `Geometry.relabeled`.

        Raises:
            TypeError: Always.
        """
        raise self._no_regions()

    def counts(self, regions: Regions, classes: int) -> NDArray[np.int64]:  # noqa: ARG002
        """Refuse regions; see `Geometry.counts`.

        Raises:
            TypeError: Always.
        """
        raise self._no_regions()

    def by_unit(self, number: Number) -> dict[str, Number]:  # noqa: ARG002 - there are none
        """Return nothing; see `Geometry.by_unit`."""
        return {}

    def move(self, row: Regions, motion: Motion) -> None:
        """Leave annotations as they are: classes do not move; see `Geometry.move`."""

    def _no_regions(self) -> TypeError:
        return TypeError(f"{type(self).__name__} have no regions")


GEOMETRY = WholeImages()
