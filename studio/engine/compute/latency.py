"""How long a model takes for one image."""

from __future__ import annotations

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.models import score
from studio.engine.paired_timing import least_disturbed_ms, timed_block
from studio.engine.processor_load import BUSY, ProcessorLoad
from studio.engine.progress import Progress

BLOCKS = 10


def latency_ms(model: keras.Model, pixels: NDArray[np.uint8], progress: Progress) -> float:
    """Time for one image on this machine, milliseconds: of the block of calls disturbed least.

    Trials of a sweep are compared by it that were measured at different times, beside each other
    or beside other programs.

    Args:
        model: Takes the pixels as they are.
        pixels: The image, shape (1, height, width, channels).
        progress: Warned where other programs need the processors.
    """
    score(model, pixels)  # the first call compiles
    load = ProcessorLoad()
    blocks = [timed_block(lambda: score(model, pixels)) for _ in range(BLOCKS)]
    share = load.of_others()
    if share > BUSY:
        progress.warn(
            f"Other programs used {share:.0%} of the processors while the latency was measured. "
            "It may look worse than it is."
        )
    return least_disturbed_ms(blocks)
