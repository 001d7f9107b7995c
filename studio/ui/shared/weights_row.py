"""Published weights of a network: found, downloaded, taken from a file or deleted."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.pretrained.sources import PretrainedSource, source_of_backbone
from studio.engine.pretrained.store import PretrainedStore
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.shared.pretrained_files import PretrainedFiles
from studio.ui.shared.training import ask_weights_file
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import size
from studio.ui.widgets.layout import FlowLayout, vbox
from studio.ui.widgets.tips import allow


class WeightsRow(QWidget):
    """Download state of the weights of a backbone."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._name = ""
        self.files = PretrainedFiles(context, self)
        self._finding = Request(context.background, self)
        self.text = QLabel(wordWrap=True)
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
        row = FlowLayout(spacing=SPACE.s)
        for button in (
            self.get_button,
            self.file_button,
            self.files.cancel_button,
            self.delete_button,
        ):
            row.addWidget(button)
        files = self.files
        vbox(self.text, files.bar, files.problem, row, owner=self, spacing=SPACE.s)
        files.started.connect(self._on_started)
        files.ended.connect(self._inspect)

    def show_backbone(self, name: str) -> None:
        """Show a backbone; an empty name hides the row."""
        self.setVisible(bool(name))
        if name == self._name:
            return
        self._name = name
        self.files.problem.show_text("")
        self._show(None)
        self._finding.drop()
        if name:
            self._inspect()

    def _inspect(self) -> None:
        self._finding.run(partial(_find, self._name), self._show)

    @property
    def _source(self) -> PretrainedSource | None:
        return source_of_backbone(self._name) if self._name else None

    def _show(self, there: int | None) -> None:
        shown = "" if self._source is None else self._source.name
        is_coming = bool(shown) and self.files.coming == shown
        if there is not None:
            text = self.tr("Pretrained weights: {size} on this computer")
            text = text.format(size=size(there))
        elif is_coming:
            text = self.tr("Pretrained weights are being downloaded")
        else:
            text = self.tr("Pretrained weights: not on this computer; training downloads them")
        self.text.setText(text)
        self.files.show_download(is_shown=is_coming)
        self.get_button.setVisible(there is None and not is_coming)
        self.file_button.setVisible(there is None and not is_coming)
        self.delete_button.setVisible(there is not None)
        self._allow()

    def _allow(self) -> None:
        why_not = self.files.why_not("" if self._source is None else self._source.name)
        for button in (self.get_button, self.file_button):
            allow(button, why_not)
        allow(self.delete_button, self.files.why_no_change)

    def _on_started(self) -> None:
        if self.files.is_changing:
            self._allow()
        else:
            self._show(None)

    def _on_get(self) -> None:
        if self._source is not None:
            self.files.fetch(self._source)

    def _on_file(self) -> None:
        path = ask_weights_file(self)
        if path is not None:
            self.use_file(path)

    def use_file(self, path: Path) -> None:
        """Copy a file of weights to where it is expected."""
        if self._source is not None:
            self.files.change(partial(PretrainedStore().adopt, self._source, path))

    def _on_delete(self) -> None:
        if self._source is not None:
            self.files.remove(self._source)


def _find(name: str) -> int | None:
    """Return the bytes of the published weights of a backbone; None if they are not here."""
    source, store = source_of_backbone(name), PretrainedStore()
    if source is None or store.state(source) != "here":
        return None
    return sum(store.path(source, file.name).stat().st_size for file in source.files)
