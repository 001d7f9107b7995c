"""Charts of a sweep in tabs; each view is created when first shown (NumPy, pyqtgraph)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Signal
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
        self._empty = EmptyState(theme, "chart", "", "", self)
        self._stack = PageStack(self)
        self._stack.addWidget(self._empty)
        vbox(self.tabs, (self._stack, 1), owner=self, spacing=SPACE.s)
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
    def trials(self) -> SweepTrials | None:
        """The shown trials."""
        return self._trials

    def view(self) -> SweepView | None:
        """Return the open view; None where an explanation is shown instead."""
        shown = self._stack.currentWidget()
        return None if shown is self._empty else self._views[self.key()]

    def key(self) -> str:
        """Return the name of the open view."""
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    def open(self, key: str) -> None:
        """Open a view by its name: best, parallel, slice, heat, contour, pareto or importance."""
        self.tabs.setCurrentIndex(_VIEWS.index(key))

    def explanation(self) -> str:
        """Why there is nothing to see; empty where there is something."""
        return "" if self.view() is not None else self._empty.accessibleDescription()

    def changeEvent(self, event: QEvent) -> None:
        """Another language: views are made anew, in its words."""
        if event.type() == QEvent.Type.LanguageChange:
            self._name_parts()
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

    def _show_current(self, _index: int = 0) -> None:
        key = self.key()
        if self._trials is None or not len(self._trials):
            self._explain(self.tr("Appears when the first trial is finished."))
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
        if key == IMPORTANCE and not self._asked:
            self._asked = True
            self.importance_wanted.emit()

    def _made(self, key: str) -> SweepView:
        view = _create(key, self._theme)
        view.trial_chosen.connect(self.trial_chosen)
        view.brushed.connect(self.brushed)
        view.work_wanted.connect(self.work_wanted)
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
    from studio.ui.charts.sweeps.heat import HeatView  # noqa: PLC0415
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
        "heat": HeatView,
        "contour": ContourView,
        "pareto": ParetoView,
        IMPORTANCE: ImportanceView,
    }[key](theme)
