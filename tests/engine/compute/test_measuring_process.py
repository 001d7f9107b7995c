"""The process that measures an exported file: its answers, its end, and what it fails with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.engine.compute import measuring_process
from studio.engine.compute.measuring_process import (
    LatencyReference,
    MeasuringProcess,
    NoAnswerError,
    ProcessEndedError,
)
from studio.engine.errors import StudioError
from studio.engine.progress import Cancelled, SilentProgress

RUNTIME = """
import numpy as np
NAME = "a runtime"
def load(path):
    print("a library that prints")
    {loading}
    def run(images):
        {body}
        return np.zeros((len(images), 2), np.float32)
    return run
"""


def started(
    folder: Path,
    body: str = "pass",
    progress: SilentProgress | None = None,
    seconds: float = 60,
    loading: str = "pass",
) -> MeasuringProcess:
    (folder / "runtime.py").write_text(RUNTIME.format(body=body, loading=loading))
    file = folder / "model"
    return MeasuringProcess(
        "a format", file, progress or SilentProgress(), os.environ, seconds=seconds
    )


def test_blocks_are_timed_and_what_libraries_print_is_no_answer(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        process.ask("noise", shape=[4, 2, 2, 1])
        process.warm(4)
        block = process.block(4, 2, 3, 0.01)
        assert 2 <= len(block.times_ms) <= 3
        assert all(each > 0 for each in block.times_ms)
        assert block.cpu_seconds >= 0
        assert process.ask("libraries") == {"runtime": "a runtime", "loaded": []}


def test_a_file_that_cannot_be_run_says_why(tmp_path: Path) -> None:
    with started(tmp_path, "raise ValueError('no such layer.')") as process:
        process.ask("noise", shape=[1, 2, 2, 1])
        with pytest.raises(ProcessEndedError, match="ValueError: no such layer") as caught:
            process.warm()
    assert caught.value.code == 1
    with started(tmp_path, "import os; os._exit(3)") as process:
        process.ask("noise", shape=[1, 2, 2, 1])
        with pytest.raises(ProcessEndedError, match="exit code 3: it printed nothing"):
            process.warm()


def test_an_answer_is_not_awaited_forever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring_process, "POLL_SECONDS", 0.01)
    hangs = "import threading; threading.Event().wait()"
    with started(tmp_path, loading=hangs, seconds=0.1) as process, pytest.raises(NoAnswerError):
        process.warm()

    class Ended(SilentProgress):
        def check(self) -> None:
            raise Cancelled

    with started(tmp_path, progress=Ended(), loading=hangs) as process, pytest.raises(Cancelled):
        process.warm()


def test_a_reference_that_cannot_be_run_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    progress = SilentProgress()
    monkeypatch.setattr(progress, "warn", warnings.append)

    def fails() -> MeasuringProcess:
        raise StudioError("It cannot be read.")

    with LatencyReference(fails, progress) as reference:
        assert reference.warmed() is None
        assert reference.warmed() is None
    assert warnings == ["Latencies are not compared. It cannot be read."]
