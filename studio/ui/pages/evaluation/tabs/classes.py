"""The figures of each class, and its curves."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QSplitter,
    QTableView,
    QWidget,
)

from studio.engine.evaluation.report import ClassFigures
from studio.ui.charts.figure import DIAGONAL, Figure, FigureChart, FigureLine, Scale
from studio.ui.context import AppContext
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.tabs.tab import ReportTab
from studio.ui.pages.evaluation.work import MOST, Opened, read_curves
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.tables import TableColumn, TableModel, dress_table, sort_by_headings
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.evaluation.opened import Curve

_WIDTH = 92
"""Pixels of a column of figures without intervals."""
ClassRow = tuple[str, ClassFigures]
FIGURES = ("precision", "recall", "f1", "support", "roc_auc", "average_precision")
_WORST_FIRST = 1 + FIGURES.index("f1")


class ClassesTab(ReportTab):
    """A table that is sorted by a click, and the curves of the class that is chosen in it."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._label = -1
        self.model = TableModel[ClassRow](_columns(self.tr("Class")), self)
        self.table = QTableView(self)
        dress_table(self.table)
        self.table.setModel(self.model)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setAccessibleName(self.tr("Classes"))
        sort_by_headings(self.table)
        self.table.sortByColumn(_WORST_FIRST, Qt.SortOrder.AscendingOrder)
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.setColumnWidth(0, 110)
        self.roc = FigureChart(context.theme, self)
        self.recall = FigureChart(context.theme, self)
        charts = QWidget(self)
        row = QHBoxLayout(charts)
        row.setContentsMargins(0, SPACE.s, 0, 0)
        row.setSpacing(SPACE.l)
        for chart in (self.roc, self.recall):
            row.addWidget(chart)
            chart.failed.connect(self.failed)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.table)
        splitter.addWidget(charts)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        vbox(splitter, owner=self, margins=(0, SPACE.s, 0, 0))
        self.table.clicked.connect(self._on_clicked)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        explain(
            self.table,
            self.tr("How well each class is told from the others. Choose one to see its curves."),
        )

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("evaluation", "Classes")

    def refresh(self) -> None:
        """Show the classes, the one with the lowest F1 chosen."""
        if self.opened is None:
            return
        self._label = -1
        report = self.opened.evaluated.report
        self.model.show_rows(zip(report.classes, report.per_class, strict=True))
        widest = messages.with_interval("f1", 1.0, (0.985, 1.0))
        wide = self.table.fontMetrics().horizontalAdvance(widest) + SPACE.xl
        for column in range(1, self.model.columnCount()):
            name = FIGURES[column - 1]
            has_interval = any(name in each.intervals for each in report.per_class)
            self.table.setColumnWidth(column, wide if has_interval else _WIDTH)
        if self.model.rowCount():
            self.table.setCurrentIndex(self.model.index(0, 0))

    def label(self) -> int:
        """The class whose curves are shown; -1 for none."""
        return self._label

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        if self.opened is None or not current.isValid():
            return
        label = self.model.position(current.row())
        if label == self._label:
            return
        self._label = label
        work = partial(read_curves, self.opened, label)
        done = partial(self._on_curves, self.opened, label)
        self.context.background.run(self, work, done)

    def _on_clicked(self, index: QModelIndex) -> None:
        opened = self.opened
        if opened is None:
            return
        label = self.model.position(index.row())
        name = opened.evaluated.report.classes[label]
        import numpy as np  # noqa: PLC0415 - not when the window starts

        text = self.tr("“{name}”: the surest mistakes, then what is right")
        evaluated = opened.evaluated
        wrong, right = evaluated.surest_wrong(label, MOST), evaluated.surest_right(label, MOST)
        self.images_wanted.emit(text.format(name=apart(name)), np.concatenate([wrong, right]))

    def _on_curves(self, opened: Opened, label: int, curves: tuple[Curve, Curve] | None) -> None:
        if opened is not self.opened or label != self._label:
            return  # another class was chosen since
        report = opened.evaluated.report
        name, figures = report.classes[label], report.per_class[label]
        share = (0.0, 1.0, True)
        lines = (
            () if curves is None else (_line(curves[0]),),
            () if curves is None else (_line(curves[1]),),
        )
        self.roc.show_figure(
            Figure(
                self.tr("ROC: {area} · {name}").format(
                    name=apart(name), area=messages.value_text("roc_auc", figures.roc_auc)
                ),
                Scale(self.tr("Others taken for it"), *share),
                Scale(self.tr("Recognized"), *share),
                (DIAGONAL, *lines[0]),
            )
        )
        average = messages.value_text("average_precision", figures.average_precision)
        self.recall.show_figure(
            Figure(
                self.tr("Precision by recall: {average}").format(average=average),
                Scale(self.tr("Recall"), *share),
                Scale(self.tr("Precision"), *share),
                lines[1],
            )
        )


def _line(curve: Curve) -> FigureLine:
    across, up = curve
    return FigureLine("", list(zip(across.tolist(), up.tolist(), strict=True)), 0)


def _columns(heading: str) -> list[TableColumn[ClassRow]]:
    names = messages.figure_names()
    first = TableColumn[ClassRow](
        heading, itemgetter(0), value=lambda row: row[0].casefold(), is_text=True
    )
    return [first, *(_figure_column(name, names[name]) for name in FIGURES)]


def _figure_column(name: str, heading: str) -> TableColumn[ClassRow]:
    return TableColumn(
        heading,
        lambda row: messages.with_interval(
            name, getattr(row[1], name), row[1].intervals.get(name)
        ),
        value=lambda row: getattr(row[1], name),
        cell_tip=lambda row: messages.interval_text(name, row[1].intervals.get(name)),
    )
