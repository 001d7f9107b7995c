"""The ImageNet weights of a backbone: on this computer or not, downloaded and deleted here."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.questions import weight_source
from studio.engine.networks.pretrained.cache import CachedWeights, WeightCache, WeightSource
from studio.engine.progress import Cancelled
from studio.ui.bridge.progress import WindowProgress
from studio.ui.context import AppContext
from studio.ui.shared.job_buttons import show_stopping
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import size
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.thin_bar import ThinBar


class WeightsRow(QWidget):
    """What there is of one backbone's weights, and a button for the rest."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._name = ""
        # What is being downloaded, which need not be what is shown.
        self._coming = ""
        self._download: WindowProgress | None = None
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.problem = HintLabel("", "problem", self)
        self.bar = ThinBar(context.theme, self)
        self.get_button = push_button(
            self.tr("Download"), context.theme, icon="download", parent=self
        )
        self.delete_button = push_button(
            self.tr("Delete weights"), context.theme, kind="quiet", icon="trash", parent=self
        )
        self.cancel_button = push_button(
            self.tr("Cancel"), context.theme, kind="quiet", icon="stop", parent=self
        )
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE.s)
        for button in (self.get_button, self.cancel_button, self.delete_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        for widget in (self.text, self.bar, self.problem):
            column.addWidget(widget)
        column.addLayout(buttons)
        self.get_button.clicked.connect(self._on_get)
        self.cancel_button.clicked.connect(self._on_cancel)
        self.delete_button.clicked.connect(self._on_delete)
        context.background.closing.connect(self._on_cancel)
        self._explain()

    def _explain(self) -> None:
        explain(self.cancel_button, self.tr("Stops the download; it begins anew the next time."))
        explain(
            self.delete_button,
            self.tr("Gives back their space on the disk; they can be downloaded again."),
        )
        explain(
            self.get_button,
            self.tr(
                "Fetches what the network learned from ImageNet, so that few images are enough."
            ),
        )

    def show_backbone(self, name: str) -> None:
        """Show a backbone; an empty name hides the row."""
        self.setVisible(bool(name))
        if name == self._name:
            return
        self._name = name
        self.problem.show_text("")
        self._show(None)
        if name:
            self._look()

    def _look(self) -> None:
        work = partial(_find, self._name)
        self._context.background.run(self, work, partial(self._on_found, self._name))

    def _on_found(self, name: str, there: CachedWeights | None) -> None:
        if name == self._name:
            self._show(there)

    def _show(self, there: CachedWeights | None) -> None:
        is_coming = self._download is not None and self._coming == self._name
        is_busy = self._download is not None and not is_coming
        if there is not None:
            text = self.tr("ImageNet weights: {size} on this computer").format(
                size=size(there.size)
            )
        elif is_coming:
            text = self.tr("ImageNet weights are being downloaded")
        else:
            text = self.tr("ImageNet weights: not on this computer; training downloads them")
        self.text.setText(text)
        self.bar.setVisible(is_coming)
        self.cancel_button.setVisible(is_coming)
        self.get_button.setVisible(there is None and not is_coming)
        self.get_button.setEnabled(not is_busy)
        self.get_button.setToolTip(self.tr("Another download is under way.") if is_busy else "")
        self.delete_button.setVisible(there is not None)

    def _on_get(self) -> None:
        self._coming = self._name
        self._download = WindowProgress(self)
        self._download.advanced.connect(self._on_advanced)
        self.bar.set_fraction(None)
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setEnabled(True)
        self.problem.show_text("")
        self._show(None)
        ask = partial(weight_source, self._context.engine, self._name)
        self._context.background.run(self, ask, self._follow, self._on_failed)

    def _follow(self, answer: Future[WeightSource]) -> None:
        self._context.background.follow(self, answer, self._fetch, self._on_failed)

    def _fetch(self, source: WeightSource) -> None:
        if self._download is not None:
            work = partial(_fetch, source, self._download)
            self._context.background.run(self, work, self._on_there, self._on_failed)

    def _on_advanced(self, done: int, total: int, _what: str) -> None:
        self.bar.set_fraction(done / total if total else None)

    def _on_there(self, _nothing: object) -> None:
        self._download = None
        self._look()

    def _on_failed(self, error: BaseException) -> None:
        self._download = None
        self._look()
        if isinstance(error, StudioError):
            self.problem.show_text(str(error), "problem")
        elif not isinstance(error, Cancelled):
            self._context.navigator.show_failure(error)

    def _on_cancel(self) -> None:
        if self._download is not None:
            self._download.cancel()
            show_stopping(self.cancel_button)

    def _on_delete(self) -> None:
        work = partial(_delete, self._name)
        self._context.background.run(self, work, self._on_there)


def _find(name: str) -> CachedWeights | None:
    return next((entry for entry in WeightCache().entries() if entry.name == name), None)


def _fetch(source: WeightSource, download: WindowProgress) -> None:
    WeightCache().fetch(source, download)


def _delete(name: str) -> None:
    WeightCache().delete(name)
