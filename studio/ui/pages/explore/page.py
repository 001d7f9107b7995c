"""The view: model chooser on top; a map of the images, and single pictures, in tabs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QTabWidget, QWidget

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.questions import LayerOutline, Outline, OutlineRequest
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.bridge.background import Asker
from studio.ui.bridge.run_choices import RunChoice, task_of
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.explore.maps import MapPanel
from studio.ui.pages.explore.picture import HeatOverlay, LayersView
from studio.ui.pages.page import Page
from studio.ui.shared.similar_images import SimilarImages
from studio.ui.shared.training import train_first
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import Splitter, fill, hbox, vbox
from studio.ui.widgets.pages import ContentStack, EmptyState, PageHeader, PageStack
from studio.ui.widgets.tips import explain

CHOICE_KEY: Final = "inside/run"
FOLDER_KEY: Final = "inside"


class View(Page):
    """Map of the images of a network, and why it predicts a picture as it does."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.header = PageHeader(self.tr("Explore"), "", self)
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.header.add_action(self.chooser)
        self.map = MapPanel(context, self)
        self.picture = PicturePanel(context, self)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(self.tr("Views of the network"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        self.tabs.addTab(self.map, self.tr("Map of images"))
        self.tabs.addTab(self.picture, self.tr("One picture"))
        then = self.tr(
            "Then see which images are similar to the network, and what its predictions depend on."
        )
        self.empty = train_first(context, "explore", then, self)
        self._stack = ContentStack(self.empty, self.tabs, self)
        self._outlined = ""
        self._outliner = Asker(context.background, context.engine, "outline", Outline, self)
        self._lay_out()
        self.chooser.changed.connect(self._refresh)
        context.jobs.loaded.connect(self._refresh)
        self.map.opened.connect(self._on_opened)
        for button in (self.picture.empty_button, self.picture.open_button):
            button.clicked.connect(self._on_open)
        self._outliner.answered.connect(self.map.form.show_layers)
        self._outliner.failed.connect(context.navigator.show_failure)
        self._refresh()
        explain(
            self.tabs.tabBar(), self.tr("All images as points, or one picture layer by layer.")
        )

    @property
    def needs_engine(self) -> bool:
        """True if there is a model to inspect."""
        return self.chooser.choice() is not None

    def show_record(self, record_id: str) -> None:
        """Use the model of that run, or show that map."""
        entry = self.context.jobs.get(RecordKind.EMBEDDING, record_id)
        model = getattr(entry.plan, "model", "") if entry is not None else record_id
        self.chooser.select(model.partition(":")[2].partition("@")[0] or record_id)
        self.tabs.setCurrentWidget(self.map)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return that one picture would be inspected."""
        choice = self.chooser.choice()
        if choice is None or len(paths) != 1 or paths[0].is_dir():
            return ""
        if paths[0].suffix.lower() not in IMAGE_SUFFIXES:
            return ""
        return self.tr("Inspect {name} with {model}").format(model=choice.name, name=paths[0].name)

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Inspect the first picture."""
        if paths:
            self._on_opened(paths[0], "")

    def _refresh(self) -> None:
        choice = self.chooser.choice()
        is_known = self.context.jobs.is_loaded
        self._stack.show_content(is_known=is_known, is_empty=choice is None)
        self.chooser.setVisible(choice is not None)
        self.map.show_run(choice)
        self.picture.show_run(choice)
        if choice is not None and choice.is_usable and choice.id != self._outlined:
            self._outlined = choice.id
            self._outliner.ask(partial(_outline_request, self.context.workspace, choice))

    def _on_opened(self, path: Path, label: str) -> None:
        self.picture.show_picture(path, label)
        self.tabs.setCurrentWidget(self.picture)

    def _on_open(self) -> None:
        endings = " ".join(f"*{suffix}" for suffix in sorted(IMAGE_SUFFIXES))
        name, _ = QFileDialog.getOpenFileName(
            self,
            self.tr("Choose a picture"),
            str(self.context.settings.folder(FOLDER_KEY)),
            self.tr("Pictures ({endings});;All files (*)").format(endings=endings),
        )
        if name:
            self.context.settings.set_folder(FOLDER_KEY, Path(name).parent)
            self._on_opened(Path(name), "")

    def _lay_out(self) -> None:
        vbox(self.header, (self._stack, 1), owner=self, spacing=SPACE.m, margins=SPACE.xl)


class PicturePanel(QWidget):
    """One picture: the heat map at the left, the outputs of all layers at the right.

    Attributes:
        path: File of the picture.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choice: RunChoice | None = None
        self.path: Path | None = None
        self._inspected: tuple[str, Path] | None = None
        how = self.tr(
            "Drop one here, or open one. On the map, click a point or double click a selected "
            "image."
        )
        self.empty = EmptyState(context.theme, "image", self.tr("Choose a picture"), how, self)
        self.empty_button = self.empty.add_action(self.tr("Open a picture…"), kind="primary")
        self.title = ElidedLabel("", self)
        self.open_button = push_button(
            self.tr("Open…"), context.theme, kind="quiet", icon="folder-open", parent=self
        )
        self.heat = HeatOverlay(context, self)
        self.similar = SimilarImages(context, self)
        self.layers = LayersView(context, self)
        self._lay_out()
        self.layers.chosen.connect(self._on_layer)
        shows = self.tr(
            "Shows the activations of each layer for a picture, and the areas that the prediction "
            "depends on."
        )
        explain(self.empty_button, shows)
        explain(self.open_button, self.tr("Inspects another picture."))

    def show_run(self, choice: RunChoice | None) -> None:
        """Inspect with another model."""
        if choice is None or self._choice is None or choice.id != self._choice.id:
            self._inspected = None
            self.heat.set_model(are_numbers=task_of(choice).activation == "linear")
            self.similar.show_picture(None, None)
            self.layers.clear()
        self._choice = choice
        self._inspect()

    def show_picture(self, path: Path, label: str = "") -> None:
        """Inspect another picture; `label` is its class or targets where they are known."""
        self.path = path
        text = self.tr("{name} ({label})").format(name=path.name, label=label)
        self.title.setText(text if label else path.name)
        self._stack.setCurrentIndex(1)
        self._inspect()

    def showEvent(self, event: QShowEvent) -> None:
        """Compute the heat map and the layers once they are visible."""
        super().showEvent(event)
        self._inspect()

    def _inspect(self) -> None:
        choice, path = self._choice, self.path
        if choice is None or path is None or not self.isVisible():
            return
        if self._inspected == (choice.id, path):
            return
        is_other = self._inspected is None or self._inspected[0] != choice.id
        self._inspected = choice.id, path
        model = partial(_source, self._context.workspace, choice)
        self.heat.explain(model, path)
        self.similar.show_picture(choice, path)
        self.layers.inspect(model, path, is_other_model=is_other)

    def _on_layer(self, layer: LayerOutline) -> None:
        """Draw the heat map of the chosen layer, where it has one."""
        choice, path = self._choice, self.path
        answer = self.heat.answer
        is_shown = answer is None or answer.layer in ("", layer.path)
        if choice is not None and path is not None and layer.has_map and not is_shown:
            self.heat.explain(
                partial(_source, self._context.workspace, choice), path, layer=layer.path
            )

    def _lay_out(self) -> None:
        left, right = Card("", self), Card("", self)
        left.setAccessibleName(self.tr("Heat map"))
        right.setAccessibleName(self.tr("Layers"))
        bar = hbox((self.title, 1), self.similar.button, self.open_button, spacing=SPACE.s)
        fill(left.body, bar, (self.heat, 1), self.similar)
        right.body.addWidget(self.layers, 1)
        across = Qt.Orientation.Horizontal
        self.splitter = Splitter(self._context.settings, "explore/splitter", across, self)
        self.splitter.split((left, 2, 400), (right, 3, 600))
        self._stack = PageStack(self, self.empty, self.splitter)
        vbox(self._stack, owner=self, margins=(0, SPACE.m, 0, 0))


def _source(workspace: Workspace, choice: RunChoice) -> ModelSource:
    return model_of_run(workspace, Record(RecordKind.RUN, choice.folder))


def _outline_request(workspace: Workspace, choice: RunChoice) -> OutlineRequest:
    return OutlineRequest(model=_source(workspace, choice))
