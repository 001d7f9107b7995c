"""`studio runs clone`: a new run with the plan of another, changed here and there."""

from __future__ import annotations

import argparse

from studio.cli.train import add_run_options, train
from studio.cli.train_plan import add_training_options, asked_plan
from studio.cli.verb import Session, Verb
from studio.engine.jobs.job import Job
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.starting_weights import with_available_weights
from studio.engine.workspace import RecordKind


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="R", help="name of the run whose plan is taken")
    parser.add_argument("--name", metavar="R", help="what the new run is called [R, numbered]")
    add_training_options(parser, "that of R")
    add_run_options(parser)


def _clone(session: Session) -> object:
    """The plan as it was asked for: what became of it while it ran was for that run alone."""
    record = session.workspace.find(RecordKind.RUN, session.options.source)
    plan = with_available_weights(Job(record).plan(TrainingPlan), record.folder)
    base = plan.model_dump(mode="json")
    return train(session, asked_plan(session, base), record.name)


CLONE = Verb("clone", "train anew with the plan of a run, changed by options", _configure, _clone)
