"""Processes that answer one request about foreign files, and end.

Such files are made to take all memory, or make a library in C hang or crash; neither may take the
window with it. The request is a line of JSON on standard input. Standard output carries lines of
progress, warnings and replies. When standard input is closed, the request was cancelled or the
caller is gone, and the process ends. Its standard error is dropped: libraries print to it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from typing import IO, Any, BinaryIO, Final

from studio.engine.errors import ERROR_KINDS, BadDataError, StudioError
from studio.engine.files import clear_system_error
from studio.engine.messages import from_json, message, to_json
from studio.engine.progress import Cancelled, Progress

POLL_SECONDS: Final = 0.1
END_SECONDS: Final = 2.0

Launch = Callable[[], "subprocess.Popen[bytes]"]


# The caller.


def replies_of(
    launch: Launch, request: dict[str, Any], progress: Progress
) -> Generator[dict[str, Any], None, None]:
    """Start a process, send it a request and yield its replies until it ends.

    Args:
        launch: Starts the process.
        request: The request.
        progress: Receives progress and warnings, and may cancel within a tenth of a second.

    Raises:
        StudioError: The process reported it, as its own class where that is known.
        Cancelled: Through `progress`.
        OSError: The process could not be started.
    """
    with _running(launch) as process:
        lines: queue.Queue[bytes] = queue.Queue()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the process was started without pipes")
        threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
        with contextlib.suppress(OSError):  # it died already; the end of its lines says so
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        while line := _next_line(lines, progress):
            reply = json.loads(line)
            if "error" in reply:
                kind, text, hint, where = reply["error"]
                raise ERROR_KINDS[kind](from_json(text), from_json(hint), where)
            if "warn" in reply:
                progress.warn(from_json(reply["warn"]))
            elif "advance" in reply:
                done, total, what = reply["advance"]
                progress.advance(done, total, from_json(what))
            else:
                yield reply


@contextlib.contextmanager
def _running(launch: Launch) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that has ended when the block ends."""
    process = launch()
    try:
        yield process
    finally:
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # it died with something unread
                process.stdin.close()  # asks it to end
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _read(output: IO[bytes], lines: queue.Queue[bytes]) -> None:
    with output:
        for line in output:
            if line.endswith(b"\n"):  # otherwise it died over its last words
                lines.put(line)
    lines.put(b"")


def _next_line(lines: queue.Queue[bytes], progress: Progress) -> bytes:
    """Return the next line, empty at the end."""
    while True:
        progress.check()
        with contextlib.suppress(queue.Empty):
            return lines.get(timeout=POLL_SECONDS)


# The process.


class Replies:
    """Sends the replies of a process and its progress; see `Progress`.

    Args:
        output: The pipe to the caller.
    """

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._cancelled = threading.Event()

    def send(self, reply: dict[str, Any]) -> None:
        """Send a reply."""
        self._output.write(json.dumps(reply).encode() + b"\n")
        self._output.flush()

    def advance(self, done: int, total: int, what: str) -> None:
        """See `Progress.advance`."""
        self.check()
        self.send({"advance": [done, total, to_json(what)]})

    def warn(self, message: str) -> None:
        """See `Progress.warn`."""
        self.send({"warn": to_json(message)})

    def check(self) -> None:
        """See `Progress.check`."""
        if self._cancelled.is_set():
            raise Cancelled

    def end_with_input(self) -> None:
        """End the process soon after standard input is closed."""
        sys.stdin.buffer.read()
        self._cancelled.set()
        threading.Event().wait(END_SECONDS)
        os._exit(1)  # deep in a library that does not ask


def answer_one(work: Callable[[dict[str, Any], Replies], None]) -> int:
    """Answer the request on standard input, and return the exit code of the process.

    Args:
        work: Does what is requested and sends replies.
    """
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    request = json.loads(sys.stdin.buffer.readline())
    replies = Replies(output)
    threading.Thread(target=replies.end_with_input, daemon=True).start()
    try:
        work(request, replies)
    except Cancelled:
        pass
    except StudioError as error:
        replies.send(_error(error))
    except MemoryError:
        replies.send(_error(BadDataError(message("too large for memory"))))
    except OSError as error:
        reported = clear_system_error(error)
        if not isinstance(reported, StudioError):
            raise
        replies.send(_error(reported))
    return 0


def _error(error: StudioError) -> dict[str, Any]:
    known = (kind for kind in type(error).__mro__ if kind.__name__ in ERROR_KINDS)
    kind = next(known, StudioError).__name__
    return {"error": [kind, to_json(error.message), to_json(error.hint), error.where]}
