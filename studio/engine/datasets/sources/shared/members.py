"""Files inside zip and tar archives: checked names and sizes, nothing unpacked to the disk."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from studio.engine.datasets.sources.base import LARGEST_FILE, Fetch, read_whole, too_large
from studio.engine.datasets.sources.shared.labels import LARGEST_HEADER, LONGEST_NAME
from studio.engine.datasets.sources.shared.zip_names import zip_names
from studio.engine.documents import DAMAGED_CONTENT
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
# A packed archive of photographs grows by a few percent and one of plain drawings some ten times.
# What would grow more than this, and beyond what a disk takes without a thought, is a bomb.
LARGEST_GROWTH = 200
HARMLESS_SIZE = 4 * 2**30
_MOST_MEMBERS = 20_000_000
_HARMLESS_COUNT = 1_000_000
_FEWEST_BYTES = 16
"""Bytes that a file in an archive takes at least, packed, with all that describes it."""


@dataclass(frozen=True, slots=True)
class Member:
    """One regular file in an archive.

    Attributes:
        name: Its path, with forward slashes, relative and without `..`.
        size: Bytes after unpacking, as the archive claims.
        position: Offset in an uncompressed tar, index of the entry in a zip.
        fetch: Returns its bytes; in a tar only until the next member is requested.
    """

    name: str
    size: int
    position: int
    fetch: Fetch


# Called for every skipped entry with its name and the reason.
Refuse = Callable[[str, str], None]


def is_archive(path: Path) -> bool:
    """Return True if a path is a file with the name of an archive."""
    return path.name.casefold().endswith(SUFFIXES) and path.is_file()


def members(path: Path, refuse: Refuse) -> Iterator[Member]:
    """Yield every regular file of an archive in storage order.

    Args:
        path: The archive.
        refuse: Called with the name and reason of each skipped file.

    Raises:
        StudioError: The archive expands beyond all limits.
        BadDataError: It is damaged from here on; the message is a short reason.
        OSError: It cannot be read.
    """
    with _clear(path):
        yield from _in_zip(path, refuse) if is_zip(path) else _in_tar(path, refuse)


def plain_range(path: Path, index: int, size: int) -> bytes:
    """Read bytes of a file.

    Args:
        path: The file.
        index: Offset of the first byte.
        size: Number of bytes.

    Raises:
        BadDataError: The file is too short.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        file.seek(index)
        data = file.read(size)
    if len(data) < size:
        raise BadDataError("the archive is truncated")
    return data


def packing(path: Path) -> str:
    """`gz`, `bz2` or `xz`, from the first bytes, whatever the file is called; empty for none."""
    with path.open("rb") as file:
        head = file.read(6)
    for kind, magic in (("gz", b"\x1f\x8b"), ("bz2", b"BZh"), ("xz", b"\xfd7zXZ\0")):
        if head.startswith(magic):
            return kind
    return ""


def refusal(name: str) -> str:
    """Reason why an entry of that name must not be read; empty if it may be."""
    if not name:
        return "it has no name"
    try:
        name.encode()
    except UnicodeEncodeError:
        return "its name is not valid UTF-8"
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", name):
        return "its name is an absolute path"
    if ".." in re.split(r"[\\/]", name):
        return "its name points outside of the archive"
    if len(name) > LONGEST_NAME:
        return message("its name is longer than {limit:,} characters", limit=LONGEST_NAME)
    return "its name contains a zero byte" if "\0" in name else ""


def is_zip(path: Path) -> bool:
    """Return True if a file starts like a zip file."""
    with path.open("rb") as file:
        return file.read(2) == b"PK"


@contextlib.contextmanager
def _clear(path: Path) -> Iterator[None]:
    """Damage as one short reason."""
    try:
        yield
    except DAMAGED_CONTENT as error:
        raise BadDataError("the archive is damaged or truncated", where=str(path)) from error
    except OSError as error:
        if error.errno:
            raise
        raise BadDataError("the archive is damaged or truncated", where=str(path)) from error


