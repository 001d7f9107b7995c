"""Contour plot of an objective over two numeric fields, through the trials of a sweep.

The surface is a Gaussian process on axes from 0 to 1 (logarithms on a log axis). Length scales and
noise are chosen from a few candidates by marginal likelihood. The plot is blank where no trial is
near.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from studio.engine.arrays import Floats
from studio.ui.charts.axes import number_text, round_step
from studio.ui.charts.colors import LEVELS, area_ramp
from studio.ui.charts.dots import Dots, color_table, paint_indexed
from studio.ui.charts.plot import Plot, PlotPicture
from studio.ui.charts.sweeps.data import (
    BackgroundWork,
    PlottedScale,
    SweepAxis,
    SweepTrials,
    cell_text,
    has_unit,
    is_fraction,
    rounded,
    value_text,
)
from studio.ui.charts.sweeps.views import ColorScale, DotView, kinds_of
from studio.ui.charts.table import DataColumn, DataTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import mix
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import fill

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor


LEAST = 8
"""Trials needed for a surface."""
BLANK = 127
"""Band of positions without an estimate."""
_MOST = 300
"""With more trials, the surface is fitted to means of `_MEANS` x `_MEANS` cells: fitting takes
time in proportion to the cube of their number."""
_MEANS = 16
_SHAPE = 36, 48
"""Rows and columns of the surface, which is interpolated between them."""
_LENGTH_SCALES = (0.15, 0.3, 0.6, 1.5)
_NOISES = (0.01, 0.1, 0.5)
_MOST_DEVIATION = 0.8
"""Largest standard deviation at which the surface is shown; 1 is that without any trial."""
_OUTLIERS = 0.05
_BANDS = 8
_EPSILON = 1e-9
_STRIPE = 32
"""Rows of pixels that are computed at a time: they stay in the cache of the processor."""
_EDGE = 0.35
"""Fraction of the background in the color of a line between two bands."""
_EDGE_COLORS = BLANK + 1
"""Index of the edge color of band 0; the band itself is the index of its color."""
_VECTOR_RATIO = 2.0
_TABLE_CELLS = 8
"""Rows and columns of the table if a field took more values."""
_DIGITS = 3
"""Digits of a value at a position: a position in a picture is not more exact."""
_BEST_GRID = 33
"""Rows and columns of the grid on which the best position is searched."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Estimate of an objective over two fields.

    Attributes:
        x: Scale of the columns.
        y: Scale of the rows, from the lowest.
        values: Estimates, (rows, columns).
        deviation: Standard deviation of each, 1 if nothing is known, (rows, columns).
        edges: Ends of the bands of values, ascending in equal steps, (bands + 1,).
    """

    x: PlottedScale
    y: PlottedScale
    values: Floats
    deviation: Floats
    edges: Floats

    @property
    def bands(self) -> int:
        """Number of bands."""
        return len(self.edges) - 1

    def at(self, x: Floats, y: Floats) -> Floats:
        """Return interpolated values, shape (len(y), len(x)); NaN without an estimate.

        Args:
            x: Plotted x positions.
            y: Plotted y positions.
        """
        columns, rows = _Neighbors.of(self.x, x, _SHAPE[1]), _Neighbors.of(self.y, y, _SHAPE[0])
        values, deviation = (
            rows.interpolate(columns.interpolate(each.T).T)
            for each in (self.values, self.deviation)
        )
        inside = rows.inside[:, None] & columns.inside
        return np.where(inside & (deviation <= _MOST_DEVIATION), values, np.nan)

    def bands_at(self, x: Floats, y: Floats) -> NDArray[np.uint8]:
        """Return the band of each position, shape (len(y), len(x)); `BLANK` if unknown.

        Args:
            x: Plotted x positions.
            y: Plotted y positions.
        """
        columns, rows = _Neighbors.of(self.x, x, _SHAPE[1]), _Neighbors.of(self.y, y, _SHAPE[0])
        step = self.edges[1] - self.edges[0]
        levels = np.clip((self.values - self.edges[0]) / step, 0, self.bands - 1e-3)
        # A picture has a million positions: half the bytes take half the time.
        levels, deviation = (
            np.ascontiguousarray(columns.interpolate(each.T).T, np.float32)
            for each in (levels, self.deviation)
        )
        is_known = self.deviation.max() <= _MOST_DEVIATION
        bands: NDArray[np.uint8] = np.empty((len(y), len(x)), np.uint8)
        for first in range(0, len(y), _STRIPE):
            stripe = slice(first, first + _STRIPE)
            bands[stripe] = rows.interpolate(levels, stripe)
            if not is_known:
                unknown = rows.interpolate(deviation, stripe) > _MOST_DEVIATION
                bands[stripe][unknown] = BLANK
        bands[:, ~columns.inside] = BLANK
        bands[~rows.inside] = BLANK
        return bands


@dataclass(frozen=True)
class _Neighbors:
    """Positions among evenly spaced points.

    Attributes:
        before: Index of the point before each position, (n,).
        part: Distance to it as a fraction of that between two points, float32, (n,).
        inside: True if a position is between the first and the last point, (n,).
    """

    before: NDArray[np.intp]
    part: NDArray[np.float32]
    inside: NDArray[np.bool_]

    @classmethod
    def of(cls, scale: PlottedScale, plotted: Floats, points: int) -> _Neighbors:
        """Locate plotted positions among evenly spaced points of a scale."""
        fractions = (plotted - scale.low) / (scale.high - scale.low)
        inside = (fractions >= -_EPSILON) & (fractions <= 1 + _EPSILON)
        along = np.clip(fractions, 0, 1) * (points - 1)
        before = np.minimum(along.astype(np.intp), points - 2)
        return cls(before, (along - before).astype(np.float32), inside)

    def interpolate(self, rows: NDArray[Any], part: slice = slice(None)) -> NDArray[Any]:
        """Return the rows at the positions of a part, interpolated linearly.

        Not as a product of matrices: its threads wait for each other while other threads compute,
        and a frame takes thirty milliseconds instead of two.
        """
        before = self.before[part]
        lower, found = rows[before], rows[before + 1]
        found -= lower
        found *= self.part[part, None]
        found += lower
        return found


def can_rise(axis: SweepAxis) -> bool:
    """Return True if a surface can be drawn along a field: several different numbers."""
    return not axis.ticks and len(np.unique(axis.values[np.isfinite(axis.values)])) > 1


def surface_of(x: SweepAxis, y: SweepAxis, objective: SweepAxis, *, maximize: bool) -> Surface:
    """Return the surface over two fields; ten thousand trials take half a second.

    Args:
        x: Horizontal field.
        y: Vertical field.
        objective: The measured values.
        maximize: True if larger values are better. The worst twentieth of the trials is limited,
            so that an outlier does not bend the whole surface.
    """
    scales = PlottedScale.of(x), PlottedScale.of(y)
    positions = np.stack([scale.fractions() for scale in scales], axis=1)
    known = np.isfinite(positions).all(axis=1) & np.isfinite(objective.values)
    values = objective.values[known]
    if maximize:
        values = np.maximum(values, np.quantile(values, _OUTLIERS, method="higher"))
    else:
        values = np.minimum(values, np.quantile(values, 1 - _OUTLIERS, method="lower"))
    mean, spread = float(values.mean()), float(values.std()) or 1.0
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    # For matrices this small, several threads only wait for each other: up to fifty times as long.
    with threadpool_limits(1):
        model = _fitted(*_cell_means(positions[known], (values - mean) / spread))
        rows, columns = _SHAPE
        grid = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
        points = np.stack([each.ravel() for each in grid], axis=1)
        estimates, deviation = model.predict(points, return_std=True)
    found = mean + spread * estimates.reshape(_SHAPE)
    deviation = deviation.reshape(_SHAPE)
    shown = found[deviation <= _MOST_DEVIATION]
    low, high = (shown.min(), shown.max()) if len(shown) else (mean, mean)
    return Surface(*scales, found, deviation, band_edges(float(low), float(high)))


def band_edges(low: float, high: float) -> Floats:
    """Return round numbers in equal steps that cover a range.

    Args:
        low: Lower end.
        high: Upper end.
    """
    if high - low <= abs(low) * _EPSILON:
        margin = abs(low) * 0.01 or 0.5
        return np.array([low - margin, low + margin])
    step = round_step((high - low) / _BANDS)
    first, last = math.floor(low / step + _EPSILON), math.ceil(high / step - _EPSILON)
    edges: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    return edges


def _cell_means(positions: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return positions, values and number of trials of each: all trials, or means of cells."""
    if len(values) <= _MOST:
        return positions, values, np.ones(len(values))
    cells = np.minimum((positions * _MEANS).astype(np.intp), _MEANS - 1)
    flat = cells[:, 1] * _MEANS + cells[:, 0]
    counts = np.bincount(flat)
    full = counts > 0
    sums = [np.bincount(flat, each)[full] for each in (*positions.T, values)]
    x, y, means = (each / counts[full] for each in sums)
    return np.stack([x, y], axis=1), means, counts[full].astype(np.float64)


