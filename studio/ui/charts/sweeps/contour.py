"""An objective over two numeric fields, as bands of a smooth surface through the trials.

The surface is a Gaussian process on axes from 0 to 1 (logarithms on a log axis). Length scales and
noise are those of a few candidates that make the measured values most likely. Nothing is claimed
where no trial is near.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QWidget,
)

from studio.ui.charts.axes import number_text
from studio.ui.charts.colors import LEVELS, area_ramp
from studio.ui.charts.dots import Dots, color_table, paint_indexed
from studio.ui.charts.plot import PlotPicture
from studio.ui.charts.sweeps.data import (
    Floats,
    Scale,
    SweepAxis,
    SweepTrials,
    Work,
    cell_text,
    has_unit,
    is_share,
    value_text,
)
from studio.ui.charts.sweeps.views import DotView, kinds_of
from studio.ui.charts.table import Column, Table
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE, mix
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel, elided
from studio.ui.widgets.layout import hbox

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor


LEAST = 8
"""So many trials are needed; with fewer, a surface would tell more than is known."""
BLANK = 127
"""The band of places of which nothing is claimed."""
_MOST = 300
"""Of more trials the means of `_MEANS` by `_MEANS` cells count: the time grows with the cube."""
_MEANS = 16
_SHAPE = 36, 48
"""Rows and columns of the surface; between them it is as good as even."""
_REACHES = (0.15, 0.3, 0.6, 1.5)
_NOISES = (0.01, 0.1, 0.5)
_DOUBT = 0.8
"""With more of what was not known before any trial, nothing is claimed of a place."""
_ASTRAY = 0.05
_BANDS = 8
_NICE = (1.0, 2.0, 5.0, 10.0)
_HAIR = 1e-9
_STRIPE = 32
"""Rows of pixels that are worked out at a time: so few stay near the processor."""


@dataclass(frozen=True, eq=False)
class Surface:
    """What an objective is likely to be over two fields.

    Attributes:
        x: Across, from the first column to the last.
        y: Upwards, from the first row to the last.
        values: Of the objective, (rows, columns).
        doubt: Standard deviation of each, 1 for nothing known, (rows, columns).
        edges: Where bands of values begin, rising by equal steps, and where the last one ends.
    """

    x: Scale
    y: Scale
    values: Floats
    doubt: Floats
    edges: Floats

    @property
    def bands(self) -> int:
        """How many bands there are."""
        return len(self.edges) - 1

    def at(self, x: Floats, y: Floats) -> Floats:
        """Return the values at plotted places, (len(y), len(x)); NaN where nothing is claimed."""
        across, up = self._weights(x, y)
        values = up @ self.values @ across
        doubt = up @ self.doubt @ across
        outside = (across.sum(axis=0) == 0)[None, :] | (up.sum(axis=1) == 0)[:, None]
        return np.where(outside | (doubt > _DOUBT), np.nan, values)

    def bands_at(self, x: Floats, y: Floats) -> NDArray[np.uint8]:
        """Return the band of each plotted position, (len(y), len(x)); `BLANK` for unknown."""
        # Without a product of matrices: its threads wait for each other while others compute, and
        # a frame of two milliseconds takes thirty.
        rows, columns = self.values.shape
        across, up = self._shares(x, y)
        places = _Between.of(across, columns), _Between.of(up, rows)
        step = self.edges[1] - self.edges[0]
        heights = np.clip((self.values - self.edges[0]) / step, 0, self.bands - 1e-3)
        bands: NDArray[np.uint8] = np.empty((len(y), len(x)), np.uint8)
        for part, found in _stripes(heights, *places):
            bands[part] = found
        if self.doubt.max() > _DOUBT:
            for part, doubt in _stripes(self.doubt, *places):
                bands[part][doubt > _DOUBT] = BLANK
        bands[:, ~_inside(across)] = BLANK
        bands[~_inside(up)] = BLANK
        return bands

    def _weights(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        rows, columns = self.values.shape
        across, up = self._shares(x, y)
        return _shares_of_neighbors(across, columns).T, _shares_of_neighbors(up, rows)

    def _shares(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Plotted places as shares of the scales, 0 at the first column and row."""
        across = (x - self.x.low) / (self.x.high - self.x.low)
        up = (y - self.y.low) / (self.y.high - self.y.low)
        return across, up


