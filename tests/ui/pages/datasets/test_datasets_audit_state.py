"""What is shown of an audit, without a window; and which images of a finding come first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.datasets.audit import instance_checks
from studio.engine.datasets.audit.box_checks import BOX_CHECKS
from studio.engine.datasets.audit.checks import CHECKS
from studio.engine.datasets.audit.duplicates import shown_order
from studio.engine.datasets.audit.findings import (
    AuditFacts,
    AuditReport,
    Finding,
    Range,
    Severity,
    Statistics,
    asks_for_class,
    fixes_left,
    open_severities,
    ordered,
    too_many_classes,
)
from studio.engine.datasets.audit.mask_checks import MASK_CHECKS
from studio.engine.datasets.audit.name_checks import NAME_CHECKS
from studio.engine.datasets.audit.remaining import Remaining
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.widgets.figures import count

SOME = Range(low=0, median=1, high=2)


def finding(kind: str, severity: Severity = "warning", **values: object) -> Finding:
    words = {"message": "m", "suggestion": "s", "count": 1}
    return Finding.model_validate({"kind": kind, "severity": severity, **words, **values})


def facts(*findings: Finding, remaining: dict[str, Remaining] | None = None) -> AuditFacts:
    figures = Statistics(color_mean=[1], color_deviation=[1], brightness=SOME, contrast=SOME)
    report = AuditReport(
        dataset_version=2, images=9, findings=list(findings), counts={}, statistics=figures
    )
    return AuditFacts(report, 2, remaining or {})


def rest(count: int, *labels: int, **fixes: int) -> Remaining:
    return Remaining(count, np.arange(count), labels, fixes)  # type: ignore[arg-type]  # str keys


def test_serious_findings_come_first_and_done_ones_do_not_count() -> None:
    known = facts(
        finding("a", "info"),
        finding("b", "warning", rows=[1]),
        finding("c", "serious"),
        finding("d", "serious", rows=[2]),
        remaining={"b": rest(1, 0), "d": rest(0)},
    )
    assert [found.kind for found in ordered(known)] == ["c", "d", "b", "a"]
    assert open_severities(known) == ["serious", "warning", "info"]
    assert not known.is_old
    assert AuditFacts(known.report, 3).is_old


def test_only_fixes_that_change_something_are_offered() -> None:
    one = finding("leakage", rows=[1, 2], actions=("move", "exclude"))
    known = facts(one, remaining={"leakage": rest(1, 0, exclude=1)})
    assert fixes_left(known, one) == [("exclude", 1)]
    assert fixes_left(facts(one, remaining={"leakage": rest(0)}), one) == []
    assert fixes_left(facts(one), one) == []


def test_a_class_is_asked_for_unless_each_image_has_its_own() -> None:
    conflict = finding("conflicting_labels", rows=[1, 2], actions=("relabel",))
    doubted = finding("label_errors", rows=[1, 2], classes=["a", "b"], actions=("relabel",))
    assert asks_for_class(conflict, "relabel")
    assert not asks_for_class(conflict, "exclude")
    assert not asks_for_class(doubted, "relabel")
    two = facts(conflict, remaining={"conflicting_labels": rest(2, 0, 1)})
    three = facts(conflict, remaining={"conflicting_labels": rest(4, 0, 1, 2)})
    assert not too_many_classes(two, conflict, "relabel")
    assert too_many_classes(three, conflict, "relabel")
    many = facts(doubted, remaining={"label_errors": rest(4, 0, 1, 2)})
    assert not too_many_classes(many, doubted, "relabel")


def test_every_check_has_its_own_title() -> None:
    checks = [*CHECKS, *NAME_CHECKS, *MASK_CHECKS, *BOX_CHECKS]
    titles = {audit_messages.title(check.name) for check in checks}
    assert len(titles) == len(checks)
    for check in checks:
        assert check.label.split()[0] in audit_messages.title(check.name)
    for kind, label, _ in instance_checks._FINDERS:
        assert label.split()[0] in audit_messages.title(kind)


@pytest.mark.parametrize(
    ("given_severities", "text"),
    [
        ([], "The audit found no problems"),
        (["serious"], "1 serious"),
        (["warning", "serious", "warning"], "1 serious · 2 warnings"),
        (["info", "info"], "2 suggestions"),
    ],
)
def test_the_summary(given_severities: list[Severity], text: str) -> None:
    assert audit_messages.summary(given_severities) == text


def test_what_is_left_in_words() -> None:
    pairs = finding("near_duplicates", count=1200, pairs=[(0, 1)])
    assert audit_messages.left(pairs, 1200) == ""
    assert audit_messages.left(pairs, 1100) == f"{count(1100)} of {count(1200)} pairs are left."
    assert audit_messages.left(finding("dark", count=3), 1) == "1 of 3 images are left."
    assert "Done" in audit_messages.left(pairs, 0)


def test_what_was_done_in_words() -> None:
    assert audit_messages.fixed("leakage", "move", 1, "") == "Leakage: 1 image moved"
    assert audit_messages.fixed("dark", "exclude", 1200, "").endswith(
        f"{count(1200)} images excluded"
    )
    assert audit_messages.fixed("label_errors", "relabel", 2, "").endswith("2 images relabeled")


def test_figures_in_words() -> None:
    assert audit_messages.channels([12.4]) == "12"
    assert audit_messages.channels([1, 2.6, 3]) == "R 1, G 3, B 3"
    assert audit_messages.spread(SOME, " px") == "0 to 2 px, median 1 px"
    assert audit_messages.spread(Range(low=5, median=5, high=5)) == "5"


def test_images_without_pairs_stay_as_they_were_found() -> None:
    ranked = finding("label_errors", rows=[9, 2, 5, 2])
    assert shown_order(ranked).tolist() == [9, 2, 5]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=60))
def test_images_that_hang_together_are_beside_each_other(pairs: list[tuple[int, int]]) -> None:
    order = shown_order(finding("near_duplicates", pairs=pairs)).tolist()
    assert sorted(order) == sorted({row for pair in pairs for row in pair})
    group = {row: {row} for row in order}
    for one, other in pairs:
        joined = group[one] | group[other]
        for row in joined:
            group[row] = joined
    for members in group.values():
        positions = sorted(order.index(row) for row in members)
        assert positions == list(range(positions[0], positions[0] + len(positions)))
