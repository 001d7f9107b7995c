"""Interface of the sources of images, and the results of their scans."""

from __future__ import annotations

import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, Self, TypeAlias

from studio.engine.datasets.origins.kinds import OriginKind
from studio.engine.errors import BadDataError, StudioError, UnlabeledError
from studio.engine.files import natural_key
from studio.engine.messages import Text, as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import AnnotationOptions, Annotations
from studio.engine.tasks.task import Task
from studio.engine.web.address import address_of

if TYPE_CHECKING:  # the window starts without the readers of pictures
    from studio.engine.pictures.info import Georeference

Tile = tuple[int, int, int, int]
"""Left, top, width and height of a part of a picture, in its pixels."""
_PART_END = re.compile(r"#(plane=\d+&?)?(?:xywh=(\d+),(\d+),(\d+),(\d+))?$")

IMAGE_SUFFIXES = frozenset(
    {
        *(".png", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm", ".pfm"),
        *(".jpg", ".jpeg", ".jpe", ".jfif", ".mpo"),  # all of them are JPEG
        *(".dcm", ".dicom", ".npy", ".btf", ".tf8", ".lsm", ".svs"),  # DICOM, arrays, TIFF
    }
)

LARGEST_FILE = 512 * 2**20
"""Bytes of an image at most."""
# Memory for all requested bytes is reserved before one is read, which takes longer than reading.
_FIRST_PIECE = 2**18

# Gives the encoded bytes of one image, in the thread that will decode them. Raises OSError when
# they cannot be read and BadDataError, with a short reason, when they cannot be used.
Fetch = Callable[[], bytes]
KnownPosition: TypeAlias = tuple["Georeference", tuple[int, int]]
"""Position of a picture on the earth, and its width and height in pixels."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Options of a source other than its location.

    Attributes:
        labels_file: Text file with one class name per line; line i + 1 names the label i.
        path_prefix: Folder that the relative paths of a list start from.
        min_classes: Minimum number of classes; 1 if the images are added to others.
        any_label: True to keep images whose label is missing, negative or unknown, as in lists of
            pictures to predict; a dataset leaves them out.
        annotations: Known facts about masks or boxes; None for tasks without both.
        columns: True to read all columns of a table instead of one with the class.
        joins_rows: True to join several rows of a table about the same image.
        origin_column: Column of a table with the origins of the images; empty to propose one.
        internal_addresses: True if a list may name addresses inside the local network.
    """

    labels_file: str = ""
    path_prefix: str = ""
    min_classes: int = 2
    any_label: bool = False
    annotations: AnnotationOptions | None = None
    columns: bool = False
    joins_rows: bool = False
    origin_column: str = ""
    internal_addresses: bool = False

    def for_task(
        self, task: Task, known: Callable[[], AnnotationOptions], *, is_part: bool = False
    ) -> Self:
        """Return the same options with those that the annotations of a task need.

        Args:
            task: The task.
            known: Returns known facts about annotations in files.
            is_part: True if the images are added to others.
        """
        return replace(
            self,
            min_classes=1 if is_part else task.min_classes,
            annotations=task.source.options(known),
            columns=task.source.columns,
            joins_rows=task.source.joins_rows,
        )

    def suit(self, task: Task) -> bool:
        """Return True if the annotations of a task are read with these options."""
        needed = self.for_task(task, AnnotationOptions)
        is_file = self.annotations is not None
        return (is_file, self.columns) == (needed.annotations is not None, needed.columns)


NO_OPTIONS = SourceOptions()


@dataclass(frozen=True, slots=True)
class SourceImage:
    """An image that a source found and that was not opened yet.

    Attributes:
        key: Name of the image inside its source, with forward slashes: `"cat/a 1.png"`.
        class_name: The class, exactly as the source writes it.
        split: `"train"`, `"val"` or `"test"` where the source decides it, otherwise None.
        size: Bytes, where cheaply known; -1 otherwise.
        modified_ns: Time of the last change, if known. With `size` it tells a continued import
            that the file is still the one it was.
        position: Position of the image in its file: a row or an offset, by the kind of source.
        part: Number of its source, see `gather`.
        is_trusted: True if its address may lead inside the local network.
        values: Its cells in the columns of `Scan.columns`.
        annotation: Names its mask or its boxes for `Scan.annotations`.
        tile: Left, top, width and height of the part of the picture that it is; None for all.
        plane: Number of the plane of the file that it is, from 0; None if no plane is chosen.
        origin: Name of its origin, such as a film, see `origins`; empty if it is unknown.
        channel_files: The file of each channel, see `channel_files`; empty for one file.
        known_position: Position on the earth, and width and height in pixels, where the source
            knows them; files may contain them as well.
    """

    key: str
    class_name: str
    split: str | None
    size: int = -1
    modified_ns: int = 0
    position: int = 0
    part: int = 0
    is_trusted: bool = False
    values: tuple[str, ...] = ()
    annotation: str = ""
    tile: Tile | None = None
    plane: int | None = None
    origin: str = ""
    channel_files: tuple[SourceImage, ...] = ()
    known_position: KnownPosition | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is left out, and the reason. Both texts can be shown and written as JSON.

    Attributes:
        path: The file, relative to its source.
        reason: A few words, for example `"the file is empty"`.
        line: The line of the list that names it, from 1, if there is a list.
        is_annotation: True if its annotation, such as a mask, cannot be used.
        is_partial: True if the image is imported, without a part of its annotation.
        objects: Number of objects that are lost with it, as far as known.
    """

    path: str
    reason: Text
    line: int | None = None
    is_annotation: bool = False
    is_partial: bool = False
    objects: int = 0


@dataclass(slots=True)
class Scan:
    """Everything that a source found.

    Attributes:
        items: The images, in an order that depends on names alone, classes together.
        problems: Files that look like images but are not, and unreadable folders.
        warnings: Sentences about assumptions and conspicuous facts that a person should check.
        split_origin: What names the splits of the items, if anything does: "folders", "file
            names", "lists", "table column", "array names" or "dataset".
        items_split_origins: The same by `SourceImage.part`, and "separate sources".
        columns: Names of the columns in which items have values, if requested.
        delimiter: Character between the cells of a table; empty if unknown.
        items_columns: The same by `SourceImage.part`, where the items of several places are
            together.
        items_delimiters: Delimiters by `SourceImage.part`.
        annotations: The masks or boxes of the items by `SourceImage.part`; of a source for its own
            items alone.
        origin_kind: Kind of the origins of the items; "none" if they have none.
        origin_column: Heading of the column that they are from; empty for others.
    """

    items: list[SourceImage] = field(default_factory=list)
    problems: list[Skipped] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)
    split_origin: str = "folders"
    items_split_origins: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    delimiter: str = ""
    items_columns: list[tuple[str, ...]] = field(default_factory=list)
    items_delimiters: list[str] = field(default_factory=list)
    annotations: list[Annotations] = field(default_factory=list)
    origin_kind: OriginKind = "none"
    origin_column: str = ""

    def classes(self) -> list[str]:
        """Return the names of the classes, sorted as a person would."""
        return sorted({item.class_name for item in self.items}, key=natural_key)


class Source(Protocol):
    """An input format. Has no state: one object serves every import.

    What is asked of `read` and `open` was found by `scan` before, on the same path.
    """

    @property
    def name(self) -> str:
        """Stable name, lower case."""

    @property
    def label(self) -> str:
        """Name as shown to a person."""

    @property
    def takes(self) -> frozenset[str]:
        """Fields of `SourceOptions` that have an effect on it."""

    def accepts(self, path: Path) -> bool:
        """Return True if this source reads `path`; does not read large files."""

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Find every image without decoding any.

        Args:
            path: File, folder or address of the source.
            progress: Receives the progress and may cancel.
            options: Classes, columns and filters of the recipe.

        Raises:
            StudioError: Nothing usable was found; the message lists what was found.
            Cancelled: The job was asked to end.
        """

    def read(self, path: Path, items: Sequence[SourceImage]) -> Iterator[tuple[int, Fetch]]:
        """Yield images in the order that is cheapest to read.

        Args:
            path: File, folder or address of the source.
            items: The images to read.

        Returns:
            Pairs of an index into `items` and a function that returns the encoded bytes. Missing
            images are left out.

        Raises:
            OSError: The rest cannot be read.
            BadDataError: The rest is damaged.
        """

    def open(self, path: Path, item: SourceImage) -> BinaryIO:
        """Open the encoded bytes of one image for a preview; called from several threads.

        Args:
            path: File, folder or address of the source.
            item: The image.

        Raises:
            OSError: It cannot be read.
            BadDataError: It is damaged.
        """

    def is_there(self, path: Path) -> bool:
        """Return True if `path` can be reached; called at the end of an import."""


class OnDisk:
    """Base of sources whose paths are files or folders."""

    def is_there(self, path: Path) -> bool:
        """See `Source.is_there`."""
        return path.exists()


class ReadsInOrder(OnDisk, ABC):
    """Base of sources whose images lie together in files: one image is read as many are."""

    @abstractmethod
    def read(self, path: Path, items: Sequence[SourceImage]) -> Iterator[tuple[int, Fetch]]:
        """See `Source.read`."""

    def open(self, path: Path, item: SourceImage) -> BinaryIO:
        """Read up to one image and return its bytes; see `Source.open`."""
        found = self.read(path, [item])
        try:
            for _, fetch in found:
                return BytesIO(fetch())
        finally:
            close_reading(found)
        raise BadDataError("{file} no longer exists", where=str(path), file=item.key)


def close_reading(found: Iterator[tuple[int, Fetch]]) -> None:
    """End a `read` early, so that it closes its files now."""
    close = getattr(found, "close", None)
    if close is not None:
        close()


@dataclass(frozen=True, slots=True)
class Failing:
    """Stands for the bytes of an image that cannot be had.

    Attributes:
        reason: Why it cannot be read.
    """

    reason: str

    def __call__(self) -> bytes:
        """Raise the reason."""
        raise BadDataError(self.reason)


def completed(
    found: Iterator[tuple[int, Fetch]], requested: Iterable[int]
) -> Iterator[tuple[int, Fetch]]:
    """Yield every wanted image; the functions of missing or damaged ones raise.

    Thus damage to one file affects only the images in that file.

    Args:
        found: Item from a source; see `Source.read`.
        requested: Indices that must be yielded.
    """
    left = dict.fromkeys(requested)
    reason = "it no longer exists"
    try:
        for index, fetch in found:
            left.pop(index, None)
            yield index, fetch
    except BadDataError as error:
        reason = error.message
    except OSError as error:
        reason = message("it cannot be read: {reason}", reason=error.strerror or error)
    finally:
        close_reading(found)
    for index in left:
        yield index, Failing(reason)


def rows_by_file(items: Iterable[SourceImage]) -> dict[str, dict[int, int]]:
    """Return indices of images by their place in a file, by the file that their keys name."""
    found: dict[str, dict[int, int]] = {}
    for index, item in enumerate(items):
        found.setdefault(item.key.rpartition("/")[0], {})[item.position] = index
    return found


def read_whole(file: BinaryIO) -> bytes:
    """Return all bytes of an image file.

    Raises:
        BadDataError: The file is too large for an image.
        OSError: It cannot be read.
    """
    pieces: list[bytes] = []
    left, asked = LARGEST_FILE + 1, _FIRST_PIECE
    while left and (piece := file.read(min(asked, left))):
        pieces.append(piece)
        left -= len(piece)
        asked *= 2
    if not left:
        raise too_large()
    return b"".join(pieces)


def too_large() -> BadDataError:
    """Return the reason not to read a file."""
    return BadDataError("the file is larger than {limit} MB", limit=LARGEST_FILE // 2**20)


def modified_at(path: Path) -> int:
    """When a file was last changed, or 0 where that cannot be known."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime_ns
    return 0


def part_path(path: str, tile: Tile | None, plane: int | None = None) -> str:
    """Return the path of a part of a picture: that of the picture and a media fragment of W3C.

    Args:
        path: Path or address of the picture.
        tile: The part; None for all of it.
        plane: Number of the plane from 0; None if no plane is chosen.
    """
    parts = [] if plane is None else [f"plane={plane + 1}"]
    parts += [] if tile is None else [f"xywh={','.join(map(str, tile))}"]
    return f"{path}#{'&'.join(parts)}" if parts else path


def split_part_path(path: str) -> tuple[str, Tile | None]:
    """Return the path of a picture and the tile of it that a path names, None for all of it."""
    found = _PART_END.search(path)
    if found is None or found[0] == "#":
        return path, None
    file = path[: found.start()]
    if found[2] is None:
        return file, None
    left, top, width, height = map(int, found.groups()[1:])
    return file, (left, top, width, height)


def plane_of(path: str) -> int | None:
    """Return the number of the plane, from 0, that a path of a part of a picture names."""
    found = _PART_END.search(path)
    if found is None or found[1] is None:
        return None
    return int(found[1].removeprefix("plane=").removesuffix("&")) - 1


def safe_text(text: str) -> str:
    r"""Return the text with invalid UTF-8 bytes written as `\xff`, safe for JSON and display."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def complete_scan(path: Path, scan: Scan, options: SourceOptions, hint: str) -> None:
    """Sort the images of a scan by class and require enough classes.

    Args:
        path: The source.
        scan: Its images.
        options: The required number of classes.
        hint: Hint of the error.

    Raises:
        StudioError: There are too few classes; the message names the class or the first problem.
    """
    scan.items.sort(key=lambda item: natural_key(item.class_name))
    classes = scan.classes()
    if len(classes) >= options.min_classes:
        return
    location = address_of(path) or path
    if classes:
        raise _single_class(location, classes[0], scan.problems)
    first = scan.problems[0] if scan.problems else None
    reason = message("{source} contains no usable images.", source=location)
    if first is not None and first.line:
        reason = message(
            "{source} contains no usable images; the first problem: line {line}: {file}: "
            "{reason}.",
            source=location,
            line=first.line,
            file=first.path,
            reason=as_message(first.reason),
        )
    elif first is not None:
        reason = message(
            "{source} contains no usable images; the first problem: {file}: {reason}.",
            source=location,
            file=first.path,
            reason=as_message(first.reason),
        )
    raise StudioError(reason, hint, "source")


def _single_class(source: object, class_name: str, problems: Sequence[Skipped]) -> UnlabeledError:
    reason = message(
        '{source} contains images of only one class: "{class_name}".',
        source=source,
        class_name=class_name,
    )
    if problems:
        reason = message(
            '{source} contains images of only one class, "{class_name}"; {count:,} entries were '
            "left out, the first: {file}: {reason}.",
            one='{source} contains images of only one class, "{class_name}"; one entry was left '
            "out: {file}: {reason}.",
            source=source,
            class_name=class_name,
            count=len(problems),
            file=problems[0].path,
            reason=as_message(problems[0].reason),
        )
    return UnlabeledError(reason, "Training needs at least two classes; add another.", "source")
