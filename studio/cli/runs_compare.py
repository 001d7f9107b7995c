"""`studio runs compare|export-csv`: runs beside each other, and a run's figures as CSV."""

from __future__ import annotations

from collections.abc import Sequence

from studio.cli.options import FORCE, target_file
from studio.cli.record_edit import find_records, records_options
from studio.cli.verb import Session, argument, figure
from studio.engine.errors import StudioError
from studio.engine.messages import in_sentence
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.training.comparison import (
    ComparedRun,
    ComparisonRow,
    RunComparison,
    compare,
    csv_text,
    epoch_rows,
    step_rows,
    write_csv,
)
from studio.engine.training.doctor import RunFinding, TrainingHistory, diagnose, run_dataset
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label, setting_text
from studio.engine.workspace import RecordKind, Workspace

run_compare_options = records_options("run")


def run_compare(session: Session) -> object:
    """Print what differs between runs, and their metrics."""
    session.queue.dispatch()
    jobs = [RunJob(record) for record in find_records(session, RecordKind.RUN)]
    if len(jobs) < 2:
        raise StudioError("A comparison needs at least two runs.", "Name another one.")
    for job in jobs:
        job.refresh()
    runs = [ComparedRun(job.record.name, job.plan(TrainingPlan), job.history) for job in jobs]
    comparison = compare(runs)
    _print(session, comparison)
    return _document(jobs, comparison)


def _print(session: Session, comparison: RunComparison) -> None:
    heading = ["", *comparison.names]
    if comparison.settings:
        rows = [
            [setting_label(line.name), *_settings(session.workspace, line)]
            for line in comparison.settings
        ]
        session.output.table(heading, rows)
    else:
        session.output.say("All settings are the same.")
    session.output.table(heading, [_figures(line) for line in comparison.figures])


def _settings(workspace: Workspace, line: ComparisonRow) -> list[str]:
    if line.name != "dataset":
        return [setting_text(line.name, value) for value in line.values]
    records = [workspace.record(RecordKind.DATASET, str(value)) for value in line.values]
    return [
        record.name if record else str(value)
        for record, value in zip(records, line.values, strict=True)
    ]


def _figures(line: ComparisonRow) -> list[str]:
    """Return a row: the best value has a star."""
    kind, _, metric = line.name.partition("_")
    spec = MEASURED_METRICS.get(metric)
    cells = [line.name if spec is None else f"{kind} {in_sentence(spec.label)}"]
    for index, value in enumerate(line.values):
        number = float(str(value))
        text = figure(number) if spec is None else spec.text(number)
        if line.name == "epochs":
            text = str(value)
        star = " *" if index in line.best and kind != "last" else ""
        cells.append(text + star)
    return cells


def _document(jobs: Sequence[RunJob], comparison: RunComparison) -> dict[str, object]:
    return {
        "runs": [
            {
                "name": name,
                "id": jobs[index].record.id,
                "state": jobs[index].history.state.value,
                "settings": {line.name: line.values[index] for line in comparison.settings},
                "metrics": {line.name: line.values[index] for line in comparison.figures},
            }
            for index, name in enumerate(comparison.names)
        ],
        "settings": [line.name for line in comparison.settings],
        "best": {
            line.name: [comparison.names[index] for index in sorted(line.best)]
            for line in comparison.figures
            if line.best
        },
    }


run_export_csv_options = (
    records_options("run", several=False),
    argument("--steps", action="store_true", help="one row per step instead of per measurement"),
    argument("--to", metavar="FILE", help="file to write [standard output]"),
    FORCE,
)


def run_export_csv(session: Session) -> object:
    """Write the history of a run as comma-separated values."""
    options = session.options
    job = RunJob.read(find_records(session, RecordKind.RUN)[0])
    rows = list((step_rows if options.steps else epoch_rows)(job.history))
    document = {"name": job.record.name, "rows": len(rows) - 1}
    if options.to is None:
        text = csv_text(rows)
        session.output.write(text.rstrip("\n"))
        return {**document, "csv": text}
    path = target_file(session, options.to, "to")
    write_csv(path, rows)
    session.output.say(f"{len(rows) - 1:,} rows are in {path}.")
    return {**document, "path": str(path)}


# `studio runs diagnose`: what is wrong with a run, and the plan that would fix it.


def run_diagnose(session: Session) -> object:
    """Print what is wrong with a run, and what to change."""
    job = RunJob(session.workspace.find(RecordKind.RUN, session.options.name))
    session.queue.dispatch()
    job.refresh()
    plan, history = job.plan(TrainingPlan), job.history
    dataset = run_dataset(session.workspace, plan)
    known = TrainingHistory.of(history, plan).with_answers(job.record.folder, dataset)
    findings = diagnose(known)
    _print_diagnose(session, job.record.name, findings)
    return {
        "name": job.record.name,
        "state": history.state.value,
        "epochs": known.epochs,
        "findings": [
            {
                "name": finding.name,
                "title": finding.title,
                "evidence": finding.evidence,
                "advice": finding.advice,
                "changes": dict(finding.changes),
                "from_epoch": finding.first,
                "to_epoch": finding.last,
            }
            for finding in findings
        ],
    }


def _print_diagnose(session: Session, name: str, findings: tuple[RunFinding, ...]) -> None:
    output = session.output
    if not findings:
        output.say(f"{name}: nothing stands out.")
    for finding in findings:
        output.say(f"{finding.title}. {finding.evidence} {finding.advice}")
        for field, value in finding.changes.items():
            output.say(f"  {setting_label(field)}: {setting_text(field, value)}")
        if finding.changes:
            options = " ".join(f"--set {field}={value}" for field, value in _plain(finding))
            output.write(f"  studio runs clone {name} {options}")


def _plain(finding: RunFinding) -> list[tuple[str, object]]:
    """Changes that an option can say: an empty table of options is what there is anyway."""
    return [(field, value) for field, value in finding.changes.items() if value != {}]


run_diagnose_options = argument("name", metavar="R", help="name of the run")
