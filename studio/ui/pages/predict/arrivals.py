"""What came in (files, a picture, an address, a video) made into batches of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.datasets.sources.shared.address import short_name
from studio.engine.errors import StudioError
from studio.ui.context import AppContext
from studio.ui.pages.predict import multimedia
from studio.ui.pages.predict.multimedia import VIDEOS, VideoReader
from studio.ui.pages.predict.pictures import MAY_MOVE, PastedPictures, frames_of
from studio.ui.pages.predict.state import Batch, Failure, failure_of

if TYPE_CHECKING:
    from studio.engine.inference.frames import Frame


class Arrivals(QObject):
    """Makes batches; what is not on the disk yet is fetched in other threads.

    Signals:
        arrived: A new `Batch`; without files while they are fetched.
        ready: A batch that arrived before has its files, or its reason why not.
    """

    arrived = Signal(object)
    ready = Signal(object)

    def __init__(
        self, context: AppContext, pasted: PastedPictures, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._pasted = pasted

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Files and folders; a single one may be a video or an animation."""
        if len(paths) == 1 and paths[0].suffix.casefold() in VIDEOS:
            self._read_video(paths[0])
        elif len(paths) == 1 and paths[0].suffix.casefold() in MAY_MOVE:
            self._look_for_frames(paths[0])
        elif paths:
            self.arrived.emit(Batch(tuple(paths)))

    def take_image(self, image: QImage, title: str) -> None:
        """A picture without a file."""
        save = partial(self._pasted.save, image)
        self._context.background.run(self, save, partial(self._on_saved, title))

    def take_address(self, address: str) -> None:
        """The address of a picture on the web."""
        batch = Batch((), title=short_name(address), address=address)
        self.arrived.emit(batch)
        self.fetch(batch)

    def fetch(self, batch: Batch) -> None:
        """Download the picture of a batch, perhaps once more."""
        batch.failure = None
        fetch = partial(self._pasted.fetch, batch.address)
        done, failed = partial(self._on_fetched, batch), partial(self._on_failed, batch)
        self._context.background.run(self, fetch, done, failed)

    def _on_saved(self, title: str, path: Path) -> None:
        self.arrived.emit(Batch((path,), title=title))

    def _on_fetched(self, batch: Batch, path: Path) -> None:
        batch.dropped = (path,)
        self.ready.emit(batch)

    def _on_failed(self, batch: Batch, error: BaseException) -> None:
        batch.failure = failure_of(error)
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
        self.ready.emit(batch)

    def _look_for_frames(self, path: Path) -> None:
        # It takes its place at once: what was shown before is not the answer to this.
        batch = Batch((), title=path.name)
        self.arrived.emit(batch)
        look = partial(frames_of, path, self._pasted)
        done = partial(self._on_looked, batch, path)
        self._context.background.run(self, look, done, partial(self._on_not_looked, batch, path))

    def _on_looked(self, batch: Batch, path: Path, frames: list[Frame]) -> None:
        if frames:
            batch.dropped = tuple(frame.path for frame in frames)
            batch.times = tuple(frame.seconds for frame in frames)
        else:
            batch.dropped, batch.title = (path,), ""
        self.ready.emit(batch)

    def _on_not_looked(self, batch: Batch, path: Path, error: BaseException) -> None:
        batch.dropped, batch.title = (path,), ""
        self._on_failed(batch, error)

    def _read_video(self, path: Path) -> None:
        batch = Batch((), title=path.name, times=())
        batch.is_read = True
        self.arrived.emit(batch)
        self._context.background.run(
            self,
            multimedia.load,
            partial(self._on_loaded, batch, path),
            partial(self._on_not_loaded, batch),
        )

    def _on_loaded(self, batch: Batch, path: Path, _nothing: None) -> None:
        reader = VideoReader(self)
        frames: list[tuple[Path, float]] = []
        reader.frame.connect(partial(self._on_frame, batch, frames))
        reader.finished.connect(partial(self._on_video_read, batch, frames))
        reader.start(path)

    def _on_not_loaded(self, batch: Batch, error: BaseException) -> None:
        batch.is_read = False
        self._on_failed(batch, error)

    def _on_frame(
        self, batch: Batch, frames: list[tuple[Path, float]], image: QImage, seconds: float
    ) -> None:
        save = partial(self._pasted.save, image, ".bmp")
        done = partial(self._on_frame_saved, frames, seconds)
        self._context.background.run(self, save, done, partial(self._on_failed, batch))

    def _on_frame_saved(
        self, frames: list[tuple[Path, float]], seconds: float, path: Path
    ) -> None:
        frames.append((path, seconds))

    def _on_video_read(self, batch: Batch, frames: list[tuple[Path, float]], reason: str) -> None:
        # Behind the last frame, which may still be on its way to the disk.
        done = partial(self._on_video_done, batch, frames, reason)
        self._context.background.run(self, partial(self._pasted.place, ""), done)

    def _on_video_done(
        self, batch: Batch, frames: list[tuple[Path, float]], reason: str, _path: Path
    ) -> None:
        batch.is_read = False
        if not frames:
            batch.failure = Failure(reason or self.tr("The video gives no pictures."))
        in_order = sorted(frames, key=_second)
        batch.dropped = tuple(path for path, _ in in_order)
        batch.times = tuple(seconds for _, seconds in in_order)
        self.ready.emit(batch)


def _second(frame: tuple[Path, float]) -> float:
    return frame[1]
