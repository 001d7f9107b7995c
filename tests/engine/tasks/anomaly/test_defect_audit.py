"""Audits of good images and defects."""

from __future__ import annotations

from studio.engine.datasets.audit.defect_checks import AUDIT
from studio.engine.tasks import TASKS


def test_an_audit_does_not_report_that_defects_are_rare_and_not_for_training() -> None:
    names = [each.name for each in AUDIT.checks(None)]

    assert TASKS["anomaly"].audit == "studio.engine.datasets.audit.defect_checks"
    assert {"leakage", "near_duplicates", "unusable_masks"} <= {*names}
    intended = {"missing_classes", "class_imbalance", "pixel_imbalance", "empty_masks"}
    assert intended.isdisjoint(names)
