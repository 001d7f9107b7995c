"""`studio demo`: import, train, evaluate, predict and export real handwritten digits."""

from __future__ import annotations

import contextlib
import shlex
import sys
import tempfile
from pathlib import Path

from studio.cli.evaluate import evaluate_run
from studio.cli.export import export_run
from studio.cli.following import wait_for
from studio.cli.options import add_task_option
from studio.cli.predict import predict
from studio.cli.train import print_epochs
from studio.cli.verb import Session, argument
from studio.engine.datasets.requests import dataset_summary, request_import
from studio.engine.datasets.samples import SAMPLES, SampleDataset
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Variant
from studio.engine.inference.models import model_of_run
from studio.engine.inference.sources import Picture
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.job import Job
from studio.engine.networks.zoo import ZOO
from studio.engine.progress import SilentProgress
from studio.engine.tasks import DEFAULT_TASK, named_task
from studio.engine.tasks.task import Task
from studio.engine.training.advice import advice_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recommendation import recommendation
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind

EPOCHS = 20


run_options = (
    add_task_option,
    argument(
        "--sample",
        choices=[sample.name for sample in SAMPLES if not sample.download],
        help="sample dataset in place of that of the task, such as microscopy",
    ),
    argument(
        "--epochs",
        type=int,
        metavar="N",
        help=f"training epochs [{EPOCHS}; as recommended for tasks with masks or boxes]",
    ),
)


def run(session: Session) -> object:
    """Import digits, train, evaluate, predict and export, as the options say."""
    sample = _sample(session.options.sample, session.options.task)
    task = sample.task
    if session.options.workspace is None:
        session.options.workspace = tempfile.mkdtemp(prefix="studio-demo-")
    output, workspace = session.output, session.workspace
    output.say(f"Workspace: {workspace.root}")
    dataset = _import(session, sample)
    run = _train(session, dataset, task)
    figures = evaluate_run(session, run.record.id, "test")
    main = task.metrics[0]
    output.say(
        f"Test {main.label}: {main.text(figures.metrics[main.name])} "
        f"on {figures.count} images that the network has never seen"
    )
    _predict_one(session, dataset, run)
    variant = Variant.parse("keras")
    exported = export_run(session, run.record.id, [variant], workspace.root / "exported")
    certificate = exported["certificate"]
    output.say(
        f"Exported to {exported['path']}; loaded again and compared on {certificate['count']} "
        f"images: {certificate['disagreements']} different predictions, largest difference of an "
        f"output {certificate['largest_difference']:.1g}; its script gave the same prediction"
    )
    program = f"{shlex.quote(sys.executable)} -m studio"
    output.write(
        f"Open it in the window: {program} --workspace {shlex.quote(str(workspace.root))}"
    )
    measured = figures.metrics
    return {
        "task": task.name,
        "metrics": measured,
        main.name: measured[main.name],
        "workspace": str(workspace.root),
        "dataset": dataset.record.name,
        "run": run.record.name,
        "export": exported["path"],
        "certificate": certificate,
    }


def _sample(name: str | None, task_name: str | None) -> SampleDataset:
    """Return the sample of a name, or that of a task.

    Raises:
        StudioError: There is none, or the sample is of another task.
    """
    task = named_task(task_name or DEFAULT_TASK.name)
    if name is None:
        if not task.sample:
            raise StudioError(
                f"There is no sample dataset for {task.label.lower()}.", where="task"
            )
        return SAMPLES[task.sample]
    sample = SAMPLES[name]
    if task_name is not None and sample.task is not task:
        raise StudioError(
            f'The sample "{name}" is for {sample.task.label.lower()}.',
            "Leave out --task.",
            "task",
        )
    return sample


def _import(session: Session, sample: SampleDataset) -> Job:
    source = sample.write(session.workspace.root / "samples", SilentProgress())
    name = session.workspace.unused_name(RecordKind.DATASET, sample.name)
    job = request_import(session.queue, sample.recipe(source), name)
    wait_for(session, job, f"Importing {sample.label.lower()}")
    session.output.say(f"Imported {job.history.result['count']:,} images as {name}")
    return job


def _train(session: Session, dataset: Job, task: Task) -> Job:
    network = next(each for each in ZOO if each.output in task.outputs)
    plan = TrainingPlan.parse(
        {"dataset": dataset.record.id, "network": network.name, "epochs": EPOCHS}
    )
    if advice_of(task).is_needed:
        summary = dataset_summary(dataset.record.folder)
        ways = recommendation(session.workspace, dataset.record)
        offline = next(way for way in ways if not way.download_bytes)
        plan = offline.apply(plan, summary)
        network = ZOO[plan.network]
    if session.options.epochs is not None:
        plan = plan.changed(epochs=session.options.epochs)
    name = session.workspace.unused_name(
        RecordKind.RUN, f"{network.name}-{dataset.record.name}".replace("_", "-")
    )
    job = request_training(session.queue, plan, name)
    wait_for(session, job, f"Training {network.label}")
    print_epochs(session.output, job.history)
    return job


def _predict_one(session: Session, dataset: Job, run: Job) -> None:
    store = Store.open(dataset.record.folder)
    row = int(store.rows("test")[0])
    picture = Path(store.origin(row))
    model = model_of_run(session.workspace, run.record)
    with contextlib.closing(EngineHost()) as host:
        prediction = predict(session, host, model, [Picture(picture)], top=3)[0]
    session.output.say(f"{picture.name} is annotated with: {store.annotation(row)}. Predicted:")
    for line in prediction.lines():
        session.output.say(f"  {line}")
