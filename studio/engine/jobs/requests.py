"""What people ask for, checked against what is there, and turned into jobs.

The window and the command line both come through here, so they refuse the same things in the same
words.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from studio.engine.baselines.plan import BaselinePlan
from studio.engine.datasets.audit.findings import read_report
from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.shared.address import address_of
from studio.engine.datasets.summary import DatasetSummary, read_summary
from studio.engine.errors import Problem, StudioError, raise_if_serious
from studio.engine.exporting.formats.script import SCRIPT
from studio.engine.exporting.keeping import MEASURED
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.script import require_epochs
from studio.engine.jobs.devices import device_problems, machine_devices
from studio.engine.jobs.events import ArtifactRemoved
from studio.engine.jobs.job import Job
from studio.engine.jobs.kinds import read_plan
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.replay import JobHistory
from studio.engine.jobs.states import State
from studio.engine.training.backends import backend_problems
from studio.engine.training.checks import check_training
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.preflight import PreflightPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.starting_weights import store_weights
from studio.engine.training.weight_matching import weights_problem
from studio.engine.workspace import Record, RecordKind, Workspace

MODEL_ARTIFACT = "model"
LATENCY = "latency_ms"
"""Of the result of a run: median milliseconds for one image, where that was to be measured."""
_CHECKPOINT = "checkpoint-"


def request_import(queue: JobQueue, recipe: DatasetRecipe, name: str) -> Job:
    """Ask for an import.

    Raises:
        StudioError: A source does not exist or is named twice, or the name is taken.
    """
    source = Path(recipe.source)
    if not address_of(source) and not source.exists():
        raise StudioError(f"There is no file or folder {source}.", "Check the path.", "source")
    _refuse_repeated_sources(recipe)
    return queue.submit(recipe, name)


def _refuse_repeated_sources(recipe: DatasetRecipe) -> None:
    """Refuse a source that would give each of its images twice."""
    seen: set[str] = set()
    for text in (recipe.source, *recipe.more_sources, recipe.val_source, recipe.test_source):
        place = text and (address_of(text) or os.path.realpath(text))
        if place in seen:
            raise StudioError(
                f"{text} is named twice, so each of its images would be imported twice.",
                "Name each folder or file once.",
                "source",
            )
        seen |= {place} - {""}


def training_problems(workspace: Workspace, plan: TrainingPlan) -> list[Problem]:
    """Everything that is wrong, or unwise, about a training plan."""
    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        return [Problem("dataset", f'there is no dataset "{plan.dataset}" (any more).')]
    job = Job(record)
    job.refresh()
    if job.history.state != State.COMPLETED:
        state = job.history.state.value
        return [
            Problem(
                "dataset",
                f'the dataset "{record.name}" is {state}, not completed.',
                "Wait for its import, or import it again.",
            )
        ]
    try:
        summary = dataset_summary(record.folder, plan.dataset_version)
    except StudioError as error:
        return [Problem("dataset", error.message, error.hint)]
    problems = check_training(plan, summary) + _source_problems(workspace, plan, summary)
    if not plan.ray:
        problems += device_problems(plan.device, machine_devices())
        problems += backend_problems(plan.backend)
    return problems + _leakage(record.folder, plan.dataset_version)


def _source_problems(
    workspace: Workspace, plan: TrainingPlan, summary: DatasetSummary
) -> list[Problem]:
    """Whether the run is there whose weights a plan wants, and has the head that it wants."""
    if not plan.weights.startswith(RUN_PREFIX):
        return [_no_head("only a run has a head to keep.")] if plan.keep_head else []
    try:
        run_id, _, moment = plan.weights.removeprefix(RUN_PREFIX).partition("@")
        run = run_with_model(workspace, run_id)
        path = model_file(run, moment)
        if plan.keep_head:
            known = dataset_summary(dataset_of(workspace, run).folder, trained_version(run))
            if known.classes != summary.classes:
                return [_no_head("it tells other classes apart, or in another order.")]
        problem = _other_network(path, plan, summary)
        if problem is not None:
            return [problem]
    except StudioError as error:
        return [Problem("weights", error.message, error.hint)]
    return []


def _other_network(path: Path, plan: TrainingPlan, summary: DatasetSummary) -> Problem | None:
    """The problem that the model of a run is of another network than that of a plan."""
    shape = (summary.height, summary.width, summary.channels)
    try:
        spec = network_for(plan, shape, len(summary.classes))
    except StudioError:
        return None  # `check_training` says so
    return weights_problem(path, plan.network, plan.design, spec)


def _no_head(reason: str) -> Problem:
    return Problem("keep_head", f"the head cannot be kept: {reason}", "Let it be new.")


def request_training(queue: JobQueue, plan: TrainingPlan, name: str) -> Job:
    """Ask for a training run, on the newest version of the dataset unless the plan names one.

    A weights file is copied into the run. A run on a dataset that is still being imported waits
    for it, and is checked when it starts.

    Raises:
        StudioError: Names everything that is wrong with the plan, or the name is taken.
    """
    record = queue.workspace.record(RecordKind.DATASET, plan.dataset)
    fill = partial(store_weights, plan.weights)
    if record is not None and is_importing(record):
        return queue.submit(plan, name, fill=fill)
    if record is not None and plan.dataset_version is None:
        plan = plan.changed(dataset_version=current_version(record.folder))
    raise_if_serious(training_problems(queue.workspace, plan))
    return queue.submit(plan, name, fill=fill)


def is_importing(dataset: Record) -> bool:
    """True if the import of a dataset waits or runs."""
    job = Job(dataset)
    job.refresh()
    return job.history.state == State.QUEUED or job.history.state.has_worker


def request_folds(
    queue: JobQueue,
    plan: TrainingPlan,
    name: str,
    folds: int,
    pattern: str = "",
    group: str = "",
) -> list[Job]:
    """Ask for one run per fold of a cross-validation.

    Each fold is a version of the dataset, in which another part of the images validates. Test
    images stay test images. The dataset is then restored to the version before.

    Args:
        queue: The queue of the workspace.
        plan: What is trained, with the dataset's current version.
        name: The runs are called `name-fold1`, `name-fold2` …
        folds: Parts, 2 to 100.
        pattern: Regular expression on image paths; images of one group stay in one fold.
        group: The group of the runs.

    Raises:
        StudioError: Names everything that is wrong with the plan or the folds, or a name is taken.
    """
    # Imported here: NumPy and h5py, which this module does without.
    from studio.engine.datasets.split_plan import SplitPlan  # noqa: PLC0415
    from studio.engine.datasets.versions import restore, split_again  # noqa: PLC0415

    if plan.dataset_version is not None:
        raise StudioError(
            "Cross-validation splits the current version of the dataset, and the plan names one.",
            "Leave the version out.",
            "dataset_version",
        )
    splits = [
        SplitPlan.parse({"method": "kfold", "folds": folds, "fold": fold, "pattern": pattern})
        for fold in range(folds)
    ]
    names = [
        queue.workspace.require_free(RecordKind.RUN, f"{name}-fold{fold + 1}")
        for fold in range(folds)
    ]
    raise_if_serious(training_problems(queue.workspace, plan))
    folder = _completed_dataset(queue.workspace, plan.dataset, "cross-validation").folder
    before = current_version(folder)
    jobs = []
    try:
        for each, split in zip(names, splits, strict=True):
            version = split_again(folder, split, f"Fold {split.fold + 1} of {folds}")
            job = request_training(queue, plan.changed(dataset_version=version), each)
            queue.workspace.annotate(job.record, group=group)
            jobs.append(job)
    finally:
        if current_version(folder) != before:
            restore(folder, before, "After cross-validation")
    return jobs


def request_audit(queue: JobQueue, plan: AuditPlan) -> Job:
    """Ask for an audit of a dataset, of its newest version unless the plan names one.

    Raises:
        StudioError: There is no such dataset, or its import is not completed.
    """
    record = _completed_dataset(queue.workspace, plan.dataset, "an audit")
    newest = current_version(record.folder)
    if plan.dataset_version is None:
        plan = plan.changed(dataset_version=newest)
    return queue.submit(plan, queue.workspace.unused_name(RecordKind.AUDIT, record.name))


def request_baseline(queue: JobQueue, plan: BaselinePlan) -> Job:
    """Ask for a baseline of a dataset, of its newest version unless the plan names one.

    Raises:
        StudioError: There is no such dataset, or its import is not completed.
    """
    record = _completed_dataset(queue.workspace, plan.dataset, "a baseline")
    if plan.dataset_version is None:
        plan = plan.changed(dataset_version=current_version(record.folder))
    return queue.submit(plan, record.name, or_similar=True)


def request_preflight(queue: JobQueue, plan: PreflightPlan) -> Job:
    """Ask for a training to be measured; earlier measurements on its dataset go.

    One that is at work is stopped, and goes when the next is asked for.

    Raises:
        StudioError: Names everything that is wrong with the plan.
    """
    workspace = queue.workspace
    record = _completed_dataset(workspace, plan.dataset, "a preflight")
    if plan.training.dataset_version is None:
        newest = current_version(record.folder)
        training = plan.training.model_copy(update={"dataset_version": newest})
        plan = plan.model_copy(update={"training": training})
    raise_if_serious(training_problems(workspace, plan.training))
    _remove_preflights(queue, plan.dataset)
    return queue.submit(plan, record.name, or_similar=True)


def _remove_preflights(queue: JobQueue, dataset: str) -> None:
    for old in [Job(each) for each in queue.workspace.records(RecordKind.PREFLIGHT)]:
        try:
            if old.plan(PreflightPlan).dataset != dataset:
                continue
            queue.stop(old)
            require_idle(old)
            gone = queue.workspace.trash(old.record)
        except StudioError:
            continue  # it cannot be read, or its worker is still at it
        # There is nothing in it that anybody would want back.
        shutil.rmtree(gone.folder, ignore_errors=True)


def _completed_dataset(workspace: Workspace, dataset: str, what_for: str) -> Record:
    record = workspace.record(RecordKind.DATASET, dataset)
    if record is None:
        raise StudioError(f'There is no dataset "{dataset}" (any more).', where="dataset")
    Job(record).require_completed(what_for)
    return record


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
    if {variant.format.name for variant in wanted} == {SCRIPT.name}:
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
            shutil.rmtree(job.record.folder / MEASURED, ignore_errors=True)


def require_idle(job: Job) -> None:
    """Refuse to delete a record while a worker is at it.

    Raises:
        StudioError: A worker is at it.
    """
    job.refresh()
    if job.history.state.has_worker:
        raise StudioError(
            f'The {job.record.kind.value} "{job.record.name}" is {job.history.state.value}.',
            "Stop it first.",
        )


def run_with_model(workspace: Workspace, run: str) -> Record:
    """The run of that id, if it has a model to use.

    Raises:
        StudioError: There is no such run, or it has no model yet.
    """
    record = workspace.record(RecordKind.RUN, run)
    if record is None:
        raise StudioError(f'There is no run "{run}" (any more).', where="run")
    job = Job(record)
    job.refresh()
    if MODEL_ARTIFACT not in job.history.artifacts:
        raise StudioError(
            f'The run "{record.name}" is {job.history.state.value} and has no model yet.',
            "A model is there after the first epoch.",
            "run",
        )
    return record


def dataset_of(workspace: Workspace, run: Record) -> Record:
    """The dataset that a run learned from.

    Raises:
        StudioError: It was deleted.
    """
    plan = Job(run).plan(TrainingPlan)
    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        raise missing_dataset(plan.dataset, run.name)
    return record


def missing_dataset(dataset: str, run: str) -> StudioError:
    """Return the error for work that needs the images of a deleted dataset.

    Args:
        dataset: Its id.
        run: Name of the run that was trained on it.
    """
    return StudioError(
        f'The dataset of the run "{run}" was deleted, and this needs its images.',
        f"Restore it from the trash: studio trash restore {dataset}",
        "dataset",
    )


def trained_version(run: Record) -> int:
    """The version of its dataset that a run learned from."""
    return Job(run).plan(TrainingPlan).dataset_version or 0


def _leakage(dataset: Path, version: int | None) -> list[Problem]:
    """What the last audit of a dataset means for what is shown of it now."""
    try:
        report = read_report(dataset)
    except StudioError as error:
        return [Problem("dataset", error.message, error.hint, serious=False)]
    if report is None or not any(finding.pairs for finding in report.findings):
        return []
    # Only where the audit found images twice: it takes h5py, as in `dataset_summary`.
    from studio.engine.datasets.audit.fixes import leaking_rows  # noqa: PLC0415
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    count = len(leaking_rows(report, Store.open(dataset, version)))
    if not count:
        return []
    return [
        Problem(
            "dataset",
            f"leakage: of the validation and test images, {count:,} are the same or nearly the "
            "same as images of another split, so accuracy measured on them is too good.",
            "Move them to the training images: that is a fix of the dataset's audit.",
            serious=False,
        )
    ]


def dataset_summary(folder: Path, version: int | None = None) -> DatasetSummary:
    """What a version of a dataset holds, None being the newest; no HDF5 unless it was edited.

    Raises:
        BadDataError: The summary or the edits cannot be read.
        StudioError: There is no such version.
    """
    if current_version(folder) == 0 and not version:
        return read_summary(folder)
    # Only for edited datasets: it takes h5py, and this module is imported when the window starts.
    from studio.engine.datasets.versions import version_summary  # noqa: PLC0415

    return version_summary(folder, version)


def model_file(run: Record, moment: str = "") -> Path:
    """Where the model of a run lies, or one of its checkpoints; see `run_with_model`.

    Args:
        run: The run.
        moment: Empty for the model as it is kept; `best` where that is the best; or the number
            of epochs after which weights were kept.

    Raises:
        StudioError: There is no such checkpoint.
    """
    job = Job(run)
    job.refresh()
    artifacts = job.history.artifacts
    plan = read_plan(run)
    keeps_best = isinstance(plan, TrainingPlan) and plan.keep == "best"
    if not moment or (moment == "best" and keeps_best):
        return run.file(artifacts[MODEL_ARTIFACT])
    name = ""
    with contextlib.suppress(ValueError):  # a word is no epoch, and told as one that is not there
        name = checkpoint_artifact(float(moment))
    if name not in artifacts:
        there = [f"{epoch:g}" for epoch in checkpoints_of(job.history)]
        raise StudioError(
            f'The run "{run.name}" has no checkpoint "{moment}".',
            f"There are: {', '.join([*(['best'] if keeps_best else []), *there]) or 'none'}. "
            "Train with checkpoint_every to keep some.",
            "weights",
        )
    return run.file(artifacts[name])


def checkpoint_artifact(epoch: float) -> str:
    """Name of the artifact that holds the weights after so many epochs, to a hundredth."""
    return f"{_CHECKPOINT}{round(epoch, 2):g}"


def remove_checkpoints(queue: JobQueue, run: Job, epochs: Sequence[float]) -> None:
    """Delete checkpoints of a run that is not at work; its model stays.

    Args:
        queue: The queue of its workspace.
        run: The run.
        epochs: Of `checkpoints_of`.

    Raises:
        StudioError: A worker is at it, or it has no such checkpoint.
    """
    with queue.changing(run):
        artifacts = run.history.artifacts
        names = [checkpoint_artifact(epoch) for epoch in epochs]
        for epoch, name in zip(epochs, names, strict=True):
            if name not in artifacts:
                there = ", ".join(f"{each:g}" for each in checkpoints_of(run.history))
                raise StudioError(
                    f'The run "{run.record.name}" has no checkpoint of epoch {epoch:g}.',
                    f"It has: {there or 'none'}.",
                    "delete",
                )
        paths = [run.record.file(artifacts[name]) for name in names]
        run.append(*(ArtifactRemoved(name=name) for name in names))
    for path in paths:
        path.unlink(missing_ok=True)


def checkpoints_of(history: JobHistory) -> list[float]:
    """The epochs after which weights of a run were kept, ascending."""
    names = [name for name in history.artifacts if name.startswith(_CHECKPOINT)]
    return sorted(float(name.removeprefix(_CHECKPOINT)) for name in names)
