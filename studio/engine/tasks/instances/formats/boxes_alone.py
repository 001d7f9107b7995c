"""Files of boxes, which have no outlines: they are recognized to say what is missing."""

from __future__ import annotations

from typing import NoReturn

from studio.engine.errors import StudioError
from studio.engine.messages import as_message
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotationFormat, AnnotationOptions
from studio.engine.tasks.detection.formats import FORMATS


class BoxesAlone(AnnotationFormat):
    """Annotations with a box around each object are refused with a clear reason."""

    name = "boxes_alone"
    label = "Boxes without outlines (refused)"

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if the files can be read as boxes."""
        return any(form.accepts(files) for form in FORMATS)

    def is_evident(self, files: AnnotatedFiles) -> bool:  # noqa: ARG002 - boxes are for detection
        """Return False: boxes are for detection."""
        return False

    def read(
        self,
        files: AnnotatedFiles,
        options: AnnotationOptions,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> NoReturn:
        """Refuse boxes; see `AnnotationFormat.read`.

        Raises:
            StudioError: Always.
        """
        form = next(each for each in FORMATS if each.accepts(files))
        raise StudioError(
            "The annotations in {folder} ({format}) have a box around each object, but "
            "instance segmentation needs its outline.",
            "Draw the outlines: a labeling turns boxes into outlines. Boxes can be learned with "
            "the task detection (--task detection).",
            "source",
            folder=files.labels.location,
            format=as_message(form.label),
        )
