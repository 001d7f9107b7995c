"""The tabs under the charts of a run, one file each.

To add a tab: 1. its file with a `RunSection`; 2. one line here, at its place.
"""

from __future__ import annotations

from studio.ui.pages.train.section import RunSection
from studio.ui.pages.train.sections.doctor import Doctor
from studio.ui.pages.train.sections.rate import Rate
from studio.ui.pages.train.sections.usage import Usage

SECTIONS: tuple[type[RunSection], ...] = (Doctor, Rate, Usage)
"""In the order of their tabs, before those of text."""