class _Growth:
    """Counts what comes out of an archive and ends it when that is out of all proportion."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._limit = max(HARMLESS_SIZE, LARGEST_GROWTH * path.stat().st_size)
        self._total = 0
        self._count = 0
        self._most = max(_HARMLESS_COUNT, path.stat().st_size // _FEWEST_BYTES)

    def add(self, size: int) -> None:
        self._total += size
        self._count += 1
        if self._total > self._limit or self._count > min(_MOST_MEMBERS, self._most):
            raise StudioError(
                "{archive} unpacks to more than {limit:,.0f} GB or contains too many files; "
                "it may be a zip bomb.",
                "Unpack it yourself if you trust it, and import the folder.",
                "source",
                archive=self._path,
                limit=self._limit / 2**30,
            )


def _in_zip(path: Path, refuse: Refuse) -> Iterator[Member]:
    growth = _Growth(path)
    with zipfile.ZipFile(path) as archive:
        names = zip_names(archive).names
        for index, (name, entry) in enumerate(zip(names, archive.infolist(), strict=True)):
            if name.endswith("/"):
                continue
            reason = refusal(name) or _zip_refusal(entry)
            if reason:
                refuse(name, reason)
                continue
            growth.add(entry.file_size)
            yield Member(name, entry.file_size, index, zip_fetch(archive, entry, path))


def _zip_refusal(entry: zipfile.ZipInfo) -> str:
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "a link; links in archives are not followed"
    if entry.flag_bits & 1:
        return "it is encrypted"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "its compression is not supported; use an ordinary zip"
    return too_large().message if entry.file_size > LARGEST_FILE else ""


def zip_file(path: Path) -> zipfile.ZipFile:
    """Return an opened zip file.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
        OSError: It cannot be read.
    """
    with _clear(path):
        return zipfile.ZipFile(path)


def zip_fetch(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> Fetch:
    """Return a function that reads the bytes of an entry, in any thread.

    Args:
        archive: The open archive.
        entry: The entry.
        path: Path of the archive, for errors.
    """

    # Several threads may read one ZipFile: it locks its file for each read.
    def fetch() -> bytes:
        with _clear(path), archive.open(entry) as file:
            return read_whole(file)  # type: ignore[arg-type]  # IO[bytes] is a BinaryIO to us

    return fetch


# How tarfile says that an archive ends as it should.
_END_OF_TAR = (tarfile.EOFHeaderError, tarfile.EmptyHeaderError)  # type: ignore[attr-defined]  # typeshed lacks both


_DESCRIPTIONS = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)


class _StrictTarInfo(tarfile.TarInfo):
    """Says so when a header in the middle is damaged, where tarfile would stop silently."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            if isinstance(error, _END_OF_TAR):
                raise
            raise tarfile.ReadError(str(error)) from error

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """Refuse long descriptions, which tarfile reads whole and keeps in memory."""
        if self.type in _DESCRIPTIONS:
            seen = getattr(archive, "description_bytes", 0)
            if self.type == tarfile.XGLTYPE:  # those for all files add up
                seen += self.size
                archive.description_bytes = seen  # type: ignore[attr-defined]  # ours
            if max(seen, self.size) > LARGEST_HEADER:
                raise tarfile.ReadError("a description is too long")
        member: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]  # typeshed
        return member

    def _proc_sparse(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """Refuse a map of holes of more than one block; such files are never read."""
        if self._sparse_structs[1]:  # type: ignore[attr-defined]  # typeshed lacks it
            raise tarfile.ReadError("a sparse file")
        member: tarfile.TarInfo = super()._proc_sparse(archive)  # type: ignore[misc]  # typeshed
        return member

    def _proc_gnusparse_10(self, *_arguments: object) -> None:
        """Refuse the same in a newer form."""
        raise tarfile.ReadError("a sparse file")


def _in_tar(path: Path, refuse: Refuse) -> Iterator[Member]:
    growth = _Growth(path)
    with (
        _unpacked(path) as stream,
        tarfile.open(fileobj=stream, mode="r:", tarinfo=_StrictTarInfo) as archive,
    ):
        while entry := archive.next():
            # It would keep every entry: 1 GB for a million.
            archive.members = []  # type: ignore[attr-defined]  # public, though typeshed lacks it
            growth.add(entry.size)
            if entry.isdir():
                continue
            reason = refusal(entry.name) or _tar_refusal(entry)
            if reason:
                refuse(entry.name, reason)
            else:
                fetch = _tar_fetch(archive, entry, path)
                yield Member(entry.name, entry.size, entry.offset_data, fetch)


def _tar_refusal(entry: tarfile.TarInfo) -> str:
    if entry.issym() or entry.islnk():
        if refusal(entry.linkname):
            return message("a link that points outside")
        return message("a link that is not followed")
    if not entry.isreg() or entry.issparse():
        return "not a regular file"
    return too_large().message if entry.size > LARGEST_FILE else ""


def _tar_fetch(archive: tarfile.TarFile, entry: tarfile.TarInfo, path: Path) -> Fetch:
    def fetch() -> bytes:
        with _clear(path):
            file = archive.extractfile(entry)
            data = b"" if file is None else file.read()
        if len(data) != entry.size:
            raise BadDataError("the archive is truncated")
        return data

    return fetch


@contextlib.contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    kind = packing(path)
    if kind == "gz":
        with gzip.open(path) as stream:
            yield stream  # type: ignore[misc]  # every one of them reads and seeks
    elif kind == "bz2":
        with bz2.open(path) as stream:
            yield stream  # type: ignore[misc]  # as above
    elif kind == "xz":
        with lzma.open(path) as stream:
            yield stream  # type: ignore[misc]  # as above
    else:
        with path.open("rb") as stream:
            yield stream
