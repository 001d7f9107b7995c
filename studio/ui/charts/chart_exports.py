"""What leaves a chart: its numbers to the clipboard, its picture to a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.ui.charts.exports import Exports
from studio.ui.charts.picture import save_png, save_svg

if TYPE_CHECKING:
    from studio.ui.charts.live_chart import LiveChart
    from studio.ui.charts.table import Table

_AT_ONCE = 5000
"""Rows that are written within a frame."""


class ChartExports(Exports):
    """The actions in the menu of a chart."""

    def __init__(self, chart: LiveChart) -> None:
        super().__init__(chart)
        self._chart = chart

    def title(self) -> str:
        """That of the chart."""
        return self._chart.title

    def copy(self) -> None:
        """Put the table on the clipboard as comma-separated values, a long one a moment later."""
        table = self._chart.whole_table()
        self._copy(partial(_csv, table), now=len(table) <= _AT_ONCE)

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


def _csv(table: Table) -> str:
    from studio.ui.charts.table import csv_of  # noqa: PLC0415 - NumPy

    return csv_of(table)
