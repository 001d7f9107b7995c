"""The tabs under the charts of a run, one file each.

To add a tab: 1. its file with a `RunSection`; 2. one line here, at its place.
"""

from __future__ import annotations

from studio.ui.pages.train.dashboard.sections.answers import Confusion, Mistakes, Samples
from studio.ui.pages.train.dashboard.sections.doctor import Doctor
from studio.ui.pages.train.dashboard.sections.norms import Norms
from studio.ui.pages.train.dashboard.sections.notes import Notes
from studio.ui.pages.train.dashboard.sections.rate import Rate
from studio.ui.pages.train.dashboard.sections.section import RunSection
from studio.ui.pages.train.dashboard.sections.targets import Targets
from studio.ui.pages.train.dashboard.sections.usage import Usage

SECTIONS: tuple[type[RunSection], ...] = (
    Doctor,
    Targets,
    Confusion,
    Mistakes,
    Samples,
    Norms,
    Rate,
    Usage,
    Notes,
)
"""In the order of their tabs, before those of text."""
