"""Charts as SVG text for a page that needs nothing else. Colors are those of its style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
"""Okabe and Ito, "Color Universal Design" (2008)."""
_WIDTH, _HEIGHT = 380, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 22, 12, 44


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart.

    Attributes:
        name: In the legend; empty for none.
        points: Across and up, in the units of the axes.
        color: Which of `COLORS`; None for the quiet color of a guide.
        dashed: Broken.
        band: Low and high at each point, or none.
    """

    name: str
    points: Sequence[tuple[float, float]]
    color: int | None = 0
    dashed: bool = False
    band: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True, slots=True)
class Axis:
    """From where to where, and what it is called."""

    label: str
    low: float
    high: float
    percent: bool = False

    def place(self, value: float, start: float, end: float) -> float:
        """Where a value is between two places of the picture."""
        span = (self.high - self.low) or 1.0
        return start + (value - self.low) / span * (end - start)

    def ticks(self) -> list[tuple[float, str]]:
        """Five values and their words."""
        values = [self.low + (self.high - self.low) * at / 4 for at in range(5)]
        return [
            (value, f"{value * 100:.0f} %" if self.percent else f"{value:.3g}") for value in values
        ]


SHARE = 0.0, 1.0


def chart(title: str, across: Axis, up: Axis, lines: Sequence[Line]) -> str:
    """A chart of lines with its legend."""
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        *_frame(across, up),
    ]
    for line in lines:
        parts += _line(line, across, up)
    parts.append("</svg>")
    named = [line for line in lines if line.name]
    legend = "".join(
        f'<span><i style="background:{_color(line)}"></i>{escape(line.name)}</span>'
        for line in named
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>{''.join(parts)}"
        f'<div class="legend">{legend}</div></figure>'
    )


def _frame(across: Axis, up: Axis) -> list[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = []
    for value, word in across.ticks():
        x = across.place(value, _LEFT, right)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{word}</text>')
    for value, word in up.ticks():
        y = up.place(value, bottom, _TOP)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{word}</text>')
    middle = (_LEFT + right) / 2
    parts.append(
        f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(across.label)}</text>'
    )
    return parts


def _line(line: Line, across: Axis, up: Axis) -> list[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def at(x: float, y: float) -> str:
        return f"{across.place(x, _LEFT, right):.1f} {up.place(y, bottom, _TOP):.1f}"

    parts = []
    if line.band:
        edge = [(x, low) for (x, _), (low, _) in zip(line.points, line.band, strict=True)]
        back = [(x, high) for (x, _), (_, high) in zip(line.points, line.band, strict=True)]
        path = "L".join(at(x, y) for x, y in [*edge, *reversed(back)])
        parts.append(f'<path d="M{path}Z" fill="{_color(line)}" opacity=".18"/>')
    path = "L".join(at(x, y) for x, y in line.points)
    dash = ' stroke-dasharray="5 4"' if line.dashed else ""
    parts.append(f'<path d="M{path}" fill="none" stroke="{_color(line)}" stroke-width="2"{dash}/>')
    return parts


def _color(line: Line) -> str:
    return "var(--quiet)" if line.color is None else COLORS[line.color % len(COLORS)]


def matrix(names: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    """A confusion matrix: rows are true classes, cells colored by the share of their row."""
    size = max(16, min(44, 640 // max(1, len(names))))
    longest = max((len(name) for name in names), default=1)
    margin = min(150, 12 + 7 * longest)
    side = margin + size * len(names)
    box = f'viewBox="0 0 {side} {side}" style="max-width:{side}px"'
    parts = [f'<svg {box} role="img" aria-label="Confusion matrix">']
    for row, (name, cells) in enumerate(zip(names, counts, strict=True)):
        y = margin + row * size
        word = escape(_short(name))
        middle = y + size / 2 + 4
        parts.append(
            f'<text x="{margin - 6}" y="{middle:.0f}" text-anchor="end">{word}</text>'
            f'<text transform="translate({middle:.0f} {margin - 6}) rotate(-90)">{word}</text>'
        )
        total = sum(cells)
        for column, count in enumerate(cells):
            parts.append(_cell(names, (row, column), count, total, (margin, size)))
    parts.append("</svg>")
    return "".join(parts)


def _cell(
    names: Sequence[str],
    cell: tuple[int, int],
    count: int,
    total: int,
    place: tuple[int, int],
) -> str:
    (row, column), (margin, size) = cell, place
    share = count / total if total else 0.0
    color = COLORS[0] if row == column else COLORS[3]
    # A root lifts what is rare: a mistake of one in a hundred is to be seen.
    strength = share if row == column else share**0.5
    x, y = margin + column * size, margin + row * size
    what = escape(f"{names[row]} → {names[column]}: {count} ({share:.1%})")
    shape = (
        f'<rect x="{x}" y="{y}" width="{size - 1}" height="{size - 1}" fill="{color}" '
        f'fill-opacity="{strength:.3f}"><title>{what}</title></rect>'
    )
    if not count or size < 9 * len(str(count)):
        return shape
    ink = "#fff" if strength > 0.6 else "var(--text)"
    return (
        f'{shape}<text x="{x + size / 2:.0f}" y="{y + size / 2 + 4:.0f}" text-anchor="middle" '
        f'style="fill:{ink}" pointer-events="none">{count}</text>'
    )


def _short(name: str, most: int = 20) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
