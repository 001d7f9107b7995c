"""Features of pictures of a labeling whose pixels screens do not show as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.labeling import loaded_pixels
from studio.engine.datasets.display import write_display
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.display_mapping import DisplayMapping
from studio.engine.pixel_format import PixelFormat

_RECIPE = DatasetRecipe(source="", width=16, height=16)


def _pixels(folder: Path, values: NDArray[Any]) -> NDArray[Any]:
    np.save(folder / "a.npy", values)
    files = (str(folder / "a.npy"),)
    failed: list[int] = []
    found = loaded_pixels((0,), files, str(folder), _RECIPE, failed)
    assert not failed
    first: NDArray[Any] = found[0]
    return first


def test_12_bits_keep_their_contrast(tmp_path: Path) -> None:
    values = np.linspace(0, 4095, 256).reshape(16, 16).astype(np.uint16)

    found = _pixels(tmp_path, values)

    assert found.shape == (16, 16, 3)
    assert len(np.unique(found)) == 256


def test_channels_are_taken_in_the_colors_of_the_labeling(tmp_path: Path) -> None:
    values = np.zeros((16, 16, 2), np.uint16)
    values[..., 1] = 4000
    red = DisplayMapping.of(PixelFormat.uniform("uint16", 2, 0, 4095)).model_copy(
        update={"colors": ("#0000ff", "#ff0000")}
    )
    write_display(tmp_path, red)

    found = _pixels(tmp_path, values)

    assert found[0, 0, 0] > 200
    assert not found[..., 1:].any()
