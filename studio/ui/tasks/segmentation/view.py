"""The parts of pages for a class per pixel: the task view."""

from __future__ import annotations

from studio.ui.tasks.segmentation.data import SegmentationData
from studio.ui.tasks.view import TaskView


class SegmentationView(SegmentationData, TaskView):
    """Shows a class for each pixel."""


VIEW = SegmentationView()
