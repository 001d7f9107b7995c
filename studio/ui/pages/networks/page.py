"""The networks page: the gallery with the details of one network, and the designer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.networks.catalog import (
    DEFAULT_CLASSES,
    Entry,
    Shape,
    own_entries,
    zoo_entries,
)
from studio.engine.networks.drafts import FOLDER as DRAFTS
from studio.engine.networks.fitting import ending_for
from studio.engine.networks.library import SavedNetwork, rename, saved
from studio.engine.networks.spec import Examination, NetworkSpec
from studio.engine.networks.zoo.network import zoo_name_of
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task
from studio.engine.workspace import Record, RecordKind
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.navigation import ChooseNetworkFile, DrawNetwork, OpenPage, OpenRecord, PlanRun
from studio.ui.pages.networks.designer.files import FILES, StoredNetwork, ask_network_file, store
from studio.ui.pages.networks.designer.reporting import DrawingExaminer
from studio.ui.pages.networks.gallery import CardDrawing, Gallery, NetworkDetails, draw
from studio.ui.pages.page import Page
from studio.ui.shared.records import Trash
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.layout import STRETCH, fill, hbox, vbox
from studio.ui.widgets.pages import PageHeader, PageStack, ScrollColumn

if TYPE_CHECKING:
    from studio.ui.pages.networks.designer.designer import Designer, DesignerState
    from studio.ui.pages.networks.library import LibraryPane


class ImagesAtHand(QObject):
    """Follows the datasets of the workspace.

    Attributes:
        dataset: Name of the dataset; empty if there is none.
        shape: Height, width and channels of its images; None if there is none.
        classes: Number of its classes, labels or quantities.
        task: Task of the dataset.

    Signals:
        changed: Another dataset was selected, or none.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self.dataset = ""
        self.shape: Shape | None = None
        self.classes = DEFAULT_CLASSES
        self.task = DEFAULT_TASK
        self._context = context
        context.jobs.listed.connect(self._on_listed)

    def inspect(self) -> None:
        """Read the newest dataset."""
        entries = self._context.jobs.entries(RecordKind.DATASET)
        newest = next((entry for entry in entries if entry.state == State.COMPLETED), None)
        if newest is None:
            self._take("", None, DEFAULT_CLASSES, DEFAULT_TASK)
            return
        work = partial(dataset_summary, newest.record.folder)
        self._context.background.run(self, work, partial(self._on_summary, newest.name))

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self.inspect()

    def _on_summary(self, name: str, summary: DatasetSummary) -> None:
        self._take(name, summary.shape, len(summary.classes), TASKS[summary.task])

    def _take(self, dataset: str, shape: Shape | None, classes: int, task: Task) -> None:
        found = (dataset, shape, classes, task)
        if found != (self.dataset, self.shape, self.classes, self.task):
            self.dataset, self.shape, self.classes, self.task = found
            self.changed.emit()


def _has_drafts(context: AppContext) -> bool:
    return any((context.workspace.root / DRAFTS).glob("*.json"))


DETAILS_WIDTH: Final = 344


@dataclass(frozen=True, slots=True)
class NetworksState:
    """State of the page that outlives its window.

    Attributes:
        designer: Drawings of the designer.
        is_open: True if the designer is shown, not the gallery.
    """

    designer: DesignerState
    is_open: bool


