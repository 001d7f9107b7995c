"""The inspector: what is selected decides what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from studio.engine.networks.parts import Parts, parts_of
from studio.engine.networks.spec import Comment, InputShape, LayerNode, NetworkSpec
from studio.engine.tasks import DEFAULT_TASK, find_task
from studio.ui.pages.networks.designer import edits
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.facts import Facts, large, memory_text
from studio.ui.pages.networks.designer.node_panel import (
    NodePanel,
    TrainingFields,
    form_layout,
    label_for,
)
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import SpinBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import text_label, vbox
from studio.ui.widgets.pages import PageStack
from studio.ui.widgets.tips import explain


class FreezeSlider(QWidget):
    """One step per block or single layer, in the order of computation; the head stays out."""

    def __init__(self, drawing: Drawing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._steps: Parts = {}
        self.label = QLabel(self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(self.tr("Freeze up to"))
        self.slider.setToolTip(
            self.tr("Training leaves everything from the images up to here alone")
        )
        vbox(self.label, self.slider, owner=self, spacing=SPACE.xs)
        self.slider.valueChanged.connect(self._freeze)

    def show_network(self) -> None:
        """Show how far the network is frozen."""
        self._steps = parts_of(self._drawing.spec)
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(self._steps))
        self.slider.setValue(frozen_steps(self._drawing.spec, self._steps))
        self.slider.blockSignals(False)
        self._say()

    def _freeze(self, value: int) -> None:
        drawing = self._drawing
        frozen = {key for ids in list(self._steps.values())[:value] for key in ids}
        after = edits.change(drawing.spec, edits.ids_of(drawing.spec) - frozen, frozen=False)
        after = edits.change(after, frozen, frozen=True)
        drawing.change(after, self.tr("Freeze up to here"), "freeze up to")
        self._say()

    def _say(self) -> None:
        names = list(self._steps)
        at = self.slider.value()
        text = (
            self.tr("Frozen: up to {0}").format(names[at - 1]) if at else self.tr("Frozen: none")
        )
        self.label.setText(text)
        self.slider.setAccessibleDescription(text)


def frozen_steps(spec: NetworkSpec, steps: Parts) -> int:
    """How many steps from the images on are frozen whole."""
    frozen = {node.id for node in spec.nodes if node.frozen}
    count = 0
    for ids in steps.values():
        if not frozen.issuperset(ids):
            break
        count += 1
    return count


LARGEST_SIDE = 4096
MOST_CLASSES = 100_000


def _column(panel: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(panel)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(SPACE.m)
    return column


def _title(panel: QWidget, text: str = "") -> QLabel:
    return text_label(text, "section", panel, wraps=True)


class SeveralPanel(QWidget):
    """What several layers have in common, and their sums."""

    def __init__(self, drawing: Drawing, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._heading = _title(self)
        self.facts = Facts(self)
        self.training = TrainingFields(drawing, theme, self)
        self.wire_button = push_button(self.tr("Wire one after another"), theme, parent=self)
        self.wire_button.setToolTip(
            self.tr("Leads each layer into the next, in the order in which they were selected")
        )
        column = _column(self)
        for widget in (self._heading, self.facts, self.training, self.wire_button):
            column.addWidget(widget)
        column.addStretch(1)
        self.wire_button.clicked.connect(self._wire)

    def show_nodes(self, nodes: Sequence[LayerNode]) -> None:
        """Show some layers."""
        self._heading.setText(self.tr("{0} layers").format(len(nodes)))
        self.training.show_nodes(nodes)
        examination = self._drawing.examination
        known = examination.nodes if examination else {}
        reports = [known[node.id] for node in nodes if node.id in known]
        rows = [
            (self.tr("Parameters"), count(sum(r.parameters for r in reports)), ""),
            (self.tr("Multiply-adds"), large(sum(r.multiply_adds for r in reports)), ""),
            (self.tr("Output memory"), memory_text(sum(r.memory for r in reports)), ""),
        ]
        self.facts.show_rows(rows if reports else [], stale=self._drawing.is_stale)

    def _wire(self) -> None:
        ids = self._drawing.nodes()
        for source, target in pairwise(ids):
            self._drawing.add_wire(source, target)


class NetworkPanel(QWidget):
    """The network as a whole: its name, the images that it takes, its outputs."""

    def __init__(self, drawing: Drawing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self.name = QLineEdit(self)
        self.sides = {
            "height": self._spin(LARGEST_SIDE, self.tr("Height")),
            "width": self._spin(LARGEST_SIDE, self.tr("Width")),
            "channels": self._spin(LARGEST_SIDE, self.tr("Channels")),
        }
        self.classes = self._spin(MOST_CLASSES, self.tr("Classes"), least=2)
        rows = QWidget(self)
        layout = form_layout(rows)
        layout.addRow(label_for(self.tr("Name"), self.name), self.name)
        for spin in self.sides.values():
            explain(spin, self.tr("The size of the images that the drawing is made for."))
        for spin in self.sides.values():
            layout.addRow(label_for(spin.accessibleName(), spin), spin)
        self._outputs = label_for(self.classes.accessibleName(), self.classes)
        layout.addRow(self._outputs, self.classes)
        self.freezing = FreezeSlider(drawing, self)
        self.facts = Facts(self)
        advice = HintLabel(parent=self)
        advice.show_text(
            self.tr(
                "Drag layers from the left onto the canvas or onto a wire. Drag from a port to "
                "another to wire them. Select a layer to see and change its settings."
            )
        )
        column = _column(self)
        for widget in (_title(self, self.tr("Network")), rows, self.freezing, self.facts, advice):
            column.addWidget(widget)
        column.addStretch(1)
        self.name.textEdited.connect(drawing.set_name)
        explain(self.classes, self.tr("How many outputs the network has."))
        explain(self.name, self.tr("How the network is called in the gallery, and in runs."))

    def show_network(self) -> None:
        """Show name and sizes."""
        spec = self._drawing.spec
        if self.name.text() != spec.name:
            self.name.setText(spec.name)
        for side, spin in self.sides.items():
            self._set(spin, getattr(spec.input, side))
        task = find_task(spec.task) or DEFAULT_TASK
        self.classes.setMinimum(task.fewest_outputs)
        self._outputs.setText(view_of(task).heading())
        self.classes.setAccessibleName(self._outputs.text())
        self._set(self.classes, spec.classes)
        self.freezing.show_network()
        examination = self._drawing.examination
        rows = []
        if examination:
            fields = [report.receptive_field for report in examination.network.layers]
            rows = [
                (self.tr("Layers"), count(len(spec.nodes)), ""),
                (self.tr("Parameters"), count(examination.network.parameters), ""),
                (self.tr("Learning"), count(examination.network.trainable), ""),
            ]
            if fields:
                tall, wide = max(fields)
                rows.append((self.tr("Receptive field"), f"{tall} × {wide} px", ""))
        self.facts.show_rows(rows, stale=self._drawing.is_stale)

    def _spin(self, most: int, name: str, least: int = 1) -> SpinBox:
        spin = SpinBox(self)
        spin.setRange(least, most)
        spin.setKeyboardTracking(False)
        spin.setAccessibleName(name)
        spin.valueChanged.connect(self._set_sizes)
        return spin

    def _set(self, spin: SpinBox, value: int) -> None:
        spin.blockSignals(True)
        spin.setValue(value)
        spin.blockSignals(False)

    def _set_sizes(self) -> None:
        sides = {side: spin.value() for side, spin in self.sides.items()}
        self._drawing.set_sizes(InputShape(**sides), self.classes.value())


class NotePanel(QWidget):
    """The text of a note."""

    def __init__(self, drawing: Drawing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._at = -1
        self.text = QPlainTextEdit(self)
        self.text.setAccessibleName(self.tr("Text of the note"))
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(160)
        column = _column(self)
        column.addWidget(_title(self, self.tr("Note")))
        row = QHBoxLayout()
        row.addWidget(self.text)
        column.addLayout(row)
        column.addStretch(1)
        self.text.textChanged.connect(self._set_text)
        explain(self.text, self.tr("Stands on the drawing; the network does not change."))

    def show_note(self, at: int) -> None:
        """Show a note by its place in the list."""
        self._at = at
        text = self._drawing.spec.comments[at].text
        if self.text.toPlainText() != text:
            self.text.blockSignals(True)
            self.text.setPlainText(text)
            self.text.blockSignals(False)

    def _set_text(self) -> None:
        notes = list(self._drawing.spec.comments)
        if 0 <= self._at < len(notes):
            old = notes[self._at]
            notes[self._at] = Comment(text=self.text.toPlainText(), x=old.x, y=old.y)
            self._drawing.set_comments(notes, f"note {self._at}")


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
