"""The base class of pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio.ui.context import AppContext
from studio.ui.navigation import DropFiles, OpenPage, OpenRecord


class Page(QWidget):
    """Base of all pages. Each page's class is called `View`; it is made when first shown."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context

    @property
    def needs_engine(self) -> bool:
        """True if the page will soon need the engine host."""
        return False

    @property
    def current_record(self) -> str:
        """Id of the shown record, for `show_record` of a page made later; empty for none."""
        return ""

    def state(self) -> object:
        """Return unsaved state for `restore` of a page created later; None if there is none.

        It outlives the window, so it must not hold widgets.
        """
        return None

    def restore(self, state: object) -> None:
        """Show what `state` of an earlier page returned."""

    def open(self, intent: OpenPage) -> None:
        """Perform an intent of this page; pages add those that are theirs alone.

        Raises:
            TypeError: The page does not know such an intent.
        """
        if isinstance(intent, OpenRecord):
            self.show_record(intent.record)
        elif isinstance(intent, DropFiles):
            self.take_drop(intent.paths)
        elif type(intent) is not OpenPage:
            raise TypeError(f"the page {type(self).__module__} does not know {intent}")

    def show_record(self, record_id: str) -> None:
        """Show one record, or use its model."""

    def drop_offer(self, paths: Sequence[Path]) -> str:
        """Describe the effect of dropping these paths in a sentence; empty if there is none.

        Called while the mouse moves: implementations check names only.
        """
        del paths
        return ""

    def drop_refusal(self, paths: Sequence[Path]) -> str:
        """Return why paths cannot be dropped and what to do, where `drop_offer` is empty.

        Empty if that is obvious, or another page's matter. Called while the mouse moves, too.
        """
        del paths
        return ""

    def take_drop(self, paths: Sequence[Path]) -> None:
        """Perform what `drop_offer` announced."""
