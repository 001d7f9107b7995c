"""Jobs on pages: buttons that start and stop them, cards that request them, rows of the queue."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.control import can_resume
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import Key
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import Following
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.documents.record import JobCommand, RecordChange, RecordDocument
from studio.ui.language import translated
from studio.ui.shared.records import RecordName
from studio.ui.widgets.buttons import Kind, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import time_left
from studio.ui.widgets.job_rows import JobRow, QueueRow


def show_start(button: QPushButton, word: str, *, is_asked: bool) -> None:
    """Show "Starting…" in a button until a submitted job is in the queue.

    Args:
        button: The button.
        word: Its usual text.
        is_asked: True while the job is submitted.
    """
    button.setText(QCoreApplication.translate("jobs", "Starting…") if is_asked else word)
    if is_asked:
        button.setEnabled(False)


def show_stopping(button: QPushButton) -> None:
    """Show "Stopping…" in a button after the click."""
    button.setText(QCoreApplication.translate("jobs", "Stopping…"))
    button.setEnabled(False)


def show_stop(
    button: QPushButton, entry: RecordDocument | None, word: str, request: JobCommand = "stop"
) -> None:
    """Show "Stopping…" in the button while the job is stopping, else its label.

    Args:
        button: Stops or pauses the job.
        entry: The job; None while it is not known yet, so that it cannot be stopped.
        word: Label of the button, such as "Stop", "Skip" or "Cancel".
        request: Requests the job.
    """
    is_stopping = entry is not None and entry.state == State.STOPPING
    asked = entry.request if entry is not None else None
    is_here = is_stopping and (asked or "stop") == request
    if is_here and request == "stop":
        show_stopping(button)
        return
    button.setText(QCoreApplication.translate("jobs", "Pausing…") if is_here else word)
    # A stop goes before a pause that is under way.
    is_free = not is_stopping or (request == "stop" and asked == "pause")
    button.setEnabled(entry is not None and is_free)


def show_job(row: JobRow, entry: RecordDocument) -> None:
    """Show title, state, progress and time left of a job.

    Args:
        row: The row.
        entry: The job.
    """
    row.set_title(describe.title(entry))
    row.set_state(entry.shown_state)
    row.set_progress(entry.history.fraction, describe.detail(entry), left_text(entry))


def left_text(entry: RecordDocument) -> str:
    """Return the time left of a job; empty if it is stopping, or there is nothing to measure."""
    if entry.state == State.STOPPING:
        return ""
    now = time.time()
    left = entry.history.seconds_left(now)
    return time_left(left) if left is not None or entry.history.is_measuring(now) else ""


class RequestForm(Protocol):
    """A form whose plan becomes a job."""

    def set_asking(self, *, is_asking: bool) -> None:
        """Disable the form while a request is being submitted."""

    def show_refused(self, error: StudioError) -> None:
        """Show why the queue refused the plan."""


class JobRequest(QObject):
    """Requests the job of a form.

    Args:
        context: Context of the window.
        form: Source of plans, which shows the problems of a plan.
        request: Requests the job of a plan from the queue, under the name if there is one.
        parent: Owner.
        name: The field with the name of the record.

    Signals:
        accepted: Id of the record of a requested job.
    """

    accepted = Signal(str)

    def __init__(
        self,
        context: AppContext,
        form: RequestForm,
        request: Callable[..., Job],
        parent: QObject | None = None,
        name: RecordName | None = None,
    ) -> None:
        super().__init__(parent)
        self._context, self._form, self._name = context, form, name
        self._submit = request
        self._request = Request(context.background, self)

    def ask(self, plan: object) -> None:
        """Request the job of a plan."""
        self._form.set_asking(is_asking=True)
        work = partial(self._submit, self._context.jobs.queue, plan)
        if self._name is not None:
            self._name.refuse("")
            work = partial(work, self._name.text())
        self._request.run(work, self._on_accepted, self._on_refused)

    def _on_accepted(self, job: Job) -> None:
        self._form.set_asking(is_asking=False)
        if self._name is not None:
            self._name.accept()
        self._context.jobs.wake()
        self.accepted.emit(job.record.id)

    def _on_refused(self, error: BaseException) -> None:
        self._form.set_asking(is_asking=False)
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
        elif self._name is not None and error.where == "name":
            self._name.refuse(str(error))
        else:
            self._form.show_refused(error)


class JobWidget(QWidget):
    """Base of controls that act on the job that is shown."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: RecordDocument[Any] | None = None

    @property
    def _entry(self) -> RecordDocument[Any]:
        """The job; its controls cannot be used before one is shown."""
        if self._shown is None:
            raise TypeError("no job is shown")
        return self._shown


