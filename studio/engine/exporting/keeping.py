"""Takes exports that were measured only out of their record, and packs folders into archives."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.exporting.results import ExportedFile
from studio.engine.files import disk_full_is_clear, placed, staging_folder

MEASURED = "measured"
"""Folder of a record with what was measured and not kept yet."""


def keep(files: Sequence[ExportedFile], to: Path, *, archive: bool = False) -> list[Path]:
    """Copy exported folders to where a person wants them; nothing there is replaced.

    Args:
        files: Files of an export that were written.
        to: A folder, made when missing.
        archive: Make a `.zip` file of each.

    Returns:
        The new folders or archives, in the order of the files.

    Raises:
        StudioError: One is gone, or nothing can be written there.
        DiskFullError: No space was left; those that were copied before stay.
    """
    kept = []
    for file in files:
        source = Path(file.path)
        if not file.path or not source.is_dir():
            raise StudioError(
                f"The measured files of {file.name} are not there any more.", "Measure again."
            )
        staging = staging_folder(to)
        try:
            with disk_full_is_clear(to):
                shutil.copytree(source, staging, dirs_exist_ok=True)
                staging.chmod(0o755)
                packs = archive or FORMATS[file.format].is_archive
                finished = pack(staging, to, source.name) if packs else None
                kept.append(finished or placed(staging, to, source.name))
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return kept


def pack(folder: Path, to: Path, name: str) -> Path:
    """Put the files of a folder into one archive; times are not kept, so equal gives equal."""
    staging = staging_folder(to)
    try:
        begun = staging / "export.zip"
        with zipfile.ZipFile(begun, "x", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(each for each in folder.rglob("*") if each.is_file()):
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as source, archive.open(entry, "w") as target:
                    shutil.copyfileobj(source, target)
        return placed(begun, to, name, ".zip")
    finally:
        shutil.rmtree(staging, ignore_errors=True)
