"""Ids of COCO files: the same number may be written as 7, 7.0 or "7"."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import Generic, TypeVar

Id = int | str
T = TypeVar("T")
_WHOLE = re.compile(r"\s*(\d{1,30})(\.0{1,30})?\s*", re.ASCII)


def id_of(value: object) -> Id | None:
    """Return an id of a file, whole numbers as such; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() else repr(value)
    return value if isinstance(value, int | str) else None


def _number(found: Id) -> int | None:
    """Return the number that an id is or contains; None for other texts."""
    if isinstance(found, int):
        return found
    match = _WHOLE.fullmatch(found)
    return None if match is None else int(match[1])


def order_of(found: Id) -> tuple[bool, int, str]:
    """Return the key by which ids are sorted: numbers first, by their value."""
    number = _number(found)
    return (True, 0, str(found)) if number is None else (False, number, "")


class IdTable(Generic[T]):
    """Values by the ids of a file.

    An id is found as it is written. One that is not listed so is found by its number, if one id of
    the table alone has this number: 7 and "7" may also be two ids.
    """

    def __init__(self) -> None:
        self._values: dict[Id, T] = {}
        self._by_number: defaultdict[int, list[Id]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._values)

    def values(self) -> list[T]:
        """Return the values in the order of the file."""
        return list(self._values.values())

    def listed(self, number: Id) -> T | None:
        """Return the value of an id as it is written."""
        return self._values.get(number)

    def add(self, number: Id, value: T) -> None:
        """Add the value of an id.

        Args:
            number: The id, which is not in the table yet.
            value: Its value.
        """
        self._values[number] = value
        plain = _number(number)
        if plain is not None:
            self._by_number[plain].append(number)

    def find(self, value: object) -> T | None:
        """Return the value of an id in any spelling; None without one, or with several."""
        number = id_of(value)
        if number is None:
            return None
        if number in self._values:
            return self._values[number]
        plain = _number(number)
        alike = [] if plain is None else self._by_number.get(plain, [])
        return self._values[alike[0]] if len(alike) == 1 else None
