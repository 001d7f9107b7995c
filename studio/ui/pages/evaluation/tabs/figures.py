"""All figures of the whole, with their intervals."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.engine.evaluation.report import HEADLINES
from studio.ui.context import AppContext
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.tabs.tab import ReportTab
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.tables import dress_table, set_widths
from studio.ui.widgets.tips import explain


class FiguresTab(ReportTab):
    """A table of name, value and interval."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.table = QTableWidget(len(HEADLINES), 3, self)
        dress_table(self.table)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setAccessibleName(self.tr("Figures"))
        self.table.setHorizontalHeaderLabels(
            [self.tr("Figure"), self.tr("Value"), self.tr("95 % interval")]
        )
        set_widths(self.table, (220, 110))
        self.note = HintLabel(parent=self)
        vbox((self.table, 1), self.note, owner=self, spacing=SPACE.s, margins=(0, SPACE.s, 0, 0))
        explain(self.table, self.tr("All figures of the report, with what chance leaves open."))

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("evaluation", "Figures")

    def refresh(self) -> None:
        """Show the figures."""
        if self.opened is None:
            return
        report, names = self.opened.evaluated.report, messages.figure_names()
        for row, name in enumerate(HEADLINES):
            texts = (
                names[name],
                messages.value_text(name, getattr(report, name)),
                messages.interval_text(name, report.intervals.get(name)),
            )
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                self.table.setItem(row, column, item)
        self.note.show_text(
            self.tr("Of {count} draws of as many images, 95 % lie in the interval.").format(
                count=count(report.resamples)
            )
            if report.resamples
            else self.tr("No intervals were asked for.")
        )
