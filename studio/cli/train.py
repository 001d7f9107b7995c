"""`studio train`: train a network on a dataset."""

from __future__ import annotations

import math

from studio.cli.following import ended, leave, wait_for
from studio.cli.options import DETACH
from studio.cli.train_plan import plan_file_options, plan_of_options
from studio.cli.verb import CommandOutput, Session, argument, counted, rate
from studio.engine.datasets.requests import is_importing
from studio.engine.errors import JobFailedError, StudioError, raise_if_serious
from studio.engine.jobs.states import State
from studio.engine.messages import in_sentence
from studio.engine.networks.backbones import DOWNLOAD_FAILED
from studio.engine.proportions import LEVEL
from studio.engine.training.comparison import best_of, summarize_folds
from studio.engine.training.history import RunHistory, WeightsLoaded
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.plan_files import plan_text
from studio.engine.training.requests import request_folds, request_training, training_problems
from studio.engine.workspace import RecordKind
from studio.engine.workspace.records import checked_tags, checked_word

shared_options = (
    argument(
        "--layer-names",
        action="store_true",
        help="name the layers that pretrained weights filled in --json [their numbers]",
    ),
    argument("--group", metavar="G", default="", help="group of the run"),
    argument(
        "--tag", metavar="T", action="append", default=[], help="tag of the run; may be repeated"
    ),
    argument("--folds", type=int, metavar="K", help="cross-validate: train K runs, one per fold"),
    argument(
        "--fold-group",
        default="",
        metavar="PATTERN",
        help="regular expression on image paths; images of one group stay in one fold",
    ),
    DETACH,
)


run_options = (
    argument("--name", metavar="R", help="name of the run [the network's name]"),
    plan_file_options("training plan as JSON, YAML or TOML, such as plan.json of a run"),
    shared_options,
    argument(
        "--print-plan",
        action="store_true",
        help="print the plan as YAML for --plan, also of another workspace, and do not train",
    ),
    argument("--dry-run", action="store_true", help="check the plan, and do not train"),
)


def run(session: Session) -> object:
    """Train as the options say."""
    plan = plan_of_options(session)
    if session.options.print_plan:
        return _print_plan(session, plan)
    if session.options.dry_run:
        return _check(session, plan)
    return train(session, plan, plan.network_name)


def _print_plan(session: Session, plan: TrainingPlan) -> dict[str, object]:
    dataset = session.workspace.require(RecordKind.DATASET, plan.dataset)
    fields = plan.model_dump(mode="json", exclude={"dataset_version"})
    session.output.say(plan_text(fields, dataset.name).rstrip())
    return {**fields, "dataset": dataset.name}


def _check(session: Session, plan: TrainingPlan) -> dict[str, object]:
    """Print what a run would do, and what is advised; wrong plans are refused as by a run."""
    problems = training_problems(session.workspace, plan)
    raise_if_serious(problems)
    session.output.advise(problems)
    dataset = session.workspace.require(RecordKind.DATASET, plan.dataset)
    session.output.say(f"{plan.network} can be trained on {dataset.name}. Nothing was started.")
    return {
        "network": plan.network,
        "dataset": dataset.name,
        "advice": [f"{each.message} {each.hint}".strip() for each in problems],
    }


def train(session: Session, plan: TrainingPlan, preferred: str) -> object:
    """Submit a run and, unless detached, wait for it.

    Args:
        session: The options of `shared_options`, and `name`.
        plan: The requested plan.
        preferred: Name unless one was given; a number is added if it is taken.
    """
    options = session.options
    tags, group = checked_tags(options.tag), checked_word(options.group)
    session.output.advise(training_problems(session.workspace, plan))
    name = options.name
    if options.folds is not None:
        return _cross_validate(session, plan, name or preferred, group)
    if options.fold_group:
        raise StudioError("--fold-group needs --folds.", "Add --folds 5.", "fold_group")
    if name is None:
        name = session.workspace.unused_name(RecordKind.RUN, preferred)
    dataset = session.workspace.record(RecordKind.DATASET, plan.dataset)
    if dataset is not None and is_importing(dataset):
        session.output.note(f"The run starts when {dataset.name} is imported.")
    job = request_training(session.queue, plan, name)
    if tags or group:
        session.workspace.annotate(job.record, tags=tags, group=group)
    if options.detach:
        left = leave(session, job, name, f"studio runs show {name}")
        return left | {"name": name, "network": plan.network, "weights": plan.weights}
    try:
        history = wait_for(session, job, f"Training {name}")
    except StudioError as error:
        raise with_weights_option(error) from error
    plan = job.current_plan(TrainingPlan)
    if history.weights is not None:
        session.output.say(_weights_text(history.weights))
    print_epochs(session.output, history)
    session.output.say(ended(name, history))
    return {
        "name": name,
        "state": history.state.value,
        **history.result,
        # Each metric also has a key of its own: scripts for classification read those.
        **history.result.get("metrics", {}),
        "network": plan.network,
        "weights": plan.weights,
        "weights_loaded": history.weights
        and _weights_document(history.weights, with_names=session.options.layer_names),
    }


