"""A chart that grows while someone watches: curves, legend, read-out, zoom, table, exports."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QElapsedTimer, QEvent, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QResizeEvent
from PySide6.QtWidgets import QTableView, QVBoxLayout, QWidget

from studio.ui.charts.chart_bar import ChartBar
from studio.ui.charts.chart_exports import ChartExports
from studio.ui.charts.legend import Legend
from studio.ui.charts.read_out import ReadOut, points_at
from studio.ui.charts.spoken import Description, curves_text
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.explain import explain
from studio.ui.widgets.page_stack import PageStack
from studio.ui.widgets.tables import dress_table

if TYPE_CHECKING:
    from studio.ui.charts.curves import Curve
    from studio.ui.charts.plot_area import Stretches
    from studio.ui.charts.series import Array
    from studio.ui.charts.table import Row, Table

FRAME_MS: Final = 33
"""Shortest time between two repaints."""

_COMPACT_BELOW: Final = 250
"""Height in pixels below which the legend has no values."""
_LEGEND_FROM: Final = 170
"""Height in pixels from which there is a legend."""
_LONG_TABLE: Final = 5000
_TABLE_MS: Final = 3000
"""Rows from which on a table is filled so seldom."""
_AT_ONCE: Final = 100_000
_SMOOTHING_MS: Final = 8
"""Points that are smoothed before the clock is asked, and how long that may go on in a frame."""


class LiveChart(QWidget):
    """Curves over epochs or steps.

    Data may arrive as often as it likes; it is drawn at most once per `FRAME_MS`. No point is ever
    thinned away: a frame costs as much as it has pixels. The view follows the data until the user
    zooms (drag a rectangle, wheel) or moves (Shift and drag); double click or "Reset view" follows
    again.

    Args:
        theme: Colors, also when they change.
        title: Heading, and name for screen readers.
        x_label: What x counts, for example "Epoch".
        y_label: What y is; for the accessible description and the axis.
        percent: y is a share between 0 and 1 and is shown in percent.
        whole_x: x counts something, so that only whole numbers are marked.

    Signals:
        failed: A picture could not be written; carries the `StudioError`.
        view_reset: Everything is shown again after the user had zoomed.

    Attributes:
        delay_ms: Data waits so long at least, so that charts side by side draw in turns.
    """

    delay_ms = 0

    failed = Signal(object)
    view_reset = Signal()

    def __init__(
        self,
        theme: Theme,
        title: str,
        x_label: str,
        y_label: str,
        *,
        percent: bool = False,
        whole_x: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        # The first chart pays for importing pyqtgraph and NumPy, not the start of the window.
        from studio.ui.charts.plot_area import PlotArea  # noqa: PLC0415
        from studio.ui.charts.table import ChartTable  # noqa: PLC0415

        self._theme = theme
        self._title, self._x_label, self._y_label = title, x_label, y_label
        self._curves: dict[str, Curve] = {}
        self._weight = 0.0
        self._hover = math.nan
        self._since_draw = QElapsedTimer()
        self._since_table = QElapsedTimer()
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.timeout.connect(self.flush)
        self.bar = ChartBar(theme, title, x_label, self)
        self.plot = PlotArea(theme, percent=percent, whole_x=whole_x)
        self.legend = Legend(theme, self)
        self._figures = ReadOut(
            self.legend, self.bar, x_label, percent_values=percent, whole_x=whole_x
        )
        self.table_view = QTableView(self)
        explain(self.table_view, self.tr("The same figures as the chart, as a table."))
        self._table_model = ChartTable(percent_values=percent)
        self._body = PageStack(self)
        self.description = Description(self, self._told)
        self._exports = ChartExports(self)
        self._lay_out()
        self._connect()
        self._retranslate()
        self.setMinimumSize(280, 220)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A low chart has a short legend or none, so that the curves keep their room."""
        super().resizeEvent(event)
        self.legend.set_compact(is_compact=self.height() < _COMPACT_BELOW)
        self.legend.setVisible(self.height() >= _LEGEND_FROM)

    def set_curve(
        self,
        key: str,
        x: Iterable[float],
        y: Iterable[float],
        *,
        name: str,
        color_index: int,
        dashed: bool = False,
        faint: bool = False,
    ) -> None:
        """Add a curve, or replace its points and looks; x ascends, NaN in y is a gap.

        Raises:
            ValueError: There are not as many x as y.
        """
        from studio.ui.charts.curves import Curve  # noqa: PLC0415 - see __init__

        curve = self._curves.get(key)
        if curve is None:
            curve = Curve(key, name)
            self._curves[key] = curve
        curve.set_data(x, y)
        curve.name, curve.color_index = name, color_index
        curve.dashed, curve.faint = dashed, faint
        self._share_weight()
        self.legend.entry(key).set_look(name, color_index, dashed=dashed, faint=faint)
        self._schedule()

    def extend(self, key: str, x: Iterable[float], y: Iterable[float]) -> None:
        """Add points at the end of a curve; `KeyError` where `set_curve` did not make one."""
        self._curves[key].extend(x, y)
        self._schedule()

    def append(self, key: str, x: float, y: float) -> None:
        """Add a point at the end of a curve; `KeyError` where `set_curve` did not make one."""
        self._curves[key].append(x, y)
        self._schedule()

    def clear(self) -> None:
        """Remove all curves and the mark; the view follows the data again."""
        self._curves.clear()
        self.legend.clear()
        self.plot.show_mark(None)
        self.reset_view()

    def set_values(self, title: str, *, percent: bool, rises: bool) -> None:
        """Show another figure from now on; its curves are to be set after this.

        Args:
            title: Its name.
            percent: Whether it is a share between 0 and 1, shown in percent.
            rises: Whether it grows while a network learns.
        """
        self._title = self._y_label = title
        self.bar.set_title(title)
        self.plot.set_percent(percent=percent, rises=rises)
        self._figures.set_percent(percent_values=percent)
        self._table_model.set_percent(percent_values=percent)
        self._retranslate()
        self._schedule()

    def set_mark(self, x: float | None, text: str = "") -> None:
        """Mark an x value, such as the best epoch; None takes the mark away."""
        self.plot.show_mark(x, text)

    def set_stretches(self, stretches: Stretches) -> None:
        """Shade stretches of x, such as the epochs that something is wrong with."""
        self.plot.show_stretches(stretches)

    def set_curve_visible(self, key: str, *, visible: bool) -> None:
        """Show or hide a curve, as its entry in the legend does."""
        self.legend.entry(key).setChecked(visible)

    def set_smoothing(self, weight: float) -> None:
        """Smooth by 0 to 0.999, the raw curves faint behind.

        Where there are faint curves, of single steps, these alone: the others are means already.
        """
        self.bar.set_smoothing(weight)

    def set_log(self, *, log: bool) -> None:
        """Use a logarithmic y axis; what is not positive becomes a gap."""
        self.bar.log_button.setChecked(log)

    def set_log_x(self, *, log: bool) -> None:
        """Use a logarithmic x axis; what is not positive is left out."""
        self.bar.log_x_action.setChecked(log)

    def link(self, other: LiveChart) -> None:
        """Zoom and move along x, and show everything again, together with another chart."""
        for one, two in ((self, other), (other, self)):
            one.plot.zoomed.connect(two.plot.show_x)
            one.bar.log_x_action.toggled.connect(two.bar.log_x_action.setChecked)
            one.view_reset.connect(two.reset_view)

    def set_table_shown(self, *, shown: bool) -> None:
        """Show the numbers instead of the plot."""
        self.bar.table_button.setChecked(shown)

    def reset_view(self) -> None:
        """Show everything, and follow the data again."""
        if not self.plot.follows:
            self.plot.set_follows(follows=True)
            self.view_reset.emit()
        self._schedule()

    def curve_data(self, key: str) -> tuple[Array, Array]:
        """The points of a curve as they were given; `KeyError` where there is no such curve."""
        series = self._curves[key].series
        return series.x, series.y

    @property
    def title(self) -> str:
        """The heading."""
        return self._title

    @property
    def theme(self) -> Theme:
        """The colors in use."""
        return self._theme

    def keys(self) -> list[str]:
        """The curves, in the order in which they were set."""
        return list(self._curves)

    def values_at(self, x: float) -> dict[str, float]:
        """The value of each visible curve at its point nearest to x, as drawn (smoothed)."""
        points = points_at(self._curves.values(), x)
        return {key: value for key, (_, value) in points.items()}

    def table(self) -> tuple[list[str], list[Row]]:
        """The visible curves as a header and rows; x first, None where a curve has no value."""
        table = self.whole_table()
        return table.header, table.rows()

    def whole_table(self) -> Table:
        """The visible curves side by side, as arrays."""
        from studio.ui.charts.table import table_of  # noqa: PLC0415 - see __init__

        return table_of(self._x_label, self._visible())

    def csv_text(self) -> str:
        """The table as comma-separated values."""
        from studio.ui.charts.table import csv_of  # noqa: PLC0415 - see __init__

        return csv_of(self.whole_table())

    def save(self, path: Path) -> None:
        """Write title, plot and legend as a picture, SVG or PNG by the file's name.

        Raises:
            StudioError: The file cannot be written.
        """
        self._exports.save(path)

    def end_hover(self) -> None:
        """Forget the pointer: the legend shows the last values again."""
        self._hover = math.nan

    def flush(self) -> None:
        """Draw what has arrived now, without waiting for the next frame."""
        self._frame.stop()
        self._since_draw.start()
        if self._smooth_on():
            self._schedule()
        self.plot.draw(self._curves.values())
        self._read_out()
        self.description.renew()
        if self._body.currentWidget() is self.table_view:
            self._fill_table()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The same menu as the button with the dots."""
        self.bar.menu.popup(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        """Another language, other words."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        self.table_view.setModel(self._table_model)
        dress_table(self.table_view)
        # Figures stand under each other; a stretched last column would tear them apart.
        self.table_view.horizontalHeader().setStretchLastSection(False)
        self._body.addWidget(self.plot)
        self._body.addWidget(self.table_view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addWidget(self.bar)
        column.addWidget(self._body, 1)
        column.addWidget(self.legend)

    def _connect(self) -> None:
        self._theme.changed.connect(self._recolor)
        self.plot.hovered.connect(self._hovered)
        self.plot.follow_changed.connect(self._follow_changed)
        self.plot.double_clicked.connect(self.reset_view)
        self.legend.switched.connect(self._switched)
        bar = self.bar
        bar.reset_button.clicked.connect(self.reset_view)
        bar.log_button.toggled.connect(self._set_axes)
        bar.log_x_action.toggled.connect(self._set_axes)
        bar.table_button.toggled.connect(self._show_table)
        bar.smoothing_changed.connect(self._set_weight)
        bar.copy_action.triggered.connect(self._exports.copy)
        bar.png_action.triggered.connect(self._exports.ask_png)
        bar.svg_action.triggered.connect(self._exports.ask_svg)
        self._exports.failed.connect(self.failed)

    def _retranslate(self) -> None:
        self.setAccessibleName(self._title)
        self.plot.setAccessibleName(self._title)
        self.table_view.setAccessibleName(self.tr("{title} as a table").format(title=self._title))

    def _told(self) -> str:
        return curves_text(self._y_label, self._x_label, self._visible(), self._figures.figure)

    def _visible(self) -> list[Curve]:
        return [curve for curve in self._curves.values() if curve.visible]

    def _schedule(self) -> None:
        if not self._frame.isActive():
            elapsed = self._since_draw.elapsed() if self._since_draw.isValid() else FRAME_MS
            self._frame.start(max(self.delay_ms, FRAME_MS - elapsed))

    def _read_out(self) -> None:
        self.plot.show_line(self._figures.show(self._curves, self._hover))

    def _hovered(self, x: float) -> None:
        self._hover = x
        self._read_out()

    def _follow_changed(self, follows: bool) -> None:
        self.bar.reset_button.setEnabled(not follows)

    def _switched(self, key: str, visible: bool) -> None:
        if key in self._curves:
            self._curves[key].visible = visible
            self._schedule()

    def _set_axes(self, _log: bool) -> None:
        from studio.ui.charts.trace import Axes  # noqa: PLC0415 - see __init__

        log_x, log_y = self.bar.log_x_action.isChecked(), self.bar.log_button.isChecked()
        self.plot.set_axes(Axes(log_x, log_y))
        self.reset_view()

    def _smooth_on(self) -> bool:
        """Smooth for a part of a frame; returns whether something is left for the next one.

        A million points take 20 ms.
        """
        spent = QElapsedTimer()
        spent.start()
        for curve in self._visible():
            while curve.smooth_on(_AT_ONCE):
                if spent.elapsed() >= _SMOOTHING_MS:
                    return True
        return False

    def _set_weight(self, weight: float) -> None:
        self._weight = weight
        self._share_weight()
        self._schedule()

    def _fill_table(self) -> None:
        """Fill the table, a long one seldom: a million rows take a tenth of a second."""
        if self._since_table.isValid() and self._table_model.rowCount() > _LONG_TABLE:
            left = _TABLE_MS - self._since_table.elapsed()
            if left > 0:
                self._frame.start(left)
                return
        self._table_model.set_table(self.whole_table())
        self._since_table.start()

    def _share_weight(self) -> None:
        some_faint = any(curve.faint for curve in self._curves.values())
        for curve in self._curves.values():
            curve.weight = self._weight if curve.faint or not some_faint else 0.0

    def _show_table(self, shown: bool) -> None:
        self._body.setCurrentWidget(self.table_view if shown else self.plot)
        self._since_table.invalidate()
        self._schedule()

    def _recolor(self) -> None:
        self.plot.recolor()
        self._schedule()