class View(Page):
    """Choose, inspect or draw a network."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._entries: dict[str, Entry] = {}
        self._drawings: dict[str, CardDrawing] = {}
        self._reports: dict[str, Examination] = {}
        self._asked: NetworkSpec | None = None
        self._current = ""
        self._requested = ""
        self._opens_requested = False
        self._weights = ""
        theme = context.theme
        text = self.tr("From papers, pretrained on millions of images, or drawn by you.")
        self.header = PageHeader(self.tr("Networks"), text, self)
        button = partial(push_button, theme=theme, parent=self)
        text, tip = self.tr("Draw a network"), self.tr("Opens an empty drawing in the designer.")
        self.draw_button = button(text, icon="plus", tip=tip, on_click=self._on_draw)
        tip = self.tr("Opens a drawing, or a Keras model, in the designer.")
        text = self.tr("Open a file…")
        self.file_button = button(text, icon="folder-open", tip=tip, on_click=self._on_file)
        tip = self.tr("Shows all pretrained models with their licenses and files.")
        text = self.tr("Library")
        self.library_button = button(text, icon="download", tip=tip, on_click=self._on_library)
        self.gallery = Gallery(context.theme, self)
        self.details = NetworkDetails(context, self)
        self._records: dict[str, Record] = {}
        self._trash = Trash(context, self)
        self._images = ImagesAtHand(context, self)
        self._examiner = DrawingExaminer(context.engine, context.background, self)
        self._stack = PageStack(self)
        self._lay_out()
        self._connect()
        self._refresh()
        self._images.inspect()
        context.background.run(self, partial(_has_drafts, context), self._on_drafts)

    @cached_property
    def designer(self) -> Designer:
        """The designer, loaded and built when it is first needed: that takes 250 ms."""
        from studio.ui.pages.networks.designer.designer import Designer  # noqa: PLC0415

        designer = Designer(self.context, self)
        self._set_data(designer)
        designer.saved.connect(self._refresh)
        designer.left.connect(self._on_left)
        designer.train_asked.connect(self._on_train_drawing)
        self._stack.addWidget(designer)
        return designer

    @cached_property
    def library(self) -> LibraryPane:
        """The library of pretrained models, built when it is first opened."""
        from studio.ui.pages.networks.library import LibraryPane  # noqa: PLC0415

        pane = LibraryPane(self.context, self)
        pane.left.connect(self._on_left)
        pane.network_asked.connect(self._on_network_of_library)
        pane.run_asked.connect(self._on_run_of_library)
        pane.network_made.connect(self._open_file)
        self._stack.addWidget(pane)
        return pane

    @property
    def current_record(self) -> str:
        """Name of the network that is shown; empty for none."""
        return self._current

    def state(self) -> NetworksState | None:
        """Return the drawings of the designer; None if it was not opened."""
        if "designer" not in vars(self):
            return None
        is_open = self._stack.currentWidget() is self.designer
        return NetworksState(self.designer.state(), is_open)

    def restore(self, state: object) -> None:
        """Continue with the drawings of an earlier window."""
        if isinstance(state, NetworksState):
            self.designer.restore(state.designer)
            if state.is_open:
                self._stack.setCurrentWidget(self.designer)

    def open(self, intent: OpenPage) -> None:
        """Open the designer, with a network, an empty drawing, or what is in a file."""
        if isinstance(intent, ChooseNetworkFile):
            self._on_file()
        elif isinstance(intent, DrawNetwork) and intent.network:
            self._show_when_known(intent.network, opens=True)
        elif isinstance(intent, DrawNetwork):
            self._on_draw()
        else:
            super().open(intent)

    def show_record(self, record_id: str) -> None:
        """Show a network by its name or id."""
        self._show_when_known(record_id)

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Return the offer to open a network or a Keras model."""
        if len(paths) == 1 and paths[0].suffix.lower() in FILES:
            return self.tr("Open the network in “{name}”").format(name=paths[0].name)
        return ""

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Open a dropped file in the designer."""
        if paths:
            self._open_file(paths[0])

    def _lay_out(self) -> None:
        self.header.add_action(self.library_button)
        self.header.add_action(self.file_button)
        self.header.add_action(self.draw_button)
        side = ScrollColumn(SPACE.m, self)
        fill(side.column, self.details, STRETCH)
        side.setFixedWidth(DETAILS_WIDTH)
        row = hbox((self.gallery, 1), side, spacing=SPACE.l)
        gallery = QWidget(self)
        # Its right edge is that of the card below, which leaves room for a scroll bar.
        bar = side.verticalScrollBar().sizeHint().width()
        self.header.setContentsMargins(0, 0, SPACE.s + bar, 0)
        margins = (SPACE.xl, SPACE.l, SPACE.l, 0)
        vbox(self.header, (row, 1), owner=gallery, spacing=SPACE.l, margins=margins)
        self._gallery_side = gallery
        self._stack.addWidget(gallery)
        vbox(self._stack, owner=self)

    def _connect(self) -> None:
        self._images.changed.connect(self._on_images)
        self.gallery.chosen.connect(self._choose)
        self.gallery.opened.connect(self._open)
        self.details.train_button.clicked.connect(self._on_train)
        self.details.open_button.clicked.connect(self._on_open)
        self.details.rename_requested.connect(self._on_rename)
        self.details.delete_button.clicked.connect(self._on_delete)
        self._trash.thrown.connect(self._on_thrown)
        self._trash.restored.connect(self._refresh)
        self._examiner.answered.connect(self._on_examined)
        self._examiner.failed.connect(self.context.navigator.show_failure)

    # What there is

    def _refresh(self, requested: str = "") -> None:
        """Read the saved networks again, and show `requested` if given."""
        if requested:
            self._requested, self._opens_requested = requested, False
        work = partial(saved, self.context.workspace)
        self.context.background.run(self, work, self._on_saved)

    def _on_saved(self, networks: list[SavedNetwork]) -> None:
        self._records = {network.id: network.record for network in networks}
        entries = [*own_entries(networks), *zoo_entries()]
        changed = [entry for entry in entries if self._entries.get(entry.name) != entry]
        self._entries = {entry.name: entry for entry in entries}
        self.gallery.set_entries(entries)
        self.context.background.run(self, partial(_sketches, changed), self._on_sketches)
        if self._current not in self._entries:
            self._current = ""
        self._show_requested()
        if not self._current and entries:
            self._choose(entries[0].name)

    def _on_sketches(self, drawings: dict[str, CardDrawing]) -> None:
        self._drawings |= drawings
        for name, drawing in drawings.items():
            self.gallery.set_drawing(name, drawing)
        self.details.sketch.set_drawing(self._drawings.get(self._current))

    def _show_when_known(self, name: str, *, opens: bool = False) -> None:
        self._requested, self._opens_requested = name, opens
        self._show_requested()

    def _show_requested(self) -> None:
        name = self._requested
        if name not in self._entries:
            return
        self._requested = ""
        self._choose(name)
        if self._opens_requested:
            self._open(name)

    def _on_images(self) -> None:
        if "designer" in vars(self):
            self._set_data(self.designer)
        self._show_current()

    def _set_data(self, designer: Designer) -> None:
        images = self._images
        if images.shape is not None:
            designer.set_data(images.shape, images.classes, images.task)

    def _on_drafts(self, are_there: bool) -> None:
        """Build the designer, which offers the drawings that were not saved."""
        if are_there:
            _ = self.designer

    # The library

    def _on_library(self) -> None:
        self._stack.setCurrentWidget(self.library)

    def _on_network_of_library(self, backbone: str) -> None:
        self._on_left()
        self._choose(zoo_name_of(backbone))

    def _on_run_of_library(self, run: str) -> None:
        self.context.navigator.open(OpenRecord("train", run))

    # One network

    def _choose(self, name: str) -> None:
        self._current = name
        self.gallery.set_current(name)
        self._show_current()

    def _show_current(self) -> None:
        entry = self._entries.get(self._current)
        self.details.setVisible(entry is not None)
        if entry is None:
            return
        if self.details.entry != entry:
            self.details.show_entry(entry)
        self.details.sketch.set_drawing(self._drawings.get(entry.name))
        shape, classes = self._size(entry)
        spec, why_not = entry.fitting(shape, classes)
        outputs = view_of(self._images.task).outputs(classes)
        if not self._is_for_images(entry):
            why_not = self.tr("It predicts {predictions}, but this dataset has {annotations}.")
            why_not = why_not.format(
                predictions=translated(entry.output.predictions),
                annotations=translated(self._images.task.output.predictions),
            )
        self.details.show_size(shape, outputs, self._images.dataset, why_not)
        if spec is not None and self._is_for_images(entry):
            spec = ending_for(spec, self._images.task)
        # Asked about the same network again, the examiner says nothing new.
        self.details.show_report(self._reports.get(entry.name) if spec == self._asked else None)
        self._asked = spec
        if spec is not None:
            self._examiner.inspect(spec)

    def _on_examined(self, report: Examination) -> None:
        if self._asked is not None and report.network.name == self._asked.name:
            self._reports = {self._current: report}
            self.details.show_report(report)

    def _is_for_images(self, entry: Entry) -> bool:
        """True if a network answers as the images at hand are annotated."""
        return entry.output in self._images.task.outputs

    def _size(self, entry: Entry) -> tuple[Shape, int]:
        return self._images.shape or entry.usual, self._images.classes

    def _on_open(self) -> None:
        self._open(self._current)

    def _open(self, name: str) -> None:
        entry = self._entries[name]
        shape, classes = self._size(entry)
        if entry.drawing is not None:
            self.designer.open(entry.drawing, entry.label, entry.name)
        else:
            try:
                spec = entry.spec(shape, classes)
            except StudioError:
                # It does not fit the images of the dataset but can still be opened.
                spec = entry.spec(entry.usual, classes)
            if self._is_for_images(entry):
                spec = ending_for(spec, self._images.task)
            self.designer.open(spec, entry.label)
        self._stack.setCurrentWidget(self.designer)

    def _on_draw(self) -> None:
        self.designer.open_new()
        self._stack.setCurrentWidget(self.designer)

    def _on_file(self) -> None:
        path = ask_network_file(self, self.context.settings)
        if path is not None:
            self._open_file(path)

    def _open_file(self, path: Path) -> None:
        self.designer.show_file(path)
        self._stack.setCurrentWidget(self.designer)

    def _on_left(self) -> None:
        self._stack.setCurrentWidget(self._gallery_side)
        self._refresh()

    # What can be done with it

    def _on_train(self) -> None:
        self.context.navigator.open(PlanRun(network=self._current))

    def _on_train_drawing(self) -> None:
        """Save a drawing if needed, and plan a run with it and the weights of its file."""
        self._weights = self.designer.weights_file
        if self.designer.record_id and not self.designer.is_dirty:
            self._plan_run(self.designer.record_id)
        else:
            work = partial(store, self.context.workspace, self.designer.drawing.document, "")
            self.context.background.run(self, work, self._on_stored)

    def _on_stored(self, network: StoredNetwork) -> None:
        self._plan_run(network.record_id)

    def _plan_run(self, record_id: str) -> None:
        self._refresh()
        self.context.navigator.open(PlanRun(network=record_id, weights=self._weights))

    def _on_rename(self, name: str) -> None:
        work = partial(rename, self.context.workspace, self._current, name)
        self.context.background.run(self, work, self._on_renamed, self._on_rename_refused)

    def _on_renamed(self, network: SavedNetwork) -> None:
        self._refresh(network.id)

    def _on_rename_refused(self, error: BaseException) -> None:
        entry = self._entries.get(self._current)
        if entry is not None:
            self.details.show_entry(entry)
        self._show_current()
        self.context.navigator.show_failure(error)

    def _on_delete(self) -> None:
        entry, record = self._entries.get(self._current), self._records.get(self._current)
        if entry is not None and record is not None:
            self._trash.throw(record, entry.label)

    def _on_thrown(self, _record_id: str) -> None:
        self._refresh()


def _sketches(entries: Sequence[Entry]) -> dict[str, CardDrawing]:
    """Return small pictures of networks; those of the zoo for their usual input size."""
    return {
        entry.name: draw(entry.drawing or entry.spec(entry.usual, DEFAULT_CLASSES))
        for entry in entries
    }
