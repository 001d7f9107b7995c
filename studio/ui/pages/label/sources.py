"""Adds pictures to a labeling: files, datasets, videos, the clipboard, the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu, QWidget

from studio.engine.jobs.states import State
from studio.engine.labeling.items import Origin
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import Value
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge.background import WindowProgress
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.pages.label.session import LabelSession
from studio.ui.shared.media import ScreenPicker, screen_unavailable
from studio.ui.widgets.figures import count
from studio.ui.widgets.notices import Kind, Notice

if TYPE_CHECKING:
    from studio.engine.labeling.sources import Added

FOLDER_KEY: Final = "label"
_CHANGED: Final = 0.02
"""Least difference of frames that are taken where only changed ones are."""


class PictureSources(QObject):
    """Adds pictures of any source to a labeling, in another thread.

    Args:
        session: The labeling.
        window: Widget that owns dialogs.

    Signals:
        busy_changed: Text of the current work; empty when it has ended.
    """

    busy_changed = Signal(str)

    def __init__(self, session: LabelSession, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._progress: WindowProgress | None = None
        self._picker: ScreenPicker | None = None

    def fill(self, menu: QMenu) -> None:
        """Offer all sources but the webcam."""
        menu.clear()
        for text, call in (
            (self.tr("Folder…"), self.ask_folder),
            (self.tr("Picture files…"), self.ask_files),
            (self.tr("Video…"), self.ask_video),
        ):
            menu.addAction(text, call)
        datasets = menu.addMenu(self.tr("Images of a dataset"))
        entries = self._session.context.jobs.entries(RecordKind.DATASET)
        usable = [entry for entry in entries if entry.state == State.COMPLETED]
        for entry in usable:
            action = QAction(entry.name.replace("&", "&&"), datasets)
            action.triggered.connect(partial(self.add_dataset, entry))
            datasets.addAction(action)
        datasets.setEnabled(bool(usable))
        menu.addSeparator()
        paste = menu.addAction(self.tr("Picture in the clipboard"), self.paste)
        paste.setEnabled(not QGuiApplication.clipboard().image().isNull())
        screen = menu.addAction(self.tr("Region of the screen"), self.pick_screen)
        reason = screen_unavailable()
        screen.setEnabled(not reason)
        screen.setToolTip(reason)

    def ask_folder(self) -> None:
        """Ask for a folder and add its pictures."""
        settings = self._session.context.settings
        name = QFileDialog.getExistingDirectory(
            self._window, self.tr("Choose a folder of pictures"), str(settings.folder(FOLDER_KEY))
        )
        if name:
            settings.set_folder(FOLDER_KEY, Path(name))
            self.add_paths([Path(name)])

    def ask_files(self) -> None:
        """Ask for picture files and add them."""
        settings = self._session.context.settings
        names, _ = QFileDialog.getOpenFileNames(
            self._window, self.tr("Choose pictures"), str(settings.folder(FOLDER_KEY))
        )
        if names:
            settings.set_folder(FOLDER_KEY, Path(names[0]).parent)
            self.add_paths([Path(name) for name in names])

    def ask_video(self) -> None:
        """Ask for a video, and which of its frames are added."""
        settings = self._session.context.settings
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Choose a video"), str(settings.folder(FOLDER_KEY))
        )
        if name:
            settings.set_folder(FOLDER_KEY, Path(name).parent)
            self.add_video(Path(name))

    def add_video(self, path: Path) -> None:
        """Ask which frames of a video are added, and add them."""
        every, is_chosen = QInputDialog.getInt(
            self._window,
            self.tr("Frames of a video"),
            self.tr("Take every n-th frame (1: only frames that changed):"),
            30,
            1,
            100_000,
        )
        if is_chosen:
            changed = _CHANGED if every == 1 else 0.0
            self._run(partial(_add_video, self._session, path, every, changed))

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files and folders; videos ask which frames are taken."""
        from studio.engine.labeling.sources import video_paths  # noqa: PLC0415 - imports NumPy

        videos, others = video_paths(paths)
        if others:
            self._run(partial(_add_paths, self._session, others))
        for video in videos:
            self.add_video(video)

    def add_dataset(self, entry: RecordDocument) -> None:
        """Add the images of a dataset without their labels."""
        self._run(partial(_add_dataset, self._session, entry.record))

    def paste(self) -> None:
        """Add the picture in the clipboard."""
        self.add_image(QGuiApplication.clipboard().image(), "clipboard")

    def pick_screen(self) -> None:
        """Let the user draw a rectangle on the screen and add what is in it."""
        self._picker = ScreenPicker(self._window.window())
        self._picker.picked.connect(self._on_picked)
        self._picker.start()

    def add_image(self, image: QImage, origin: Origin) -> None:
        """Add a picture that has no file.

        Args:
            image: The picture; a null one is left out.
            origin: "clipboard", "screen" or "webcam".
        """
        if not image.isNull():
            work = partial(capture_image, self._session.labeling, image, origin)
            self._session.context.background.run(self, work, self._on_captured)

    def cancel(self) -> None:
        """End what is being added; what was added until then stays."""
        if self._progress is not None:
            self._progress.cancel()

    def _on_picked(self, image: QImage) -> None:
        self.add_image(image, "screen")

    def _on_captured(self, _item: int) -> None:
        self._session.added()

    def _run(self, work: Callable[[WindowProgress], Added]) -> None:
        progress = WindowProgress(self)
        progress.advanced.connect(self._on_advanced)
        self._progress = progress
        self.busy_changed.emit(self.tr("Adding pictures…"))
        self._session.context.background.run(
            self, partial(work, progress), self._on_added, self._on_failed
        )

    def _on_advanced(self, done: int, total: int, what: str) -> None:
        figures = f"{count(done)} / {count(total)}" if total else count(done)
        self.busy_changed.emit(f"{translated(what)} · {figures}")

    def _on_added(self, added: Added) -> None:
        self._progress = None
        self.busy_changed.emit("")
        self._session.added()
        parts = [self.tr("{n} pictures added.").format(n=count(len(added.items)))]
        if added.duplicates:
            parts.append(self.tr("{n} were already there.").format(n=count(added.duplicates)))
        if added.skipped:
            first = added.skipped[0]
            parts.append(
                self.tr("{n} cannot be read, such as {file}.").format(
                    n=count(len(added.skipped)), file=Path(first.path).name
                )
            )
        kind: Kind = "warning" if added.skipped else "success"
        self._session.context.navigator.notify(
            Notice(kind, self.tr("Pictures added"), " ".join(parts))
        )

    def _on_failed(self, error: BaseException) -> None:
        from studio.engine.progress import Cancelled  # noqa: PLC0415

        self._progress = None
        self.busy_changed.emit("")
        self._session.added()
        if not isinstance(error, Cancelled):
            self._session.context.navigator.show_failure(error)


