"""Adds pictures to a labeling: files, images of datasets, frames of videos, captured pictures.

Source files stay where they are and are only read. Pictures without a file are written as PNG
files into the record. Files, images of datasets and frames that were added before are not added
again.
"""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import os
import secrets
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.datasets.decode import describe
from studio.engine.datasets.requests import completed_dataset
from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.datasets.sources.shared.names import is_hidden
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import disk_full_is_clear, move, natural_key, slug, user_path
from studio.engine.inference.frame_request import FrameReply, FrameRequest
from studio.engine.inference.frames import frames_elsewhere
from studio.engine.inference.sources import VIDEO_SUFFIXES
from studio.engine.labeling.items import ItemLine, Origin
from studio.engine.labeling.journal import Change
from studio.engine.labeling.project import PICTURES, Labeling
from studio.engine.labeling.values import Value
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.workspace import Record, Workspace

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store

_ENDS: Final = 2**16
_BATCH: Final = 256
CHANGED: Final = 0.02
"""Usual least difference of a frame from the last one that was taken, see `add_video`."""
MAX_FRAMES: Final = 5000
MAX_SELECTED: Final = 10**6
"""Frames of a video that are compared with those that were added."""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was left out.

    Attributes:
        path: The file.
        reason: Why, as a short phrase.
    """

    path: str
    reason: str


@dataclass(slots=True)
class Added:
    """Result of adding pictures.

    Attributes:
        items: Numbers of the new pictures.
        skipped: Files that cannot be read.
        duplicates: Pictures that were there already.
    """

    items: list[int] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    duplicates: int = 0


def digest_of_file(path: Path) -> str:
    """Return the identity of a file by its size, its first and its last 64 KB.

    Reading photographs whole would take minutes for ten thousand of them; files of the same
    digest are compared byte by byte before one counts as a duplicate.
    """
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        whole = hashlib.blake2b(size.to_bytes(8, "little"), digest_size=16)
        file.seek(0)
        whole.update(file.read(_ENDS))
        if size > _ENDS:
            file.seek(max(_ENDS, size - _ENDS))
            whole.update(file.read(_ENDS))
    return whole.hexdigest()


def add_pictures(
    labeling: Labeling, paths: Sequence[Path | str], progress: Progress | None = None
) -> Added:
    """Add picture files, and those in folders and their folders, in natural order.

    Args:
        labeling: The labeling.
        paths: Files and folders.
        progress: Receives the progress and may cancel; what was added until then stays.

    Raises:
        StudioError: A path does not exist, or there is no picture.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    progress = progress or SilentProgress()
    adding = _Adding(labeling)
    files = [each for path in paths for each in _files_in(user_path(path).absolute())]
    if not files:
        raise StudioError(
            "There are no images in {paths}.",
            message(
                "Images are files that end in {suffixes}.",
                suffixes=", ".join(sorted(IMAGE_SUFFIXES)),
            ),
            "paths",
            paths=", ".join(map(str, paths)),
        )
    for number, (file, root) in enumerate(files):
        if number % _BATCH == 0:
            progress.check()
            progress.advance(number, len(files), "Adding images")
            adding.flush()
        adding.add_file(file, root)
    adding.flush()
    progress.advance(len(files), len(files), "Adding images")
    return adding.result


