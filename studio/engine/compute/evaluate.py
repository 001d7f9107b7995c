"""Measures the model of a run on a split of its dataset."""

from __future__ import annotations

import numpy as np

from studio.engine.compute.backend import installed_backend, prepare_backend
from studio.engine.datasets.store import Store
from studio.engine.evaluation.metrics import MetricsCounter
from studio.engine.evaluation.plan import EvaluationPlan
from studio.engine.evaluation.predictions import Predictions, write_predictions
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.job import Job
from studio.engine.jobs.predictions import PREDICTIONS
from studio.engine.jobs.requests import dataset_of, model_file, run_with_model, trained_version
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan


def evaluate(context: JobContext) -> State:
    """Do an evaluation job; its result is `metrics.Metrics` and the class names.

    What each image was taken for goes into `predictions.npz`.

    Raises:
        BadDataError: The model or the dataset cannot be read, or the split is empty.
        Cancelled: Somebody asked for the work to end.
    """
    plan = context.job.plan(EvaluationPlan)
    run = run_with_model(context.workspace, plan.run)
    store = Store.open(dataset_of(context.workspace, run).folder, trained_version(run))
    # A model is the same on any backend; the one that trained it may be gone.
    backend = installed_backend(Job(run).plan(TrainingPlan).backend)
    prepare_backend(backend, deterministic=False, seed=0, threads=None)

    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.models import load_model, score_batches  # noqa: PLC0415
    from studio.engine.compute.pipeline import SplitBatches  # noqa: PLC0415

    model = load_model(model_file(run))
    batches = SplitBatches(store, plan.split, plan.batch_size, None)
    counter = MetricsCounter(len(store.classes))
    answers, certainties = [], []
    for scores, labels in score_batches(model, batches, context, "Measuring"):
        counter.add(scores, labels)
        answers.append(scores.argmax(axis=1).astype(np.int32))
        certainties.append(scores.max(axis=1))
    predictions = Predictions(
        store.rows(plan.split), np.concatenate(answers), np.concatenate(certainties)
    )
    context.artifact(PREDICTIONS, write_predictions(context.folder, predictions))
    metrics = counter.result().model_dump(mode="json")
    context.result({"run": run.id, "split": plan.split, "classes": store.classes, **metrics})
    return State.COMPLETED
