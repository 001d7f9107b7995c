"""The review queue as the page knows it, and the way from it to a better model."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.predict import review_work
from studio.ui.pages.predict.review_state import Loop, Step, loop_of
from studio.ui.pages.predict.state import Batch

if TYPE_CHECKING:
    from studio.engine.datasets.edits import SplitName
    from studio.engine.evaluation.mcnemar import Gain
    from studio.engine.review.corrections import Correction

_KINDS = (RecordKind.DATASET, RecordKind.RUN, RecordKind.EVALUATION)


class Reviewing(QObject):
    """Keeps to the disk what is corrected; nothing lives in the window alone.

    Signals:
        changed: The queue, or how far its newest dataset and run are.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._corrections: list[Correction] = []
        self._waiting: list[tuple[Correction, Path]] = []
        self._gains: dict[str, Gain] = {}
        self._reads = 0
        self._measuring = self._measure_again = False
        self._immeasurable: set[str] = set()
        self._loop = Loop()
        self._dataset = ""
        self._held_out: dict[str, SplitName] = {}
        self._retrains = ""
        self._searched: tuple[str, frozenset[str]] = ("", frozenset())
        context.jobs.loaded.connect(self.refresh)
        for signal in (context.jobs.added, context.jobs.state_changed, context.jobs.removed):
            signal.connect(self._on_entry)

    @property
    def waiting(self) -> list[tuple[Correction, Path]]:
        """The corrections that are in no dataset yet, with their pictures."""
        return list(self._waiting)

    @property
    def loop(self) -> Loop:
        """Where the newest dataset with corrected pictures is."""
        return self._loop

    @property
    def held_out(self) -> dict[str, SplitName]:
        """The split of waiting pictures that are validation or test images, by their ids."""
        return self._held_out

    def set_dataset(self, dataset: str) -> None:
        """Look for waiting pictures among the held-out images of a dataset; empty for none."""
        self._dataset = dataset
        self._find_held_out()

    def _find_held_out(self) -> None:
        waiting = [each for each, _ in self._waiting]
        wanted = (self._dataset, frozenset(each.id for each in waiting))
        if wanted == self._searched:
            return
        self._searched = wanted
        if not self._dataset or not waiting:
            self._on_held_out(wanted, {})
            return
        find = partial(review_work.held_out, self._context.workspace, self._dataset, waiting)
        self._context.background.run(self, find, partial(self._on_held_out, wanted))

    def _on_held_out(
        self, searched: tuple[str, frozenset[str]], found: dict[str, SplitName]
    ) -> None:
        if searched == self._searched and found != self._held_out:
            self._held_out = found
            self.changed.emit()

    def refresh(self) -> None:
        """Read the queue again."""
        read = partial(review_work.read, self._context.workspace)
        self._reads += 1
        self._context.background.run(self, read, partial(self._on_read, self._reads))

    def correct(self, batch: Batch, label: str) -> None:
        """Put the picture that is shown into the queue."""
        prediction, picture, model = batch.prediction, batch.picture, batch.model
        if prediction is None or picture is None or model is None or not prediction.scores:
            return
        best = prediction.scores[0]
        work = partial(_add, self._context, picture, model.id, (best.label, best.score), label)
        self._context.background.run(
            self, work, partial(self._on_added, batch, batch.shown, label)
        )

    def take_back(self, batch: Batch) -> None:
        """Take the picture that is shown out of the queue."""
        made = batch.corrections.pop(batch.shown, None)
        if made is not None:
            self.remove([made[0]])
            self.changed.emit()

    def relabel(self, ids: Collection[str], label: str) -> None:
        """Give pictures of the queue another class."""
        self._do(partial(_relabel, self._context, ids, label))

    def remove(self, ids: Collection[str]) -> None:
        """Take pictures out of the queue."""
        self._do(partial(_remove, self._context, ids))

    def add_to_dataset(self, dataset: str, ids: Collection[str]) -> None:
        """Make a dataset with the pictures."""
        queue = self._context.jobs.queue
        self._do(partial(review_work.add_to_dataset, queue, dataset, ids))

    def retrain(self, run: str, dataset: str) -> None:
        """Start a run with the weights of another one."""
        self._do(partial(review_work.retrain, self._context.jobs.queue, run, dataset))

    def add_and_retrain(self, run: str, dataset: str, ids: Collection[str]) -> None:
        """Make a dataset with the pictures, and start the run as soon as it is there."""
        self._retrains = run
        self.add_to_dataset(dataset, ids)

    def _do(self, work: Callable[[], None]) -> None:
        self._context.background.run(self, work, self._on_done)

    def _on_done(self, _nothing: None) -> None:
        self._context.jobs.wake()
        self.refresh()

    def _on_added(self, batch: Batch, place: int, label: str, number: str) -> None:
        batch.corrections[place] = (number, label)
        self.changed.emit()
        self.refresh()

    def _on_read(
        self, number: int, found: tuple[list[Correction], list[tuple[Correction, Path]]]
    ) -> None:
        if number != self._reads:
            return  # an older one that came later
        self._corrections, self._waiting = found
        self._find_held_out()
        self._arrange()

    def _on_entry(self, entry: JobEntry) -> None:
        kind = entry.key[0]
        if kind not in _KINDS or not self._corrections:
            return
        if kind == RecordKind.DATASET:
            self.refresh()  # what was in one that is lost waits again
        else:
            self._arrange()

    def _arrange(self) -> None:
        jobs = self._context.jobs
        self._loop = loop_of(
            self._corrections,
            jobs.entries(RecordKind.DATASET),
            jobs.entries(RecordKind.RUN),
            self._gains,
        )
        loop = self._loop
        if self._retrains and loop.step is Step.NOT_IMPORTED:
            self._retrains = ""
        elif self._retrains and loop.step is Step.READY and loop.dataset is not None:
            run, self._retrains = self._retrains, ""
            self.retrain(run, loop.dataset.record.id)
        if self._loop.step is Step.MEASURING and self._loop.run is not None:
            self._measure(self._loop.run.record.id)
        self.changed.emit()

    def _measure(self, run: str) -> None:
        if run in self._immeasurable:
            return
        self._measure_again = self._measuring
        if self._measuring:
            return
        self._measuring = True
        measure = partial(review_work.measure, self._context.jobs.queue, run)
        done, failed = partial(self._on_measured, run), partial(self._on_not_measured, run)
        self._context.background.run(self, measure, done, failed)

    def _on_measured(self, run: str, gain: Gain | None) -> None:
        self._measuring = False
        self._context.jobs.wake()
        if gain is not None:
            self._gains[run] = gain
        if gain is not None or self._measure_again:  # something happened while it was looked for
            self._measure_again = False
            self._arrange()

    def _on_not_measured(self, run: str, error: BaseException) -> None:
        self._reads = 0
        self._measuring = False
        self._immeasurable.add(run)  # told once, not with every other thing that happens
        self._context.navigator.show_failure(error)


def _add(
    context: AppContext, picture: Path, run: str, answer: tuple[str, float], label: str
) -> str:
    queue = review_work.queue_of(context.workspace)
    return queue.add(picture, picture.name, run, answer, label)


def _relabel(context: AppContext, ids: Collection[str], label: str) -> None:
    review_work.queue_of(context.workspace).relabel(ids, label)


def _remove(context: AppContext, ids: Collection[str]) -> None:
    review_work.queue_of(context.workspace).remove(ids)
