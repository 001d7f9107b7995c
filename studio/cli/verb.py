"""What a verb of the command line is, and what it has in its hands."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studio.cli.output import Output
from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Workspace, default_workspace


class Session:
    """One call of the command line: its options, where it prints, and its workspace."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output(as_json=options.json)
        self._workspace: Workspace | None = None
        self._queue: JobQueue | None = None

    @property
    def workspace(self) -> Workspace:
        """The workspace that was named, opened when it is first needed.

        Raises:
            StudioError: It cannot be opened.
        """
        if self._workspace is None:
            named = self.options.workspace
            self._workspace = Workspace.open(Path(named) if named else default_workspace())
        return self._workspace

    @property
    def queue(self) -> JobQueue:
        """The queue of the workspace."""
        if self._queue is None:
            self._queue = JobQueue(self.workspace)
        return self._queue


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb, or one noun with verbs of its own.

    Attributes:
        name: The word on the command line.
        help: One line for `--help`.
        configure: Adds the options to a parser.
        run: Does it, and returns the document that `--json` prints.
        verbs: The verbs of a noun; a noun has no `run` of its own.
    """

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None] | None = None
    run: Callable[[Session], object] | None = None
    verbs: tuple[Verb, ...] = ()
