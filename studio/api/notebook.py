"""HTML and figures for notebooks: tables, thumbnails, curves."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from studio.api.libraries import library

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from studio.api.splits import Split

_THUMBNAIL = 64
"""Side in pixels."""
_WIDTH, _HEIGHT = 360, 140
_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table; all texts are escaped.

    Args:
        headings: Names of the columns.
        rows: Cells.
    """
    head = "".join(f"<th>{escape(each)}</th>" for each in headings)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def thumbnail(pixels: NDArray[np.uint8], label: str) -> str:
    """Return a small image with its label as HTML.

    Args:
        pixels: Shape (height, width, 1 or 3).
        label: Text below it.
    """
    # `import studio` does without Pillow.
    from studio.engine.datasets.augment.steps import to_picture  # noqa: PLC0415

    image = to_picture(pixels)
    image.thumbnail((_THUMBNAIL, _THUMBNAIL))
    file = io.BytesIO()
    image.save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode("ascii")
    text = escape(label)
    return (
        f'<figure style="display:inline-block;margin:4px;text-align:center">'
        f'<img alt="{text}" src="data:image/png;base64,{data}"><figcaption>{text}</figcaption>'
        f"</figure>"
    )


def curves(series: Mapping[str, Sequence[float]]) -> str:
    """Return curves with a common axis as an SVG image; NaN leaves a gap.

    Args:
        series: Values after each epoch by their names.
    """
    finite = [value for values in series.values() for value in values if math.isfinite(value)]
    if not finite:
        return "<p>No values yet.</p>"
    low, high = min(finite), max(finite)
    span, longest = (high - low) or 1.0, max(map(len, series.values()))
    lines, legend = [], []
    for color, (name, values) in zip(_COLORS, series.items(), strict=False):
        points = " ".join(
            f"{_WIDTH * index / max(longest - 1, 1):.1f},{_HEIGHT * (high - value) / span:.1f}"
            for index, value in enumerate(values)
            if math.isfinite(value)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{color}"/>')
        last = next((v for v in reversed(values) if math.isfinite(v)), math.nan)
        legend.append(f'<span style="color:{color}">{escape(name)} {last:.4g}</span>')
    drawn = f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img">{"".join(lines)}</svg>'
    return f"<div>{drawn}<div>{' · '.join(legend)}</div></div>"


def figure_of_curves(series: Mapping[str, Sequence[float]], title: str) -> Figure:
    """Return curves as a figure: losses beside other metrics.

    Args:
        series: Values after each epoch by their names.
        title: Its title.

    Raises:
        StudioError: matplotlib is not installed.
    """
    drawn = _figure((9, 3.5))
    losses = {name: values for name, values in series.items() if "loss" in name}
    others = {name: values for name, values in series.items() if "loss" not in name}
    for place, part in enumerate((losses, others), 1):
        axes = drawn.add_subplot(1, 2, place)
        for name, values in part.items():
            axes.plot(range(1, len(values) + 1), values, label=name)
        axes.set_xlabel("epoch")
        if part:
            axes.legend()
    drawn.suptitle(title)
    return drawn


def figure_of_confusion(confusion: NDArray[np.integer[Any]], names: Sequence[str]) -> Figure:
    """Return a table of true and predicted classes as a figure.

    Args:
        confusion: Rows are true classes, columns predicted ones, shape (K, K).
        names: Names of the rows and columns, K.

    Raises:
        StudioError: matplotlib is not installed.
    """
    drawn = _figure((5, 4.5))
    axes = drawn.add_subplot()
    shown = confusion / confusion.sum(axis=1, keepdims=True).clip(min=1)
    axes.imshow(shown, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    for row, column in ((r, c) for r in range(len(names)) for c in range(len(names))):
        color = "white" if shown[row, column] > 0.5 else "black"
        axes.text(column, row, str(confusion[row, column]), ha="center", va="center", color=color)
    return drawn


def figure_of_intervals(
    metrics: Mapping[str, float | None], intervals: Mapping[str, tuple[float, float]]
) -> Figure:
    """Return metrics with their 95 % intervals as a figure.

    Args:
        metrics: Values by their names; those without a value are left out.
        intervals: Lower and upper end by the names.

    Raises:
        StudioError: matplotlib is not installed.
    """
    drawn = _figure((6, 3))
    axes = drawn.add_subplot()
    shown = [(name, value) for name, value in metrics.items() if value is not None]
    for place, (name, value) in enumerate(shown):
        low, high = intervals.get(name, (value, value))
        axes.plot((low, high), (place, place), color=_COLORS[0])
        axes.plot((value,), (place,), "o", color=_COLORS[0])
    axes.set_yticks(range(len(shown)), [name for name, _ in shown])
    axes.set_xlabel("value and 95 % interval")
    return drawn


def _figure(size: tuple[float, float]) -> Figure:
    """Return an empty figure, which no window shows: notebooks show what is returned."""
    library("matplotlib", "A figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - optional
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional

    drawn = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(drawn)
    return drawn


def shown_images(split: Split, count: int) -> list[str]:
    """Return the first images of a split for a notebook, as the window displays them.

    Args:
        split: The split.
        count: Number of images.
    """
    from studio.engine.datasets.display import display_of  # noqa: PLC0415 - loads NumPy

    store = split.store
    rows = split.rows[:count]
    display = display_of(store)
    return [
        thumbnail(display.to_rgb(store.images[row : row + 1][0]), store.annotation(row))
        for row in rows.tolist()
    ]
