"""What leaves the charts of a sweep: the trials to the clipboard, the open view to a file."""

from __future__ import annotations

import contextlib
import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal, SignalInstance
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu

from studio.engine.errors import StudioError
from studio.ui.charts.picture import save_png, save_svg
from studio.ui.theme.icons import set_icon

if TYPE_CHECKING:
    from studio.ui.charts.sweep_charts import SweepCharts
    from studio.ui.charts.sweep_data import SweepTrials

_AT_ONCE = 500
"""Rows that are written within a frame."""


class SweepExports(QObject):
    """The menu of the charts of a sweep.

    Signals:
        failed: A picture could not be written; carries the `StudioError`.
    """

    failed = Signal(object)
    _written = Signal(str)

    def __init__(self, charts: SweepCharts) -> None:
        super().__init__(charts)
        self._charts = charts
        self.menu = QMenu(charts)
        for icon, text, action in (
            ("copy", self.tr("Copy as CSV"), self.copy),
            ("image", self.tr("Save PNG…"), self.ask_png),
            ("chart", self.tr("Save SVG…"), self.ask_svg),
        ):
            entry = QAction(text, self)
            set_icon(entry, icon, charts.theme)
            entry.triggered.connect(action)
            self.menu.addAction(entry)
        self._written.connect(self._to_clipboard)

    def copy(self) -> None:
        """Put all trials on the clipboard as comma-separated values, many a moment later."""
        trials = self._charts.trials
        if trials is None:
            return
        if len(trials) <= _AT_ONCE:
            self._to_clipboard(csv_of(trials))
            return
        QThreadPool.globalInstance().start(_Writing(trials, self._written))

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

    def ask_png(self) -> None:
        """Ask for a file and write a PNG."""
        self._ask(self.tr("PNG picture (*.png)"), ".png")

    def ask_svg(self) -> None:
        """Ask for a file and write an SVG."""
        self._ask(self.tr("SVG picture (*.svg)"), ".svg")

    def _ask(self, kind: str, suffix: str) -> None:
        name = f"{self._charts.title()}{suffix}"
        title = self.tr("Save the chart")
        chosen, _ = QFileDialog.getSaveFileName(self._charts, title, name, kind)
        if not chosen:
            return
        path = Path(chosen)
        try:
            self.save(path if path.suffix else path.with_suffix(suffix))
        except StudioError as error:
            self.failed.emit(error)

    def _to_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)


class _Writing(QRunnable):
    """Writes many trials in another thread."""

    def __init__(self, trials: SweepTrials, done: SignalInstance) -> None:
        super().__init__()
        self._trials, self._done = trials, done

    def run(self) -> None:
        """Write them, and tell."""
        # The charts may be gone when it is written.
        with contextlib.suppress(RuntimeError):
            self._done.emit(csv_of(self._trials))


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
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["trial", *(axis.name for axis in (*trials.axes, *trials.objectives))])
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()