def _cross_validate(
    session: Session, plan: TrainingPlan, name: str, group: str
) -> dict[str, object]:
    """Train one run per fold; print and return the mean validation accuracy and its interval."""
    options, output = session.options, session.output
    jobs = request_folds(
        session.queue, plan, name, options.folds, options.fold_group, group or name
    )
    session.queue.dispatch()
    for number, job in enumerate(jobs, 1):
        if options.detach:
            break
        try:
            wait_for(session, job, f"Fold {number} of {len(jobs)}")
        except (StudioError, JobFailedError) as error:
            output.note(f"{job.record.name}: {error}")
        if output.interrupted:
            for other in jobs[number:]:
                session.queue.stop(other)
            break
    for job in jobs:
        job.refresh()
    metric = jobs[0].history.task.primary
    best = {job: best_of(job.history, metric) for job in jobs}
    rows = [
        {"name": job.record.name, "state": job.history.state.value, metric.name: best[job]}
        for job in jobs
    ]
    output.table(
        ["run", "state", f"best {metric.label[0].lower()}{metric.label[1:]}"],
        [[job.record.name, job.history.state.value, metric.text(best[job])] for job in jobs],
    )
    completed = [job for job in jobs if job.history.state == State.COMPLETED]
    values = [best[job] for job in completed if math.isfinite(best[job])]
    document: dict[str, object] = {"name": name, "group": group or name, "folds": rows}
    if not values:
        return document
    summary = summarize_folds(values)
    low, high = summary.low, summary.high
    if metric.is_fraction:
        low, high = max(low, 0.0), min(high, 1.0)
    output.say(
        f"Mean of {counted(len(values), 'fold')}: {metric.text(summary.mean)} "
        f"({LEVEL:.0%} interval {metric.text(low)} to {metric.text(high)})"
    )
    interval = None if len(values) == 1 else [low, high]
    return document | {metric.name: summary.mean, "interval": interval}


def with_weights_option(error: StudioError) -> StudioError:
    """Return an error of a run, with the option that helps if its weights cannot be downloaded."""
    if error.message.template != DOWNLOAD_FAILED:
        return error
    return error.changed(hint=f"{error.hint} Name the file with --weights FILE.")


def _weights_document(weights: WeightsLoaded, *, with_names: bool) -> dict[str, object]:
    """Return the source of the weights and numbers of layers, or their names.

    Args:
        weights: The weights that the run started from.
        with_names: True for the names, and for why a layer was left out.
    """
    document = weights.model_dump(exclude={"event", "t"})
    if with_names:
        return document
    return {
        key: len(value) if isinstance(value, list | tuple) else value
        for key, value in document.items()
    }


def _weights_text(weights: WeightsLoaded) -> str:
    parts = [f"{weights.parameters:,} weights of {len(weights.loaded)} layers"]
    if weights.random:
        parts.append(f"{len(weights.random)} layers stay random")
    if weights.unused:
        parts.append(f"{len(weights.unused)} of the source are not used")
    return f"From {weights.source}: {', '.join(parts)}."


def print_epochs(output: CommandOutput, history: RunHistory) -> None:
    """Print a table of the epochs, with the best marked; nothing without epochs.

    Args:
        output: Where to print.
        history: The run.
    """
    if not history.epochs:
        return
    best = history.best_epoch
    task = history.task
    steps = [task.spec(name) for name in task.step_metrics]
    shown = dict.fromkeys([*steps, *(each.on_validation for each in steps), task.primary])
    output.table(
        ["epoch", *(in_sentence(each.label) for each in shown), "images/s", ""],
        [
            [
                str(epoch.epoch),
                *(each.text(epoch.value(each.name)) for each in shown),
                rate(epoch.images_per_second),
                "best" if epoch is best else "",
            ]
            for epoch in history.epochs
        ],
    )
