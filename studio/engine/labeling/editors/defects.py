"""Editor of defects: an image is good, or its defects are painted, by their kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.files import portable_name
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
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling

FOLDERS: Final = "folders"
"""Folders of good images and defects, with masks, as MVTec AD has them."""
_MASKS: Final = "ground_truth"


class DefectEditor(MaskEditor):
    """Painted defects, perhaps of several kinds.

    An image without any is good, and one that is all painted has no place. In folders, an image is
    of the kind that most of its painted pixels are; all of them are marked in its mask.
    """

    classes = (LabelClass(name=GOOD, color="#009e73"), LabelClass(name=DEFECT, color="#d55e00"))
    adds_classes: ClassVar[bool] = True
    first_class: ClassVar[int] = 1

    def first_classes(self, named: Sequence[LabelClass]) -> list[LabelClass]:
        """Return good and the named kinds of defects; see `Editor.first_classes`."""
        good, defect = self.classes
        kinds = [each for each in named if each.name.casefold() != GOOD]
        return [good, *(kinds or [defect])]

    def parsed(self, labeling: Labeling, text: str, items: Sequence[int]) -> Value:
        """Return good, a kind of defect, or the mask of a file.

        Args:
            labeling: The labeling.
            text: Name of a class, or the path of a mask: 0 is good, and values that are no classes
                are the first kind.
            items: Number of the image.

        Raises:
            StudioError: The file cannot be read, or several images are named.
        """
        item = labeling.items[items[0]]
        if text in labeling.names and len(items) == 1:
            kind = labeling.names.index(text)
            mask = np.full((item.height, item.width), kind, np.uint8)
            return labeling.write_mask(items[0], mask)
        return super().parsed(labeling, text, items)

    def marked(self, labeling: Labeling, mask: Mask) -> Mask:
        """Return kinds, or the first one where a file is not 0; see `MaskEditor.marked`."""
        if len(labeling.names) > len(self.classes) and mask.max(initial=0) < len(labeling.names):
            return mask.astype(np.uint8)
        return (mask > 0).astype(np.uint8)

    def proposed(
        self,
        labeling: Labeling,  # noqa: ARG002 - heat maps know no kinds
        item: int,
        prediction: ImagePrediction,
        model: ModelSource,  # noqa: ARG002
    ) -> Proposal | None:
        """Return the pixels from their threshold on as the first kind; see `Editor.proposed`."""
        found = prediction.heat_map
        if found is None or found.outlined_from is None:
            return None
        mask = (found.values() >= found.outlined_from).astype(np.uint8)
        if not found.is_above:
            mask[:] = 0  # some pixels of a good image may reach the threshold of pixels
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
        """Write images into `good` and kinds, with masks of defects; see `Editor.write`."""
        path.mkdir()
        folders = _folders(labeling.names)
        pairs = ((each, self.regions(labeling, each.value)) for each in labeled)
        placed = (
            (each, folders[_kind(mask)], _is_defect(mask).astype(np.uint8)) for each, mask in pairs
        )
        write_pictures(placed, len(labeled), path, _MASKS, progress)

    def write_source(
        self, labeling: Labeling, labeled: Sequence[Labeled], folder: Path, progress: Progress
    ) -> tuple[Path, Mapping[str, object]]:
        """Write the folders; see `Editor.write_source`."""
        source = folder / "annotated"
        self.write(labeling, labeled, FOLDERS, source, progress)
        return source, {}


def _is_defect(mask: Mask) -> NDArray[np.bool_]:
    """Return the pixels of all defects."""
    found: NDArray[np.bool_] = (mask > 0) & (mask != IGNORE)
    return found


def _kind(mask: Mask) -> int:
    """Return the kind of most painted pixels; 0 for a good image."""
    kinds = mask[_is_defect(mask)]
    return int(np.bincount(kinds).argmax()) if kinds.size else 0


def _folders(names: Sequence[str]) -> list[str]:
    """Return a folder for each class; a name that means something else is replaced."""
    from studio.engine.tasks.anomaly.formats import has_meaning  # noqa: PLC0415 - takes OpenCV

    found = [GOOD]
    for number, name in enumerate(names[1:], 1):
        folder = portable_name(name)
        known = [each.casefold() for each in found]
        if has_meaning(folder) or folder.casefold() in known:
            folder = f"{DEFECT} {number}"
        found.append(folder)
    return found


EDITOR = DefectEditor()