def can_rise(axis: SweepAxis) -> bool:
    """Return True if a surface can be drawn along a field: several different numbers."""
    if axis.ticks:
        return False
    return len(np.unique(axis.values[np.isfinite(axis.values)])) > 1


def surface_of(x: SweepAxis, y: SweepAxis, objective: SweepAxis, *, maximize: bool) -> Surface:
    """Return the surface over two fields; of ten thousand trials it takes half a second.

    Args:
        x: Across.
        y: Upwards.
        objective: What was measured.
        maximize: True if more of it is better; the worst of the trials count only as bad as the
            twentieth part is, so that one that went astray does not bend everything.
    """
    scales = Scale.of(x), Scale.of(y)
    places = np.stack([scale.shares() for scale in scales], axis=1)
    there = np.isfinite(places).all(axis=1) & np.isfinite(objective.values)
    values = objective.values[there]
    if maximize:
        values = np.maximum(values, np.quantile(values, _ASTRAY, method="higher"))
    else:
        values = np.minimum(values, np.quantile(values, 1 - _ASTRAY, method="lower"))
    middle, spread = float(values.mean()), float(values.std()) or 1.0
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    # For matrices this small, several threads only wait for each other: up to fifty times as long.
    with threadpool_limits(1):
        model = _fitted(*_gathered(places[there], (values - middle) / spread))
    rows, columns = _SHAPE
    spots = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    heights, doubt = model.predict(np.stack([s.ravel() for s in spots], axis=1), return_std=True)
    found = middle + spread * heights.reshape(_SHAPE)
    doubt = doubt.reshape(_SHAPE)
    known = found[doubt <= _DOUBT]
    low, high = (known.min(), known.max()) if len(known) else (middle, middle)
    return Surface(*scales, found, doubt, band_edges(float(low), float(high)))


def band_edges(low: float, high: float) -> Floats:
    """Return round numbers in equal steps, from `low` or less to `high` or more."""
    if high - low <= abs(low) * _HAIR:
        margin = abs(low) * 0.01 or 0.5
        return np.array([low - margin, low + margin])
    rough = (high - low) / _BANDS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(nice for nice in _NICE if nice * power >= rough * (1 - _HAIR)) * power
    first, last = math.floor(low / step + _HAIR), math.ceil(high / step - _HAIR)
    edges: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    return edges