def _fitted(positions: Floats, values: Floats, counts: Floats) -> GaussianProcessRegressor:
    """Return the process with the largest likelihood among the candidates.

    An optimizer would take longer, and would warn when it reaches a bound.
    """
    from sklearn.gaussian_process import (  # noqa: PLC0415 - half a second
        GaussianProcessRegressor,
    )
    from sklearn.gaussian_process.kernels import RBF  # noqa: PLC0415

    models = (
        GaussianProcessRegressor(RBF(scales), alpha=noise / counts, optimizer=None).fit(
            positions, values
        )
        for scales in itertools.product(_LENGTH_SCALES, repeat=2)
        for noise in _NOISES
    )
    best: GaussianProcessRegressor = max(models, key=_likelihood)
    return best


def _likelihood(model: GaussianProcessRegressor) -> float:
    return float(model.log_marginal_likelihood_value_)


def band_colors(count: int, *, maximize: bool) -> list[QColor]:
    """Return one color per band, from the lowest; the best one is the brightest.

    Args:
        count: Number of bands.
        maximize: True if higher is better.
    """
    colors = area_ramp()
    indices = np.rint(np.linspace(0, LEVELS - 1, max(count, 2))).astype(int).tolist()[-count:]
    chosen = [colors[index] for index in indices]
    return chosen if maximize else chosen[::-1]


