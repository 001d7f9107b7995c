"""The decoding inside exported files finds the masks that Studio finds."""

from __future__ import annotations

import functools
from pathlib import Path

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.mask_outputs import positions_in, random_outputs
from helpers.sampling import few_examples
from studio.engine.compute.tasks.mask_decoding import decoding_model
from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.decoding import MOST
from studio.engine.tasks.instances.mask_decoding import decoded
from studio.engine.tasks.masks import VALUES

SIZE = (32, 48)


def assert_same(found: NDArray[np.float32], expected: NDArray[np.float32]) -> None:
    """Compare decoded outputs: the same objects in the same order, but for rounding."""
    assert found.shape == expected.shape == (len(expected), MOST, VALUES)
    np.testing.assert_array_equal(found[..., CLASS], expected[..., CLASS])
    np.testing.assert_allclose(found, expected, atol=1e-3)


@functools.cache
def _model() -> keras.Model:
    return decoding_model((positions_in(SIZE), 34), SIZE)


@settings(max_examples=few_examples() // 4)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_the_same_objects_are_found(seed: int, images: int) -> None:
    outputs = random_outputs(seed, images, SIZE)

    assert_same(np.asarray(_model()(outputs)), decoded(outputs, SIZE))


@pytest.mark.thorough
def test_its_operators_are_standard(tmp_path: Path) -> None:
    """onnxruntime runs it alone, with the same objects for batches of any size."""
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
        outputs = random_outputs(images, images, SIZE)
        (found,) = session.run(None, {name: outputs})
        assert_same(found, decoded(outputs, SIZE))