def _add_paths(session: LabelSession, paths: Sequence[Path], progress: WindowProgress) -> Added:
    from studio.engine.labeling.sources import add_pictures  # noqa: PLC0415 - in another thread

    return add_pictures(session.labeling, paths, progress)


def _add_dataset(session: LabelSession, record: Record, progress: WindowProgress) -> Added:
    from studio.engine.labeling.sources import add_dataset  # noqa: PLC0415

    return add_dataset(session.labeling, session.context.workspace, record, progress)


def _add_video(
    session: LabelSession, path: Path, every: int, changed: float, progress: WindowProgress
) -> Added:
    from studio.engine.labeling.sources import add_video  # noqa: PLC0415

    return add_video(session.labeling, path, progress, every=every, changed=changed)


def capture_image(
    labeling: Labeling, image: QImage, origin: Origin, value: Value | None = None
) -> int:
    """Add a picture that has no file, and return its number; in another thread.

    Args:
        labeling: The labeling.
        image: The picture.
        origin: Where it came from.
        value: Its value; None for none yet.
    """
    import numpy as np  # noqa: PLC0415

    from studio.engine.labeling.sources import capture  # noqa: PLC0415

    flat = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(flat.constBits(), np.uint8).reshape(flat.height(), flat.bytesPerLine())
    pixels = rows[:, : 3 * flat.width()].reshape(flat.height(), flat.width(), 3).copy()
    return capture(labeling, pixels, origin, value)
