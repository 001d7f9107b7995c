"""`studio datasets audit`: duplicates, leakage, wrong and poor images."""

from __future__ import annotations

from studio.cli.datasets_browse import completed_dataset
from studio.cli.following import completed, elapsed, leave
from studio.cli.options import DETACH, SET, assignments, given_options, plan_options
from studio.cli.verb import CommandOutput, Session, argument
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport, DoubtedBox, Finding
from studio.engine.datasets.requests import request_audit
from studio.engine.errors import StudioError

SHOWN_PATHS = 3


run_options = (
    argument("name", metavar="N", help="name of the dataset"),
    argument("--version", type=int, metavar="V", help="version of the dataset [the newest]"),
    argument("--last", action="store_true", help="show the last report instead of a new audit"),
    plan_options(AuditPlan, ("look_at_files",)),
    SET,
    DETACH,
)


def run(session: Session) -> object:
    """Audit a dataset, and print what was found."""
    options = session.options
    record = completed_dataset(session, "an audit")
    if not options.last:
        plan = AuditPlan.parse(
            {
                "dataset": record.id,
                "dataset_version": options.version,
                **given_options(options),
            }
        ).changed(**assignments(options))
        job = request_audit(session.queue, plan)
        if options.detach:
            return leave(session, job, f"The audit of {record.name}") | {"name": record.name}
        history = completed(session, job, f"Auditing {record.name}")
        session.output.note(f"Took {elapsed(history)}.")
    report = AuditReport.read(record.folder)
    if report is None:
        raise StudioError(
            f'The dataset "{record.name}" was never audited.',
            f"Try: studio datasets audit {record.name}",
        )
    _print(session.output, record.name, report)
    return _document(record.name, report)


def _print(output: CommandOutput, name: str, report: AuditReport) -> None:
    output.say(f"{name}: {report.images:,} images, version {report.dataset_version}")
    if not report.findings:
        output.say("No problems found.")
    for finding in report.findings:
        output.say(f"{finding.kind}: {finding.message} {finding.suggestion}")
        for line in _examples(finding):
            output.write(f"  {line}")
    for entry in report.not_checked:
        output.say(f"{entry.kind} was not checked. {entry.reason}")
    if report.findings:
        output.say(f"See them: studio datasets browse {name} --finding KIND")


def _examples(finding: Finding) -> list[str]:
    paths = dict(zip(finding.rows, finding.paths, strict=False))
    if finding.pairs:
        lines = [f"{paths[one]}  =  {paths[other]}" for one, other in finding.pairs]
    elif finding.boxes:
        lines = [
            f"{path}: {', '.join(map(_box_text, boxes))}"
            for path, boxes in zip(finding.paths, finding.boxes, strict=True)
        ]
    elif finding.labels:
        lines = [
            f"{path}: {label} -> {proposed} ({probability:.0%})"
            for path, label, proposed, probability in zip(
                finding.paths,
                finding.labels,
                finding.classes,
                finding.probabilities,
                strict=True,
            )
        ]
    else:
        lines = finding.paths
    more = len(lines) - SHOWN_PATHS
    return lines[:SHOWN_PATHS] + ([f"… and {more:,} more; --json lists all"] if more > 0 else [])


def _box_text(box: DoubtedBox) -> str:
    """Return the classes, score and corners of a box: cat -> dog 93 % at 10, 12, 30, 40."""
    classes = " -> ".join(filter(None, (box.label, box.predicted)))
    score = f" {box.score:.0%}" if box.predicted else ""
    return f"{classes}{score} at {', '.join(f'{side:.0f}' for side in box.box)}"


def _document(name: str, report: AuditReport) -> dict[str, object]:
    return {
        "name": name,
        "version": report.dataset_version,
        "images": report.images,
        "findings": [_finding(finding) for finding in report.findings],
        "counts": report.counts,
        "not_checked": [entry.model_dump() for entry in report.not_checked],
        "statistics": report.statistics.model_dump(mode="json"),
    }


def _finding(finding: Finding) -> dict[str, object]:
    paths = dict(zip(finding.rows, finding.paths, strict=False))
    document: dict[str, object] = {
        "kind": finding.kind,
        "severity": finding.severity,
        "message": finding.message,
        "suggestion": finding.suggestion,
        "count": finding.count,
        "images": finding.paths,
        "actions": list(finding.actions),
    }
    if finding.pairs:
        document["pairs"] = [[paths[one], paths[other]] for one, other in finding.pairs]
        document["similarity"] = finding.similarity
    if finding.boxes:
        document["boxes"] = [[box.model_dump() for box in boxes] for boxes in finding.boxes]
    if finding.classes:
        document["classes"] = finding.classes
    if finding.precision is not None:
        document["labels"] = finding.labels
        document["probabilities"] = finding.probabilities
        document["precision"] = finding.precision
        document["precision_interval"] = finding.precision_interval
    return document
