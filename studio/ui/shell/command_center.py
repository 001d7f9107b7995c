"""Does what commands say, by keys and from the palette, wherever the focus is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from studio.ui.commands import Command, Reach
from studio.ui.context import AppContext
from studio.ui.shared.trash import Trash
from studio.ui.shell import commands
from studio.ui.shell.palette import Palette
from studio.ui.shell.palette_items import is_offered
from studio.ui.shell.palette_search import (
    Choice,
    PauseJob,
    RunCommand,
    StopJob,
    UseLanguage,
)
from studio.ui.shell.parts import Parts
from studio.ui.theme.theme import Mode

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
        offered = {each.name: each for each in commands.ALL_COMMANDS if is_offered(each)}
        # It does not offer itself.
        found = {name: each for name, each in offered.items() if each != commands.PALETTE}
        self.palette = Palette(context, found, window)
        self.palette.chosen.connect(self._on_chosen)
        self._trash = Trash(context, self)
        self._deeds: dict[str, Deed] = {
            commands.PALETTE.name: self.palette.open,
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

    def run(self, name: str) -> None:
        """Do what a command says; `KeyError` where there is none of that name."""
        self._deeds[name]()

    def _act(self, command: Command) -> None:
        action = QAction(command.label(), self)
        self._context.settings.shortcuts.bind(action, command)
        action.triggered.connect(partial(self.run, command.name))
        self._window.addAction(action)

    def _on_chosen(self, choice: Choice) -> None:
        if isinstance(choice, RunCommand):
            self.run(choice.name)
        elif isinstance(choice, UseLanguage):
            self._context.navigator.language_wanted.emit(choice.language)
        elif isinstance(choice, StopJob | PauseJob):
            self._steer(choice)
        else:
            self._context.navigator.open(choice)

    def _steer(self, choice: StopJob | PauseJob) -> None:
        jobs = self._context.jobs
        entry = jobs.get(*choice.job)
        if entry is not None:
            (jobs.stop if isinstance(choice, StopJob) else jobs.pause)(entry)

    def _switch_expert(self) -> None:
        self._context.settings.is_expert = not self._context.settings.is_expert

    def _use_theme(self, mode: Mode) -> None:
        self._context.settings.theme = mode
        self._context.theme.mode = mode
