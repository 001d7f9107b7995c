"""The engine host seen from outside: one warm child process that answers short questions.

One JSON object per line each way. A question is `{"id", "op", "body"}`; an answer is `{"id",
"body"}` or `{"id", "error"}`. The first line from the host is `{"protocol", "backend"}`.
"""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from studio.engine.errors import StudioError
from studio.engine.jobs.launch import launch_host
from studio.engine.messages import from_json, message

HOST_PROTOCOL = 1
CLOSE_SECONDS = 2

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class HostDiedError(StudioError):
    """The host died during a request; the next request starts a new one."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that was sent, to whom, and which file of a model it is about, if any."""

    process: subprocess.Popen[bytes]
    future: Future[Any]
    answer: type[BaseModel]
    file: str


class EngineHost:
    """Starts the host on first use, or earlier by `warm_up`; restarts it if it dies.

    The host ends after a while without requests. Only that gives all memory back, on GPUs,
    too: of 300 MB that a few models took, dropping them inside the process freed 85 MB.

    Thread safety: any thread may ask. Futures are resolved in the host's reading thread.

    Args:
        on_ready: Called in the reading thread when a host has loaded Keras.
        idle_seconds: Time without questions after which the host ends.
        launch: Starts another process with the same protocol; None for the engine host.
    """

    def __init__(
        self,
        on_ready: Callable[[], None] | None = None,
        idle_seconds: float = math.inf,
        launch: Callable[[], subprocess.Popen[bytes]] | None = None,
    ) -> None:
        self._on_ready = on_ready
        self._launch = launch
        self._idle_seconds = idle_seconds
        self._used = time.monotonic()
        self._timer: threading.Timer | None = None
        self._guard = threading.Lock()
        # Writing waits while the host is busy and the pipe full; reading must not wait for that.
        self._writing = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pending: dict[int, _Asked] = {}
        self._next_id = 0
        self._closed = False

    def warm_up(self) -> None:
        """Start the process now, so that the first question finds Keras loaded.

        Raises:
            OSError: The process could not be started.
        """
        with self._guard:
            self._running()
            self._note_use()

    def ask(self, op: str, question: BaseModel, answer: type[AnswerT]) -> Future[AnswerT]:
        """Send a request to the host.

        The future raises `StudioError` for errors of the user, `HostDiedError` if the host died
        during the request, and `RuntimeError` with the host's traceback for internal errors.

        Args:
            op: Name of the operation.
            question: Its arguments.
            answer: Type of the reply.

        Returns:
            Future of the reply.
        """
        future: Future[AnswerT] = Future()
        with self._guard:
            if self._closed:
                raise RuntimeError("the engine host is closed")
            process = self._running()
            self._next_id += 1
            number = self._next_id
            self._pending[number] = _Asked(process, future, answer, _file_of(question))
        request = {"id": number, "op": op, "body": question.model_dump(mode="json")}
        try:
            self._send(process, json.dumps(request).encode() + b"\n")
        except (OSError, ValueError) as error:  # ValueError: closed in the meantime
            self._resolve(number, _died(error))
        return future

    def close(self) -> None:
        """End the process; pending requests fail with an error."""
        with self._guard:
            self._closed = True
            process = self._process
            self._stop_timer()
        if process is None:
            return
        if process.stdin is not None and self._writing.acquire(timeout=CLOSE_SECONDS):
            with contextlib.suppress(OSError):  # it died with something unread
                process.stdin.close()
            self._writing.release()
        try:
            process.wait(timeout=CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def set_idle_seconds(self, seconds: float) -> None:
        """Change the time without questions after which the host ends."""
        with self._guard:
            self._idle_seconds = seconds
            self._stop_timer()
            self._start_timer()

    def end_if_idle(self) -> bool:
        """End the host if it has been idle long enough; return True if it was ended."""
        with self._guard:
            self._stop_timer()
            process = self._process
            if process is None or self._pending or self._closed:
                return False
            if time.monotonic() - self._used < self._idle_seconds:
                self._start_timer()
                return False
            # New requests start another process: nothing is written to this pipe.
            self._process = None
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # it died with something unread
                process.stdin.close()
        return True

    @property
    def pid(self) -> int | None:
        """The process id while a host runs, for tests and for the doctor."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            if self._process is not None and self._process.stdin is not None:
                with contextlib.suppress(OSError):  # what it left unread is lost with it
                    self._process.stdin.close()
            process = launch_host() if self._launch is None else self._launch()
            self._process = process
            threading.Thread(
                target=self._listen, args=(process,), name="engine host", daemon=True
            ).start()
        return self._process

    def _note_use(self) -> None:
        self._used = time.monotonic()
        self._start_timer()

    def _start_timer(self) -> None:
        """Look at the end of the idle time, unless a timer runs; an open question starts none."""
        is_needed = self._process is not None and not self._pending and not self._closed
        if self._timer is not None or not is_needed or math.isinf(self._idle_seconds):
            return
        left = max(0.0, self._used + self._idle_seconds - time.monotonic())
        self._timer = threading.Timer(left, self.end_if_idle)
        self._timer.daemon = True
        self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _send(self, process: subprocess.Popen[bytes], line: bytes) -> None:
        if process.stdin is None:
            raise RuntimeError("the engine host was started without a pipe")
        with self._writing:
            process.stdin.write(line)
            process.stdin.flush()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdout is None:
            return
        with process.stdout as lines:
            for line in lines:
                if line.endswith(b"\n"):  # otherwise it died over its last words
                    self._receive(json.loads(line))
        # A request that follows the end immediately must find the process gone.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_SECONDS)
        with self._guard:
            orphans = {key: each for key, each in self._pending.items() if each.process is process}
        # They are answered in their order: it died over the first one.
        for number, asked in sorted(orphans.items()):
            is_first = number == min(orphans)
            self._resolve(number, _died_over(asked.file) if is_first and asked.file else _died())

    def _receive(self, reply: dict[str, Any]) -> None:
        if "protocol" in reply:
            if self._on_ready is not None:
                self._on_ready()
            return
        error = reply.get("error")
        if error is None:
            self._resolve(reply["id"], reply["body"])
        elif error["user"]:
            text, hint = from_json(error["message"]), from_json(error["hint"])
            self._resolve(reply["id"], StudioError(text, hint, error["where"]))
        else:
            self._resolve(reply["id"], RuntimeError(error["message"]))

    def _resolve(self, number: int, outcome: Exception | dict[str, Any]) -> None:
        """Complete a request, once; canceled ones are ignored."""
        with self._guard:
            asked = self._pending.pop(number, None)
            self._note_use()
        if asked is None or not asked.future.set_running_or_notify_cancel():
            return
        if isinstance(outcome, Exception):
            asked.future.set_exception(outcome)
            return
        try:
            answer = asked.answer.model_validate(outcome)
        except ValidationError as error:
            asked.future.set_exception(RuntimeError(f"the host answered oddly: {error}"))
        else:
            asked.future.set_result(answer)


def _file_of(question: BaseModel) -> str:
    """Return the file of a model that a question is about, or nothing."""
    model = getattr(question, "model", None)
    return str(getattr(question, "path", "") or getattr(model, "file", ""))


def _died(cause: Exception | None = None) -> HostDiedError:
    text = message("The prediction engine ended unexpectedly.")
    if cause is not None:
        text = message("The prediction engine ended unexpectedly ({reason}).", reason=cause)
    return HostDiedError(
        text,
        "Try again: the engine restarts. If it happens again, the machine may be out of memory.",
    )


def _died_over(file: str) -> HostDiedError:
    return HostDiedError(
        "The prediction engine ended unexpectedly while reading {file}.",
        "Try again: the engine restarts. If it happens again, the file may be damaged, or the "
        "machine may be out of memory.",
        file,
        file=file,
    )
