"""What is known of one network, what it costs for the images at hand, and what can be done."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.questions import weight_source
from studio.engine.networks.catalog import Entry, Shape
from studio.engine.networks.pretrained.cache import CachedWeights, WeightCache, WeightSource
from studio.engine.networks.spec import Examination
from studio.engine.progress import Cancelled
from studio.ui.bridge.background import WindowProgress
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.networks.gallery import Drawing, Sketch
from studio.ui.shared.jobs import show_stopping
from studio.ui.shared.training import entry_name
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, large, size
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.tips import explain


class WeightsRow(QWidget):
    """What there is of one backbone's weights, and a button for the rest."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._name = ""
        # What is being downloaded, which need not be what is shown.
        self._coming = ""
        self._download: WindowProgress | None = None
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.problem = HintLabel("", "problem", self)
        self.bar = ThinBar(context.theme, self)
        self.get_button = push_button(
            self.tr("Download"), context.theme, icon="download", parent=self
        )
        self.delete_button = push_button(
            self.tr("Delete weights"), context.theme, kind="quiet", icon="trash", parent=self
        )
        self.cancel_button = push_button(
            self.tr("Cancel"), context.theme, kind="quiet", icon="stop", parent=self
        )
        buttons = hbox(
            self.get_button, self.cancel_button, self.delete_button, STRETCH, spacing=SPACE.s
        )
        vbox(self.text, self.bar, self.problem, buttons, owner=self, spacing=SPACE.s)
        self.get_button.clicked.connect(self._on_get)
        self.cancel_button.clicked.connect(self._on_cancel)
        self.delete_button.clicked.connect(self._on_delete)
        context.background.closing.connect(self._on_cancel)
        self._explain()

    def _explain(self) -> None:
        explain(self.cancel_button, self.tr("Stops the download; it begins anew the next time."))
        explain(
            self.delete_button,
            self.tr("Gives back their space on the disk; they can be downloaded again."),
        )
        explain(
            self.get_button,
            self.tr(
                "Fetches what the network learned from ImageNet, so that few images are enough."
            ),
        )

    def show_backbone(self, name: str) -> None:
        """Show a backbone; an empty name hides the row."""
        self.setVisible(bool(name))
        if name == self._name:
            return
        self._name = name
        self.problem.show_text("")
        self._show(None)
        if name:
            self._look()

    def _look(self) -> None:
        work = partial(_find, self._name)
        self._context.background.run(self, work, partial(self._on_found, self._name))

    def _on_found(self, name: str, there: CachedWeights | None) -> None:
        if name == self._name:
            self._show(there)

    def _show(self, there: CachedWeights | None) -> None:
        is_coming = self._download is not None and self._coming == self._name
        is_busy = self._download is not None and not is_coming
        if there is not None:
            text = self.tr("ImageNet weights: {size} on this computer").format(
                size=size(there.size)
            )
        elif is_coming:
            text = self.tr("ImageNet weights are being downloaded")
        else:
            text = self.tr("ImageNet weights: not on this computer; training downloads them")
        self.text.setText(text)
        self.bar.setVisible(is_coming)
        self.cancel_button.setVisible(is_coming)
        self.get_button.setVisible(there is None and not is_coming)
        self.get_button.setEnabled(not is_busy)
        self.get_button.setToolTip(self.tr("Another download is under way.") if is_busy else "")
        self.delete_button.setVisible(there is not None)

    def _on_get(self) -> None:
        self._coming = self._name
        self._download = WindowProgress(self)
        self._download.advanced.connect(self._on_advanced)
        self.bar.set_fraction(None)
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setEnabled(True)
        self.problem.show_text("")
        self._show(None)
        ask = partial(weight_source, self._context.engine, self._name)
        self._context.background.run(self, ask, self._follow, self._on_failed)

    def _follow(self, answer: Future[WeightSource]) -> None:
        self._context.background.follow(self, answer, self._fetch, self._on_failed)

    def _fetch(self, source: WeightSource) -> None:
        if self._download is not None:
            work = partial(_fetch, source, self._download)
            self._context.background.run(self, work, self._on_there, self._on_failed)

    def _on_advanced(self, done: int, total: int, _what: str) -> None:
        self.bar.set_fraction(done / total if total else None)

    def _on_there(self, _nothing: object) -> None:
        self._download = None
        self._look()

    def _on_failed(self, error: BaseException) -> None:
        self._download = None
        self._look()
        if isinstance(error, StudioError):
            self.problem.show_text(str(error), "problem")
        elif not isinstance(error, Cancelled):
            self._context.navigator.show_failure(error)

    def _on_cancel(self) -> None:
        if self._download is not None:
            self._download.cancel()
            show_stopping(self.cancel_button)

    def _on_delete(self) -> None:
        work = partial(_delete, self._name)
        self._context.background.run(self, work, self._on_there)


def _find(name: str) -> CachedWeights | None:
    return next((entry for entry in WeightCache().entries() if entry.name == name), None)


def _fetch(source: WeightSource, download: WindowProgress) -> None:
    WeightCache().fetch(source, download)


def _delete(name: str) -> None:
    WeightCache().delete(name)


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
        self._name = text_label("", "section", self)
        self.rename_edit = QLineEdit(self)
        self.rename_edit.setAccessibleName(self.tr("Name of the network"))
        self._summary = QLabel(self)
        self._paper = text_label("", "caption", self)
        for label in (self._name, self._summary, self._paper):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._for = text_label("", "muted", self, wraps=True)
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
            label = text_label(word, "muted", self)
            figures.addRow(label, self._figures[name])
        buttons = hbox(self.open_button, STRETCH, self.delete_button, spacing=SPACE.s)
        words = vbox(self._name, self.rename_edit, self._summary, self._paper, spacing=SPACE.s)
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
