"""Calls that write to an open labeling: at once, or in another thread while it is locked."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from PySide6.QtCore import QObject, Signal

from studio.engine.labeling.line_file import LOCK_SECONDS, LabelingBusyError
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.recovery import keeping
from studio.ui.bridge.request import PartSender, Request
from studio.ui.context import AppContext
from studio.ui.widgets.notices import Notice

T = TypeVar("T")
_AT_ONCE_SECONDS: Final = 0.05
"""Seconds that the window's thread waits for another thread that reads; people notice none."""
_PATIENCE_SECONDS: Final = 0.2
"""Seconds that another thread waits before the window says so."""
_CLOSING_SECONDS: Final = 1.0
"""Seconds that a labeling that is closed waits for another program."""


class WriteQueue(QObject):
    """Runs calls that write to a labeling, in their order; the window's thread never waits.

    A call takes about a millisecond and is made at once. While another program or thread writes,
    it and all later calls wait: another thread makes them, and tries again until it succeeds.

    Args:
        context: The parts of the application.
        labeling: The labeling.
        parent: Owner.

    Signals:
        waiting_changed: True if calls wait for another program, False once all are made.
    """

    waiting_changed = Signal(bool)

    def __init__(self, context: AppContext, labeling: Labeling, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._labeling = labeling
        self._pending = _PendingCalls(labeling)
        self._request = Request(context.background, self)
        self.is_waiting = False

    @property
    def is_busy(self) -> bool:
        """True if calls are left."""
        return self._request.is_running

    def run(
        self, call: Callable[[], T], done: Callable[[T], object], *, is_slow: bool = False
    ) -> None:
        """Make a call, at once if possible; an error is shown as a notice.

        Args:
            call: Writes to the labeling; uses no widgets.
            done: Called with the result, in the window's thread.
            is_slow: True to make it in another thread in any case.
        """
        if is_slow or self.is_busy or not self._run_now(call, done):
            self._pending.calls.append((call, partial(partial, done)))
            self._start()

    def finish(self) -> None:
        """Make the calls that are left, before the window closes; see `_PendingCalls.finish`."""
        try:
            self._pending.finish()
        except Exception as error:  # noqa: BLE001 - shown
            self._context.navigator.show_failure(error)

    def close(self) -> Callable[[], int]:
        """Return a function that makes the calls that are left, for another thread.

        It returns the number of labels that wait in a recovery file.
        """
        self._pending.is_closed = True
        return self._pending.finish

    def _run_now(self, call: Callable[[], T], done: Callable[[T], object]) -> bool:
        """Make a call unless another program or thread writes."""
        try:
            with self._labeling.held(_AT_ONCE_SECONDS):
                result = call()
        except LabelingBusyError:
            return False
        except Exception as error:  # noqa: BLE001 - shown
            self._context.navigator.show_failure(error)
            return True
        done(result)
        return True

    def _start(self) -> None:
        if self.is_busy:
            return
        work = partial(self._pending.run_all, self._on_busy, self._context.navigator.show_failure)
        self._request.stream(work, _made, self._on_ended, self._on_failed)

    def _on_busy(self, error: LabelingBusyError | None) -> None:
        if not self.is_waiting:
            self._set_waiting(waiting=True)
        if error is not None:
            hint = self.tr("Your labels wait until it has finished. Nothing is lost.")
            notice = Notice("warning", error.message, hint, key="labeling-busy")
            self._context.navigator.notify(notice)

    def _on_ended(self, _nothing: object) -> None:
        if self._pending.calls:  # added after the other thread looked
            self._start()
        else:
            self._set_waiting(waiting=False)

    def _on_failed(self, error: BaseException) -> None:
        self._set_waiting(waiting=False)
        self._context.navigator.show_failure(error)

    def _set_waiting(self, *, waiting: bool) -> None:
        self.is_waiting = waiting
        self.waiting_changed.emit(waiting)


class _PendingCalls:
    """Calls that wait, in their order; one thread at a time makes them.

    Args:
        labeling: The labeling.

    Attributes:
        calls: Each with a function that turns its result into a call in the window's thread.
        is_closed: True if the results are not needed.
    """

    def __init__(self, labeling: Labeling) -> None:
        self.labeling = labeling
        self.calls: deque[tuple[Callable[[], Any], Callable[[Any], Callable[[], object]]]] = (
            deque()
        )
        self.is_closed = False
        self._running = threading.Lock()

    def run_all(
        self,
        busy: Callable[[LabelingBusyError | None], object],
        failed: Callable[[BaseException], object],
        sender: PartSender[Callable[[], object]],
    ) -> None:
        """Make all calls; of one that meets a lock try again until it is made, or all is closed.

        Args:
            busy: Called in the window's thread when a call waits, with the error after a long
                time.
            failed: Called there with other errors.
            sender: Runs something there.
        """
        with self._running:
            waited = 0.0
            while self.calls and not self.is_closed:
                try:
                    made = self._first(_PATIENCE_SECONDS)
                except LabelingBusyError:
                    sender.send(partial(busy, None))
                    waited += _PATIENCE_SECONDS
                    if waited >= LOCK_SECONDS:
                        sender.send(partial(busy, LabelingBusyError(waited)))
                        waited = 0.0
                except Exception as error:  # noqa: BLE001 - shown
                    self.calls.popleft()
                    sender.send(partial(failed, error))
                else:
                    waited = 0.0
                    sender.send(made)

    def finish(self) -> int:
        """Make all calls, without their callbacks.

        What another program still keeps from being written after a second goes into a recovery
        file, which is added when the labeling is opened next.

        Returns:
            Number of labels in the recovery file.

        Raises:
            Exception: The first error of a call.
        """
        self.is_closed = True
        if not self._running.acquire(timeout=2 * _CLOSING_SECONDS):
            return 0  # the other thread still writes
        try:
            return self._finish()
        finally:
            self._running.release()

    def _finish(self) -> int:
        errors: list[Exception] = []
        kept = 0
        while self.calls:
            try:
                self._first(_CLOSING_SECONDS)
            except LabelingBusyError:
                kept = self._keep(errors)
            except Exception as error:  # noqa: BLE001 - raised below
                self.calls.popleft()
                errors.append(error)
        if errors:
            raise errors[0]
        return kept

    def _keep(self, errors: list[Exception]) -> int:
        """Make all calls in memory, and write what they changed into a recovery file."""
        with keeping(self.labeling) as kept:
            while self.calls:
                call, _made = self.calls.popleft()
                try:
                    call()
                except Exception as error:  # noqa: BLE001 - raised by the caller
                    errors.append(error)
        return kept.count

    def _first(self, seconds: float) -> Callable[[], object]:
        """Make the first call, and return what the window does with the result."""
        call, made = self.calls[0]
        with self.labeling.held(seconds):
            result = call()
        self.calls.popleft()
        return made(result)


def _made(call: Callable[[], object]) -> None:
    call()
