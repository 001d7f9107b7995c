"""Random numbers without state: what is drawn depends only on the key."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MASK = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


def _mixed(value: Any) -> Any:  # noqa: ANN401 - an int, or an array of uint64, as it is given
    """Return SplitMix64's finish of a number, or of each number of an array.

    Source: G. Steele et al., "Fast splittable pseudorandom numbers", 2014.
    """
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def key_of(*parts: int | str) -> int:
    """Return a key of 64 bits from numbers and names, in their order."""
    key = 0
    for part in parts:
        number = zlib.crc32(part.encode()) if isinstance(part, str) else part
        key = _mixed((key + _STEP + number) & _MASK)
    return key


def row_keys(seed: int, epoch: int, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return `key_of(seed, epoch, row)` of each row at once, shape (n,).

    Args:
        seed: Seed of the augmentation.
        epoch: Number of the epoch.
        rows: Rows of the dataset, shape (n,).
    """
    keys: NDArray[np.uint64] = _mixed(
        rows.astype(np.uint64) + ((key_of(seed, epoch) + _STEP) & _MASK)
    )
    return keys


def states_of(keys: NDArray[np.uint64], name: str) -> list[int]:
    """Return `key_of(key, name)` of each key at once: states of `Draws`.

    Args:
        keys: Keys from `row_keys`, shape (n,).
        name: The operation that draws.
    """
    inner = _mixed(keys + _STEP)
    states: list[int] = _mixed(inner + ((_STEP + zlib.crc32(name.encode())) & _MASK)).tolist()
    return states


class Draws:
    """A sequence of random numbers.

    Plain Python: ten draws cost 6 µs, where making one NumPy generator costs 20 µs.

    Args:
        key: The same key gives the same numbers, see `key_of`.
        name: Name of the operation. Each has its own sequence, so that enabling one does not
            change the others.
    """

    __slots__ = ("_state",)

    def __init__(self, key: int, name: str = "") -> None:
        self._state = key_of(key, name) if name else key

    def bits(self) -> int:
        """Return a whole number of 64 bits."""
        self._state = (self._state + _STEP) & _MASK
        drawn: int = _mixed(self._state)
        return drawn

    def unit(self) -> float:
        """Uniform, from 0 to below 1."""
        return (self.bits() >> 11) * 2.0**-53

    def between(self, low: float, high: float) -> float:
        """Draw a uniform number.

        Args:
            low: Lower end.
            high: Upper end.
        """
        return low + (high - low) * self.unit()

    def around(self, most: float) -> float:
        """Uniform, from `-most` to `most`."""
        return (2.0 * self.unit() - 1.0) * most

    def normal(self) -> float:
        """Standard normal, by the method of Box and Muller."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.unit()))
        return radius * math.cos(2.0 * math.pi * self.unit())

    def below(self, count: int) -> int:
        """Return a whole number from 0 to below `count`, each as likely."""
        return int(self.unit() * count)

    def chance(self, probability: float) -> bool:
        """Return True with that probability."""
        return self.unit() < probability

    def generator(self) -> np.random.Generator:
        """Return a generator of NumPy's, for whole arrays and other distributions."""
        return np.random.Generator(np.random.PCG64(self.bits()))
