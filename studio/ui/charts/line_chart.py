"""Chart of curves that grow live."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QElapsedTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.ui.charts.chart import Chart, lines_text
from studio.ui.charts.header import Tools
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import NO_VALUE, number, percent, significant
from studio.ui.widgets.layout import Debounce

if TYPE_CHECKING:
    from studio.ui.charts.curves import Curve, Intervals
    from studio.ui.charts.series import Array
    from studio.ui.charts.table import DataTable

FRAME_MS: Final = 33
"""Shortest time between two repaints."""

_LEGEND_SHARE: Final = 0.22
"""Largest fraction of the height of a chart that its legend takes."""
_LEGEND_FROM: Final = 150
"""Height in pixels from which there is a legend."""
_AT_ONCE: Final = 100_000
_SMOOTHING_MS: Final = 8
"""Points smoothed between two checks of the time, and time limit for smoothing per frame."""


class LineChart(Chart):
    """Curves over epochs or steps.

    Data may arrive at any rate; it is drawn at most once per `FRAME_MS`. No point is dropped: the
    cost of a frame depends on its pixels. The view follows the data until the user zooms (drag a
    rectangle, wheel) or pans (Shift and drag); double click or "Reset view" follows again.

    Args:
        theme: Colors, which may change later.
        title: Heading and accessible name.
        x_label: Name of x, for example "Epoch".
        y_label: Name of y, for the accessible description.
        percent: True if y is a fraction between 0 and 1, shown in percent.
        whole_x: True if x is a count, with ticks at whole numbers.

    Signals:
        view_reset: Everything is shown again after zooming.

    Attributes:
        delay_ms: Least delay of new data, so that neighboring charts draw in turns.
    """

    delay_ms = 0

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
        tools = Tools.ZOOM | Tools.LOG_X | Tools.LOG_Y | Tools.SMOOTHING
        super().__init__(theme, title, tools, parent)
        # NumPy and pyqtgraph are imported with the first chart, not when the window starts.
        from studio.ui.charts.curves import LinePlot  # noqa: PLC0415

        self._x_label, self._y_label = x_label, y_label
        self._percent, self._whole_x = percent, whole_x
        self._curves: dict[str, Curve] = {}
        self._weight = 0.0
        self._hover = math.nan
        self._since_draw = QElapsedTimer()
        self._frame = Debounce(0, self.flush, self)
        self.bar.set_x_label(x_label)
        self.plot = LinePlot(theme, percent=percent, whole_x=whole_x)
        self.plot.setAccessibleName(title)
        self.set_plot(self.plot)
        theme.changed.connect(self._recolor)
        self.plot.hovered.connect(self._hovered)
        self.plot.follow_changed.connect(self.bar.reset_action.setDisabled)
        self.bar.reset_action.triggered.connect(self.reset_view)
        self.plot.double_clicked.connect(self.reset_view)
        self.legend.switched.connect(self._switched)
        self.bar.table_action.toggled.connect(self._schedule)
        self.setMinimumSize(280, 220)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten or hide the legend of a low chart."""
        super().resizeEvent(event)
        self.legend.set_room(round(self.height() * _LEGEND_SHARE))
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
        """Add a curve, or replace its points and style.

        Args:
            key: Identifier of the curve.
            x: Ascending, shape (n,).
            y: Shape (n,); NaN is a gap.
            name: Name in the legend.
            color_index: Index of its color.
            dashed: True for a dashed line.
            faint: True for a faint line.

        Raises:
            ValueError: The lengths differ.
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
        self.legend.entry(key).set_style(name, color_index, dashed=dashed, faint=faint)
        self._schedule()

    def extend(self, key: str, x: Iterable[float], y: Iterable[float]) -> None:
        """Append points to a curve.

        Args:
            key: Identifier of the curve.
            x: Ascending, shape (n,).
            y: Shape (n,); NaN is a gap.

        Raises:
            KeyError: `set_curve` did not create it.
        """
        self._curves[key].series.extend(x, y)
        self._schedule()

    def append(self, key: str, x: float, y: float) -> None:
        """Append a point to a curve.

        Args:
            key: Identifier of the curve.
            x: Greater than the last one.
            y: NaN is a gap.

        Raises:
            KeyError: `set_curve` did not create it.
        """
        self._curves[key].series.append(x, y)
        self._schedule()

    def clear(self) -> None:
        """Remove all curves and the mark; the view follows the data again."""
        self._curves.clear()
        self.legend.clear()
        self.plot.show_mark(None)
        self.reset_view()

    def set_values(self, title: str, *, percent: bool, rises: bool) -> None:
        """Switch to another metric; its curves are set afterwards.

        Args:
            title: Its name.
            percent: True for fractions between 0 and 1, shown in percent.
            rises: True for values that grow while a network learns.
        """
        self._y_label, self._percent = title, percent
        self.set_title(title)
        self.plot.set_percent(percent=percent, rises=rises)
        self._schedule()

    def set_mark(self, x: float | None, text: str = "") -> None:
        """Mark an x value, such as the best epoch.

        Args:
            x: The value; None to remove the mark.
            text: Text next to it.
        """
        self.plot.show_mark(x, text)

    def set_intervals(self, intervals: Intervals) -> None:
        """Shade intervals of x, such as epochs in which something is wrong."""
        self.plot.show_intervals(intervals)

    def link(self, other: LineChart) -> None:
        """Zoom and move along x, and show everything again, together with another chart."""
        for one, two in ((self, other), (other, self)):
            one.plot.zoomed.connect(two.plot.show_x)
            one.bar.log_x_action.toggled.connect(two.bar.log_x_action.setChecked)
            one.view_reset.connect(two.reset_view)

    def reset_view(self) -> None:
        """Show everything, and follow the data again."""
        if not self.plot.follows:
            self.plot.set_follows(follows=True)
            self.view_reset.emit()
        self._schedule()

    def apply_scales(self, *, log_x: bool, log_y: bool) -> None:
        """Set linear or logarithmic axes; see `Chart.apply_scales`."""
        from studio.ui.charts.series import Axes  # noqa: PLC0415 - see __init__

        self.plot.set_axes(Axes(log_x, log_y))
        self.reset_view()

    def apply_smoothing(self, weight: float) -> None:
        """Smooth the curves of single steps if there are any; the others are means already."""
        self._weight = weight
        self._share_weight()
        self._schedule()

    def prepare_export(self) -> None:
        """Draw new data, without the line under the pointer."""
        self._hover = math.nan
        self.flush()

    def curve_data(self, key: str) -> tuple[Array, Array]:
        """Return the raw points of a curve; raises `KeyError` for an unknown one."""
        series = self._curves[key].series
        return series.x, series.y

    def keys(self) -> list[str]:
        """Return the keys of the curves, in the order in which they were set."""
        return list(self._curves)

    def points_at(self, x: float) -> dict[str, tuple[float, float]]:
        """Return the point of each visible curve nearest to x, as drawn, without gaps."""
        points = {key: each.at(x) for key, each in self._curves.items() if each.visible}
        return {key: point for key, point in points.items() if point is not None}

    def data_table(self) -> DataTable:
        """Return the visible curves side by side."""
        from studio.ui.charts.curves import table_of  # noqa: PLC0415 - see __init__

        return table_of(self._x_label, self._visible(), self._value_text)

    def summary(self) -> str:
        """Describe the visible curves."""
        lines = ((each.name, each.series) for each in self._visible())
        return lines_text(self._y_label, self._x_label, lines, self._value_text, number)

    def flush(self) -> None:
        """Draw new data now, without waiting for the next frame."""
        self._frame.stop()
        self._since_draw.start()
        if self._smooth_on():
            self._schedule()
        self.plot.draw(self._curves.values())
        self._show_values()
        self.description.schedule()
        wait = self.refresh_table()
        if wait:
            self._frame.start(wait)

    def _value_text(self, value: float) -> str:
        return percent(value) if self._percent else significant(value)

    def _visible(self) -> list[Curve]:
        return [curve for curve in self._curves.values() if curve.visible]

    def _schedule(self, _shown: bool = False) -> None:
        if not self._frame.isActive():
            elapsed = self._since_draw.elapsed() if self._since_draw.isValid() else FRAME_MS
            self._frame.start(max(self.delay_ms, FRAME_MS - elapsed))

    def _show_values(self) -> None:
        """Show the values at the pointer, or the last ones, in the legend."""
        inside = math.isfinite(self._hover)
        x = self._hover if inside else math.inf
        points = self.points_at(x)
        for key in self._curves:
            text = self._value_text(points[key][1]) if key in points else NO_VALUE
            self.legend.entry(key).set_value(text)
        nearest = None
        if inside:
            nearest = min(
                (at for at, _ in points.values()), key=lambda at: abs(at - x), default=None
            )
        if nearest is None:
            self.bar.set_read_out("")
        else:
            position = number(round(nearest, 1), 12) if self._whole_x else number(nearest)
            self.bar.set_read_out(f"{self._x_label} {position}")
        self.plot.show_line(nearest)

    def _hovered(self, x: float) -> None:
        self._hover = x
        self._show_values()

    def _switched(self, key: str, visible: bool) -> None:
        if key in self._curves:
            self._curves[key].visible = visible
            self._schedule()

    def _smooth_on(self) -> bool:
        """Smooth for a part of a frame, and return True if points are left.

        A million points take 20 ms.
        """
        spent = QElapsedTimer()
        spent.start()
        for curve in self._visible():
            while curve.smooth_on(_AT_ONCE):
                if spent.elapsed() >= _SMOOTHING_MS:
                    return True
        return False

    def _share_weight(self) -> None:
        some_faint = any(curve.faint for curve in self._curves.values())
        for curve in self._curves.values():
            curve.weight = self._weight if curve.faint or not some_faint else 0.0

    def _recolor(self) -> None:
        self.plot.recolor()
        self._schedule()
