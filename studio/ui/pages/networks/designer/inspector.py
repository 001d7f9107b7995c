"""The inspector: what is selected decides what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QLocale, QSignalBlocker
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.engine.errors import Problem
from studio.engine.networks.edits import CLASSES
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.parts import Parts, parts_of
from studio.engine.networks.spec import (
    Comment,
    InputShape,
    LayerNode,
    LayerReport,
    NetworkSpec,
    NodeProblem,
    Shape,
)
from studio.engine.tasks import known_task
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.forms.plan_form import PlanForm
from studio.ui.forms.switch import Switch
from studio.ui.language import sentence, translated
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.items import (
    family_color,
    family_of,
    layer_pixmap,
    size_text,
)
from studio.ui.tasks import view_of
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import NO_VALUE, count, large, size
from studio.ui.widgets.inputs import SpinBox, horizontal_slider
from studio.ui.widgets.labels import FactList, HintLabel
from studio.ui.widgets.layout import (
    STRETCH,
    form_layout,
    hbox,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.pages import PageStack
from studio.ui.widgets.tips import explain

_tr = partial(QCoreApplication.translate, "NodePanel")

Row = tuple[str, str, str]
"""Name, value, explanation."""


def show_figures(facts: FactList, rows: Sequence[Row], *, stale: bool) -> None:
    """Show figures; outdated ones are gray."""
    tips = {name: tip for name, _, tip in rows}
    facts.show_facts({name: value for name, value, _ in rows}, tips)
    facts.setVisible(bool(rows))
    facts.setEnabled(not stale)


def shapes_text(shapes: Sequence[Shape]) -> str:
    """Return shapes as text, one per line."""
    return "\n".join(size_text(shape) for shape in shapes) or NO_VALUE


FASTEST = 1000.0


def _form(parent: QWidget) -> QFormLayout:
    layout = form_layout(parent, SPACE.m, SPACE.s)
    layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return layout


def label_for(text: str, field: QWidget) -> QLabel:
    """Return the label of a field, also for screen readers."""
    label = QLabel(text)
    label.setBuddy(field)
    label.setFixedWidth(96)
    label.setWordWrap(True)
    field.setAccessibleName(text)
    return label


class TrainingFields(QWidget):
    """For one layer or several: what they have in common is shown, the rest is left empty."""

    def __init__(self, drawing: Drawing, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._ids: list[str] = []
        self.frozen = Switch(theme, self)
        self.rate = QLineEdit(self)
        self.block = QLineEdit(self)
        tip = self.tr(
            "Training does not change the weights. Batch normalization keeps its statistics."
        )
        self.frozen.setToolTip(tip)
        tip = self.tr("Learning-rate multiplier: with 0.1 these layers learn ten times slower.")
        self.rate.setToolTip(tip)
        self.block.setToolTip(self.tr("Layers of a block share a frame and collapse together."))
        self.block.setPlaceholderText(self.tr("none"))
        layout = _form(self)
        layout.addRow(label_for(self.tr("Frozen"), self.frozen), self.frozen)
        layout.addRow(label_for(self.tr("Rate multiplier"), self.rate), self.rate)
        layout.addRow(label_for(self.tr("Block"), self.block), self.block)
        self.frozen.clicked.connect(self._freeze)
        self.rate.editingFinished.connect(self._set_rate)
        self.block.editingFinished.connect(self._set_block)

    def show_nodes(self, nodes: Sequence[LayerNode]) -> None:
        """Show the common settings of layers."""
        self._ids = [node.id for node in nodes]
        self.frozen.setChecked(bool(nodes) and all(node.frozen for node in nodes))
        rates = {node.rate for node in nodes}
        if not self.rate.hasFocus():
            one = format_number(rates.pop(), QLocale()) if len(rates) == 1 else ""
            self.rate.setText(one)
            self.rate.setPlaceholderText("" if one else self.tr("various"))
        blocks = {node.block for node in nodes}
        if not self.block.hasFocus():
            several = len(blocks) > 1
            self.block.setText("" if several else next(iter(blocks), ""))
            self.block.setPlaceholderText(self.tr("various") if several else self.tr("none"))

    def _freeze(self, checked: bool) -> None:
        self._drawing.set_frozen(self._ids, frozen=checked)

    def _set_rate(self) -> None:
        number = parse_number(self.rate.text(), QLocale())
        fits = number is not None and 0 <= number <= FASTEST
        restyle(self.rate, "wrong", bool(self.rate.text()) and not fits)
        if fits and number is not None:
            self._drawing.set_rate(self._ids, number)

    def _set_block(self) -> None:
        text = self.block.text().strip()
        if text or self.block.isModified():
            self.block.setModified(False)
            self._drawing.set_block(self._ids, text)


_CHIP = 28


class NodePanel(QWidget):
    """Shows the layer that is selected; every edit is a change of the drawing at once."""

    def __init__(self, drawing: Drawing, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._theme = theme
        self._node: LayerNode | None = None
        self._forms: dict[str, PlanForm] = {}
        self.form: PlanForm | None = None
        self._chip = QLabel(self)
        self._chip.setFixedSize(_CHIP, _CHIP)
        self._kind = text_label("", "section", self, wraps=True)
        self._help = HintLabel(parent=self)
        self.name = QLineEdit(self)
        self.name.setAccessibleName(self.tr("Name of the layer"))
        self.name.setToolTip(self.tr("Name of the layer: letters, digits and underscores"))
        self._trouble = HintLabel(parent=self)
        self._form_layout = QVBoxLayout()
        self.facts = FactList(SPACE.m, self, is_right=True, takes_focus=False)
        self.training = TrainingFields(drawing, theme, self)
        text = self.tr("Use as output")
        tip = self.tr("Makes the output of this layer the output of the network.")
        self.end_button = push_button(text, theme, tip=tip, on_click=self._end_here)
        self._lay_out()
        self.name.editingFinished.connect(self._rename)
        theme.changed.connect(self._paint_chip)

    def show_node(self, node: LayerNode) -> None:
        """Show a layer and its figures."""
        changed_kind = self._node is None or self._node.layer != node.layer
        other = self._node is None or self._node.id != node.id
        self._node = node
        if changed_kind:
            self._show_kind(node)
        if other or not self.name.hasFocus():
            self.name.setText(node.id)
        if self.form is not None and self.form.values() != dict(node.parameters):
            self.form.set_values(dict(node.parameters))
        self.training.show_nodes([node])
        self.end_button.setVisible(node.id != self._drawing.spec.output)
        self._show_figures(node)
        self._paint_chip()

    def _show_kind(self, node: LayerNode) -> None:
        for form in self._forms.values():
            form.hide()
        self.form = None
        if node.layer not in LAYERS:
            self._kind.setText(node.layer)
            self._help.show_text(self.tr("Studio does not support this layer."), "problem")
            return
        layer = LAYERS[node.layer]
        self._kind.setText(translated(layer.label))
        self._help.show_text(translated(layer.summary))
        if node.layer not in self._forms:
            self._forms[node.layer] = self._make_form(node.layer)
        self.form = self._forms[node.layer]
        self.form.show()

    def _make_form(self, name: str) -> PlanForm:
        form = PlanForm(LAYERS[name].parameters, theme=self._theme, compact=True, parent=self)
        for path in form.names():
            row = form.row(path)
            row.label.setFixedWidth(96)
            row.editor.control.setMinimumWidth(0)
            row.editor.control.setMaximumWidth(140)
        form.changed.connect(self._set_parameters)
        self._form_layout.addWidget(form)
        return form

    def _set_parameters(self) -> None:
        plan = self.form.plan() if self.form is not None else None
        if plan is None or self._node is None:
            return
        values = plan.model_dump(mode="json")
        before = self._node.parameters
        fields = [name for name, value in values.items() if before.get(name) != value]
        self._drawing.set_parameters(self._node.id, values, " ".join(fields))

    def _rename(self) -> None:
        if self._node is None or self.name.text() == self._node.id:
            return
        if not self._drawing.rename(self._node.id, self.name.text()):
            self.name.setText(self._node.id)

    def _end_here(self) -> None:
        if self._node is not None:
            self._drawing.add_wire(self._node.id, CLASSES)

    def _show_figures(self, node: LayerNode) -> None:
        examination = self._drawing.examination
        report = examination.nodes.get(node.id) if examination else None
        show_figures(self.facts, node_rows(report) if report else [], stale=self._drawing.is_stale)
        problems = examination.problems if examination else ()
        self._show_problems([problem for problem in problems if problem.node == node.id])

    def _show_problems(self, problems: list[NodeProblem]) -> None:
        shown = set(self.form.names()) if self.form else set()
        rest = [problem for problem in problems if problem.parameter not in shown]
        words = " ".join(sentence(problem.message, problem.hint) for problem in rest)
        serious = any(problem.serious for problem in rest)
        self._trouble.show_text(words, "problem" if serious else "advice")
        if self.form is not None:
            self.form.show_problems(
                [
                    Problem(problem.parameter, problem.message, problem.hint, problem.serious)
                    for problem in problems
                    if problem.parameter in shown
                ]
            )

    def _lay_out(self) -> None:
        top = hbox(self._chip, (self._kind, 1), spacing=SPACE.m)
        upper = (top, self._help, self.name, self._trouble, self._form_layout)
        lower = (self.facts, self.training, self.end_button, STRETCH)
        vbox(*upper, *lower, owner=self, spacing=SPACE.m)

    def _paint_chip(self) -> None:
        if self._node is None:
            return
        family = family_of(self._node)
        color = family_color(family, self._theme).name()
        self._chip.setStyleSheet(f"background: {color}; border-radius: 6px; padding: 6px;")
        self._chip.setScaledContents(True)
        self._chip.setPixmap(layer_pixmap(f"layer-{family}", self._theme))


def node_rows(report: LayerReport) -> list[Row]:
    """Return the figures of a layer as rows."""
    tall, wide = report.receptive_field
    return [
        (_tr("Shape in"), shapes_text(report.input_shapes), _tr("Shape of the input")),
        (_tr("Shape out"), size_text(report.output_shape), _tr("Shape of the output")),
        (_tr("Parameters"), count(report.parameters), _tr("Number of weights of this layer")),
        (_tr("Multiply-adds"), large(report.multiply_adds), _tr("Multiply-adds for one image")),
        (
            _tr("Output memory"),
            size(report.memory),
            _tr("For one image in 32 bits. Training needs this for each image of a batch"),
        ),
        (
            _tr("Receptive field"),
            f"{tall} × {wide} px",
            _tr("Area of the image that one output value depends on"),
        ),
    ]


class BlockFreezeSlider(QWidget):
    """One step per block or single layer, in the order of computation; the head stays out."""

    def __init__(self, drawing: Drawing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._steps: Parts = {}
        self.label = QLabel(self)
        self.slider = horizontal_slider(self, self.tr("Freeze up to"), 0, 1, 0)
        tip = self.tr("Training does not change the layers from the input to here")
        self.slider.setToolTip(tip)
        vbox(self.label, self.slider, owner=self, spacing=SPACE.xs)
        self.slider.valueChanged.connect(self._freeze)

    def show_network(self) -> None:
        """Show how many parts of the network are frozen."""
        self._steps = parts_of(self._drawing.spec)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self._steps))
            self.slider.setValue(frozen_steps(self._drawing.spec, self._steps))
        self._say()

    def _freeze(self, value: int) -> None:
        frozen = {key for ids in list(self._steps.values())[:value] for key in ids}
        self._drawing.freeze_only(frozen, "freeze up to")
        self._say()

    def _say(self) -> None:
        names = list(self._steps)
        at = self.slider.value()
        text = self.tr("Frozen: up to {0}") if at else self.tr("Frozen: none")
        text = text.format(names[at - 1] if at else "")
        self.label.setText(text)
        self.slider.setAccessibleDescription(text)


def frozen_steps(spec: NetworkSpec, steps: Parts) -> int:
    """Return the number of completely frozen steps, counted from the input."""
    frozen = {node.id for node in spec.nodes if node.frozen}
    count = 0
    for ids in steps.values():
        if not frozen.issuperset(ids):
            break
        count += 1
    return count


LARGEST_SIDE = 4096
MAX_CLASSES = 100_000


class SeveralPanel(QWidget):
    """Common settings and totals of several layers."""

    def __init__(self, drawing: Drawing, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._heading = text_label("", "section", self, wraps=True)
        self.facts = FactList(SPACE.m, self, is_right=True, takes_focus=False)
        self.training = TrainingFields(drawing, theme, self)
        text = self.tr("Connect in sequence")
        tip = self.tr("Connects the layers in the order in which they were selected")
        self.wire_button = push_button(text, theme, tip=tip, on_click=self._wire)
        parts = (self._heading, self.facts, self.training, self.wire_button)
        vbox(*parts, STRETCH, owner=self, spacing=SPACE.m)

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
            (self.tr("Output memory"), size(sum(r.memory for r in reports)), ""),
        ]
        show_figures(self.facts, rows if reports else [], stale=self._drawing.is_stale)

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
        self.classes = self._spin(MAX_CLASSES, self.tr("Classes"), least=2)
        rows = QWidget(self)
        layout = _form(rows)
        layout.addRow(label_for(self.tr("Name"), self.name), self.name)
        for spin in self.sides.values():
            explain(spin, self.tr("Input size of the network."))
            layout.addRow(label_for(spin.accessibleName(), spin), spin)
        self._outputs = label_for(self.classes.accessibleName(), self.classes)
        layout.addRow(self._outputs, self.classes)
        self.freezing = BlockFreezeSlider(drawing, self)
        self.facts = FactList(SPACE.m, self, is_right=True, takes_focus=False)
        text = self.tr(
            "Drag layers from the left onto the canvas or onto a wire. Drag from one port to "
            "another to connect them. Select a layer to see and change its settings."
        )
        advice = HintLabel(text, parent=self)
        title = text_label(self.tr("Network"), "section", self, wraps=True)
        parts = (title, rows, self.freezing, self.facts, advice)
        vbox(*parts, STRETCH, owner=self, spacing=SPACE.m)
        self.name.textEdited.connect(drawing.set_name)
        explain(self.classes, self.tr("Number of outputs of the network."))
        explain(self.name, self.tr("Name shown in the gallery and in runs."))

    def show_network(self) -> None:
        """Show name and sizes."""
        spec = self._drawing.spec
        if self.name.text() != spec.name:
            self.name.setText(spec.name)
            self.name.setCursorPosition(0)  # a long name shows its beginning
        for side, spin in self.sides.items():
            self._set(spin, getattr(spec.input, side))
        task = known_task(spec.task)
        self.classes.setMinimum(task.min_outputs)
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
                (self.tr("Trainable"), count(examination.network.trainable), ""),
            ]
            if fields:
                tall, wide = max(fields)
                rows.append((self.tr("Receptive field"), f"{tall} × {wide} px", ""))
        show_figures(self.facts, rows, stale=self._drawing.is_stale)

    def _spin(self, most: int, name: str, least: int = 1) -> SpinBox:
        spin = SpinBox(self)
        spin.setRange(least, most)
        spin.setKeyboardTracking(False)
        spin.setAccessibleName(name)
        spin.valueChanged.connect(self._set_sizes)
        return spin

    def _set(self, spin: SpinBox, value: int) -> None:
        with QSignalBlocker(spin):
            spin.setValue(value)

    def _set_sizes(self) -> None:
        sides = {side: spin.value() for side, spin in self.sides.items()}
        self._drawing.set_sizes(InputShape(**sides), self.classes.value())


class NotePanel(QWidget):
    """The text of a note."""

    def __init__(self, drawing: Drawing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing = drawing
        self._at = -1
        self.text = QPlainTextEdit(self, tabChangesFocus=True)
        self.text.setAccessibleName(self.tr("Text of the note"))
        self.text.setFixedHeight(160)
        title = text_label(self.tr("Note"), "section", self)
        vbox(title, self.text, STRETCH, owner=self, spacing=SPACE.m)
        self.text.textChanged.connect(self._set_text)
        explain(self.text, self.tr("Shown on the drawing. It does not change the network."))

    def show_note(self, at: int) -> None:
        """Show the note with an index."""
        self._at = at
        text = self._drawing.spec.comments[at].text
        if self.text.toPlainText() != text:
            with QSignalBlocker(self.text):
                self.text.setPlainText(text)

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
        inner = QWidget(self)
        for panel in (self.network, self.node, self.several, self.note):
            self._stack.addWidget(panel)
        vbox(self._stack, owner=inner, margins=SPACE.l)
        scrolled(self, inner)
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(self.tr("Settings of the selected layer"))
        for signal in (drawing.changed, drawing.selected, drawing.examined):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the current selection."""
        drawing = self._drawing
        ids, notes = drawing.nodes(), drawing.notes()
        panel: QWidget = self.network
        if len(ids) == 1:
            self.node.show_node(drawing.spec.node(ids[0]))
            panel = self.node
        elif ids:
            nodes = {node.id: node for node in drawing.spec.nodes}
            self.several.show_nodes([nodes[key] for key in ids])
            panel = self.several
        elif len(notes) == 1:
            self.note.show_note(notes[0])
            panel = self.note
        else:
            self.network.show_network()
        if self._stack.currentWidget() is not panel:
            self._stack.setCurrentWidget(panel)
            self.verticalScrollBar().setValue(0)

    def edit_note(self) -> None:
        """Focus the text of the selected note."""
        self.note.text.setFocus()
