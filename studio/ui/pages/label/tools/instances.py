"""Tools for objects with their own pixels."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import InstancesValue, Value
from studio.ui.pages.label.tools.drawn import MaskTools
from studio.ui.pages.label.tools.instance_canvas import InstanceCanvasEditor
from studio.ui.widgets.canvas.editor import CanvasEditor
from studio.ui.widgets.figures import count


class InstanceTools(MaskTools):
    """Objects; they are written in another thread, and the canvas undoes changes."""

    file_value = InstancesValue

    def _editor(self, parent: QWidget) -> CanvasEditor:
        editor = InstanceCanvasEditor(self.session.context.theme, parent)
        editor.set_owns_undo(owns=True)
        return editor

    def state_text(self, value: Value) -> str:
        """Return the number of objects; see `EditTools.state_text`."""
        number = len(value.objects) if isinstance(value, InstancesValue) else 0
        return self.tr("Objects: {n}").format(n=count(number))

    def proposed_text(self, proposal: Proposal) -> str:  # noqa: ARG002 - they are not counted
        """Return that there are objects; see `EditTools.proposed_text`."""
        return self.tr("Proposed objects")
