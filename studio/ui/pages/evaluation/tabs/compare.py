"""Whether another model is better on the same images."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from studio.engine.errors import StudioError
from studio.ui.context import AppContext
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.state import Evaluation
from studio.ui.pages.evaluation.tabs.tab import ReportTab
from studio.ui.pages.evaluation.work import Opened, compare_with
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import STRETCH, text_label, vbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.mcnemar import Comparison, Pairs


class CompareTab(ReportTab):
    """Choose another evaluation of the same images.

    Attributes:
        comparison: What is shown, or None.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.comparison: Comparison | None = None
        self._rivals: list[Evaluation] = []
        self.other = QComboBox(self)
        self.other.setAccessibleName(self.tr("Other evaluation"))
        self.other.setPlaceholderText(self.tr("Choose another evaluation"))
        self.problem = HintLabel(parent=self)
        self.verdict = text_label("", "section", self, wraps=True)
        self.note = text_label("", "muted", self, wraps=True)
        self._places: list[NDArray[np.int64]] = []
        self.counts: list[tuple[QLabel, QPushButton]] = []
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE.xl)
        grid.setVerticalSpacing(SPACE.s)
        for row in range(4):
            pair = QLabel(self), push_button("", context.theme, parent=self)
            self.counts.append(pair)
            explain(pair[1], self.tr("Shows these images."))
            for place, widget in enumerate(pair):
                grid.addWidget(widget, row, place)
            pair[1].clicked.connect(partial(self._on_count, row))
        grid.setColumnStretch(2, 1)
        vbox(
            self.other,
            self.problem,
            self.verdict,
            grid,
            self.note,
            STRETCH,
            owner=self,
            spacing=SPACE.m,
            margins=(0, SPACE.m, 0, 0),
        )
        self.other.activated.connect(self._on_activated)
        explain(self.other, self.tr("The same images, answered by another model."))

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("evaluation", "Compare")

    def refresh(self) -> None:
        """Begin anew: nothing is compared yet."""
        self.comparison, self._places = None, []
        with QSignalBlocker(self.other):
            self.other.setCurrentIndex(-1)
        self._show()

    def show_rivals(self, rivals: Sequence[Evaluation]) -> None:
        """Offer other evaluations."""
        if list(rivals) == self._rivals:
            return
        current = self.other.currentIndex()
        chosen = self._rivals[current].id if current >= 0 else ""
        self._rivals = list(rivals)
        with QSignalBlocker(self.other):
            self.other.clear()
            for each in rivals:
                self.other.addItem(" · ".join(filter(None, (each.model, each.figure))))
            ids = [each.id for each in rivals]
            self.other.setCurrentIndex(ids.index(chosen) if chosen in ids else -1)
        self._show()

    def _on_activated(self, row: int) -> None:
        if self.opened is None:
            return
        work = partial(compare_with, self.opened, self._rivals[row].folder)
        done = partial(self._on_compared, self.opened)
        self.context.background.run(self, work, done, self._on_refused)

    def _on_compared(self, opened: Opened, found: tuple[Comparison, Pairs]) -> None:
        if opened is self.opened:
            self.comparison, which = found
            self._places = [
                which.both_right,
                which.only_first,
                which.only_second,
                which.both_wrong,
            ]
            self._show()

    def _on_count(self, row: int, _checked: bool = False) -> None:
        if self.opened is None or row >= len(self._places):
            return
        places = self._places[row]
        surest = (-self.opened.evaluated.answers.scores[places]).argsort(kind="stable")
        self.images_wanted.emit(self.counts[row][0].text(), places[surest])

    def _on_refused(self, error: BaseException) -> None:
        self.comparison, self._places = None, []
        self._show()
        if isinstance(error, StudioError):
            self.problem.show_text(str(error), "problem")
        else:
            self.context.navigator.show_failure(error)

    def _show(self) -> None:
        found = self.comparison
        self.other.setEnabled(bool(self._rivals))
        self.problem.show_text(
            ""
            if self._rivals
            else self.tr("Evaluate another model on the same images to hold it against this one.")
        )
        self.verdict.setText("" if found is None else messages.comparison_text(found))
        self.note.setText("" if found is None else messages.comparison_note(found))
        rows: list[tuple[str, int]] = []
        if found is not None:
            only = self.tr("Only {name} right")
            rows = [
                (self.tr("Both right"), found.both_right),
                (only.format(name=apart(found.first)), found.only_first),
                (only.format(name=apart(found.second)), found.only_second),
                (self.tr("Both wrong"), found.both_wrong),
            ]
        for number, (word, figure) in enumerate(self.counts):
            shown = rows[number] if number < len(rows) else None
            for widget in (word, figure):
                widget.setVisible(shown is not None)
            if shown is not None:
                word.setText(shown[0])
                figure.setText(count(shown[1]))
                figure.setAccessibleName(f"{shown[0]}: {count(shown[1])}")
                figure.setToolTip(self.tr("Show the images"))
