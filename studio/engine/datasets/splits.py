"""Splits: the images for training, for validation and for the final test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Labels, Rows
from studio.engine.datasets.groups import Groups, separate_groups, units_of
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.stratification import GroupAssignment, fill_empty_parts, stratify

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
    groups: Groups | None = None,
) -> NDArray[np.int8]:
    """Assign images to train, validation and test, by class, at random but reproducibly.

    Rounding: every class gives the whole part of its share; what is missing from the share of all
    images, rounded half up, comes one by one from the classes with the largest remainders. So the
    totals match the percentages. Two rules go before them: a class always keeps an image to train
    on, and where it has enough images it gives at least one to validation, then to test, if
    those are wanted at all.

    Groups of several images are assigned first, as wholes; see `GroupAssignment`. Single images
    even out what the groups leave. Among these, which images of a class are taken depends on the
    seed, the class and how many images the class has, not on the other classes.

    Args:
        labels: Class of each image, any integers, shape N.
        val_percent: Share of validation, 0 to 100.
        test_percent: Share of test; below 100 together with validation.
        seed: Not negative; the same seed gives the same splits.
        given: Splits that the source decides, shape N, `SKIPPED` where it does not. Those stay;
            the percentages are taken of the others.
        groups: Group of each image, shape (N,); images of a group get the same split. None for
            single images.

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
    if groups is not None:
        fractions = (1 - (val_percent + test_percent) / 100, val_percent / 100, test_percent / 100)
        wanted = np.stack([sizes - val - test, val, test])
        assignment = GroupAssignment(members, wanted, units_of(groups[open_rows]))
        result[open_rows] = assignment.assign_groups(seed)
        val, test = assignment.quotas_of_single_images()
    single = result[open_rows] == SKIPPED
    ends = np.cumsum(np.bincount(members[single], minlength=len(classes)))[:-1]
    by_class = np.split(open_rows[single][np.argsort(members[single], kind="stable")], ends)
    for index, rows in enumerate(by_class if len(classes) else []):
        # PCG64 and a bare 64 bit label: the same on every machine and NumPy release.
        entropy = [seed, int(classes[index]) % 2**64]
        dealt = np.random.Generator(np.random.PCG64(entropy)).permutation(rows)
        result[dealt] = TRAIN
        result[dealt[: val[index]]] = VAL
        result[dealt[val[index] : val[index] + test[index]]] = TEST
    if groups is not None:
        traits = members[:, np.newaxis] == np.arange(len(classes))
        result[open_rows] = fill_empty_parts(
            result[open_rows],
            units_of(groups[open_rows]),
            traits,
            fractions,
            keep_all_traits=True,  # an image of a class that is not trained measures nothing
        )
    return result


def stratified_splits(
    traits: NDArray[np.bool_],
    val_percent: float,
    test_percent: float,
    seed: int,
    given: NDArray[np.int8],
    groups: Groups | None = None,
) -> NDArray[np.int8]:
    """Deal images that may have several traits, each as often in every split; see `stratify`.

    Args:
        traits: Traits of each image, bool, shape (N, M).
        val_percent: See `assign_splits`, as for the other arguments.
        test_percent: See there.
        seed: See there.
        given: See there.
        groups: See there.
    """
    result = given.astype(np.int8)
    rows = np.flatnonzero(result == SKIPPED)
    held_out = (val_percent / 100, test_percent / 100)
    fractions = (1 - sum(held_out), *held_out)
    own = None if groups is None else groups[rows]
    result[rows] = _stratified(traits[rows], fractions, seed, own)
    if own is not None:
        result[rows] = fill_empty_parts(result[rows], units_of(own), traits[rows], fractions)
    return result


def _stratified(
    traits: NDArray[np.bool_],
    fractions: tuple[float, ...],
    seed: int,
    groups: Groups | None,
) -> NDArray[np.int8]:
    """Return the part of each image; images of a group get the same part."""
    units = units_of(separate_groups(len(traits)) if groups is None else groups)
    of_units = any_of_group(traits, units.unit_of, len(units.sizes))
    return stratify(of_units, fractions, seed, units.sizes)[units.unit_of]


def splits_of_groups(split: NDArray[np.int8], groups: Groups) -> NDArray[np.int8]:
    """Return the split that the group of each image is in; `SKIPPED` if it is in none.

    If a group is in several, training is preferred to validation, and validation to test.

    Args:
        split: Split of each image, shape (N,); `SKIPPED` for none.
        groups: Group of each image, shape (N,).
    """
    units = units_of(groups)
    none = np.iinfo(np.int8).max
    lowest = np.full(len(units.sizes), none, np.int8)
    np.minimum.at(lowest, units.unit_of, np.where(split == SKIPPED, none, split))
    lowest[lowest == none] = SKIPPED
    return lowest[units.unit_of]


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


