"""`studio doctor`: check drivers, devices, memory and packages."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby

from studio.cli.verb import Session, argument
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.progress import SilentProgress
from studio.engine.system_check import CheckResult, check_system
from studio.engine.workspace import default_workspace

_SIGNS = {"good": " ", "advice": "!", "bad": "X"}


run_options = argument(
    "--quick", action="store_true", help="do not start the backends to list their devices"
)


def run(session: Session) -> object:
    """Check the system, print the findings, and return their document."""
    named = session.options.workspace
    workspace = user_path(named) if named else default_workspace()
    if not session.options.quick:
        session.output.note("Asking the backends for their devices; this takes some seconds.")
    found = check_system(workspace, SilentProgress(), ask_backends=not session.options.quick)
    for topic, findings in groupby(found, key=lambda finding: finding.topic):
        session.output.say(topic)
        for finding in findings:
            _print(session, finding)
    bad = [finding for finding in found if finding.level == "bad"]
    document = {"healthy": not bad, "findings": [asdict(finding) for finding in found]}
    if bad:
        session.output.document(document)
        raise StudioError(
            f"{len(bad)} of {len(found)} findings keep Studio from working: "
            f"{', '.join(finding.name for finding in bad)}.",
            " ".join(dict.fromkeys(finding.hint for finding in bad if finding.hint)),
        )
    session.output.say("Studio has everything it needs.")
    return document


def _print(session: Session, finding: CheckResult) -> None:
    session.output.say(f" {_SIGNS[finding.level]} {finding.name}: {finding.value}")
    if finding.hint:
        session.output.say(f"     {finding.hint}")
