"""`studio sweep`: train many runs of one plan, each with other values of some of its fields."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.following import elapsed, leave, wait_for
from studio.cli.plan_options import add_plan_options, given_options
from studio.cli.sweep_table import print_sweep, sweep_document
from studio.cli.train_plan import add_training_options, asked_plan, plan_in
from studio.cli.verb import Session, Verb
from studio.engine.sweeps.history import SweepJob
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.parsing import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep, sweep_problems, usual_objectives
from studio.engine.sweeps.space import trial_count
from studio.engine.workspace import RecordKind

_PREFIX = "sweep_"


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", metavar="S", help="what the sweep is called [sweep]")
    add_vary_option(parser)
    parser.add_argument(
        "--objective",
        action="append",
        metavar="{" + ",".join(OBJECTIVES) + "}",
        help="what is to be as good as possible; repeated, the best of all are a Pareto front "
        "[the main metric of the task]",
    )
    add_plan_options(parser, SweepPlan, prefix=_PREFIX)
    parser.add_argument("--detach", action="store_true", help="return at once; the sweep goes on")
    parser.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="a training plan as JSON that is the base; all other options go before it",
    )
    add_training_options(parser, "that of --plan, of the weights, or recommended for the dataset")


def add_vary_option(parser: argparse.ArgumentParser) -> None:
    """Add `--vary FIELD=VALUES`, which may be repeated."""
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="FIELD=VALUES",
        help="any field of a training plan and its values: learning_rate=0.1,0.01 or a range: "
        "learning_rate=1e-4..1e-1, label_smoothing=0..0.4:step=0.1, batch_size=8..64:log:count=4; "
        "of the dataset's recipe: dataset.width=32,64; of a drawn network: "
        "network.conv1.filters=16,32; may be repeated",
    )


def _sweep(session: Session) -> object:
    options = session.options
    base = asked_plan(session, {} if options.plan is None else plan_in(options.plan))
    dimensions = parse_dimensions(options.vary, base.design)
    given = given_options(options, _PREFIX)
    given["objectives"] = options.objective or usual_objectives(session.workspace, base)
    plan = SweepPlan.parse({"base": base, "dimensions": dimensions, **given})
    session.output.advise(sweep_problems(session.workspace, plan))
    name = options.name or session.workspace.unused_name(RecordKind.SWEEP, "sweep")
    job = request_sweep(session.queue, plan, name)
    count = trial_count(plan)
    budget = f"{count:,} trials" if count is not None else f"trials for {plan.hours:g} hours"
    repeats = f", {plan.seeds} runs each" if plan.seeds > 1 else ""
    session.output.note(f"{name}: {budget}{repeats}, {plan.workers} at once.")
    return follow(session, job)


def follow(session: Session, job: SweepJob) -> object:
    """Wait for a sweep unless told otherwise, and tell what came out."""
    name = job.record.name
    if session.options.detach:
        return leave(session, job, name, f"studio sweeps show {name}")
    history = wait_for(session.queue, job, session.output, f"Sweep {name}")
    print_sweep(session, job)
    session.output.say(f"{name} is {history.state.value} after {elapsed(history)}.")
    return sweep_document(session, job)


SWEEP = Verb(
    "sweep", "train with many values of some fields, and find the best", _configure, _sweep
)
