"""Measures a model on a split of a dataset."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.datasets.origins.counts import is_known, measured_on
from studio.engine.datasets.store import Store
from studio.engine.documents import REPORT
from studio.engine.errors import BadDataError
from studio.engine.evaluation.evaluated_classes import writing_rows
from studio.engine.evaluation.opened import evaluation_class
from studio.engine.evaluation.outcomes import no_images
from studio.engine.evaluation.report import (
    EVIDENCE,
    EVIDENCE_NAME,
    OUTPUTS,
    OUTPUTS_NAME,
    EvaluatedModel,
    EvaluationPlan,
    Report,
)
from studio.engine.evaluation.report_builder import Answered, report_on_outputs
from studio.engine.evaluation.requests import Target, target_of
from studio.engine.files import write_array
from studio.engine.jobs.job import Job, JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import as_message
from studio.engine.tasks import TASKS
from studio.engine.training.backends import installed_backend
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import trained_at, trained_version

if TYPE_CHECKING:
    from studio.engine.compute.warm_models import WarmModel

SEED = 0


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A model, and the images that it is measured on.

    Attributes:
        plan: The evaluation.
        target: Records of both.
        store: The dataset.
        warm: The loaded model.
        subject: Both for the report.
        is_known: True for images with an origin that training images have, shape (N,); None if
            all or none of them have one.
    """

    plan: EvaluationPlan
    target: Target
    store: Store
    warm: WarmModel
    subject: EvaluatedModel
    is_known: NDArray[np.bool_] | None


Measuring = Callable[[JobContext, MeasuredModel], Report]


def evaluate(context: JobContext) -> State:
    """Run an evaluation job: write the report and the predictions for all images.

    Raises:
        BadDataError: The model or the dataset cannot be read, they do not fit each other, or the
            split is empty.
        NotFiniteError: The model answers with what is no number.
        Cancelled: The job was asked to end.
    """
    plan = context.job.plan(EvaluationPlan)
    target = target_of(context.workspace, plan)
    store = Store.open(target.dataset.folder, target.version)
    if not len(store.rows(plan.split)):
        raise no_images()
    prepare_backend(_backend(target), deterministic=False, seed=SEED, threads=None)

    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.warm_models import load_warm  # noqa: PLC0415

    module, _, name = evaluation_class(store.task).measuring.partition(":")
    measure: Measuring = getattr(importlib.import_module(module), name)
    subject, of_known = _subject(plan, target, store)
    model = MeasuredModel(plan, target, store, load_warm(target.source), subject, of_known)
    report = measure(context, model)
    context.artifact(REPORT, report.write(context.folder))
    context.result({"run": plan.run, "split": plan.split, **report.summary()})
    return State.COMPLETED


def measure_outputs(context: JobContext, model: MeasuredModel) -> Report:
    """Measure a model by its outputs, which are written beside the report.

    Args:
        context: The running job.
        model: The model and its images.

    Raises:
        BadDataError: An image is damaged, or the model predicts something else.
        Cancelled: The job was asked to end.
    """
    from studio.engine.compute.scoring import (  # noqa: PLC0415 - see `evaluate`
        require_same_pixels,
        scores_of,
    )
    from studio.engine.compute.tasks import learning_of  # noqa: PLC0415

    plan, store, warm = model.plan, model.store, model.warm
    names, reporter = model.target.source.classes, store.task.reporter
    _require_same_outputs(model.target, store)
    require_same_pixels(warm, model.target.source, store)
    rows = store.rows(plan.split)
    parts, confusions, done = [], [], 0
    learned = learning_of(store).targets
    with writing_rows(context.folder / OUTPUTS_NAME, len(rows)) as file:
        for outputs in scores_of(warm.model, store, rows, plan.batch_size, context, "Measuring"):
            truth = learned[rows[done : done + len(outputs)]]
            decoded = reporter.decoded(outputs, store.shape[:2], warm.model.input_shape[1:3])
            file.add(decoded)
            parts.append(reporter.evidence(decoded, truth, len(names)))
            confusions.append(
                reporter.confusion(decoded, truth, len(names), warm.meaning.calibration)
            )
            done += len(outputs)
    context.artifact(OUTPUTS, context.folder / OUTPUTS_NAME)
    evidence = np.concatenate(parts)
    known = [each for each in confusions if each is not None]
    if reporter.stores_evidence:
        write_array(context.folder / EVIDENCE_NAME, evidence)
        context.artifact(EVIDENCE, context.folder / EVIDENCE_NAME)
    answered = Answered(
        store.task,
        model.subject,
        warm.meaning,
        evidence,
        store.targets[rows],
        np.sum(known, axis=0) if known else None,
        store.origins.groups[rows],
        store.pictures[rows] if store.recipe.tile_size else None,
        model.is_known,
    )
    return report_on_outputs(answered, plan.resamples, SEED, context)


def _require_same_outputs(target: Target, store: Store) -> None:
    """Raise if a model predicts something else than the targets of a dataset."""
    names = target.source.classes
    if target.source.task == store.task.name and names == tuple(store.classes):
        return
    raise BadDataError(
        "The model {model} predicts {answers} ({task}); the dataset has {targets} "
        "({dataset_task}).",
        "Choose a dataset with the same targets.",
        "dataset",
        model=target.source.name,
        answers=", ".join(names[:8]),
        task=as_message(TASKS[target.source.task].label),
        targets=", ".join(store.classes[:8]),
        dataset_task=as_message(store.task.label),
    )


def _backend(target: Target) -> str:
    """Return an installed backend, preferably that of the run: outputs are the same on any."""
    if target.run is None:
        return installed_backend()
    return installed_backend(Job(target.run).plan(TrainingPlan).backend)


def _subject(
    plan: EvaluationPlan, target: Target, store: Store
) -> tuple[EvaluatedModel, NDArray[np.bool_] | None]:
    """Return what is evaluated, and for each image if its origin is known, see `Measured`."""
    train, rows = trained_rows(plan, target), store.rows(plan.split)
    relation, of_known = None, None
    if train is not None:
        relation = measured_on(store.origins, train, rows)
        of_known = is_known(store.origins, train, rows) if relation.is_mixed else None
    subject = EvaluatedModel(
        model=target.source.name,
        run=plan.run,
        checkpoint=plan.checkpoint,
        model_file=plan.model_file,
        dataset=target.dataset.id,
        dataset_name=target.dataset.name,
        dataset_version=target.version,
        split=plan.split,
        measured_on=relation,
        trained_at=0.0 if target.run is None else trained_at(target.run),
    )
    return subject, of_known


def trained_rows(plan: EvaluationPlan, target: Target) -> Rows | None:
    """Return the rows that a run was trained on; None if they are not known.

    Args:
        plan: Plan of the evaluation.
        target: Model and dataset of the evaluation.
    """
    if target.run is None or plan.split == "train":
        return None
    training = Job(target.run).plan(TrainingPlan)
    if training.dataset != target.dataset.id:
        return None
    return Store.open(target.dataset.folder, trained_version(target.run)).rows("train")
