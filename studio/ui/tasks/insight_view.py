"""What the validation images of a run were given at one moment, for tasks with targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from studio.ui.shared.dataset_pictures import DatasetPictures

if TYPE_CHECKING:
    from studio.engine.training.insights import TargetAnswers


@dataclass(frozen=True, slots=True)
class Moment:
    """One validation.

    Attributes:
        found: What the network gave.
        names: Of the labels or quantities, K of them.
        units: Of the quantities, K of them; empty texts where there are none.
        pictures: Where the rows of the images are.
    """

    found: TargetAnswers
    names: Sequence[str]
    units: Sequence[str]
    pictures: DatasetPictures


class InsightView(QWidget):
    """Shows one validation; what was chosen stays while another one is shown."""

    def show_moment(self, moment: Moment) -> None:
        """Show a validation."""
        raise NotImplementedError
