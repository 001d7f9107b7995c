"""Annotations that lie in separate files: masks and boxes, found by the formats of a task.

A format knows files by their paths alone, so that folders and archives are read in the same way.
"""

from __future__ import annotations

import colorsys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias

from studio.engine.errors import BadDataError
from studio.engine.messages import Text
from studio.engine.plug_ins import Kind
from studio.engine.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Mask: TypeAlias = "NDArray[np.uint8]"
"""Class of each pixel, or `IGNORE`; shape (height, width)."""

Boxes: TypeAlias = "NDArray[np.float32]"
"""Boxes of objects in a picture, shape (n, 6), see `tasks.boxes`."""

Instances: TypeAlias = "NDArray[np.int32]"
"""Object and class of each pixel, shape (height, width), see `tasks.instance_labels`."""

Regions: TypeAlias = "NDArray[Any]"
"""`Mask`, `Boxes` or `Instances`, by the task."""

ClassUnit = Literal["images", "objects", "pixels"]
"""Word for the counted parts of a class."""
IGNORE: Final = 255
"""Value of the pixels of a mask that belong to no class; they count nowhere."""

MAX_CLASSES: Final = 255


class Tree(Protocol):
    """The files below a folder."""

    @property
    def location(self) -> str:
        """The folder, for messages."""

    @property
    def paths(self) -> Sequence[str]:
        """Paths relative to the folder, with forward slashes, in natural order."""

    @property
    def pictures(self) -> Sequence[str]:
        """Those of them that have the name of a picture."""

    def __contains__(self, path: object) -> bool: ...

    def head(self, path: str) -> bytes:
        """Return the first 64 KB of a file.

        Raises:
            BadDataError: It cannot be read; the message is a short reason.
        """

    def read(self, path: str) -> bytes:
        """Return the bytes of a file; called from several threads.

        Raises:
            BadDataError: It cannot be read; the message is a short reason.
        """


class BadAnnotationError(BadDataError):
    """An annotation of a picture that cannot be used."""


@dataclass(frozen=True, slots=True)
class AnnotatedFiles:
    """Files of pictures and files of annotations.

    Attributes:
        images: The pictures.
        labels: The annotations; the same object where they lie in one folder.
    """

    images: Tree
    labels: Tree

    @property
    def are_together(self) -> bool:
        """True if pictures and annotations lie in one folder."""
        return self.images is self.labels


@dataclass(frozen=True, slots=True)
class AnnotationOptions:
    """Facts about annotations that are known beforehand.

    Attributes:
        class_names: Names of the classes by index; empty to read them from the data.
        class_colors: Colors of the classes as "#rrggbb"; empty if the data defines them.
        labels_text: Content of a file with a line for each class: its name, its color, or both.
        mask_mode: "auto", "index", "color" or "binary".
        ignore_value: Number or color of pixels that do not count; "none" for none, empty for that
            of the format.
        most: Maximum number of annotations to read for the classes; 0 for all.
        keep_empty: True if pictures without objects are taken.
    """

    class_names: tuple[str, ...] = ()
    class_colors: tuple[str, ...] = ()
    labels_text: str = ""
    mask_mode: str = "auto"
    ignore_value: str = ""
    most: int = 0
    keep_empty: bool = True


@dataclass(frozen=True, slots=True)
class AnnotatedPicture:
    """A picture that has an annotation.

    Attributes:
        path: Path of the picture.
        annotation: Names its annotation for `Annotations.regions`.
        split: `"train"`, `"val"` or `"test"` if the format specifies it; None if folders may.
        origin: Name of its origin, such as a patient; empty if it is unknown.
    """

    path: str
    annotation: str
    split: str | None = None
    origin: str = ""


class LeftOut(NamedTuple):
    """A file, a picture or objects that are left out, and why.

    Attributes:
        path: The picture or file, as its files name it.
        reason: A few words, for example `"it has no annotation"`.
        objects: Number of objects that are lost with it, as far as known.
    """

    path: str
    reason: Text
    objects: int = 0


