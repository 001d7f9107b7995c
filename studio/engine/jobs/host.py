"""The engine host seen from outside: one warm child process that answers short questions.

One JSON object per line each way. A question is `{"id", "op", "body"}`; an answer is `{"id",
"body"}` or `{"id", "error"}`. The first line from the host is `{"protocol", "backend"}`.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from pydantic import BaseModel

from studio.engine.errors import StudioError
from studio.engine.jobs.launch import launch_host

HOST_PROTOCOL = 1

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class EngineHost:
    """Starts the host when it is first needed, or earlier by `warm_up`; starts it anew if it dies.

    Thread safety: any thread may ask. Futures are resolved in the host's reading thread.
    """

    def __init__(self, on_ready: Callable[[], None] | None = None) -> None:
        self._on_ready = on_ready
        self._guard = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pending: dict[int, tuple[Future[Any], type[BaseModel]]] = {}
        self._next_id = 0
        self._closed = False

    def warm_up(self) -> None:
        """Start the process now, so that the first question finds Keras loaded.

        Raises:
            OSError: The process could not be started.
        """
        with self._guard:
            self._running()

    def ask(self, op: str, question: BaseModel, answer: type[AnswerT]) -> Future[AnswerT]:
        """Send a question; the future gives the answer, or raises what went wrong.

        The future raises `StudioError` for what the user can put right, and also when the host
        died over the question; `RuntimeError` with the host's own traceback for our bugs.
        """
        future: Future[AnswerT] = Future()
        with self._guard:
            if self._closed:
                raise RuntimeError("the engine host is closed")
            process = self._running()
            self._next_id += 1
            self._pending[self._next_id] = (future, answer)
            line = json.dumps(
                {"id": self._next_id, "op": op, "body": question.model_dump(mode="json")}
            )
            if process.stdin is None:
                raise RuntimeError("the engine host was started without a pipe")
            try:
                process.stdin.write(line.encode() + b"\n")
                process.stdin.flush()
            except OSError as error:
                del self._pending[self._next_id]
                future.set_exception(_died(error))
        return future

    def close(self) -> None:
        """End the process; open questions are answered with an error."""
        with self._guard:
            self._closed = True
            process = self._process
        if process is None:
            return
        # It keeps nothing, so it need not be asked; asking waits seconds while Keras loads.
        process.kill()
        process.wait()
        if process.stdin is not None:
            process.stdin.close()

    @property
    def pid(self) -> int | None:
        """The process id while a host runs, for tests and for the doctor."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            process = launch_host()
            self._process = process
            threading.Thread(
                target=self._listen, args=(process,), name="engine host", daemon=True
            ).start()
        return self._process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdout is None:
            return
        with process.stdout as lines:
            for line in lines:
                self._receive(json.loads(line))
        with self._guard:
            if self._process is process:
                orphans, self._pending = list(self._pending.values()), {}
            else:
                orphans = []
        for future, _ in orphans:
            future.set_exception(_died(None))

    def _receive(self, message: dict[str, Any]) -> None:
        if "protocol" in message:
            if self._on_ready is not None:
                self._on_ready()
            return
        with self._guard:
            future, answer = self._pending.pop(message["id"])
        error = message.get("error")
        if error is None:
            future.set_result(answer.model_validate(message["body"]))
        elif error["user"]:
            future.set_exception(StudioError(error["message"], error["hint"], error["where"]))
        else:
            future.set_exception(RuntimeError(error["message"]))


def _died(cause: OSError | None) -> StudioError:
    detail = f" ({cause})" if cause else ""
    return StudioError(
        f"The engine that answers questions ended unexpectedly{detail}.",
        "Try again: it is started anew. If it happens again, the machine may be out of memory.",
    )
