"""The view: model chooser on top, the picture at the left, the answer at the right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.inference.sources import Picture
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.navigation import ChoosePictures, OpenPage, PastePicture
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.classifier import Classifier
from studio.ui.pages.predict.drop_page import DropPage
from studio.ui.pages.predict.queue_panel import QueuePanel
from studio.ui.pages.predict.reviewing import Reviewing
from studio.ui.pages.predict.saving import AnswerSaver
from studio.ui.pages.predict.state import (
    Batch,
    PredictState,
    Stage,
    needs_asking,
    stage_of,
    task_of,
)
from studio.ui.pages.predict.top import Top
from studio.ui.pages.predict.ways_in import WaysIn
from studio.ui.pages.predict.workbench import Workbench
from studio.ui.shared.train_first import train_first
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.pages import PageStack


class View(DropPage):
    """Drop or paste pictures anywhere, see what a model says."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.batch: Batch | None = None
        self.ways_in = WaysIn(context, self)
        self.classifier = Classifier(context, self)
        self.saver = AnswerSaver(context, self)
        self._work = work = Workbench(context, self.classifier, self)
        self.stage_panel, self.answer, self.history = work.stage_panel, work.answer, work.history
        self.reviewing = Reviewing(context, self)
        self.top = Top(context, work.beside, self)
        self.chooser = self.top.chooser
        self.empty = train_first(
            context,
            "predict",
            self.tr("Then drop any picture here to see the prediction."),
            self,
        )
        self.queue = QueuePanel(context, self.reviewing, self)
        self._is_reviewing = False
        self._unknown = QWidget(self)
        self._stack = PageStack(self)
        self._lay_out()
        self._connect()
        self._refresh()

    @property
    def stage(self) -> Stage:
        """What fills the page."""
        return stage_of(
            is_loaded=self.context.jobs.is_loaded,
            has_model=self.chooser.choice() is not None,
            batch=self.batch,
        )

    @property
    def needs_engine(self) -> bool:
        """True if there is a model to predict with."""
        return self.chooser.choice() is not None

    def open(self, intent: OpenPage) -> None:
        """Ask for pictures, or take the one in the clipboard."""
        if isinstance(intent, ChoosePictures):
            self._on_open()
        elif isinstance(intent, PastePicture):
            self._on_paste()
        else:
            super().open(intent)

    def show_record(self, record_id: str) -> None:
        """Use the model of that run."""
        self.chooser.select(record_id)

    def state(self) -> PredictState:
        """Return the pictures with their answers, and the model."""
        batches = tuple(
            batch for batch in reversed(self.history.batches()) if not batch.is_working
        )
        choice = self.chooser.choice()
        return PredictState(batches, self.batch, "" if choice is None else choice.id)

    def restore(self, state: object) -> None:
        """Show pictures and answers of an earlier window."""
        if not isinstance(state, PredictState):
            return
        self.chooser.select(state.run)
        for batch in state.batches:
            if not batch.first.exists():
                continue  # pasted, and gone with the window
            self.history.add(batch)
        if state.shown is not None and state.shown in self.history.batches():
            self.batch = state.shown
            self.history.button(state.shown).setChecked(True)
        self._refresh()

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Say how many pictures would be classified, and by which model."""
        return messages.offer(paths, self.chooser.choice())

    def image_offer(self) -> str:
        """The same for a picture without a file."""
        return messages.offer_image(self.chooser.choice())

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Classify files and the pictures in folders."""
        self.ways_in.take_paths(paths)

    def take_pictures(self, pictures: Sequence[Picture]) -> None:
        """Classify pictures whose classes are known; wrong answers are outlined."""
        self._start(Batch(tuple(each.path for each in pictures), known=tuple(pictures)))

    def select_picture(self, position: int) -> None:
        """Show the answer for one of several pictures, with the focus on its correction."""
        self._on_picked(position)
        self.answer.correct.button.setFocus(Qt.FocusReason.TabFocusReason)

    def take_data(self, data: QMimeData | None) -> bool:
        """Classify what a drag or the clipboard holds; False when that is nothing."""
        return self.chooser.choice() is not None and self.ways_in.take_data(data)

    def _start(self, batch: Batch) -> None:
        self.ways_in.end_live()
        self.batch = batch
        self._is_reviewing = False
        self._ask_if_needed()  # first: all else is shown while the model computes
        self.history.add(batch)
        self._refresh()

    def _on_ready(self, batch: Batch) -> None:
        """The files of a batch are here now."""
        self.history.refresh(batch)
        if batch is self.batch:
            self._ask_if_needed()
            self._refresh()

    def _on_live_changed(self) -> None:
        self.stage_panel.live_bar.setVisible(self.ways_in.is_live)

    def _on_live(self, batch: Batch) -> None:
        """A frame of the webcam takes the place of the one before."""
        self.batch = batch
        self._is_reviewing = False
        self._refresh()

    def _on_camera(self) -> None:
        model = self.chooser.choice()
        if model is not None:
            self.classifier.drop()
            self.ways_in.open_camera(model)

    def _ask_if_needed(self) -> None:
        model = self.chooser.choice()
        if model is None or self.batch is None:
            self.classifier.drop()
        elif self.batch.dropped and needs_asking(self.batch, model):
            self.classifier.classify(self.batch, model)

    def _on_model(self, choice: RunChoice | None) -> None:
        asked = None if self.batch is None else self.batch.model
        # The same run under another name, or after another epoch, was asked already.
        if asked is None or choice is None or asked.id != choice.id:
            self._ask_if_needed()
        self._refresh()

    def _on_changed(self, batch: Batch) -> None:
        self.history.refresh(batch)
        if batch is self.batch:
            self._refresh()

    def _on_chosen(self, batch: Batch) -> None:
        """Show something from the history again."""
        self.ways_in.end_live()
        self.batch = batch
        self._is_reviewing = False
        self._ask_if_needed()
        self._refresh()

    def _on_retry(self) -> None:
        if self.batch is None:
            return
        if self.batch.dropped:
            self.classifier.go_on(self.batch)
        elif self.batch.address:
            self.ways_in.fetch(self.batch)
        self._refresh()

    def _on_stop(self) -> None:
        if self.batch is not None:
            self.classifier.stop(self.batch)

    def _on_corrected(self, label: str) -> None:
        if self.batch is not None:
            self.reviewing.correct(self.batch, label)

    def _on_undone(self) -> None:
        if self.batch is not None:
            self.reviewing.take_back(self.batch)

    def _on_heat(self, is_on: bool) -> None:
        """The map lies over one picture: of several, open the one whose answer is shown."""
        if is_on and self.batch is not None and self.stage is Stage.GRID:
            self._on_opened(self.batch.selected)

    def _on_queue(self) -> None:
        self.top.show_waiting(len(self.reviewing.waiting))
        self._refresh()

    def _on_review(self) -> None:
        self._is_reviewing = not self._is_reviewing
        self._refresh()

    def _on_save_answers(self) -> None:
        if self.batch is not None:
            self.saver.save(self.batch)

    def _on_picked(self, row: int) -> None:
        if self.batch is not None and self.batch.selected != row:
            self.batch.selected = row
            self._refresh()

    def _on_opened(self, row: int) -> None:
        if self.batch is None:
            return
        self.batch.opened = row if row >= 0 else None
        self.batch.selected = row if row >= 0 else self.batch.selected
        self._refresh()

    def _refresh(self) -> None:
        stage, model = self.stage, self.chooser.choice()
        idle = {Stage.NOTHING_KNOWN: self._unknown, Stage.NO_MODEL: self.empty}
        can_correct = view_of(task_of(model)).answer.has_classes
        self._is_reviewing = self._is_reviewing and can_correct
        busy = self.queue if self._is_reviewing else self._work
        self._stack.setCurrentWidget(idle.get(stage, busy))
        self.top.show_tools(
            chooser=stage not in idle, opener=self.batch is not None, review=can_correct
        )
        if model is None or stage in idle:
            return
        self._work.show_batch(stage, self.batch, model)
        self.queue.set_model(model, self.classifier.classes(model))

    def _on_paste(self) -> None:
        if self.chooser.choice() is not None:
            self.ways_in.paste(QGuiApplication.clipboard().mimeData())

    def _on_open(self) -> None:
        if self.chooser.choice() is not None:
            self.ways_in.open_files()

    def _connect(self) -> None:
        self.chooser.changed.connect(self._on_model)
        self.ways_in.arrived.connect(self._start)
        self.ways_in.ready.connect(self._on_ready)
        self.ways_in.live_answered.connect(self._on_live)
        self.ways_in.live_changed.connect(self._on_live_changed)
        self.stage_panel.live_bar.keep_requested.connect(self.ways_in.keep_live)
        self.stage_panel.live_bar.stop_requested.connect(self.ways_in.end_live)
        self.top.more_button.address_requested.connect(self.ways_in.open_address)
        self.top.more_button.screen_requested.connect(self.ways_in.open_screen)
        self.top.more_button.camera_requested.connect(self._on_camera)
        self.context.jobs.loaded.connect(self._refresh)
        self.classifier.changed.connect(self._on_changed)
        self.history.chosen.connect(self._on_chosen)
        self.answer.retry_requested.connect(self._on_retry)
        self.answer.correct.corrected.connect(self._on_corrected)
        self.answer.insight.heat_button.toggled.connect(self._on_heat)
        self.answer.correct.undone.connect(self._on_undone)
        self.reviewing.changed.connect(self._on_queue)
        self.queue.closed.connect(self._on_review)
        self.top.review_requested.connect(self._on_review)
        bar = self.stage_panel.bar
        bar.stop_requested.connect(self._on_stop)
        bar.go_on_requested.connect(self._on_retry)
        bar.save_requested.connect(self._on_save_answers)
        self.stage_panel.browse_requested.connect(self._on_open)
        self.stage_panel.picked.connect(self._on_picked)
        self.stage_panel.opened.connect(self._on_opened)
        self.top.open_requested.connect(self._on_open)
        self.top.paste_requested.connect(self._on_paste)

    def _lay_out(self) -> None:
        for widget in (self._unknown, self.empty, self._work, self.queue):
            self._stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.l)
        column.addWidget(self.top)
        column.addWidget(self._stack, 1)
