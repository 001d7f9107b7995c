"""Which images of a dataset are looked at, and in which order. Free of Qt and of NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.engine.datasets.audit.findings import Finding

Order = Literal["import", "name", "class", "split", "finding"]
LEFT_OUT = "left out"
"""In place of a split: the images that edits left out of all of them."""


@dataclass(frozen=True, slots=True)
class ImageQuery:
    """What the filters of the browser say.

    Attributes:
        class_index: Images of this class; None is all.
        split: Images of this split, or `LEFT_OUT`; None is all that are not left out.
        text: Images whose path holds this, whatever the case; empty is all.
        order: `import` is the order of the dataset itself; `finding` that of the finding, with
            images that belong together beside each other.
        finding: Images that this finding of the audit is about; None is all.
    """

    class_index: int | None = None
    split: str | None = None
    text: str = ""
    order: Order = "import"
    finding: Finding | None = None

    @property
    def is_left_out(self) -> bool:
        """Whether it asks for what was left out."""
        return self.split == LEFT_OUT
