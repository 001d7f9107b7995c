"""In which order trials are shown: by the values of a column, read a few at a time. Free of Qt."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping

from studio.ui.pages.sweeps.trial_row import NUMBER

Key = float | str | None
"""What a trial is sorted by: numbers come before texts; None, for no value, comes last."""
_PIECE = 64
"""Values between two looks at the clock."""


def key_of(value: object) -> Key:
    """What a value is sorted by; texts without case."""
    if value is None or value == []:
        return None
    if isinstance(value, tuple):
        return float(value[1] - value[0])  # an interval by how wide it is
    if isinstance(value, list):
        return float(value[-1])  # a curve by where it ends
    if isinstance(value, bool | int | float):
        return None if math.isnan(value) else float(value)
    return str(value).casefold()


class TrialOrder:
    """Sorts trials by a column.

    Reading the values of ten thousand rows, whose runs tell some of them, takes a tenth of a
    second: that is done in pieces, and only what changed is read again.

    Args:
        read: The value of a trial, by its number, in a column.
    """

    def __init__(self, read: Callable[[int, str], object]) -> None:
        self._read = read
        self.column = NUMBER
        self.is_descending = False
        self._keys: dict[int, Key] = {}
        self._unread: dict[int, None] = {}

    @property
    def is_natural(self) -> bool:
        """Whether trials come as they were begun."""
        return self.column == NUMBER and not self.is_descending

    def choose(self, column: str, *, descending: bool, trials: Iterable[int]) -> None:
        """Sort by a column from now on.

        Args:
            column: Its key.
            descending: Whether what is greatest comes first.
            trials: The numbers of all.
        """
        if column != self.column:
            self.column = column
            self.begin(trials)
        self.is_descending = descending

    def begin(self, trials: Iterable[int]) -> None:
        """These are all trials now, and nothing is known of them."""
        self._keys = {}
        self._unread = {} if self.column == NUMBER else dict.fromkeys(trials)

    def forget(self, trials: Iterable[int]) -> None:
        """These are new, or not as they were."""
        if self.column != NUMBER:
            self._unread.update(dict.fromkeys(trials))

    def read_on(self, seconds: float) -> bool:
        """Read values for about so long, and tell whether all are known."""
        end = time.perf_counter() + seconds
        while self._unread:
            for _ in range(min(_PIECE, len(self._unread))):
                number, _nothing = self._unread.popitem()
                self._keys[number] = key_of(self._read(number, self.column))
            if time.perf_counter() > end:
                break
        return not self._unread

    def sorted(self, trials: Mapping[int, object]) -> list[int]:
        """The numbers of trials in order; what was not read yet comes with those of no value."""
        numbers = sorted(trials)
        if self.column == NUMBER:
            return numbers[::-1] if self.is_descending else numbers
        keys = self._keys
        figures = {n: key for n in numbers if isinstance(key := keys.get(n), float)}
        words = {n: key for n in numbers if isinstance(key := keys.get(n), str)}
        is_down = self.is_descending
        parts = [
            sorted(figures, key=figures.__getitem__, reverse=is_down),
            sorted(words, key=words.__getitem__, reverse=is_down),
        ]
        if is_down:
            parts.reverse()
        return [*parts[0], *parts[1], *(n for n in numbers if keys.get(n) is None)]
