"""Base of all charts: title and tools, plot or table, legend, export, accessible summary."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import (
    QByteArray,
    QCoreApplication,
    QElapsedTimer,
    QEvent,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHideEvent,
    QImage,
    QImageWriter,
    QPaintEngine,
    QPainter,
    QRegion,
)
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.files import slug
from studio.ui.charts.header import ChartHeader, Legend, Tools
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import Debounce, text_label, vbox
from studio.ui.widgets.pages import PageStack
from studio.ui.widgets.save_dialog import ask_target
from studio.ui.widgets.table import Table
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.ui.charts.series import Series
    from studio.ui.charts.table import DataTable

_spoken = partial(QCoreApplication.translate, "spoken")

VECTORS: Final = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)
"""Paint engines of files that store shapes."""
_LONG_TABLE: Final = 5000
"""Cells from which a copy is made in a thread, and rows from which a table is filled rarely."""
_TABLE_MS: Final = 3000
"""Shortest time between two fillings of a long table."""
_DESCRIPTION_MS: Final = 1000
"""Shortest time between two descriptions: a live chart draws thirty frames in it."""
_PNG_SCALE: Final = 2
_PICTURE_MARGIN: Final = SPACE.l
MAX_LINES: Final = 8
"""Most lines that a description names."""


class Description(Debounce):
    """Updates the accessible description of a widget, a while after the first of several changes.

    Args:
        widget: The described widget.
        summary: Returns the description; called only when it is written.
    """

    def __init__(self, widget: QWidget, summary: Callable[[], str]) -> None:
        super().__init__(_DESCRIPTION_MS, self.write, widget)
        self._widget = widget
        self._summary = summary

    def schedule(self) -> None:
        """Schedule an update unless one is scheduled."""
        if not self.isActive():
            self.start()

    def write(self) -> None:
        """Write the description now."""
        self.stop()
        text = self._summary()
        if text != self._widget.accessibleDescription():
            self._widget.setAccessibleDescription(text)


class _ChartTable(Table[int]):
    """Positions of the data; the chart copies it, because that may take long."""

    def __init__(self, name: str, copy: Callable[[], None], parent: QWidget) -> None:
        super().__init__(name, (), parent, selection="many")
        self._copy = copy

    def copy_csv(self) -> None:
        """Copy the data."""
        self._copy()


class Chart(QWidget):
    """Chart whose subclass provides the plot widget, its data as a table, and a summary.

    The table view, the copy as CSV, the export as PNG or SVG, the context menu and the description
    for screen readers follow from these. A subclass gives its plot to `set_plot` and implements
    `data_table` and `summary`; if it has more tools, it also implements `apply_scales` and
    `apply_smoothing`, and calls `follow_zoom`.

    Args:
        theme: Colors, which may change later.
        title: Heading, accessible name and suggested file name.
        tools: Tools besides table view and export.

    Attributes:
        title: Heading.

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
        self.title = title
        self.bar = ChartHeader(theme, title, tools, self)
        self.legend = Legend(theme, self)
        self._plot: QWidget | None = None
        self._table: _ChartTable | None = None
        self._since_table = QElapsedTimer()
        self._body = PageStack(self)
        self.description = Description(self, self.summary)
        # A tooltip of Qt would be a separate window, and would close when the pointer rests.
        self.bubble = text_label("", "bubble", self)
        self.bubble.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.bubble.hide()
        self.column = vbox(self.bar, (self._body, 1), self.legend, owner=self, spacing=SPACE.xs)
        self.setAccessibleName(title)
        self._csv_written.connect(_to_clipboard)
        bar = self.bar
        bar.table_action.toggled.connect(self._show_table)
        bar.log_action.toggled.connect(self._on_scales)
        bar.log_x_action.toggled.connect(self._on_scales)
        bar.smoothing_changed.connect(self.apply_smoothing)
        bar.copy_action.triggered.connect(self.copy)
        bar.png_action.triggered.connect(partial(self._on_save, ".png"))
        bar.svg_action.triggered.connect(partial(self._on_save, ".svg"))

    # Provided by a subclass.

    def data_table(self) -> DataTable:
        """Return the shown data."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the shown data in a sentence."""
        raise NotImplementedError

    def apply_scales(self, *, log_x: bool, log_y: bool) -> None:
        """Set linear or logarithmic axes.

        Args:
            log_x: True for a logarithmic x axis.
            log_y: True for a logarithmic y axis.
        """

    def apply_smoothing(self, weight: float) -> None:
        """Smooth by a weight from 0 to 0.999."""

    def prepare_export(self) -> None:
        """Update the plot and remove the marks at the pointer."""
        if self._plot is not None:
            QCoreApplication.sendEvent(self._plot, QEvent(QEvent.Type.Leave))

    def set_plot(self, plot: QWidget) -> None:
        """Set the widget that draws the data."""
        self._plot = plot
        self._body.addWidget(plot)
        plot.setAccessibleName(self.title)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Give the focus to the plot; with a focus proxy, Tab would skip the tools."""
        if self._plot is not None and self._plot.focusPolicy() != Qt.FocusPolicy.NoFocus:
            self._plot.setFocus(event.reason())
        else:
            super().focusInEvent(event)

    def follow_zoom(self, zoomed: SignalInstance, show_all: Callable[[], None]) -> None:
        """Enable the tool to reset the view while a part is shown.

        Args:
            zoomed: Emitted with True while only a part is shown.
            show_all: Shows everything again.
        """
        zoomed.connect(self.bar.reset_action.setEnabled)
        self.bar.reset_action.triggered.connect(show_all)

    def update_texts(self) -> None:
        """Update description and table after the data has changed."""
        self.description.write()
        self.refresh_table()

    # Common to all charts.

    def set_title(self, title: str, *, in_header: bool = True) -> None:
        """Change the heading and the accessible name.

        Args:
            title: The new heading.
            in_header: False if the heading is shown elsewhere, for example on a tab.
        """
        self.title = title
        self.bar.set_title(title if in_header else "")
        self.setAccessibleName(title)
        if self._plot is not None:
            self._plot.setAccessibleName(title)

    @property
    def table_view(self) -> Table[int]:
        """The table, created when first used."""
        if self._table is None:
            name = self.tr("{title} as a table").format(title=self.title)
            self._table = _ChartTable(name, self.copy, self)
            explain(self._table, self.tr("The same data as in the chart, as a table."))
            self._body.addWidget(self._table)
        return self._table

    def is_table_shown(self) -> bool:
        """Return True while the table is shown instead of the plot."""
        return self.bar.table_action.isChecked()

    def refresh_table(self) -> int:
        """Fill the table if it is shown; a long one rarely, as a million rows take 0.1 s.

        Returns:
            Milliseconds until the table may be filled, 0 if it is up to date.
        """
        if not self.is_table_shown() or self._table is None:
            return 0
        if self._since_table.isValid() and len(self._table.content.rows) > _LONG_TABLE:
            left = _TABLE_MS - self._since_table.elapsed()
            if left > 0:
                return left
        from studio.ui.charts.table import table_columns  # noqa: PLC0415 - NumPy

        table = self.data_table()
        columns = table_columns(table, is_sortable=len(table) <= _LONG_TABLE)
        self._table.show_rows(range(len(table)), columns)
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
            is_svg = path.suffix.lower() == ".svg"
            is_written = self._write_svg(path) if is_svg else self._write_png(path)
        finally:
            self.bar.set_tools_shown(shown=True)
        if not is_written:
            raise StudioError(
                'The image could not be written to "{path}".',
                "Choose an existing folder that you can write to.",
                where=str(path),
                path=path,
            )

    def set_log(self, *, log: bool) -> None:
        """Use a logarithmic y axis, without values that are not positive."""
        self.bar.log_action.setChecked(log)

    def set_log_x(self, *, log: bool) -> None:
        """Use a logarithmic x axis, without values that are not positive."""
        self.bar.log_x_action.setChecked(log)

    def show_bubble(self, text: str, position: QPoint) -> None:
        """Show a bubble; an empty text hides it.

        Args:
            text: Its lines.
            position: In pixels of the screen.
        """
        if not text:
            self.bubble.hide()
            return
        self.setAccessibleDescription(text.replace("\n", ", "))
        self.bubble.setText(text)
        self.bubble.adjustSize()
        point, size = self.mapFromGlobal(position), self.bubble.size()
        left = point.x() + SPACE.m
        if left + size.width() > self.width():
            left = point.x() - SPACE.m - size.width()
        top = min(max(point.y() - size.height() // 2, 0), self.height() - size.height())
        self.bubble.move(max(0, left), max(0, top))
        self.bubble.raise_()
        self.bubble.show()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the chart."""
        self.bar.menu.popup(event.globalPos())

    def hideEvent(self, event: QHideEvent) -> None:
        """Hide the bubble."""
        super().hideEvent(event)
        self.bubble.hide()

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

    def _on_save(self, suffix: str, _checked: bool = False) -> None:
        kinds = {".png": self.tr("PNG image (*.png)"), ".svg": self.tr("SVG image (*.svg)")}
        name = Path(f"{slug(self.title, 'chart')}{suffix}")
        path = ask_target(self, self.tr("Save the chart"), name, kinds[suffix])
        if path is None:
            return
        try:
            self.save(path)
        except StudioError as error:
            self.failed.emit(error)

    def _write_png(self, path: Path) -> bool:
        image = QImage(
            self._picture_size() * _PNG_SCALE, QImage.Format.Format_ARGB32_Premultiplied
        )
        image.setDevicePixelRatio(_PNG_SCALE)
        painter = QPainter(image)
        self._paint_picture(painter)
        painter.end()
        return QImageWriter(str(path), QByteArray(b"png")).write(image)

    def _write_svg(self, path: Path) -> bool:
        from PySide6.QtSvg import QSvgGenerator  # noqa: PLC0415 - needed only here, and rarely

        generator = QSvgGenerator()
        generator.setFileName(str(path))
        generator.setTitle(self.title)
        generator.setSize(self._picture_size())
        generator.setViewBox(QRect(QPoint(0, 0), self._picture_size()))
        painter = QPainter()
        if not painter.begin(generator):
            return False
        self._paint_picture(painter)
        painter.end()
        return True

    def _picture_size(self) -> QSize:
        return self.size() + QSize(2 * _PICTURE_MARGIN, 2 * _PICTURE_MARGIN)

    def _paint_picture(self, painter: QPainter) -> None:
        painter.fillRect(QRect(QPoint(0, 0), self._picture_size()), self.theme.color("surface"))
        # Without the background of the window, which differs from that of the card around a chart.
        flags = QWidget.RenderFlag.DrawChildren
        self.render(painter, QPoint(_PICTURE_MARGIN, _PICTURE_MARGIN), QRegion(), flags)


