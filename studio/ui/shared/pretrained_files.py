"""Files of pretrained weights: their download, import and removal, with the controls for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.detectors import fetch_source
from studio.engine.pretrained.sources import PretrainedSource
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.progress import Cancelled, Progress
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.shared.jobs import show_stopping
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import HintLabel


class PretrainedFiles(QObject):
    """Downloads, imports and removes files of pretrained weights outside the window's thread.

    A download continues while other files are imported or removed.

    Args:
        context: Context of the window.
        parent: Owner of the controls.

    Attributes:
        bar: Progress of the download.
        cancel_button: Cancels the download.
        problem: Why a download, an import or a removal failed.
        coming: Name of the source that is downloaded; empty for none.
        is_changing: True while files are imported or removed.

    Signals:
        started: A download, an import or a removal began.
        ended: One ended; the files may be others.
    """

    started = Signal()
    ended = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._download = Request(context.background, self)
        self._download.advanced.connect(self._on_advanced)
        self.coming = ""
        self.is_changing = False
        self.bar = ThinBar(context.theme, parent)
        self.problem = HintLabel("", "problem", parent)
        tip = self.tr("Cancels the download. It continues next time if a checksum is published.")
        self.cancel_button = push_button(
            "", context.theme, kind="quiet", icon="stop", tip=tip, parent=parent
        )
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self._on_cancel)
        self.show_download(is_shown=False)

    def show_download(self, *, is_shown: bool) -> None:
        """Show the progress of the download and the button that cancels it."""
        self.bar.setVisible(is_shown)
        self.cancel_button.setVisible(is_shown)

    def why_not(self, shown: str) -> str:
        """Return why no download or import can begin; empty if one can.

        Args:
            shown: Name of the source that is shown; its own download is no reason.
        """
        if self.coming and self.coming != shown:
            return self.tr("Another download is under way.")
        return self.why_no_change

    @property
    def why_no_change(self) -> str:
        """Reason why no files can be imported or removed; empty if they can."""
        return self.tr("Files are being imported or removed.") if self.is_changing else ""

    def fetch(self, source: PretrainedSource) -> None:
        """Download the missing files of a source, and make the network of a detector."""
        self.bring(source, partial(fetch_source, self._context.engine, source))

    def bring(
        self,
        source: PretrainedSource,
        work: Callable[[Progress], Path],
        done: Callable[[Path], None] | None = None,
    ) -> None:
        """Download a source for what is made of it.

        Args:
            source: The source.
            work: Downloads its missing files; called in another thread with the progress.
            done: Called with the path that it returns.
        """
        self.coming = source.name
        self.problem.show_text("")
        self.bar.set_fraction(None)
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setEnabled(True)
        self.show_download(is_shown=True)
        self._download.track(work, partial(self._on_brought, done), self._on_download_failed)
        self.started.emit()

    def change(self, work: Callable[[], object]) -> None:
        """Import or remove files."""
        self.problem.show_text("")
        self.is_changing = True
        self._context.background.run(self, work, self._on_changed, self._on_change_failed)
        self.started.emit()

    def remove(self, source: PretrainedSource) -> None:
        """Remove the files of a source."""
        self.change(partial(PretrainedStore().remove, source))

    def _on_advanced(self, done: int, total: int, _what: str) -> None:
        self.bar.set_fraction(done / total if total else None)

    def _on_brought(self, done: Callable[[Path], None] | None, path: Path) -> None:
        self._on_downloaded()
        if done is not None:
            done(path)

    def _on_downloaded(self) -> None:
        self.coming = ""
        self.show_download(is_shown=False)
        self.ended.emit()

    def _on_download_failed(self, error: BaseException) -> None:
        self._on_downloaded()
        self._show_error(error)

    def _on_changed(self, _nothing: object = None) -> None:
        self.is_changing = False
        self.ended.emit()

    def _on_change_failed(self, error: BaseException) -> None:
        self._on_changed()
        self._show_error(error)

    def _show_error(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.problem.show_text(str(error))
        elif not isinstance(error, Cancelled):
            self._context.navigator.show_failure(error)

    def _on_cancel(self) -> None:
        self._download.stop()
        show_stopping(self.cancel_button)
