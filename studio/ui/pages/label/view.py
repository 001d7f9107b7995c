"""One labeling: single pictures, the grid, and its results."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QTabWidget, QWidget

from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.labeling.output import export_labels, label_forms, request_dataset
from studio.engine.labeling.project import Labeling
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.navigation import page_intent
from studio.ui.pages.label.assist import AssistPanel, AssistRunner
from studio.ui.pages.label.grid import GridPanel
from studio.ui.pages.label.outlining import BoxOutlines
from studio.ui.pages.label.quality import QualityPanel
from studio.ui.pages.label.run_proposals import RunProposals
from studio.ui.pages.label.session import LabelSession
from studio.ui.pages.label.single import SinglePanel
from studio.ui.pages.label.sources import FOLDER_KEY, PictureSources, WebcamPanel
from studio.ui.shared.display_panel import DisplayButton
from studio.ui.shared.file_dialogs import ask_folder
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import AskValue
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import PageHeader
from studio.ui.widgets.tips import allow, allow_action

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
        if labeling.editor.gives_classes:
            self.grid = GridPanel(context, self.session, self.runner, self)
            self.tabs.addTab(self.grid, self.tr("Grid"))
            self.grid.single_requested.connect(self._on_single)
        self.outlines: BoxOutlines | None = None
        segment = self.single.tools.segment
        if segment is not None and BoxOutlines.is_offered(self.session):
            self.outlines = BoxOutlines(self.session, segment)
        self.webcam = WebcamPanel(self.session, self)
        self.tabs.addTab(self.webcam, self.tr("Webcam"))
        self.quality = QualityPanel(self.session, self)
        self.tabs.addTab(self.quality, self.tr("Quality"))
        self._lay_out()
        self._connect()
        self._on_busy("")
        self._show_state()
        self.session.show_next()

    def _make_header(self) -> None:
        theme = self.context.theme
        self.header = PageHeader(self._name, "", self)
        tip = self.tr("Adds a folder, files, a video, images of a dataset or the screen.")
        self.add_button = push_button(self.tr("Add images"), theme, icon="plus", tip=tip)
        self._menu = QMenu(self.add_button)
        self.add_button.setMenu(self._menu)
        self.display_button = DisplayButton(theme, self.context.background, self)
        text, tip = (
            self.tr("Export"),
            self.tr("Writes the labels as annotation files."),
        )
        self.export_button = push_button(text, theme, icon="export", tip=tip)
        forms = self._menu_of_export = QMenu(self.export_button)
        forms.setToolTipsVisible(True)
        for form in label_forms(self.session.labeling.task):
            forms.addAction(_FORMS.get(form, form), partial(self._export, form))
        self.export_button.setMenu(forms)
        text = self.tr("Make dataset…")
        tip = self.tr("Imports the labeled images as a dataset to train on.")
        self.dataset_button = push_button(
            text, theme, kind="primary", icon="datasets", tip=tip, on_click=self.ask_dataset
        )
        title, text = self.tr("Name of the dataset"), self.tr("Make dataset")
        help_text = self.tr("The labeled images are imported as a new dataset.")
        self.ask_name = AskValue(theme, title, help_text, text, self)
        text = self.tr("Waiting for another program that uses this labeling…")
        self.waiting = text_label(text, "muted", self)
        self.waiting.hide()
        self.busy = text_label("", "muted", self)
        tip = self.tr("Stops what is running. What was done so far stays.")
        self.cancel_button = push_button(
            self.tr("Stop"), theme, kind="quiet", icon="stop", tip=tip, parent=self
        )
        self.cancel_button.clicked.connect(self.sources.cancel)

    def show_info(self, name: str, notes: str) -> None:
        """Show what can be changed about the labeling.

        Args:
            name: Its name.
            notes: Its notes; empty for none.
        """
        self._name = name
        self.header.set_title(name)
        self.header.set_subtitle(notes)

    def show_webcam(self) -> None:
        """Show the tab of the webcam."""
        self.tabs.setCurrentWidget(self.webcam)
        self.webcam.start_button.setFocus()

    def ask_dataset(self) -> None:
        """Ask for the name of a dataset and make it."""
        free = self.context.workspace.unused_name(RecordKind.DATASET, self._name)
        self.ask_name.ask(self.dataset_button, free)

    def close_labeling(self) -> None:
        """Save what was drawn last, and put everything on the disk."""
        self.runner.stop()
        self.run_proposals.stop()
        if self.outlines is not None:
            self.outlines.stop()
        self.single.tools.close()
        self.webcam.stop()
        self.quality.grid.stop()
        if self.grid is not None:
            self.grid.grid.stop()
        self.session.close()

    def showEvent(self, event: QShowEvent) -> None:
        """Read what other processes write, while it is visible, and ask what waited for it."""
        super().showEvent(event)
        self.session.start_polling()
        self.sources.ask_frames()

    def hideEvent(self, event: QHideEvent) -> None:
        """Read no more."""
        super().hideEvent(event)
        self.session.stop_polling()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the chart out of low windows."""
        super().resizeEvent(event)
        self.assist.set_has_room(self.height() >= _CHART_FROM)

    def minimumSizeHint(self) -> QSize:
        """Let small windows cut the space between the parts, not the parts."""
        return QSize(560, 360)

    def _make_dataset(self, name: str) -> None:
        queue: JobQueue = self.context.jobs.queue
        work = partial(request_dataset, self.session.labeling, queue, name)
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
        title = self.tr("Choose a folder for the annotations")
        folder = ask_folder(self, title, self.context.settings, FOLDER_KEY)
        if folder is not None:
            self.export_to(form, folder)

    def export_to(self, form: str, folder: Path) -> None:
        """Write annotation files.

        Args:
            form: Name of the format.
            folder: The folder that gets them.
        """
        work = partial(export_labels, self.session.labeling, form, folder, name=self._name)
        self.context.background.run(self, work, self._on_exported)

    def _on_exported(self, path: Path) -> None:
        text = self.tr("Annotations exported")
        self.context.navigator.notify(Notice("success", text, str(path)))

    def _outline_boxes(self) -> None:
        if self.outlines is not None:
            self.outlines.start(self._name)

    def _show_outlining(self) -> None:
        if self.outlines is not None:
            allow_action(self.outline_action, self.outlines.reason)

    def _show_state(self, _items: object = None) -> None:
        has_labels = self.session.labeling.labeled_count > 0
        reason = "" if has_labels else self.tr("Label some images first.")
        for button in (self.dataset_button, self.export_button):
            allow(button, reason)

    def _on_busy(self, text: str) -> None:
        self.busy.setText(text)
        self.busy.setVisible(bool(text))
        self.cancel_button.setVisible(bool(text))
        self.add_button.setEnabled(not text)

    def _on_review(self) -> None:
        """Show the certain proposals in the grid, selected."""
        if self.grid is not None:
            self.tabs.setCurrentWidget(self.grid)
            self.grid.show_certain()

    def _on_single(self) -> None:
        self.tabs.setCurrentWidget(self.single)
        self.single.setFocus()

    def _on_opened(self, item: int) -> None:
        self.tabs.setCurrentWidget(self.single)
        self.session.show_item(item)
        self.single.setFocus()

    def _on_picture(self, item: int, _pyramid: object) -> None:
        if item == self.session.current:
            is_standard = self.session.is_standard
            self.display_button.set_source(self.session.display_facts, is_standard=is_standard)

    def _on_displayed(self) -> None:
        if self.grid is not None:
            self.grid.grid.reload()

    def _on_tab(self) -> None:
        if self.tabs.currentWidget() is not self.webcam:
            self.webcam.stop()
        if self.tabs.currentWidget() is self.quality:
            self.quality.refresh()
        is_single = self.tabs.currentWidget() is self.single
        if is_single and self.grid is not None and self.session.value is not None:
            # It was labeled in the grid.
            self.session.show_next()

    def _connect(self) -> None:
        self._menu.aboutToShow.connect(partial(self.sources.fill, self._menu))
        self.sources.busy_changed.connect(self._on_busy)
        if self.outlines is not None:
            menu = self._menu_of_export
            menu.addSeparator()
            text = self.tr("Outline all boxes as a new labeling")
            self.outline_action = menu.addAction(text, self._outline_boxes)
            menu.aboutToShow.connect(self._show_outlining)
            self.outlines.busy_changed.connect(self._on_busy)
            self.cancel_button.clicked.connect(self.outlines.stop)
        self.single.add_button.clicked.connect(self.sources.ask_folder)
        self.single.dataset_button.clicked.connect(self.ask_dataset)
        self.ask_name.given.connect(self._make_dataset)
        self.assist.review_requested.connect(self._on_review)
        self.quality.opened.connect(self._on_opened)
        self.quality.annotator_chosen.connect(self.annotator_chosen)
        self.tabs.currentChanged.connect(self._on_tab)
        self.session.labels_changed.connect(self._show_state)
        self.session.picture_ready.connect(self._on_picture)
        self.display_button.changed.connect(self.session.set_display)
        self.display_button.plane_changed.connect(self.session.set_plane)
        self.session.displayed.connect(self._on_displayed)
        self.session.writes.waiting_changed.connect(self.waiting.setVisible)

    def _lay_out(self) -> None:
        for button in (
            self.display_button,
            self.add_button,
            self.export_button,
            self.dataset_button,
        ):
            self.header.add_action(button)
        line = hbox(self.waiting, (self.busy, 1), self.cancel_button, spacing=SPACE.s)
        parts = (self.header, line, (self.tabs, 1))
        vbox(*parts, owner=self, spacing=SPACE.m, margins=SPACE.xl)
        for panel in (self.single, self.grid, self.webcam, self.quality):
            if panel is not None:
                panel.setContentsMargins(0, SPACE.m, 0, 0)


_FORMS = {"csv": "CSV", "voc": "Pascal VOC", "coco": "COCO", "yolo": "YOLO", "masks": "PNG"}
