"""Images without edges: far less variance of the Laplacian than others of the dataset have.

The measure is that of Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy"
(2000), over the variance of the image itself, so that low contrast is not taken for blur. It is
held against the median of the dataset, because how sharp images are depends on their size.
"""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words

_WORDS = Words("Blurred images: {count}.", "Look at them; leave out what cannot be told.")


def _find(subject: Subject) -> Finding | None:
    sharpness = subject.measures.sharpness
    known = ~np.isnan(sharpness)
    if not known.any():
        return None
    limit = float(np.median(sharpness[known])) * subject.plan.blur_percent / 100
    return subject.images(BLURRED.name, known & (sharpness < limit), _WORDS)


BLURRED = Check("blurred", "Blurred", _find)
