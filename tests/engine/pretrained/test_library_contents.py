"""Files without a published checksum: readable for what they are, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.weights import hdf5_bytes
from studio.engine.pretrained.contents import is_readable

PAGE = b"<html>Sign in</html>"


@pytest.mark.parametrize(
    ("name", "content", "is_right"),
    [
        ("model.weights.h5", hdf5_bytes(), True),
        ("model.weights.h5", hdf5_bytes()[:-8], False),
        ("model.weights.h5", PAGE, False),
        ("config.json", b"{}", True),
        ("config.json", b'{"a": 1, "b', False),
        ("config.json", b"[]", False),
        ("config.json", PAGE, False),
        ("model.onnx", PAGE, True),
        ("model.onnx", b"", False),
    ],
)
def test_a_file_must_be_of_its_kind_and_whole(
    tmp_path: Path, name: str, content: bytes, is_right: bool
) -> None:
    path = tmp_path / "any name"
    path.write_bytes(content)
    assert is_readable(path, name) is is_right
