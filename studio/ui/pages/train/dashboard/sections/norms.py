"""Sizes of the weights and gradients of each layer."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QItemSelection,
    QItemSelectionModel,
    QSize,
    Qt,
)
from PySide6.QtWidgets import QComboBox, QHeaderView, QTableView, QWidget

from studio.engine.training.history import InsightKept
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard.sections.insight import (
    InsightSection,
    Snapshot,
    moment_name,
    read_all_norms,
)
from studio.ui.widgets.figures import significant
from studio.ui.widgets.tables import TableColumn, TableModel, dress_table

if TYPE_CHECKING:
    from studio.engine.training.insights import LayerNorm


_DRAWN = 6
"""Layers that are drawn until others are chosen: as many as there are colors."""
_MOST = 24
_LEAST = QSize(240, 96)


class Norms(InsightSection):
    """A table of all layers at the chosen moment; those selected in it as curves over time."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._norms: dict[tuple[int, float], tuple[LayerNorm, ...]] = {}
        self._moments: list[InsightKept] = []
        self._run = ""
        self.model = TableModel(
            (
                TableColumn(self.tr("Layer"), attrgetter("name"), is_text=True),
                _norm_column(self.tr("Weights"), "weight"),
                _norm_column(self.tr("Gradient"), "gradient"),
                _norm_column(self.tr("Moved"), "update"),
            ),
            self,
            key=attrgetter("name"),
        )
        self.table = QTableView(self)
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Layers"))
        self.table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        dress_table(self.table)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.box = QComboBox(self)
        self.box.setAccessibleName(self.tr("What is drawn"))
        for key, text, whole in (
            ("gradient", self.tr("Gradient"), self.tr("Of a fixed batch of training images.")),
            ("weight", self.tr("Weights"), self.tr("All weights of the layer together.")),
            (
                "update",
                self.tr("Moved"),
                self.tr("What the weights moved since the validation before, as a share of them."),
            ),
        ):
            self.box.addItem(text, key)
            self.box.setItemData(self.box.count() - 1, whole, Qt.ItemDataRole.ToolTipRole)
        self.chart = LineChart(
            context.theme,
            self.tr("Norms by layer"),
            self.tr("Epoch"),
            self.tr("Norm"),
            whole_x=True,
            parent=self,
        )
        self.chart.setMinimumSize(_LEAST)  # it is one of two, under other charts
        self.chart.set_log(log=True)
        self.chart.failed.connect(context.navigator.show_failure)
        self.tools.addWidget(self.box)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(self.chart, 1)
        self.box.currentIndexChanged.connect(self._draw)
        self.table.selectionModel().selectionChanged.connect(self._draw)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Norms", "Norms")

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """A network may have nothing that learns."""
        return "" if snapshot.insight.norms else self.tr("No layer of this network learns.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment in the table, and all moments in the chart."""
        norms = snapshot.insight.norms
        is_other = [norm.name for norm in norms] != [norm.name for norm in self.model.rows]
        self.model.show_rows(norms)
        if is_other:
            self._select_some(len(norms))
        moments = list(self.timeline.moments)
        run = self.timeline.entry.record.id if self.timeline.entry is not None else ""
        if run != self._run:
            self._run, self._norms = run, {}
        self._moments = moments
        self._mark(snapshot)
        missing = [each for each in moments if (each.step, each.t) not in self._norms]
        if missing and self.timeline.entry is not None:
            folder = self.timeline.entry.record.folder
            work = partial(read_all_norms, folder, [each.step for each in missing])
            done = partial(self._on_norms, run, missing)
            self.context.background.run(self, work, done)
        else:
            self._draw()

    def _on_norms(
        self,
        run: str,
        moments: list[InsightKept],
        found: dict[int, tuple[LayerNorm, ...]],
    ) -> None:
        if run != self._run:
            return
        for moment in moments:
            self._norms[moment.step, moment.t] = found.get(moment.step, ())
        self._draw()

    def _select_some(self, layers: int) -> None:
        """Select layers from the first to the last, evenly."""
        shown = min(layers, _DRAWN)
        rows = {round(at * (layers - 1) / max(1, shown - 1)) for at in range(shown)}
        chosen = QItemSelection()
        for row in rows:
            index = self.model.index(row, 0)
            chosen.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        self.table.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)

    def _mark(self, snapshot: Snapshot) -> None:
        moment = self.timeline.moments[self.timeline.index] if self.timeline.moments else None
        self.chart.set_mark(snapshot.insight.epoch, "" if moment is None else moment_name(moment))

    def _draw(self) -> None:
        """Draw the selected layers."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())[:_MOST]
        names = [self.model.rows[row].name for row in rows]
        if set(self.chart.keys()) - set(names):
            mark = self.timeline.snapshot
            self.chart.clear()
            if mark is not None:
                self._mark(mark)
        kind = str(self.box.currentData())
        known = [
            (moment.epoch, {norm.name: norm for norm in norms})
            for moment in self._moments
            if (norms := self._norms.get((moment.step, moment.t)))
        ]
        for at, name in enumerate(names):
            points = [
                (epoch, getattr(norms[name], kind)) for epoch, norms in known if name in norms
            ]
            self.chart.set_curve(
                name,
                [epoch for epoch, _ in points],
                [value for _, value in points],
                name=name,
                color_index=at,
                dashed=at >= _DRAWN,
            )


def _norm_column(heading: str, name: str) -> TableColumn[LayerNorm]:
    return TableColumn(heading, lambda norm: significant(getattr(norm, name), 3))
