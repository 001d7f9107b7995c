"""Which images train, which measure while training, and which are kept for the end."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

TRAIN = 0
VAL = 1
TEST = 2
SKIPPED = -1
SPLIT_NAMES = ("train", "val", "test")

Labels = NDArray[np.integer]


def assign_splits(
    labels: Labels,
    val_percent: float,
    test_percent: float,
    seed: int,
    given: NDArray[np.int8] | None = None,
) -> NDArray[np.int8]:
    """Deal images to train, validation and test, each class by itself, at random but repeatably.

    Rounding: every class gives the whole part of its share; what is missing from the share of all
    images, rounded half up, comes one by one from the classes with the largest remainders. So the
    totals match the percentages. Two rules go before them: a class always keeps an image to train
    on, and where it has enough images it gives at least one to validation, then to test, if
    those are wanted at all.

    Which images of a class are taken depends on the seed, the class and how many images the
    class has, not on the other classes.

    Args:
        labels: Class of each image, any integers, shape N.
        val_percent: Share of validation, 0 to 100.
        test_percent: Share of test; below 100 together with validation.
        seed: Not negative; the same seed gives the same splits.
        given: Splits that the source decides, shape N, `SKIPPED` where it does not. Those stay;
            the percentages are taken of the others.

    Returns:
        `TRAIN`, `VAL` or `TEST` for each image, shape N.
    """
    result = np.full(len(labels), SKIPPED, np.int8) if given is None else given.astype(np.int8)
    open_rows = np.flatnonzero(result == SKIPPED)
    classes, members = np.unique(labels[open_rows], return_inverse=True)
    sizes = np.bincount(members, minlength=len(classes))
    kept_for_test = (sizes >= 3) & (test_percent > 0)
    val = _shares(sizes, val_percent, sizes - 1 - kept_for_test)
    test = _shares(sizes, test_percent, sizes - 1 - val)
    by_class = np.split(open_rows[np.argsort(members, kind="stable")], np.cumsum(sizes)[:-1])
    for index, rows in enumerate(by_class if len(classes) else []):
        # PCG64 and a bare 64 bit label: the same on every machine and NumPy release.
        entropy = [seed, int(classes[index]) % 2**64]
        dealt = np.random.Generator(np.random.PCG64(entropy)).permutation(rows)
        result[dealt] = TRAIN
        result[dealt[: val[index]]] = VAL
        result[dealt[val[index] : val[index] + test[index]]] = TEST
    return result


def _shares(
    sizes: NDArray[np.integer], percent: float, room: NDArray[np.integer]
) -> NDArray[np.int64]:
    """How many images each class gives to one split, at most `room` each."""
    if percent <= 0:
        return np.zeros(len(sizes), np.int64)
    room = np.maximum(room, 0)
    exact = sizes * (percent / 100)
    # A hair is added because 30 % of 10 is 3.0000000000000004 or 2.9999999999999996.
    shares: NDArray[np.int64] = np.minimum(
        np.maximum(np.floor(exact + 1e-9).astype(np.int64), 1), room
    )
    missing = math.floor(float(exact.sum()) + 0.5 + 1e-9) - int(shares.sum())
    for index in np.argsort(shares - exact, kind="stable"):
        if missing <= 0:
            break
        if shares[index] < room[index]:
            shares[index] += 1
            missing -= 1
    return shares
