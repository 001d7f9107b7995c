"""The checks of an audit of good images and defects, which only the test needs; see `checks`."""

from __future__ import annotations

from typing import Final

from studio.engine.datasets.audit.checks import CHECKS, CLASS_IMBALANCE, Check
from studio.engine.datasets.audit.mask_checks import MASK_CHECKS
from studio.engine.datasets.audit.name_checks import NAME_CHECKS
from studio.engine.datasets.audit.task_audit import Predictions, TaskAudit

_INTENDED: Final = {CLASS_IMBALANCE, "missing_classes"}
"""Findings that every such dataset has: defects are rare, and not for training."""


class DefectAudit(TaskAudit):
    """Audit of good images and defects."""

    def checks(self, predictions: Predictions) -> list[Check]:  # noqa: ARG002 - of boxes
        """Return the checks of a dataset without those of what is intended."""
        others = (each for each in CHECKS if each.name not in _INTENDED)
        return [*others, *NAME_CHECKS, MASK_CHECKS["unusable_masks"]]


AUDIT = DefectAudit()
