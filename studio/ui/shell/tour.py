"""The guided tour: imports digits, trains and predicts, on the real pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy

from studio.engine.errors import StudioError
from studio.engine.inference.sources import Picture
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import joined
from studio.engine.progress import SilentProgress
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument, RunDocument
from studio.ui.navigation import ImportImages, OpenPage, OpenRecord, PlanRun, page_intent
from studio.ui.pages.page import Page
from studio.ui.shell import tour_steps
from studio.ui.shell.tour_steps import (
    Phase,
    Scene,
    TourProgress,
    TourState,
    is_done,
    state_of,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import IconLabel
from studio.ui.widgets.layout import STRETCH, Debounce, hbox, text_label, vbox

if TYPE_CHECKING:
    from studio.ui.pages.predict.page import View as PredictPage
    from studio.ui.pages.predict.pictures import Batch


# Enough for 96 % validation accuracy, in a quarter of a minute on two cores.
EPOCHS = 12
PICTURES = 5


def train_lenet(queue: JobQueue, dataset_id: str) -> str:
    """Submit the run of the tour and return its id.

    Args:
        queue: Queue of the workspace.
        dataset_id: Id of the dataset.

    Raises:
        StudioError: The dataset cannot be used for training.
    """
    plan = TrainingPlan.parse({"dataset": dataset_id, "epochs": EPOCHS})
    name = queue.workspace.unused_name(RecordKind.RUN, "lenet-digits")
    return request_training(queue, plan, name).record.id


def pictures_to_try(dataset: Path, run: Path, step: int) -> list[Picture]:
    """Choose validation images of different classes, one predicted wrongly if possible.

    Without a wrong one, the image with the least certain prediction takes its place.

    Args:
        dataset: Folder of the dataset.
        run: Folder of the run.
        step: The step whose model predicts; its stored validation predictions are read.

    Raises:
        StudioError: The dataset or the predictions cannot be read.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    from studio.engine.datasets.store import Store  # noqa: PLC0415 - it takes NumPy
    from studio.engine.training.insights import (  # noqa: PLC0415 - as above
        insight_path,
        read_insight,
    )

    store = Store.open(dataset)
    answers = read_insight(insight_path(run, step)).answers
    wrong = answers.mistakes(1)
    special = int(wrong[0]) if len(wrong) else int(np.argmin(answers.scores))
    right = np.flatnonzero(answers.truth == answers.predicted)
    right = right[answers.truth[right] != answers.truth[special]]
    _, first = np.unique(answers.truth[right], return_index=True)
    chosen = [int(position) for position in right[first][: PICTURES - 1]]
    chosen.insert(PICTURES // 2, special)
    rows = [int(answers.rows[position]) for position in chosen]
    source = Path(store.recipe.source)
    return [
        Picture(source / store.paths[row], store.classes[int(store.labels[row])]) for row in rows
    ]


# Two lines of text: the pages below do not move when a text is longer than the one before.
# Only an error may need more.
_HEIGHT = 68


class TourBar(QFrame):
    """The bar above the pages: the current step, its text, and buttons.

    Args:
        theme: Colors.
        back: Returns to the page of the tour.
        following: Continues with the next step.
        own: Imports the user's own images.
        stop: Ends the tour.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        back: Callable[[], None],
        following: Callable[[], None],
        own: Callable[[], None],
        stop: Callable[[], None],
    ) -> None:
        super().__init__()
        self.setObjectName("coachBar")
        self.setAccessibleName(self.tr("Guided tour"))
        self.setMinimumHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        picture = IconLabel(theme, "hint", "accent", ICON, self)
        picture.setFixedSize(ICON, ICON)
        self.step = text_label("", "caption", self)
        self.text = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        button = partial(push_button, theme=theme)
        text, tip = self.tr("Back to the tour"), self.tr("Opens the page of the current step.")
        self.return_button = button(text, kind="primary", tip=tip, on_click=back)
        text, tip = self.tr("Use my own images"), self.tr("Ends the tour and imports your images.")
        self.own_button = button(text, kind="primary", tip=tip, on_click=own)
        text, tip = self.tr("Next"), self.tr("Continues with the next step of the tour.")
        self.next_button = button(text, kind="primary", tip=tip, on_click=following)
        text, tip = self.tr("Skip"), self.tr("Continues without waiting.")
        self.skip_button = button(text, tip=tip, on_click=following)
        text, tip = (
            self.tr("Stop the tour"),
            self.tr("Ends the tour. Its dataset and run are kept."),
        )
        self.stop_button = button(text, kind="quiet", tip=tip, on_click=stop)
        texts = vbox(STRETCH, self.step, self.text, STRETCH, spacing=0)
        hbox(
            *(picture, (texts, 1), self.return_button, self.own_button),
            *(self.next_button, self.skip_button, self.stop_button),
            owner=self,
            spacing=SPACE.m,
            margins=(SPACE.l, SPACE.xs, SPACE.l, SPACE.xs),
        )
        self.hide()

    def show_step(self, step: str, text: str) -> None:
        """Show the number and title of a step, and its text.

        Args:
            step: Number and title.
            text: The instruction.
        """
        self.step.setText(step)
        self.text.setText(text)
        self.setAccessibleDescription(f"{step}. {text}")

    def offer(
        self,
        *,
        back: bool = False,
        following: bool = False,
        skip: bool = False,
        own: bool = False,
    ) -> None:
        """Show the buttons that apply.

        Args:
            back: Show the button that returns to the page of the tour.
            following: Show Next, on a step that stays until the user clicks it.
            skip: Show Skip, on a step that ends by itself.
            own: Show the button for the user's own images.
        """
        self.next_button.setVisible(following)
        self.return_button.setVisible(back)
        self.skip_button.setVisible(skip)
        self.own_button.setVisible(own)
        self.stop_button.setText(self.tr("Close") if own else self.tr("Stop the tour"))


READ_MS = 7000
_KEY: Final = "tour"
SAMPLE = "digits"


class Tour(QObject):
    """Leads through the main steps with real jobs and explains them in its bar.

    It starts the jobs itself and opens their pages. The user may open other pages meanwhile, skip
    steps, or stop the tour: its records are kept.

    Args:
        context: Context of the window.
        page: Returns a page by its name.
        parent: The window.

    Attributes:
        progress: Progress of the tour; None if there is none.
    """

    def __init__(self, context: AppContext, page: Callable[[str], Page], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._page = page
        self.progress: TourProgress | None = None
        self._dataset = ""
        self._run = ""
        self._pictures: tuple[Picture, ...] = ()
        self._batch: Batch | None = None
        self._wrong: int | None = None
        self._text = ""
        self.bar = TourBar(
            context.theme,
            back=self._on_back,
            following=self._on_skip,
            own=self._on_own,
            stop=self.stop,
        )
        # Time that a step is shown if it does not wait for anything.
        self.reading = Debounce(READ_MS, self._advance, self)
        context.jobs.changed.connect(self._on_job)

    def start(self) -> None:
        """Start or restart the tour."""
        self.progress = TourProgress()
        self._dataset = self._run = ""
        self._batch = self._wrong = None
        self._text = ""
        self.bar.show()
        self._begin_scene()

    def stop(self) -> None:
        """End the tour; its records are kept."""
        self.progress = None
        self.reading.stop()
        self.bar.hide()
        self._remember()

    @property
    def state(self) -> TourState | None:
        """The state from which another window can resume; None if there is no tour."""
        return None if self.progress is None else state_of(self.progress, self._dataset, self._run)

    def resume_stored(self) -> None:
        """Resume the tour that was shown when the last window of this workspace ended."""
        root = self._context.workspace.root
        state = tour_steps.from_text(self._context.settings.text(_KEY) or "", root)
        if state is not None:
            self.resume(state)

    def _remember(self) -> None:
        """Store the state at once: the process may be killed."""
        state = self.state
        is_over = state is None or state.progress.has_ended
        root = self._context.workspace.root
        text = "" if state is None or is_over else tour_steps.as_text(state, root)
        self._context.settings.set_text(_KEY, text)

    def resume(self, state: TourState) -> None:
        """Resume the tour of a closed window."""
        self.progress, self._dataset, self._run = state.progress, state.dataset, state.run
        self.bar.show()
        self._show()
        if self._context.jobs.is_loaded:
            self._resume_work()
        else:
            self._context.jobs.loaded.connect(
                self._resume_work, Qt.ConnectionType.SingleShotConnection
            )

    def show_page(self, page: str) -> None:
        """Take note of the page that is shown, by the tour or by the user."""
        if self.progress is None:
            return
        self.progress.page_shown(page)
        self._point_at_wrong()
        self._show()

    def _begin_scene(self) -> None:
        progress = self.progress
        if progress is None:
            return
        if progress.scene == Scene.DATA:
            self._context.navigator.open(OpenPage("datasets"))
            self._begin_import()
        elif progress.scene == Scene.NETWORK:
            self._context.navigator.open(PlanRun(dataset=self._dataset))
        elif progress.scene == Scene.TRAINING:
            self._begin_training()
        else:
            self._context.navigator.open(OpenRecord("predict", self._run))
            self._begin_predictions()
        self._show()

    def _resume_work(self) -> None:
        """Follow the job that was started, or start it; the current page stays."""
        progress, jobs = self.progress, self._context.jobs
        if progress is None or progress.phase != Phase.WORK:
            return
        if progress.scene == Scene.DATA:
            self._follow(jobs.get(RecordKind.DATASET, self._dataset), self._begin_import)
        elif progress.scene == Scene.TRAINING:
            self._follow(self._entry_of_run(), self._begin_training)
        else:
            self._page(progress.page).show_record(self._run)
            self._begin_predictions()

    def _follow(self, entry: RecordDocument | None, begin: Callable[[], None]) -> None:
        if entry is None:
            begin()
        else:
            self._judge(entry)

    def _begin_training(self) -> None:
        work = partial(train_lenet, self._context.jobs.queue, self._dataset)
        self._do(work, self._on_run_asked)

    def _begin_import(self) -> None:
        # Pages are imported when they are first shown.
        from studio.ui.pages.datasets.importing.samples import (  # noqa: PLC0415
            dataset_of_sample,
            submit_sample,
        )

        known = dataset_of_sample(self._context, SAMPLE)
        if known:
            self._on_dataset_asked(known)
            return
        work = partial(submit_sample, self._context.jobs.queue, SAMPLE, SilentProgress())
        self._do(work, self._on_dataset_asked)

    def _on_dataset_asked(self, record_id: str) -> None:
        self._dataset = record_id
        self._remember()
        self._context.jobs.wake()
        self._go("datasets", record_id)
        self._judge(self._context.jobs.get(RecordKind.DATASET, record_id))

    def _on_run_asked(self, record_id: str) -> None:
        self._run = record_id
        self._remember()
        self._context.jobs.wake()
        self._go("train", record_id)

    def _begin_predictions(self) -> None:
        dataset = self._context.jobs.get(RecordKind.DATASET, self._dataset)
        run = self._entry_of_run()
        if dataset is None or run is None or run.history.best is None:
            self._fail(self.tr("The images were deleted."))
            return
        folders = dataset.record.folder, run.record.folder
        self._do(partial(pictures_to_try, *folders, run.history.best.step), self._on_pictures)

    def _predict_page(self) -> PredictPage:
        from studio.ui.pages.predict.page import View  # noqa: PLC0415 - it is shown now

        page = self._page("predict")
        if not isinstance(page, View):
            raise TypeError(f"the page predict is a {type(page).__name__}")
        return page

    def _on_pictures(self, pictures: list[Picture]) -> None:
        page = self._predict_page()
        if not self._pictures:
            page.classifier.changed.connect(self._on_answer)
            page.review.changed.connect(self._on_review)
        self._pictures, self._wrong, self._batch = tuple(pictures), None, None
        page.take_pictures(pictures)

    def _on_answer(self, batch: object) -> None:
        from studio.ui.pages.predict.pictures import Batch  # noqa: PLC0415 - as above

        progress = self.progress
        if progress is None or not self._pictures or not isinstance(batch, Batch):
            return
        is_waiting = progress.scene == Scene.ANSWER and progress.phase == Phase.WORK
        if not is_waiting or batch.known != self._pictures:
            return
        if batch.failure is not None:
            self._fail(joined((batch.failure.message, batch.failure.hint)))
        elif batch.is_complete:
            self._batch = batch
            self._judge_answers(progress, batch)

    def _judge_answers(self, progress: TourProgress, batch: Batch) -> None:
        """Ask the user to correct the first wrong prediction; without one the tour ends."""
        labels = [picture.label for picture in batch.pictures]
        wrong = (
            position
            for position, (each, label) in enumerate(zip(batch.predictions, labels, strict=True))
            if each.class_scores and each.class_scores[0].label != label
        )
        self._wrong = next(wrong, None)
        self._text = tour_steps.answers(labels, batch.predictions, self._wrong)
        progress.work_done()
        if self._wrong is None:
            progress.advance()
        self._point_at_wrong()
        self._show()

    def _point_at_wrong(self) -> None:
        """Select the picture to correct, unless the user is on another page."""
        progress, asked = self.progress, self._wrong
        if (
            progress is None
            or progress.scene != Scene.ANSWER
            or not progress.may_advance
            or asked is None
        ):
            return
        page = self._predict_page()
        if page.batch is self._batch:
            page.select_picture(asked)

    def _on_review(self) -> None:
        """End the tour once the user has corrected a picture of it."""
        progress, batch = self.progress, self._batch
        if progress is None or batch is None or progress.has_ended or not batch.corrections:
            return
        _, label = next(iter(batch.corrections.values()))
        self._text = tour_steps.corrected(label)
        progress.advance()
        self._show()

    def _on_job(self, entry: RecordDocument, change: RecordChange) -> None:
        if entry.record.id not in (self._dataset, self._run):
            return
        if not change.is_removed:
            self._judge(entry)
        elif self.progress is not None and not self.progress.has_ended:
            self._fail(self.tr("{name} was deleted.").format(name=entry.name))

    def _judge(self, entry: RecordDocument | None) -> None:
        """Advance or fail by the state of the job that the step waits for."""
        progress = self.progress
        if progress is None or entry is None or progress.phase != Phase.WORK:
            return
        job = {Scene.DATA: self._dataset, Scene.TRAINING: self._run}.get(progress.scene)
        if entry.record.id != job:
            return
        has_model = MODEL_ARTIFACT in entry.history.artifacts
        if is_done(progress.scene, entry.state, has_model=has_model):
            progress.work_done()
        elif entry.state.is_finished:
            progress.fail(joined((entry.history.reason, entry.history.hint)))
        self._show()

    def _advance(self) -> None:
        if self.progress is not None and self.progress.may_advance:
            if self.progress.scene == Scene.ANSWER:  # the correction was skipped
                self._text = tour_steps.corrected("")
                self.progress.advance()
                self._show()
                return
            self.progress.advance()
            self._begin_scene()

    def _on_skip(self) -> None:
        progress = self.progress
        if progress is None:
            return
        if progress.may_advance:
            self.reading.stop()
            self._advance()
        elif progress.scene == Scene.TRAINING and self._can_be_cut_short:
            run = self._entry_of_run()
            if run is not None:
                self._context.jobs.stop(run)

    @property
    def _can_be_cut_short(self) -> bool:
        """True if the training has a model already, and was not stopped yet."""
        run = self._entry_of_run()
        if run is None or run.state == State.STOPPING or not run.state.has_worker:
            return False
        return MODEL_ARTIFACT in run.history.artifacts

    def _on_back(self) -> None:
        if self.progress is not None:
            scene = self.progress.scene
            if scene == Scene.NETWORK:
                self._context.navigator.open(PlanRun(dataset=self._dataset))
                return
            record = self._dataset if scene == Scene.DATA else self._run
            self._context.navigator.open(page_intent(self.progress.page, record))

    def _on_own(self) -> None:
        self.stop()
        self._context.navigator.open(ImportImages())

    def _do(self, work: Callable[[], object], done: Callable[..., None]) -> None:
        progress = self.progress
        self._context.background.run(
            self, work, partial(self._on_done, progress, done), partial(self._on_failed, progress)
        )

    def _on_done(
        self, progress: TourProgress | None, done: Callable[..., None], result: object
    ) -> None:
        if progress is not None and progress is self.progress and not progress.has_ended:
            done(result)

    def _on_failed(self, progress: TourProgress | None, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
        if progress is self.progress:
            self._fail(str(error))

    def _fail(self, reason: str) -> None:
        if self.progress is not None:
            self.progress.fail(reason)
            self._show()

    def _go(self, page: str, record_id: str) -> None:
        """Open a record of the tour, unless the user is on another page."""
        if self.progress is not None and not self.progress.is_away:
            self._context.navigator.open(OpenRecord(page, record_id))

    def _entry_of_run(self) -> RunDocument | None:
        return self._context.jobs.get(RecordKind.RUN, self._run)

    def _show(self) -> None:
        progress = self.progress
        if progress is None:
            return
        self._remember()
        if not progress.advances_by_itself:
            self.reading.stop()
        elif not self.reading.isActive():
            self.reading.start()
        if progress.phase == Phase.OVER:
            self.bar.offer(own=True)
            self.bar.show_step(tour_steps.step(progress), self._text)
            return
        is_asked = progress.scene == Scene.ANSWER and progress.may_advance
        rests = progress.may_advance and not progress.advances_by_itself and not is_asked
        skip = (
            progress.advances_by_itself
            or is_asked
            or (progress.scene == Scene.TRAINING and self._can_be_cut_short)
        )
        self.bar.offer(
            back=progress.is_away,
            following=rests,
            skip=skip and not rests and not progress.is_away,
        )
        words = tour_steps.sentence(progress, self._entry_of_run())
        self.bar.show_step(tour_steps.step(progress), self._text if is_asked else words)
