"""`studio train`: train a network on a dataset."""

from __future__ import annotations

import argparse

from studio.cli.following import elapsed, wait_for
from studio.cli.output import Output, figure, percent, rate
from studio.cli.plan_options import add_plan_options, add_set_option, assignments, given_options
from studio.cli.verb import Session, Verb
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.presets import PRESETS
from studio.engine.jobs.replay import JobHistory
from studio.engine.jobs.requests import request_training, training_problems
from studio.engine.networks.zoo import ZOO
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", required=True, metavar="N", help="name of the dataset")
    parser.add_argument(
        "--network", default="lenet", metavar="NAME", help=f"one of: {', '.join(ZOO.names())}"
    )
    parser.add_argument("--name", metavar="R", help="what the run is called [the network's name]")
    add_plan_options(parser, TrainingPlan)
    parser.add_argument(
        "--augment",
        default="off",
        metavar="{" + ",".join(PRESETS.names()) + "}",
        help="vary the training images; change parts of it with --set augmentation.rotation=15 "
        f"(also: {', '.join(AugmentationPlan.model_fields)}) [off]",
    )
    add_set_option(parser)
    parser.add_argument("--detach", action="store_true", help="return at once; the run goes on")


def _train(session: Session) -> object:
    options = session.options
    dataset = session.workspace.find(RecordKind.DATASET, options.dataset)
    network = ZOO[options.network]
    plan = TrainingPlan.parse(
        {
            "dataset": dataset.id,
            "network": network.name,
            "augmentation": PRESETS[options.augment].plan,
            **given_options(options),
        }
    ).changed(**assignments(options))
    for problem in training_problems(session.workspace, plan):
        if not problem.serious:
            session.output.note(f"Note: {problem.message} {problem.hint}".strip())
    name = options.name
    if name is None:
        name = session.workspace.unused_name(RecordKind.RUN, network.name)
    job = request_training(session.queue, plan, name)
    if options.detach:
        session.queue.dispatch()
        job.refresh()
        session.output.say(f"{name} is {job.history.state.value}. See: studio runs show {name}")
        return {"name": name, "state": job.history.state.value}
    history = wait_for(session.queue, job, session.output, f"Training {name}")
    print_epochs(session.output, history)
    session.output.say(f"{name} is {history.state.value} after {elapsed(history)}.")
    return {"name": name, "state": history.state.value, **history.result}


def print_epochs(output: Output, history: JobHistory) -> None:
    """Print a table of the epochs; the best is marked."""
    best = history.best_epoch
    output.table(
        ["epoch", "loss", "accuracy", "val loss", "val accuracy", "images/s", ""],
        [
            [
                str(epoch.epoch),
                figure(epoch.loss),
                percent(epoch.accuracy),
                figure(epoch.val_loss),
                percent(epoch.val_accuracy),
                rate(epoch.images_per_second),
                "best" if epoch is best else "",
            ]
            for epoch in history.epochs
        ],
    )


TRAIN = Verb("train", "train a network on a dataset", _configure, _train)
