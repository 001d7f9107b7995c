"""Runs side by side in a table: the settings that differ and the figures, the best ones bold."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QPixmap

from studio.engine.csv_cells import CsvWriter
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.training.comparison import ComparedRun, Line, compare
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import setting_label
from studio.ui.bridge.jobs import RunEntry
from studio.ui.engine_text import plan_text
from studio.ui.forms.setting_words import setting_words
from studio.ui.pages.train.compare_charts import MOST
from studio.ui.pages.train.runs_columns import EPOCHS, TIME, heading
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color
from studio.ui.widgets.figures import NO_VALUE, count, duration, percent, significant

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_SHARES = {
    f"{which}_{m.name}"
    for m in MEASURED_METRICS.values()
    if m.is_fraction
    for which in ("best", "last")
}
_SWATCH = 10


class CompareTable(QAbstractTableModel):
    """A row for each setting that differs and for each figure, a column for each run."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self._lines: list[Line] = []
        self._settings = 0
        self._datasets: dict[str, str] = {}

    def show_runs(self, entries: Sequence[RunEntry], datasets: dict[str, str]) -> None:
        """Put these beside each other; `datasets` has the names of datasets by their ids."""
        found = compare(
            [
                ComparedRun(entry.name, entry.plan, entry.history)
                for entry in entries
                if isinstance(entry.plan, TrainingPlan)
            ]
        )
        lines = [*found.settings, *found.figures]
        same = [line.name for line in lines] == [line.name for line in self._lines]
        if same and found.names == self._names:
            self._lines, self._datasets = lines, datasets
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(lines) - 1, len(self._names) - 1)
            )
            return
        self.beginResetModel()
        self._names, self._lines, self._datasets = found.names, lines, datasets
        self._settings = len(found.settings)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Settings and figures."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Runs."""
        return 0 if parent.isValid() else len(self._names)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Runs above with the color of their curves, what is compared at the left."""
        across = orientation == Qt.Orientation.Horizontal
        if role == Qt.ItemDataRole.DecorationRole and across and section < MOST:
            swatch = QPixmap(_SWATCH, _SWATCH)
            swatch.fill(QColor(chart_color(section, dark=self._theme.is_dark)))
            return swatch
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        return self._names[section] if across else self._label(section)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The value of a run; bold where it is the best."""
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._text(line, line.values[index.column()], index.row() < self._settings)
        if role == Qt.ItemDataRole.FontRole and index.column() in line.best:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.AccessibleDescriptionRole and index.column() in line.best:
            return self.tr("best")
        return None

    def csv_text(self) -> str:
        """The table as comma-separated values: numbers with a point, nothing rounded."""
        text = io.StringIO()
        writer = CsvWriter(text)
        writer.writerow(["", *self._names])
        for line in self._lines:
            values = [self._datasets.get(str(value), value) for value in line.values]
            writer.writerow([line.name, *("" if _is_nan(value) else value for value in values)])
        return text.getvalue()

    def _label(self, row: int) -> str:
        name = self._lines[row].name
        if row < self._settings:
            return plan_text(setting_label(name))
        return heading({"epochs": EPOCHS, "seconds": TIME}.get(name, name))

    def _text(self, line: Line, value: object, is_setting: bool) -> str:
        if is_setting:
            if line.name == "dataset":
                return self._datasets.get(str(value), str(value))
            return setting_words(line.name, value)
        if not isinstance(value, int | float) or _is_nan(value):
            return NO_VALUE
        if line.name == "epochs":
            return count(int(value))
        if line.name == "seconds":
            return duration(value)
        return percent(value) if line.name in _SHARES else significant(value)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
