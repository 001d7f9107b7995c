from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import numpy as np
import pytest
from dataset_pictures import encoded, noise, photo, recipe
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets import decode
from studio.engine.datasets.decode import load_image, resized

BILINEAR = Image.Resampling.BILINEAR


def apart(one: Image.Image, other: Image.Image) -> NDArray[np.int16]:
    """How many levels lie between the pixels of two images."""
    difference: NDArray[np.int16] = np.abs(np.asarray(one, np.int16) - np.asarray(other, np.int16))
    return difference


@given(
    size=st.tuples(st.integers(1, 400), st.integers(1, 400)),
    target=st.tuples(st.integers(1, 300), st.integers(1, 300)),
    cut=st.tuples(*[st.floats(0, 0.45)] * 4),
    channels=st.sampled_from([1, 3]),
)
def test_hardly_ever_more_than_a_level_from_pillow(
    size: tuple[int, int],
    target: tuple[int, int],
    cut: tuple[float, float, float, float],
    channels: int,
) -> None:
    width, height = size
    box = (cut[0] * width, cut[1] * height, (1 - cut[2]) * width, (1 - cut[3]) * height)
    image = Image.fromarray(noise(width, width, height, channels))
    ours = resized(image, target, box)
    assert (ours.mode, ours.size) == (image.mode, target)
    levels = apart(ours, image.resize(target, BILINEAR, box=box))
    assert levels.max() <= 2  # both round twice, each in its own order
    assert levels.mean() < 0.5 or levels.size < 500


@pytest.mark.parametrize("level", [0, 7, 128, 255])
def test_one_color_stays_that_color(level: int) -> None:
    image = Image.new("L", (20_000, 300), level)
    assert np.unique(np.asarray(resized(image, (8, 8), (0, 0, 20_000, 300)))).tolist() == [level]


def test_nothing_to_do_gives_the_image_itself() -> None:
    image = Image.fromarray(noise(1, 30, 20))
    assert resized(image, (30, 20), (0, 0, 30, 20)) is image
    assert resized(image, (29, 20), (0, 0, 29, 20)).size == (29, 20)


def test_pillow_does_it_where_the_vector_instructions_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image = Image.fromarray(noise(2, 90, 70))
    box = (3.5, 0.0, 80.0, 66.25)
    monkeypatch.setattr(decode, "simd", None)
    assert not apart(
        resized(image, (20, 31), box), image.resize((20, 31), BILINEAR, box=box)
    ).any()


def test_threads_do_not_disturb_each_other() -> None:
    images = [Image.fromarray(noise(seed, 200, 150)) for seed in range(40)]

    def small(image: Image.Image) -> bytes:
        return resized(image, (50, 40), (0, 0, 200, 150)).tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(small, images)) == [small(image) for image in images]


@pytest.mark.parametrize("size", [(224, 224), (100, 80), (64, 48), (333, 222), (700, 600)])
@pytest.mark.parametrize("color", ["rgb", "gray"])
def test_photographs_are_close_to_whole_decode_and_bilinear(
    size: tuple[int, int], color: str
) -> None:
    """Shrinking while decoding, and the resizing together: below a level on average."""
    data = encoded(Image.fromarray(photo(5, 1024, 768)), "JPEG", quality=88)
    with Image.open(BytesIO(data)) as image:
        whole = image.convert("L" if color == "gray" else "RGB").resize(size, BILINEAR)
    asked = recipe(width=size[0], height=size[1], color=color)
    pixels = load_image(BytesIO(data), asked)
    ours = Image.fromarray(pixels[:, :, 0] if color == "gray" else pixels)
    assert apart(ours, whole).mean() < 1
