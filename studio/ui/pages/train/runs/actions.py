"""Actions on one or several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import differing, settings_of
from studio.engine.training.starting_weights import with_available_weights
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.commands import Command
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.pages.commands import DELETE, RENAME
from studio.ui.pages.train.runs.moving import MoveMenu
from studio.ui.pages.train.state import can_stop
from studio.ui.shared.records import GroupMenu, Trash
from studio.ui.theme.icons import set_icon
from studio.ui.widgets.inputs import WordMenu
from studio.ui.widgets.tips import allow_action


def clone_plan(entry: RunDocument) -> TrainingPlan:
    """Return the plan of a run for a new run, with its copy of a weights file that was deleted.

    Raises:
        TypeError: The entry is not a run.
    """
    if not isinstance(entry.plan, TrainingPlan):
        raise TypeError(f"{entry.name} is not a run")
    return with_available_weights(entry.plan, entry.record.folder)


RunSettings = tuple[TrainingPlan, Mapping[str, object]]
"""The plan of a run, and the settings that were changed during the training."""


def retag_all(workspace: Workspace, records: Sequence[Record], tag: str, *, on: bool) -> None:
    """Add a tag to runs, or remove it.

    Raises:
        StudioError: The tag is invalid, or a run no longer exists.
    """
    for record in records:
        workspace.retag(record, add=[tag] if on else [], remove=[] if on else [tag])


def save_text(workspace: Workspace, record: Record, key: str, text: str) -> None:
    """Save the name, group, tags or notes of a run.

    Raises:
        StudioError: The text is invalid, or the name is taken.
    """
    if key == "name":
        workspace.rename(record, text)
    elif key == "tags":
        workspace.annotate(record, tags=tuple(text.split(",")))
    elif key == "group":
        workspace.annotate(record, group=text)
    else:
        workspace.annotate(record, notes=text)


def differing_settings(runs: Sequence[RunSettings]) -> list[str]:
    """Return the names of the settings that differ between runs."""
    return differing([settings_of(plan, changes) for plan, changes in runs])


class RunsActions(QObject):
    """Actions on the runs of the last `set_entries`.

    Signals:
        open_requested: Id of the run to open.
        rename_requested: Id of the run whose name is edited in place.
        compare_requested: Ids of the runs to compare, as a list.
        clone_requested: The `TrainingPlan` from which to start a new run.
    """

    open_requested = Signal(str)
    rename_requested = Signal(str)
    compare_requested = Signal(list)
    clone_requested = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._entries: list[RunDocument] = []
        self.open = self._action(self.tr("Open"), "forward", self._on_open)
        self.compare = self._action(self.tr("Compare"), "chart", self._on_compare)
        self.clone = self._action(self.tr("New run with this plan"), "copy", self._on_clone)
        self.rename = self._action(self.tr("Rename"), "edit", self._on_rename, RENAME)
        self.stop = self._action(self.tr("Stop"), "stop", self._on_stop)
        self.delete = self._action(self.tr("Move to the trash"), "trash", self._on_delete, DELETE)
        self.delete_failed = self._action(
            self.tr("Move all failed runs to the trash"), "trash", self._on_delete_failed
        )
        self._trash = Trash(context, self)
        self.tags = WordMenu(self.tr("New tag"), parent)
        self.groups = GroupMenu(context, RecordKind.RUN, parent)
        self.machines = MoveMenu(context, parent)
        set_icon(self.machines.menuAction(), "forward", context.theme)
        for menu, title, icon in (
            (self.tags, self.tr("Tags"), "tag"),
            (self.groups, self.tr("Group"), "folder"),
        ):
            menu.setTitle(title)
            set_icon(menu.menuAction(), icon, context.theme)
        self.tags.aboutToShow.connect(self._fill_tags)
        self.tags.switched.connect(self._on_tag)
        self.set_entries([])

    def set_entries(self, entries: list[RunDocument]) -> None:
        """Act on other runs; disabled actions have the reason in their tooltip."""
        self._entries = entries
        self.groups.set_entries(entries)
        self.machines.set_entries(entries)
        one = "" if len(entries) == 1 else self.tr("Select one run.")
        two = "" if len(entries) > 1 else self.tr("Select at least two runs.")
        none = "" if entries else self.tr("Select runs first.")
        going = any(can_stop(entry.state) for entry in entries)
        over = "" if going else self.tr("None of these runs is training.")
        idle = any(not entry.state.has_worker for entry in entries)
        busy = "" if idle else self.tr("Stop the runs first.")
        for action, reason in (
            *((action, one) for action in (self.open, self.rename, self.clone)),
            *((menu.menuAction(), none) for menu in (self.tags, self.groups)),
            *((self.compare, two), (self.stop, none or over), (self.delete, none or busy)),
        ):
            allow_action(action, reason)

    def menu(self, parent: QWidget) -> QMenu:
        """Return the context menu."""
        menu = QMenu(parent)
        menu.addActions([self.open, self.compare, self.clone, self.rename])
        menu.addSeparator()
        menu.addMenu(self.tags)
        menu.addMenu(self.groups)
        menu.addSeparator()
        menu.addMenu(self.machines)
        menu.addActions([self.stop, self.delete, self.delete_failed])
        runs = self._context.jobs.entries(RecordKind.RUN)
        failed = any(entry.state == State.FAILED for entry in runs)
        allow_action(self.delete_failed, "" if failed else self.tr("There are no failed runs."))
        return menu

    def save(self, entry: RunDocument, key: str, text: str) -> None:
        """Save the name, group, tags or notes of a run in the background."""
        work = partial(save_text, self._context.workspace, entry.record, key, text)
        self._context.background.run(self, work, self._context.jobs.wake)

    def _action(
        self, text: str, icon: str, slot: object, command: Command | None = None
    ) -> QAction:
        action = QAction(text, self)
        set_icon(action, icon, self._context.theme)
        action.triggered.connect(slot)
        if command is not None:
            self._context.settings.shortcuts.bind(action, command)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        return action

    def _records(self) -> list[Record]:
        return [entry.record for entry in self._entries]

    def _on_open(self) -> None:
        self.open_requested.emit(self._entries[0].record.id)

    def _on_rename(self) -> None:
        self.rename_requested.emit(self._entries[0].record.id)

    def _on_compare(self) -> None:
        self.compare_requested.emit([record.id for record in self._records()])

    def _on_clone(self) -> None:
        self.clone_requested.emit(clone_plan(self._entries[0]))

    def _on_stop(self) -> None:
        for entry in self._entries:
            if can_stop(entry.state):
                self._context.jobs.stop(entry)

    def _on_delete(self) -> None:
        self._trash.throw_runs(self._entries)

    def _on_delete_failed(self) -> None:
        self._trash.throw_failed(RecordKind.RUN)

    def _fill_tags(self) -> None:
        runs = self._context.jobs.entries(RecordKind.RUN)
        known = sorted({tag for run in runs for tag in run.info.tags}, key=str.casefold)
        self.tags.set_words(
            (tag, tag, all(tag in entry.info.tags for entry in self._entries)) for tag in known
        )

    def _on_tag(self, tag: str, on: bool) -> None:
        work = partial(retag_all, self._context.workspace, self._records(), tag, on=on)
        self._context.background.run(self, work, self._context.jobs.wake)
