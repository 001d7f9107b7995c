"""The changes that RandAugment and AugMix choose from.

Each takes a level of 0 to 1, of which the sign, where it has one, is a way: left or right,
brighter or darker. Moves of place and of color join the one resampling and the one change of
color; the rest are filters. Largest amounts as in the papers that the operations name.
"""

from __future__ import annotations

from collections.abc import Callable

from PIL import ImageEnhance, ImageOps

from studio.engine.datasets.augment import affine, color
from studio.engine.datasets.augment.steps import Steps

Move = Callable[[Steps, float], None]

_SLANT = 16.7  # degrees: 0.3 of a side
_SHARE = 0.3
_TURN = 30.0
_FACTOR = 0.9


def _leave(steps: Steps, level: float) -> None:
    """One of RandAugment's moves is none."""


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


def _rotate(steps: Steps, level: float) -> None:
    steps.warp(affine.rotation(_TURN * level))


def _shear_x(steps: Steps, level: float) -> None:
    steps.warp(affine.shear(_SLANT * level, 0.0))


def _shear_y(steps: Steps, level: float) -> None:
    steps.warp(affine.shear(0.0, _SLANT * level))


def _move_x(steps: Steps, level: float) -> None:
    steps.warp(affine.translation(_SHARE * level * steps.width, 0.0))


def _move_y(steps: Steps, level: float) -> None:
    steps.warp(affine.translation(0.0, _SHARE * level * steps.height))


def _saturate(steps: Steps, level: float) -> None:
    steps.recolor(color.saturation(1.0 + _FACTOR * level))


def _brighten(steps: Steps, level: float) -> None:
    steps.recolor(color.scaling(1.0 + _FACTOR * level))


def _spread(steps: Steps, level: float) -> None:
    steps.contrast(1.0 + _FACTOR * level)


ROBUST_MOVES: tuple[Move, ...] = (
    _auto_contrast,
    _equalize,
    _posterize,
    _rotate,
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
    _brighten,
    _sharpen,
    _leave,
)