class JobActions(JobWidget):
    """Base of the buttons for a job; here those to pause, stop and resume it.

    Those without effect in its state are hidden.

    Args:
        context: Context of the window.
        parent: Owner.
        resume: Style of the button to resume.
    """

    def __init__(
        self, context: AppContext, parent: QWidget | None = None, resume: Kind = "normal"
    ) -> None:
        super().__init__(context, parent)
        button = partial(push_button, theme=context.theme, parent=self)
        self.pause_button = button(self.tr("Pause"), icon="pause", on_click=self._on_pause)
        self.stop_button = button(self.tr("Stop"), icon="stop", on_click=self._on_stop)
        self.resume_button = button(
            self.tr("Resume"), kind=resume, icon="resume", on_click=self._on_resume
        )
        for each in (self.pause_button, self.stop_button, self.resume_button):
            each.hide()  # never all at once: a small window has no room for them

    def show_job(self, entry: RecordDocument[Any]) -> None:
        """Show the buttons that the state of a job allows."""
        self._shown = entry
        self.pause_button.setVisible(entry.state.has_worker)
        show_stop(self.pause_button, entry, self.tr("Pause"), "pause")
        self.stop_button.setVisible(not entry.state.is_at_rest)
        show_stop(self.stop_button, entry, self.tr("Stop"))
        self.resume_button.setVisible(can_resume(entry.history))

    def _on_pause(self) -> None:
        self._context.jobs.pause(self._entry)

    def _on_stop(self) -> None:
        self._context.jobs.stop(self._entry)

    def _on_resume(self) -> None:
        self._context.jobs.resume(self._entry)


class JobCard(Card):
    """Base of cards that follow the newest job of a kind on a dataset.

    Args:
        context: Context of the window.
        kind: Kind of the job; its plan has a field `dataset`.
        parent: Owner.
    """

    def __init__(
        self, context: AppContext, kind: RecordKind, parent: QWidget | None = None
    ) -> None:
        super().__init__("", parent)
        self._context, self._kind = context, kind
        self._dataset = ""
        self._entry: RecordDocument | None = None
        self._following = Following(self, self._on_changed)
        context.jobs.changed.connect(self._on_job)

    def take(self, entry: RecordDocument) -> None:
        """Follow a job; also called when its state has changed."""
        self._entry = entry
        self._following.show(entry)
        self.refresh()

    def refresh(self) -> None:
        """Show the current state of the job."""
        raise NotImplementedError

    @property
    def _is_active(self) -> bool:
        return self._entry is not None and not self._entry.state.is_at_rest

    def _follow_dataset(self, record_id: str) -> None:
        """Show the newest job of another dataset."""
        self._dataset, self._entry = record_id, None
        self._following.show()
        entries = self._context.jobs.entries(self._kind)
        newest = next((entry for entry in entries if self._is_ours(entry)), None)
        if newest is not None:
            self.take(newest)

    def _is_ours(self, entry: RecordDocument) -> bool:
        is_kind = entry.key[0] == self._kind
        return is_kind and getattr(entry.plan, "dataset", "") == self._dataset

    def _on_job(self, entry: RecordDocument, change: RecordChange) -> None:
        if change.is_new and self._is_ours(entry):
            known = self._entry
            if known is None or entry.info.created >= known.info.created:
                self.take(entry)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        if change.is_removed:
            self._entry = None  # its figures stay until the next measurement
        if change.is_state:
            self.take(entry)
        else:
            self.refresh()

    def _on_cancel(self) -> None:
        if self._entry is not None:
            self._context.jobs.stop(self._entry)


