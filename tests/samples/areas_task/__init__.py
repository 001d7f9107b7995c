"""A task that Studio does not know: a class for each pixel, under another name, with a view."""

from __future__ import annotations

from dataclasses import replace

from studio.engine.tasks.segmentation.task import SEGMENTATION

AREAS = replace(SEGMENTATION, name="areas", label="Areas", sample="", view="areas_task.view:VIEW")
