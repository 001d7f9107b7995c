"""Requests for exports, saved exports, and the archives they are packed into."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import shutil
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.exporting.formats import FORMATS
from studio.engine.exporting.plan import ArchiveFormat, ExportPlan
from studio.engine.exporting.script import require_epochs
from studio.engine.files import placed, remove_folder, staging_folder
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.networks.library import WEIGHTS, weights_in
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import run_with_model
from studio.engine.workspace import RecordKind, Workspace


@dataclass(frozen=True, slots=True)
class SavedExport:
    """A saved export with weights that Keras reads.

    Attributes:
        name: Name of the folder or archive.
        weights: Value of a training plan that starts from it.
    """

    name: str
    weights: str


def exported_models(workspace: Workspace) -> list[SavedExport]:
    """Return the saved exports that still exist, the newest first.

    Exports that were measured only are left out: measuring the run again removes them.
    """
    found: dict[str, SavedExport] = {}
    for record, _ in workspace.infos(RecordKind.EXPORT):
        job = Job(record)
        try:
            is_saved = bool(job.plan(ExportPlan).to)
        except StudioError:
            continue  # its plan cannot be read: its folder is not known
        job.refresh()
        for file in files_of(job.history.result) if is_saved else ():
            weights = _weights(file)
            if weights:
                found[weights] = SavedExport(Path(file.path).name, weights)
    return list(found.values())[::-1]


def _weights(file: ExportedFile) -> str:
    """Return the path of its weights; empty if there are none that Keras reads."""
    path = Path(file.path)
    if not file.path or not path.exists():
        return ""
    if path.is_dir():
        inside = weights_in(path)
        return "" if inside is None else str(inside)
    try:
        with zipfile.ZipFile(path) as archive:
            return str(path) if set(WEIGHTS) & set(archive.namelist()) else ""
    except (OSError, zipfile.BadZipFile):
        return ""  # replaced by something else meanwhile


def request_export(queue: JobQueue, plan: ExportPlan, *, keep_measured: bool = False) -> Job:
    """Submit an export of a run's model.

    Args:
        queue: Queue of the workspace.
        plan: Run and variants.
        keep_measured: Keep the measured files of the same run; otherwise, an export that measures
            only removes them.

    Raises:
        StudioError: The run has no model, a format or precision is not known, packages are
            missing, or only a script is requested of a run without epochs.
    """
    record = run_with_model(queue.workspace, plan.run)
    requested = plan.requested()
    if not requested:
        raise StudioError("No format is selected.", "Choose at least one.", "format")
    for variant in requested if queue.workspace.computes_here else ():
        variant.require_packages()
    if all(variant.format.needs_dataset for variant in requested):
        require_epochs(Job(record).plan(TrainingPlan))
    if not plan.to and not keep_measured and queue.workspace.computes_here:
        _forget_measured(queue.workspace, plan.run)
    return queue.submit(plan, record.name, or_similar=True)


def _forget_measured(workspace: Workspace, run: str) -> None:
    """Remove the files, not the certificates, of exports of a run that were measured only."""
    for job in [Job(each) for each in workspace.records(RecordKind.EXPORT)]:
        try:
            if job.plan(ExportPlan).run != run:
                continue
        except StudioError:
            continue  # its plan cannot be read: its run is not known
        job.refresh()
        if job.history.state.is_at_rest:
            remove_folder(job.record.folder / MEASURED, ignore_errors=True)


MEASURED = "measured"
"""Folder of a record with files that were measured and not saved yet."""


def measured_folder(record: Path, file: ExportedFile) -> Path | None:
    """Return the folder of a measured file; None if it was saved elsewhere or no longer exists.

    Args:
        record: Folder of the export; nothing outside of it is returned, whatever the journal
            names.
        file: File of the export.
    """
    source = record / MEASURED / Path(file.path).name
    is_inside = source.resolve() == record.resolve() / MEASURED / source.name
    return source if file.path and is_inside and source.is_dir() else None


def save_measured(
    record: Path, files: Sequence[ExportedFile], to: Path, *, archive: ArchiveFormat = ""
) -> list[Path]:
    """Copy measured folders to a folder of the user without replacing files there.

    Args:
        record: Folder of the export. Only files in it are copied, whatever the journal names.
        files: Files of the export that were measured.
        to: The folder; created if missing.
        archive: Kind of archive for each; empty for folders.

    Returns:
        The new folders or archives, in the order of the files.

    Raises:
        StudioError: Files no longer exist or are links, or the folder cannot be written.
        DiskFullError: No space was left; the folders copied before stay.
    """
    saved = []
    for file in files:
        source = measured_folder(record, file)
        if source is None or any(each.is_symlink() for each in source.rglob("*")):
            raise StudioError(
                "The measured files of {file} no longer exist.", "Measure again.", file=file.name
            )
        with staging_folder(to) as staging:
            shutil.copytree(source, staging, dirs_exist_ok=True)
            staging.chmod(0o755)
            saved.append(place_export(staging, to, source.name, file.format, archive))
    return saved


def place_export(folder: Path, to: Path, name: str, form: str, archive: ArchiveFormat) -> Path:
    """Move an exported folder to its final path, packed if the plan or its format requires it.

    Args:
        folder: The folder, on the same disk as `to`.
        to: Folder of the user.
        name: Its name; numbered if that is taken.
        form: Name of the export format; a bundle is always a `.zip` file.
        archive: Kind of archive of the plan.
    """
    kind: ArchiveFormat = "zip" if FORMATS[form].is_archive else archive
    return pack(folder, to, name, kind) if kind else placed(folder, to, name)


def pack(folder: Path, to: Path, name: str, kind: ArchiveFormat) -> Path:
    """Pack the files of a folder into one archive, reproducibly.

    Args:
        folder: Folder to pack.
        to: Folder in which the archive is placed.
        name: Name of the archive without its suffix.
        kind: Format of the archive.

    Returns:
        Path of the archive.
    """
    with staging_folder(to) as staging:
        target = staging / f"export.{kind}"
        files = sorted(each for each in folder.rglob("*") if each.is_file())
        (_write_zip if kind == "zip" else _write_tar)(target, folder, files)
        return placed(target, to, name, f".{kind}")


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
