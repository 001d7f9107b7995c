"""One resampling and one change of color: held against plain arithmetic and against Keras."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.datasets.augment import affine, color
from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.plan import Fill
from studio.engine.datasets.augment.steps import Steps
from studio.engine.datasets.augment.steps import render as rendered

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

Image = NDArray[np.uint8]
Values = NDArray[np.float64]


def picture(height: int = 40, width: int = 56, channels: int = 3) -> Image:
    """Smooth, so that interpolation hardly matters, and without any symmetry."""
    y, x = np.mgrid[0:height, 0:width]
    waves = [
        128 + 60 * np.sin(x / (7 + c) + y / 11) + 50 * np.cos(y / (9 - c) - x / 23)
        for c in range(channels)
    ]
    image: Image = np.clip(np.stack(waves, axis=2), 0, 255).astype(np.uint8)
    return image


def render(image: Image, do: Callable[[Steps], None], fill: Fill = "reflect") -> Image:
    height, width, channels = image.shape
    steps = Steps(height, width, channels, fill)
    do(steps)
    result: Image = rendered(image[None].copy(), [steps])[0]
    return result


def warp(image: Image, *matrices: Affine, fill: Fill = "reflect") -> Image:
    def do(steps: Steps) -> None:
        for matrix in matrices:
            steps.warp(matrix)

    return render(image, do, fill)


def by_keras(layer: Any, image: Image) -> Values:
    batch: Values = np.asarray(layer(image[None].astype(np.float32), training=True), np.float64)
    changed: Values = batch[0]
    return changed


def middle(image: NDArray[Any], border: int = 4) -> Values:
    return image[border:-border, border:-border].astype(np.float64)


@pytest.mark.parametrize("degrees", [-140, -30, -5, 10, 45, 90, 180])
def test_rotation_is_that_of_keras(degrees: float) -> None:
    image = picture()
    layer = keras.layers.RandomRotation((degrees / 360,) * 2, fill_mode="reflect")

    ours = warp(image, affine.rotation(degrees))

    assert np.abs(middle(ours) - middle(by_keras(layer, image))).max() <= 2


@pytest.mark.parametrize("visible", [0.7, 0.95, 1.2, 1.5])
def test_zoom_is_that_of_keras(visible: float) -> None:
    image = picture()
    layer = keras.layers.RandomZoom((visible - 1,) * 2, fill_mode="reflect")

    ours = warp(image, affine.zoom(visible))

    assert np.abs(middle(ours) - middle(by_keras(layer, image))).max() <= 2


@pytest.mark.parametrize(("right", "down"), [(0.1, 0.0), (0.0, -0.2), (0.33, 0.17)])
def test_translation_is_that_of_keras(right: float, down: float) -> None:
    image = picture()
    layer = keras.layers.RandomTranslation((down,) * 2, (right,) * 2, fill_mode="reflect")

    ours = warp(image, affine.translation(right * 56, down * 40))

    assert np.abs(middle(ours) - middle(by_keras(layer, image))).max() <= 2


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("mode", ["horizontal", "vertical"])
def test_flips_are_exact(mode: str, channels: int) -> None:
    image = picture(channels=channels)
    matrix = affine.flip(horizontal=mode == "horizontal", vertical=mode == "vertical")

    ours = warp(image, matrix)

    axis = 1 if mode == "horizontal" else 0
    assert np.array_equal(ours, np.flip(image, axis))
    flips = [by_keras(keras.layers.RandomFlip(mode, seed=n), image) for n in range(12)]
    assert any(np.array_equal(ours, each) for each in flips)


@pytest.mark.parametrize("factor", [-0.4, -0.1, 0.25])
def test_brightness_is_that_of_keras(factor: float) -> None:
    image = picture()
    layer = keras.layers.RandomBrightness((factor, factor), value_range=(0, 255))
    shift = 255 * factor

    ours = render(image, lambda steps: steps.recolor(color.UNCHANGED, (shift, shift, shift)))

    assert np.abs(ours - by_keras(layer, image)).max() <= 0.51


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("change", [-0.6, -0.2, 0.3, 0.9])
def test_contrast_is_that_of_keras(change: float, channels: int) -> None:
    image = picture(channels=channels)
    factor = np.float32(1 + change)
    layer = keras.layers.RandomContrast(0.5, value_range=(0, 255))
    means = image.astype(float).mean(axis=(0, 1))

    ours = render(image, lambda steps: steps.contrast(float(factor)))

    expected = np.clip((image - means) * factor + means, 0, 255)
    assert np.abs(ours - expected).max() <= 0.51
    same = layer.transform_images(image[None].astype(np.float32), {"contrast_factor": factor})
    assert np.abs(ours - np.asarray(same)[0]).max() <= 0.51


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_quarter_turns_are_exact_on_squares(turns: int) -> None:
    image = picture(40, 40)

    assert np.array_equal(
        warp(image, affine.quarter_turn(turns, 40, 40)), np.rot90(image, turns, axes=(0, 1))
    )


def test_a_quarter_turn_of_an_image_that_is_not_square_shows_all_of_it() -> None:
    image = np.zeros((20, 40, 1), np.uint8)
    image[:, 20:] = 255  # the right half

    turned = warp(image, affine.quarter_turn(1, 40, 20))

    assert (turned[:9] > 250).all(), "is above after a turn against the clock"
    assert (turned[11:] < 5).all()


def test_shear_keeps_the_middle_and_slants_upright_lines() -> None:
    image = np.zeros((41, 61, 1), np.uint8)
    image[:, 30] = 255

    slanted = warp(image, affine.shear(20, 0), fill="black")

    columns = slanted[:, :, 0].argmax(axis=1)
    assert columns[20] == 30
    assert abs(columns[0] - columns[40]) == pytest.approx(40 * np.tan(np.radians(20)), abs=1.5)


@pytest.mark.parametrize(("fill", "level"), [("black", 0), ("gray", 128), ("white", 255)])
@pytest.mark.parametrize("shift", [12.0, 12.3])
def test_what_is_left_empty_is_filled(fill: Fill, level: int, shift: float) -> None:
    image = picture()

    moved = warp(image, affine.translation(shift, 0), fill=fill)

    assert (moved[:, :12] == level).all()
    assert np.abs(moved[:, 13:].astype(int) - image[:, :-13]).max() <= 40
    if shift == 12:
        assert np.array_equal(moved[:, 12:], image[:, :-12])


@given(
    right=st.integers(-50, 50),
    down=st.integers(-50, 50),
    horizontal=st.booleans(),
    vertical=st.booleans(),
)
def test_flips_and_moves_by_whole_pixels_are_exact(
    right: int, down: int, horizontal: bool, vertical: bool
) -> None:
    image = picture(20, 30)
    flip = affine.flip(horizontal=horizontal, vertical=vertical)

    ours = warp(image, flip, affine.translation(right, down))

    flipped = image[:: -1 if vertical else 1, :: -1 if horizontal else 1]
    around = np.pad(flipped, ((60, 60), (60, 60), (0, 0)), mode="symmetric")
    assert np.array_equal(ours, around[60 - down : 80 - down, 60 - right : 90 - right])


def test_changes_are_chained_in_their_order() -> None:
    image = picture()
    turned, moved = affine.rotation(30), affine.translation(9, 4)

    both = warp(image, turned, moved)
    in_turn = warp(warp(image, turned), moved)
    other = warp(image, moved, turned)

    assert np.abs(middle(both, 12) - middle(in_turn, 12)).max() <= 4
    assert np.abs(middle(both, 12) - middle(other, 12)).max() > 20


def test_many_changes_blur_no_more_than_one() -> None:
    image = np.random.default_rng(0).integers(0, 256, (41, 41, 1), np.uint8)
    turns = [affine.rotation(9)] * 40  # once around

    ours = warp(image, *turns)

    assert np.abs(ours.astype(int) - image).max() <= 1


def test_colors_are_cut_once_at_the_end() -> None:
    image = picture()

    def do(steps: Steps) -> None:
        steps.recolor(color.scaling(4.0))
        steps.recolor(color.UNCHANGED, (40.0, 40.0, 40.0))
        steps.recolor(color.UNCHANGED, (-40.0, -40.0, -40.0))
        steps.recolor(color.scaling(0.25))

    assert np.array_equal(render(image, do), image)


def test_contrast_after_brightness_spreads_about_the_new_mean() -> None:
    image = np.full((4, 6, 3), 100, np.uint8)

    def do(steps: Steps) -> None:
        steps.recolor(color.UNCHANGED, (30.0, 30.0, 30.0))
        steps.contrast(3.0)

    assert (render(image, do) == 130).all()


@given(degrees=st.floats(-180, 180), factor=st.floats(0, 2), level=st.integers(0, 255))
def test_hue_and_saturation_leave_gray_alone(degrees: float, factor: float, level: int) -> None:
    for matrix in (color.hue(degrees), color.saturation(factor)):
        assert color.applied(matrix, (level, level, level)) == pytest.approx((level,) * 3, abs=0.1)


def test_hue_turns_the_circle_and_saturation_goes_to_gray() -> None:
    red = (200.0, 0.0, 0.0)

    turned = color.applied(color.hue(120), red)
    back = color.applied(color.hue(-120), turned)
    gray = color.applied(color.saturation(0), red)

    assert max(turned) == turned[1] or max(turned) == turned[2]
    assert back == pytest.approx(red, abs=0.1)
    assert gray == pytest.approx((0.299 * 200,) * 3)
