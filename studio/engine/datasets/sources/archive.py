"""A zip or tar archive of class folders, read as it is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared import names
from studio.engine.datasets.sources.shared.labels import LONGEST_NAME
from studio.engine.datasets.sources.shared.members import (
    SUFFIXES,
    Member,
    is_archive,
    is_zip,
    members,
    packing,
    plain_range,
    zip_fetch,
    zip_file,
)
from studio.engine.datasets.sources.shared.names import take_found
from studio.engine.datasets.sources.shared.zip_names import zip_names
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.messages import message
from studio.engine.progress import Progress


class ArchiveSource(base.ReadsInOrder):
    """Class folders, or folders of splits, in an archive; a folder around them is passed over.

    Nothing is unpacked to the disk. A packed tar can only be read from its beginning, so its
    images come in the order in which they lie in it.
    """

    name = "archive"
    label = message("Archive of class folders ({suffixes})", suffixes=", ".join(SUFFIXES))
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Return True if `path` has the file name of an archive."""
        return is_archive(path)

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """List the images of an archive; see `Source.scan`."""
        scan = base.Scan()
        modified = base.modified_at(path)
        found = [
            base.SourceImage(name, "", None, size, modified, position)
            for name, size, position in _images(path, scan, progress)
        ]
        if is_zip(path):
            with contextlib.suppress(BadDataError), zip_file(path) as archive:
                scan.warnings += zip_names(archive).warnings
        found.sort(key=lambda item: natural_key(item.key))
        take_found(path, scan, found, options)
        return scan

    def read(
        self, path: Path, items: Sequence[base.SourceImage]
    ) -> Iterator[tuple[int, base.Fetch]]:
        """See `Source.read`."""
        if is_zip(path):
            return _read_zip(path, items)
        return _read_packed(path, items) if packing(path) else _read_tar(path, items)


def _images(path: Path, scan: base.Scan, progress: Progress) -> list[tuple[str, int, int]]:
    """Return name, size and place of every image; everything else goes to the problems."""

    def refuse(name: str, reason: str) -> None:
        if not _is_junk(name):
            scan.problems.append(base.Skipped(base.safe_text(name[:LONGEST_NAME]), reason))

    found: list[tuple[str, int, int]] = []
    try:
        for number, member in enumerate(members(path, refuse)):
            progress.check()
            if number % 500 == 0:
                progress.advance(len(found), 0, "Searching for images")
            name = _plain_name(member)
            if names.looks_like_image(name) and not _is_junk(name):
                found.append((name, member.size, member.position))
            else:
                refuse(name, names.not_an_image(name))
    except BadDataError as error:
        scan.problems.append(
            base.Skipped(
                path.name,
                message("{reason}; the rest is missing", reason=error.message),
            )
        )
    except OSError as error:
        raise StudioError(
            "{path} cannot be read: {reason}.",
            "Check the file.",
            "source",
            path=path,
            reason=error.strerror,
        ) from error
    return found


def _plain_name(member: Member) -> str:
    return "/".join(part for part in member.name.split("/") if part not in {"", "."})


def _is_junk(name: str) -> bool:
    return any(names.is_hidden(part) for part in name.split("/") if part not in {"", ".", ".."})


def _read_zip(path: Path, items: Sequence[base.SourceImage]) -> Iterator[tuple[int, base.Fetch]]:
    # Not closed here: threads keep reading when the last of these was given. It closes with them.
    archive = zip_file(path)
    entries = archive.infolist()
    known = zip_names(archive).names
    for index, item in enumerate(items):
        if item.position >= len(entries):
            continue
        entry = entries[item.position]
        # An import that began with an older version has the names of `zipfile`.
        if any(name.endswith(item.key) for name in (known[item.position], entry.filename)):
            yield index, zip_fetch(archive, entry, path)


def _read_tar(path: Path, items: Sequence[base.SourceImage]) -> Iterator[tuple[int, base.Fetch]]:
    for index, item in enumerate(items):
        yield index, partial(plain_range, path, item.position, item.size)


def _read_packed(
    path: Path, items: Sequence[base.SourceImage]
) -> Iterator[tuple[int, base.Fetch]]:
    requested = {item.position: index for index, item in enumerate(items)}
    for member in members(path, lambda _name, _reason: None):
        index = requested.pop(member.position, None)
        if index is not None:
            yield index, partial(bytes, member.fetch())
        if not requested:
            return
