"""The menu that moves records to a group: the groups that exist, none, or a new one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QToolButton, QWidget

from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.inputs import WordMenu


class GroupMenu(WordMenu):
    """Moves the records that were given last to `set_entries`.

    Args:
        context: The workspace and its jobs.
        kind: The kind of the records, whose groups are offered.
    """

    def __init__(
        self, context: AppContext, kind: RecordKind, parent: QWidget | None = None
    ) -> None:
        super().__init__("", parent)
        self.setTitle(self.tr("Move to group"))
        self.set_prompt(self.tr("New group"))
        self._context = context
        self._kind = kind
        self._entries: Sequence[JobEntry] = ()
        self.aboutToShow.connect(self._fill)
        self.switched.connect(self._on_group)

    def button(self) -> QToolButton:
        """Return a button with an icon that opens the menu."""
        name = self.tr("Move to group")
        button = icon_button("folder", name, self._context.theme)
        button.setMenu(self)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def set_entries(self, entries: Sequence[JobEntry]) -> None:
        """Move these records from now on."""
        self._entries = entries

    def _fill(self) -> None:
        entries = self._context.jobs.entries(self._kind)
        known = sorted({entry.info.group for entry in entries} - {""}, key=str.casefold)
        here = {entry.info.group for entry in self._entries}
        words = [(group, group, here == {group}) for group in known]
        self.set_words([("", self.tr("No group"), here == {""}), *words])

    def _on_group(self, group: str, on: bool) -> None:
        records = [entry.record for entry in self._entries]
        work = partial(move_to_group, self._context.workspace, records, group if on else "")
        self._context.background.run(self, work, self._on_moved)

    def _on_moved(self, _nothing: object) -> None:
        self._context.jobs.wake()


def move_to_group(workspace: Workspace, records: Sequence[Record], group: str) -> None:
    """Put records into a group, or into none. Called in another thread.

    Args:
        workspace: The workspace of the records.
        records: The records to move.
        group: Name of the group; empty for none.

    Raises:
        StudioError: The name is not fit, or a record is gone.
    """
    for record in records:
        workspace.annotate(record, group=group)
