"""The decoding inside exported files finds the boxes that Studio finds."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from numpy.typing import NDArray

from helpers.sampling import few_examples
from studio.engine.compute.tasks.box_decoding import decoding_model
from studio.engine.compute.tasks.detection import LearnsBoxes
from studio.engine.tasks.boxes import positions_of
from studio.engine.tasks.decoding import MOST, decoded

SIZE = (32, 48)
POSITIONS, CLASSES = 4 * 6 + 2 * 3, 3


def outputs_of(
    seed: int, images: int, positions: int = POSITIONS, spread: float = 1.5
) -> NDArray[np.float32]:
    """Return outputs with many scores that are equal, shape (images, positions, K + 4)."""
    draw = np.random.default_rng(seed)
    scores = np.round(draw.random((images, positions, CLASSES)) ** 3, 2)
    sides = draw.gamma(spread, 1, (images, positions, 4))
    return np.concatenate([scores, sides], -1).astype(np.float32)


@functools.cache
def _model() -> keras.Model:
    return decoding_model((POSITIONS, CLASSES + 4), SIZE)


@settings(max_examples=few_examples() // 3)
@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from((0.1, 1.5, 5.0)))
def test_the_same_boxes_are_found(seed: int, images: int, spread: float) -> None:
    """All rows are equal, and their order, also of equal scores."""
    outputs = outputs_of(seed, images, spread=spread)

    found = np.asarray(_model()(outputs))

    np.testing.assert_array_equal(found, decoded(outputs, SIZE))


@pytest.mark.parametrize("chosen", ["many", "none"])
def test_of_many_and_of_no_candidates(chosen: str) -> None:
    """More candidates than are considered, more boxes than fit, and images without any."""
    size = (160, 160)
    positions = 20 * 20 + 10 * 10
    assert len(positions_of(positions, *size)) == positions
    outputs = outputs_of(1, 2, positions, spread=0.3)
    if chosen == "none":
        outputs[..., :CLASSES] = 0.005

    found = np.asarray(decoding_model((positions, CLASSES + 4), size)(outputs))

    expected = decoded(outputs, size)
    np.testing.assert_array_equal(found, expected)
    assert ((expected[..., 0] >= 0).sum(axis=1) == (MOST if chosen == "many" else 0)).all()


def test_a_validation_stores_the_detections_that_an_evaluation_computes() -> None:
    """More than 300 candidates of an image, in long chains of overlapping boxes."""
    size = (160, 160)
    outputs = outputs_of(2, 2, 20 * 20 + 10 * 10, spread=0.8)
    store: Any = SimpleNamespace(shape=(*size, 3), classes=tuple("abc"))

    stored = np.asarray(LearnsBoxes(store).answer(None, ops.convert_to_tensor(outputs)))

    np.testing.assert_array_equal(stored.reshape(2, MOST, 6), decoded(outputs, size))


def test_it_consists_of_standard_operators(tmp_path: Path) -> None:
    """onnxruntime runs it alone, with the same boxes for batches of any size."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("tf2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from studio.engine.compute.exporters import onnx_file

    path = tmp_path / "decoder.onnx"
    onnx_file._export(decoding_model((POSITIONS, CLASSES + 4), SIZE), path)

    onnx_file.check(path)
    assert {each.domain for each in onnx.load(str(path)).graph.node} == {""}
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    for images in (1, 5):
        outputs = outputs_of(images, images)
        (found,) = session.run(None, {name: outputs})
        np.testing.assert_array_equal(found, decoded(outputs, SIZE))