def add_dataset(
    labeling: Labeling,
    workspace: Workspace,
    dataset: Record,
    progress: Progress | None = None,
    *,
    with_labels: bool = False,
) -> Added:
    """Add the images of a dataset: their original files, or their pixels where those are gone.

    Args:
        labeling: The labeling.
        workspace: The workspace.
        dataset: The dataset.
        progress: Receives the progress and may cancel; what was added until then stays, with its
            labels.
        with_labels: Take over the classes and labels; the tasks must be the same. Masks and boxes
            belong to the stored pixels, which are then added instead of the original files.

    Raises:
        StudioError: The dataset is not completed, or its labels do not fit.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    # h5py takes a tenth of a second, and other sources do not need it.
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    progress = progress or SilentProgress()
    completed_dataset(workspace, dataset.id, "labeling")
    store = Store.open(dataset.folder)
    if with_labels and store.task.name != labeling.task.name:
        raise StudioError(
            "The labels of the dataset are for {task:lower}; the labeling is for {other:lower}.",
            "Add its images without labels.",
            "dataset",
            task=as_message(store.task.label),
            other=as_message(labeling.task.label),
        )
    adding = _Adding(labeling)
    needs_pixels = with_labels and labeling.editor.is_drawn
    rows = np.sort(np.concatenate([store.rows(split) for split in store.counts()])).tolist()
    classes = labeling.editor.dataset_classes(store) if with_labels else []
    indices = [labeling.add_class(each) for each in classes]
    for start in range(0, len(rows), _BATCH):
        progress.check()
        progress.advance(start, len(rows), "Adding images")
        changes: list[Change] = []
        try:
            for row in rows[start : start + _BATCH]:
                line = None if needs_pixels else adding.original(store, row, dataset.id)
                if line is None:
                    line = adding.stored(store, row, dataset.id)
                if adding.has(line):
                    continue
                (item,) = labeling.add_items([line])
                adding.result.items.append(item)
                if with_labels:
                    value = labeling.editor.imported(labeling, store, row, indices, item)
                    changes.append(Change(item=item, value=value))
        finally:
            # Pictures that are there are not added again, and would never get their labels.
            labeling.decide(changes, "imported")
    return adding.result


def add_video(
    labeling: Labeling,
    path: Path | str,
    progress: Progress | None = None,
    *,
    every: int = 1,
    changed: float = 0.0,
    most: int = MAX_FRAMES,
) -> Added:
    """Add frames of a video or animation as PNG files in the record.

    Args:
        labeling: The labeling.
        path: The video.
        progress: Receives the progress and may cancel; frames added until then stay.
        every: Take every n-th frame.
        changed: Of these, take only frames that differ from the last one taken: least mean
            difference of small gray copies, 0 to 1, such as `CHANGED`; 0 takes all.
        most: Greatest number of frames.

    Raises:
        BadDataError: It is not a readable video.
        StudioError: `every` is less than 1.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    if every < 1:
        raise StudioError(
            "The frame interval must be at least 1; received {every}.",
            "Use 1 for all frames, 2 for every second frame.",
            "every",
            every=every,
        )
    progress = progress or SilentProgress()
    file = user_path(path).absolute()
    if not file.is_file():
        raise StudioError("There is no file {path}.", "Check the path.", "path", path=file)
    adding = _Adding(labeling)
    with TemporaryDirectory(prefix=".frames-", dir=labeling.record.folder) as folder:
        request = FrameRequest(
            path=file,
            is_video=file.suffix.lower() in VIDEO_SUFFIXES,
            folder=Path(folder),
            prefix=f"{slug(file.stem, 'video')[:40]}-{secrets.token_hex(3)}",
            every=every,
            most=MAX_SELECTED,
            changed=changed,
            opaque=True,
        )
        _add_frames(adding, request, progress, most)
    return adding.result


def _add_frames(adding: _Adding, request: FrameRequest, progress: Progress, most: int) -> None:
    """Add the frames of a video as they are decoded.

    Raises:
        BadDataError: It is not a readable video.
        Cancelled: Through `progress`.
    """
    is_readable = False
    try:
        with contextlib.closing(frames_elsewhere(request, progress)) as frames:
            for frame in frames:
                is_readable = True
                progress.advance(frame.number, frame.count, "Reading the video")
                adding.add_frame(frame, request.path)
                if len(adding.result.items) >= most:
                    break
    except BadDataError as error:
        raise _unreadable(request.path, error.message) from error
    if not is_readable:
        raise _unreadable(request.path, message("it is not a readable video"))


def _unreadable(file: Path, reason: str) -> BadDataError:
    return BadDataError(
        "{file} cannot be read: {reason}.",
        "Choose a video such as MP4, or an animated GIF.",
        str(file),
        file=file,
        reason=as_message(reason),
    )


def capture(labeling: Labeling, pixels: Pixels, origin: Origin, value: Value | None = None) -> int:
    """Add a picture of a webcam, a screen or the clipboard as a PNG file in the record.

    Args:
        labeling: The labeling.
        pixels: Shape (height, width, 3), red first.
        origin: Where it came from.
        value: Its value, for pictures that are collected class by class.

    Returns:
        Number of the picture.

    Raises:
        StudioError: The value does not fit.
        DiskFullError: No space was left; nothing was added.
    """
    name = f"{origin}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
    adding = _Adding(labeling)
    line = adding.written(pixels, f"{PICTURES}/{name}.png", origin, name)
    (item,) = labeling.add_items([line])
    if value is not None:
        labeling.label(item, value, "captured")
    return item


