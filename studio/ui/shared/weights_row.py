"""Published weights of a network: found, downloaded, taken from a file or deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.errors import StudioError
from studio.engine.pretrained.sources import source_of_backbone
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.progress import Cancelled
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.shared.jobs import show_stopping
from studio.ui.shared.training import ask_weights_file
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import size
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout, vbox
from studio.ui.widgets.tips import allow


class WeightsRow(QWidget):
    """Download state of the weights of a backbone."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._name = ""
        # What is being downloaded, which need not be what is shown; empty for nothing.
        self._coming = ""
        self._is_changing = False
        self._download = Request(context.background, self)
        self._download.advanced.connect(self._on_advanced)
        self._finding = Request(context.background, self)
        self.text = QLabel(wordWrap=True)
        self.problem = HintLabel("", "problem", self)
        self.bar = ThinBar(context.theme, self)
        theme = context.theme
        tip = self.tr("Downloads pretrained weights, so that few images are enough.")
        self.get_button = push_button(
            self.tr("Download"), theme, icon="download", tip=tip, on_click=self._on_get
        )
        tip = self.tr("Takes the weights from a file that was downloaded elsewhere.")
        self.file_button = push_button(
            self.tr("Use a file…"), theme, kind="quiet", tip=tip, on_click=self._on_file
        )
        text = self.tr("Delete weights")
        tip = self.tr("Frees disk space. You can download the weights again.")
        self.delete_button = push_button(
            text, theme, kind="quiet", icon="trash", tip=tip, on_click=self._on_delete
        )
        text = self.tr("Cancel")
        tip = self.tr("Cancels the download. It continues next time if a checksum is published.")
        self.cancel_button = push_button(
            text, theme, kind="quiet", icon="stop", tip=tip, on_click=self._on_cancel
        )
        row = FlowLayout(spacing=SPACE.s)
        for button in (
            self.get_button,
            self.file_button,
            self.cancel_button,
            self.delete_button,
        ):
            row.addWidget(button)
        vbox(self.text, self.bar, self.problem, row, owner=self, spacing=SPACE.s)

    def show_backbone(self, name: str) -> None:
        """Show a backbone; an empty name hides the row."""
        self.setVisible(bool(name))
        if name == self._name:
            return
        self._name = name
        self.problem.show_text("")
        self._show(None)
        self._finding.drop()
        if name:
            self._inspect()

    def _inspect(self) -> None:
        self._finding.run(partial(_find, self._name), self._show)

    def _show(self, there: int | None) -> None:
        is_coming = bool(self._coming) and self._coming == self._name
        if there is not None:
            text = self.tr("Pretrained weights: {size} on this computer")
            text = text.format(size=size(there))
        elif is_coming:
            text = self.tr("Pretrained weights are being downloaded")
        else:
            text = self.tr("Pretrained weights: not on this computer; training downloads them")
        self.text.setText(text)
        self.bar.setVisible(is_coming)
        self.cancel_button.setVisible(is_coming)
        self.get_button.setVisible(there is None and not is_coming)
        self.file_button.setVisible(there is None and not is_coming)
        self.delete_button.setVisible(there is not None)
        self._allow()

    def _allow(self) -> None:
        changing = self.tr("Files are being imported or removed.") if self._is_changing else ""
        is_busy = bool(self._coming) and self._coming != self._name
        busy = self.tr("Another download is under way.") if is_busy else ""
        for button in (self.get_button, self.file_button):
            allow(button, busy or changing)
        allow(self.delete_button, changing)

    def _on_get(self) -> None:
        self._coming = self._name
        self.bar.set_fraction(None)
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setEnabled(True)
        self.problem.show_text("")
        self._show(None)
        source = source_of_backbone(self._name)
        if source is not None:
            work = partial(PretrainedStore().fetch, source)
            self._download.track(work, self._on_downloaded, self._on_download_failed)

    def _on_file(self) -> None:
        path = ask_weights_file(self)
        if path is not None:
            self.use_file(path)

    def use_file(self, path: Path) -> None:
        """Copy a file of weights to where it is expected."""
        source = source_of_backbone(self._name)
        if source is not None:
            self._change(partial(PretrainedStore().adopt, source, path))

    def _change(self, work: Callable[[], object]) -> None:
        """Import or delete files; a running download of other weights continues."""
        self.problem.show_text("")
        self._is_changing = True
        self._allow()
        self._context.background.run(self, work, self._on_changed, self._on_change_failed)

    def _on_changed(self, _nothing: object = None) -> None:
        self._is_changing = False
        self._inspect()

    def _on_change_failed(self, error: BaseException) -> None:
        self._on_changed()
        self._show_error(error)

    def _on_advanced(self, done: int, total: int, _what: str) -> None:
        self.bar.set_fraction(done / total if total else None)

    def _on_downloaded(self, _nothing: object = None) -> None:
        self._coming = ""
        self._inspect()

    def _on_download_failed(self, error: BaseException) -> None:
        self._on_downloaded()
        self._show_error(error)

    def _show_error(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.problem.show_text(str(error))
        elif not isinstance(error, Cancelled):
            self._context.navigator.show_failure(error)

    def _on_cancel(self) -> None:
        self._download.stop()
        show_stopping(self.cancel_button)

    def _on_delete(self) -> None:
        source = source_of_backbone(self._name)
        if source is not None:
            self._change(partial(PretrainedStore().remove, source))


def _find(name: str) -> int | None:
    """Return the bytes of the published weights of a backbone; None if they are not here."""
    source, store = source_of_backbone(name), PretrainedStore()
    if source is None or store.state(source) != "here":
        return None
    return sum(store.path(source, file.name).stat().st_size for file in source.files)
