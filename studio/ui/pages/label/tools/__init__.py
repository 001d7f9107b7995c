"""Tools of the page: one set for each kind of value, on the page *One by one*.

`tools` has the interface; `choices` (classes, labels), `numbers`, `drawn` (boxes, masks) and
`instances` have the sets. The editor of a task names its kind of value (`Editor.kind`), so that a
task of another package gets the set of the editor that it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtWidgets import QWidget

from studio.ui.pages.label.session import LabelSession
from studio.ui.pages.label.tools.choices import ClassTools, LabelsTools
from studio.ui.pages.label.tools.drawn import BoxTools, MaskTools
from studio.ui.pages.label.tools.instances import InstanceTools
from studio.ui.pages.label.tools.numbers import NumberTools
from studio.ui.pages.label.tools.tools import EditTools

TOOLS: Final[Mapping[str, type[EditTools]]] = {
    "class": ClassTools,
    "labels": LabelsTools,
    "numbers": NumberTools,
    "boxes": BoxTools,
    "mask": MaskTools,
    "instances": InstanceTools,
}
"""Sets of tools by the kind of value that they make."""


def tools_of(session: LabelSession, parent: QWidget) -> EditTools:
    """Make the tools for a labeling.

    Args:
        session: The labeling.
        parent: The widget that shows them.
    """
    return TOOLS[session.labeling.editor.kind](session, parent)
