"""One search at a time; what an earlier one finds after a later one began is dropped."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.progress import Cancelled
from studio.ui.bridge.background import Background
from studio.ui.bridge.progress import WindowProgress
from studio.ui.pages.datasets.found import Found
from studio.ui.pages.datasets.import_work import find_images


class Survey(QObject):
    """Looks in the background for what a recipe would import.

    Signals:
        found: A `Found`.
        refused: A `StudioError`: nothing can be imported; or None: it was cancelled, or has failed
            in a way that was told elsewhere.
        advanced: See `WindowProgress.advanced`.
    """

    found = Signal(object)
    refused = Signal(object)
    advanced = Signal(object, object, str)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._search: WindowProgress | None = None
        background.closing.connect(self.forget)

    @property
    def is_running(self) -> bool:
        """Whether an answer is still to come."""
        return self._search is not None

    def look(
        self,
        recipe: DatasetRecipe,
        known: Found | None = None,
        *,
        suggest: bool = False,
        first: int = 0,
    ) -> None:
        """Begin a search; see `find_images`."""
        self.forget()
        search = WindowProgress(self)
        self._search = search
        search.advanced.connect(self._on_advanced)
        self._background.run(
            self,
            partial(find_images, recipe, search, known, suggest=suggest, first=first),
            partial(self._on_found, search),
            partial(self._on_failed, search),
        )

    def cancel(self) -> None:
        """End the search; `refused` follows."""
        if self._search is not None:
            self._search.cancel()

    def forget(self) -> None:
        """End the search; nothing follows."""
        self.cancel()
        self._search = None

    def _on_advanced(self, done: int, total: int, what: str) -> None:
        if self.sender() is self._search:
            self.advanced.emit(done, total, what)

    def _on_found(self, search: WindowProgress, found: Found) -> None:
        search.deleteLater()
        if search is self._search:
            self._search = None
            self.found.emit(found)

    def _on_failed(self, search: WindowProgress, error: BaseException) -> None:
        search.deleteLater()
        if search is not self._search:
            return
        self._search = None
        known = isinstance(error, StudioError)
        if not known and not isinstance(error, Cancelled):
            self._background.failed.emit(error)
        self.refused.emit(error if known else None)
