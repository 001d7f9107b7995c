"""Pixels in the script of an export: its example, and files that it reads as Studio does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from helpers.processes import clean_environment
from studio.engine.arrays import Pixels
from studio.engine.assets import asset
from studio.engine.datasets.decode import load_image
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
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


def _values(dtype: str, *shape: int, largest: int = 255) -> Pixels:
    return np.random.default_rng(1).integers(0, largest + 1, shape).astype(dtype)


def _bytes(folder: Path) -> list[Path]:
    """Files of 8 bits that Pillow does not read whole, or not as Studio does."""
    written = [folder / f"{name}.tif" for name in ("imagej", "turned", "bands", "premultiplied")]
    tifffile.imwrite(written[0], _values("u1", 3, 12, 10), imagej=True, metadata={"axes": "CYX"})
    turn = [(274, "H", 1, 6, True)]
    colors = _values("u1", 12, 10, 4)
    colors[..., 3] = np.maximum(colors[..., 3], 1)
    tifffile.imwrite(written[1], colors[..., :3], photometric="rgb", extratags=turn)
    tifffile.imwrite(written[2], colors, photometric="rgb", extrasamples=["unspecified"])
    tifffile.imwrite(written[3], colors, photometric="rgb", extrasamples=["assocalpha"])
    np.save(folder / "array.npy", colors[..., :3])
    return [*written, folder / "array.npy"]


def _camera(folder: Path) -> list[Path]:
    """Files of 12 bits."""
    values = _values("u2", 12, 10, largest=4095)
    pgm, ppm, png = (folder / f"camera.{ending}" for ending in ("pgm", "ppm", "png"))
    pgm.write_bytes(b"P5\n# camera\n10 12\n4095\n" + values.astype(">u2").tobytes())
    color = np.stack([values, values[::-1], values[:, ::-1]], axis=-1)
    ppm.write_bytes(b"P6 10 12 4095\n" + color.astype(">u2").tobytes())
    exif = Image.Exif()
    exif[274] = 8
    Image.fromarray(values).save(png, exif=exif)
    white, missing, turned = (folder / f"{name}.tif" for name in ("white", "missing", "turned"))
    tifffile.imwrite(white, values, photometric="miniswhite")
    values[3] = 7
    tifffile.imwrite(missing, values, extratags=[(42113, "s", 0, "7", True)])
    tifffile.imwrite(
        turned, values, extratags=[(274, "H", 1, 3, True), (42113, "s", 0, "-1", True)]
    )
    return [pgm, ppm, png, white, missing, turned]


def _fractions(folder: Path) -> list[Path]:
    """Values that are missing or infinite, in two channels with different ranges."""
    values = _values("f4", 12, 10, 2) / np.float32(255)
    values[2, 3], values[4:6, 5, 0], values[7, 7, 1] = -9999, np.inf, np.nan
    values[8, :, 1] = -np.inf
    np.save(folder / "values.npy", values)
    tifffile.imwrite(
        folder / "values.tif",
        values,
        photometric="minisblack",
        planarconfig="contig",
        extratags=[(42113, "s", 0, "-9999", True)],
    )
    return [folder / "values.npy", folder / "values.tif"]


_TWO = PixelFormat(dtype="float32", channels=2, low=(-1, 0.25), high=(1, 5), names=("a", "b"))
_OWN = PixelFormat.uniform("uint16", 1, 0, 4095).model_copy(update={"per_image": True})


@pytest.mark.parametrize(
    ("recipe", "files"),
    [
        (_recipe(None), _bytes),
        (_recipe(PixelFormat.uniform("uint16", 1, 0, 4095), color="gray"), _camera),
        (_recipe(_OWN, color="gray", resize="fill", background="#808080"), _camera),
        (_recipe(_TWO, color="all", resize="fill"), _fractions),
    ],
    ids=["8 bits", "12 bits", "per image", "fractions"],
)
def test_the_script_reads_files_as_studio_does(
    recipe: DatasetRecipe, files: Callable[[Path], list[Path]], tmp_path: Path
) -> None:
    pictures = files(tmp_path)

    received, errors = _received(_export(tmp_path / "export", recipe), *pictures)

    for path, found in zip(pictures, received, strict=True):
        try:
            expected = load_image(path, recipe)
        except BadDataError:
            assert found is None, path.name
            continue
        assert found is not None, errors
        assert found.dtype == expected.dtype, path.name
        assert np.array_equal(found, expected), path.name
