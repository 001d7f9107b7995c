"""`studio runs diagnose`: what is wrong with a run, and the plan that would mend it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from studio.cli.verb import Session, Verb
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label, setting_text
from studio.engine.workspace import RecordKind

if TYPE_CHECKING:
    from studio.engine.training.doctor import Finding


def _diagnose(session: Session) -> object:
    from studio.engine.training.doctor import diagnose  # noqa: PLC0415
    from studio.engine.training.run_signs import class_names, late_steps, signs_of, with_answers  # noqa: PLC0415 - NumPy, only for this verb

    job = RunJob(session.workspace.find(RecordKind.RUN, session.options.name))
    session.queue.dispatch()
    job.refresh()
    plan, history = job.plan(TrainingPlan), job.history
    signs = with_answers(
        signs_of(history, plan),
        job.record.folder,
        late_steps(history),
        class_names(session.workspace, plan),
    )
    findings = diagnose(signs)
    _print(session, job.record.name, findings)
    return {
        "name": job.record.name,
        "state": history.state.value,
        "epochs": signs.epochs,
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


def _print(session: Session, name: str, findings: tuple[Finding, ...]) -> None:
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


def _plain(finding: Finding) -> list[tuple[str, object]]:
    """Changes that an option can say: an empty table of options is what there is anyway."""
    return [(field, value) for field, value in finding.changes.items() if value != {}]


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="R", help="name of the run")


DIAGNOSE = Verb(
    "diagnose", "what is wrong with a run, and what would mend it", _configure, _diagnose
)
