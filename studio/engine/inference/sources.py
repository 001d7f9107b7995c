"""Finds pictures in files, folders and lists, with their known classes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES, LARGEST_FILE, Scan, SourceOptions
from studio.engine.datasets.sources.list_file import SUFFIXES, ListFileSource
from studio.engine.datasets.sources.shared.labels import MAX_DIGITS
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import one_form, slug, user_path
from studio.engine.messages import message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.web.address import Reach, address_of, short_name

VIDEO_SUFFIXES: Final = frozenset(
    {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg"}
)
_CONNECTIONS: Final = 8


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to classify.

    Attributes:
        path: Path or address.
        label: Its true class; empty if unknown. If the model does not have this class, any
            prediction is wrong.
        problem: Why it cannot be classified, if known without opening it.
        address: Its web address, where a list names one; `downloaded` fetches it.
        reach: Networks that the address may lead to.
        frame: Name of the frame of a video that it is: path of the video, and of the frame in it.
        seconds: Time of the frame in its video; None for a picture of its own.
    """

    path: Path
    label: str = ""
    problem: str = ""
    address: str = ""
    reach: Reach = Reach.PUBLIC
    frame: str = ""
    seconds: float | None = None

    @property
    def name(self) -> str:
        """The address or path that predictions, tables and messages show."""
        return self.frame or self.address or str(self.path)


def find_pictures(
    paths: Sequence[Path | str],
    classes: Sequence[str] | None = (),
    path_prefix: str = "",
    *,
    internal_addresses: bool = False,
) -> list[Picture]:
    """Return the pictures meant by files, folders and lists of pictures with their classes.

    Files stay in their order, folders are searched and sorted by path. A folder that is called
    like one of the classes says the class of what is in it; of nested ones the innermost counts.
    In a list a number means the class of that place, unless a class is called so.

    Args:
        paths: Dropped or typed paths; a text may be a web address.
        classes: Names of the classes of the model, in the order of its outputs; None where its
            images have other targets, so that no folder and no list says a class.
        path_prefix: Folder that the relative paths of lists start from; empty for the folder of
            each list.
        internal_addresses: True if lists may name addresses inside the local network.

    Raises:
        StudioError: A path does not exist, a folder contains no picture, or a list names none.
    """
    pictures: list[Picture] = []
    for text in paths:
        if address := address_of(str(text) if isinstance(text, str) else ""):
            reach = Reach.ANYWHERE if internal_addresses else Reach.TYPED
            pictures.append(Picture(Path(address), address=address, reach=reach))
            continue
        path = user_path(text)
        if path.is_dir():
            pictures += _in_folder(path, classes or ())
        elif not path.exists():
            raise StudioError("There is no file {path}.", "Check the path.", str(path), path=path)
        elif path.suffix.casefold() in SUFFIXES:
            options = SourceOptions(
                min_classes=1,
                any_label=True,
                path_prefix=path_prefix,
                internal_addresses=internal_addresses,
            )
            pictures += _in_list(path, classes or (), options)
        else:
            pictures.append(Picture(path))
    return pictures if classes is not None else [replace(each, label="") for each in pictures]


def one_per_image(pictures: Sequence[Picture], ends: Sequence[str]) -> list[Picture]:
    """Return the pictures without those that are a further channel of another one.

    Args:
        pictures: Result of `find_pictures`.
        ends: End of the names of the files of each channel; empty where a file is an image.
    """
    if not ends:
        return list(pictures)
    from studio.engine.datasets.channel_files import channel_paths  # noqa: PLC0415 - NumPy

    named = {picture.path for picture in pictures}
    found: list[Picture] = []
    for picture in pictures:
        files = channel_paths(picture.path, ends)
        first = next((each for each in files if each in named), picture.path)
        if first == picture.path:
            found.append(picture)
    return found


def _in_folder(folder: Path, classes: Sequence[str]) -> Iterator[Picture]:
    found = _search(folder)
    if not found:
        raise StudioError(
            "The folder {folder} contains no images.",
            message("Supported: {suffixes}.", suffixes=", ".join(sorted(IMAGE_SUFFIXES))),
            str(folder),
            folder=folder,
        )
    known = {one_form(name): name for name in classes}
    above = folder.absolute().name
    for path in found:
        names = [above, *path.relative_to(folder).parts[:-1]]
        hits = (known.get(one_form(name)) for name in reversed(names))
        yield Picture(path, next((name for name in hits if name), ""))


