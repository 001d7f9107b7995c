"""Deals images that have several traits at once, so that each trait is as frequent everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stratify(traits: NDArray[np.bool_], shares: tuple[float, ...], seed: int) -> NDArray[np.int8]:
    """Deal images to parts by iterative stratification.

    The rarest trait is dealt first: each of its images goes to the part that lacks most of it.
    K. Sechidis, G. Tsoumakas and I. Vlahavas, "On the stratification of multi-label data",
    ECML PKDD 2011, algorithm 1. Images without any trait are dealt by the sizes of the parts.

    Args:
        traits: Which image has which trait, shape (N, M).
        shares: Of the parts; they add up to 1.
        seed: Not negative; the same seed gives the same parts.

    Returns:
        Index of the part of each image, shape N.
    """
    count = len(traits)
    generator = np.random.Generator(np.random.PCG64(seed))
    order = generator.permutation(count)
    part_of = np.full(count, -1, np.int8)
    portions = np.array(shares)
    room = portions * count
    # How many images of each trait every part still lacks, and how many are not dealt yet.
    lacks = portions[:, None] * traits.sum(axis=0)
    left = traits.sum(axis=0).astype(np.int64)
    while (left > 0).any():
        rarest = int(np.argmin(np.where(left > 0, left, count + 1)))
        for image in order[traits[order, rarest] & (part_of[order] < 0)]:
            most = lacks[:, rarest] >= lacks[:, rarest].max() - 1e-9
            part = int(np.argmax(np.where(most, room, -np.inf)))
            part_of[image] = part
            mine = traits[image]
            lacks[part, mine] -= 1
            left[mine] -= 1
            room[part] -= 1
    for image in order[part_of[order] < 0]:
        part = int(np.argmax(room))
        part_of[image] = part
        room[part] -= 1
    return part_of