def _write(write: Callable[[], str], done: SignalInstance) -> None:
    # The chart may be deleted when the text is ready.
    with contextlib.suppress(RuntimeError):
        done.emit(write())


def _to_clipboard(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def lines_text(
    title: str,
    x_label: str,
    lines: Iterable[tuple[str, Series]],
    y_text: Callable[[float], str],
    x_text: Callable[[float], str],
) -> str:
    """Describe lines: where each ends, and its extremes.

    Args:
        title: Name of y.
        x_label: Name of x.
        lines: Name and points of each.
        y_text: Formats a y value.
        x_text: Formats an x value.
    """
    lines = list(lines)
    parts = [_line_text(x_label, *line, y_text, x_text) for line in lines[:MAX_LINES]]
    parts = [text for text in parts if text]
    if not parts:
        return _spoken("{title}: nothing yet.").format(title=title)
    text = _spoken("{title}: {number} lines. ") if len(lines) > 1 else _spoken("{title}: ")
    if len(lines) > MAX_LINES:
        parts.append(_spoken("and {number} more").format(number=len(lines) - MAX_LINES))
    return text.format(title=title, number=len(lines)) + "; ".join(parts) + "."


def _line_text(
    x_label: str,
    name: str,
    series: Series,
    y_text: Callable[[float], str],
    x_text: Callable[[float], str],
) -> str:
    indices = series.landmarks()
    if indices is None:
        return ""
    last, low, high = (y_text(float(series.y[each])) for each in indices)
    last_at, low_at, high_at = (x_text(float(series.x[each])) for each in indices)
    pattern = _spoken(
        "{name}: {last} at {x} {last_at}, lowest {low} at {low_at}, highest {high} at {high_at}"
    )
    return pattern.format(
        name=name or _spoken("Line"),
        x=x_label,
        last=last,
        last_at=last_at,
        low=low,
        low_at=low_at,
        high=high,
        high_at=high_at,
    )
