"""The sample of a fluorescence microscope."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import drawn_cells
from studio.engine.datasets.sources.drawn_cells import CHANNELS, CLASSES
from studio.engine.pictures import open_picture
from studio.engine.progress import SilentProgress


def test_cells_have_12_bits_and_dividing_ones_are_bright_in_tubulin() -> None:
    chance = random.Random(1)
    pictures = [drawn_cells.drawn_cells(chance) for _ in range(6)]
    pixels = np.stack([pixels for pixels, _ in pictures])
    masks = np.stack([mask for _, mask in pictures])

    assert pixels.dtype == np.uint16
    assert 255 < pixels.max() <= 4095
    tubulin = pixels[:, CHANNELS.index("tubulin")]
    means = [tubulin[masks == number].mean() for number in range(len(CLASSES))]
    assert means[2] > 2 * means[1]
    assert means[2] > 2 * means[0]


def test_the_sample_is_the_same_each_time_and_has_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn_cells, "CELLS_COUNT", 2)
    sample = SAMPLES["microscopy"]

    one, other = (sample.write(tmp_path / name, SilentProgress()) for name in ("a", "b"))

    assert sample.task.name == "segmentation"
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert len(files) == 5
    assert all((one / file).read_bytes() == (other / file).read_bytes() for file in files)
    with open_picture(one / "images" / "0001.tif") as picture:
        assert picture.info.channel_names == CHANNELS
        assert picture.info.significant_bits == 12
        assert picture.plane(0).shape == (96, 96, 3)
    assert sample.write(tmp_path / "a", SilentProgress()) == one  # it is used as it is
