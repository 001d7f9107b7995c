"""Operations of augmentation: each a function, and one line in `OPERATIONS`.

To add one: see `studio.engine.datasets.augment`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageOps

from studio.engine.arrays import Pixels
from studio.engine.datasets.augment import affine, color
from studio.engine.datasets.augment.boxes import object_crop
from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.operation import Operation
from studio.engine.datasets.augment.plan import AUGMENTATIONS, AugmentationPlan
from studio.engine.datasets.augment.steps import Steps, render, to_picture, to_pixels
from studio.engine.registry import Registry
from studio.engine.tasks.boxes import empty

# The changes that RandAugment and AugMix choose from.
#
# Each takes a level of 0 to 1, of which the sign, where it has one, is a way: left or right,
# brighter or darker. Moves of place and of color join the one resampling and the one change of
# color; the rest are filters. Largest amounts as in the papers that the operations name.

Move = Callable[[Steps, float], None]

_SLANT = 16.7  # degrees: 0.3 of a side
_MOVED_SHARE = 0.3
_TURN = 30.0
_FACTOR = 0.9


def _leave(steps: Steps, level: float) -> None:
    """Leave the image as it is: the identity is one of RandAugment's operations."""


def _auto_contrast(steps: Steps, level: float) -> None:  # noqa: ARG001 - has no strength
    steps.filter(ImageOps.autocontrast)


def _equalize(steps: Steps, level: float) -> None:  # noqa: ARG001 - has no strength
    steps.filter(ImageOps.equalize)


def _posterize(steps: Steps, level: float) -> None:
    bits = 8 - round(4 * abs(level))
    steps.filter(lambda picture: ImageOps.posterize(picture, bits))


def _solarize(steps: Steps, level: float) -> None:
    threshold = round(256 * (1.0 - abs(level)))
    steps.filter(lambda picture: ImageOps.solarize(picture, threshold))


def _sharpen(steps: Steps, level: float) -> None:
    factor = 1.0 + _FACTOR * level
    steps.filter(lambda picture: ImageEnhance.Sharpness(picture).enhance(factor))


def _rotate_by(steps: Steps, level: float) -> None:
    steps.warp(affine.rotation(_TURN * level))


def _shear_x(steps: Steps, level: float) -> None:
    steps.warp(affine.shear(_SLANT * level, 0.0))


def _shear_y(steps: Steps, level: float) -> None:
    steps.warp(affine.shear(0.0, _SLANT * level))


def _move_x(steps: Steps, level: float) -> None:
    steps.warp(affine.translation(_MOVED_SHARE * level * steps.width, 0.0))


def _move_y(steps: Steps, level: float) -> None:
    steps.warp(affine.translation(0.0, _MOVED_SHARE * level * steps.height))


def _saturate(steps: Steps, level: float) -> None:
    steps.recolor(color.saturation(1.0 + _FACTOR * level))


def _scale_brightness(steps: Steps, level: float) -> None:
    steps.recolor(color.scaling(1.0 + _FACTOR * level))


def _spread(steps: Steps, level: float) -> None:
    steps.contrast(1.0 + _FACTOR * level)


ROBUST_MOVES: tuple[Move, ...] = (
    _auto_contrast,
    _equalize,
    _posterize,
    _rotate_by,
    _solarize,
    _shear_x,
    _shear_y,
    _move_x,
    _move_y,
)
"""Without those that resemble what robustness is measured with, as AugMix wants it."""

ALL_MOVES: tuple[Move, ...] = (
    *ROBUST_MOVES,
    _saturate,
    _spread,
    _scale_brightness,
    _sharpen,
    _leave,
)


Fractions = NDArray[np.float32]


