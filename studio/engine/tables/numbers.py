"""Columns of numbers: decimal and thousands separators are decided over all values of a column."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, Flag, auto
from typing import Final

from studio.engine.messages import Text, message
from studio.engine.tables.cells import is_missing

_LONGEST = 60
"""Characters of a number."""
_PLAIN = re.compile(r"[+-]?(?:\d+|\d*\.\d+|\d+\.)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_COMMA = re.compile(r"[+-]?(?:\d*,\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_ENGLISH = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?", re.ASCII)
_GERMAN = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?", re.ASCII)
_SPACES = re.compile(r"[+-]?[1-9]\d{0,2}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?:[.,]\d*)?", re.ASCII)  # noqa: RUF001
_SPACE = re.compile(r"[ \u00a0\u202f\u2009'’]")  # noqa: RUF001
_ONE_GROUP = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""A number such as 1,500 or 1.500, which may be one and a half or fifteen hundred."""


_WITH_UNIT = re.compile(
    r"(?P<number>[^A-Za-zµ°%€£$¥]*[\d.,])\s*(?P<unit>[A-Za-zµ°%€£$¥][\w°%/²³]{0,9})"
)
_AFTER_CURRENCY = re.compile(
    r"(?P<unit>[A-Z]{0,3}[$€£¥]|EUR|USD|GBP|BRL|CHF|JPY)\s*(?P<number>[^A-Za-z$€£¥]*)"
)


class Style(Enum):
    """A way of writing numbers."""

    POINT = auto()
    """The decimal sign is a point, the thousands separator a comma."""
    COMMA = auto()
    """The decimal sign is a comma, the thousands separator a point."""


class _Evidence(Flag):
    NONE = 0
    DECIMAL_POINT = auto()
    DECIMAL_COMMA = auto()
    ONE_GROUP_POINT = auto()
    ONE_GROUP_COMMA = auto()


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """The numbers of a column.

    Attributes:
        values: A number for each cell; NaN for a missing value and for anything else.
        warning: A sentence about an assumption; empty without one.
    """

    values: list[float]
    warning: Text = ""


def is_number(cell: str) -> bool:
    """Return True for a number with any decimal sign and any thousands separator."""
    text = _with_hyphen(cell)
    return len(text) <= _LONGEST and any(
        pattern.fullmatch(text) for pattern in (_PLAIN, _COMMA, _ENGLISH, _GERMAN, _SPACES)
    )


def _with_hyphen(cell: str) -> str:
    """Return a cell whose minus sign is that of programs, not that of typography."""
    return cell.strip().replace("\u2212", "-")


def without_unit(cells: Sequence[str]) -> tuple[list[str], str]:
    """Return cells such as "1.5 g" without their unit, and the unit.

    Nothing changes unless most cells that are not empty have the same unit, and no number has
    another one or none. Cells that are no numbers stay as they are.

    Args:
        cells: The cells of a column.
    """
    filled = [cell.strip() for cell in cells if not is_missing(cell)]
    found = [_with_unit(cell)[1] for cell in filled]
    units = {unit for unit in found if unit}
    many = 2 * sum(map(bool, found)) > len(filled)
    if len(units) != 1 or not many or any(map(is_number, filled)):
        return list(cells), ""
    (unit,) = units
    return [_with_unit(cell.strip())[0] or cell for cell in cells], unit


def _with_unit(cell: str) -> tuple[str, str]:
    """Return the number of a cell and its unit behind or currency before it; empty for others."""
    if len(cell) > _LONGEST:
        return "", ""
    match = _WITH_UNIT.fullmatch(cell) or _AFTER_CURRENCY.fullmatch(cell)
    if match is None or not is_number(match["number"]):
        return "", ""
    return match["number"].strip(), match["unit"]


