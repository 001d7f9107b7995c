"""The view of the task in the window: that of masks with words of its own."""

from __future__ import annotations

from dataclasses import replace

from studio.engine.tasks.task import Task
from studio.ui.tasks.data_view import DataWords
from studio.ui.tasks.segmentation.view import SegmentationView


class AreasView(SegmentationView):
    """Shows masks."""

    def words(self, task: Task) -> DataWords:
        """Return the words of masks, and another entry in lists of tasks."""
        return replace(super().words(task), choice="Areas of fields")


VIEW = AreasView()
