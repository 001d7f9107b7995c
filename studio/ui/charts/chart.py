"""Base of all charts: title and tools, plot or table, legend, export, accessible summary."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QElapsedTimer, QEvent, QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHideEvent
from PySide6.QtWidgets import QTableView, QWidget

from studio.engine.errors import StudioError
from studio.ui.charts.export import ask_file, save_picture
from studio.ui.charts.header import ChartHeader, Legend, Tools
from studio.ui.charts.summary import Description
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import text_label, vbox
from studio.ui.widgets.pages import PageStack
from studio.ui.widgets.tables import dress_table
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.ui.charts.table import Table, TableModel

_LONG_TABLE: Final = 5000
_TABLE_MS: Final = 3000
"""Rows from which a table is filled only this often."""


class Chart(QWidget):
    """Chart whose subclass provides the plot widget, its data as a table, and a summary.

    The table view, the copy as CSV, the export as PNG or SVG, the context menu and the description
    for screen readers follow from these. A subclass gives its plot to `set_plot` and implements
    `data_table` and `summary`; where it has more tools, it also implements `reset_view`,
    `apply_scales` and `apply_smoothing`.

    Args:
        theme: Colors, which may change later.
        title: Heading, accessible name and suggested file name.
        tools: Tools besides table view and export.

    Signals:
        failed: A picture could not be written; carries the `StudioError`.
    """

    failed = Signal(object)
    _csv_written = Signal(str)

    def __init__(
        self,
        theme: Theme,
        title: str,
        tools: Tools = Tools.NONE,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self._title = title
        self.bar = ChartHeader(theme, title, tools, self)
        self.legend = Legend(theme, self)
        self._plot: QWidget | None = None
        self._point_at: Callable[[None], None] | None = None
        self._show_all: Callable[[], None] | None = None
        self._table_view: QTableView | None = None
        self._table_model: TableModel | None = None
        self._since_table = QElapsedTimer()
        self._body = PageStack(self)
        self.description = Description(self, self.summary)
        # A tooltip of Qt would be a window of its own, and close when the pointer rests.
        self.bubble = text_label("", "bubble", self)
        self.bubble.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.bubble.hide()
        self.column = vbox(self.bar, (self._body, 1), self.legend, owner=self, spacing=SPACE.xs)
        self.setAccessibleName(title)
        self._csv_written.connect(_to_clipboard)
        bar = self.bar
        bar.table_action.toggled.connect(self._show_table)
        bar.reset_action.triggered.connect(self.reset_view)
        bar.log_action.toggled.connect(self._on_scales)
        bar.log_x_action.toggled.connect(self._on_scales)
        bar.smoothing_changed.connect(self.apply_smoothing)
        bar.copy_action.triggered.connect(self.copy)
        bar.png_action.triggered.connect(self._ask_png)
        bar.svg_action.triggered.connect(self._ask_svg)

    # What a subclass provides.

    def data_table(self) -> Table:
        """Return the shown data."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the shown data in a sentence."""
        raise NotImplementedError

    def reset_view(self) -> None:
        """Show everything again after zooming."""
        if self._show_all is not None:
            self._show_all()

    def apply_scales(self, *, log_x: bool, log_y: bool) -> None:
        """Use linear or logarithmic axes."""

    def apply_smoothing(self, weight: float) -> None:
        """Smooth by a weight from 0 to 0.999."""

    def prepare_export(self) -> None:
        """Bring the plot up to date and end what is drawn for the pointer."""
        if self._point_at is not None:
            self._point_at(None)

    def set_plot(
        self,
        plot: QWidget,
        *,
        point_at: Callable[[None], None] | None = None,
        show_all: Callable[[], None] | None = None,
        zoomed: SignalInstance | None = None,
    ) -> None:
        """Set the widget that draws the data.

        Args:
            plot: The widget.
            point_at: Ends what the plot draws for the pointer.
            show_all: Shows everything again after zooming.
            zoomed: Signal of the plot: whether only a part is shown.
        """
        self._plot, self._point_at, self._show_all = plot, point_at, show_all
        if zoomed is not None:
            zoomed.connect(self.bar.reset_action.setEnabled)
        self._body.addWidget(plot)
        if plot.focusPolicy() != Qt.FocusPolicy.NoFocus:
            self.setFocusProxy(plot)

    # What every chart can do.

    @property
    def title(self) -> str:
        """Heading."""
        return self._title

    def set_title(self, title: str, *, in_header: bool = True) -> None:
        """Change the heading and the accessible name.

        Args:
            title: The new one.
            in_header: False where the heading is shown elsewhere, as on a tab.
        """
        self._title = title
        self.bar.set_title(title if in_header else "")
        self.setAccessibleName(title)
        if self._plot is not None:
            self._plot.setAccessibleName(title)

    @property
    def table_view(self) -> QTableView:
        """The table, created when first used."""
        if self._table_view is None:
            from studio.ui.charts.table import TableModel  # noqa: PLC0415 - NumPy

            view, model = QTableView(self), TableModel()
            view.setModel(model)
            explain(view, self.tr("The same data as in the chart, as a table."))
            view.setAccessibleName(self.tr("{title} as a table").format(title=self._title))
            dress_table(view)
            # Digits line up in columns of their own width; stretching the last would part them.
            view.horizontalHeader().setStretchLastSection(False)
            self._body.addWidget(view)
            self._table_view, self._table_model = view, model
        return self._table_view

    def set_table_shown(self, *, shown: bool) -> None:
        """Show the numbers instead of the plot."""
        self.bar.table_action.setChecked(shown)

    def is_table_shown(self) -> bool:
        """Return True while the numbers are shown instead of the plot."""
        return self.bar.table_action.isChecked()

    def refresh_table(self) -> int:
        """Fill the table if it is shown; a long one seldom, as a million rows take 0.1 s.

        Returns:
            Milliseconds until the table may be filled, 0 if it is up to date.
        """
        if not self.is_table_shown() or self._table_model is None:
            return 0
        if self._since_table.isValid() and self._table_model.rowCount() > _LONG_TABLE:
            left = _TABLE_MS - self._since_table.elapsed()
            if left > 0:
                return left
        self._table_model.set_table(self.data_table())
        self._since_table.start()
        return 0

    def csv_text(self) -> str:
        """Return the data as comma-separated values."""
        return self.data_table().csv()

    def copy(self) -> None:
        """Copy the data as comma-separated values; a long table from another thread."""
        table = self.data_table()
        if len(table) * len(table.columns) <= _LONG_TABLE:
            _to_clipboard(table.csv())
        else:
            work = (table.csv, self._csv_written)
            threading.Thread(target=_write, args=work, daemon=True).start()

    def save(self, path: Path) -> None:
        """Write the chart without its tools, as SVG or PNG depending on the suffix.

        Raises:
            StudioError: The file cannot be written.
        """
        self.bubble.hide()
        self.prepare_export()
        self.bar.set_tools_shown(shown=False)
        try:
            save_picture(self, path, self.theme.color("surface"), self._title)
        finally:
            self.bar.set_tools_shown(shown=True)

    def set_log(self, *, log: bool) -> None:
        """Use a logarithmic y axis; values that are not positive are left out."""
        self.bar.log_action.setChecked(log)

    def set_log_x(self, *, log: bool) -> None:
        """Use a logarithmic x axis; values that are not positive are left out."""
        self.bar.log_x_action.setChecked(log)

    def set_smoothing(self, weight: float) -> None:
        """Smooth by a weight from 0 to 0.999, with the raw curves faint behind."""
        self.bar.set_smoothing(weight)

    def show_bubble(self, text: str, position: QPoint) -> None:
        """Show lines next to a screen position; an empty text hides them."""
        if not text:
            self.bubble.hide()
            return
        self.setAccessibleDescription(text.replace("\n", ", "))
        self.bubble.setText(text)
        self.bubble.adjustSize()
        point, room = self.mapFromGlobal(position), self.bubble.size()
        left = point.x() + SPACE.m
        if left + room.width() > self.width():
            left = point.x() - SPACE.m - room.width()
        top = min(max(point.y() - room.height() // 2, 0), self.height() - room.height())
        self.bubble.move(max(0, left), max(0, top))
        self.bubble.raise_()
        self.bubble.show()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the chart."""
        self.bar.menu.popup(event.globalPos())

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is under the pointer."""
        super().hideEvent(event)
        self.bubble.hide()

    def changeEvent(self, event: QEvent) -> None:
        """Translate again if the language changes."""
        if event.type() == QEvent.Type.LanguageChange and self._table_view is not None:
            name = self.tr("{title} as a table").format(title=self._title)
            self._table_view.setAccessibleName(name)
        super().changeEvent(event)

    def _show_table(self, shown: bool) -> None:
        if shown:
            self._since_table.invalidate()
            self._body.setCurrentWidget(self.table_view)
            self.refresh_table()
        elif self._plot is not None:
            self._body.setCurrentWidget(self._plot)

    def _on_scales(self, _log: bool) -> None:
        bar = self.bar
        self.apply_scales(log_x=bar.log_x_action.isChecked(), log_y=bar.log_action.isChecked())

    def _ask_png(self) -> None:
        self._ask(".png")

    def _ask_svg(self) -> None:
        self._ask(".svg")

    def _ask(self, suffix: str) -> None:
        path = ask_file(self, self._title, suffix)
        if path is None:
            return
        try:
            self.save(path)
        except StudioError as error:
            self.failed.emit(error)


def _write(write: Callable[[], str], done: SignalInstance) -> None:
    # The chart may be gone when the text is ready.
    with contextlib.suppress(RuntimeError):
        done.emit(write())


def _to_clipboard(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
