"""Editor of defects: an image is good, or its defects are painted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from studio.engine.labeling.editors.masks import MaskEditor
from studio.engine.labeling.label_files import Labeled, write_pictures
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import Value
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import IGNORE, Mask
from studio.engine.tasks.anomaly.task import DEFECT, GOOD
from studio.engine.tasks.task import Task

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling

FOLDERS: Final = "folders"
"""Folders of good images and defects, with masks, as MVTec AD has them."""
_MASKS: Final = "ground_truth"


class DefectEditor(MaskEditor):
    """Painted defects; an image without any is good, and one that is all painted has no place."""

    classes = (LabelClass(name=GOOD, color="#009e73"), LabelClass(name=DEFECT, color="#d55e00"))
    first_class: ClassVar[int] = 1

    def parsed(self, labeling: Labeling, text: str, items: Sequence[int]) -> Value:
        """Return "good", "defect" or the mask of a file, not 0 where there is a defect.

        Args:
            labeling: The labeling.
            text: One of the two words, or the path of a mask.
            items: Number of the image.

        Raises:
            StudioError: The file cannot be read, or several images are named.
        """
        item = labeling.items[items[0]]
        if text in (GOOD, DEFECT) and len(items) == 1:
            mask = np.full((item.height, item.width), text == DEFECT, np.uint8)
            return labeling.write_mask(items[0], mask)
        return super().parsed(labeling, text, items)

    def marked(self, mask: Mask) -> Mask:
        """Return a mask of a file with 1 where there is a defect, however bright it is."""
        return (mask > 0).astype(np.uint8)

    def dataset_classes(self, store: Store) -> list[LabelClass]:  # noqa: ARG002 - kinds are joined
        """Return good and defect; see `Editor.dataset_classes`."""
        return list(self.classes)

    def imported(
        self,
        labeling: Labeling,
        store: Store,
        row: int,
        indices: Sequence[int],  # noqa: ARG002 - kinds are joined
        item: int,
    ) -> Value:
        """Write the mask of an image, all kinds as defects; see `Editor.imported`."""
        stored = store.required_regions[row]
        mask = np.where(stored == IGNORE, IGNORE, stored > 0).astype(np.uint8)
        return labeling.write_mask(item, mask)

    def proposed(
        self,
        labeling: Labeling,  # noqa: ARG002 - classes are fixed
        item: int,
        prediction: ImagePrediction,
        model: ModelSource,  # noqa: ARG002
    ) -> Proposal | None:
        """Return the pixels that reach the threshold; see `Editor.proposed`."""
        found = prediction.heat_map
        if found is None or found.threshold is None:
            return None
        mask = (found.values() >= found.threshold).astype(np.uint8)
        return Proposal(item, None, 0.0, mask=mask)

    def forms(self, task: Task) -> tuple[str, ...]:  # noqa: ARG002 - there is one
        """Return the format of folders; see `Editor.forms`."""
        return (FOLDERS,)

    def write(
        self,
        labeling: Labeling,
        labeled: Sequence[Labeled],
        form: str,  # noqa: ARG002 - there is one
        path: Path,
        progress: Progress,
    ) -> None:
        """Write images into `good` and `defect`, with masks of defects; see `Editor.write`."""
        path.mkdir()
        pairs = ((each, self.regions(labeling, each.value)) for each in labeled)
        placed = (
            (each, DEFECT if (mask == 1).any() else GOOD, (mask == 1).astype(np.uint8))
            for each, mask in pairs
        )
        write_pictures(placed, len(labeled), path, _MASKS, progress)

    def write_source(
        self, labeling: Labeling, labeled: Sequence[Labeled], folder: Path, progress: Progress
    ) -> tuple[Path, Mapping[str, object]]:
        """Write the folders; see `Editor.write_source`."""
        source = folder / "annotated"
        self.write(labeling, labeled, FOLDERS, source, progress)
        return source, {}


EDITOR = DefectEditor()
