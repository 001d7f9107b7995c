"""Takes exports that were measured only out of their record, and packs folders into archives."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import shutil
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.exporting.plan import ArchiveFormat
from studio.engine.exporting.results import ExportedFile
from studio.engine.files import disk_full_is_clear, placed, remove_folder, staging_folder

MEASURED = "measured"
"""Folder of a record with what was measured and not kept yet."""


def keep(
    record: Path, files: Sequence[ExportedFile], to: Path, *, archive: ArchiveFormat = ""
) -> list[Path]:
    """Copy exported folders to where a person wants them; nothing there is replaced.

    Args:
        record: Folder of the export. Only what lies in it is copied, whatever its journal says.
        files: Files of the export that were measured.
        to: A folder, made when missing.
        archive: Pack each into such an archive; empty for folders.

    Returns:
        The new folders or archives, in the order of the files.

    Raises:
        StudioError: One is gone, or nothing can be written there.
        DiskFullError: No space was left; those that were copied before stay.
    """
    kept = []
    for file in files:
        source = record / MEASURED / Path(file.path).name
        if not file.path or not source.is_dir() or source.is_symlink():
            raise StudioError(
                f"The measured files of {file.name} no longer exist.", "Measure again."
            )
        staging = staging_folder(to)
        try:
            with disk_full_is_clear(to):
                shutil.copytree(source, staging, dirs_exist_ok=True)
                staging.chmod(0o755)
                kept.append(finished(staging, to, source.name, file.format, archive))
        finally:
            remove_folder(staging, ignore_errors=True)
    return kept


def finished(folder: Path, to: Path, name: str, form: str, archive: ArchiveFormat) -> Path:
    """Give an exported folder its place, packed if the plan or its format asks for that.

    Args:
        folder: The folder, on the same disk as `to`.
        to: Where it goes.
        name: Its name; numbered if that is taken.
        form: Name of the export format; a bundle is always a `.zip` file.
        archive: What the plan asks for.
    """
    kind: ArchiveFormat = "zip" if FORMATS[form].is_archive else archive
    return pack(folder, to, name, kind) if kind else placed(folder, to, name)


def pack(folder: Path, to: Path, name: str, kind: ArchiveFormat) -> Path:
    """Put the files of a folder into one archive; equal files give equal bytes."""
    staging = staging_folder(to)
    try:
        begun = staging / f"export.{kind}"
        files = sorted(each for each in folder.rglob("*") if each.is_file())
        with disk_full_is_clear(to):
            (_write_zip if kind == "zip" else _write_tar)(begun, folder, files)
        return placed(begun, to, name, f".{kind}")
    finally:
        remove_folder(staging, ignore_errors=True)


def _write_zip(target: Path, folder: Path, files: Sequence[Path]) -> None:
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(entry, "w") as packed:
                shutil.copyfileobj(source, packed)


def _write_tar(target: Path, folder: Path, files: Sequence[Path]) -> None:
    with contextlib.ExitStack() as stack:
        packed: IO[bytes] = stack.enter_context(target.open("xb"))
        if target.suffix == ".gz":  # without the time and name that gzip would write
            zipped = gzip.GzipFile("", "wb", fileobj=packed, mtime=0)
            packed = cast("IO[bytes]", stack.enter_context(zipped))
        elif target.suffix == ".bz2":
            packed = stack.enter_context(bz2.BZ2File(packed, "wb"))
        archive = stack.enter_context(tarfile.TarFile(fileobj=packed, mode="w"))
        for path in files:
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.size = path.stat().st_size
            with path.open("rb") as source:
                archive.addfile(entry, source)