class Remark(NamedTuple):
    """A change of the annotation of a picture, or objects that are left out, and why.

    Attributes:
        reason: A few words, for example `"left out a box outside the image"`.
        objects: Number of objects that are left out by it; 0 if objects are only changed.
    """

    reason: Text
    objects: int = 0


@dataclass(slots=True)
class Annotations(ABC):
    """The annotations of pictures.

    Attributes:
        pictures: In natural order of their paths.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K; empty if the data defines none.
        problems: What is left out, and why.
        warnings: Sentences about assumptions and conspicuous facts that a person should check.
        can_rename: True if other names can be given to the classes in the same order.
        can_recolor: False if the files identify classes by their colors.
        max_boxes: Boxes of the picture that has the most; it does not matter for masks.
        marks_objects: True if objects are marked one by one, see `objects`.
        least_side: Shorter side in pixels that half of the objects should have in a dataset.
    """

    marks_objects: ClassVar[bool] = False
    least_side: ClassVar[float] = 16.0
    pictures: list[AnnotatedPicture] = field(default_factory=list)
    names: tuple[str, ...] = ()
    colors: tuple[str, ...] = ()
    problems: list[LeftOut] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)
    can_rename: bool = True
    can_recolor: bool = True
    max_boxes: int = 0

    @abstractmethod
    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Return the regions of a picture, and what is left out; called from several threads.

        Args:
            annotation: Annotation of an `AnnotatedPicture`.
            size: Width and height of the picture in pixels.

        Raises:
            BadDataError: They cannot be used; the message is a short reason.
        """

    def objects(
        self,
        annotation: str,  # noqa: ARG002 - masks of pixels have none
        size: tuple[int, int],  # noqa: ARG002
    ) -> Boxes | None:
        """Return the boxes of the objects of a picture; None for pixels without marked objects.

        Args:
            annotation: Annotation of an `AnnotatedPicture`.
            size: Width and height of the picture in pixels.

        Raises:
            BadDataError: They cannot be used; the message is a short reason.
        """
        return None

    def object_count(self, annotation: str) -> int:  # noqa: ARG002 - masks of pixels have none
        """Return the number of objects of an annotation in its file; 0 if it is unknown.

        They are lost where the picture cannot be read, or its annotation is for another size.
        """
        return 0


@dataclass(slots=True)
class MaskAnnotations(Annotations):
    """The masks of pictures."""

    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Return the mask of a picture, see `mask`."""
        return self.mask(annotation, size)

    @abstractmethod
    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Return the mask of a picture, and what is left out; called from several threads.

        Args:
            annotation: Annotation of an `AnnotatedPicture`.
            size: Width and height of the picture in pixels.

        Raises:
            BadDataError: It cannot be used; the message is a short reason.
        """


@dataclass(slots=True)
class BoxAnnotations(Annotations):
    """The boxes of pictures."""

    marks_objects: ClassVar[bool] = True

    def objects(self, annotation: str, size: tuple[int, int]) -> Boxes | None:
        """Return the boxes of a picture; see `Annotations.objects`."""
        return self.boxes(annotation, size)[0]

    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Return the boxes of a picture, see `boxes`."""
        return self.boxes(annotation, size)

    @abstractmethod
    def boxes(self, annotation: str, size: tuple[int, int]) -> tuple[Boxes, list[Remark]]:
        """Return the boxes of a picture, and what is left out; called from several threads.

        All boxes have a positive area inside the picture.

        Args:
            annotation: Annotation of an `AnnotatedPicture`.
            size: Width and height of the picture in pixels.

        Raises:
            BadDataError: None of it can be used; the message is a short reason.
        """


