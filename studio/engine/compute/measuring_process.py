"""A fresh process that runs an exported file by its own runtime, and answers requests about it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import keras

from studio.engine.assets import asset
from studio.engine.errors import StudioError
from studio.engine.paired_timing import BLOCK_SECONDS, Block
from studio.engine.progress import Progress

SECONDS = 600
LOOK_SECONDS = 0.2


class MeasuringProcess:
    """`measure.py` in a fresh process that sees no Studio, on the CPU.

    All are measured there: of a graphics card, small runtimes would not use anything.
    """

    def __init__(self, label: str, folder: Path, images: Path, progress: Progress) -> None:
        """Start the process.

        Args:
            label: Of what it runs, for errors: its format and precision.
            folder: That of the export: with the model, its runtime and `labels.json`.
            images: A file with uint8 images, n x height x width x channels.
            progress: Asked whether to go on while an answer is awaited.
        """
        self._label, self._progress = label, progress
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-B", str(asset("export/measure.py"))),
                *(str(folder), str(images)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=_environment(),
        )
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._pipe(self._process.stdin), self._pipe(self._process.stdout)):
            # What a process that died did not read stays in the buffer.
            with contextlib.suppress(OSError):
                pipe.close()
        self._log.close()

    def ask(self, request: str, **words: object) -> dict[str, Any]:
        """Make a request and wait for its answer.

        Args:
            request: Name of a method of `Measured` in `measure.py`.
            **words: Its arguments.

        Raises:
            StudioError: The process ended, or gives no answer.
            Cancelled: Somebody asked for the work to end.
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

    def block(self) -> Block:
        """Time single images for a moment."""
        return Block(**self.ask("block", seconds=BLOCK_SECONDS))

    def _answer(self) -> bytes | None:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            try:
                return self._answers.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                self._progress.check()
        raise StudioError(
            f"The exported file ({self._label}) gave no answer in {SECONDS} seconds.",
            "Choose another format.",
        )

    def _read(self) -> None:
        for line in self._pipe(self._process.stdout):
            self._answers.put(line)
        self._answers.put(None)

    def _ended(self) -> StudioError:
        code = self._process.wait()
        self._log.seek(0)
        return StudioError(
            f"The exported file ({self._label}) cannot be run, exit code {code}: "
            f"{_last_word(self._log.read())}.",
            "Choose another format or precision, and please report this.",
            "format",
        )

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise RuntimeError("the process was started without its pipes")
        return pipe


def _environment() -> dict[str, str]:
    changes = {
        "KERAS_BACKEND": keras.backend.backend(),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    return {**os.environ, **changes}


def _last_word(stderr: bytes) -> str:
    """The last line that is not one of TensorFlow's own log lines."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    told = [line for line in lines if not re.match(r"[IWE]\d{4} |WARNING: All log", line)]
    return told[-1].strip().rstrip(".") if told else "it said nothing"
