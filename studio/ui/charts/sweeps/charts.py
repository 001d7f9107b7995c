"""Charts of a sweep in tabs; each view is created when first shown (NumPy, pyqtgraph)."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.engine.csv_cells import CsvWriter
from studio.ui.charts.exports import Exports
from studio.ui.charts.picture import save_png, save_svg
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button
from studio.ui.widgets.empty_state import EmptyState
from studio.ui.widgets.page_stack import PageStack

if TYPE_CHECKING:
    from studio.ui.charts.sweeps.data import SweepTrials
    from studio.ui.charts.sweeps.views import SweepView


_AT_ONCE = 500
"""Rows that are written within a frame."""


class SweepExports(Exports):
    """The menu of the charts of a sweep."""

    def __init__(self, charts: SweepCharts) -> None:
        super().__init__(charts)
        self._charts = charts
        self.menu = QMenu(charts)
        for icon, action in (
            ("copy", self.copy),
            ("image", self.ask_png),
            ("chart", self.ask_svg),
        ):
            entry = QAction(self)
            set_icon(entry, icon, charts.theme)
            entry.triggered.connect(action)
            self.menu.addAction(entry)
        self.retranslate()

    def retranslate(self) -> None:
        """Show the words of the language of now."""
        words = self.tr("Copy as CSV"), self.tr("Save PNG…"), self.tr("Save SVG…")
        for entry, text in zip(self.menu.actions(), words, strict=True):
            entry.setText(text)

    def title(self) -> str:
        """That of the open view."""
        return self._charts.title()

    def copy(self) -> None:
        """Put all trials on the clipboard as comma-separated values, many a moment later.

        Where a view shows a table of its own, that is taken.
        """
        trials, view = self._charts.trials, self._charts.view()
        table = None if view is None else view.table()
        if table is not None:
            from studio.ui.charts.table import csv_of as csv_of_table  # noqa: PLC0415 - NumPy

            self._copy(partial(csv_of_table, table), now=True)
        elif trials is not None:
            self._copy(partial(csv_of, trials), now=len(trials) <= _AT_ONCE)

    def save(self, path: Path) -> None:
        """Write the open view, SVG or PNG by the file's name.

        Raises:
            StudioError: The file cannot be written.
        """
        view = self._charts.view()
        if view is None:
            return
        view.bubble.hide()
        ground = self._charts.theme.color("surface")
        if path.suffix.lower() == ".svg":
            save_svg(view, path, ground, self._charts.title())
        else:
            view.finish()
            save_png(view, path, ground)


def csv_of(trials: SweepTrials) -> str:
    """A row for each trial: number, what varied, what was measured; numbers as code has them."""
    columns: list[list[object]] = [trials.numbers.tolist()]
    for axis in (*trials.axes, *trials.objectives):
        words = dict(axis.ticks)
        values = axis.values.tolist()
        columns.append(
            [
                "" if math.isnan(value) else words[value] if words else f"{value:.10g}"
                for value in values
            ]
        )
    text = io.StringIO()
    writer = CsvWriter(text)
    writer.writerow(["trial", *(axis.name for axis in (*trials.axes, *trials.objectives))])
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


IMPORTANCE = "importance"


class SweepCharts(QWidget):
    """All views of the finished trials of a sweep; a bar of tabs chooses one.

    Signals:
        trial_chosen: The number of a trial that was clicked.
        brushed: The numbers of the trials that are picked out, a frozenset; None for all.
        work_wanted: A `Work` that takes too long for the window's thread.
        importance_wanted: The importance of the fields is shown and not known for these trials.
        failed: A picture could not be written; carries the `StudioError`.
    """

    trial_chosen = Signal(int)
    brushed = Signal(object)
    work_wanted = Signal(object)
    importance_wanted = Signal()
    failed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._trials: SweepTrials | None = None
        self._views: dict[str, SweepView] = {}
        self._outdated: set[str] = set()
        self._importance: Mapping[str, float] | None = None
        self._asked = False
        self.tabs = QTabBar(self)
        self.tabs.setExpanding(False)
        for key in _VIEWS:
            self.tabs.setTabData(self.tabs.addTab(""), key)
        self.exports = SweepExports(self)
        self.exports.failed.connect(self.failed)
        self.menu_button = icon_button("more", "", theme, parent=self)
        self.menu_button.setMenu(self.exports.menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._empty = EmptyState(theme, "chart", "", "", self)
        self._stack = PageStack(self)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        row = QHBoxLayout()
        row.addWidget(self.tabs, 1)
        row.addWidget(self.menu_button)
        column.addLayout(row)
        column.addWidget(self._stack, 1)
        self.tabs.currentChanged.connect(self._show_current)
        self._name_parts()
        self._show_current()

    def set_trials(self, trials: SweepTrials) -> None:
        """Show these trials; views that are not open are drawn when they are opened."""
        self._trials = trials
        self._outdated = set(self._views)
        self._asked = False
        self._show_current()

    def set_importance(self, importance: Mapping[str, float]) -> None:
        """Show how much each field matters.

        Args:
            importance: A share for each dotted name; none where the trials do not tell.
        """
        self._importance = importance
        self._outdated.add(IMPORTANCE)
        if self.key() == IMPORTANCE:
            self._show_current()

    @property
    def theme(self) -> Theme:
        """Its look."""
        return self._theme

    @property
    def trials(self) -> SweepTrials | None:
        """What is shown."""
        return self._trials

    def title(self) -> str:
        """Of the open view."""
        return _title(self.key())

    def view(self) -> SweepView | None:
        """The open view; None where an explanation is shown instead."""
        shown = self._stack.currentWidget()
        return None if shown is self._empty else self._views[self.key()]

    def key(self) -> str:
        """Name of the open view."""
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    def open(self, key: str) -> None:
        """Open a view by its name: best, parallel, slice, heat, contour, pareto or importance."""
        self.tabs.setCurrentIndex(list(_VIEWS).index(key))

    def explanation(self) -> str:
        """Why there is nothing to see; empty where there is something."""
        return "" if self.view() is not None else self._empty.accessibleDescription()

    def changeEvent(self, event: QEvent) -> None:
        """Another language: views are made anew, in its words."""
        if event.type() == QEvent.Type.LanguageChange:
            self._name_parts()
            self.exports.retranslate()
            self._stack.setCurrentWidget(self._empty)
            for view in self._views.values():
                self._stack.removeWidget(view)
                view.deleteLater()
            self._views.clear()
            self.brushed.emit(None)  # ranges go with the view they were in
            self._show_current()
        super().changeEvent(event)

    def _name_parts(self) -> None:
        self.tabs.setAccessibleName(self.tr("Charts of the sweep"))
        for place, key in enumerate(_VIEWS):
            self.tabs.setTabText(place, _title(key))
        self.menu_button.setToolTip(self.tr("Copy, save"))
        self.menu_button.setAccessibleName(self.tr("Copy, save"))

    def _show_current(self, _index: int = 0) -> None:
        key = self.key()
        if self._trials is None or not len(self._trials):
            self._explain(self.tr("Appears when the first trial is finished."))
            self.menu_button.setEnabled(False)
            return
        if key not in self._views:
            self._views[key] = self._made(key)
            self._outdated.add(key)
        view = self._views[key]
        if key in self._outdated:
            self._outdated.discard(key)
            view.set_trials(self._trials)
            view.set_importance(self._importance)
        missing = view.missing()
        if missing:
            self._explain(missing)
        else:
            self._stack.setCurrentWidget(view)
        self.menu_button.setEnabled(not missing)
        if key == IMPORTANCE and not self._asked:
            self._asked = True
            self.importance_wanted.emit()

    def _made(self, key: str) -> SweepView:
        view = _VIEWS[key](self._theme)
        view.trial_chosen.connect(self.trial_chosen)
        view.brushed.connect(self.brushed)
        view.work_wanted.connect(self.work_wanted)
        self._stack.addWidget(view)
        return view

    def _explain(self, text: str) -> None:
        self._empty.set_texts(_title(self.key()), text)
        self._stack.setCurrentWidget(self._empty)


def _title(key: str) -> str:
    titles = {
        "best": QCoreApplication.translate("SweepCharts", "Best so far"),
        "parallel": QCoreApplication.translate("SweepCharts", "Parallel"),
        "slice": QCoreApplication.translate("SweepCharts", "Slice"),
        "heat": QCoreApplication.translate("SweepCharts", "Heat map"),
        "contour": QCoreApplication.translate("SweepCharts", "Contours"),
        "pareto": QCoreApplication.translate("SweepCharts", "Pareto"),
        IMPORTANCE: QCoreApplication.translate("SweepCharts", "Importance"),
    }
    return titles[key]


def _best(theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.views import BestView  # noqa: PLC0415 - NumPy, pyqtgraph

    return BestView(theme)


def _parallel(theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.parallel import ParallelView  # noqa: PLC0415

    return ParallelView(theme)


def _slice(theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.views import SliceView  # noqa: PLC0415

    return SliceView(theme)


def _heat(theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.heat import HeatView  # noqa: PLC0415

    return HeatView(theme)


def _contour(theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.contour import ContourView  # noqa: PLC0415

    return ContourView(theme)


def _pareto(theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.views import ParetoView  # noqa: PLC0415

    return ParetoView(theme)


def _importance(theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.views import ImportanceView  # noqa: PLC0415

    return ImportanceView(theme)


_VIEWS = {
    "best": _best,
    "parallel": _parallel,
    "slice": _slice,
    "heat": _heat,
    "contour": _contour,
    "pareto": _pareto,
    IMPORTANCE: _importance,
}
"""How each view is made, in their order."""
