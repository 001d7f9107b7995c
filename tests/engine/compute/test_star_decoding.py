"""The decoding inside exported files finds the outlines that Studio finds."""

from __future__ import annotations

import functools
from pathlib import Path

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.sampling import few_examples
from helpers.star_images import discs, perfect_outputs
from studio.engine.compute.tasks.star_decoding import decoding_model
from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.decoding import SCORE
from studio.engine.tasks.instances.decoding import MOST, decoded
from studio.engine.tasks.stars import DISTANCES, VALUES

SIZE = (32, 48)
OUTPUTS = (16, 24, 2 + 32)


def outputs_of(seed: int, images: int, longest: float) -> NDArray[np.float32]:
    """Return outputs with many peaks, shape (images, 16, 24, 34); the second image has none."""
    draw = np.random.default_rng(seed)
    scores = draw.random((images, *OUTPUTS[:2], 2))
    scores[1:2] = 0.01
    sides = draw.uniform(0.5, longest, (images, *OUTPUTS[:2], 1))
    sides = sides * draw.uniform(0.8, 1.2, (images, *OUTPUTS[:2], 32))
    return np.concatenate([scores, sides], axis=-1).astype(np.float32)


def assert_same(found: NDArray[np.float32], expected: NDArray[np.float32]) -> None:
    """Compare decoded outputs: the same stars in the same order, but for rounding."""
    assert found.shape == expected.shape == (len(expected), MOST, VALUES)
    np.testing.assert_array_equal(found[..., CLASS], expected[..., CLASS])
    np.testing.assert_allclose(found, expected, atol=1e-3)


@functools.cache
def _model() -> keras.Model:
    return decoding_model(OUTPUTS, SIZE)


@settings(max_examples=few_examples() // 3)
@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from((1.5, 6.0, 40.0)))
def test_the_same_stars_are_found(seed: int, images: int, longest: float) -> None:
    outputs = outputs_of(seed, images, longest)

    found = np.asarray(_model()(outputs))

    assert_same(found, decoded(outputs, SIZE))


def test_a_star_is_compared_with_more_than_fit_into_a_round() -> None:
    size = (128, 128)
    draw = np.random.default_rng(1)
    outputs = np.full((1, 64, 64, 33), 60, np.float32)  # each covers the image
    outputs[..., 0] = draw.random((64, 64)) * 0.9
    outputs[0, 10, 10, 0] = 1

    (found,) = np.asarray(decoding_model(outputs.shape[1:], size)(outputs))

    (expected,) = decoded(outputs, size)
    assert_same(found[None], expected[None])
    assert found[0, SCORE] == 1
    assert (found[:, CLASS] >= 0).sum() < 10


def test_touching_objects_are_given_once() -> None:
    circles = [(12, 12, 8), (27, 12, 7.5), (20, 26, 8), (50, 30, 12), (36, 45, 9)]
    outputs = perfect_outputs(discs((64, 64), circles, classes=2), 2)[None]

    (found,) = np.asarray(decoding_model(outputs.shape[1:], (64, 64))(outputs))

    there = found[found[:, CLASS] >= 0]
    assert len(there) == len(circles)
    assert there[:, DISTANCES:].mean(axis=1).max() == pytest.approx(12, abs=1)


def test_its_operators_are_standard(tmp_path: Path) -> None:
    """onnxruntime runs it alone, with the same stars for batches of any size."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("tf2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from studio.engine.compute.exporters import onnx_file

    path = tmp_path / "decoder.onnx"
    onnx_file._export(_model(), path)

    onnx_file.check(path)
    assert {each.domain for each in onnx.load(str(path)).graph.node} == {""}
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    for images in (1, 3):
        outputs = outputs_of(images, images, 6.0)
        (found,) = session.run(None, {name: outputs})
        assert_same(found, decoded(outputs, SIZE))