class QueueRows(QObject):
    """Keeps a column of rows in sync with the queue.

    Signals:
        changed: The rows were updated (the list of their entries).
        open_requested: The user opened a job (its `RecordDocument`).

    Args:
        context: Context with the jobs.
        column: Layout for the rows only.
        parent: The widget that the rows are in.
        height: Height of each row, in logical pixels; 0 leaves it to the row.
    """

    changed = Signal(list)
    open_requested = Signal(object)

    def __init__(
        self, context: AppContext, column: QBoxLayout, parent: QWidget, height: int = 0
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._column = column
        self._parent = parent
        self._height = height
        self._rows: dict[Key, QueueRow] = {}
        # "Time left" counts down between two events of a slow job.
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self.refresh)
        jobs = context.jobs
        jobs.changed.connect(self._on_job)
        jobs.loaded.connect(self.refresh)
        jobs.devices_known.connect(self.refresh)
        jobs.queue_switched.connect(self.refresh)

    def rows(self) -> dict[Key, QueueRow]:
        """Return the rows by record, in their order."""
        return {entry.key: self._rows[entry.key] for entry in self._context.jobs.active()}

    def refresh(self) -> None:
        """Show the current queue."""
        jobs = self._context.jobs
        active, waiting, waits = jobs.active(), jobs.waiting(), jobs.waits()
        for key in self._rows.keys() - {entry.key for entry in active}:
            row = self._rows.pop(key)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        names = {entry.record.id: entry.name for entry in active}
        for number, entry in enumerate(active):
            row = self._row(entry)
            if self._column.indexOf(row) != number:
                self._column.insertWidget(number, row)
            self._fill(row, entry)
            if entry.key in waits:
                row.set_progress(None, describe.waiting(waits[entry.key], names))
                row.set_queue_position(
                    is_first=entry is waiting[0],
                    is_last=entry is waiting[-1],
                    is_held=entry.history.held,
                )
        if active and not self._clock.isActive():
            self._clock.start()
        elif not active:
            self._clock.stop()
        self.changed.emit(active)

    def _on_job(self, entry: RecordDocument, _change: object) -> None:
        if entry.key in self._rows or entry.state.has_worker or entry.state == State.QUEUED:
            self.refresh()

    def _row(self, entry: RecordDocument) -> QueueRow:
        row = self._rows.get(entry.key)
        if row is None:
            jobs = self._context.jobs
            row = QueueRow(self._context.theme, describe.title(entry), self._parent)
            if self._height:
                row.setFixedHeight(self._height)
            row.set_can_pause(entry.key[0] in (RecordKind.RUN, RecordKind.SWEEP))
            row.pause_requested.connect(partial(jobs.pause, entry))
            row.cancel_requested.connect(partial(jobs.stop, entry))
            row.open_requested.connect(partial(self.open_requested.emit, entry))
            row.hold_requested.connect(partial(jobs.hold, entry))
            row.release_requested.connect(partial(jobs.release, entry))
            row.earlier_requested.connect(partial(self._move, entry, -1))
            row.later_requested.connect(partial(self._move, entry, 1))
            self._rows[entry.key] = row
        return row

    def _fill(self, row: QueueRow, entry: RecordDocument) -> None:
        show_job(row, entry)
        has = entry.history.devices if entry.state.has_worker else ()
        row.device.set_device(describe.on_devices(has), self._more_about(has))

    def _more_about(self, names: tuple[str, ...]) -> str:
        """Return the product names of the devices, a line for each."""
        known = {device.name: translated(device.label) for device in self._context.jobs.devices}
        return "\n".join(filter(None, (known.get(name, "") for name in names)))

    def _move(self, entry: RecordDocument, steps: int) -> None:
        waiting = self._context.jobs.waiting()
        if entry not in waiting:
            return  # it has just started
        # Down is before the one after the next; there may be none.
        target = waiting.index(entry) + (steps if steps < 0 else steps + 1)
        if target >= 0:
            before = waiting[target] if target < len(waiting) else None
            self._context.jobs.move(entry, before)
