"""Pictures that do not fit into memory are predicted tile by tile, and their maps are files."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

import helpers.large_picture

_SIDE = 10_000
_LIMIT_MB, _LIMIT_WITH_MAPS_MB = 500, 700
"""All maps of this picture as fractions would take 2.4 GB, and its pixels in color 300 MB: either
goes beyond the limits, since 320 MB are usual, and 520 MB with maps that are written to files."""


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dark color picture of 100 million pixels; each tile of its file has a bright square."""
    tile = np.full((512, 512, 3), 20, np.uint8)
    tile[100:200, 100:300] = 250
    data = zlib.compress(tile.tobytes())
    path = tmp_path_factory.mktemp("large") / "large.tif"
    options: dict[str, Any] = {"tile": (512, 512), "compression": "zlib", "photometric": "rgb"}
    tifffile.imwrite(
        path, iter([data] * 20 * 20), shape=(_SIDE, _SIDE, 3), dtype=np.uint8, **options
    )
    return path


def _predicted(picture: Path, task: str, folder: Path) -> dict[str, Any]:
    script = helpers.large_picture.__file__
    command = [sys.executable, script, str(picture), task, str(folder)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _expected(window: slice) -> np.ndarray[Any, Any]:
    at = np.arange(_SIDE) % 512
    rows, columns = (at >= 100) & (at < 200), (at >= 100) & (at < 300)
    return np.asarray(rows[window, None] & columns[None, window])


@pytest.mark.thorough  # as the next one, which always runs; seven seconds
def test_the_mask_of_a_large_picture_is_a_pyramid(picture: Path, tmp_path: Path) -> None:
    found = _predicted(picture, "segmentation", tmp_path)

    assert found["peak_mb"] < _LIMIT_WITH_MAPS_MB
    assert found["steps"] > 20
    assert sum(each["pixels"] for each in found["classes"]) == _SIDE**2
    assert Path(found["paths"]["mask"]) == tmp_path / "large.tif"
    assert [path.name for path in tmp_path.iterdir()] == ["large.tif"]
    with tifffile.TiffFile(tmp_path / "large.tif") as file:
        levels = [level.shape for level in file.series[0].levels]
        mask = file.series[0].asarray(out="memmap")[3000:4500, 3000:4500]
    assert levels[:3] == [(_SIDE, _SIDE), (5000, 5000), (2500, 2500)]
    different = mask != _expected(slice(3000, 4500))
    assert different.mean() < 0.01  # borders, since tiles were halved


def test_the_map_of_a_large_picture_is_a_pyramid(picture: Path, tmp_path: Path) -> None:
    found = _predicted(picture, "anomaly", tmp_path)

    assert found["peak_mb"] < _LIMIT_WITH_MAPS_MB
    assert found["score"] == pytest.approx(250 / 255, abs=0.01)
    with tifffile.TiffFile(found["paths"]["map"]) as file:
        smallest = file.series[0].levels[-1].asarray()
    assert smallest.max() == pytest.approx(found["score"])


def test_objects_of_a_large_picture_are_joined(picture: Path, tmp_path: Path) -> None:
    found = _predicted(picture, "detection", tmp_path)

    assert found["peak_mb"] < _LIMIT_MB
    tiles = 26 * 26
    assert found["steps"] == tiles
    assert len(found["boxes"]) == tiles
