"""One picture, seen from inside: what the answer depends on, and every layer at work."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.questions import LayerOutline
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.shared.heat_overlay import HeatOverlay
from studio.ui.shared.layers_view import LayersView
from studio.ui.shared.similar_images import SimilarImages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain


class PicturePanel(QWidget):
    """Heat map at the left, layers at the right.

    Signals:
        open_wanted: Choose a picture by a file dialog.
    """

    open_wanted = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choice: RunChoice | None = None
        self._path: Path | None = None
        self._looked: tuple[str, Path] | None = None
        self.empty = EmptyState(
            context.theme,
            "image",
            self.tr("Choose a picture"),
            self.tr(
                "Drop one here, or open one. On the map, click a point or double click a selected "
                "image."
            ),
            self,
        )
        self.empty_button = self.empty.add_action(self.tr("Open a picture…"), kind="primary")
        self.title = ElidedLabel("", self)
        self.open_button = push_button(
            self.tr("Open…"), context.theme, kind="quiet", icon="folder-open", parent=self
        )
        self.heat = HeatOverlay(context, self)
        self.similar = SimilarImages(context, self)
        self.layers = LayersView(context, self)
        self._stack = PageStack(self)
        self._lay_out()
        for button in (self.empty_button, self.open_button):
            button.clicked.connect(self._on_open)
        self.layers.chosen.connect(self._on_layer)
        explain(
            self.empty_button,
            self.tr("Shows what each layer makes of a picture, and which parts decide."),
        )
        explain(self.open_button, self.tr("Looks into another picture."))

    @property
    def path(self) -> Path | None:
        """The picture that is looked at."""
        return self._path

    def show_run(self, choice: RunChoice | None) -> None:
        """Look through another model."""
        if choice is None or self._choice is None or choice.id != self._choice.id:
            self._looked = None
            recipe = None if choice is None else choice.recipe
            task = DEFAULT_TASK if recipe is None else TASKS[recipe.task]
            self.heat.set_model(are_numbers=task.activation == "linear")
            self.similar.show_picture(None, None)
            self.layers.clear()
        self._choice = choice
        self._look()

    def show_picture(self, path: Path, label: str = "") -> None:
        """Look at another picture; `label` is its class or targets where they are known."""
        self._path = path
        words = self.tr("{name} ({label})").format(name=path.name, label=label)
        self.title.setText(words if label else path.name)
        self._stack.setCurrentIndex(1)
        self._look()

    def showEvent(self, event: QShowEvent) -> None:
        """Nothing is asked before it can be seen."""
        super().showEvent(event)
        self._look()

    def _look(self) -> None:
        choice, path = self._choice, self._path
        if choice is None or path is None or not self.isVisible():
            return
        if self._looked == (choice.id, path):
            return
        is_other = self._looked is None or self._looked[0] != choice.id
        self._looked = choice.id, path
        model = partial(_source, self._context.workspace, choice)
        self.heat.explain(model, path)
        self.similar.show_picture(choice, path)
        self.layers.look(model, path, is_other_model=is_other)

    def _on_layer(self, layer: LayerOutline) -> None:
        """The heat map of the layer that is looked at, where it gives maps."""
        choice, path = self._choice, self._path
        answer = self.heat.answer
        seen = answer is None or answer.layer in ("", layer.path)
        if choice is not None and path is not None and layer.has_map and not seen:
            self.heat.explain(
                partial(_source, self._context.workspace, choice), path, layer=layer.path
            )

    def _on_open(self) -> None:
        self.open_wanted.emit()

    def _lay_out(self) -> None:
        left, right = Card("", self), Card("", self)
        left.setAccessibleName(self.tr("Heat map"))
        right.setAccessibleName(self.tr("Layers"))
        bar = QHBoxLayout()
        bar.setSpacing(SPACE.s)
        bar.addWidget(self.title, 1)
        bar.addWidget(self.similar.button)
        bar.addWidget(self.open_button)
        left.body.addLayout(bar)
        left.body.addWidget(self.heat, 1)
        left.body.addWidget(self.similar)
        right.body.addWidget(self.layers, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.addWidget(left)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(0, 2)
        self.splitter.setStretchFactor(1, 3)
        self.splitter.setChildrenCollapsible(False)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.splitter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.m, 0, 0)
        column.addWidget(self._stack)


def _source(workspace: Workspace, choice: RunChoice) -> ModelSource:
    return model_of_run(workspace, Record(RecordKind.RUN, choice.folder))
