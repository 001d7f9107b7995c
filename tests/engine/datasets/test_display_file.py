"""Display mapping of a dataset, kept beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.engine.datasets.display import DISPLAY_NAME, DisplayFacts, DisplayFile
from studio.engine.display_mapping import DisplayMapping
from studio.engine.pixel_format import PixelFormat

DEEP = PixelFormat.uniform("uint16", 2, 0, 4095, ["DAPI", "actin"])


def test_a_choice_is_read_by_others(tmp_path: Path) -> None:
    mine, theirs = DisplayFile(tmp_path, DEEP), DisplayFile(tmp_path, DEEP)
    chosen = theirs.mapping().with_window(1, 10, 300)

    mine.write(chosen)

    assert theirs.mapping() == mine.mapping() == chosen


def test_the_default_leaves_no_file(tmp_path: Path) -> None:
    file = DisplayFile(tmp_path, DEEP)
    file.write(DisplayMapping.of(DEEP).with_window(1, 10, 300))
    file.write(DisplayMapping.of(DEEP))

    assert not (tmp_path / DISPLAY_NAME).exists()
    assert file.mapping() == DisplayMapping.of(DEEP)


@pytest.mark.parametrize("content", [b"", b"{", b'{"shown": [9]}', b"\xff\xfe"])
def test_a_damaged_file_is_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / DISPLAY_NAME).write_bytes(content)

    assert DisplayFile(tmp_path, DEEP).mapping() == DisplayMapping.of(DEEP)


def test_a_file_of_other_pixels_is_as_none(tmp_path: Path) -> None:
    DisplayFile(tmp_path, DEEP).write(DisplayMapping.of(DEEP).with_window(0, 1, 2))
    gray = PixelFormat.uniform("uint16", 1, 0, 255)

    assert DisplayFile(tmp_path, gray).mapping() == DisplayMapping.of(gray)


def test_histograms_reach_over_the_range_and_all_values() -> None:
    sample = np.zeros((2, 4, 4, 2), np.uint16)
    sample[..., 1] = 5000

    facts = DisplayFacts.of(DEEP, DisplayMapping.of(DEEP), sample)

    assert list(facts.limits) == [(0, 4095), (0, 5000)]
    assert [counts.sum() for counts in facts.histograms] == [32, 32]
    assert facts.auto.low[1] == 5000
