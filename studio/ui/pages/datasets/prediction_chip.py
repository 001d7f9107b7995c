"""The run whose predictions the browser shows, and which of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.ui.pages.datasets.image_query import Answers
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count
from studio.ui.widgets.names import apart
from studio.ui.widgets.spin_box import ComboBox

if TYPE_CHECKING:
    from studio.engine.evaluation.predictions import Predictions


class PredictionChip(QWidget):
    """A line with a run and what its model took images for; hidden while there is none.

    Signals:
        changed: Other predictions are wanted.
        removed: Predictions are not wanted any more.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = ""
        self._predictions: Predictions | None = None
        self._classes: Sequence[str] = ()
        self.button = push_button("", theme, icon="close", parent=self)
        self.button.clicked.connect(self._on_removed)
        self.box = ComboBox(self)
        self.box.setAccessibleName(self.tr("What the run took the images for"))
        self.box.setToolTip(self.tr("What the run took the images for"))
        self.box.setMinimumContentsLength(12)
        self.box.activated.connect(self.changed)
        self.line = ElidedLabel("", self)
        self.line.setProperty("role", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.button)
        row.addWidget(self.box)
        row.addWidget(self.line, 1)
        self.clear()
        explain(self.button, self.tr("Shows all images again."))

    @property
    def answers(self) -> Answers | None:
        """What is wanted of the predictions; None where there are none."""
        if self._predictions is None:
            return None
        return Answers(self._run, self._predictions, self.box.currentData())

    def set_classes(self, names: Sequence[str]) -> None:
        """The classes that images can be taken for."""
        chosen = self.box.currentIndex()
        self._classes = list(names)
        self.box.clear()
        self.box.addItem(self.tr("Mistakes"), "wrong")
        self.box.addItem(self.tr("All predictions"), "all")
        for index, name in enumerate(names):
            self.box.addItem(self.tr("Taken for {name}").format(name=apart(name)), index)
        self.box.setCurrentIndex(chosen if 0 <= chosen < self.box.count() else 0)

    def show_predictions(self, run: str, predictions: Predictions) -> None:
        """Show the mistakes of a run."""
        self._run = run
        self._predictions = predictions
        self.box.setCurrentIndex(0)
        self.button.setText(run)
        self.button.setToolTip(self.tr("Show images without predictions again"))
        self.button.setAccessibleName(
            self.tr("Predictions of {run}. Show images without them").format(run=apart(run))
        )
        self.line.setText(
            self.tr("{n} images were predicted").format(n=count(len(predictions.rows)))
        )
        self.box.show()
        self.button.show()
        self.show()

    def show_measuring(self, run: str) -> None:
        """Say that a model is being measured first."""
        self.line.setText(
            self.tr("Measuring “{run}” on this dataset, see the jobs…").format(run=apart(run))
        )
        self.box.hide()
        self.button.hide()
        self.show()

    def clear(self) -> None:
        """Show no predictions."""
        self._run = ""
        self._predictions = None
        self.hide()

    def _on_removed(self) -> None:
        self.clear()
        self.removed.emit()
