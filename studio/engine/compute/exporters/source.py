"""What a writer of an export format has in its hands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.plan import TrainingPlan

CALIBRATION_IMAGES = 200
NOISE_IMAGES = 8
_LACKING = re.compile(r"'?tf\.(\w+)'? op\b|No conversion rule found for operations: (.+)")
"""As the converters of LiteRT and of OpenVINO tell operations that they do not have."""


@dataclass(frozen=True)
class ExportSource:
    """A trained model and what is known of it.

    Attributes:
        model: Computes in float32; takes 0 to 255, n x height x width x channels.
        store: The dataset that it learned from; None for a file that came alone.
        spec: Its description; None where the run does not hold it.
        plan: How it was trained; None where nobody knows.
        name: Of the run.
    """

    model: keras.Model
    store: Store | None
    spec: NetworkSpec | None
    plan: TrainingPlan | None
    name: str

    @cached_property
    def calibration(self) -> NDArray[np.float32]:
        """Training images from which 8-bit numbers take their ranges: float32, n x h x w x c.

        One number of the first is 0 and one 255: the whole range of raw pixels must be in, or
        brighter pictures than these would be cut off.

        Noise where no dataset is known: of such a file the speed can be measured, not the answers.

        Raises:
            StudioError: There are no training images.
        """
        if self.store is None:
            shape = (NOISE_IMAGES, *self.model.input_shape[1:])
            return np.random.default_rng(0).integers(0, 256, shape).astype(np.float32)
        rows = self.store.rows("train")
        if not len(rows):
            raise StudioError(
                "8-bit numbers take their ranges from training images, and there are none.",
                "Export it in another precision.",
                "precision",
            )
        chosen = rows[np.linspace(0, len(rows) - 1, CALIBRATION_IMAGES).astype(np.int64)]
        images = np.asarray(self.store.images[np.unique(chosen)], np.float32)
        images[0, 0, 0, :] = 0
        images[0, -1, -1, :] = 255
        return images

    def calibration_batches(self) -> Iterator[NDArray[np.float32]]:
        """The same, one by one: 1 x h x w x c."""
        for image in self.calibration:
            yield image[None]


def not_expressible(label: str, error: Exception) -> StudioError:
    """What to say when a converter refuses a network."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = lines[0].rstrip(".")[:300] if lines else type(error).__name__
    lacking = dict.fromkeys(_LACKING.findall(str(error)))
    if lacking:  # the converters tell them among many lines
        reason = f"it has no {', '.join(''.join(names) for names in lacking)}"
    return StudioError(
        f"The network cannot be written as {label}: {reason}.",
        "Choose another format or precision.",
        "format",
    )