def _flip(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Mirror images; exact, without resampling when nothing else moves them."""
    horizontal, vertical = draws.chance(0.5), draws.chance(0.5)
    steps.warp(
        affine.flip(
            horizontal=horizontal and plan.horizontal_flip,
            vertical=vertical and plan.vertical_flip,
        )
    )


_TURNS = {"none": (0,), "half": (0, 2), "quarter": (0, 1, 3), "all": (0, 1, 2, 3)}


def _turn_by_quarters(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Turns by multiples of 90 degrees, as `aug_quad_rot` of DIGITS."""
    turns = _TURNS[plan.quarter_turns]
    steps.warp(affine.quarter_turn(turns[draws.below(len(turns))], steps.width, steps.height))


def _rotate(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Turns about the center by an angle that is uniform in plus or minus the plan's."""
    steps.warp(affine.rotation(draws.around(plan.rotation)))


def _shear(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Slants in both directions, each by a separate angle."""
    steps.warp(affine.shear(draws.around(plan.shear), draws.around(plan.shear)))


# A normal distribution has no limits; an image a fifth or five times as large is useless.
_SMALLEST, _LARGEST = 0.2, 5.0


def _rescale(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Scale by a normally distributed factor about 1, as `aug_scale` of DIGITS does."""
    factor = 1.0 + draws.normal() * plan.rescale / 100
    steps.warp(affine.zoom(1.0 / min(max(factor, _SMALLEST), _LARGEST)))


def _zoom(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Shows 1 plus or minus up to the plan's share of each side, shapes kept."""
    steps.warp(affine.zoom(1.0 + draws.around(plan.zoom / 100)))


def _translate(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Moves sideways and upwards, each by a separate share of that side."""
    share = plan.translation / 100
    right, down = draws.around(share) * steps.width, draws.around(share) * steps.height
    steps.warp(affine.translation(right, down))


def _brighten(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Adds one amount to all channels, as `keras.layers.RandomBrightness`."""
    shift = 255.0 * draws.around(plan.brightness / 100)
    steps.recolor(color.UNCHANGED, (shift, shift, shift))


def _change_contrast(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Spreads every channel about its mean, as `keras.layers.RandomContrast`."""
    # Above 100 % the lower end would turn the image into its negative.
    share = plan.contrast / 100
    steps.contrast(draws.between(max(0.0, 1.0 - share), 1.0 + share))


def _change_hsv(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Hue, saturation and value, each with a separate draw, as one change of color.

    DIGITS turned hue by the saturation's amount, and added a value of 0.06 to pixels of 0 to 255;
    here each does what it says.
    """
    degrees = draws.around(plan.hue)
    saturation = 1.0 + draws.around(plan.saturation / 100)
    value = 1.0 + draws.around(plan.value / 100)
    if plan.hue:
        steps.recolor(color.hue(degrees))
    if plan.saturation:
        steps.recolor(color.saturation(saturation))
    if plan.value:
        steps.recolor(color.scaling(value))


_MOVES = 2


def _rand_augment(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Two moves drawn from fourteen, all of one strength.

    Source: E. Cubuk et al., "RandAugment: practical automated data augmentation with a reduced
    search space", NeurIPS 2020, arXiv:1909.13719, with its N = 2.
    """
    for _ in range(_MOVES):
        move = ALL_MOVES[draws.below(len(ALL_MOVES))]
        level = plan.rand_augment / 10
        move(steps, level if draws.chance(0.5) else -level)


def _crop(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Show a square at a random place, in the middle outside training: DIGITS' `crop_size`.

    The network itself crops the center, so that users of the model can feed it whole
    images. Here the image is moved by whole pixels, so that the wanted square comes to lie in
    that middle.
    """
    right, down = (_shift(side, plan.crop, draws) for side in (steps.width, steps.height))
    steps.warp(affine.translation(right, down))


def _shift(side: int, crop: int, draws: Draws) -> int:
    """From the window that is drawn to the one in the middle, in pixels."""
    return (side - crop) // 2 - draws.below(side - crop + 1)


def _blur(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Gaussian blur of a radius that is uniform from 0 to the plan's."""
    steps.blur(draws.between(0.0, plan.blur))


_CHAINS = 3
_LONGEST = 3


def _aug_mix(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Blends the image with three chains of one to three moves.

    Source: D. Hendrycks et al., "AugMix: a simple data processing method to improve robustness and
    uncertainty", ICLR 2020, arXiv:1912.02781, algorithm 1, without its consistency loss.
    """
    generator = draws.generator()
    # Dirichlet and beta of parameter 1: the fractions of the chains, and of the image itself.
    fractions = generator.dirichlet(np.ones(_CHAINS)) * (
        1.0 - (original := generator.beta(1.0, 1.0))
    )
    chains = [_chain(plan, draws, steps) for _ in range(_CHAINS)]

    def blend(picture: Image.Image) -> Image.Image:
        pixels = to_pixels(picture)
        mixed = pixels * np.float32(original)
        for share, changed in zip(
            fractions, render(np.stack([pixels] * _CHAINS), chains), strict=True
        ):
            mixed += changed * np.float32(share)
        # Shares are rounded: a white pixel may come to a little above 255.
        return to_picture(np.minimum(np.rint(mixed), 255).astype(np.uint8))

    steps.filter(blend)


def _chain(plan: AugmentationPlan, draws: Draws, steps: Steps) -> Steps:
    chain = Steps(steps.height, steps.width, steps.channels, steps.fill)
    for _ in range(1 + draws.below(_LONGEST)):
        move = ROBUST_MOVES[draws.below(len(ROBUST_MOVES))]
        move(chain, draws.around(plan.aug_mix / 10))
    return chain


def _add_noise(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Normal noise for every pixel and channel, as `aug_noise` of DIGITS."""
    generator, spread = draws.generator(), np.float32(2.55 * plan.noise)

    def paint(pixels: Pixels) -> Pixels:
        noisy = generator.standard_normal(pixels.shape, np.float32)
        noisy *= spread
        noisy += pixels
        return _like(noisy, pixels)

    steps.paint(paint)


def _like(levels: Fractions, pixels: Pixels) -> Pixels:
    """Return levels as the type of pixels; they may be changed."""
    if pixels.dtype != np.uint8:
        return levels
    return np.clip(np.rint(levels, out=levels), 0, 255, out=levels).astype(np.uint8)


def _add_shot_noise(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Normal noise that grows with the square root of the brightness, as photons cause it."""
    generator, spread = draws.generator(), np.float32(plan.shot_noise / 100 * 255**0.5)

    def paint(pixels: Pixels) -> Pixels:
        noisy = generator.standard_normal(pixels.shape, np.float32)
        noisy *= np.sqrt(np.maximum(pixels, 0, dtype=np.float32)) * spread
        noisy += pixels
        return _like(noisy, pixels)

    steps.paint(paint)


def _change_channels(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Multiplies each channel by a factor of its own, as dyes and bands of varying strength."""
    share = plan.channel_intensity / 100
    factors = np.array([1.0 + draws.around(share) for _ in range(steps.channels)], np.float32)

    def paint(pixels: Pixels) -> Pixels:
        return _like(pixels * factors, pixels)

    steps.paint(paint)


_LARGEST_RATIO = 3.3


def _erase(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Covers a rectangle with the mean color.

    Source: Z. Zhong et al., "Random erasing data augmentation", AAAI 2020, arXiv:1708.04896; the
    area is uniform from nothing to the plan's, the sides differ by up to 3.3 times.
    """
    area = draws.between(0.0, plan.erasing / 100)
    ratio = math.exp(draws.around(math.log(_LARGEST_RATIO)))
    # Shares of the sides; where one would be longer than the image, the other makes up for it.
    tall = min(1.0, max(area, math.sqrt(area * ratio)))
    height = round(steps.height * tall)
    width = round(steps.width * area / tall) if tall else 0
    top = draws.below(steps.height - height + 1)
    left = draws.below(steps.width - width + 1)

    def paint(pixels: Pixels) -> Pixels:
        pixels = pixels.copy()
        # By columns first: NumPy is ten times slower over both sides of an image at once.
        is_whole = pixels.dtype == np.uint8
        columns = pixels.sum(axis=0, dtype=np.uint32 if is_whole else np.float64)
        mean = columns.sum(axis=0) / (steps.height * steps.width)
        mean = mean.round().astype(np.uint8) if is_whole else mean
        pixels[top : top + height, left : left + width] = mean
        return pixels

    steps.paint(paint)


def _mix_up(
    plan: AugmentationPlan, draws: Draws, images: Pixels, labels: Fractions
) -> tuple[Pixels, Fractions]:
    """Blends every image of a batch with another one, and their labels in the same proportion.

    Source: H. Zhang et al., "mixup: beyond empirical risk minimization", ICLR 2018,
    arXiv:1710.09412; one share per batch, from beta(alpha, alpha).
    """
    generator = draws.generator()
    # In steps of 1/256, so that whole numbers do, and labels have exactly the share of pixels.
    own = round(256 * generator.beta(plan.mix_up, plan.mix_up))
    partners = generator.permutation(len(images))
    share = np.float32(own / 256)
    mixed_labels = share * labels + (1 - share) * labels[partners]
    if images.dtype != np.uint8:
        return _blended(images, images[partners], own / 256), mixed_labels
    mixed = images.astype(np.uint16) * np.uint16(own)
    mixed += images[partners].astype(np.uint16) * np.uint16(256 - own)
    mixed += np.uint16(128)
    mixed >>= np.uint16(8)
    return mixed.astype(np.uint8), mixed_labels


def _blended(images: Pixels, others: Pixels, share: float) -> Pixels:
    """Blend images that are not of 8 bits, in their own type."""
    mixed = images * np.float64(share) + others * np.float64(1 - share)
    whole = images.dtype.kind != "f"
    return (np.rint(mixed) if whole else mixed).astype(images.dtype)


def _cut_mix(
    plan: AugmentationPlan, draws: Draws, images: Pixels, labels: Fractions
) -> tuple[Pixels, Fractions]:
    """Pastes a rectangle of another image of the batch; labels are mixed by its area.

    Source: S. Yun et al., "CutMix: regularization strategy to train strong classifiers with
    localizable features", ICCV 2019, arXiv:1905.04899;
    one rectangle per batch, its area 1 - beta(alpha, alpha).
    """
    generator = draws.generator()
    height, width = images.shape[1:3]
    side = (1.0 - generator.beta(plan.cut_mix, plan.cut_mix)) ** 0.5
    rows = _span(height, side, draws)
    columns = _span(width, side, draws)
    partners = generator.permutation(len(images))
    images[:, rows, columns] = images[partners][:, rows, columns]
    # The border may have cut the rectangle: its true area counts.
    area = (rows.stop - rows.start) * (columns.stop - columns.start)
    share = np.float32(1.0 - area / (height * width))
    return images, share * labels + (1 - share) * labels[partners]


def _span(length: int, share: float, draws: Draws) -> slice:
    """Return a part of a side about a place that is uniform, cut at the borders."""
    middle, half = draws.unit() * length, share * length / 2
    return slice(max(0, round(middle - half)), min(length, round(middle + half)))


def _crop_objects(plan: AugmentationPlan, draws: Draws, steps: Steps) -> None:
    """Crop some images around an object, see `boxes.object_crop`."""
    if draws.chance(plan.object_crop / 100):
        boxes = empty(1, 0)[0] if steps.boxes is None else steps.boxes
        steps.warp(object_crop(boxes, (steps.width, steps.height), draws))


OPERATIONS: Registry[Operation] = Registry(
    "augmentation",
    [
        Operation("mosaic"),  # before all others, see `Augmenter.joined`
        Operation("object_crop", _crop_objects),
        Operation("least_visible"),  # part of every turn and move of boxes, see `boxes`
        Operation("flip", _flip, of=("horizontal_flip", "vertical_flip")),
        Operation("quarter_turns", _turn_by_quarters),
        Operation("rotation", _rotate),
        Operation("shear", _shear),
        Operation("rescale", _rescale),
        Operation("zoom", _zoom),
        Operation("translation", _translate),
        Operation("fill"),  # part of every turn and move, see `steps`
        Operation("brightness", _brighten),
        Operation("contrast", _change_contrast),
        Operation("hsv", _change_hsv, of=("hue", "saturation", "value")),
        Operation("rand_augment", _rand_augment),
        Operation("crop", _crop),
        Operation("blur", _blur),
        Operation("aug_mix", _aug_mix),
        Operation("channel_intensity", _change_channels),
        Operation("noise", _add_noise),
        Operation("shot_noise", _add_shot_noise),
        Operation("erasing", _erase),
        Operation("mix_up", mix=_mix_up),
        Operation("cut_mix", mix=_cut_mix),
        # Layers of the network, see `studio.engine.training.preprocessing`.
        Operation("subtract_mean"),
        Operation("whitening"),
    ],
    AUGMENTATIONS,
)
"""All operations, in the order in which they are applied; those of other packages come last."""
