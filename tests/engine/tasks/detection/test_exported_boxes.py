"""The module for boxes in exported folders decodes and joins as Studio does."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.engine.assets import asset
from studio.engine.datasets.decode import tiles_of
from studio.engine.tasks import boxes, decoding
from studio.engine.tasks.detection.pictures import placed_back, step_through_tiles
from studio.engine.tasks.placement import ResizeMode, placement
from studio.engine.tasks.tiling import TiledPicture, result_of

SIZE = (32, 48)
POSITIONS = 4 * 6 + 2 * 3


@pytest.fixture(scope="module")
def exported() -> ModuleType:
    spec = importlib.util.spec_from_file_location("boxes", asset("export/boxes.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs_of(seed: int, images: int = 1) -> NDArray[np.float32]:
    """Return random outputs for images of `SIZE`, shape (n, P, 2 + 4)."""
    draw = np.random.default_rng(seed)
    scores = draw.random((images, POSITIONS, 2)) ** 3
    return np.concatenate([scores, draw.gamma(1.5, 1, (images, POSITIONS, 4))], -1).astype(
        np.float32
    )


@given(st.integers(0, 10_000))
def test_the_same_boxes_are_found(exported: ModuleType, seed: int) -> None:
    """Boxes of an image are equal."""
    outputs = outputs_of(seed)
    found = decoding.without_places(decoding.decoded(outputs, SIZE)[0])
    np.testing.assert_array_equal(exported.found(outputs[0], *SIZE), found)


@given(
    st.integers(0, 10_000),
    st.tuples(st.integers(20, 200), st.integers(20, 200)),
    st.sampled_from(("squash", "crop", "fill", "half_crop")),
)
def test_boxes_go_back_to_their_picture(
    exported: ModuleType, seed: int, full: tuple[int, int], resize: ResizeMode
) -> None:
    """Boxes of a picture that was fitted in any way are equal, and inside the picture."""
    outputs, place = outputs_of(seed), placement(full, SIZE[::-1], resize)
    rows = decoding.without_places(decoding.decoded(outputs, SIZE)[0])
    ours = placed_back(rows, place)
    left, top, right, bottom = place.box
    scale = (right - left) / place.content[0], (bottom - top) / place.content[1]
    corner = left - place.corner[0] * scale[0], top - place.corner[1] * scale[1]
    theirs = exported.moved(exported.found(outputs[0], *SIZE), scale, corner, place.box)
    np.testing.assert_allclose(theirs, ours, atol=1e-3)
    corners = decoding.corners_of(ours)
    assert np.all(corners >= 0)
    assert np.all(corners <= np.tile(full, 2))


@given(st.integers(0, 10_000))
def test_tiles_are_joined_alike(exported: ModuleType, seed: int) -> None:
    """Boxes of tiles of a picture, one of them reaching beyond it, are equal."""
    full, side = (90, 40), 48
    tiles = tiles_of(full, side, 12)
    outputs = outputs_of(seed, len(tiles))
    seen = (32, 48)
    parts = [np.zeros((*seen, 3), np.uint8)] * len(tiles)
    remaining = iter(outputs)
    picture = TiledPicture(
        parts, tiles, lambda group: np.stack([next(remaining) for _ in group]), 2
    )
    ours = result_of(step_through_tiles(picture, full))
    scale = side / seen[1], side / seen[0]
    found = [
        exported.moved(exported.found(each, *seen), scale, tile[:2], (0, 0, *full))
        for each, tile in zip(outputs, tiles, strict=True)
    ]
    places = [(left, top, left + width, top + height) for left, top, width, height in tiles]
    np.testing.assert_allclose(exported.merged(found, places, full), ours, atol=1e-3)


def test_limits_are_those_of_studio(exported: ModuleType) -> None:
    """Scores, overlaps and numbers of boxes."""
    for name in ("MIN_SCORE", "MAX_OVERLAP", "CANDIDATES", "MOST"):
        assert getattr(exported, name) == getattr(decoding, name)
    for name in ("COVERED", "NEAR_BORDER"):
        assert getattr(exported, name) == getattr(decoding, f"_{name}")
    for name in ("FINEST", "MAX_LEVELS"):
        assert getattr(exported, name) == getattr(boxes, f"_{name}")