def _in_list(path: Path, classes: Sequence[str], options: SourceOptions) -> Iterator[Picture]:
    scan = ListFileSource().scan(path.absolute(), SilentProgress(), options)
    for item in scan.items:
        label = _meant(item.class_name, classes)
        if "://" in item.key:
            reason = "a web address; import the list, or save the image first"
            reach = Reach.ANYWHERE if item.is_trusted else Reach.PUBLIC
            yield Picture(Path(item.key), label, reason, item.key, reach)
        else:
            yield Picture(path.absolute().parent / item.key, label)
    yield from _left_out(scan)


def _left_out(scan: Scan) -> Iterable[Picture]:
    return (Picture(Path(each.path), problem=each.reason) for each in scan.problems)


def _meant(label: str, classes: Sequence[str]) -> str:
    """Return the class for a word or a number of a list."""
    requested = one_form(label)
    is_number = requested.isascii() and requested.isdecimal() and len(requested) <= MAX_DIGITS
    if requested not in classes and is_number:
        return classes[int(requested)] if int(requested) < len(classes) else requested
    return requested


def with_frames(
    pictures: Sequence[Picture], folder: Path, most: int, progress: Progress
) -> Iterator[Picture]:
    """Replace each video by its frames, and keep the other pictures.

    Args:
        pictures: Result of `find_pictures`.
        folder: Folder for the frames.
        most: Maximum number of frames of a video, evenly spaced.
        progress: May cancel.

    Yields:
        The pictures in their order; `problem` says why a video could not be read.

    Raises:
        DiskFullError: No space was left.
    """
    # Imported here: Pillow is not needed to open the window.
    from studio.engine.inference.frames import video_frames  # noqa: PLC0415

    for number, picture in enumerate(pictures):
        if picture.problem or picture.path.suffix.casefold() not in VIDEO_SUFFIXES:
            yield picture
            continue
        progress.check()
        own = folder / f"video-{number}"
        own.mkdir()
        try:
            frames = video_frames(picture.path, own, most, progress)
        except BadDataError as error:
            yield replace(picture, problem=error.message)
            continue
        for frame in frames:
            name = str(Path(picture.name) / frame.path.name)
            yield replace(picture, path=frame.path, frame=name, seconds=frame.seconds)


def downloaded(pictures: Sequence[Picture], folder: Path, progress: Progress) -> Iterator[Picture]:
    """Download the pictures that have a web address, several at a time; keep all others.

    Args:
        pictures: Result of `find_pictures`.
        folder: Folder for the files.
        progress: Receives the number of downloads, and may cancel.

    Yields:
        The pictures in their order; `problem` says why one could not be downloaded.
    """
    total = sum(bool(picture.address) for picture in pictures)
    fetch = partial(_fetched, folder)
    done = 0
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        for picture in pool.map(fetch, range(len(pictures)), pictures):
            done += bool(picture.address)
            if picture.address:
                progress.advance(done, total, "Downloading")
            progress.check()
            yield picture


def _fetched(folder: Path, number: int, picture: Picture) -> Picture:
    if not picture.address:
        return picture
    # Imported here: HTTP is not needed to open the window.
    from studio.engine.web.transfer import web_image  # noqa: PLC0415

    name = PurePosixPath(short_name(picture.address))
    path = folder / f"{number}-{slug(name.stem, 'picture')}{name.suffix or '.png'}"
    try:
        path.write_bytes(web_image(picture.address, LARGEST_FILE, reach=picture.reach))
    except BadDataError as error:
        return replace(picture, problem=error.message)
    return replace(picture, path=path, problem="")


def _search(folder: Path) -> list[Path]:
    pictures = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        pictures += [
            Path(parent) / name
            for name in names
            if not name.startswith(".") and Path(name).suffix.lower() in IMAGE_SUFFIXES
        ]
    return sorted(pictures)
