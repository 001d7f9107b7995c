"""Meanings of the cells of tables that are the same for all tasks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

_MISSING: Final = frozenset(
    {
        *("", "nan", "-nan", "na", "n/a", "<na>", "#n/a", "#n/a n/a", "#na", "null", "none"),
        *("nil", "nat", "-", "--", "–", "—", "#null!", "#value!", "#div/0!", "#ref!", "#name?"),
        *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
    }
)
"""Spellings of a missing value, as pandas, R and spreadsheets write them, in lower case."""
YES: Final = frozenset(
    {
        *("1", "1.0", "true", "yes", "y", "x", "t", "sim", "verdadeiro", "sí", "si", "verdadero"),
        *("ja", "wahr", "oui", "vrai", "vero", "+", "✓", "✔", "☑", "✅", "√"),
    }
)
NO: Final = frozenset(
    {
        *("0", "0.0", "false", "no", "n", "f", "não", "nao", "falso", "nein", "falsch", "non"),
        *("faux", "✗", "✘", "☐", "❌"),
    }
)
_LONGEST_LIST = 100_000
"""Characters of a cell that is read as a list."""
_LONGEST_CODE = 18
"""Digits of a whole number that tells classes apart."""
_NUMPY = re.compile(r"np\.\w+\((?:'([^'()]*)'|\"([^\"()]*)\"|([^()'\"]*))\)")
_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_WHOLE = re.compile(r"[+-]?\d{1,15}(?:\.0*)?")
_DECIMAL = re.compile(r"[+-]?\d{1,15}[.,]\d{0,15}")


def is_missing(cell: str) -> bool:
    """Return True for an empty cell and for words such as NaN, n/a, null, None and "-"."""
    return len(cell) < 16 and cell.strip().casefold() in _MISSING


def missing_words(cells: Sequence[str]) -> dict[str, int]:
    """Return how often each word for a missing value occurs, without empty cells."""
    words = Counter(cell.strip() for cell in cells if cell.strip() and is_missing(cell))
    return dict(words.most_common())


def list_in(cell: str) -> list[str] | None:
    """Return the values of a list as Python, NumPy, pandas and JSON write it; None for others.

    Known are `['cat', 'dog']`, `['cat' 'dog']`, `["cat", "dog"]`, `{'cat', 'dog'}`,
    `('cat', 'dog')`, `[cat, dog]`, `array(['cat'], dtype=object)` and `set()`.
    """
    text = cell.strip()
    if len(text) > _LONGEST_LIST:
        return None
    if text in ("set()", "frozenset()", "list()", "tuple()"):
        return []
    text = _without_array(text)
    if len(text) < 2 or _BRACKETS.get(text[0]) != text[-1]:
        return None
    inner = _NUMPY.sub(_unwrapped, text[1:-1]).strip()
    if not inner:
        return []
    if "'" in inner or '"' in inner:
        return _quoted(inner)
    return _bare(inner, is_square=text[0] == "[")


def is_unreadable_list(cell: str) -> bool:
    """Return True for a cell in brackets that is no list, see `list_in`."""
    return cell[:1] in tuple("[{") and cell[-1:] in tuple("]}") and list_in(cell) is None


def _without_array(text: str) -> str:
    """Return the list inside `array(…, dtype=object)`, `set(…)` and the like."""
    for word in ("array(", "frozenset(", "set("):
        if text.startswith(word) and text.endswith(")"):
            inner = text[len(word) : -1]
            start = inner.rfind("dtype=")
            return (inner if start < 0 else inner[:start].rstrip().removesuffix(",")).strip()
    return text


def _unwrapped(found: re.Match[str]) -> str:
    if found[3] is not None:
        return found[3]
    return f"'{found[1]}'" if found[1] is not None else f'"{found[2]}"'


def _quoted(inner: str) -> list[str] | None:
    """Return texts in quotation marks; None if there is more than separators between them."""
    values: list[str] = []
    position = 0
    while position < len(inner):
        mark = inner[position]
        position += 1
        if mark.isspace() or mark == ",":
            continue
        if mark not in "'\"":
            return None
        text, position = _until(inner, position, mark)
        if position < 0:
            return None
        values.append(text.strip())
    return values


def _until(inner: str, start: int, mark: str) -> tuple[str, int]:
    """Return a text up to its closing mark, and the position after it; -1 without one."""
    parts: list[str] = []
    position = start
    while position < len(inner):
        char = inner[position]
        if char == mark:
            return "".join(parts), position + 1
        if char == "\\" and position + 1 < len(inner):
            position += 1
            char = inner[position]
        parts.append(char)
        position += 1
    return "", -1


def _bare(inner: str, *, is_square: bool) -> list[str] | None:
    """Return values without quotation marks; texts only in square brackets."""
    if any(char in inner for char in "[](){}:"):
        return None
    parts = [part for part in map(str.strip, inner.split(",")) if part]
    if all(_is_plain_number(word) for part in parts for word in part.split()):
        return inner.replace(",", " ").split()
    return parts if is_square else None


def _is_plain_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii()


def class_names(cells: Sequence[str]) -> list[str]:
    """Return the names of classes in a column: lists of one name and whole numbers are one form.

    If every number of the column is whole, 1 and 1.0 are the same class.

    Args:
        cells: The cells of the column.
    """
    names = [_only(cell) for cell in cells]
    if fractional_classes(names):
        return names
    return [str(int(float(name))) if _is_float_of_whole(name) else name for name in names]


def only_spellings(cells: Iterable[str]) -> frozenset[str]:
    """Return whole numbers with leading zeros, if no cell spells one of them differently.

    They are codes rather than numbers, such as 007.
    """
    known: dict[int, set[str]] = {}
    for cell in {*cells}:
        if cell.isascii() and cell.isdecimal() and len(cell) <= _LONGEST_CODE:
            known.setdefault(int(cell), set()).add(cell)
    if any(len(each) > 1 for each in known.values()):
        return frozenset()
    return frozenset(cell for each in known.values() for cell in each if cell != str(int(cell)))


def fractional_classes(cells: Sequence[str]) -> list[str]:
    """Return the numbers with a fraction in a column of classes; each once."""
    return [
        cell
        for cell in dict.fromkeys(cells)
        if _DECIMAL.fullmatch(cell) and not _WHOLE.fullmatch(cell)
    ]


def _is_float_of_whole(name: str) -> bool:
    return "." in name and _WHOLE.fullmatch(name) is not None


def _only(cell: str) -> str:
    values = list_in(cell) if cell[:1] in _BRACKETS else None
    return values[0] if values is not None and len(values) == 1 else cell
