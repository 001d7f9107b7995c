"""Types of pixels that are predicted: arrays that fit without loss, and files of channels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from studio.engine.datasets.decode import load_image
from studio.engine.datasets.picture_values import read_values
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.inference.pixel_types import comparable, reading_notes
from studio.engine.inference.sources import Picture, one_per_image
from studio.engine.pixel_format import PixelFormat


def _recipe(**values: object) -> DatasetRecipe:
    known = {"source": "", "width": 4, "height": 4, "color": "gray"}
    return DatasetRecipe.model_validate(known | values)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint16"])
@pytest.mark.parametrize("pixels", [None, PixelFormat.uniform("uint8", 1, 50, 150)])
def test_arrays_that_fit_without_loss_are_predicted(
    dtype: str, pixels: PixelFormat | None, tmp_path: Path
) -> None:
    values = np.arange(16).reshape(4, 4) * 17
    np.save(tmp_path / "array.npy", values.astype(dtype))
    recipe = _recipe(pixels=pixels)

    found = load_image(comparable(tmp_path / "array.npy", recipe), recipe)

    assert found.dtype == np.uint8
    assert np.array_equal(found[..., 0], values)


@pytest.mark.parametrize("values", [[[0.5, 3]], [[-1.0, 3]], [[0, 256.0]], [[np.nan, 1]]])
def test_arrays_that_do_not_fit_are_refused(values: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.array(values))

    with pytest.raises(BadDataError, match="their brightness cannot be compared"):
        comparable(tmp_path / "array.npy", _recipe())


def test_one_of_several_channel_files_names_the_others(tmp_path: Path) -> None:
    Image.new("L", (4, 4), 90).save(tmp_path / "a_DAPI.png")
    pixels = PixelFormat.uniform("uint8", 2, 0, 255, ("DAPI", "GFP"))
    recipe = _recipe(color="all", channel_files="_DAPI,_GFP", pixels=pixels)

    with pytest.raises(BadDataError, match=r"1 of 2 channels: .* end in _DAPI, _GFP"):
        comparable(tmp_path / "a_DAPI.png", recipe)


@pytest.mark.parametrize(("dtype", "count"), [("uint8", 0), ("uint16", 1)])
@pytest.mark.parametrize("ending", ["png", "tif"])
def test_a_picture_that_is_reduced_to_8_bits_has_a_note(
    dtype: str, count: int, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"picture.{ending}"
    Image.fromarray(np.full((4, 4), 90, dtype)).save(path)

    assert len(reading_notes(path, _recipe())) == count
    kept = _recipe(pixels=PixelFormat.uniform("uint16", 1, 0, 99))
    assert reading_notes(path, kept) == ()


@pytest.mark.parametrize(
    ("planes", "words"),
    [
        ("first", "Only plane 1 of 3 was used."),
        ("images", "Only plane 1 of 3 was used."),
        ("2", "Only plane 2 of 3 was used."),
        ("maximum", "The image is the maximum of 3 planes."),
        ("mean", "The image is the mean of 3 planes."),
        ("channels", "The 3 planes of the file are channels of the image."),
    ],
)
@pytest.mark.parametrize("ending", ["tif", "npy", "gif", "webp"])
def test_a_stack_says_which_of_its_planes_were_used(
    planes: str, words: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"stack.{ending}"
    values = np.random.default_rng(0).integers(0, 255, (3, 8, 8), np.uint8)
    if ending == "npy":
        np.save(path, values)
    else:
        first, *others = (Image.fromarray(each) for each in values)
        first.save(path, save_all=True, append_images=others)
    channels = 3 if planes == "channels" else 1
    pixels = PixelFormat.uniform("uint8", channels, 0, 255)
    recipe = _recipe(color="all", planes=planes, pixels=pixels)

    assert [str(each) for each in reading_notes(path, recipe)] == [words]
    if ending != "npy" and planes != "2":
        Image.fromarray(values[0]).save(tmp_path / f"single.{ending}")
        assert reading_notes(tmp_path / f"single.{ending}", recipe) == ()


def test_the_files_of_the_other_channels_are_taken_along(tmp_path: Path) -> None:
    values = {"_DAPI": 700, "_GFP": 900}
    for end, value in values.items():
        np.save(tmp_path / f"a{end}.npy", np.full((8, 9), value, np.uint16))
    pixels = PixelFormat.uniform("uint16", 2, 0, 4095)
    recipe = _recipe(color="all", channel_files="_DAPI,_GFP", pixels=pixels)

    for end in values:
        _, joined = read_values(comparable(tmp_path / f"a{end}.npy", recipe))
        assert joined[0, 0].tolist() == [700, 900]


def test_the_files_of_an_image_are_predicted_once(tmp_path: Path) -> None:
    for name in ("a_DAPI.tif", "a_GFP.png", "b_GFP.tif", "c.tif"):
        (tmp_path / name).write_bytes(b"x")
    pictures = [Picture(path) for path in sorted(tmp_path.iterdir())]

    found = one_per_image(pictures, ("_DAPI", "_GFP"))

    assert [each.path.name for each in found] == ["a_DAPI.tif", "b_GFP.tif", "c.tif"]
    assert one_per_image(pictures, ()) == pictures
