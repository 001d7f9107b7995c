"""The window's own commands as data, what they do, and the focus of the parts of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from studio.ui.commands import Command, CommandScope
from studio.ui.context import AppContext
from studio.ui.navigation import OpenServed, OpenWorkspace
from studio.ui.pages import PAGES
from studio.ui.shared.records import Trash
from studio.ui.theme.theme import Mode

if TYPE_CHECKING:
    from studio.ui.shell.palette import CommandPalette

PALETTE: Final = Command(
    "window.palette", "Search or run a command", "search", "Ctrl+K; Ctrl+Shift+P"
)
WORKSPACE: Final = Command(
    "window.workspace",
    "Open another workspace…",
    "workspace",
    "Ctrl+Shift+O",
    intent=OpenWorkspace(),
    words="folder project new switch",
)
SERVED: Final = Command(
    "window.served",
    "Open a served workspace…",
    "language",
    intent=OpenServed(),
    words="server remote connect address token gpu another computer",
)
THEMES: Final[dict[Mode, Command]] = {
    "light": Command("theme.light", "Light colors", "sun", words="theme mode bright day"),
    "dark": Command("theme.dark", "Dark colors", "moon", words="theme mode night"),
    "system": Command(
        "theme.system", "Theme of the system", "system-theme", words="theme mode automatic"
    ),
}
EXPERT: Final = Command(
    "window.expert",
    "Show all settings of forms, or only a few",
    "list",
    words="expert beginner more advanced",
)
TOUR: Final = Command(
    "window.tour",
    "Try the handwritten digits: a guided tour",
    "hint",
    words="sample demo example start learn help",
)
HELP: Final = Command(
    "window.help",
    "Help for this page",
    "help",
    "F1",
    words="manual documentation topics glossary how",
)
WHATS_THIS: Final = Command(
    "window.whats_this",
    "Explain the control that you click next",
    "help",
    "Shift+F1",
    words="help explain tip",
)
JOBS: Final = Command(
    "window.jobs", "Show all jobs, or one", "jobs", "Ctrl+J", words="queue tray running waiting"
)
PAUSE_QUEUE: Final = Command(
    "window.pause_queue", "Pause the queue", "pause", words="jobs hold wait stop starting"
)
RESUME_QUEUE: Final = Command(
    "window.resume_queue", "Resume the queue", "play", words="jobs continue release start"
)
REMOVE_FAILED: Final = Command(
    "window.remove_failed",
    "Move all failed jobs to the trash",
    "trash",
    words="delete remove clean up errors runs",
)
NEXT_PART: Final = Command(
    "window.next_part",
    "Go to the next part of the window",
    "forward",
    "F6",
    words="focus rail page tray keyboard",
)
PART_BEFORE: Final = Command(
    "window.part_before",
    "Go to the previous part of the window",
    "back",
    "Shift+F6",
    words="focus rail page tray keyboard",
)
QUIT: Final = Command(
    "window.close", "Close the window; jobs continue", "close", "Ctrl+Q", words="quit exit leave"
)
FIXED: Final = (
    Command(
        "fixed.next",
        "Go to the next or previous control",
        keys="Tab; Shift+Tab",
        reach=CommandScope.FIXED,
    ),
    Command(
        "fixed.press", "Press a button or a card", keys="Space; Return", reach=CommandScope.FIXED
    ),
    Command(
        "fixed.choose",
        "Move in a list, a table, a chart or among tabs",
        keys="Up; Down; Left; Right",
        reach=CommandScope.FIXED,
    ),
    Command("fixed.leave", "Leave what is open", keys="Esc", reach=CommandScope.FIXED),
)
OWN: Final = (
    *(PALETTE, WORKSPACE, SERVED, TOUR, HELP, WHATS_THIS, *THEMES.values(), EXPERT, JOBS),
    *(PAUSE_QUEUE, RESUME_QUEUE, REMOVE_FAILED),
    *(NEXT_PART, PART_BEFORE, QUIT),
)


def all_commands() -> tuple[Command, ...]:
    """Return every command, in the order in which they are listed."""
    return (
        *OWN,
        *(page.command for page in PAGES),
        *(command for page in PAGES for command in page.commands),
        *FIXED,
    )


Action = Callable[[], object]


class CommandCenter(QObject):
    """The commands of one window with their actions.

    Args:
        context: Context of the window.
        parts: The parts of the window that F6 goes through.
        show_jobs: Opens or closes the list of jobs.
        show_help: Opens the manual for the page that is shown.
        ask_whats_this: Explains the next control that the user clicks.
    """

    def __init__(
        self,
        context: AppContext,
        parts: WindowParts,
        show_jobs: Action,
        show_help: Action,
        ask_whats_this: Action,
    ) -> None:
        window = parts.window
        super().__init__(window)
        self._context = context
        self._window = window
        shortcuts = context.settings.shortcuts
        commands = all_commands()
        shortcuts.know(commands)
        offered = {each.name: each for each in commands if each.is_offered}
        self._offered = offered
        self._trash = Trash(context, self)
        context.navigator.restore_requested.connect(self._trash.restore)
        self._actions: dict[str, Action] = {
            PALETTE.name: self.open_palette,
            TOUR.name: context.navigator.start_tour,
            HELP.name: show_help,
            WHATS_THIS.name: ask_whats_this,
            EXPERT.name: self._switch_expert,
            JOBS.name: show_jobs,
            PAUSE_QUEUE.name: partial(context.jobs.set_queue_paused, True),
            RESUME_QUEUE.name: partial(context.jobs.set_queue_paused, False),
            REMOVE_FAILED.name: self._trash.throw_failed,
            NEXT_PART.name: parts.enter_next,
            PART_BEFORE.name: parts.enter_previous,
            QUIT.name: window.close,
            **{
                command.name: partial(setattr, context.theme, "mode", mode)
                for mode, command in THEMES.items()
            },
            **{
                each.name: partial(context.navigator.open, each.intent)
                for each in offered.values()
                if each.intent is not None
            },
        }
        for command in offered.values():
            # The buttons of the rail have the keys of the pages, and parts of pages their own.
            if command.reach is CommandScope.WINDOW and not command.name.startswith("page."):
                self._act(command)

    @cached_property
    def palette(self) -> CommandPalette:
        """The command palette."""
        from studio.ui.shell.palette import CommandPalette  # noqa: PLC0415 - made when it is first used

        found = {name: each for name, each in self._offered.items() if each != PALETTE}
        return CommandPalette(self._context, found, self.run, self._window)

    def open_palette(self) -> None:
        """Open the command palette."""
        self.palette.open()

    def run(self, name: str) -> None:
        """Run a command by its name; raises `KeyError` if there is none."""
        self._actions[name]()

    def _act(self, command: Command) -> None:
        action = QAction(command.label(), self)
        self._context.settings.shortcuts.bind(action, command)
        action.triggered.connect(partial(self.run, command.name))
        self._window.addAction(action)

    def _switch_expert(self) -> None:
        self._context.settings.is_expert = not self._context.settings.is_expert


class WindowParts(QObject):
    """Rail, top bar, page and tray; each restores its focus when it is entered again.

    Args:
        window: The window.
        parts: Its parts, in the order of F6.
    """

    def __init__(self, window: QMainWindow, parts: Sequence[QWidget]) -> None:
        super().__init__(window)
        self.window = window
        self._parts = list(parts)
        self._left_at: dict[QWidget, QWidget] = {}

    def enter_next(self) -> None:
        """Move the focus to the next visible part."""
        self._go(1)

    def enter_previous(self) -> None:
        """Move the focus to the previous visible part."""
        self._go(-1)

    def current(self) -> QWidget | None:
        """Return the part that has the focus, or None."""
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
        """Return the widget that last had the focus in a part, else its first control."""
        left = self._left_at.get(part)
        if left is not None and _takes_focus(left) and part.isAncestorOf(left):
            return left
        # The focus chain is the order of the Tab key; it is a cycle through the whole window.
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
