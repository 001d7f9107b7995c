"""A fresh process that runs an exported file by its own runtime, and answers requests about it.

`LatencyReference` is a model in such a process, beside which others are timed in turns.
"""

from __future__ import annotations

import contextlib
import json
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Self

from studio.engine.assets import asset
from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.timing import BLOCK_SECONDS, MIN_CALLS, TimedBlock

SECONDS = 600.0
WARM = 5
POLL_SECONDS = 0.2


class ProcessEndedError(StudioError):
    """The process died: the file cannot be run.

    Attributes:
        code: Exit code, or minus the number of the signal.
        last_line: Last line of its output.
    """

    def __init__(self, label: str, code: int, last_line: str) -> None:
        super().__init__(
            message(
                "The exported file ({format}) cannot be run, exit code {code}: {reason}.",
                format=label,
                code=code,
                reason=last_line,
            ),
            "Choose another format or precision, and please report this.",
            "format",
        )
        self.code, self.last_line = code, last_line


class NoAnswerError(StudioError):
    """The process does not answer in time."""

    def __init__(self, label: str, seconds: float) -> None:
        super().__init__(
            message(
                "The exported file ({format}) did not respond within {seconds:g} seconds.",
                format=label,
                seconds=seconds,
            ),
            "Choose another format.",
        )


class MeasuringProcess:
    """`measure.py` in a fresh process that sees no Studio."""

    def __init__(
        self,
        label: str,
        file: Path,
        progress: Progress,
        environment: Mapping[str, str],
        *,
        provider: str = "cpu",
        seconds: float = SECONDS,
    ) -> None:
        """Start the process.

        Args:
            label: Label of what it runs, for errors: its format and precision.
            file: The model; its folder has the runtime, too.
            progress: Asked whether to continue while an answer is awaited.
            environment: All variables of the process.
            provider: Short name of an execution provider, as in `benchmarks.prediction`.
            seconds: Limit for an answer; the first one includes loading the model.
        """
        self._label, self._progress, self._seconds = label, progress, seconds
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-B", str(asset("export/measure.py"))),
                *(str(file.parent), file.name, provider),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=dict(environment),
        )
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        # What a process that died did not read stays in the buffer. This comes before the reader
        # is awaited: a child of the process, as of Python's launcher on Windows, ends by it.
        with contextlib.suppress(OSError):
            self._pipe(self._process.stdin).close()
        self._reader.join()
        self._pipe(self._process.stdout).close()
        self._log.close()

    def ask(self, request: str, **words: object) -> dict[str, Any]:
        """Make a request and wait for its answer.

        Args:
            request: Name of a method of `Measured` in `measure.py`.
            **words: Its arguments.

        Raises:
            ProcessEndedError: The file cannot be run.
            NoAnswerError: The time limit was reached.
            Cancelled: The job was asked to end.
        """
        line = json.dumps({"do": request, **words}) + "\n"
        pipe = self._pipe(self._process.stdin)
        try:
            pipe.write(line.encode())
            pipe.flush()
        except OSError as error:  # its end of the pipe is closed: it ended
            raise self._ended() from error
        answer = self._answer()
        if answer is None:
            raise self._ended()
        found: dict[str, Any] = json.loads(answer)
        return found

    def block(
        self,
        batch: int = 1,
        least: int = MIN_CALLS,
        most: int = 1_000_000,
        seconds: float = BLOCK_SECONDS,
    ) -> TimedBlock:
        """Time calls for a moment.

        Args:
            batch: Images of a call.
            least: Calls at least.
            most: Calls at most.
            seconds: No call begins later, but the least ones.

        Raises:
            ProcessEndedError: The file cannot be run.
            NoAnswerError: The time limit was reached.
        """
        return TimedBlock(
            **self.ask("block", batch=batch, least=least, most=most, seconds=seconds)
        )

    def warm(self, batch: int = 1) -> None:
        """Call a few times without timing, because the first calls compile.

        Args:
            batch: Images of a call.
        """
        self.block(batch, WARM, WARM, 0)

    def _answer(self) -> bytes | None:
        until = time.monotonic() + self._seconds
        while time.monotonic() < until:
            try:
                return self._answers.get(timeout=POLL_SECONDS)
            except queue.Empty:
                self._progress.check()
        raise NoAnswerError(self._label, self._seconds)

    def _read(self) -> None:
        for line in self._pipe(self._process.stdout):
            self._answers.put(line)
        self._answers.put(None)

    def _ended(self) -> ProcessEndedError:
        code = self._process.wait()
        self._log.seek(0)
        return ProcessEndedError(self._label, code, last_line(self._log.read()))

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise RuntimeError("the process was started without its pipes")
        return pipe


def last_line(stderr: bytes) -> str:
    """Return the last line that is not one of TensorFlow's own log lines."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    messages = [line for line in lines if not re.match(r"[IWE]\d{4} |WARNING: All log", line)]
    return messages[-1].strip().rstrip(".")[:300] if messages else "it printed nothing"


class LatencyReference:
    """Starts the process when it is first needed, and ends it with the block."""

    def __init__(self, start: Callable[[], MeasuringProcess], progress: Progress) -> None:
        """Remember what to run.

        Args:
            start: Starts the process.
            progress: Warned where the model cannot be run.
        """
        self._start, self._progress = start, progress
        self._process: MeasuringProcess | None = None
        self._is_usable = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._close()

    def warmed(self, batch: int = 1) -> MeasuringProcess | None:
        """Return the process, ready for batches of that size; None where it cannot run the model.

        Args:
            batch: Images of a call.

        Raises:
            Cancelled: The job was asked to end.
        """
        if self._is_usable:
            try:
                if self._process is None:
                    self._process = self._start()
                self._process.warm(batch)
            except StudioError as error:
                self._is_usable = False
                self._close()
                self._progress.warn(
                    message("Latencies are not compared. {reason}", reason=error.message)
                )
        return self._process

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()
