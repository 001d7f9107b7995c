"""Which images of a dataset are looked at, and in which order. Free of Qt and of NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from studio.engine.datasets.audit.findings import Finding
from studio.ui.tasks.targets import Condition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.engine.evaluation.opened import Predictions

LEFT_OUT = "left out"
"""In place of a split: the images that edits left out of all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What the model of a run took images for.

    Attributes:
        run: Name of the run.
        predictions: Its first answers.
        wanted: Images taken for a wrong class, all of them, or those taken for a class.
    """

    run: str
    predictions: Predictions
    wanted: Literal["wrong", "all"] | int


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Images that were named one by one.

    Attributes:
        title: What they have in common, in a few words.
        line: Where that is from, in a sentence.
        rows: Their rows, ascending; those left out are among them.
        first: The one to look at first, by its row.
    """

    title: str
    line: str
    rows: NDArray[np.int64]
    first: int | None = None


@dataclass(frozen=True, slots=True)
class ImageQuery:
    """What the filters of the browser say.

    Attributes:
        target: Tells the images with the targets that are wanted; None is all.
        split: Images of this split, or `LEFT_OUT`; None is all that are not left out.
        text: Images whose path holds this, whatever the case; empty is all.
        order: `import` is the order of the dataset itself; `finding` that of the finding, with
            images that belong together beside each other; `score` begins with the images of
            which the model was surest; `name` and `split` are plain; others are of the task.
        finding: Images that this finding of the audit is about; None is all.
        answers: Images that a model took for something; None is all.
        picked: These images, also those that are left out; None is all.
    """

    target: Condition | None = None
    split: str | None = None
    text: str = ""
    order: str = "import"
    finding: Finding | None = None
    answers: Answers | None = None
    picked: Picked | None = None

    @property
    def is_left_out(self) -> bool:
        """Whether it asks for what was left out."""
        return self.split == LEFT_OUT
