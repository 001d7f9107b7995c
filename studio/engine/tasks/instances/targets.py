"""Objects as targets: how many objects of each class an image has."""

from __future__ import annotations

from studio.engine.tasks.detection.targets import BoxCounts


class ObjectCounts(BoxCounts):
    """Objects of each class in each image: int32, shape (N, K). Crowds are not counted."""

    noun = "objects"

    def refusal(self, value: float) -> str:  # noqa: ARG002 - no value can be given
        """Return why an edit cannot give an image a number of objects."""
        return "the objects of a class are counted in the image"


TARGETS = ObjectCounts()
