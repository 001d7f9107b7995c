"""The Keras model of a run in a process of its own, beside which exported files are timed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

import keras

from studio.engine.assets import asset
from studio.engine.compute.measuring_process import MeasuringProcess
from studio.engine.errors import StudioError
from studio.engine.inference.model_card import CARD
from studio.engine.networks.exported import KERAS_MODEL
from studio.engine.progress import Progress


class LatencyReference:
    """Starts the process when it is first needed, and ends it with the block."""

    def __init__(self, model: keras.Model, folder: Path, images: Path, progress: Progress) -> None:
        """Remember what to run.

        Args:
            model: Takes uint8 images, n x height x width x channels.
            folder: Does not exist yet; the model is written to it.
            images: A file with such images.
            progress: Asked whether to go on, and warned where the model cannot be run.
        """
        self._model, self._folder, self._images = model, folder, images
        self._progress = progress
        self._process: MeasuringProcess | None = None
        self._is_tried = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.close()

    def process(self) -> MeasuringProcess | None:
        """The process, warmed up; None where the model cannot be run in one.

        Raises:
            Cancelled: Somebody asked for the work to end.
        """
        if not self._is_tried:
            self._is_tried = True
            try:
                self._start()
            except StudioError as error:
                self._progress.warn(f"Latencies are not compared. {error.message}")
        return self._process

    def _start(self) -> None:
        self._folder.mkdir()
        self._model.save(self._folder / KERAS_MODEL)
        (self._folder / CARD).write_text(json.dumps({"model": KERAS_MODEL}), encoding="utf-8")
        shutil.copyfile(asset("export/runtimes/keras.py"), self._folder / "runtime.py")
        process = MeasuringProcess("Keras", self._folder, self._images, self._progress)
        try:
            process.ask("warm")
        except BaseException:
            process.close()
            raise
        self._process = process
