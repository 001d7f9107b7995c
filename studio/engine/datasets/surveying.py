"""Looks through the sources of a dataset in another process, which can be stopped at any moment.

Sources come from anywhere: one that is made to take all memory, or to make a library in C hang or
crash, must not take the window with it.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from typing import IO

from studio.engine.datasets.survey import SurveyQuestion, SurveyResult
from studio.engine.errors import StudioError
from studio.engine.jobs.launch import launch_survey
from studio.engine.messages import from_json, message
from studio.engine.progress import Progress

_ASK_SECONDS = 0.1
_END_SECONDS = 2.0


def survey_elsewhere(question: SurveyQuestion, progress: Progress) -> SurveyResult:
    """Answer a question in a separate process.

    Args:
        question: The images to look for.
        progress: Receives the progress and may cancel within a tenth of a second.

    Raises:
        StudioError: Nothing that can be imported is there, or the process ended over it.
        Cancelled: Through `progress`.
        OSError: The process could not be started.
    """
    with _process() as process:
        lines: queue.Queue[bytes] = queue.Queue()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the survey was started without pipes")
        threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
        with contextlib.suppress(OSError):  # it died already; the end of its lines says so
            process.stdin.write(json.dumps(question.to_data()).encode() + b"\n")
            process.stdin.flush()
        while line := _next_line(lines, progress):
            answer = json.loads(line)
            if "found" in answer:
                return SurveyResult.of_data(answer["found"])
            if "error" in answer:
                text, hint, where = answer["error"]
                raise StudioError(from_json(text), from_json(hint), where)
            if "warn" in answer:
                progress.warn(from_json(answer["warn"]))
            else:
                done, total, what = answer["advance"]
                progress.advance(done, total, from_json(what))
        raise StudioError(
            message("Reading {source} ended unexpectedly.", source=question.recipe.source),
            "The file may be damaged, or the machine is out of memory.",
            "source",
        )


@contextlib.contextmanager
def _process() -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that has ended when the block ends."""
    process = launch_survey()
    try:
        yield process
    finally:
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # it died with something unread
                process.stdin.close()  # asks it to end
        try:
            process.wait(_END_SECONDS)
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
            return lines.get(timeout=_ASK_SECONDS)
