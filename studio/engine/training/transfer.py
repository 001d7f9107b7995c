"""One run as a single file, to move it to another workspace or computer."""

from __future__ import annotations

import json
import re
import shutil
import stat
import zipfile
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ValidationError

from studio import __version__
from studio.engine import files
from studio.engine.documents import DAMAGED_CONTENT
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import is_packed_too_tightly
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.messages import as_message, message
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import store_references
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace
from studio.engine.workspace.records import RECORD_FILE

SUFFIX = ".studio-run.zip"
_MANIFEST = "studio-run.json"
_FILES = "files"
_FORMAT = 1
_LEFT_OUT = frozenset({"worker.lock", "worker.log", "commands.jsonl"})
"""Files that belong to a process of this computer."""
_STORED = frozenset({".keras", ".h5", ".npz", ".png", ".zip"})
"""Endings of files that are compressed already, or are noise."""
_MOST_FILES = 100_000
_LARGEST_MANIFEST = 2**16
_LARGEST_GROWTH = 100
"""Largest ratio of an unpacked run to its archive. Journals are compressed to a tenth."""
_PIECE = 2**20
_PART = re.compile(r"[^\x00-\x1f<>:\"|?*\\/]{1,150}")


class _Manifest(BaseModel, frozen=True):
    """Content of the manifest, the first file of the archive."""

    format: int
    studio: str
    record: RecordInfo


def pack_run(workspace: Workspace, run: Record, target: Path) -> Path:
    """Write a run with its model, checkpoints, curves and settings into one zip file.

    The file includes everything it needs to predict and export without its dataset.

    Args:
        workspace: Workspace of the run.
        run: A run that is neither running nor waiting.
        target: The file; an existing one is replaced atomically.

    Raises:
        StudioError: The run is running or waiting, or the file cannot be written.
        DiskFullError: No space was left.
    """
    job = Job.read(run)
    if not job.history.state.is_at_rest:
        raise StudioError(
            'The run "{run}" is {state}, so it cannot be packed.',
            "Wait until it ends, or stop or pause it first.",
            run=run.name,
            state=job.history.state.label,
        )
    dataset = workspace.record(RecordKind.DATASET, job.plan(TrainingPlan).dataset)
    if dataset is not None and MODEL_ARTIFACT in job.history.artifacts:
        store_references(dataset, [run])
    manifest = _Manifest(format=_FORMAT, studio=__version__, record=run.info())
    paths = sorted(
        path
        for path in run.folder.rglob("*")
        if path.is_file()
        and not path.is_symlink()
        and path.name not in _LEFT_OUT
        and not path.name.startswith(".")
    )
    with (
        files.writing(target, "to"),
        files.replacing(target) as partial,
        zipfile.ZipFile(partial, "x") as archive,
    ):
        archive.writestr(_MANIFEST, manifest.model_dump_json(indent=1))
        for path in paths:
            kind = zipfile.ZIP_STORED if path.suffix in _STORED else zipfile.ZIP_DEFLATED
            name = f"{_FILES}/{path.relative_to(run.folder).as_posix()}"
            archive.write(path, name, compress_type=kind)
    return target


def unpack_run(workspace: Workspace, file: Path, name: str | None = None) -> Record:
    """Add a packed run to a workspace; its dataset does not come with it.

    Args:
        workspace: Workspace to add the run to.
        file: A file written by `pack_run`, perhaps on another computer, or any other file.
        name: Its name here; None for its own, numbered if that is taken.

    Raises:
        StudioError: The file is not a packed run, is damaged or hostile, or the name is taken.
        DiskFullError: No space was left; nothing was added.
    """
    if name is not None:
        name = workspace.require_free(RecordKind.RUN, name)
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest(archive, file)
            entries = _entries(archive, file)
            files.require_space(
                workspace.root, sum(entry.file_size for entry in entries), "Unpacking the run"
            )

            def fill(folder: Path) -> None:
                for entry in entries:
                    _extract(archive, entry, folder)
                _require_run(folder, file)

            with files.disk_full_is_clear(workspace.root):
                return workspace.adopt(manifest.record, fill, name)
    except BadDataError as error:
        raise _not_a_run(file, files.read_failure(error)) from error
    except (*DAMAGED_CONTENT, NotImplementedError) as error:
        raise _not_a_run(file, files.read_failure(error)) from error
    except OSError as error:
        raise StudioError(
            "{file} cannot be read: {reason}.",
            "Check the path.",
            "file",
            file=file,
            reason=files.read_failure(error),
        ) from error


