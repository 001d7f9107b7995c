"""Reproducible choice of the images for training and measuring a baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.engine.arrays import Integers, Labels, Rows
from studio.engine.baselines.report import MeasuredOn
from studio.engine.datasets.groups import Groups, units_of
from studio.engine.datasets.store import Store
from studio.engine.datasets.stratification import stratify
from studio.engine.errors import BadDataError

FOLDS = 5
DRAWS = 3
"""Random draws per point of the curve when there are no folds."""

MIN_MEASURED = 30
"""A smaller split is too uncertain: all training images are then cross-validated instead."""

_MEASURED_SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class SampledImages:
    """The sampled images.

    Attributes:
        measured_on: A split, or `"folds"`.
        learn: Rows to learn from, in an order of which every beginning is stratified.
        measure: Rows to measure on; those of `learn` where it is folds.
        there: Number of training images in the dataset.
    """

    measured_on: MeasuredOn
    learn: Rows
    measure: Rows
    there: int

    @property
    def rows(self) -> Rows:
        """All of them once, ascending."""
        found: Rows = np.unique(np.concatenate([self.learn, self.measure]))
        return found


@dataclass(frozen=True, slots=True)
class Round:
    """One measurement: train on the first images of an order, measure on others."""

    learn: Rows
    measure: Rows


def draw_sample(store: Store, images: int | None, seed: int) -> SampledImages:
    """Choose images of a dataset.

    Args:
        store: The dataset.
        images: Maximum number; None for all.
        seed: The same seed draws the same; fewer images are a part of more.

    Raises:
        BadDataError: There are not enough training images, or they do not differ.
    """
    train = store.rows("train")
    if (np.bincount(store.strata[train], minlength=2) >= 2).sum() < 2:
        raise BadDataError(
            "A baseline needs two training images of at least two classes, labels or values.",
            "Add images, or move some to the training split.",
            "dataset",
        )
    learn = mixed(train, store.strata, seed)
    for split in ("test", "val"):
        rows = store.rows(split)
        if len(rows) >= MIN_MEASURED and len(np.unique(store.strata[rows])) > 1:
            measure = mixed(rows, store.strata, seed)
            if images is not None and images < len(learn) + len(measure):
                share = max(int(images * _MEASURED_SHARE), images - len(learn))
                measure = measure[: max(share, 1)]
                learn = learn[: max(images - len(measure), 1)]
            named: MeasuredOn = "test" if split == "test" else "val"
            return SampledImages(named, learn, measure, len(train))
    learn = learn[:images]
    return SampledImages("folds", learn, learn, len(train))


def mixed(rows: Rows, strata: Labels, seed: int) -> Rows:
    """Return the rows in a random order of which every beginning is stratified.

    Args:
        rows: Rows of the dataset.
        strata: Class of each row of the dataset, or the like.
        seed: The same seed gives the same order.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    rows = generator.permutation(rows)
    rank = np.empty(len(rows))
    for stratum in np.unique(strata[rows]):
        members = np.flatnonzero(strata[rows] == stratum)
        # Evenly spread, from a random beginning: of small strata too, some come early.
        rank[members] = (np.arange(len(members)) + generator.random()) / len(members)
    return rows[np.argsort(rank, kind="stable")]


def rounds_of(
    sample: SampledImages, strata: Labels, seed: int, groups: Groups | None = None
) -> list[Round]:
    """Split a sample into rounds: several random orders, or cross-validation folds.

    Args:
        sample: Rows for training and measuring.
        strata: Class of each row of the dataset, shape (N,).
        seed: Seed of the orders.
        groups: Group of each row of the dataset by its origin, shape (N,); None for single images.
    """
    if sample.measured_on != "folds":
        orders = [sample.learn]
        orders += [mixed(sample.learn, strata, seed + number) for number in range(1, DRAWS)]
        return [Round(order, sample.measure) for order in orders]
    return fold_rounds(sample.learn, strata, seed, groups)


def fold_rounds(
    rows: Rows, strata: Labels, seed: int, groups: Groups | None = None
) -> list[Round]:
    """Split rows into stratified cross-validation folds.

    Args:
        rows: Rows in the order of `mixed`.
        strata: Class of each row of the dataset, shape (N,).
        seed: Seed of the folds of groups.
        groups: Group of each row of the dataset, shape (N,), whose images are in the same fold;
            None for single images.
    """
    # In the mixed order neighbors are of all strata, so every fold is stratified.
    folds: Integers = np.arange(len(rows)) % FOLDS
    units = None if groups is None else units_of(groups[rows])
    if units is not None and len(units.sizes) > 1:
        values, members = np.unique(strata[rows], return_inverse=True)
        traits = np.zeros((len(units.sizes), len(values)), np.bool_)
        traits[units.unit_of, members] = True
        count = min(FOLDS, len(units.sizes))
        parts = stratify(traits, (1 / count,) * count, seed, units.sizes)
        folds = parts[units.unit_of].astype(np.int64)
    return [Round(rows[folds != fold], rows[folds == fold]) for fold in np.unique(folds).tolist()]


def round_number(images: int) -> int:
    """Return the next lower number of a coarse scale: 1, 1.5, 2, 3, 5, 7 times a power of ten.

    How many images the time allows differs from call to call; so most calls take the same.
    """
    power = 10 ** (len(str(max(images, 1))) - 1)
    steps = [int(step * power) for step in (1, 1.5, 2, 3, 5, 7)]
    return max(step for step in steps if step <= max(images, 1))
