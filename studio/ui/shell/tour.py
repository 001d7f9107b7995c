"""The guided tour: digits in, a training, a prediction, by itself and on the real pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from studio.engine.errors import StudioError
from studio.engine.inference.sources import Picture
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind
from studio.ui.bridge.background import WindowProgress
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument, RunDocument
from studio.ui.navigation import ImportImages, OpenPage, OpenRecord, PlanRun, page_intent
from studio.ui.pages.page import Page
from studio.ui.shell import tour_words
from studio.ui.shell.coach_bar import CoachBar
from studio.ui.shell.tour_state import (
    Course,
    Phase,
    Place,
    Scene,
    Verdict,
    dataset_verdict,
    place_of,
    run_verdict,
)
from studio.ui.widgets.layout import Debounce

if TYPE_CHECKING:
    from studio.ui.pages.predict.page import View as PredictPage
    from studio.ui.pages.predict.pictures import Batch


# Enough for 96 % of digits that it has never seen, in a quarter of a minute on two cores.
EPOCHS = 12
PICTURES = 5


def train_lenet(queue: JobQueue, dataset_id: str) -> str:
    """Ask for the run of the tour; returns the id of its record.

    Raises:
        StudioError: The dataset cannot be learned from.
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


READ_MS = 7000
SAMPLE = "digits"