class AnnotationWriter(ABC):
    """Writes the annotations of an exported dataset.

    Args:
        folder: The folder of the export; exists.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.

    Attributes:
        warnings: What could not be written; complete after `finish`.
    """

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        self.warnings: list[Text] = []
        self.folder = folder
        self.names = names
        self.colors = colors

    @abstractmethod
    def picture_path(self, name: str, split: str) -> str:
        """Return the path for a picture, relative to the folder and without suffix.

        Args:
            name: Name of the picture.
            split: Split of the picture.
        """

    @abstractmethod
    def add(self, picture: str, split: str, regions: Regions, size: tuple[int, int]) -> None:
        """Write the annotation of a picture.

        Args:
            picture: Its path relative to the folder.
            split: Its split.
            regions: Its mask or its boxes.
            size: Width and height of the picture in pixels.
        """

    @abstractmethod
    def finish(self) -> None:
        """Write the files about all pictures, after the last one."""


class AnnotationFormat(ABC):
    """A format of annotations in files.

    Attributes:
        name: Stable name, lower case.
        label: Name as shown to a person.
        split_origin: What names the splits where folders do not, see `Scan.split_origin`.
    """

    name: str
    label: str
    split_origin: str = "lists"

    @abstractmethod
    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if the files appear to be of this format."""

    def is_evident(self, files: AnnotatedFiles) -> bool:
        """Return True if the files can hardly be anything else than of this format."""
        return self.accepts(files)

    @abstractmethod
    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Find the annotated pictures and their classes.

        Args:
            files: Pictures and annotations.
            options: Names, colors and meaning of the values.
            progress: Receives the progress and may cancel.

        Raises:
            StudioError: No file is usable, or the options contradict the files.
            Cancelled: Through `progress`.
        """


class WritableFormat(AnnotationFormat):
    """A format that datasets can be exported in, too.

    Attributes:
        export: Name of the format for exported datasets.
        writer: Writes annotations in this format.
    """

    export: str
    writer: type[AnnotationWriter]


def kind_of_formats(group: str) -> Kind:
    """Return what formats of other packages have to be.

    Args:
        group: Their group of entry points.
    """
    return Kind(group, "annotation format", ("label", "accepts", "is_evident", "read"))


def require_size(stated: tuple[int, int], picture: tuple[int, int]) -> None:
    """Refuse the annotation of a picture of another size.

    Args:
        stated: Width and height of the mask, or that the annotation is for.
        picture: Width and height of the picture.

    Raises:
        BadDataError: The sizes differ.
    """
    if stated != picture:
        raise BadDataError(
            "its annotation is for {width}x{height} pixels, but its image has "
            "{picture_width}x{picture_height}",
            width=stated[0],
            height=stated[1],
            picture_width=picture[0],
            picture_height=picture[1],
        )


# Okabe and Ito, "Color universal design" (2008), without black, which is the background.
_DISTINCT = (
    *("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"),
    *("#999999", "#882255", "#44aa99", "#332288", "#ddcc77", "#117733", "#aa4499"),
)
_GROUND = frozenset({"background", "bg", "void", "unlabeled", "fundo", "__background__"})
_TURN = 0.618034  # of the color circle: neighbors differ most by the golden ratio


def is_background(name: str) -> bool:
    """Return True for the name of a background class."""
    return name.casefold() in _GROUND


def default_colors(names: Sequence[str], known: Sequence[str] = ()) -> tuple[str, ...]:
    """Return a color for each class: known ones first, then distinct ones.

    The first ones can be told apart by people with color blindness. A class called background
    is black.

    Args:
        names: Names of the classes, K.
        known: Colors of the first classes; empty texts where they are not known.
    """
    found = [*known, *[""] * len(names)][: len(names)]
    fresh = (color for color in _colors() if color not in known)
    for index, name in enumerate(names):
        if not found[index]:
            is_ground = is_background(name) and "#000000" not in found
            found[index] = "#000000" if is_ground else next(fresh)
    return tuple(found)


@cache
def _colors() -> Sequence[str]:
    turned = (
        colorsys.hls_to_rgb(step * _TURN % 1, (0.5, 0.35, 0.7)[step % 3], 0.75)
        for step in range(2 * MAX_CLASSES)
    )
    more = ("#" + "".join(f"{round(255 * part):02x}" for part in each) for each in turned)
    return [*_DISTINCT, *dict.fromkeys(more)]
