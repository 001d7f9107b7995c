"""Base of the formats of shapes that people drew with a tool."""

from __future__ import annotations

from studio.engine.tasks.annotation_files.tools.base import DrawingTool
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotationFormat


class DrawnFormat(AnnotationFormat):
    """The files of a tool, as boxes or as masks.

    Args:
        tool: The tool.

    Attributes:
        tool: The tool.
    """

    split_origin = "file names"

    def __init__(self, tool: DrawingTool) -> None:
        self.name = tool.name
        self.label = tool.label
        self.tool = tool

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if there are files of the tool."""
        return self.tool.accepts(files.labels)