def _gathered(places: Floats, heights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return positions, values and number of trials of each: all trials, or means of cells."""
    if len(heights) <= _MOST:
        return places, heights, np.ones(len(heights))
    cells = np.minimum((places * _MEANS).astype(np.intp), _MEANS - 1)
    flat = cells[:, 1] * _MEANS + cells[:, 0]
    counts = np.bincount(flat)
    full = counts > 0
    sums = [np.bincount(flat, each)[full] for each in (places[:, 0], places[:, 1], heights)]
    x, y, height = (each / counts[full] for each in sums)
    return np.stack([x, y], axis=1), height, counts[full].astype(np.float64)


def _fitted(places: Floats, heights: Floats, counts: Floats) -> GaussianProcessRegressor:
    """Return the process under which the heights are most likely.

    A search by gradients would take longer, and would warn where it runs into a bound.
    """
    from sklearn.gaussian_process import (  # noqa: PLC0415 - half a second
        GaussianProcessRegressor,
    )
    from sklearn.gaussian_process.kernels import RBF  # noqa: PLC0415

    models = (
        GaussianProcessRegressor(RBF(reaches), alpha=noise / counts, optimizer=None).fit(
            places, heights
        )
        for reaches in itertools.product(_REACHES, repeat=2)
        for noise in _NOISES
    )
    best: GaussianProcessRegressor = max(models, key=_likelihood)
    return best


def _likelihood(model: GaussianProcessRegressor) -> float:
    return float(model.log_marginal_likelihood_value_)


@dataclass(frozen=True)
class _Between:
    """Where places lie between even ones: which is before each, and how far on it is, (n,)."""

    before: NDArray[np.intp]
    part: Floats

    @classmethod
    def of(cls, shares: Floats, count: int) -> _Between:
        """Return positions of shares from 0 to 1 among even steps, outside at an end."""
        along = np.clip(shares, 0, 1) * (count - 1)
        before = np.minimum(along.astype(np.intp), count - 2)
        return cls(before, along - before)


def _stripes(
    values: Floats, across: _Between, up: _Between
) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Return values at all places, from the first row to the last, some rows at a time."""
    wide = values[:, across.before]
    wide += across.part * (values[:, across.before + 1] - wide)
    # A picture has a million places: in half the bytes it takes half the time.
    rise, wide = np.diff(wide, axis=0).astype(np.float32), wide.astype(np.float32)
    way = up.part.astype(np.float32)[:, None]
    for first in range(0, len(up.before), _STRIPE):
        part = slice(first, first + _STRIPE)
        found = rise[up.before[part]]
        found *= way[part]
        found += wide[up.before[part]]
        yield part, found


def _inside(shares: Floats) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (shares >= -_HAIR) & (shares <= 1 + _HAIR)
    return inside


def _shares_of_neighbors(shares: Floats, count: int) -> Floats:
    """Return how much each of so many even places counts at shares from 0 to 1, (n, count).

    Those before and after a share count by how near they are; outside, none counts.
    """
    weights = np.zeros((len(shares), count))
    inside = np.flatnonzero(_inside(shares))
    place = _Between.of(shares[inside], count)
    weights[inside, place.before] = 1 - place.part
    weights[inside, place.before + 1] = place.part
    return weights


_LINE = 0.35
"""How much of the ground is in the color of a line between two bands."""
_LINES = BLANK + 1
"""Of a band that is the index of its color, and, with so many more, of that of its edge."""
_VECTOR_RATIO = 2.0
_SWATCH = 18.0
_BAND_HEIGHT = 26.0
_FOOT = 40.0
"""As high as the axis beside it."""
_WIDTH = 104


def band_colors(count: int, *, maximize: bool) -> list[QColor]:
    """Return one color for each band, from the lowest; what is best stands out the most."""
    colors = area_ramp()
    places = np.rint(np.linspace(0, LEVELS - 1, max(count, 2))).astype(int).tolist()[-count:]
    chosen = [colors[place] for place in places]
    return chosen if maximize else chosen[::-1]


class BandCanvas(PlotPicture):
    """Paints the bands of a surface as far as they are in view, sharp however far one zooms."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.setZValue(-1)  # under the dots
        self._surface: Surface | None = None
        self._colors: NDArray[np.uint32] = np.zeros(1, np.uint32)

    def show_surface(
        self, surface: Surface | None, theme: Theme, *, maximize: bool = False
    ) -> None:
        """Draw this from the next frame on; None for nothing.

        Args:
            surface: To be drawn.
            theme: For the colors.
            maximize: True if more is better.
        """
        self._surface = surface
        if surface is not None:
            colors = band_colors(surface.bands, maximize=maximize)
            ground = theme.palette.surface
            lines = [QColor(mix(each.name(), ground, _LINE)) for each in colors]
            self._colors = np.concatenate([_table(colors), _table(lines)])
        self.redraw()

    def drawn(self, size: QSize, _ratio: float) -> QImage:
        """Return the bands, and a thin line between two; as sharp as there are pixels."""
        image = self.sheet(size)
        if self._surface is None:
            image.fill(Qt.GlobalColor.transparent)
            return image
        (left, right), (low, high) = self.box.viewRange()
        x = left + (np.arange(size.width()) + 0.5) / size.width() * (right - left)
        y = high - (np.arange(size.height()) + 0.5) / size.height() * (high - low)
        bands = self._surface.bands_at(x, y)
        edge = np.zeros(bands.shape, np.bool_)
        np.not_equal(bands[:, :-1], bands[:, 1:], out=edge[:, :-1])
        edge[:-1, :-1] |= bands[:-1, :-1] != bands[1:, :-1]
        bands += edge.view(np.uint8) * np.uint8(_LINES)
        paint_indexed(image, bands, self._colors)
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint it as a picture in the file: a surface has no shapes of its own."""
        size = (self.boundingRect().size() * _VECTOR_RATIO).toSize()
        painter.drawImage(self.boundingRect(), self.drawn(size, _VECTOR_RATIO))


class BandLegend(QWidget):
    """The colors of the bands with the values between them, the highest at the top."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._surface: Surface | None = None
        self._objective: SweepAxis | None = None
        self._maximize = False
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(self.tr("Colors of the contour plot"))
        theme.changed.connect(self.update)

    def show_surface(
        self, surface: Surface | None, objective: SweepAxis, *, maximize: bool
    ) -> None:
        """Say what the bands of a surface are; None for nothing."""
        self._surface, self._objective, self._maximize = surface, objective, maximize
        words = self.words()
        self.setAccessibleDescription(f"{words[0]}, {words[-1]}" if words else "")
        self.update()

    def words(self) -> list[str]:
        """Return the values where bands meet, from the lowest."""
        surface, objective = self._surface, self._objective
        if surface is None or objective is None:
            return []
        step = float(surface.edges[1] - surface.edges[0])
        return [_edge_text(objective, float(edge), step) for edge in surface.edges]

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(_WIDTH, 200)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the name of the objective, the colors and the values."""
        surface, objective = self._surface, self._objective
        if surface is None or objective is None:
            return
        palette, painter = self._theme.palette, QPainter(self)
        font = QFont(self.font())
        font.setPixelSize(TYPE.caption)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        line = metrics.height()
        painter.setPen(QColor(palette.text))
        name = elided(metrics, objective.label, self.width())
        painter.drawText(QPoint(SPACE.s, round(metrics.ascent())), name)
        top = line * 1.5 + SPACE.xs
        room = self.height() - top - _FOOT
        height = min(_BAND_HEIGHT, room / surface.bands)
        colors = band_colors(surface.bands, maximize=self._maximize)
        for place, color in enumerate(reversed(colors)):
            painter.fillRect(QRectF(SPACE.s, top + place * height, _SWATCH, height), color)
        painter.setPen(QColor(palette.muted))
        left = SPACE.s + _SWATCH + SPACE.s
        every = max(1, round(line / height + 0.49))
        for place, word in enumerate(reversed(self.words())):
            if place % every == 0:
                box = QRectF(left, top + place * height - line / 2, self.width() - left, line)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, word)
        painter.end()