def _manifest(archive: zipfile.ZipFile, file: Path) -> _Manifest:
    try:
        info = archive.getinfo(_MANIFEST)
    except KeyError as error:
        raise _not_a_run(file, message("it has no {name}", name=_MANIFEST)) from error
    if info.file_size > _LARGEST_MANIFEST:
        raise _not_a_run(file, message("its {name} is too large", name=_MANIFEST))
    try:
        manifest = _Manifest.model_validate_json(archive.read(info))
    except ValidationError as error:
        raise _not_a_run(file, message("its {name} is damaged", name=_MANIFEST)) from error
    if manifest.format > _FORMAT:
        raise StudioError(
            "{file} was written by a newer Studio ({version}).",
            "Update Studio.",
            "file",
            file=file,
            version=manifest.studio[:20],
        )
    if manifest.record.kind != RecordKind.RUN:
        raise _not_a_run(file, message("it contains a {kind}", kind=manifest.record.kind.label))
    return manifest


def _entries(archive: zipfile.ZipFile, file: Path) -> list[zipfile.ZipInfo]:
    """Return the files of the record, each with a safe relative path."""
    entries = [info for info in archive.infolist() if info.filename != _MANIFEST]
    if len(entries) > _MOST_FILES:
        raise _not_a_run(file, message("it contains {count:,} files", count=len(entries)))
    size = sum(info.file_size for info in entries)
    if is_packed_too_tightly(size, file, _LARGEST_GROWTH):
        text = message("unpacked, it would have {size:,} bytes", size=size)
        raise _not_a_run(file, text)
    seen: set[str] = set()
    for info in entries:
        top, *parts = info.filename.split("/")
        mode = info.external_attr >> 16
        is_plain = not info.is_dir() and (not mode or stat.S_ISREG(mode) or not stat.S_IFMT(mode))
        is_safe = top == _FILES and parts and all(map(_is_safe_part, parts))
        folded = info.filename.casefold()
        if not is_plain or not is_safe or folded in seen or parts[-1] in _LEFT_OUT:
            raise _not_a_run(file, message("it contains {name}", name=repr(info.filename[:80])))
        seen.add(folded)
    return entries


def _is_safe_part(part: str) -> bool:
    """Return True for a file or folder name that every system takes, and that is not hidden."""
    return bool(_PART.fullmatch(part)) and not part.startswith(".") and bool(part.strip(" ."))


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    """Write one file; `zipfile` reads no more of it than its entry claims."""
    path = folder.joinpath(*PurePosixPath(entry.filename).parts[1:])
    path.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, path.open("xb") as target:
        shutil.copyfileobj(source, target, _PIECE)


def _require_run(folder: Path, file: Path) -> None:
    """Refuse files that are not a run that ended or was paused, as `pack_run` does.

    A queued run would wait on a computer whose user did not request it.
    """
    plan = folder / RecordKind.RUN.plan_name
    if not plan.is_file() or not (folder / JOURNAL_FILE).is_file():
        raise _not_a_run(file, "its plan or journal is missing")
    TrainingPlan.parse(json.loads(plan.read_text(encoding="utf-8")))
    state = Job.read(Record(RecordKind.RUN, folder)).history.state
    if not state.is_at_rest:
        raise _not_a_run(file, message("its run is {state}", state=state.label))
    files.remove(folder / RECORD_FILE)


def _not_a_run(file: Path, reason: str) -> StudioError:
    return StudioError(
        "{file} is not a packed run: {reason}.",
        "Choose a file that studio runs pack wrote.",
        "file",
        file=file,
        reason=as_message(reason),
    )
