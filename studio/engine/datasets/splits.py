"""Which images train, which measure while training, and which are kept for the end."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Labels
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.errors import StudioError

# Deals images that have several traits at once, so that each trait is as frequent everywhere.


def stratify(
    traits: NDArray[np.bool_], fractions: tuple[float, ...], seed: int
) -> NDArray[np.int8]:
    """Deal images to parts by iterative stratification.

    The rarest trait is assigned first: each of its images goes to the part that lacks most of it.
    K. Sechidis, G. Tsoumakas and I. Vlahavas, "On the stratification of multi-label data",
    ECML PKDD 2011, algorithm 1. Images without any trait are assigned by the sizes of the parts.

    Args:
        traits: Traits of each image, bool, shape (N, M).
        fractions: Size of each part as a fraction; they add up to 1.
        seed: Not negative; the same seed gives the same parts.

    Returns:
        Index of the part of each image, shape N.
    """
    count = len(traits)
    generator = np.random.Generator(np.random.PCG64(seed))
    order = generator.permutation(count)
    part_of = np.full(count, -1, np.int8)
    portions = np.array(fractions)
    room = portions * count
    # How many images of each trait every part still lacks, and how many are not assigned yet.
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


TRAIN = 0
VAL = 1
TEST = 2
SKIPPED = -1
SPLIT_NAMES = ("train", "val", "test")
HELD_OUT: Final[tuple[Literal["val", "test"], ...]] = ("val", "test")


def assign_splits(
    labels: Labels,
    val_percent: float,
    test_percent: float,
    seed: int,
    given: NDArray[np.int8] | None = None,
) -> NDArray[np.int8]:
    """Assign images to train, validation and test, by class, at random but reproducibly.

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
    reserved_for_test = (sizes >= 3) & (test_percent > 0)
    val = _quotas(sizes, val_percent, sizes - 1 - reserved_for_test)
    test = _quotas(sizes, test_percent, sizes - 1 - val)
    by_class = np.split(open_rows[np.argsort(members, kind="stable")], np.cumsum(sizes)[:-1])
    for index, rows in enumerate(by_class if len(classes) else []):
        # PCG64 and a bare 64 bit label: the same on every machine and NumPy release.
        entropy = [seed, int(classes[index]) % 2**64]
        dealt = np.random.Generator(np.random.PCG64(entropy)).permutation(rows)
        result[dealt] = TRAIN
        result[dealt[: val[index]]] = VAL
        result[dealt[val[index] : val[index] + test[index]]] = TEST
    return result


def stratified_splits(
    traits: NDArray[np.bool_],
    val_percent: float,
    test_percent: float,
    seed: int,
    given: NDArray[np.int8],
) -> NDArray[np.int8]:
    """Deal images that may have several traits, each as often in every split; see `stratify`.

    Args:
        traits: Traits of each image, bool, shape (N, M).
        val_percent: See `assign_splits`, as for the other arguments.
        test_percent: See there.
        seed: See there.
        given: See there.
    """
    result = given.astype(np.int8)
    rows = np.flatnonzero(result == SKIPPED)
    held_out = (val_percent / 100, test_percent / 100)
    result[rows] = stratify(traits[rows], (1 - sum(held_out), *held_out), seed)
    return result


def any_of_group(
    traits: NDArray[np.bool_], groups: NDArray[np.int64], count: int
) -> NDArray[np.bool_]:
    """Return the traits that any image of each group has, shape (groups, M).

    Args:
        traits: Traits of images, shape (N, M).
        groups: Number of the group of each image, shape (N,).
        count: Number of groups.
    """
    found = np.zeros((count, traits.shape[1]), np.bool_)
    np.logical_or.at(found, groups, traits)
    return found


def resplit(
    plan: SplitPlan,
    labels: Labels,
    split: NDArray[np.int8],
    counted: NDArray[np.bool_],
    paths: Sequence[str],
    given: NDArray[np.int8] | None = None,
    traits: NDArray[np.bool_] | None = None,
) -> NDArray[np.int8]:
    """Resplit the images of a dataset.

    Args:
        plan: How.
        labels: Class of each image, shape N.
        split: Their splits so far, shape N; `SKIPPED` in holes, which stay holes.
        counted: False for images that are left out: they are assigned, too, so that they can come
            back, and count in no share. Shape N.
        paths: Path of each image, for groups; N texts, or none without a pattern.
        given: Validation and test images as the source defined them, `SKIPPED` elsewhere, shape
            N. The plan keeps them unless it says otherwise, and assigns no others to these splits.
        traits: Traits of each image, bool, shape (N, M), to distribute evenly in place of classes.

    Returns:
        `TRAIN`, `VAL`, `TEST` or `SKIPPED` for each image, shape N.

    Raises:
        StudioError: The pattern finds nothing.
    """
    result = split.copy()
    there = split != SKIPPED
    fixed = (split == TEST) if plan.method == "kfold" else np.zeros(len(split), np.bool_)
    if plan.keep_source_splits and given is not None:
        stays = there & ((given == TEST) if plan.method == "kfold" else (given != SKIPPED))
        result[stays] = given[stays]
        fixed |= stays
        plan = _without_percent(plan, given)
    if plan.pattern:
        rows = np.flatnonzero(there & ~fixed)
        groups = group_numbers([paths[row] for row in rows.tolist()], plan.pattern)
        result[rows] = _deal_groups(plan, groups, counted[rows])
        return result
    for part in (there & counted, there & ~counted):
        rows = np.flatnonzero(part & ~fixed)
        mine = None if traits is None else traits[rows]
        result[rows] = _deal_rows(plan, labels[rows], mine)
    return result