def _table(colors: list[QColor]) -> NDArray[np.uint32]:
    """Return the pixels of the bands, (128,); transparent where there is no band."""
    table = np.zeros(_LINES, np.uint32)
    table[: len(colors)] = color_table(colors)
    return table


def _edge_text(objective: SweepAxis, value: float, step: float) -> str:
    if has_unit(objective):
        return value_text(objective, value)
    return number_text(value, step, percent=is_share(objective))


_CELLS = 8
"""Rows and columns of the table, where a field took more values."""


class ContourView(DotView):
    """Bands of equal values, with the trials as dots on them; the same as a table.

    The surface is worked out by whoever follows `work_wanted`; the dots are there at once.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Contours"), parent, on_picture=True)
        self._surface: Surface | None = None
        self._axes: tuple[SweepAxis, SweepAxis, SweepAxis] | None = None
        self._maximize = False
        self._is_busy = self._is_stale = False
        self.bands = BandCanvas(self.plot.zoom_box)
        self.across = self.choices.add(self.tr("Across"))
        self.up = self.choices.add(self.tr("Up"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.note = ElidedLabel("", self)
        self.note.setProperty("role", "caption")
        self.plot.setAccessibleName(self.tr("Contour plot: an objective over two fields"))
        self.column.addWidget(self.note)
        self.plot.pointer_moved.connect(self._on_hovered)
        theme.changed.connect(self._recolor)

    def framed(self, plot: QWidget) -> QWidget:
        """Return the plot with the legend of the bands beside it."""
        self.band_legend = BandLegend(self.theme, self)
        body = QWidget(self)
        hbox((plot, 1), self.band_legend, owner=body, spacing=SPACE.s)
        return body

    def missing(self) -> str:
        """Why there is nothing to show."""
        missing = super().missing()
        if missing or self.trials is None:
            return missing
        numbers = [axis for axis in self.trials.axes if not axis.ticks]
        if len(numbers) < 2:
            return self.tr("A contour plot needs two fields of numbers that vary.")
        if len(self.trials) < LEAST:
            return self.tr(
                "A contour plot takes {least} trials or more; finished so far: {count}."
            ).format(least=LEAST, count=len(self.trials))
        if sum(map(can_rise, numbers)) < 2:
            return self.tr("A contour plot needs several values of two fields of numbers.")
        return ""

    def set_trials(self, trials: SweepTrials) -> None:
        """Show these trials; a surface stays until there is one through them all."""
        if self.trials is not None and not _goes_on(self.trials, trials):
            self._show(None)
        super().set_trials(trials)

    def refresh(self) -> None:
        """Draw the dots anew, and ask for the surface."""
        if self.trials is None or self.missing():
            return
        trials = self.trials
        fields = {axis.label: axis for axis in trials.axes if can_rise(axis)}
        self.choices.fill(self.across, list(fields))
        others = [each for each in fields if each != self.across.currentText()]
        self.choices.fill(self.up, others)
        self.choices.fill(self.objective, [axis.label for axis in trials.objectives])
        which = self.objective.currentIndex()
        x, y = fields[self.across.currentText()], fields[self.up.currentText()]
        axes, maximize = (x, y, trials.objectives[which]), trials.maximize[which]
        if self._axes is None or [a.name for a in axes] != [a.name for a in self._axes]:
            self._show(None)  # one of other fields would be no preview but a mistake
        self._axes, self._maximize = axes, maximize
        self.plot.show_trials(Dots(x.plotted(), y.plotted(), kinds_of(trials.is_best())), x, y)
        self._request_surface()

    def surface(self) -> Surface | None:
        """Return what is shown; None while it is worked out for the first time."""
        return self._surface

    def _request_surface(self) -> None:
        """Ask for the surface, one at a time: while a sweep goes, trials end faster than that."""
        self._is_stale = self._is_busy
        if self._is_busy or self._axes is None:
            return
        self._is_busy = True
        x, y, objective = self._axes
        call = partial(surface_of, x, y, objective, maximize=self._maximize)
        self.work_wanted.emit(Work(self, call, partial(self._on_surface, self._axes)))

    def _on_surface(self, axes: tuple[SweepAxis, ...], surface: Surface) -> None:
        self._is_busy = False
        if not self._is_stale or axes is self._axes:
            self._show(surface)
        if self._is_stale:
            self._request_surface()

    def _show(self, surface: Surface | None) -> None:
        self._surface = surface
        if self._axes is not None:
            self.band_legend.show_surface(surface, self._axes[2], maximize=self._maximize)
        self._recolor()
        self.refresh_table()
        self.note.setText(self._said())

    def _recolor(self) -> None:
        self.bands.show_surface(self._surface, self.theme, maximize=self._maximize)

    def _said(self) -> str:
        if self._surface is None or self.trials is None:
            return self.tr("The surface is being worked out.")
        said = self.tr("A surface guessed from {count} trials.")
        best = self._best_text().replace("\n", ", ")
        words = [said.format(count=count(len(self.trials)))]
        words += [self.tr("Best: {place}.").format(place=best)] if best else []
        return " ".join(words)

    def _best_text(self) -> str:
        """Return where the surface is best, in words."""
        surface = self._surface
        if surface is None:
            return ""
        x, y = _places(surface, 33)
        values = surface.at(x, y)
        if np.isnan(values).all():
            return ""
        worst = -np.inf if self._maximize else np.inf
        known = np.where(np.isnan(values), worst, values)
        row, column = divmod(int(known.argmax() if self._maximize else known.argmin()), len(x))
        return self._place_text(float(x[column]), float(y[row]), float(values[row, column]))

    def _place_text(self, x: float, y: float, value: float) -> str:
        if self._axes is None:
            return ""
        across, up, objective = self._axes
        lines = [
            f"{across.label}: {value_text(across, _value(across, x))}",
            f"{up.label}: {value_text(up, _value(up, y))}",
            self.tr("{objective}: about {value}").format(
                objective=objective.label, value=value_text(objective, _short(value))
            ),
        ]
        return "\n".join(lines)

    def _on_hovered(self, spot: QPointF | None) -> None:
        """Tell the value under the pointer, where no dot is."""
        if self.plot.under() is not None:
            return
        value = math.nan
        if spot is not None and self._surface is not None:
            place = self.plot.zoom_box.mapSceneToView(spot)
            x, y = np.array([place.x()]), np.array([place.y()])
            value = float(self._surface.at(x, y)[0, 0])
        if spot is None or math.isnan(value):
            self.bubble.hide()
            return
        text = self._place_text(float(x[0]), float(y[0]), value)
        self.show_bubble(text, self.plot.mapToGlobal(self.plot.mapFromScene(spot)))

    def own_table(self) -> Table | None:
        """Return the surface in rows and columns; None while there is none."""
        surface = self._surface
        if surface is None or self._axes is None:
            return None
        across, up, objective = self._axes
        x, y = _values_of(surface.x.axis), _values_of(surface.y.axis)
        words = [f"{up.label} {value_text(up, _value(up, at))}" for at in y.tolist()]
        raw = np.array([_value(across, at) for at in x.tolist()])
        columns = map(
            Column, words, surface.at(x, y), itertools.repeat(partial(cell_text, objective))
        )
        return Table([Column(across.label, raw, partial(value_text, across)), *columns])


def _goes_on(before: SweepTrials, now: SweepTrials) -> bool:
    """Return True if these may be more trials of the same sweep: the first one is as it was."""
    if not len(before) or not len(now):
        return False
    first, same = (
        [each.values[0] for each in (*trials.axes, *trials.objectives)] for trials in (before, now)
    )
    return first == same and bool(before.numbers[0] == now.numbers[0])


def _values_of(axis: SweepAxis) -> Floats:
    """Plotted places of a table: the few values of a field, or some from end to end."""
    places = axis.plotted()
    known = np.unique(places[np.isfinite(places)])
    return known if len(known) <= _CELLS else np.linspace(known[0], known[-1], _CELLS)


def _places(surface: Surface, number: int) -> tuple[Floats, Floats]:
    x, y = surface.x, surface.y
    return np.linspace(x.low, x.high, number), np.linspace(y.low, y.high, number)


def _value(axis: SweepAxis, place: float) -> float:
    """Return the value at a plotted place; of a field of whole numbers the nearest one."""
    known = axis.values[np.isfinite(axis.values)]
    raw = axis.raw(place)
    return float(round(raw)) if (known == np.rint(known)).all() else _short(raw)


def _short(value: float) -> float:
    """Return a value with three digits: a position in a picture says no more."""
    return float(f"{value:.3g}")
