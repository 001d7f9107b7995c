"""One labeling: single pictures, the grid, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QTabWidget, QWidget

from studio.engine.jobs.job import Job
from studio.engine.labeling.project import Labeling
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.navigation import page_intent
from studio.ui.pages.label.assist import AssistPanel, AssistRunner
from studio.ui.pages.label.grid import GridPanel
from studio.ui.pages.label.quality import QualityPanel
from studio.ui.pages.label.run_proposals import RunProposals
from studio.ui.pages.label.session import LabelSession
from studio.ui.pages.label.single import SinglePanel
from studio.ui.pages.label.sources import PictureSources
from studio.ui.pages.label.webcam import WebcamPanel
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import PageHeader

if TYPE_CHECKING:
    from studio.engine.jobs.queue import JobQueue


_CHART_FROM: Final = 760
"""Least height of the view for the chart of the expected accuracy, in pixels."""


class LabelView(QWidget):
    """An open labeling.

    Args:
        context: The parts of the application.
        labeling: The labeling; closed by `close_labeling`.
        name: Its name.
        parent: Parent widget.

    Signals:
        annotator_chosen: Name of the new annotator, and True to see own labels
            alone.
    """

    annotator_chosen = Signal(str, bool)

    def __init__(
        self, context: AppContext, labeling: Labeling, name: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.context = context
        self.session = LabelSession(context, labeling, self)
        self.sources = PictureSources(self.session, self)
        self._name = name
        self._make_header()
        self.runner = AssistRunner(self.session)
        self.run_proposals = RunProposals(self.session)
        self.single = SinglePanel(context, self.session, self)
        self.assist = AssistPanel(self.session, self.runner, self.run_proposals, self)
        self.single.side.addWidget(self.assist)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(self.tr("Views of the labeling"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        self.tabs.addTab(self.single, self.tr("One by one"))
        self.grid: GridPanel | None = None
        if labeling.kind in ("class", "labels"):
            self.grid = GridPanel(context, self.session, self.runner, self)
            self.tabs.addTab(self.grid, self.tr("Grid"))
        self.webcam = WebcamPanel(self.session, self)
        self.tabs.addTab(self.webcam, self.tr("Webcam"))
        self.quality = QualityPanel(self.session, self)
        self.tabs.addTab(self.quality, self.tr("Quality"))
        self._lay_out()
        self._connect()
        self._on_busy("")
        self._show_forms()
        self._show_state()
        self.session.start()

    def _make_header(self) -> None:
        context = self.context
        self.header = PageHeader(self._name, "", self)
        self.add_button = push_button(
            self.tr("Add pictures"),
            context.theme,
            icon="plus",
            tip=self.tr("Adds a folder, files, a video, images of a dataset or the screen."),
        )
        self._menu = QMenu(self.add_button)
        self.add_button.setMenu(self._menu)
        self.export_button = push_button(
            self.tr("Export annotations"),
            context.theme,
            icon="export",
            tip=self.tr("Writes the labels as annotation files."),
        )
        self._forms = QMenu(self.export_button)
        self.export_button.setMenu(self._forms)
        self.dataset_button = push_button(
            self.tr("Make dataset…"),
            context.theme,
            kind="primary",
            icon="datasets",
            tip=self.tr("Imports the labeled pictures as a dataset to train on."),
            on_click=self.ask_dataset,
        )
        self.ask_name = AskValue(
            context.theme,
            self.tr("Name of the dataset"),
            self.tr("The labeled pictures are imported as a new dataset."),
            self.tr("Make dataset"),
            self,
        )
        self.busy = text_label("", "muted", self)
        self.cancel_button = push_button(
            self.tr("Stop"),
            context.theme,
            kind="quiet",
            icon="stop",
            tip=self.tr("Stops adding pictures. Those added so far stay."),
            on_click=self.sources.cancel,
            parent=self,
        )

    def show_info(self, name: str, notes: str) -> None:
        """Show what can be changed about the labeling.

        Args:
            name: Its name.
            notes: Its notes; empty for none.
        """
        self._name = name
        self.header.set_title(name)
        self.header.set_subtitle(notes)

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Add pictures that were dropped."""
        self.sources.add_paths(paths)

    def ask_dataset(self) -> None:
        """Ask for the name of a dataset and make it."""
        free = self.context.workspace.unused_name(RecordKind.DATASET, self._name)
        self.ask_name.ask(self.dataset_button, free)

    def close_labeling(self) -> None:
        """Save what was drawn last, and put everything on the disk."""
        self.runner.stop()
        self.run_proposals.stop()
        self.webcam.stop()
        self.quality.stop()
        if self.grid is not None:
            self.grid.stop()
        self.session.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the chart out of low windows."""
        super().resizeEvent(event)
        self.assist.set_has_room(self.height() >= _CHART_FROM)

    def minimumSizeHint(self) -> QSize:
        """Let small windows cut the space between the parts, not the parts."""
        return QSize(560, 360)

    def _make_dataset(self, name: str) -> None:
        queue: JobQueue = self.context.jobs.queue
        work = partial(_request_dataset, self.session.labeling, queue, name)
        self.dataset_button.setEnabled(False)
        self.dataset_button.setText(self.tr("Making dataset…"))
        self.context.background.run(self, work, self._on_dataset, self._on_dataset_failed)

    def _on_dataset(self, job: Job) -> None:
        self._restore_button()
        self.context.jobs.wake()
        self.context.navigator.open(page_intent("datasets", job.record.id))

    def _on_dataset_failed(self, error: BaseException) -> None:
        self._restore_button()
        self.context.navigator.show_failure(error)

    def _restore_button(self) -> None:
        self.dataset_button.setText(self.tr("Make dataset…"))
        self._show_state()

    def _export(self, form: str) -> None:
        settings = self.context.settings
        name = QFileDialog.getExistingDirectory(
            self, self.tr("Choose a folder for the annotations"), str(settings.folder("label"))
        )
        if name:
            settings.set_folder("label", Path(name))
            self.export_to(form, Path(name))

    def export_to(self, form: str, folder: Path) -> None:
        """Write annotation files.

        Args:
            form: Name of the format.
            folder: The folder that gets them.
        """
        work = partial(_export, self.session.labeling, form, folder, self._name)
        self.context.background.run(self, work, self._on_exported)

    def _on_exported(self, path: Path) -> None:
        self.context.navigator.notify(
            Notice("success", self.tr("Annotations exported"), str(path))
        )

    def _show_forms(self) -> None:
        from studio.engine.labeling.output import label_forms  # noqa: PLC0415

        for form in label_forms(self.session.labeling.task):
            action = QAction(_FORMS.get(form, form), self._forms)
            action.triggered.connect(partial(self._export, form))
            self._forms.addAction(action)

    def _show_state(self, _items: object = None) -> None:
        has_labels = self.session.labeling.labeled_count > 0
        reason = "" if has_labels else self.tr("Label some pictures first.")
        for button in (self.dataset_button, self.export_button):
            button.setEnabled(has_labels)
            button.setToolTip(reason or button.whatsThis())

    def _on_busy(self, text: str) -> None:
        self.busy.setText(text)
        self.busy.setVisible(bool(text))
        self.cancel_button.setVisible(bool(text))
        self.add_button.setEnabled(not text)

    def _on_menu(self) -> None:
        self.sources.fill(self._menu)

    def _on_review(self) -> None:
        """Show the certain proposals in the grid, selected."""
        if self.grid is not None:
            self.tabs.setCurrentWidget(self.grid)
            self.grid.show_certain()

    def _on_opened(self, item: int) -> None:
        self.tabs.setCurrentWidget(self.single)
        self.session.show_item(item)
        self.single.setFocus()

    def _on_tab(self) -> None:
        if self.tabs.currentWidget() is not self.webcam:
            self.webcam.stop()
        if self.tabs.currentWidget() is self.quality:
            self.quality.refresh()
        is_single = self.tabs.currentWidget() is self.single
        if is_single and self.grid is not None and self.session.value is not None:
            # It was labeled in the grid.
            self.session.show_next()

    def _on_pictures_requested(self) -> None:
        self.sources.ask_folder()

    def _connect(self) -> None:
        self._menu.aboutToShow.connect(self._on_menu)
        self.sources.busy_changed.connect(self._on_busy)
        self.single.pictures_requested.connect(self._on_pictures_requested)
        self.single.dataset_requested.connect(self.ask_dataset)
        self.ask_name.given.connect(self._make_dataset)
        self.assist.review_requested.connect(self._on_review)
        self.quality.opened.connect(self._on_opened)
        self.quality.annotator_chosen.connect(self.annotator_chosen)
        self.tabs.currentChanged.connect(self._on_tab)
        self.session.labels_changed.connect(self._show_state)

    def _lay_out(self) -> None:
        for button in (self.add_button, self.export_button, self.dataset_button):
            self.header.add_action(button)
        vbox(
            self.header,
            hbox((self.busy, 1), self.cancel_button, spacing=SPACE.s),
            (self.tabs, 1),
            owner=self,
            spacing=SPACE.m,
            margins=SPACE.xl,
        )
        for panel in (self.single, self.grid, self.webcam, self.quality):
            if panel is not None:
                panel.setContentsMargins(0, SPACE.m, 0, 0)


_FORMS = {"csv": "CSV", "voc": "Pascal VOC", "coco": "COCO", "yolo": "YOLO", "masks": "PNG"}


def _request_dataset(labeling: Labeling, queue: JobQueue, name: str) -> Job:
    from studio.engine.labeling.output import request_dataset  # noqa: PLC0415 - in a thread

    return request_dataset(labeling, queue, name)


def _export(labeling: Labeling, form: str, folder: Path, name: str) -> Path:
    from studio.engine.labeling.output import export_labels  # noqa: PLC0415

    return export_labels(labeling, form, folder, name=name)
