"""What the palette can find: commands, jobs at work, recent workspaces, and all records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject, Signal

from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.jobs import JobEntry
from studio.ui.commands import Command, Reach
from studio.ui.context import AppContext
from studio.ui.language import native_names
from studio.ui.navigation import OpenPage, OpenRecord, OpenWorkspace, job_intent
from studio.ui.shell.palette_search import (
    Haystack,
    Item,
    PauseJob,
    RunCommand,
    StopJob,
    UseLanguage,
)

_ICONS: Final = {
    RecordKind.RUN: "train",
    RecordKind.DATASET: "datasets",
    RecordKind.SWEEP: "sweeps",
    RecordKind.EVALUATION: "evaluate",
    RecordKind.EXPORT: "export",
    RecordKind.BENCHMARK: "benchmarks",
    RecordKind.OPERATIONS: "benchmarks",
    RecordKind.EMBEDDING: "inside",
}
"""Kinds of record that have a place to be shown, with their icons."""


class PaletteItems(QObject):
    """Gathers everything anew when something has changed since the last time.

    Signals:
        gathered: A `Haystack` of all.
    """

    gathered = Signal(object)

    def __init__(
        self, context: AppContext, commands: Sequence[Command], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands

    def at_hand(self) -> list[Item]:
        """What can be told at once: commands, and what goes on."""
        return [*self._of_jobs(), *self._of_commands(), *self._others()]

    def gather(self) -> None:
        """Put records and networks behind what is at hand, in the background."""
        jobs = self._context.jobs
        words = {kind: kind_word(kind) for kind in _ICONS}
        work = partial(
            _gathered,
            self.at_hand(),
            jobs.all_entries(),
            words,
            self._context.workspace,
            self.tr("Network"),
        )
        self._context.background.run(self, work, self.gathered.emit)

    def _of_commands(self) -> list[Item]:
        return [
            Item(
                f"command:{command.name}",
                command.label(),
                command.more_words(),
                self.tr("Page") if command.name.startswith("page.") else self.tr("Command"),
                command.icon,
                RunCommand(command.name),
            )
            for command in sorted(self._commands, key=_rank)
            if is_offered(command)
        ]

    def _of_jobs(self) -> list[Item]:
        """Jobs at work can be paused and stopped from anywhere."""
        items = []
        for entry in self._context.jobs.active():
            kind, record_id = entry.key
            job, words = f"{kind.value}:{record_id}", kind_word(kind)
            text = self.tr("Stop {name}").format(name=entry.name)
            stop = StopJob(entry.key)
            items.append(Item(f"stop:{job}", text, words, self.tr("Job"), "stop", stop))
            if kind == RecordKind.RUN and entry.state == State.RUNNING:
                text = self.tr("Pause {name}").format(name=entry.name)
                pause = PauseJob(entry.key)
                items.append(Item(f"pause:{job}", text, words, self.tr("Job"), "pause", pause))
        return items

    def _others(self) -> list[Item]:
        root = self._context.workspace.root
        spaces = [path for path in self._context.settings.recent_workspaces if path != root]
        language, more = self.tr("Language"), self.tr("language speak translate")
        return [
            *(
                Item(
                    f"workspace:{path}",
                    self.tr("Open the workspace {name}").format(name=path.name),
                    str(path),
                    self.tr("Workspace"),
                    "workspace",
                    OpenWorkspace(path),
                )
                for path in spaces
            ),
            *(
                Item(f"language:{code}", name, more, language, "language", UseLanguage(code))
                for code, name in native_names().items()
            ),
        ]


def is_offered(command: Command) -> bool:
    """Whether a command can be run from the palette; others mean nothing without the focus."""
    return command.reach is Reach.WINDOW or command.intent is not None


def _rank(command: Command) -> int:
    """What pages can do is wanted most often, then the pages themselves."""
    if not command.page:
        return 2
    return 1 if type(command.intent) is OpenPage else 0


def kind_word(kind: RecordKind) -> str:
    """What a record is, in a word."""
    tr = partial(QCoreApplication.translate, "Kinds")
    return {
        RecordKind.RUN: tr("Run"),
        RecordKind.DATASET: tr("Dataset"),
        RecordKind.SWEEP: tr("Sweep"),
        RecordKind.EVALUATION: tr("Evaluation"),
        RecordKind.EXPORT: tr("Export"),
        RecordKind.BENCHMARK: tr("Benchmark"),
        RecordKind.OPERATIONS: tr("Benchmark of operations"),
        RecordKind.EMBEDDING: tr("Map"),
    }.get(kind, tr("Job"))


def _gathered(
    first: list[Item],
    entries: list[JobEntry],
    words: dict[RecordKind, str],
    workspace: Workspace,
    network: str,
) -> Haystack:
    """Everything, records newest first. Called in another thread."""
    shown = [entry for entry in entries if entry.key[0] in _ICONS]
    shown.sort(key=lambda entry: entry.info.created, reverse=True)
    records = [
        Item(
            f"{entry.key[0].value}:{entry.key[1]}",
            entry.info.name,
            " ".join((*entry.info.tags, entry.info.group)),
            words[entry.key[0]],
            _ICONS[entry.key[0]],
            job_intent(*entry.key),
            entry.key,
        )
        for entry in shown
    ]
    return Haystack([*first, *records, *_networks(workspace, network)])


def _networks(workspace: Workspace, word: str) -> list[Item]:
    # The whole zoo is described in code: nobody waits for it at the start.
    from studio.engine.networks.catalog import zoo_entries  # noqa: PLC0415
    from studio.engine.networks.library import saved  # noqa: PLC0415

    found = [
        *((each.id, each.name, "") for each in reversed(saved(workspace))),
        *((entry.name, entry.label, entry.name) for entry in zoo_entries()),
    ]
    return [
        Item(f"network:{name}", label, words, word, "networks", OpenRecord("networks", name))
        for name, label, words in found
    ]
