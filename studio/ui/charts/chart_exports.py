"""What leaves a chart: its numbers to the clipboard, its picture to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from studio.engine.errors import StudioError
from studio.ui.charts.picture import save_png, save_svg

if TYPE_CHECKING:
    from studio.ui.charts.live_chart import LiveChart


class ChartExports(QObject):
    """The actions in the menu of a chart.

    Signals:
        failed: A picture could not be written; carries the `StudioError`.
    """

    failed = Signal(object)

    def __init__(self, chart: LiveChart) -> None:
        super().__init__(chart)
        self._chart = chart

    def copy(self) -> None:
        """Put the table on the clipboard as comma-separated values."""
        QGuiApplication.clipboard().setText(self._chart.csv_text())

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
