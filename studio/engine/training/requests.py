"""Requests of people, checked against the workspace and turned into jobs.

The window and the command line both come through here, so they refuse the same things in the same
words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from studio.engine.datasets.augment.plan import check_augmentation
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import (
    completed_dataset,
    dataset_summary,
    is_importing,
    leakage_problems,
    origin_problems,
)
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError, raise_if_serious
from studio.engine.jobs.devices import device_problems, machine_devices
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import require_idle
from studio.engine.messages import as_message, message
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.parts import NONE
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import IMAGENET_ENDING
from studio.engine.tasks import TASKS
from studio.engine.training.backends import backend_problems
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.packages import with_packages
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.preflight import PreflightPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.schedules import SCHEDULES
from studio.engine.training.settings_checks import check_settings
from studio.engine.training.starting_weights import store_weights, stored_weights
from studio.engine.training.trained_models import (
    dataset_of,
    model_file,
    run_with_model,
    trained_version,
)
from studio.engine.training.trainers import planned_output, trainer_of
from studio.engine.training.weight_matching import weights_problem
from studio.engine.workspace import RecordKind, Workspace

# What is wrong, or unwise, about the optimizer of a plan and its learning rate.


def check_optimizer(plan: TrainingPlan) -> list[Problem]:
    """Hold the optimizer of a plan against its parameters, its backend and its rates."""
    parameters, found = OPTIMIZERS[plan.optimizer].parameters.check(plan.optimizer_options)
    if parameters is not None:
        found = [replace(each, serious=True) for each in parameters.without_effect()]
    problems = [_about_options(problem, plan.optimizer) for problem in found]
    return [*problems, *_check_choice(plan), *_check_rate(plan)]


def _check_choice(plan: TrainingPlan) -> Iterator[Problem]:
    optimizer = OPTIMIZERS[plan.optimizer]
    reason = optimizer.fails_on.get(plan.backend)
    if reason is not None:
        yield Problem(
            "optimizer",
            message(
                "{optimizer} does not work here: {reason}.",
                optimizer=optimizer.label,
                reason=as_message(reason),
            ),
            "Choose AdamW, or another backend.",
        )
    if not optimizer.takes_layer_rates and (plan.backbone_rate, plan.head_rate) != (1.0, 1.0):
        yield Problem(
            "optimizer",
            message(
                "{optimizer} does not support learning rates per layer.", optimizer=optimizer.label
            ),
            "Set the rates of backbone and head to 1, or choose another optimizer.",
        )
    options = plan.optimizer_options
    if options.get("relative_step") is True and (
        plan.schedule != "constant" or plan.warmup_percent
    ):
        yield Problem(
            "optimizer_options.relative_step",
            "the rate is reduced on a plateau only with the constant schedule.",
            "Use the constant schedule without warm-up, or turn it off.",
        )


def _check_rate(plan: TrainingPlan) -> Iterator[Problem]:
    optimizer = OPTIMIZERS[plan.optimizer]
    low, high = optimizer.usual_rates
    if low <= plan.learning_rate <= high:
        return
    yield Problem(
        "learning_rate",
        message(
            "{learning_rate:g} is very high for {optimizer}."
            if plan.learning_rate > high
            else "{learning_rate:g} is very low for {optimizer}.",
            learning_rate=plan.learning_rate,
            optimizer=optimizer.label,
        ),
        message(
            "Usual values are {low:g} to {high:g}; most networks train well with about "
            "{usual_rate:g}.",
            low=low,
            high=high,
            usual_rate=optimizer.usual_rate,
        ),
        serious=False,
    )


def _about_options(problem: Problem, optimizer: str) -> Problem:
    where = f"optimizer_options.{problem.where}".rstrip(".")
    if problem.where != "momentum" or "momentum" in OPTIMIZERS[optimizer].parameters.model_fields:
        return replace(problem, where=where)
    # It was a field of every plan once, and still is an option of the command line.
    return Problem(
        where,
        message("momentum is for SGD and RMSprop; {optimizer} has its own.", optimizer=optimizer),
        "Remove it, or choose SGD.",
    )


_ANY_CLASSES = 2
"""Any number: only the layers of the network are used."""


def check_training(plan: TrainingPlan, dataset: DatasetSummary) -> list[Problem]:
    """Check a plan against its dataset.

    Args:
        plan: The plan, whose fields are each valid.
        dataset: Summary of the dataset.

    Returns:
        Problems; those that are not serious are advice.
    """
    problems = []
    spec = None
    try:
        spec = network_for(plan, dataset.shape, len(dataset.classes), task=TASKS[dataset.task])
    except StudioError as error:
        where = error.where if error.where in ("freeze", "head_solver") else "network"
        problems.append(Problem(where, error.message, error.hint))
    problems += [*_check_weights(plan, spec), *_check_frozen(plan)]
    if spec is not None:
        problems += _check_crops(plan, dataset)
    problems += [
        *trainer_of(plan).problems(plan),
        *check_optimizer(plan),
        *check_settings(plan, dataset),
    ]
    policy = SCHEDULES[plan.schedule].parameters
    problems += [
        replace(problem, where=f"schedule_options.{problem.where}".rstrip("."))
        for problem in policy.check(plan.schedule_options)[1]
    ]
    problems += [
        replace(problem, where=f"augmentation.{problem.where}")
        for problem in check_augmentation(
            plan.augmentation, dataset.shape, plan.batch_size, dataset.pixel_format
        )
    ]
    return [*problems, *_check_images(plan, dataset)]


def _check_crops(plan: TrainingPlan, dataset: DatasetSummary) -> Iterator[Problem]:
    """Return why a network for whole images cannot be trained on crops."""
    task, augmentation = TASKS[dataset.task], plan.augmentation
    if not augmentation.crop:
        return
    if not planned_output(plan).any_size:
        if any(each.any_size for each in task.outputs):
            yield Problem(
                "augmentation.crop",
                "the network sees whole images only.",
                "Set the crop to 0, or choose a network that takes images of any size.",
            )
        return
    if augmentation.subtract_mean == "image":
        yield Problem(
            "augmentation.crop",
            "the mean image is as large as whole images, and training sees crops.",
            "Subtract the mean color, or set the crop to 0.",
        )
    side = augmentation.crop
    try:
        network_for(plan, (side, side, dataset.channels), len(dataset.classes), task=task)
    except StudioError as error:
        yield Problem("augmentation.crop", error.message, "Use a larger crop, or 0 for none.")


def _check_images(plan: TrainingPlan, dataset: DatasetSummary) -> Iterator[Problem]:
    count = dataset.count["train"]
    if not count:
        yield Problem(
            "dataset",
            "there are no training images.",
            "Bring images back that were left out, or split the dataset again.",
        )
    elif plan.batch_size > count:
        yield Problem(
            "batch_size",
            message(
                "a batch of {batch_size} is larger than the {count} training images, "
                "so an epoch is a single step.",
                batch_size=plan.batch_size,
                count=count,
            ),
            "Smaller batches learn more from few images.",
            serious=False,
        )
    if not dataset.count["val"]:
        yield Problem(
            "dataset",
            "there are no validation images, so overfitting goes unnoticed and the last epoch is "
            "kept.",
            "Import the images with a share for validation.",
            serious=False,
        )


def _check_frozen(plan: TrainingPlan) -> Iterator[Problem]:
    if plan.freeze != NONE and not plan.weights:
        yield Problem(
            "freeze",
            "layers with random weights are frozen, so they never learn anything.",
            "Start from pretrained weights, such as imagenet.",
            serious=False,
        )


def _check_weights(plan: TrainingPlan, spec: NetworkSpec | None) -> Iterator[Problem]:
    """Return the problems of the weights; those of runs are found where the workspace is known."""
    source = plan.weights
    if not source or source.startswith(RUN_PREFIX):
        return
    if source == IMAGENET:
        yield from _check_imagenet(plan)
        return
    path = Path(source)  # absolute; the command line and the window expand it
    if not path.is_file():
        yield Problem(
            "weights", message("there is no file {file}.", file=source), "Check the path."
        )
    elif spec is not None:
        problem = weights_problem(path, plan.network, plan.design, spec)
        if problem is not None:
            yield problem


def _has_backbone(design: NetworkSpec) -> bool:
    return any(node.layer == "backbone" for node in design.nodes)


def _check_imagenet(plan: TrainingPlan) -> Iterator[Problem]:
    """Return the problems of downloaded weights: only published backbones have some."""
    design = plan.design
    if design is None:
        if plan.network not in ZOO:
            return
        network = ZOO[plan.network]
        design = network.build(network.default_input, _ANY_CLASSES)
    if _has_backbone(design):
        return
    pretrained = f"{plan.network}{IMAGENET_ENDING}"
    known = pretrained if pretrained in ZOO else "mobilenet_v2"
    yield Problem(
        "weights",
        message("there are no ImageNet weights for {network}.", network=design.name),
        message('Choose the network "{network}", or name a file with weights.', network=known),
    )


def training_problems(workspace: Workspace, plan: TrainingPlan) -> list[Problem]:
    """Return all errors and warnings about a training plan.

    Args:
        workspace: Holds dataset and weights of the plan.
        plan: The plan.
    """
    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        return [
            Problem(
                "dataset",
                message('there is no dataset "{dataset}".', dataset=plan.dataset),
            )
        ]
    job = Job.read(record)
    if job.history.state != State.COMPLETED:
        state = job.history.state.value
        return [
            Problem(
                "dataset",
                message(
                    'the dataset "{dataset}" is {state}, not completed.',
                    dataset=record.name,
                    state=state,
                ),
                "Wait for its import, or import it again.",
            )
        ]
    try:
        summary = dataset_summary(record.folder, plan.dataset_version)
    except StudioError as error:
        return [Problem("dataset", error.message, error.hint)]
    problems = check_training(plan, summary) + _source_problems(workspace, plan, summary)
    if workspace.computes_here and not plan.ray and not plan.machine:
        problems += device_problems(plan.device, machine_devices())
        problems += backend_problems(plan.backend)
    version = plan.dataset_version
    problems += leakage_problems(record.folder, version)
    return problems + origin_problems(record.folder, version)


def _source_problems(
    workspace: Workspace, plan: TrainingPlan, summary: DatasetSummary
) -> list[Problem]:
    """Check that the run whose weights a plan uses exists and has the required head."""
    if not plan.weights.startswith(RUN_PREFIX):
        return [_no_head("only a run has a head to keep.")] if plan.keep_head else []
    try:
        run_id, _, checkpoint = plan.weights.removeprefix(RUN_PREFIX).partition("@")
        run = run_with_model(workspace, run_id)
        path = model_file(run, checkpoint)
        if plan.keep_head:
            known = dataset_summary(dataset_of(workspace, run).folder, trained_version(run))
            if known.classes != summary.classes:
                return [_no_head("it has other classes, or another order.")]
        problem = _other_network(path, plan, summary)
        if problem is not None:
            return [problem]
    except StudioError as error:
        return [Problem("weights", error.message, error.hint)]
    return []


def _other_network(path: Path, plan: TrainingPlan, summary: DatasetSummary) -> Problem | None:
    """Return the problem that the model of a run has another network than a plan."""
    try:
        spec = network_for(plan, summary.shape, len(summary.classes), task=TASKS[summary.task])
    except StudioError:
        return None  # `check_training` says so
    return weights_problem(path, plan.network, plan.design, spec)


def _no_head(reason: str) -> Problem:
    return Problem(
        "keep_head",
        message("the head cannot be kept: {reason}", reason=as_message(reason)),
        "Let it be new.",
    )


def request_training(
    queue: JobQueue, plan: TrainingPlan, name: str, copied: Path | None = None
) -> RunJob:
    """Submit a training run, on the newest version of the dataset unless the plan names one.

    A weights file is copied into the run. A run on a dataset that is still being imported waits
    for it, and is checked when it starts.

    Args:
        queue: The queue of the workspace.
        plan: The training plan.
        name: The name of the run.
        copied: The copy of the plan's weights file in another run, which the two then share.

    Raises:
        StudioError: The plan has problems, all of which are listed, or the name is taken.
    """
    record = queue.workspace.record(RecordKind.DATASET, plan.dataset)
    fill = partial(store_weights, plan.weights if copied is None else str(copied))
    if record is not None and is_importing(record):
        return queue.submit(with_packages(plan), name, fill=fill).with_history(RunHistory)
    if record is not None and plan.dataset_version is None:
        plan = plan.changed(dataset_version=current_version(record.folder))
    raise_if_serious(training_problems(queue.workspace, plan))
    return queue.submit(with_packages(plan), name, fill=fill).with_history(RunHistory)


def request_folds(
    queue: JobQueue,
    plan: TrainingPlan,
    name: str,
    folds: int,
    pattern: str = "",
    group: str = "",
) -> list[RunJob]:
    """Ask for one run per fold of a cross-validation.

    Each fold is a version of the dataset, in which another part of the images validates. Test
    images stay test images. The dataset is then restored to the version before. A weights file is
    copied once; the runs share the copy.

    Args:
        queue: The queue of the workspace.
        plan: The training plan with the current version of the dataset.
        name: The runs are called `name-fold1`, `name-fold2` …
        folds: Parts, 2 to 100.
        pattern: Regular expression on image paths; images of one group stay in one fold.
        group: The group of the runs.

    Raises:
        StudioError: Names everything that is wrong with the plan or the folds, or a name is taken.
    """
    # Imported here: NumPy and h5py, which this module does without.
    from studio.engine.datasets.versions import resplit_dataset, restore  # noqa: PLC0415

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
    folder = completed_dataset(queue.workspace, plan.dataset, "cross-validation").folder
    before = current_version(folder)
    jobs: list[RunJob] = []
    try:
        for each, split in zip(names, splits, strict=True):
            version = resplit_dataset(folder, split, f"Fold {split.fold + 1} of {folds}")
            copied = stored_weights(jobs[0].record.folder) if jobs else None
            job = request_training(queue, plan.changed(dataset_version=version), each, copied)
            queue.workspace.annotate(job.record, group=group)
            jobs.append(job)
    finally:
        if current_version(folder) != before:
            restore(folder, before, "After cross-validation")
    return jobs


def request_preflight(queue: JobQueue, plan: PreflightPlan) -> Job:
    """Submit a preflight check; earlier ones on the same dataset are deleted.

    A running check is stopped and deleted at the next request.

    Args:
        queue: Queue of the workspace.
        plan: The training to measure.

    Raises:
        StudioError: The plan has errors (all are named).
    """
    workspace = queue.workspace
    record = completed_dataset(workspace, plan.dataset, "a preflight")
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
            # It contains nothing worth restoring.
            queue.workspace.delete_forever(queue.workspace.trash(old.record))
        except StudioError:
            continue  # it cannot be read, its worker is still at it, or a file is open