class _Adding:
    """Collects the lines of new pictures and leaves out duplicates."""

    def __init__(self, labeling: Labeling) -> None:
        self.labeling = labeling
        self.lines: list[ItemLine] = []
        self.result = Added()
        labeling.refresh()
        self._files: defaultdict[str, list[Path]] = defaultdict(list)
        for item in labeling.items:
            self._files[item.digest].append(labeling.file_of(item.index))

    def add_file(self, file: Path, root: Path) -> None:
        try:
            digest = digest_of_file(file)
            width, height, _ = describe(file)
            size = file.stat().st_size
        except BadDataError as error:
            self.result.skipped.append(SkippedFile(str(file), error.message))
            return
        except OSError as error:
            reason = message("it cannot be read: {reason}", reason=error.strerror or error)
            self.result.skipped.append(SkippedFile(str(file), reason))
            return
        is_alone = file == root
        line = ItemLine(
            path=str(file),
            name=file.name if is_alone else file.relative_to(root).as_posix(),
            origin="file" if is_alone else "folder",
            source=str(root.parent if is_alone else root),
            width=width,
            height=height,
            size=size,
            digest=digest,
        )
        if not self.has(line):
            self.lines.append(line)

    def has(self, line: ItemLine) -> bool:
        """Return True, and count a duplicate, if a picture is there; otherwise remember it.

        Of a duplicate, the file that was written for it in the record is removed.
        """
        file = Path(self.labeling.record.folder, line.path)  # or the line has an absolute path
        if not any(_is_same(file, other) for other in self._files[line.digest]):
            self._files[line.digest].append(file)
            return False
        self.result.duplicates += 1
        if not Path(line.path).is_absolute():
            file.unlink()
        return True

    def original(self, store: Store, row: int, dataset: str) -> ItemLine | None:
        """Return the line of the file that an image of a dataset was read from, if it is there."""
        file = store.local_origin(row)
        if file is None or store.tile(row) is not None or not file.is_file():
            return None
        try:
            width, height, _ = describe(file)
            digest = digest_of_file(file)
        except (BadDataError, OSError):
            return None  # an archive, or a file that was replaced
        return ItemLine(
            path=str(file.absolute()),
            name=store.paths[row],
            origin="dataset",
            group=store.origins.name(row),
            source=dataset,
            frame=row,
            width=width,
            height=height,
            size=file.stat().st_size,
            digest=digest,
        )

    def stored(self, store: Store, row: int, dataset: str) -> ItemLine:
        """Write the pixels of an image of a dataset and return their line."""
        pixels = store.images[row]
        color = np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels
        relative = f"{PICTURES}/{dataset[:40]}-{row:07d}-{secrets.token_hex(3)}.png"
        line = self.written(color, relative, "dataset", store.paths[row])
        group = store.origins.name(row)
        return line.model_copy(update={"source": dataset, "frame": row, "group": group})

    def written(self, pixels: Pixels, relative: str, origin: Origin, name: str) -> ItemLine:
        """Write pixels, shape (height, width, 3), and return their line."""
        path = self.labeling.record.folder / relative
        path.parent.mkdir(exist_ok=True)
        with disk_full_is_clear(path):
            # No line names it before it is whole, so it need not appear at once.
            Image.fromarray(np.ascontiguousarray(pixels)).save(path, "PNG", compress_level=1)
        return ItemLine(
            path=relative,
            name=name,
            origin=origin,
            width=pixels.shape[1],
            height=pixels.shape[0],
            size=path.stat().st_size,
            digest=digest_of_file(path),
        )

    def add_frame(self, frame: FrameReply, video: Path) -> None:
        """Add a frame of a video: its file moves into the record."""
        relative = f"{PICTURES}/{frame.file.name}"
        path = self.labeling.record.folder / relative
        path.parent.mkdir(exist_ok=True)
        move(frame.file, path)
        line = ItemLine(
            path=relative,
            name=f"{video.name} {frame.number}",
            origin="video",
            source=str(video),
            frame=frame.number,
            seconds=frame.seconds,
            width=frame.width,
            height=frame.height,
            size=path.stat().st_size,
            digest=digest_of_file(path),
        )
        if not self.has(line):
            self.lines.append(line)
            self.flush()

    def flush(self) -> None:
        """Append the collected lines."""
        self.result.items += self.labeling.add_items(self.lines)
        self.lines = []


def _is_same(file: Path, other: Path) -> bool:
    try:
        return file.samefile(other) or filecmp.cmp(file, other, shallow=False)
    except OSError:
        return False  # the other one is gone


def picture_files(paths: Iterable[Path]) -> list[Path]:
    """Return the picture files among paths, and in folders and their folders, in natural order.

    Raises:
        StudioError: A path does not exist.
    """
    return [file for path in paths for file, _ in _files_in(path)]


def _files_in(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield pictures with the folder, or the file itself, that was named."""
    if not path.is_dir():
        if not path.exists():
            raise StudioError("There is no file {path}.", "Check the path.", "paths", path=path)
        yield path, path
        return
    found = []
    for parent, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not is_hidden(name)]
        found += [
            Path(parent, name)
            for name in names
            if not is_hidden(name) and Path(name).suffix.lower() in IMAGE_SUFFIXES
        ]
    for file in sorted(found, key=lambda each: natural_key(str(each))):
        yield file, path


def video_paths(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Return dropped files that are videos or animations, and all others.

    Args:
        paths: Files and folders.
    """
    videos: list[Path] = []
    others: list[Path] = []
    for path in paths:
        is_video = path.suffix.lower() in VIDEO_SUFFIXES or path.suffix.lower() == ".gif"
        (videos if is_video else others).append(path)
    return videos, others
