"""Operations of augmentation, one file each, in the order in which they act.

To add one: see `studio.engine.datasets.augment`.
"""

from __future__ import annotations

from studio.engine.datasets.augment.operations.aug_mix import AUG_MIX
from studio.engine.datasets.augment.operations.blur import BLUR
from studio.engine.datasets.augment.operations.brightness import BRIGHTNESS
from studio.engine.datasets.augment.operations.contrast import CONTRAST
from studio.engine.datasets.augment.operations.crop import CROP
from studio.engine.datasets.augment.operations.cut_mix import CUT_MIX
from studio.engine.datasets.augment.operations.erasing import ERASING
from studio.engine.datasets.augment.operations.fill import FILL
from studio.engine.datasets.augment.operations.flip import FLIP
from studio.engine.datasets.augment.operations.hsv import HSV
from studio.engine.datasets.augment.operations.mix_up import MIX_UP
from studio.engine.datasets.augment.operations.noise import NOISE
from studio.engine.datasets.augment.operations.operation import Operation
from studio.engine.datasets.augment.operations.quarter_turns import QUARTER_TURNS
from studio.engine.datasets.augment.operations.rand_augment import RAND_AUGMENT
from studio.engine.datasets.augment.operations.rescale import RESCALE
from studio.engine.datasets.augment.operations.rotation import ROTATION
from studio.engine.datasets.augment.operations.shear import SHEAR
from studio.engine.datasets.augment.operations.subtract_mean import SUBTRACT_MEAN
from studio.engine.datasets.augment.operations.translation import TRANSLATION
from studio.engine.datasets.augment.operations.whitening import WHITENING
from studio.engine.datasets.augment.operations.zoom import ZOOM
from studio.engine.registry import Registry

OPERATIONS: Registry[Operation] = Registry(
    "augmentation",
    [
        FLIP,
        QUARTER_TURNS,
        ROTATION,
        SHEAR,
        RESCALE,
        ZOOM,
        TRANSLATION,
        FILL,
        BRIGHTNESS,
        CONTRAST,
        HSV,
        RAND_AUGMENT,
        CROP,
        BLUR,
        AUG_MIX,
        NOISE,
        ERASING,
        MIX_UP,
        CUT_MIX,
        SUBTRACT_MEAN,
        WHITENING,
    ],
)
