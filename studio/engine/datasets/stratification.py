"""Assignment of images, or of whole groups of images, to parts with equal distributions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.groups import Units


def stratify(
    traits: NDArray[np.bool_],
    fractions: tuple[float, ...],
    seed: int,
    sizes: NDArray[np.integer] | None = None,
) -> NDArray[np.int8]:
    """Deal images to parts by iterative stratification.

    The rarest trait is assigned first: each of its images goes to the part that lacks most of it.
    K. Sechidis, G. Tsoumakas and I. Vlahavas, "On the stratification of multi-label data",
    ECML PKDD 2011, algorithm 1. Images without any trait are assigned by the sizes of the parts.

    Args:
        traits: Traits of each image, bool, shape (N, M).
        fractions: Size of each part as a fraction; they add up to 1.
        seed: Not negative; the same seed gives the same parts.
        sizes: Number of images of each entry, where entries are groups, shape (N,); large groups
            are assigned first.

    Returns:
        Index of the part of each image, shape N.
    """
    count = len(traits)
    generator = np.random.Generator(np.random.PCG64(seed))
    order = generator.permutation(count)
    sizes = np.ones(count, np.int64) if sizes is None else sizes
    order = order[np.argsort(-sizes[order], kind="stable")]
    part_of = np.full(count, -1, np.int8)
    portions = np.array(fractions)
    room = portions * sizes.sum()
    # How many images of each trait every part still lacks, and how many are not assigned yet.
    lacks = portions[:, None] * (sizes @ traits)
    left = traits.sum(axis=0).astype(np.int64)
    while (left > 0).any():
        rarest = int(np.argmin(np.where(left > 0, left, count + 1)))
        for image in order[traits[order, rarest] & (part_of[order] < 0)]:
            usable = _with_room(room, int(sizes[image]))
            part = _part_for(lacks[:, rarest], room, usable, generator)
            part_of[image] = part
            mine = traits[image]
            lacks[part, mine] -= sizes[image]
            left[mine] -= 1
            room[part] -= sizes[image]
    for image in order[part_of[order] < 0]:
        part = int(np.argmax(room))
        part_of[image] = part
        room[part] -= sizes[image]
    return part_of


def _part_for(
    lacks: NDArray[np.floating],
    room: NDArray[np.floating],
    usable: NDArray[np.bool_],
    generator: np.random.Generator,
) -> int:
    """Return the part that lacks most of a trait.

    Where every part lacks less than one image, fractions decide by lot: else all traits with few
    images would give their last image to the same part, and a small part would stay empty.

    Args:
        lacks: Number of images with the trait that each part lacks, shape (P,).
        room: Number of images that each part lacks, shape (P,).
        usable: Parts that may be chosen, shape (P,).
        generator: Draws the lot.
    """
    odds = np.where(usable & (room > 1e-9), np.clip(lacks, 0, None), 0)
    if lacks[usable].max() < 1 - 1e-9 and odds.sum() > 1e-9:
        return int(generator.choice(len(odds), p=odds / odds.sum()))
    most = usable & (lacks >= lacks[usable].max() - 1e-9)
    return int(np.argmax(np.where(most, room, -np.inf)))


def _with_room(room: NDArray[np.floating], size: int) -> NDArray[np.bool_]:
    """Return the parts that a group fits into, or the one with the most room.

    Single images are assigned by their traits alone, so that each trait is as frequent everywhere.

    Args:
        room: Number of images that each part lacks, shape (P,).
        size: Size of the group.
    """
    if size == 1:
        return np.ones(len(room), np.bool_)
    fits: NDArray[np.bool_] = room >= size - 1e-9
    return fits if fits.any() else room >= room.max()


class GroupAssignment:
    """Assigns groups of several images by class, and says what single images have to even out.

    The largest group is assigned first, to the part that misses most of its classes among those
    that have room for it; if no part has, to the one with the most. So each part has the number
    of images that it should have, up to the size of one group. A class whose last group this is
    goes to the first part, training, if that has none of it.

    Args:
        members: Class of each image, 0 to K - 1, shape (N,).
        wanted: Number of images of each class in each part, shape (P, K); training comes first.
        units: The groups of the images.
    """

    def __init__(
        self, members: NDArray[np.integer], wanted: NDArray[np.integer], units: Units
    ) -> None:
        self._members = members
        self._wanted = wanted
        self._units = units
        self._assigned = np.zeros_like(wanted)
        # Pairs of a class and a group, each once: how many groups of a class are left.
        classes = wanted.shape[1]
        pairs = np.unique(units.unit_of * max(classes, 1) + members)
        self._left = np.bincount(pairs % max(classes, 1), minlength=classes)

    def assign_groups(self, seed: int) -> NDArray[np.int8]:
        """Return the part of each image, shape (N,); -1 for single images.

        Args:
            seed: Not negative; the same seed gives the same parts.
        """
        units = self._units
        part_of = np.full(len(units.sizes), -1, np.int8)
        order = np.random.Generator(np.random.PCG64(seed)).permutation(len(units.sizes))
        order = order[np.argsort(-units.sizes[order], kind="stable")]
        order = order[units.sizes[order] > 1]
        images = np.argsort(units.unit_of, kind="stable")
        begins = np.searchsorted(units.unit_of[images], order)
        for unit, begin in zip(order.tolist(), begins.tolist(), strict=True):
            mine = images[begin : begin + int(units.sizes[unit])]
            classes, numbers = np.unique(self._members[mine], return_counts=True)
            part = self._part_for(classes, numbers)
            part_of[unit] = part
            self._assigned[part, classes] += numbers
            self._left[classes] -= 1
        return part_of[units.unit_of]

    def _part_for(self, classes: NDArray[np.integer], numbers: NDArray[np.integer]) -> int:
        missing = (self._assigned[0, classes] == 0) & (self._left[classes] == 1)
        if missing.any():
            return 0
        room = (self._wanted - self._assigned).sum(axis=1)
        usable = _with_room(room, int(numbers.sum()))
        wanted = self._wanted[:, classes]
        lacks = np.maximum(wanted - self._assigned[:, classes], 0) / np.maximum(wanted, 1)
        need = np.where(usable, lacks @ numbers, -1.0)
        return int(np.argmax(need))

    def quotas_of_single_images(self) -> list[NDArray[np.int64]]:
        """Return the number of single images of each class in each part but the first, shape (K,).

        Together with the groups, each part gets the number of images that it should have, if there
        are enough single images.
        """
        units, classes = self._units, self._wanted.shape[1]
        is_single = units.sizes[units.unit_of] == 1
        left = np.bincount(self._members[is_single], minlength=classes)
        left -= (self._assigned[0] == 0) & (left > 0)  # each class has an image to train on
        quotas = []
        for wanted, assigned in zip(self._wanted[1:], self._assigned[1:], strict=True):
            quota = np.clip(wanted - assigned, 0, left)
            room = max(0, int(wanted.sum() - assigned.sum()))
            _even_out(quota, room, left, assigned)
            left -= quota
            quotas.append(quota)
        return quotas


def _even_out(
    quota: NDArray[np.int64],
    room: int,
    available: NDArray[np.int64],
    assigned: NDArray[np.int64],
) -> None:
    """Change the quotas of classes until they add up to `room`, as far as possible.

    Args:
        quota: Single images that each class gives to a part, shape (K,); changed.
        room: Number of images that the part should get.
        available: Number of images that each class could give, shape (K,).
        assigned: Number of images of each class that the part has, shape (K,).
    """
    size = np.maximum(available + assigned, 1)
    while quota.sum() > room:
        ratio = np.where(quota > 0, (assigned + quota - 1) / size, -1.0)
        quota[int(np.argmax(ratio))] -= 1
    while quota.sum() < room and (quota < available).any():
        ratio = np.where(quota < available, (assigned + quota + 1) / size, np.inf)
        quota[int(np.argmin(ratio))] += 1


def fill_empty_parts(
    part_of: NDArray[np.int8],
    units: Units,
    traits: NDArray[np.bool_],
    fractions: tuple[float, ...],
    *,
    keep_all_traits: bool = False,
) -> NDArray[np.int8]:
    """Move a group from training to each part that should have images and has none.

    A few large groups can all fit into training best. The group whose size is closest to the part
    is moved, if possible one without which training keeps all traits. Training keeps a group.

    Args:
        part_of: Part of each image, 0 for training, shape (N,).
        units: The groups of the images.
        traits: Traits of each image, bool, shape (N, M).
        fractions: Size of each part as a fraction, training first.
        keep_all_traits: True if a part rather stays empty than training loses a trait.
    """
    result = part_of.copy()
    if not (units.sizes > 1).any():
        return result
    part_of_unit = result[units.first]
    images = np.zeros((len(units.sizes), traits.shape[1]), np.int64)
    np.add.at(images, units.unit_of, traits)
    for part, fraction in list(enumerate(fractions))[1:]:
        training = np.flatnonzero(part_of_unit == 0)
        if fraction <= 0 or (part_of_unit == part).any() or len(training) < 2:
            continue
        left = images[training].sum(axis=0)
        loses = ((left - images[training] == 0) & (images[training] > 0)).sum(axis=1)
        distance = np.abs(units.sizes[training] - fraction * len(result))
        chosen = np.lexsort((distance, loses))[0]
        if not (keep_all_traits and loses[chosen]):
            part_of_unit[training[chosen]] = part
    moved_images: NDArray[np.int8] = part_of_unit[units.unit_of]
    return moved_images
