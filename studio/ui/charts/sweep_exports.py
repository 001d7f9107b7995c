"""What leaves the charts of a sweep: the trials to the clipboard, the open view to a file."""

from __future__ import annotations

import io
import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from studio.engine.csv_cells import CsvWriter
from studio.ui.charts.exports import Exports
from studio.ui.charts.picture import save_png, save_svg
from studio.ui.theme.icons import set_icon

if TYPE_CHECKING:
    from studio.ui.charts.sweep_charts import SweepCharts
    from studio.ui.charts.sweep_data import SweepTrials

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
