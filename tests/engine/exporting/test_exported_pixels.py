"""Pixels in the script of an export: its example, and files that it reads as Studio does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.processes import clean_environment
from studio.engine.arrays import Pixels
from studio.engine.assets import asset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.exporting.example import write_example
from studio.engine.inference.models import ImageCard, ModelCard
from studio.engine.pixel_format import PixelFormat

SIDE = 8
RUNTIME = """
import numpy as np
from pathlib import Path

NAME = "numbers"


def load(path):
    def run(images):
        np.save(Path(__file__).parent / f"received-{len(list(RECEIVED))}.npy", images)
        RECEIVED.append(1)
        return np.tile(np.array([0.25, 0.75], np.float32), (len(images), 1))
    return run


RECEIVED = []
"""


def _recipe(pixels: PixelFormat | None, **values: object) -> DatasetRecipe:
    known = {"source": "", "width": SIDE, "height": SIDE, "pixels": pixels}
    return DatasetRecipe.model_validate(known | values)


def _export(folder: Path, recipe: DatasetRecipe) -> Path:
    card = ModelCard(model="model.bin", classes=("cat", "dog"), image=ImageCard.of(recipe))
    folder.mkdir()
    (folder / "labels.json").write_text(card.model_dump_json(), encoding="utf-8")
    (folder / "runtime.py").write_text(RUNTIME, encoding="utf-8")
    for name in ("predict.py", "pixels.py"):
        shutil.copyfile(asset(f"export/{name}"), folder / name)
    return folder


def _received(folder: Path, *pictures: Path) -> tuple[list[Pixels | None], str]:
    """Return what the model receives of each picture, None for a failure, and the errors."""
    done = subprocess.run(
        [sys.executable, str(folder / "predict.py"), *map(str, pictures), "--json"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    answered = [each["image"] for each in json.loads(done.stdout or "[]")]
    found = {image: np.load(folder / f"received-{at}.npy")[0] for at, image in enumerate(answered)}
    return [found.get(str(each)) for each in pictures], done.stderr


@pytest.mark.parametrize(
    ("recipe", "dtype", "channels"),
    [
        (_recipe(PixelFormat.uniform("uint16", 1, 0, 4095), color="gray", bit_depth="8"), "u1", 1),
        (_recipe(PixelFormat.uniform("uint8", 3, 50, 150)), "u1", 3),
        (_recipe(PixelFormat.bytes_of(1).model_copy(update={"per_image": True})), "u1", 1),
        (_recipe(PixelFormat.bytes_of(1), color="gray", planes="2"), "u1", 1),
        (_recipe(PixelFormat.uniform("uint16", 5, 0, 99), color="all", planes="mean"), "u2", 5),
    ],
    ids=["reduced", "range", "per_image", "planes", "channels"],
)
def test_the_model_receives_the_example_as_it_is(
    recipe: DatasetRecipe, dtype: str, channels: int, tmp_path: Path
) -> None:
    folder = _export(tmp_path / "export", recipe)
    image = np.random.default_rng(0).integers(0, 99, (SIDE, SIDE, channels)).astype(dtype)

    example = write_example(folder, image)
    (received,), errors = _received(folder, folder / example)

    assert errors == ""
    assert received is not None
    assert received.dtype == image.dtype
    assert np.array_equal(received, image)
