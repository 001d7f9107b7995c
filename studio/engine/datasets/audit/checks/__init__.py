"""The checks of an audit, one file each. They look at measures, never at files or the clock.

To add a check: 1. write `<name>.py` with a `base.Check`; 2. list it below, worst things first.
"""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.checks.blank import BLANK
from studio.engine.datasets.audit.checks.blurred import BLURRED
from studio.engine.datasets.audit.checks.bright import BRIGHT
from studio.engine.datasets.audit.checks.class_imbalance import CLASS_IMBALANCE
from studio.engine.datasets.audit.checks.conflicting_labels import CONFLICTING_LABELS
from studio.engine.datasets.audit.checks.dark import DARK
from studio.engine.datasets.audit.checks.exact_duplicates import EXACT_DUPLICATES
from studio.engine.datasets.audit.checks.label_errors import LABEL_ERRORS
from studio.engine.datasets.audit.checks.leakage import LEAKAGE
from studio.engine.datasets.audit.checks.missing_classes import MISSING_CLASSES
from studio.engine.datasets.audit.checks.near_duplicates import NEAR_DUPLICATES
from studio.engine.datasets.audit.checks.tiny import TINY
from studio.engine.datasets.audit.checks.unreadable import UNREADABLE
from studio.engine.registry import Registry

CHECKS: Registry[Check] = Registry(
    "check",
    [
        LEAKAGE,
        CONFLICTING_LABELS,
        LABEL_ERRORS,
        MISSING_CLASSES,
        EXACT_DUPLICATES,
        NEAR_DUPLICATES,
        UNREADABLE,
        BLANK,
        DARK,
        BRIGHT,
        BLURRED,
        TINY,
        CLASS_IMBALANCE,
    ],
)
