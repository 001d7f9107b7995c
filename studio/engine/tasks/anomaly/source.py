"""Annotations of good images and defects: folders, or the classes of a classification dataset."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError
from studio.engine.tasks.annotation_source import AnnotationFiles, NestedFolders
from studio.engine.tasks.anomaly.folders import anomaly_error

if TYPE_CHECKING:
    from studio.engine.tasks.annotations import AnnotatedPicture, Annotations


class GoodImages(AnnotationFiles):
    """Folders of good images and defects with masks, or classes of which some are good.

    Args:
        module: Module with the formats, see `AnnotationFiles`.
        classes: Module with `kinds_of_classes`.
    """

    fields = AnnotationFiles.fields | {"good_classes"}

    def __init__(self, module: str, classes: str) -> None:
        super().__init__(module, takes_unlabeled=True)
        self._classes = classes

    def claims(self, root: NestedFolders, source: object) -> StudioError | None:
        """Return the error for good images alone in training; see `AnnotationSource.claims`."""
        return anomaly_error(root, source)

    def of_classes(self, images: Sequence[AnnotatedPicture], good: Sequence[str]) -> Annotations:
        """Return classes as kinds of defects; see `AnnotationSource.of_classes`.

        Raises:
            StudioError: A class does not exist, or the names contradict each other.
        """
        # Takes NumPy, and every command starts with the tasks.
        found: Annotations = importlib.import_module(self._classes).kinds_of_classes(images, good)
        return found
