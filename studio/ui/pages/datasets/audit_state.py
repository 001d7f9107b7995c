"""What is shown of an audit, decided without Qt's widgets."""

from __future__ import annotations

from typing import Literal

from studio.engine.datasets.audit.findings import Action, Finding, Severity
from studio.ui.pages.datasets.audit_work import AuditFacts
from studio.ui.pages.datasets.findings_words import SEVERITIES

AuditPhase = Literal["reading", "going", "never", "known"]

# Of more classes than that nobody gives all images one.
MOST_CLASSES = 2


def audit_phase(facts: AuditFacts | None, *, going: bool) -> AuditPhase:
    """Which face the line of the audit has."""
    if going:
        return "going"
    if facts is None:
        return "reading"
    return "never" if facts.report is None else "known"


def ordered(facts: AuditFacts) -> list[Finding]:
    """The findings, serious ones first; otherwise as the audit has them."""
    findings = [] if facts.report is None else facts.report.findings
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def open_severities(facts: AuditFacts) -> list[Severity]:
    """How bad each finding is of which something is left."""
    return [finding.severity for finding in ordered(facts) if facts.left(finding)]


def asks_for_class(finding: Finding, action: Action) -> bool:
    """Whether a fix needs a class to be chosen; wrong labels bring their own."""
    return action == "relabel" and len(finding.classes) != len(finding.rows)


def too_many_classes(facts: AuditFacts, finding: Finding, action: Action) -> bool:
    """Whether the images are of so many classes that one for all of them would be wrong."""
    known = facts.remaining.get(finding.kind)
    return (
        known is not None and asks_for_class(finding, action) and len(known.labels) > MOST_CLASSES
    )


def fixes_left(facts: AuditFacts, finding: Finding) -> list[tuple[Action, int]]:
    """The fixes that would change something, and how many images."""
    known = facts.remaining.get(finding.kind)
    if known is None or not known.count:
        return []
    return [(action, known.fixes[action]) for action in finding.actions if action in known.fixes]
