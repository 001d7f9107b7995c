"""Images whose channels lie in files of their own, such as "a_DAPI.tif" and "a_GFP.tif"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np

from studio.engine.datasets.picture_values import array_file, read_values
from studio.engine.datasets.sources.base import (
    Fetch,
    KnownPosition,
    Scan,
    Skipped,
    SourceImage,
    safe_text,
)
from studio.engine.datasets.sources.shared.names import looks_like_image
from studio.engine.errors import BadDataError
from studio.engine.files import natural_key
from studio.engine.messages import Message, message

_DYES: Final = (
    *("dapi", "hoechst", "gfp", "egfp", "yfp", "cfp", "rfp", "mcherry", "fitc", "tritc"),
    *("cy3", "cy5", "cy7", "texasred", "alexa488", "alexa568", "alexa647", "bf", "brightfield"),
    *("phase", "dic", "red", "green", "blue", "nir", "rededge", "swir"),
)
_SUFFIX: Final = re.compile(
    rf"[_-](?:ch?\d{{1,3}}|w\d{{1,2}}|b\d{{1,2}}a?|[rgb]|channel\d{{1,2}}|{'|'.join(_DYES)})$",
    re.IGNORECASE,
)
"""End of the name of a file, without its suffix, that looks like the name of a channel."""
_FEWEST: Final = 2
"""Channels, and images, that a proposal needs."""


def proposed_channels(keys: Sequence[str]) -> list[str]:
    """Return the ends of the names of files that are channels of the same images.

    Empty unless all files come in complete sets.

    Args:
        keys: Paths of the files.
    """
    sets: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        stem = str(PurePosixPath(key).with_suffix(""))
        found = _SUFFIX.search(stem)
        if found is None:
            return []
        sets[stem[: found.start()]].add(found[0])
    ends = next(iter(sets.values()), set())
    is_complete = all(each == ends for each in sets.values())
    count = len(ends) * len(sets)
    if not is_complete or len(ends) < _FEWEST or len(sets) < _FEWEST or count != len(keys):
        return []
    return sorted(ends, key=natural_key)


def channel_name(end: str) -> str:
    """Return the name of a channel from the end of the names of its files."""
    return end.lstrip("_-") or end


def proposal(ends: Sequence[str]) -> Message:
    """Return the sentence that proposes to join files.

    Args:
        ends: The ends of their names.
    """
    return message(
        "The files look like channels of the same images: {count} files per image ({names}). "
        "“Channel files” joins them: {ends}.",
        count=len(ends),
        names=", ".join(map(channel_name, ends)),
        ends=",".join(ends),
    )


def join_channels(scan: Scan, ends: Sequence[str]) -> None:
    """Replace the files of a scan by images of several files; incomplete sets are left out.

    Args:
        scan: The files; it is changed.
        ends: The end of the names of the files of each channel, without suffixes of files.
    """
    sets: dict[str, dict[str, SourceImage]] = {}
    for item in scan.items:
        end = _end_of(item.key, ends)
        if end is None:
            _leave_out(scan, item, message("its name ends in none of the channels"))
            continue
        stem = _stem(item.key).removesuffix(end)
        if end in sets.setdefault(stem, {}):
            _leave_out(scan, item, message("another file has the same channel"))
        else:
            sets[stem][end] = item
    scan.items = list(_complete(scan, sets, ends))


def _complete(
    scan: Scan, sets: Mapping[str, Mapping[str, SourceImage]], ends: Sequence[str]
) -> Iterator[SourceImage]:
    for found in sets.values():
        lacks = [channel_name(end) for end in ends if end not in found]
        if not lacks:
            files = tuple(found[end] for end in ends)
            yield replace(files[0], channel_files=files)
            continue
        reason = message("its image lacks the channels {names}", names=", ".join(lacks))
        for item in found.values():
            _leave_out(scan, item, reason)


def _leave_out(scan: Scan, item: SourceImage, reason: Message) -> None:
    scan.problems.append(Skipped(safe_text(item.key), reason))


def _stem(key: str) -> str:
    return str(PurePosixPath(key).with_suffix(""))


def _end_of(key: str, ends: Sequence[str]) -> str | None:
    """Return the longest end that the name of a file has; None without one."""
    stem = _stem(key) if looks_like_image(key) else ""
    return max((end for end in ends if stem.endswith(end)), key=len, default=None)


def channel_paths(path: Path, ends: Sequence[str]) -> list[Path]:
    """Return the files of all channels of the image that a file is one channel of.

    Args:
        path: One of the files.
        ends: See `join_channels`.

    Returns:
        In the order of the channels; empty if the file is none of them, or others are missing.
    """
    end = _end_of(path.name, ends)
    if end is None:
        return []
    base = path.stem.removesuffix(end)
    found = []
    for each in ends:
        same = path.with_name(f"{base}{each}{path.suffix}")
        others = (other for other in sorted(path.parent.glob(f"{escape(base + each)}.*")))
        chosen = same if same.is_file() else next(filter(_is_picture, others), None)
        if chosen is None:
            return []
        found.append(chosen)
    return found


def _is_picture(path: Path) -> bool:
    return looks_like_image(path.name)


def joined_file(paths: Sequence[Path]) -> BytesIO:
    """Return the image whose channels lie in several files, as one file.

    Args:
        paths: The files, in the order of the channels.

    Raises:
        BadDataError: A file is damaged, or their sizes differ; the message is a reason.
    """
    return BytesIO(JoinedChannels([path.read_bytes for path in paths])())


@dataclass(frozen=True, slots=True)
class JoinedChannels:
    """Stands for the encoded bytes of an image whose channels lie in several files.

    Attributes:
        fetches: Give the bytes of the files, in the order of the channels.
    """

    fetches: Sequence[Fetch]

    def __call__(self) -> bytes:
        """Decode the files and return their channels as one array; see `read`."""
        return self.read()[0]

    def read(self) -> tuple[bytes, KnownPosition | None]:
        """Decode the files.

        Returns:
            Their channels as one array, and the position of the first file that has one.

        Raises:
            BadDataError: A file is damaged, or their sizes differ; the message is a reason.
        """
        found = [read_values(BytesIO(fetch())) for fetch in self.fetches]
        if len({pixels.shape[:2] for _, pixels in found}) > 1:
            raise BadDataError("the files of its channels have different sizes")
        known = ((each.georeference, each.size) for each, _ in found if each.georeference)
        return array_file(np.concatenate([pixels for _, pixels in found], axis=-1)), next(
            known, None
        )


def read_joined(
    items: Sequence[SourceImage],
    read: Callable[[Sequence[SourceImage]], Iterator[tuple[int, Fetch]]],
) -> Iterator[tuple[int, Fetch]]:
    """Yield images with functions that fetch their bytes; those of several files are joined.

    Args:
        items: The images.
        read: Reads files: yields the index of each once, with its function.
    """
    files = [file for item in items for file in item.channel_files or (item,)]
    owners = [index for index, item in enumerate(items) for _ in item.channel_files or (item,)]
    first = {owner: number for number, owner in reversed(list(enumerate(owners)))}
    waiting: dict[int, dict[int, Fetch]] = defaultdict(dict)
    for number, fetch in read(files):
        owner = owners[number]
        item = items[owner]
        if not item.channel_files:
            yield owner, fetch
            continue
        waiting[owner][number - first[owner]] = fetch
        if len(waiting[owner]) == len(item.channel_files):
            found = waiting.pop(owner)
            yield owner, JoinedChannels([found[at] for at in range(len(found))])
