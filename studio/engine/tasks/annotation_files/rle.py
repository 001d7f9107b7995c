"""Run-length encoding of binary masks, as the COCO API writes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotation_files.patches import Patch

_BITS = 5
_MORE = 0x20
_LONGEST = 60
_FIRST = 48
"""The character of the value 0."""


def encode(mask: NDArray[np.bool_]) -> dict[str, object]:
    """Return a mask as compressed RLE of COCO: `size` (height, width) and `counts`.

    Runs alternate between 0 and 1, begin with 0, and go down the columns. From the third on, the
    difference to the one before the last is written, in groups of five bits.

    Args:
        mask: Shape (height, width).
    """
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    starts_inside = np.zeros(int(flat.size > 0 and flat[0]), np.int64)
    return encode_changes((mask.shape[0], mask.shape[1]), np.concatenate([starts_inside, changes]))


def encode_changes(size: tuple[int, int], changes: NDArray[np.int64]) -> dict[str, object]:
    """Return a mask as `encode` does, by the pixels at which its value changes.

    Args:
        size: Height and width.
        changes: Indices of pixels, counted down the columns, from 0 outside of the mask.
    """
    runs: list[int] = np.diff(changes, prepend=0, append=size[0] * size[1]).tolist()
    text = []
    for at, run in enumerate(runs):
        value = run - runs[at - 2] if at > 2 else run
        more = True
        while more:
            part = value & (_MORE - 1)
            value >>= _BITS
            more = value != (-1 if part & 0x10 else 0)
            text.append(chr(part + _FIRST + (_MORE if more else 0)))
    return {"size": list(size), "counts": "".join(text)}


def runs_of(size: tuple[int, int], counts: str | list[int]) -> NDArray[np.int64]:
    """Return the lengths of the runs of an RLE of COCO.

    Args:
        size: Height and width.
        counts: Compressed as a text, or the lengths themselves.

    Raises:
        ValueError: The runs are not those of a mask of this size.
    """
    runs = counts if isinstance(counts, list) else _runs(counts)
    if sum(runs) != size[0] * size[1] or min(runs, default=0) < 0:
        raise ValueError(f"the runs cover {sum(runs)} pixels of {size[0]}x{size[1]}")
    return np.array(runs, np.int64)


def patch_of(size: tuple[int, int], runs: NDArray[np.int64]) -> Patch:
    """Return the pixels of runs, in the columns that they touch.

    Args:
        size: Height and width of the mask.
        runs: Lengths of the runs, see `runs_of`.
    """
    height, ends = size[0], np.cumsum(runs)
    used = 2 * np.flatnonzero(runs[1::2]) + 1
    if not len(used):
        return Patch(0, 0, np.zeros((0, 0), np.bool_))
    first, last = int(used[0]), int(used[-1])
    start, end = int(ends[first - 1]), int(ends[last])
    left, right = start // height, -(-end // height)
    lengths = [start - left * height, *runs[first : last + 1], right * height - end]
    flat = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    return Patch.of(left, 0, flat.reshape((height, right - left), order="F"))


def box_around(
    size: tuple[int, int], runs: NDArray[np.int64]
) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of the pixels of runs; None without pixels.

    Args:
        size: Height and width of the mask.
        runs: Lengths of the runs, see `runs_of`.
    """
    height, ends = size[0], np.cumsum(runs)
    starts, ends = (ends - runs)[1::2], ends[1::2]
    starts, ends = starts[ends > starts], ends[ends > starts]
    if not len(starts):
        return None
    first, last = starts // height, (ends - 1) // height
    # A run that continues in the next column touches the bottom and the top.
    continues = bool((first < last).any())
    top = 0 if continues else int((starts % height).min())
    bottom = height if continues else int(((ends - 1) % height).max()) + 1
    return float(first.min()), float(top), float(last.max()) + 1.0, float(bottom)


def decode(size: tuple[int, int], counts: str | list[int]) -> NDArray[np.bool_]:
    """Return the mask of an RLE of COCO; see `runs_of`."""
    return patch_of(size, runs_of(size, counts)).whole(size[::-1])


def _runs(text: str) -> list[int]:
    runs: list[int] = []
    value = shift = 0
    for character in text:
        part = ord(character) - _FIRST
        if not 0 <= part < 2 * _MORE:
            raise ValueError(f"{character!r} is no character of an RLE")
        if shift > _LONGEST:
            raise ValueError("a number of the RLE is too long")
        value |= (part & (_MORE - 1)) << shift
        shift += _BITS
        if part & _MORE:
            continue
        if part & 0x10:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    if shift:
        raise ValueError("the RLE ends in the middle of a number")
    return runs
