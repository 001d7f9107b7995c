"""What was exported from this workspace and kept, from which a training can start."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.exporting.keeping import MEASURED
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.results import ExportedFile, files_of
from studio.engine.exporting.script import require_epochs
from studio.engine.files import remove_folder
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.networks.exported import WEIGHTS, weights_in
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import run_with_model
from studio.engine.workspace import RecordKind, Workspace


@dataclass(frozen=True, slots=True)
class KeptExport:
    """An export with weights that Keras reads.

    Attributes:
        name: Of the folder or archive.
        weights: What a training plan names to start from it.
    """

    name: str
    weights: str


def kept_exports(workspace: Workspace) -> list[KeptExport]:
    """The exports that are still where they were written to, the newest first.

    Those that were measured only are left out: they go when the run is measured again.
    """
    found: dict[str, KeptExport] = {}
    for record, _ in workspace.infos(RecordKind.EXPORT):
        job = Job(record)
        try:
            is_kept = bool(job.plan(ExportPlan).to)
        except StudioError:
            continue  # its plan cannot be read: nobody knows where it went
        job.refresh()
        for file in files_of(job.history.result) if is_kept else ():
            weights = _weights(file)
            if weights:
                found[weights] = KeptExport(Path(file.path).name, weights)
    return list(found.values())[::-1]


def _weights(file: ExportedFile) -> str:
    """Where its weights are; empty where it has none that Keras reads, or is gone."""
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


def request_export(queue: JobQueue, plan: ExportPlan) -> Job:
    """Ask for an export of a run's model.

    Where nothing is kept, the files that were measured of the same run before go.

    Raises:
        StudioError: The run has no model, a format or precision is not known, the packages of
            the only one are missing, or only a script is asked for of a run without epochs.
    """
    record = run_with_model(queue.workspace, plan.run)
    wanted = plan.wanted()
    if not wanted:
        raise StudioError("No format was chosen.", "Choose at least one.", "format")
    for variant in wanted:
        variant.require_packages()
    if all(variant.format.needs_dataset for variant in wanted):
        require_epochs(Job(record).plan(TrainingPlan))
    if not plan.to:
        _forget_measured(queue.workspace, plan.run)
    return queue.submit(plan, record.name, or_similar=True)


def _forget_measured(workspace: Workspace, run: str) -> None:
    """Remove the files, not the figures, of exports of a run that were measured only."""
    for job in [Job(each) for each in workspace.records(RecordKind.EXPORT)]:
        try:
            if job.plan(ExportPlan).run != run:
                continue
        except StudioError:
            continue  # it cannot be read, and is of no run that we know
        job.refresh()
        if job.history.state.is_at_rest:
            remove_folder(job.record.folder / MEASURED, ignore_errors=True)
