"""Annotations of good images and defects: folders, or the classes of a classification dataset."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError
from studio.engine.tasks.annotation_source import AnnotationFiles, NestedFolders

if TYPE_CHECKING:
    from studio.engine.tasks.annotations import AnnotatedPicture, Annotations


class GoodImages(AnnotationFiles):
    """Folders of good images and defects with masks, or classes of which some are good.

    Args:
        module: Module with the formats, see `AnnotationFiles`.
        classes: Module with `kinds_of_classes`.
        folders: Module with `anomaly_error`.
    """

    fields = AnnotationFiles.fields | {"good_classes"}

    def __init__(self, module: str, classes: str, folders: str) -> None:
        super().__init__(module, takes_unlabeled=True)
        self._classes, self._folders = classes, folders

    def claims(self, root: NestedFolders, source: object) -> StudioError | None:
        """Return the error for good images alone in training; see `AnnotationSource.claims`."""
        found: StudioError | None = importlib.import_module(self._folders).anomaly_error(
            root, source
        )
        return found

    def of_classes(self, images: Sequence[AnnotatedPicture], good: Sequence[str]) -> Annotations:
        """Return classes as kinds of defects; see `AnnotationSource.of_classes`.

        Raises:
            StudioError: A class does not exist, or the names contradict each other.
        """
        # Takes NumPy, and every command starts with the tasks.
        found: Annotations = importlib.import_module(self._classes).kinds_of_classes(images, good)
        return found
