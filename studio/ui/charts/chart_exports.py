"""What leaves a chart: its numbers to the clipboard, its picture to a file."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from studio.engine.errors import StudioError
from studio.ui.charts.picture import save_png, save_svg

if TYPE_CHECKING:
    from studio.ui.charts.live_chart import LiveChart
    from studio.ui.charts.table import Table

_AT_ONCE = 5000
"""Rows that are written within a frame."""


class ChartExports(QObject):
    """The actions in the menu of a chart.

    Signals:
        failed: A picture could not be written; carries the `StudioError`.
    """

    failed = Signal(object)
    _written = Signal(str)

    def __init__(self, chart: LiveChart) -> None:
        super().__init__(chart)
        self._chart = chart
        self._written.connect(self._to_clipboard)

    def copy(self) -> None:
        """Put the table on the clipboard as comma-separated values, a long one a moment later."""
        table = self._chart.whole_table()
        if len(table) <= _AT_ONCE:
            self._to_clipboard(_csv(table))
            return
        QThreadPool.globalInstance().start(_Writing(table, self._written))

    def _to_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)

    def save(self, path: Path) -> None:
        """Write the chart without its tools, SVG or PNG by the file's name.

        Raises:
            StudioError: The file cannot be written.
        """
        chart = self._chart
        chart.end_hover()
        chart.flush()
        ground = chart.theme.color("surface")
        chart.bar.set_tools_shown(shown=False)
        try:
            if path.suffix.lower() == ".svg":
                save_svg(chart, path, ground, chart.title)
            else:
                save_png(chart, path, ground)
        finally:
            chart.bar.set_tools_shown(shown=True)

    def ask_png(self) -> None:
        """Ask for a file and write a PNG."""
        self._ask(self.tr("PNG picture (*.png)"), ".png")

    def ask_svg(self) -> None:
        """Ask for a file and write an SVG."""
        self._ask(self.tr("SVG picture (*.svg)"), ".svg")

    def _ask(self, kind: str, suffix: str) -> None:
        title = self._chart.title
        chosen, _ = QFileDialog.getSaveFileName(
            self._chart, self.tr("Save the chart"), f"{title}{suffix}", kind
        )
        if not chosen:
            return
        path = Path(chosen)
        try:
            self.save(path if path.suffix else path.with_suffix(suffix))
        except StudioError as error:
            self.failed.emit(error)


class _Writing(QRunnable):
    """Writes a long table in another thread."""

    def __init__(self, table: Table, done: SignalInstance) -> None:
        super().__init__()
        self._table, self._done = table, done

    def run(self) -> None:
        """Write it, and tell."""
        # The chart may be gone when it is written.
        with contextlib.suppress(RuntimeError):
            self._done.emit(_csv(self._table))


def _csv(table: Table) -> str:
    from studio.ui.charts.table import csv_of  # noqa: PLC0415 - NumPy

    return csv_of(table)
