"""Splits that a source brings are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from studio.engine.datasets.suggestion import suggest_recipe


@pytest.mark.parametrize(
    ("splits", "expected"),
    [
        (("train", "val"), (20, 0)),
        (("train", "val", "test"), (20, 10)),
        (("train", "test"), (20, 10)),
        ((), (20, 10)),
    ],
)
def test_no_test_images_are_taken_from_a_source_with_validation_images(
    splits: tuple[str, ...], expected: tuple[int, int], tmp_path: Path
) -> None:
    for folder in splits or (".",):
        for name in ("cat", "dog"):
            (tmp_path / folder / name).mkdir(parents=True)
            for number in range(2):
                Image.new("L", (28, 28)).save(tmp_path / folder / name / f"{number}.png")
    recipe = suggest_recipe(tmp_path)
    assert (recipe.val_percent, recipe.test_percent) == expected
