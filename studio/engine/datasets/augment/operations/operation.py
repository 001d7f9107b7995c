"""How an operation is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.augment.draws import Draws
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.augment.steps import Steps

Shares = NDArray[np.float32]
Change = Callable[[AugmentationPlan, Draws, Steps], None]
Mix = Callable[
    [AugmentationPlan, Draws, NDArray[np.uint8], Shares], tuple[NDArray[np.uint8], Shares]
]


@dataclass(frozen=True, slots=True)
class Operation:
    """One way to change images.

    Attributes:
        name: Stable name; also that of its sequence of random numbers.
        fields: Fields of the plan that are its own.
        is_on: Whether a plan asks for it.
        change: Draws and adds what is done to one image; None where nothing is.
        mix: Mixes a batch: uint8, shape (n, height, width, channels), and shares of the classes,
            float32, shape (n, classes). Both are its own to change. None where it does not mix.
        in_network: Whether it (also) adds a layer to the network, see
            `studio.engine.training.preprocessing`.
    """

    name: str
    fields: tuple[str, ...]
    is_on: Callable[[AugmentationPlan], bool]
    change: Change | None = None
    mix: Mix | None = None
    in_network: bool = False
