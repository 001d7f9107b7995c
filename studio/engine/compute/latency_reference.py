"""A model in a process of its own, beside which others are timed in turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from studio.engine.compute.measuring_process import MeasuringProcess
from studio.engine.errors import StudioError
from studio.engine.progress import Progress


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
        """The process, ready for batches of that size; None where it cannot run the model.

        Args:
            batch: Images of a call.

        Raises:
            Cancelled: Somebody asked for the work to end.
        """
        if self._is_usable:
            try:
                if self._process is None:
                    self._process = self._start()
                self._process.warm(batch)
            except StudioError as error:
                self._is_usable = False
                self._close()
                self._progress.warn(f"Latencies are not compared. {error.message}")
        return self._process

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()
