"""What is known of one network, what it costs for the images at hand, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.engine.networks.catalog import Entry, Shape
from studio.engine.networks.spec import Examination
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.networks.sketch import Drawing, Sketch
from studio.ui.pages.networks.weights_row import WeightsRow
from studio.ui.shared.network_names import entry_name
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count, large, size
from studio.ui.widgets.hint_label import HintLabel


class NetworkDetails(Card):
    """The panel at the right of the gallery.

    Signals:
        train_wanted: Plan a run with it.
        open_wanted: Open it in the designer.
        rename_wanted: Another name for a drawing.
        delete_wanted: Move a drawing to the trash.
    """

    train_wanted = Signal()
    open_wanted = Signal()
    rename_wanted = Signal(str)
    delete_wanted = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        theme = context.theme
        self.entry: Entry | None = None
        self.sketch = Sketch(theme, self)
        self._name = QLabel(self)
        self._name.setProperty("role", "section")
        self.rename_edit = QLineEdit(self)
        self.rename_edit.setAccessibleName(self.tr("Name of the network"))
        self._summary = QLabel(self)
        self._paper = QLabel(self)
        self._paper.setProperty("role", "caption")
        for label in (self._name, self._summary, self._paper):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._for = QLabel(self)
        self._for.setProperty("role", "muted")
        self._for.setWordWrap(True)
        self._figures = {name: QLabel(self) for name in ("parameters", "adds", "memory", "layers")}
        self.weights = WeightsRow(context, self)
        self.why_not = HintLabel("", "advice", self)
        self.train_button = push_button(
            self.tr("Train this"), theme, kind="primary", icon="play", parent=self
        )
        self.open_button = push_button(self.tr("Open drawing"), theme, icon="edit", parent=self)
        self.delete_button = push_button(
            self.tr("Delete"), theme, kind="quiet", icon="trash", parent=self
        )
        self._lay_out()
        self.train_button.clicked.connect(self.train_wanted)
        self.open_button.clicked.connect(self.open_wanted)
        self.delete_button.clicked.connect(self.delete_wanted)
        self.rename_edit.editingFinished.connect(self._on_renamed)
        self._explain()

    def _explain(self) -> None:
        explain(
            self.delete_button,
            self.tr("Moves the drawing to the trash; runs that used it keep theirs."),
        )
        explain(
            self.open_button,
            self.tr("Shows all layers in the designer, where you can change them."),
        )
        explain(self.rename_edit, self.tr("How your drawing is called from now on."))
        explain(self.train_button, self.tr("Plans a run with this network."))

    def show_entry(self, entry: Entry) -> None:
        """Show another network; its figures come later."""
        self.entry = entry
        own = entry.drawing is not None
        name = entry_name(entry)
        title = name if entry.year is None else f"{name} ({entry.year})"
        self._name.setText(title)
        self._name.setVisible(not own)
        self.rename_edit.setVisible(own)
        self.rename_edit.setText(entry.label)
        self._summary.setText(engine_text(entry.summary) or self.tr("A network of your own."))
        self._paper.setText(entry.paper)
        self._paper.setVisible(bool(entry.paper))
        self.delete_button.setVisible(own)
        self.weights.show_backbone(entry.backbone)
        self.setAccessibleName(name)
        self.show_report(None)

    def set_drawing(self, drawing: Drawing | None) -> None:
        """Show the small picture."""
        self.sketch.set_drawing(drawing)

    def show_size(self, shape: Shape, outputs: str, dataset: str, why_not: str) -> None:
        """Say for which images the figures are, and whether it takes them.

        Args:
            shape: Height, width and channels of the images.
            outputs: What is told apart or measured, such as "10 classes".
            dataset: Name of the dataset; empty for none.
            why_not: Why the network does not take them; empty if it does.
        """
        height, width, channels = shape
        color = self.tr("color") if channels == 3 else self.tr("gray")
        text = self.tr("For {width} × {height} pixels in {color} and {outputs}").format(
            width=width, height=height, color=color, outputs=outputs
        )
        if dataset:
            text += " " + self.tr("(“{dataset}”)").format(dataset=dataset)
        self._for.setText(text)
        self.why_not.show_text(why_not, "advice")
        self.train_button.setEnabled(not why_not)
        self.train_button.setToolTip(why_not)

    def show_report(self, report: Examination | None) -> None:
        """Show what it costs; None while that is not known."""
        network = report.network if report is not None and report.works else None
        texts = dict.fromkeys(self._figures, "–")
        if network is not None:
            texts = {
                "parameters": count(network.parameters),
                "adds": large(network.multiply_adds),
                "memory": size(network.memory),
                "layers": count(len([layer for layer in network.layers if layer.used])),
            }
        for name, text in texts.items():
            self._figures[name].setText(text)

    def figure(self, name: str) -> str:
        """A figure as it is shown: `parameters`, `adds`, `memory` or `layers`."""
        return self._figures[name].text()

    def _lay_out(self) -> None:
        figures = QFormLayout()
        figures.setHorizontalSpacing(SPACE.l)
        figures.setVerticalSpacing(SPACE.xs)
        names = {
            "parameters": self.tr("Parameters"),
            "adds": self.tr("Multiply-adds"),
            "memory": self.tr("Memory per image"),
            "layers": self.tr("Layers"),
        }
        for name, word in names.items():
            label = QLabel(word, self)
            label.setProperty("role", "muted")
            figures.addRow(label, self._figures[name])
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE.s)
        buttons.addWidget(self.open_button)
        buttons.addStretch(1)
        buttons.addWidget(self.delete_button)
        words = QVBoxLayout()
        words.setSpacing(SPACE.s)
        for widget in (self._name, self.rename_edit, self._summary, self._paper):
            words.addWidget(widget)
        self.body.addWidget(self.sketch)
        self.body.addLayout(words)
        self.body.addWidget(self._for)
        self.body.addLayout(figures)
        self.body.addWidget(self.weights)
        self.body.addWidget(self.why_not)
        self.body.addWidget(self.train_button)
        self.body.addLayout(buttons)
        self.body.addStretch(1)

    def _on_renamed(self) -> None:
        text = self.rename_edit.text().strip()
        if self.entry is not None and text and text != self.entry.label:
            self.rename_wanted.emit(text)
