"""Malformed files of masks: a clear reason for each, never a crash, and the rest is read."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.masks_read import COUNT, READERS, read
from fuzz.readers import Reader
from studio.engine.errors import StudioError

PER_PICTURE = {"masks mask", "voc mask", "labelme file"}
"""Readers whose file is that of one picture alone."""


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_malformed_files_are_reported_and_cost_no_other_picture(
    tmp_path_factory: pytest.TempPathFactory, reader: Reader
) -> None:
    folder = tmp_path_factory.mktemp("masks")
    (whole,) = reader.seeds(folder)
    file = folder / reader.file
    assert list(read(folder).values()) == [""] * COUNT

    @settings(
        max_examples=25,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.integers(0, 2**32))
    def check(seed: int) -> None:
        file.write_bytes(reader.mutate(whole, Random(seed)))
        refusal = ""
        try:
            found = read(folder)
        except StudioError as error:
            found, refusal = {}, error.message
        assert found or refusal
        assert "\n" not in refusal
        if reader.name in PER_PICTURE:
            assert sum(not reason for reason in found.values()) >= COUNT - 1, refusal or found

    check()


def test_every_byte_of_a_mask_may_be_missing(tmp_path: Path) -> None:
    reader = next(each for each in READERS if each.name == "masks mask")
    (whole,) = reader.seeds(tmp_path)
    for length in range(0, whole.index(b"IDAT") + 8, 7):
        (tmp_path / reader.file).write_bytes(whole[:length])
        found = read(tmp_path)
        assert sum(not reason for reason in found.values()) == COUNT - 1
        assert any(
            "its mask masks/train/000.png cannot be used" in each for each in found.values()
        )
