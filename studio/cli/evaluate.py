"""`studio evaluate`: measure the model of a run."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.following import wait_for
from studio.cli.output import figure, percent
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.evaluation.plan import EvaluationPlan
from studio.engine.jobs.requests import request_evaluation
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="R", help="name of the run")
    parser.add_argument(
        "--split", default="test", choices=("train", "val", "test"), help="which images [test]"
    )


def _evaluate(session: Session) -> object:
    run = session.workspace.find(RecordKind.RUN, session.options.name)
    document = evaluate_run(session, run.id, session.options.split)
    output = session.output
    output.say(f"{run.name} on {document['count']:,} {document['split']} images:")
    output.say(
        f"accuracy {percent(document['accuracy'])}, top-5 {percent(document['top_5'])}, "
        f"loss {figure(document['loss'])}, macro F1 {percent(document['macro_f1'])}"
    )
    output.table(
        ["class", "precision", "recall", "F1", "images"],
        [
            [
                label,
                percent(row["precision"]),
                percent(row["recall"]),
                percent(row["f1"]),
                f"{row['support']:,}",
            ]
            for label, row in zip(document["classes"], document["per_class"], strict=True)
        ],
    )
    return document


def evaluate_run(session: Session, run_id: str, split: str) -> dict[str, Any]:
    """Do an evaluation job and wait for its figures.

    Raises:
        StudioError: It cannot be done, or was stopped.
    """
    plan = EvaluationPlan.parse({"run": run_id, "split": split})
    job = request_evaluation(session.queue, plan)
    history = wait_for(session.queue, job, session.output, f"Measuring on the {split} images")
    if history.state != State.COMPLETED:
        raise StudioError(f"The evaluation was {history.state.value}.")
    return history.result


EVALUATE = Verb("evaluate", "measure a trained model on a split", _configure, _evaluate)