def group_numbers(paths: Sequence[str], pattern: str) -> NDArray[np.int64]:
    """Return the group of each path, int64, shape (N,); other paths form their own groups.

    Args:
        paths: Paths of the images.
        pattern: Regular expression; equal matches form a group.

    Raises:
        StudioError: The pattern matches no path.
    """
    expression = re.compile(pattern)
    numbers: dict[str, int] = {}
    result = np.empty(len(paths), np.int64)
    alone = -1
    for index, path in enumerate(paths):
        found = expression.search(path)
        if found is None:
            result[index] = alone
            alone -= 1
        else:
            name = found.group(1 if expression.groups else 0) or ""
            result[index] = numbers.setdefault(name, len(numbers))
    if not numbers and len(paths):
        raise StudioError(
            'The pattern "{pattern}" matches no path; one of them is "{path}".',
            "Change the pattern so that it matches the part of the name that images of a group "
            "share.",
            "pattern",
            pattern=pattern,
            path=paths[0],
        )
    return result


def _without_percent(plan: SplitPlan, given: NDArray[np.int8]) -> SplitPlan:
    """Leave no percentage for a split that the source has defined."""
    names = [name for name in HELD_OUT if (given == SPLIT_NAMES.index(name)).any()]
    return plan.changed(**{f"{name}_percent": 0.0 for name in names})


def _deal_rows(
    plan: SplitPlan, labels: Labels, traits: NDArray[np.bool_] | None
) -> NDArray[np.int8]:
    if traits is not None and plan.method == "stratified":
        unknown = np.full(len(traits), SKIPPED, np.int8)
        return stratified_splits(traits, plan.val_percent, plan.test_percent, plan.seed, unknown)
    if traits is not None and plan.method == "kfold":
        folds = stratify(traits, (1 / plan.folds,) * plan.folds, plan.seed)
        return np.where(folds == plan.fold, VAL, TRAIN).astype(np.int8)
    if plan.method != "kfold":
        classes = labels if plan.method == "stratified" else np.zeros(len(labels), np.int64)
        return assign_splits(classes, plan.val_percent, plan.test_percent, plan.seed)
    order = np.random.Generator(np.random.PCG64(plan.seed)).permutation(len(labels))
    # Classes one after the other, assigned in turn: folds differ by one image at most, and so
    # does every class.
    order = order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(labels), np.int64)
    fold_of[order] = np.arange(len(labels)) % plan.folds
    return np.where(fold_of == plan.fold, VAL, TRAIN).astype(np.int8)


def _deal_groups(
    plan: SplitPlan, groups: NDArray[np.int64], counted: NDArray[np.bool_]
) -> NDArray[np.int8]:
    """Give whole groups to the parts, each, the largest first, to whichever lacks most."""
    _, members = np.unique(groups, return_inverse=True)
    sizes = np.bincount(members, weights=counted)
    if plan.method == "kfold":
        fractions = np.full(plan.folds, 1 / plan.folds)
    else:
        held_out = np.array([plan.val_percent, plan.test_percent]) / 100
        fractions = np.array([1 - held_out.sum(), *held_out])
    lacks = fractions * sizes.sum()
    order = np.random.Generator(np.random.PCG64(plan.seed)).permutation(len(sizes))
    part_of = np.zeros(len(sizes), np.int8)
    for group in order[np.argsort(-sizes[order], kind="stable")].tolist():
        part = int(np.argmax(lacks))
        part_of[group] = part
        lacks[part] -= sizes[group]
    if plan.method == "kfold":
        part_of = np.where(part_of == plan.fold, VAL, TRAIN).astype(np.int8)
    dealt: NDArray[np.int8] = part_of[members]
    return dealt


def _quotas(
    sizes: NDArray[np.integer], percent: float, room: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the number of images that each class gives to one split, at most `room` each."""
    if percent <= 0:
        return np.zeros(len(sizes), np.int64)
    room = np.maximum(room, 0)
    exact = sizes * (percent / 100)
    # A hair is added because 30 % of 10 is 3.0000000000000004 or 2.9999999999999996.
    quotas: NDArray[np.int64] = np.minimum(
        np.maximum(np.floor(exact + 1e-9).astype(np.int64), 1), room
    )
    missing = math.floor(float(exact.sum()) + 0.5 + 1e-9) - int(quotas.sum())
    for index in np.argsort(quotas - exact, kind="stable"):
        if missing <= 0:
            break
        if quotas[index] < room[index]:
            quotas[index] += 1
            missing -= 1
    return quotas