class BandCanvas(PlotPicture):
    """Paints the visible bands of a surface, sharp at every zoom."""

    def __init__(self, plot: Plot) -> None:
        super().__init__(plot, is_behind=True)
        self._surface: Surface | None = None
        self._colors: NDArray[np.uint32] = np.zeros(1, np.uint32)

    def show_surface(self, surface: Surface | None, colors: Sequence[QColor], ground: str) -> None:
        """Draw a surface from the next frame on, or nothing.

        Args:
            surface: The surface, or None.
            colors: One for each band.
            ground: Color of the background.
        """
        self._surface = surface
        self._colors = np.zeros(2 * _EDGE_COLORS, np.uint32)  # transparent where not a band
        self._colors[: len(colors)] = color_table(colors)
        edges = [QColor(mix(color.name(), ground, _EDGE)) for color in colors]
        self._colors[_EDGE_COLORS : _EDGE_COLORS + len(edges)] = color_table(edges)
        self.redraw()

    def drawn(self, size: QSize, _ratio: float) -> QImage:
        """Return the image of the bands with a thin line between them.

        Args:
            size: In device pixels.
            _ratio: Not used.
        """
        image = self.sheet(size)
        if self._surface is None:
            image.fill(Qt.GlobalColor.transparent)
            return image
        (left, right), (low, high) = self.plot.view_range()
        x = left + (np.arange(size.width()) + 0.5) / size.width() * (right - left)
        y = high - (np.arange(size.height()) + 0.5) / size.height() * (high - low)
        bands = self._surface.bands_at(x, y)
        edge = np.zeros(bands.shape, np.bool_)
        np.not_equal(bands[:, :-1], bands[:, 1:], out=edge[:, :-1])
        edge[:-1, :-1] |= bands[:-1, :-1] != bands[1:, :-1]
        bands += edge.view(np.uint8) * np.uint8(_EDGE_COLORS)
        paint_indexed(image, bands, self._colors)
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint the bands as a picture: a surface has no shapes."""
        size = self.size
        image = self.drawn(size * _VECTOR_RATIO, _VECTOR_RATIO)
        image.setDevicePixelRatio(_VECTOR_RATIO)
        painter.drawImage(0, 0, image)


class ContourView(DotView):
    """Bands of equal values, with the trials as dots on them.

    The dots are shown at once; the surface is computed by the receiver of `work_requested`.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Contours"), parent, on_picture=True)
        self._surface: Surface | None = None
        self._axes: tuple[SweepAxis, SweepAxis, SweepAxis] | None = None
        self._maximize = False
        self._is_busy = self._is_stale = False
        self.bands = BandCanvas(self.plot)
        self.across = self.choices.add(self.tr("Horizontal"))
        self.up = self.choices.add(self.tr("Vertical"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.color_scale = ColorScale(theme, self)
        self.note = ElidedLabel("", self, role="caption")
        self.plot.setAccessibleName(self.tr("Contour plot: an objective over two fields"))
        fill(self.column, self.color_scale, self.note)
        self.plot.pointer_moved.connect(self._on_hovered)
        theme.changed.connect(self._show)

    def missing(self) -> str:
        """Return why there is nothing to show."""
        missing = super().missing()
        if missing:
            return missing
        numbers = [axis for axis in self.trials.axes if not axis.ticks]
        if len(numbers) < 2:
            return self.tr("A contour plot needs two numeric fields that vary.")
        if len(self.trials) < LEAST:
            text = self.tr("A contour plot needs {least} trials. Finished so far: {count}.")
            return text.format(least=LEAST, count=len(self.trials))
        if sum(map(can_rise, numbers)) < 2:
            return self.tr("A contour plot needs several values of two numeric fields.")
        return ""

    def set_trials(self, trials: SweepTrials) -> None:
        """Show these trials; the surface stays until the one of all of them is computed."""
        if not _continues(self.trials, trials):
            self._surface = None
        super().set_trials(trials)

    def refresh(self) -> None:
        """Draw the dots again and request the surface."""
        if self.missing():
            return
        trials = self.trials
        fields = {axis.label: axis for axis in trials.axes if can_rise(axis)}
        self.choices.fill(self.across, list(fields))
        others = [each for each in fields if each != self.across.currentText()]
        self.choices.fill(self.up, others)
        self.choices.fill(self.objective, [axis.label for axis in trials.objectives])
        index = self.objective.currentIndex()
        x, y = fields[self.across.currentText()], fields[self.up.currentText()]
        axes = x, y, trials.objectives[index]
        if self._axes is None or [a.name for a in axes] != [a.name for a in self._axes]:
            self._surface = None  # that of other fields would mislead
        self._axes, self._maximize = axes, trials.maximize[index]
        self._show()
        self.plot.show_trials(Dots(x.plotted(), y.plotted(), kinds_of(trials.is_best())), x, y)
        self._request_surface()

    def surface(self) -> Surface | None:
        """Return the shown surface; None while the first one is computed."""
        return self._surface

    def _request_surface(self) -> None:
        """Request the surface, one at a time: in a sweep, trials may finish faster."""
        self._is_stale = self._is_busy
        if self._is_busy or self._axes is None:
            return
        self._is_busy = True
        x, y, objective = self._axes
        call = partial(surface_of, x, y, objective, maximize=self._maximize)
        self.work_requested.emit(BackgroundWork(self, call, partial(self._on_surface, self._axes)))

    def _on_surface(self, axes: tuple[SweepAxis, ...], surface: Surface) -> None:
        self._is_busy = False
        if not self._is_stale or axes is self._axes:
            self._surface = surface
            self._show()
        if self._is_stale:
            self._request_surface()

    def _show(self) -> None:
        surface = self._surface
        colors, texts = [], []
        if surface is not None and self._axes is not None:
            colors = band_colors(surface.bands, maximize=self._maximize)
            step = float(surface.edges[1] - surface.edges[0])
            texts = [_edge_text(self._axes[2], edge, step) for edge in surface.edges.tolist()]
        self.bands.show_surface(surface, colors, self.theme.palette.surface)
        self.color_scale.show_scale(colors, texts)
        self.refresh_table()
        self.note.setText(self._note_text())

    def _note_text(self) -> str:
        if self._surface is None:
            return self.tr("Computing the surface…")
        text = self.tr("Surface estimated from {count} trials.")
        sentences = [text.format(count=count(len(self.trials)))]
        best = self._best_text().replace("\n", ", ")
        if best:
            sentences.append(self.tr("Best: {place}.").format(place=best))
        return " ".join(sentences)

    def _best_text(self) -> str:
        """Return the position and value of the best point of the surface."""
        surface = self._surface
        if surface is None:
            return ""
        x, y = (np.linspace(each.low, each.high, _BEST_GRID) for each in (surface.x, surface.y))
        values = surface.at(x, y)
        if np.isnan(values).all():
            return ""
        index = int(np.nanargmax(values) if self._maximize else np.nanargmin(values))
        row, column = divmod(index, len(x))
        return self._point_text(float(x[column]), float(y[row]), float(values[row, column]))

    def _point_text(self, x: float, y: float, value: float) -> str:
        if self._axes is None:
            return ""
        across, up, objective = self._axes
        lines = [
            f"{across.label}: {value_text(across, _value(across, x))}",
            f"{up.label}: {value_text(up, _value(up, y))}",
            self.tr("{objective}: about {value}").format(
                objective=objective.label, value=value_text(objective, rounded(value, _DIGITS))
            ),
        ]
        return "\n".join(lines)

    def _on_hovered(self, position: QPointF | None) -> None:
        """Show the value under the pointer unless a dot is there."""
        if self.plot.under() is not None:
            return
        value = math.nan
        if position is not None and self._surface is not None:
            x, y = (np.array([at]) for at in self.plot.plotted_at(position))
            value = float(self._surface.at(x, y)[0, 0])
        if position is None or math.isnan(value):
            self.bubble.hide()
            return
        text = self._point_text(float(x[0]), float(y[0]), value)
        self.show_bubble(text, self.plot.mapToGlobal(position).toPoint())

    def own_table(self) -> DataTable | None:
        """Return the surface in rows and columns, or None."""
        surface = self._surface
        if surface is None or self._axes is None:
            return None
        across, up, objective = self._axes
        x, y = _table_positions(surface.x.axis), _table_positions(surface.y.axis)
        headings = [f"{up.label} {value_text(up, _value(up, at))}" for at in y.tolist()]
        raw = np.array([_value(across, at) for at in x.tolist()])
        text = partial(cell_text, objective)
        columns = map(DataColumn, headings, surface.at(x, y), itertools.repeat(text))
        return DataTable([DataColumn(across.label, raw, partial(value_text, across)), *columns])


def _edge_text(objective: SweepAxis, value: float, step: float) -> str:
    if has_unit(objective):
        return value_text(objective, value)
    return number_text(value, step, percent=is_fraction(objective))


def _continues(before: SweepTrials, now: SweepTrials) -> bool:
    """Return True if these may be more trials of the same sweep: the first one is unchanged."""
    if not len(before) or not len(now):
        return False
    first, same = (
        [each.values[0] for each in (*trials.axes, *trials.objectives)] for trials in (before, now)
    )
    return first == same and bool(before.numbers[0] == now.numbers[0])


def _table_positions(axis: SweepAxis) -> Floats:
    """Return plotted positions for a table: the few values of a field, or evenly spaced ones."""
    plotted = axis.plotted()
    known = np.unique(plotted[np.isfinite(plotted)])
    return known if len(known) <= _TABLE_CELLS else np.linspace(known[0], known[-1], _TABLE_CELLS)


def _value(axis: SweepAxis, plotted: float) -> float:
    """Return the value at a plotted position, rounded for a field of whole numbers."""
    known = axis.values[np.isfinite(axis.values)]
    raw = axis.raw(plotted)
    return float(round(raw)) if (known == np.rint(known)).all() else rounded(raw, _DIGITS)
