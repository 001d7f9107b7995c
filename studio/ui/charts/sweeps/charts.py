"""Charts of a sweep in tabs; each view is created when first shown (NumPy, pyqtgraph)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QTabBar, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.pages import EmptyState, PageStack

if TYPE_CHECKING:
    from studio.ui.charts.sweeps.data import SweepTrials
    from studio.ui.charts.sweeps.views import SweepView


IMPORTANCE = "importance"
_VIEWS = ("best", "parallel", "slice", "heat", "contour", "pareto", IMPORTANCE)


class SweepCharts(QWidget):
    """Charts of the finished trials of a sweep, one per tab.

    Attributes:
        trials: The shown trials.

    Signals:
        trial_chosen: Number of a trial that was clicked.
        brushed: Numbers of the selected trials, a frozenset; None for all.
        work_requested: `Work` that takes too long for the thread of the window.
        importance_requested: The importance of the fields is shown but not known.
        failed: A picture could not be written; carries the `StudioError`.
    """

    trial_chosen = Signal(int)
    brushed = Signal(object)
    work_requested = Signal(object)
    importance_requested = Signal()
    failed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.trials: SweepTrials | None = None
        self._views: dict[str, SweepView] = {}
        self._outdated: set[str] = set()
        self._importance: Mapping[str, float] | None = None
        self._is_requested = False
        self.tabs = QTabBar(self, expanding=False)
        self.tabs.setAccessibleName(self.tr("Charts of the sweep"))
        for key in _VIEWS:
            self.tabs.setTabData(self.tabs.addTab(_title(key)), key)
        self._empty = EmptyState(theme, "chart", "", "", self)
        self._stack = PageStack(self)
        self._stack.addWidget(self._empty)
        vbox(self.tabs, (self._stack, 1), owner=self, spacing=SPACE.s)
        self.tabs.currentChanged.connect(self._show_current)
        self._show_current()

    def set_trials(self, trials: SweepTrials) -> None:
        """Set the trials; hidden views are updated when they are opened."""
        self.trials = trials
        self._outdated = set(self._views)
        self._is_requested = False
        self._show_current()

    def set_importance(self, importance: Mapping[str, float]) -> None:
        """Show the importance of the fields.

        Args:
            importance: Fraction for each dotted name; empty if it cannot be estimated.
        """
        self._importance = importance
        self._outdated.add(IMPORTANCE)
        if self.key() == IMPORTANCE:
            self._show_current()

    def view(self) -> SweepView | None:
        """Return the open view; None if an explanation is shown instead."""
        shown = self._stack.currentWidget()
        return None if shown is self._empty else self._views[self.key()]

    def key(self) -> str:
        """Return the name of the open view."""
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    def open(self, key: str) -> None:
        """Open a view by its name: best, parallel, slice, heat, contour, pareto or importance."""
        self.tabs.setCurrentIndex(_VIEWS.index(key))

    def explanation(self) -> str:
        """Return why there is nothing to show; empty if there is a view."""
        return "" if self.view() is not None else self._empty.accessibleDescription()

    def _show_current(self, _index: int = 0) -> None:
        key = self.key()
        if self.trials is None or not len(self.trials):
            self._explain(self.tr("Appears when the first trial is finished."))
            return
        if key not in self._views:
            self._views[key] = self._create(key)
            self._outdated.add(key)
        view = self._views[key]
        if key in self._outdated:
            self._outdated.discard(key)
            view.set_trials(self.trials)
            view.set_importance(self._importance)
        missing = view.missing()
        if missing:
            self._explain(missing)
        else:
            self._stack.setCurrentWidget(view)
        if key == IMPORTANCE and not self._is_requested:
            self._is_requested = True
            self.importance_requested.emit()

    def _create(self, key: str) -> SweepView:
        view = _create(key, self._theme)
        view.trial_chosen.connect(self.trial_chosen)
        view.brushed.connect(self.brushed)
        view.work_requested.connect(self.work_requested)
        view.failed.connect(self.failed)
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


def _create(key: str, theme: Theme) -> SweepView:
    from studio.ui.charts.sweeps.contour import ContourView  # noqa: PLC0415 - NumPy, pyqtgraph
    from studio.ui.charts.sweeps.heat import ObjectiveHeatView  # noqa: PLC0415
    from studio.ui.charts.sweeps.parallel import ParallelView  # noqa: PLC0415
    from studio.ui.charts.sweeps.views import (  # noqa: PLC0415
        BestView,
        ImportanceView,
        ParetoView,
        SliceView,
    )

    return {
        "best": BestView,
        "parallel": ParallelView,
        "slice": SliceView,
        "heat": ObjectiveHeatView,
        "contour": ContourView,
        "pareto": ParetoView,
        IMPORTANCE: ImportanceView,
    }[key](theme)