def number_columns(
    columns: Sequence[Sequence[str]], names: Sequence[str], delimiter: str = ""
) -> list[NumberColumn]:
    """Read columns of numbers.

    A column such as "1.500", "2.250,5" has decimal commas, and "1,500", "2,250.5" decimal points.
    If neither its own values nor other columns decide, commas separate thousands in a table whose
    cells are separated by commas, and are decimal signs in others; a warning says so.

    Args:
        columns: Cells of each column.
        names: Name of each column, for the warnings.
        delimiter: Character between the cells of the table; empty if unknown.
    """
    columns = [[*map(_with_hyphen, cells)] for cells in columns]
    evidence = [_evidence(cells) for cells in columns]
    everywhere = _Evidence.NONE
    for each in evidence:
        everywhere |= each
    return [
        _read(cells, name, own, everywhere, delimiter)
        for cells, name, own in zip(columns, names, evidence, strict=True)
    ]


def _read(
    cells: Sequence[str], name: str, own: _Evidence, everywhere: _Evidence, delimiter: str
) -> NumberColumn:
    style = _decided(own) or _decided(everywhere)
    warning: Text = ""
    if style is None:
        style = _assumed(own, delimiter)
        is_unclear = own & _Evidence.ONE_GROUP_COMMA or (
            own & _Evidence.ONE_GROUP_POINT and delimiter not in (",", "")
        )
        warning = _assumption(cells, name, style) if is_unclear else ""
    return NumberColumn([_value(cell.strip(), style) for cell in cells], warning)


def _decided(found: _Evidence) -> Style | None:
    """Return the style that values reveal; None if they reveal none, or both."""
    has_point, has_comma = found & _Evidence.DECIMAL_POINT, found & _Evidence.DECIMAL_COMMA
    if bool(has_point) == bool(has_comma):
        return None
    return Style.POINT if has_point else Style.COMMA


def _assumed(own: _Evidence, delimiter: str) -> Style:
    if own & _Evidence.ONE_GROUP_COMMA and delimiter != ",":
        return Style.COMMA
    return Style.POINT


def _assumption(cells: Sequence[str], name: str, style: Style) -> str:
    unclear = [cell for cell in cells if _ONE_GROUP.fullmatch(cell.strip())]
    return message(
        'The column "{column}" has {count} ambiguous numbers: "{cell}" was read as '
        "{value:.15g}. If that is wrong, write the numbers without thousands separators.",
        one='The column "{column}" has an ambiguous number: "{cell}" was read as {value:.15g}. '
        "If that is wrong, write the numbers without thousands separators.",
        column=name,
        cell=unclear[0].strip(),
        value=_value(unclear[0].strip(), style),
        count=len(unclear),
    )


def _evidence(cells: Sequence[str]) -> _Evidence:
    found = _Evidence.NONE
    for cell in cells:
        if "." in cell or "," in cell:
            found |= _evidence_of(cell.strip())
    return found


def _evidence_of(text: str) -> _Evidence:
    points, commas = text.count("."), text.count(",")
    if _ONE_GROUP.fullmatch(text):
        return _Evidence.ONE_GROUP_POINT if points else _Evidence.ONE_GROUP_COMMA
    if not is_number(text):
        return _Evidence.NONE
    if _ENGLISH.fullmatch(text):
        return _Evidence.DECIMAL_POINT
    if _GERMAN.fullmatch(text):
        return _Evidence.DECIMAL_COMMA
    return _Evidence.DECIMAL_COMMA if commas else _Evidence.DECIMAL_POINT


def _value(text: str, style: Style) -> float:
    """Return a number; NaN for anything else and for what is not finite."""
    if len(text) > _LONGEST or is_missing(text):
        return math.nan
    if _SPACES.fullmatch(text):
        text = _SPACE.sub("", text)
    grouped = _ENGLISH if style is Style.POINT else _GERMAN
    if grouped.fullmatch(text):
        thousands, decimal = (",", ".") if style is Style.POINT else (".", ",")
        text = text.replace(thousands, "").replace(decimal, ".")
    elif _COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if not _PLAIN.fullmatch(text):
        return math.nan
    value = float(text)
    return value if math.isfinite(value) else math.nan


LARGEST_INTEGER: Final = 2**53


def whole_number(cell: str) -> int | None:
    """Return a plain whole number such as 17 or 17.0; None for anything else."""
    text = _with_hyphen(cell)
    if len(text) > _LONGEST or not _PLAIN.fullmatch(text):
        return None
    value = float(text)
    return int(value) if abs(value) <= LARGEST_INTEGER and value.is_integer() else None
