"""The inspector: what is selected decides what it shows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.node_panel import NodePanel
from studio.ui.pages.networks.designer.panels import NetworkPanel, NotePanel, SeveralPanel
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.page_stack import PageStack

WIDTH = 304


class Inspector(QScrollArea):
    """One of four panels, kept in line with drawing and selection."""

    def __init__(self, drawing: Drawing, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self.network = NetworkPanel(drawing)
        self.node = NodePanel(drawing, theme)
        self.several = SeveralPanel(drawing, theme)
        self.note = NotePanel(drawing)
        self._stack = PageStack()
        inner = QWidget()
        inner.setProperty("plain", True)
        column = QVBoxLayout(inner)
        column.setContentsMargins(SPACE.l, SPACE.l, SPACE.l, SPACE.l)
        for panel in (self.network, self.node, self.several, self.note):
            self._stack.addWidget(panel)
        column.addWidget(self._stack)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Settings of what is selected"))
        for signal in (drawing.changed, drawing.selected, drawing.examined):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what is selected, as it is now."""
        drawing = self._drawing
        ids, notes = drawing.nodes(), drawing.notes()
        if len(ids) == 1:
            self.node.show_node(drawing.spec.node(ids[0]))
            self._show(self.node)
        elif ids:
            nodes = {node.id: node for node in drawing.spec.nodes}
            self.several.show_nodes([nodes[key] for key in ids])
            self._show(self.several)
        elif len(notes) == 1:
            self.note.show_note(notes[0])
            self._show(self.note)
        else:
            self.network.show_network()
            self._show(self.network)

    def edit_note(self) -> None:
        """Put the cursor into the text of the selected note."""
        self.note.text.setFocus()

    def _show(self, panel: QWidget) -> None:
        if self._stack.currentWidget() is not panel:
            self._stack.setCurrentWidget(panel)
            self.verticalScrollBar().setValue(0)