@dataclass(frozen=True, slots=True, eq=False)
class ImagesToSplit:
    """Facts of N images that a split depends on.

    Attributes:
        labels: Class of each image, shape (N,).
        split: Their splits so far, shape (N,); `SKIPPED` in holes, which stay holes.
        counted: False for images that are left out: they are assigned, too, so that they can come
            back, and count in no percentage. Shape (N,).
        given: Validation and test images as the source defined them, `SKIPPED` elsewhere, shape
            (N,). The plan keeps them unless it says otherwise, and assigns no others to these
            splits.
        traits: Traits of each image, bool, shape (N, M), to distribute evenly in place of classes.
        groups: Group of each image, shape (N,); images of a group get the same split. None for
            single images.
    """

    labels: Labels
    split: NDArray[np.int8]
    counted: NDArray[np.bool_]
    given: NDArray[np.int8] | None = None
    traits: NDArray[np.bool_] | None = None
    groups: Groups | None = None


def resplit(plan: SplitPlan, images: ImagesToSplit) -> NDArray[np.int8]:
    """Resplit the images of a dataset.

    Args:
        plan: How.
        images: The images.

    Returns:
        `TRAIN`, `VAL`, `TEST` or `SKIPPED` for each image, shape (N,).
    """
    result, given = images.split.copy(), images.given
    there = result != SKIPPED
    fixed = (result == TEST) if plan.method == "kfold" else np.zeros(len(result), np.bool_)
    if plan.keep_source_splits and given is not None:
        stays = there & ((given == TEST) if plan.method == "kfold" else (given != SKIPPED))
        result[stays] = given[stays]
        fixed |= stays
        plan = _without_percent(plan, given)
    free = there & ~fixed
    result[free] = SKIPPED
    groups = images.groups if plan.by_origin else None
    for part in (free & images.counted, free & ~images.counted):
        if groups is not None:
            # What is left out comes back to the images of its group.
            joined = splits_of_groups(np.where(free, result, np.int8(SKIPPED)), groups)
            result[part] = joined[part]
        rows = np.flatnonzero(part & (result == SKIPPED))
        traits = None if images.traits is None else images.traits[rows]
        own = None if groups is None else groups[rows]
        result[rows] = _deal_rows(plan, images.labels[rows], traits, own)
    if groups is not None and plan.method != "kfold":
        trained = np.flatnonzero(free & images.counted & (result == TRAIN))
        wanted = math.floor(plan.known_percent / 100 * int((free & images.counted).sum()) + 0.5)
        result[_of_known_groups(trained, groups, wanted, plan.seed)] = TEST
    return result


def _of_known_groups(rows: Rows, groups: Groups, wanted: int, seed: int) -> Rows:
    """Return training images to test on, as many of each group as its share of them.

    One image of each group stays, so that the network knows the group.

    Args:
        rows: Rows of the training images.
        groups: Group of each image of the dataset, shape (N,).
        wanted: Number of images, at most.
        seed: Seed of the draws.
    """
    dealt = np.random.Generator(np.random.PCG64(seed)).permutation(rows)
    dealt = dealt[np.argsort(groups[dealt], kind="stable")]
    others = dealt[1:][np.diff(groups[dealt]) == 0]
    count = min(wanted, len(others))
    # Systematic sampling: at even distances along the groups.
    found: Rows = others[(np.arange(count) * len(others)) // max(1, count)]
    return found


def _without_percent(plan: SplitPlan, given: NDArray[np.int8]) -> SplitPlan:
    """Leave no percentage for a split that the source has defined."""
    names = [name for name in HELD_OUT if (given == SPLIT_NAMES.index(name)).any()]
    return plan.changed(**{f"{name}_percent": 0.0 for name in names})


def _deal_rows(
    plan: SplitPlan,
    labels: Labels,
    traits: NDArray[np.bool_] | None,
    groups: Groups | None,
) -> NDArray[np.int8]:
    if plan.method == "kfold":
        return _deal_folds(plan, labels, traits, groups)
    if traits is not None and plan.method != "ratio":
        unknown = np.full(len(traits), SKIPPED, np.int8)
        percent = plan.val_percent, plan.test_percent
        return stratified_splits(traits, *percent, plan.seed, unknown, groups)
    classes = np.zeros(len(labels), np.int64) if plan.method == "ratio" else labels
    return assign_splits(classes, plan.val_percent, plan.test_percent, plan.seed, groups=groups)


def _deal_folds(
    plan: SplitPlan,
    labels: Labels,
    traits: NDArray[np.bool_] | None,
    groups: Groups | None,
) -> NDArray[np.int8]:
    fractions = (1 / plan.folds,) * plan.folds
    if traits is None and groups is not None:
        classes, members = np.unique(labels, return_inverse=True)
        traits = members[:, np.newaxis] == np.arange(len(classes))
    if traits is not None:
        folds = _stratified(traits, fractions, plan.seed, groups)
        return np.where(folds == plan.fold, VAL, TRAIN).astype(np.int8)
    order = np.random.Generator(np.random.PCG64(plan.seed)).permutation(len(labels))
    # Classes one after the other, assigned in turn: folds differ by one image at most, and so
    # does every class.
    order = order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(labels), np.int64)
    fold_of[order] = np.arange(len(labels)) % plan.folds
    return np.where(fold_of == plan.fold, VAL, TRAIN).astype(np.int8)


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
