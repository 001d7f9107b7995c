"""Commands by keys and from the palette, and the focus of the parts of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from studio.ui.commands import Command, Reach
from studio.ui.context import AppContext
from studio.ui.shared.records import Trash
from studio.ui.shell import commands
from studio.ui.theme.theme import Mode

if TYPE_CHECKING:
    from studio.ui.shell.palette import Palette

Deed = Callable[[], object]


class CommandCenter(QObject):
    """The commands of one window, each with what it does.

    Args:
        context: Of the window.
        parts: The parts of the window that F6 goes through.
        show_jobs: Opens or closes the list of jobs.
        show_help: Opens the manual for the page that is shown.
        ask_what: Lets the user click on something that is then explained.
    """

    def __init__(
        self, context: AppContext, parts: Parts, show_jobs: Deed, show_help: Deed, ask_what: Deed
    ) -> None:
        window = parts.window
        super().__init__(window)
        self._context = context
        self._window = window
        shortcuts = context.settings.shortcuts
        shortcuts.know(commands.ALL_COMMANDS)
        offered = {each.name: each for each in commands.ALL_COMMANDS if each.is_offered}
        self._offered = offered
        self._trash = Trash(context, self)
        self._deeds: dict[str, Deed] = {
            commands.PALETTE.name: self.open_palette,
            commands.TOUR.name: context.navigator.start_tour,
            commands.HELP.name: show_help,
            commands.WHATS_THIS.name: ask_what,
            commands.EXPERT.name: self._switch_expert,
            commands.JOBS.name: show_jobs,
            commands.PAUSE_QUEUE.name: partial(context.jobs.set_queue_paused, True),
            commands.RESUME_QUEUE.name: partial(context.jobs.set_queue_paused, False),
            commands.REMOVE_FAILED.name: self._trash.throw_failed,
            commands.NEXT_PART.name: parts.go_on,
            commands.PART_BEFORE.name: parts.go_back,
            commands.QUIT.name: window.close,
            **{
                command.name: partial(self._use_theme, mode)
                for mode, command in commands.THEMES.items()
            },
            **{
                each.name: partial(context.navigator.open, each.intent)
                for each in offered.values()
                if each.intent is not None
            },
        }
        for command in offered.values():
            # The buttons of the rail have the keys of the pages, and parts of pages their own.
            if command.reach is Reach.WINDOW and not command.name.startswith("page."):
                self._act(command)

    @cached_property
    def palette(self) -> Palette:
        """The command palette."""
        from studio.ui.shell.palette import Palette  # noqa: PLC0415 - made when it is first used

        found = {name: each for name, each in self._offered.items() if each != commands.PALETTE}
        return Palette(self._context, found, self.run, self._window)

    def open_palette(self) -> None:
        """Open the command palette."""
        self.palette.open()

    def run(self, name: str) -> None:
        """Do what a command says; `KeyError` where there is none of that name."""
        self._deeds[name]()

    def _act(self, command: Command) -> None:
        action = QAction(command.label(), self)
        self._context.settings.shortcuts.bind(action, command)
        action.triggered.connect(partial(self.run, command.name))
        self._window.addAction(action)

    def _switch_expert(self) -> None:
        self._context.settings.is_expert = not self._context.settings.is_expert

    def _use_theme(self, mode: Mode) -> None:
        self._context.settings.theme = mode
        self._context.theme.mode = mode


class Parts(QObject):
    """Rail, top bar, page and tray; each gives the focus back where it was when it was left.

    Args:
        window: The window.
        parts: Its parts, in the order in which they are gone through.
    """

    def __init__(self, window: QMainWindow, parts: Sequence[QWidget]) -> None:
        super().__init__(window)
        self.window = window
        self._parts = list(parts)
        self._left_at: dict[QWidget, QWidget] = {}

    def go_on(self) -> None:
        """Give the focus to the next part that can be seen."""
        self._go(1)

    def go_back(self) -> None:
        """Give the focus to the part before."""
        self._go(-1)

    def current(self) -> QWidget | None:
        """The part that has the focus, or None."""
        focus = QApplication.focusWidget()
        return next((part for part in self._parts if focus and part.isAncestorOf(focus)), None)

    def _go(self, step: int) -> None:
        here = self.current()
        focus = QApplication.focusWidget()
        if here is not None and focus is not None:
            self._left_at[here] = focus
        start = self._parts.index(here) if here is not None else -1 if step > 0 else 0
        for distance in range(1, len(self._parts) + 1):
            part = self._parts[(start + step * distance) % len(self._parts)]
            target = self._target(part)
            if part.isVisible() and target is not None:
                reason = Qt.FocusReason.TabFocusReason
                target.setFocus(reason if step > 0 else Qt.FocusReason.BacktabFocusReason)
                return

    def _target(self, part: QWidget) -> QWidget | None:
        """Where the part had the focus, else its first control."""
        left = self._left_at.get(part)
        if left is not None and _takes_focus(left) and part.isAncestorOf(left):
            return left
        # The chain of focus is the order of the Tab key; it goes round the whole window.
        each = part.nextInFocusChain()
        while each is not None and each is not part:
            if part.isAncestorOf(each) and _takes_focus(each):
                return each
            each = each.nextInFocusChain()
        return None


def _takes_focus(widget: QWidget) -> bool:
    return (
        widget.isVisible()
        and widget.isEnabled()
        and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    )
