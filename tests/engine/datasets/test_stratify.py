"""Images with several traits at once are dealt so that every trait is as frequent everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from studio.engine.datasets.stratification import stratify

FRACTIONS = (0.7, 0.2, 0.1)


def test_every_attribute_gets_its_proportions() -> None:
    random = np.random.default_rng(0)
    traits = random.random((2000, 8)) < np.linspace(0.01, 0.5, 8)

    parts = stratify(traits, FRACTIONS, seed=1)

    assert np.bincount(parts).tolist() == [1400, 400, 200]
    for trait in traits.T:
        found = np.bincount(parts[trait], minlength=3)
        assert np.abs(found - np.array(FRACTIONS) * trait.sum()).max() <= 2


@given(
    traits=arrays.arrays(np.bool_, arrays.array_shapes(min_dims=2, max_dims=2, max_side=30)),
    seed=st.integers(0, 2**32 - 1),
)
def test_all_images_are_dealt_and_the_same_seed_deals_the_same(
    traits: np.ndarray[tuple[int, int], np.dtype[np.bool_]], seed: int
) -> None:
    parts = stratify(traits, FRACTIONS, seed)

    assert set(parts.tolist()) <= {0, 1, 2}
    assert len(parts) == len(traits)
    assert parts.tolist() == stratify(traits, FRACTIONS, seed).tolist()


def test_images_without_traits_are_dealt_by_size() -> None:
    parts = stratify(np.zeros((100, 3), np.bool_), FRACTIONS, seed=0)
    assert np.bincount(parts).tolist() == [70, 20, 10]


@pytest.mark.parametrize("seed", range(3))
def test_small_parts_are_filled_where_each_trait_has_few_images(seed: int) -> None:
    """As for a quantity: ten ranges of four images each."""
    traits = np.repeat(np.eye(10, dtype=bool), 4, axis=0)
    parts = stratify(traits, (0.7, 0.2, 0.1), seed)
    assert np.bincount(parts, minlength=3) == pytest.approx([28, 8, 4], abs=2)
    assert min(np.count_nonzero(traits[parts == 0], axis=0)) >= 2