class Tour(QObject):
    """Leads through the main job with real jobs, and tells what happens in its bar.

    It begins the work itself and shows the pages on which that is seen. The user may look at
    other pages meanwhile, skip what is to be read, or stop: what was begun is kept.

    Args:
        context: Of the window.
        page: Gives a page by its name.
        parent: The window.
    """

    def __init__(self, context: AppContext, page: Callable[[str], Page], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._page = page
        self._course: Course | None = None
        self._dataset = ""
        self._run = ""
        self._pictures: tuple[Picture, ...] = ()
        self._batch: Batch | None = None
        self._asked: int | None = None
        self._said = ""
        self.bar = CoachBar(context.theme)
        # How long a scene is shown that nothing has to be waited for.
        self.reading = Debounce(READ_MS, self._advance, self)
        self._connect()

    @property
    def course(self) -> Course | None:
        """Where the tour is, or None when there is none."""
        return self._course

    def start(self) -> None:
        """Begin, or begin anew."""
        self._course = Course()
        self._dataset = self._run = ""
        self._batch = self._asked = None
        self._said = ""
        self.bar.show()
        self._begin_scene()

    def stop(self) -> None:
        """End it; what was begun is kept."""
        self._course = None
        self.reading.stop()
        self.bar.hide()

    @property
    def place(self) -> Place | None:
        """Where another window can go on with it; None when there is no tour."""
        return None if self._course is None else place_of(self._course, self._dataset, self._run)

    def resume(self, place: Place) -> None:
        """Go on where the tour was in a window that is closed now."""
        self._course, self._dataset, self._run = place.course, place.dataset, place.run
        self.bar.show()
        self._show()
        if self._context.jobs.is_loaded:
            self._pick_up()
        else:
            self._context.jobs.loaded.connect(
                self._pick_up, Qt.ConnectionType.SingleShotConnection
            )

    def look(self, page: str) -> None:
        """Another page is shown, by the tour or by the user."""
        if self._course is None:
            return
        self._course.look(page)
        self._point_at_wrong()
        self._show()

    def _connect(self) -> None:
        self._context.jobs.changed.connect(self._on_job)
        self.bar.go_on_requested.connect(self._on_go_on)
        self.bar.skip_requested.connect(self._on_skip)
        self.bar.own_requested.connect(self._on_own)
        self.bar.stop_requested.connect(self.stop)

    def _begin_scene(self) -> None:
        course = self._course
        if course is None:
            return
        if course.scene == Scene.DATA:
            self._context.navigator.open(OpenPage("datasets"))
            self._begin_import()
        elif course.scene == Scene.NETWORK:
            self._context.navigator.open(PlanRun(dataset=self._dataset))
        elif course.scene == Scene.TRAINING:
            self._begin_training()
        else:
            self._context.navigator.open(OpenRecord("predict", self._run))
            self._begin_answer()
        self._show()

    def _pick_up(self) -> None:
        """Follow the work that was begun, or begin it; the user stays on the page of now."""
        course, jobs = self._course, self._context.jobs
        if course is None or course.phase != Phase.WORK:
            return
        if course.scene == Scene.DATA:
            self._follow(jobs.get(RecordKind.DATASET, self._dataset), self._begin_import)
        elif course.scene == Scene.TRAINING:
            self._follow(self._entry_of_run(), self._begin_training)
        else:
            self._page(course.page).show_record(self._run)
            self._begin_answer()

    def _follow(self, entry: RecordDocument | None, begin: Callable[[], None]) -> None:
        if entry is None:
            begin()
        else:
            self._judge(entry)

    def _begin_training(self) -> None:
        work = partial(train_lenet, self._context.jobs.queue, self._dataset)
        self._do(work, self._on_run_asked)

    def _begin_import(self) -> None:
        # Pages are imported when they are first shown, and this one is now.
        from studio.ui.pages.datasets.importing.samples import (  # noqa: PLC0415
            dataset_of_sample,
            submit_sample,
        )

        known = dataset_of_sample(self._context, SAMPLE)
        if known:
            self._on_dataset_asked(known)
            return
        work = partial(submit_sample, self._context.jobs.queue, SAMPLE, WindowProgress(self))
        self._do(work, self._on_dataset_asked)

    def _on_dataset_asked(self, record_id: str) -> None:
        self._dataset = record_id
        self._context.jobs.wake()
        self._go("datasets", record_id)
        self._judge(self._context.jobs.get(RecordKind.DATASET, record_id))

    def _on_run_asked(self, record_id: str) -> None:
        self._run = record_id
        self._context.jobs.wake()
        self._go("train", record_id)

    def _begin_answer(self) -> None:
        dataset = self._context.jobs.get(RecordKind.DATASET, self._dataset)
        run = self._entry_of_run()
        if dataset is None or run is None or run.history.best is None:
            self._break_off(self.tr("The images were deleted."))
            return
        folders = dataset.record.folder, run.record.folder
        self._do(partial(pictures_to_try, *folders, run.history.best.step), self._on_pictures)

    def _predict_page(self) -> PredictPage:
        from studio.ui.pages.predict.page import View  # noqa: PLC0415 - it is on the screen now

        page = self._page("predict")
        if not isinstance(page, View):
            raise TypeError(f"the page predict is a {type(page).__name__}")
        return page

    def _on_pictures(self, pictures: list[Picture]) -> None:
        page = self._predict_page()
        if not self._pictures:
            page.classifier.changed.connect(self._on_answer)
            page.review.changed.connect(self._on_review)
        self._pictures, self._asked, self._batch = tuple(pictures), None, None
        page.take_pictures(pictures)

    def _on_answer(self, batch: object) -> None:
        from studio.ui.pages.predict.pictures import Batch  # noqa: PLC0415 - as above

        course = self._course
        if course is None or not self._pictures or not isinstance(batch, Batch):
            return
        is_waiting = course.scene == Scene.ANSWER and course.phase == Phase.WORK
        if not is_waiting or batch.known != self._pictures:
            return
        if batch.failure is not None:
            self._break_off(f"{batch.failure.message} {batch.failure.hint}".strip())
        elif batch.is_answered:
            self._batch = batch
            self._judge_answers(course, batch)

    def _judge_answers(self, course: Course, batch: Batch) -> None:
        """Ask the user to correct the first wrong answer; without one the tour is over."""
        labels = [picture.label for picture in batch.pictures]
        wrong = (
            position
            for position, (each, label) in enumerate(zip(batch.predictions, labels, strict=True))
            if each.scores and each.scores[0].label != label
        )
        self._asked = next(wrong, None)
        self._said = tour_words.answers(labels, batch.predictions, self._asked)
        course.work_done()
        if self._asked is None:
            course.advance()
        self._point_at_wrong()
        self._show()

    def _point_at_wrong(self) -> None:
        """Select the picture to correct, unless the user looks at something else."""
        course, asked = self._course, self._asked
        if course is None or course.scene != Scene.ANSWER or not course.may_go_on or asked is None:
            return
        page = self._predict_page()
        if page.batch is self._batch:
            page.select_picture(asked)

    def _on_review(self) -> None:
        """End the tour once the user has corrected a picture of it."""
        course, batch = self._course, self._batch
        if course is None or batch is None or course.has_ended or not batch.corrections:
            return
        _, label = next(iter(batch.corrections.values()))
        self._said = tour_words.corrected(label)
        course.advance()
        self._show()

    def _on_job(self, entry: RecordDocument, change: Change) -> None:
        if entry.record.id not in (self._dataset, self._run):
            return
        if not change.is_removed:
            self._judge(entry)
        elif self._course is not None and not self._course.has_ended:
            self._break_off(self.tr("{name} was deleted.").format(name=entry.name))

    def _judge(self, entry: RecordDocument | None) -> None:
        """Go by what became of the job that the scene waits for."""
        course = self._course
        if course is None or entry is None or course.phase != Phase.WORK:
            return
        if course.scene == Scene.DATA and entry.record.id == self._dataset:
            verdict = dataset_verdict(entry.state)
        elif course.scene == Scene.TRAINING and entry.record.id == self._run:
            has_model = MODEL_ARTIFACT in entry.history.artifacts
            verdict = run_verdict(entry.state, has_model=has_model)
        else:
            return
        if verdict == Verdict.READY:
            course.work_done()
        elif verdict == Verdict.BROKEN:
            words = (entry.history.reason, entry.history.hint)
            self._break_off(" ".join(part for part in words if part))
            return
        self._show()

    def _advance(self) -> None:
        if self._course is not None and self._course.may_go_on:
            if self._course.scene == Scene.ANSWER:  # the correction was skipped
                self._said = tour_words.corrected("")
                self._course.advance()
                self._show()
                return
            self._course.advance()
            self._begin_scene()

    def _on_skip(self) -> None:
        course = self._course
        if course is None:
            return
        if course.may_go_on:
            self.reading.stop()
            self._advance()
        elif course.scene == Scene.TRAINING and self._can_be_cut_short:
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

    def _on_go_on(self) -> None:
        if self._course is not None:
            scene = self._course.scene
            if scene == Scene.NETWORK:
                self._context.navigator.open(PlanRun(dataset=self._dataset))
                return
            record = self._dataset if scene == Scene.DATA else self._run
            self._context.navigator.open(page_intent(self._course.page, record))

    def _on_own(self) -> None:
        self.stop()
        self._context.navigator.open(ImportImages())

    def _do(self, work: Callable[[], object], done: Callable[..., None]) -> None:
        course = self._course
        self._context.background.run(
            self, work, partial(self._on_done, course, done), partial(self._on_failed, course)
        )

    def _on_done(self, course: Course | None, done: Callable[..., None], result: object) -> None:
        if course is not None and course is self._course and not course.has_ended:
            done(result)

    def _on_failed(self, course: Course | None, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
        if course is self._course:
            self._break_off(" ".join(str(error).split()))

    def _break_off(self, reason: str) -> None:
        if self._course is not None:
            self._course.break_off(reason)
            self._show()

    def _go(self, page: str, record_id: str) -> None:
        """Show what the tour has begun, unless the user looks at something else."""
        if self._course is not None and not self._course.is_away:
            self._context.navigator.open(OpenRecord(page, record_id))

    def _entry_of_run(self) -> RunDocument | None:
        return self._context.jobs.get(RecordKind.RUN, self._run)

    def _show(self) -> None:
        course = self._course
        if course is None:
            return
        if not course.advances_by_itself:
            self.reading.stop()
        elif not self.reading.isActive():
            self.reading.start()
        if course.phase == Phase.OVER:
            self.bar.offer(own=True)
            self.bar.show_words(tour_words.step(course), self._said)
            return
        is_asked = course.scene == Scene.ANSWER and course.may_go_on
        rests = course.may_go_on and not course.advances_by_itself and not is_asked
        skip = (
            course.advances_by_itself
            or is_asked
            or (course.scene == Scene.TRAINING and self._can_be_cut_short)
        )
        self.bar.offer(
            go_on=course.is_away, following=rests, skip=skip and not rests and not course.is_away
        )
        words = tour_words.sentence(course, self._entry_of_run())
        self.bar.show_words(tour_words.step(course), self._said if is_asked else words)
