"""Inspector of one layer: its settings, its figures, and what training does with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.engine.errors import Problem
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import LayerNode, LayerReport, NodeProblem
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.forms.plan_form import PlanForm
from studio.ui.forms.switch import Switch
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.facts import Facts, Row, large, memory_text, shapes_text
from studio.ui.pages.networks.designer.items import (
    family_color,
    family_of,
    layer_pixmap,
    size_text,
    word,
)
from studio.ui.pages.networks.designer.wiring import CLASSES
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.tips import explain

_tr = partial(QCoreApplication.translate, "NodePanel")

FASTEST = 1000.0


def form_layout(parent: QWidget) -> QFormLayout:
    """Rows of label and field as all of the inspector has them."""
    layout = QFormLayout(parent)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(SPACE.m)
    layout.setVerticalSpacing(SPACE.s)
    layout.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return layout


def label_for(text: str, field: QWidget) -> QLabel:
    """A label that names its field, also for screen readers."""
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
        self.frozen.setToolTip(
            self.tr("Training leaves the weights alone; batch normalization keeps its statistics.")
        )
        self.rate.setToolTip(
            self.tr("Factor of the learning rate: 0.1 lets these layers learn ten times slower.")
        )
        self.block.setToolTip(self.tr("Layers of the same block are framed, and folded together."))
        self.block.setPlaceholderText(self.tr("none"))
        layout = form_layout(self)
        layout.addRow(label_for(self.tr("Frozen"), self.frozen), self.frozen)
        layout.addRow(label_for(self.tr("Rate factor"), self.rate), self.rate)
        layout.addRow(label_for(self.tr("Block"), self.block), self.block)
        self.frozen.clicked.connect(self._freeze)
        self.rate.editingFinished.connect(self._set_rate)
        self.block.editingFinished.connect(self._set_block)

    def show_nodes(self, nodes: Sequence[LayerNode]) -> None:
        """Show what some layers have in common."""
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
        self._form_place = QVBoxLayout()
        self.facts = Facts(self)
        self.training = TrainingFields(drawing, theme, self)
        self.end_button = push_button(self.tr("End the network here"), theme, parent=self)
        self._lay_out()
        self.name.editingFinished.connect(self._rename)
        self.end_button.clicked.connect(self._end_here)
        theme.changed.connect(self._paint_chip)
        explain(self.end_button, self.tr("Makes the output of this layer that of the network."))

    def show_node(self, node: LayerNode) -> None:
        """Show a layer, as it and its figures are now."""
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
            self._help.show_text(self.tr("Studio does not know this layer."), "problem")
            return
        layer = LAYERS[node.layer]
        self._kind.setText(word(layer.label))
        self._help.show_text(word(layer.summary))
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
        self._form_place.addWidget(form)
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
        self.facts.show_rows(node_rows(report) if report else [], stale=self._drawing.is_stale)
        problems = [
            problem
            for problem in (examination.problems if examination else ())
            if problem.node == node.id
        ]
        self._show_problems(problems)

    def _show_problems(self, problems: list[NodeProblem]) -> None:
        shown = set(self.form.names()) if self.form else set()
        rest = [problem for problem in problems if problem.parameter not in shown]
        words = " ".join(
            f"{problem.message[:1].upper()}{problem.message[1:]} {problem.hint}"
            for problem in rest
        )
        serious = any(problem.serious for problem in rest)
        self._trouble.show_text(words.strip(), "problem" if serious else "advice")
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
        vbox(
            top,
            self._help,
            self.name,
            self._trouble,
            self._form_place,
            self.facts,
            self.training,
            self.end_button,
            STRETCH,
            owner=self,
            spacing=SPACE.m,
        )

    def _paint_chip(self) -> None:
        if self._node is None:
            return
        family = family_of(self._node)
        color = family_color(family, self._theme).name()
        self._chip.setStyleSheet(f"background: {color}; border-radius: 6px; padding: 6px;")
        self._chip.setScaledContents(True)
        self._chip.setPixmap(layer_pixmap(f"layer-{family}", self._theme))


def node_rows(report: LayerReport) -> list[Row]:
    """The figures of a layer."""
    tall, wide = report.receptive_field
    return [
        (_tr("Shape in"), shapes_text(report.input_shapes), _tr("What comes in")),
        (_tr("Shape out"), size_text(report.output_shape), _tr("What goes out")),
        (
            _tr("Parameters"),
            count(report.parameters),
            _tr("Number of weights of this layer"),
        ),
        (
            _tr("Multiply-adds"),
            large(report.multiply_adds),
            _tr("Work for one image"),
        ),
        (
            _tr("Output memory"),
            memory_text(report.memory),
            _tr("Of one image in 32 bits; training keeps it for every image of a batch"),
        ),
        (
            _tr("Receptive field"),
            f"{tall} × {wide} px",
            _tr("The part of the image on which one value of the output depends"),
        ),
    ]
