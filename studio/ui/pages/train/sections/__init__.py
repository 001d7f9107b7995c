"""The tabs under the charts of a run, one file each.

To add a tab: 1. its file with a `RunSection`; 2. one line here, at its place.
"""

from __future__ import annotations

from studio.ui.pages.train.section import RunSection
from studio.ui.pages.train.sections.confusion import Confusion
from studio.ui.pages.train.sections.doctor import Doctor
from studio.ui.pages.train.sections.mistakes import Mistakes
from studio.ui.pages.train.sections.norms import Norms
from studio.ui.pages.train.sections.notes import Notes
from studio.ui.pages.train.sections.rate import Rate
from studio.ui.pages.train.sections.samples import Samples
from studio.ui.pages.train.sections.targets import Targets
from studio.ui.pages.train.sections.usage import Usage

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
