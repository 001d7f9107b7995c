"""`studio runs …`: its verbs; show, follow, stop."""

from __future__ import annotations

from studio.cli.following import elapsed, ended, stop_job, wait_for
from studio.cli.runs_control import CLONE, CONTROL, EDITS, FILES, find_run, run_name
from studio.cli.train import print_epochs
from studio.cli.verb import Session, Verb
from studio.engine.listing import run_document
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind


def _show(session: Session) -> object:
    job = find_run(session)
    history, plan, name = job.history, job.plan(TrainingPlan), job.record.name
    dataset = session.workspace.record(RecordKind.DATASET, plan.dataset)
    dataset_name = dataset.name if dataset else plan.dataset
    output = session.output
    network = job.current_plan(TrainingPlan).network
    output.say(f"{name}: {history.state.value}, {network} on {dataset_name}, {elapsed(history)}")
    info = job.record.info()
    if info.group or info.tags:
        output.say(" · ".join([info.group or "no group", *info.tags]))
    if info.notes:
        output.say(info.notes)
    if history.reason:
        output.say(f"{history.reason} {history.hint}".strip())
    print_epochs(output, history)
    if job.damaged_lines:
        output.note(f"{job.damaged_lines} lines of its journal are damaged and were left out.")
    return run_document(session.workspace, job)


def _follow(session: Session) -> object:
    job = find_run(session)
    history = wait_for(session, job, f"Training {job.record.name}")
    print_epochs(session.output, history)
    session.output.say(ended(job.record.name, history))
    return {"name": job.record.name, "state": history.state.value}


def _stop(session: Session) -> object:
    return stop_job(session, find_run(session))


VERBS = (
    Verb("list", "list, filter and sort runs", source="runs_list:run_list"),
    Verb("show", "show the epochs of a run", run_name, _show),
    Verb("follow", "wait for a run and show its progress", run_name, _follow),
    Verb("stop", "stop a run and keep its model", run_name, _stop),
    *CONTROL,
    CLONE,
    Verb(
        "compare",
        "compare settings and metrics of runs",
        source="runs_compare:run_compare",
    ),
    Verb(
        "diagnose",
        "diagnose problems of a run and suggest fixes",
        source="runs_compare:run_diagnose",
    ),
    Verb(
        "export-csv",
        "write the metrics of a run as CSV",
        source="runs_compare:run_export_csv",
    ),
    *EDITS,
    *FILES,
)
