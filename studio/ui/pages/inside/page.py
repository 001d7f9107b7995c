"""The view: model chooser on top; a map of the images, and single pictures, in tabs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QFileDialog, QTabWidget, QVBoxLayout, QWidget

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.inference.models import model_of_run
from studio.engine.inference.questions import Outline, OutlineRequest
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.bridge.background import Asker
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.inside.map_panel import MapPanel
from studio.ui.pages.inside.picture_panel import PicturePanel
from studio.ui.pages.page import Page
from studio.ui.shared.training import train_first
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.pages import PageHeader, PageStack
from studio.ui.widgets.tips import explain

CHOICE_KEY: Final = "inside/run"
FOLDER_KEY: Final = "inside"


class View(Page):
    """What a network makes of its images, and why it answers as it does."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.header = PageHeader(self.tr("Inside"), "", self)
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.header.add_action(self.chooser)
        self.map = MapPanel(context, self)
        self.picture = PicturePanel(context, self)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(self.tr("Ways to look inside"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        self.tabs.addTab(self.map, self.tr("Map of images"))
        self.tabs.addTab(self.picture, self.tr("One picture"))
        self.empty = train_first(
            context,
            "inside",
            self.tr("Then see which images it finds alike, and what its answers depend on."),
            self,
        )
        self._unknown = QWidget(self)
        self._stack = PageStack(self)
        self._outlined = ""
        self._outliner = Asker(context.background, context.engine, "outline", Outline, self)
        self._lay_out()
        self.chooser.changed.connect(self._on_model)
        context.jobs.loaded.connect(self._refresh)
        self.map.opened.connect(self._on_opened)
        self.picture.open_wanted.connect(self._on_open)
        self._outliner.answered.connect(self.map.show_outline)
        self._outliner.failed.connect(context.navigator.show_failure)
        self._refresh()
        explain(
            self.tabs.tabBar(), self.tr("All images as points, or one picture layer by layer.")
        )

    @property
    def needs_engine(self) -> bool:
        """True if there is a model to look into."""
        return self.chooser.choice() is not None

    def show_record(self, record_id: str) -> None:
        """Use the model of that run, or show that map."""
        entry = self.context.jobs.get(RecordKind.EMBEDDING, record_id)
        model = getattr(entry.plan, "model", "") if entry is not None else record_id
        self.chooser.select(model.partition(":")[2].partition("@")[0] or record_id)
        self.tabs.setCurrentWidget(self.map)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Say that one picture would be looked into."""
        choice = self.chooser.choice()
        if choice is None or len(paths) != 1 or paths[0].is_dir():
            return ""
        if paths[0].suffix.lower() not in IMAGE_SUFFIXES:
            return ""
        return self.tr("See what {model} makes of {name}").format(
            model=choice.name, name=paths[0].name
        )

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Look at the first picture."""
        if paths:
            self._on_opened(paths[0], "")

    def _refresh(self) -> None:
        choice = self.chooser.choice()
        if not self.context.jobs.is_loaded:
            self._stack.setCurrentWidget(self._unknown)
        else:
            self._stack.setCurrentWidget(self.empty if choice is None else self.tabs)
        self.chooser.setVisible(choice is not None)
        self.map.show_run(choice)
        self.picture.show_run(choice)
        if choice is not None and choice.is_usable and choice.id != self._outlined:
            self._outlined = choice.id
            self._outliner.ask(partial(_outline_request, self.context.workspace, choice))

    def _on_model(self, _choice: RunChoice | None) -> None:
        self._refresh()

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
        for widget in (self._unknown, self.empty, self.tabs):
            self._stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.m)
        column.addWidget(self.header)
        column.addWidget(self._stack, 1)


def _outline_request(workspace: Workspace, choice: RunChoice) -> OutlineRequest:
    return OutlineRequest(model=model_of_run(workspace, Record(RecordKind.RUN, choice.folder)))
