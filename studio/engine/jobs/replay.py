"""What a journal says, added up: the state of a job and everything it told.

`JobHistory.apply` is the only place where events turn into state; live view, history, crash
recovery and command line all go through it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from studio.engine.benchmarks.paces import Pace
from studio.engine.benchmarks.results import Cell
from studio.engine.jobs.event import Event
from studio.engine.jobs.events import (
    MOST_STEPS,
    Amended,
    AnyEvent,
    Artifact,
    ArtifactRemoved,
    CellChanged,
    EpochDone,
    ErrorCategory,
    InsightKept,
    Note,
    PaceChanged,
    ProgressMade,
    QueueChanged,
    Result,
    Saved,
    Started,
    StateChanged,
    StepsDone,
    TrainingBegan,
    UsageSampled,
    ValidationDone,
    WeightsLoaded,
)
from studio.engine.jobs.states import State
from studio.engine.jobs.sweep_events import Heard, TrialChanged, TrialMoved


def _floats() -> array[float]:
    return array("d")


@dataclass(slots=True)
class JobHistory:
    """Everything a job's journal said so far.

    Attributes:
        step_loss: Loss of every single step, index 0 is step 1.
        step_accuracy: Accuracy of every single step's batch.
        epochs: One entry per finished epoch, in order.
        attempt: How often the job was started.
        reason: Why it is in its state; set for stopped, failed and lost.
        place: Where it stands in the queue; None for by the time at which it was asked for.
        held: Whether it is to wait although it could start.
        foreign: True if it was queued on another computer and is not confirmed here.
        devices: What its worker has, or last had, for itself.
        changes: What became of its plan after it was asked for, by dotted name.
        saved: The step from which it can go on, if any.
        usage: What the machine did, a sample every few seconds.
        insights: What was kept of the answers and weights, in order.
        trials: The rows of a sweep by their numbers.
        moves: How trials that wait were put into another order, the first move first.
        cells: The cells of a benchmark of which something is known, by their numbers.
        paces: The measurements of a benchmark of predictions by `Place.key`, in their order.
        heard: How many bytes of its commands a sweep has acted on.
        losses: How often in a row its worker died, without a trial that ended in between.
        log: Starts and ends of all attempts, in order.
        spent: Seconds that earlier attempts took; the time between attempts is no part of it.
        running_since: When the current attempt began to run; None while none does.
        stage: Time and units done at which the current kind of progress began.
        asked_at: When somebody last asked for more of it, in seconds since 1970; 0 for never.
    """

    state: State = State.QUEUED
    attempt: int = 0
    reason: str = ""
    hint: str = ""
    detail: str = ""
    category: ErrorCategory | None = None
    started: Started | None = None
    started_at: float | None = None
    ended_at: float | None = None
    updated_at: float | None = None
    progress: ProgressMade | None = None
    training: TrainingBegan | None = None
    weights: WeightsLoaded | None = None
    steps: StepsDone | None = None
    step_loss: array[float] = field(default_factory=_floats)
    step_accuracy: array[float] = field(default_factory=_floats)
    epochs: list[EpochDone] = field(default_factory=list)
    validations: list[ValidationDone] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    place: float | None = None
    held: bool = False
    foreign: bool = False
    devices: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    saved: Saved | None = None
    usage: list[UsageSampled] = field(default_factory=list)
    insights: list[InsightKept] = field(default_factory=list)
    steps_per_epoch: int = 0
    trials: dict[int, TrialChanged] = field(default_factory=dict)
    moves: list[TrialMoved] = field(default_factory=list)
    cells: dict[int, Cell] = field(default_factory=dict)
    paces: dict[str, Pace] = field(default_factory=dict)
    heard: int = 0
    losses: int = 0
    log: list[Started | TrainingBegan | StateChanged] = field(default_factory=list)
    spent: float = 0.0
    running_since: float | None = None
    stage: tuple[float, int] | None = None
    asked_at: float = 0.0

    def apply(self, events: Iterable[AnyEvent]) -> None:
        """Add events in their order."""
        for event in events:
            _APPLY[type(event)](self, event)
            self.updated_at = event.t

    @property
    def best_epoch(self) -> EpochDone | None:
        """The last epoch that was the best so far, or None before the first."""
        return next((epoch for epoch in reversed(self.epochs) if epoch.is_best), None)

    @property
    def best(self) -> EpochDone | ValidationDone | None:
        """The best measurement so far, be it at the end of an epoch or in the middle of one."""
        return next((each for each in reversed(self.measured) if each.is_best), None)

    @property
    def measured(self) -> list[EpochDone | ValidationDone]:
        """The ends of epochs, and the validations between them, in order."""
        found: list[EpochDone | ValidationDone] = [*self.epochs, *self.validations]
        return sorted(found, key=lambda each: each.step)

    @property
    def fraction(self) -> float | None:
        """How much of the work is done, 0 to 1, or None while that is not known."""
        if self.state == State.COMPLETED:
            return 1.0
        if self.training is not None:
            total = self.training.epochs * self.training.steps_per_epoch
            return min(1.0, len(self.step_loss) / total) if total else None
        if self.progress is not None and self.progress.total:
            return min(1.0, self.progress.done / self.progress.total)
        return None

    def seconds_left(self, now: float) -> float | None:
        """Estimate the seconds to the end at the speed of this attempt.

        The only source for "time left", in the window and on the command line.

        Returns:
            None while it is not known, and where the clock was put back.
        """
        if not self.state.has_worker or self.fraction is None:
            return None
        began, first, done, total = self._measured_work()
        if began is None or now < began or done <= first:
            return None
        return (now - began) * max(0, total - done) / (done - first)

    def _measured_work(self) -> tuple[float | None, int, int, int]:
        """Return the start of the current work, units done then, units done now, all units."""
        if self.training is not None:
            total = self.training.epochs * self.training.steps_per_epoch
            return self.training.t, self.training.first_step - 1, len(self.step_loss), total
        if self.progress is not None and self.stage is not None:
            return *self.stage, self.progress.done, self.progress.total
        return None, 0, 0, 0

    def seconds_spent(self, now: float) -> float | None:
        """Seconds of work in all attempts; None before it began, and where clocks differ."""
        if self.started_at is None:
            return None
        current = 0.0 if self.running_since is None else now - self.running_since
        return self.spent + current if self.spent >= 0 and current >= 0 else None


def _on_state(history: JobHistory, event: StateChanged) -> None:
    history.state = event.state
    history.attempt = max(history.attempt, event.attempt)
    history.reason, history.hint, history.detail = event.reason, event.hint, event.detail
    history.category = event.category
    if event.state == State.STARTING:
        # A new attempt tells its own figures; curves stay until it says from where it goes on.
        history.ended_at = history.progress = history.training = history.stage = None
        history.result = {}
        history.devices = event.devices
    elif event.state == State.RUNNING:
        history.started_at = event.t
        history.running_since = event.t
    elif event.state.is_at_rest:
        history.ended_at = event.t
        history.log.append(event)
        if history.running_since is not None:
            # A lost worker is noticed later than it died; its last event is when it worked.
            end = event.t
            if event.state == State.LOST and history.updated_at is not None:
                end = min(end, history.updated_at)
            history.spent += end - history.running_since
            history.running_since = None
        history.losses = history.losses + 1 if event.state == State.LOST else 0


def _on_started(history: JobHistory, event: Started) -> None:
    history.started = event
    history.log.append(event)


def _on_progress(history: JobHistory, event: ProgressMade) -> None:
    before = history.progress
    if before is None or before.what != event.what or event.done < before.done:
        if before is not None:
            history.stage = (before.t, 0)
        elif history.attempt > 1:  # what an earlier attempt has done says nothing about the speed
            history.stage = (event.t, event.done)
        elif history.started_at is not None:
            history.stage = (history.started_at, 0)
    history.progress = event


def _on_weights(history: JobHistory, event: WeightsLoaded) -> None:
    history.weights = event


def _on_training(history: JobHistory, event: TrainingBegan) -> None:
    history.training = event
    history.log.append(event)
    _rescale(history, event.steps_per_epoch)
    # A resumed run does the steps after its checkpoint again; what was said of them is void.
    done = event.first_step - 1
    history.epochs = [each for each in history.epochs if each.step <= done]
    history.validations = [each for each in history.validations if each.step <= done]
    history.insights = [each for each in history.insights if each.step <= done]
    del history.step_loss[done:], history.step_accuracy[done:]


def _rescale(history: JobHistory, steps_per_epoch: int) -> None:
    """Number the steps so far anew, where batches became smaller: epochs stay where they were."""
    before, history.steps_per_epoch = history.steps_per_epoch, steps_per_epoch
    factor = steps_per_epoch / before if before > 0 else 1.0
    if factor == 1.0 or len(history.step_loss) * (factor - 1) > MOST_STEPS:
        return
    for series in (history.step_loss, history.step_accuracy):
        last, count = len(series) - 1, round(len(series) * factor)
        series[:] = array("d", [series[min(int(at / factor), last)] for at in range(count)])
    history.epochs = [
        each.model_copy(update={"step": each.epoch * steps_per_epoch}) for each in history.epochs
    ]
    history.validations = [
        each.model_copy(update={"step": round(each.step * factor)}) for each in history.validations
    ]
    history.insights = [
        each.model_copy(update={"step": round(each.step * factor)}) for each in history.insights
    ]


def _on_steps(history: JobHistory, event: StepsDone) -> None:
    done = event.first - 1
    if done - len(history.step_loss) > MOST_STEPS:
        return
    history.steps = event
    for series, values in (
        (history.step_loss, event.loss),
        (history.step_accuracy, event.accuracy),
    ):
        del series[done:]
        # Steps whose line was damaged leave a gap; those after it stay where they belong.
        series.extend([math.nan] * (done - len(series)))
        series.extend(event.per_step(values))


def _on_epoch(history: JobHistory, event: EpochDone) -> None:
    history.epochs.append(event)


def _on_validation(history: JobHistory, event: ValidationDone) -> None:
    history.validations.append(event)


def _on_queue(history: JobHistory, event: QueueChanged) -> None:
    if event.place is not None:
        history.place = event.place
    if event.held is not None:
        history.held = event.held
    if event.foreign is not None:
        history.foreign = event.foreign
    # A person has seen to it; what starts again by itself keeps its place.
    history.losses, history.asked_at = 0, event.t


def _on_amended(history: JobHistory, event: Amended) -> None:
    history.changes = {**history.changes, **event.changes}


def _on_saved(history: JobHistory, event: Saved) -> None:
    history.saved = event


def _on_usage(history: JobHistory, event: UsageSampled) -> None:
    history.usage.append(event)


def _on_insight(history: JobHistory, event: InsightKept) -> None:
    history.insights.append(event)


def _on_note(history: JobHistory, event: Note) -> None:
    history.notes.append(event)


def _on_artifact(history: JobHistory, event: Artifact) -> None:
    history.artifacts[event.name] = event.path


def _on_artifact_removed(history: JobHistory, event: ArtifactRemoved) -> None:
    history.artifacts.pop(event.name, None)


def _on_trial(history: JobHistory, event: TrialChanged) -> None:
    history.trials[event.number] = event
    if event.state.is_at_rest:
        history.losses = 0


def _on_moved(history: JobHistory, event: TrialMoved) -> None:
    history.moves.append(event)


def _on_cell(history: JobHistory, event: CellChanged) -> None:
    history.cells[event.cell.number] = event.cell


def _on_pace(history: JobHistory, event: PaceChanged) -> None:
    history.paces[event.pace.place.key] = event.pace


def _on_heard(history: JobHistory, event: Heard) -> None:
    history.heard = event.offset


def _on_result(history: JobHistory, event: Result) -> None:
    history.result = event.values


_APPLY: dict[type[Event], Callable[[JobHistory, Any], None]] = {
    StateChanged: _on_state,
    Started: _on_started,
    ProgressMade: _on_progress,
    TrainingBegan: _on_training,
    WeightsLoaded: _on_weights,
    StepsDone: _on_steps,
    EpochDone: _on_epoch,
    ValidationDone: _on_validation,
    QueueChanged: _on_queue,
    Amended: _on_amended,
    Saved: _on_saved,
    UsageSampled: _on_usage,
    InsightKept: _on_insight,
    Note: _on_note,
    Artifact: _on_artifact,
    ArtifactRemoved: _on_artifact_removed,
    TrialChanged: _on_trial,
    TrialMoved: _on_moved,
    CellChanged: _on_cell,
    PaceChanged: _on_pace,
    Heard: _on_heard,
    Result: _on_result,
}
