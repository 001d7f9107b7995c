"""Origins of images in the window: the summary of an import, and the facts of an image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import SilentProgress
from studio.ui.pages.datasets.browsing.images import DatasetImages, read_image_facts
from studio.ui.pages.datasets.import_summary import report_facts


@pytest.mark.usefixtures("qapp")
def test_the_summary_and_an_image_name_their_films(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    for number in range(40):
        path = tmp_path / "in" / "ab"[number % 2] / f"film{number % 10}_{number:03}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(random.integers(0, 256, (16, 16, 3), np.uint8)).save(path)
    recipe = DatasetRecipe(source=str(tmp_path / "in"), width=16, height=16)

    report = import_dataset(recipe, tmp_path / "dataset", SilentProgress())

    text = report_facts(report)["Splits from"]
    assert "40 frames of 10 films: 7 for training" in text
    facts = read_image_facts(DatasetImages(tmp_path / "dataset"), 0)
    assert facts.origin == facts.name.rpartition("/")[2].partition("_")[0]


@pytest.mark.usefixtures("qapp")
def test_the_summary_has_the_values_of_the_files(tmp_path: Path) -> None:
    for number in range(4):
        path = tmp_path / "ab"[number % 2] / f"{number}.png"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(np.array([[10, 20 + number], [30, 200]], np.uint16)).save(path)
    recipe = DatasetRecipe(source=str(tmp_path), width=2, height=2)
    facts = report_facts(preview_import(recipe, SilentProgress()))
    assert facts["Pixels"] == "uint16, 1 channel, 10 to 200 (4 images)"
