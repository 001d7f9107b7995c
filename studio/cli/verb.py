"""Verbs of the command line, what they have in their hands, and where they print."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import math
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from studio.engine.documents import plain_data
from studio.engine.errors import HIDDEN, Problem, with_hidden_shown
from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Workspace, default_workspace

# Where the command line prints: results to standard output, everything else to standard error.

WIDEST = 10_000
"""Columns of a table that is not written to a terminal."""
READABLE = 88
"""Maximum width of a line of text in columns."""


def write_message(text: str) -> None:
    """Write a message to standard error; on a terminal, wrapped between words."""
    write_verbatim(_wrapped(text, Console(stderr=True)))


def write_verbatim(text: str) -> None:
    """Write a text to standard error, line by line as it is."""
    sys.stderr.write(f"{with_hidden_shown(text)}\n")


class _Console(Console):
    """A console whose reader may go away: `studio … | head`."""

    def on_broken_pipe(self) -> None:
        """Leave it to the entry of the command line; Rich would end the process with 1."""
        raise BrokenPipeError


class CommandOutput:
    """Prints text, or one JSON document.

    Args:
        as_json: With `--json` standard output carries the document and nothing else.
        is_quiet: With `--quiet` notes and progress are not printed.

    Attributes:
        interrupted: True after Ctrl+C ended what was waited for; the exit code says so.
    """

    def __init__(self, *, as_json: bool, is_quiet: bool = False) -> None:
        self.as_json = as_json
        self.is_quiet = is_quiet
        self.interrupted = False
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Names of files may be bytes that are no text, and some terminals know few letters.
            sys.stdout.reconfigure(errors="backslashreplace")
        self._console = _Console(soft_wrap=True, highlight=False)
        self._notes = _Console(stderr=True, soft_wrap=True, highlight=False, quiet=is_quiet)

    def say(self, text: str) -> None:
        """Print a line of the result; on a terminal, wrapped between words."""
        self.write(_wrapped(text, self._console))

    def write(self, text: str) -> None:
        """Print a part of the result as it is: code, a command to copy, the path of a file."""
        if not self.as_json:
            self._console.print(with_hidden_shown(text), markup=False, emoji=False)

    def table(self, headers: list[str], rows: list[list[str]]) -> None:
        """Print a table; columns of numbers are right-aligned.

        Args:
            headers: Headings of the columns.
            rows: Cells of each row.
        """
        if self.as_json:
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column, header in enumerate(headers):
            numeric = bool(rows) and all(_is_figure(row[column]) for row in rows)
            longest = max((len(w) for row in rows for w in row[column].split()), default=0)
            table.add_column(
                Text(with_hidden_shown(header)),
                justify="right" if numeric else "left",
                overflow="fold",
                no_wrap=numeric,
                min_width=min(longest, READABLE),
            )
        for row in rows:
            table.add_row(*(Text(with_hidden_shown(cell)) for cell in row))
        # Folding names and figures makes them unreadable, and a program that reads from a pipe has
        # no columns: then the lines are as long as their words need.
        least = self._console.measure(table).minimum
        width = max(least, self._console.width) if self._console.is_terminal else WIDEST
        _Console(highlight=False, width=width).print(table, crop=False)

    def markdown(self, text: str) -> None:
        """Print a page of the manual; as it is written where that is not a terminal."""
        if self.as_json:
            return
        if self._console.is_terminal:
            width = min(self._console.width, READABLE)
            self._console.print(Markdown(text), width=width, soft_wrap=False)
        else:
            self.write(text.rstrip())

    def note(self, text: str) -> None:
        """Print a line that is not part of the result, on standard error."""
        self._notes.print(
            with_hidden_shown(_wrapped(text, self._notes)), markup=False, emoji=False
        )

    def advise(self, problems: Iterable[Problem]) -> None:
        """Print warnings; the caller raises errors."""
        for problem in problems:
            if not problem.serious:
                self.note(f"Note: {problem.message} {problem.hint}".strip())

    def document(self, document: object) -> None:
        """Print the JSON document, if it was requested. NaN and infinity become null.

        None is no document: the verb has printed its own.
        """
        if self.as_json and document is not None:
            readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
            plain = plain_data(document)
            text = json.dumps(plain, ensure_ascii=not readable, allow_nan=False)
            text = HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text)
            # What is no text becomes an escape that JSON readers know.
            sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")

    def flush(self) -> None:
        """Flush standard output."""
        sys.stdout.flush()

    @contextmanager
    def bar(self, title: str) -> Iterator[Bar]:
        """Show a progress bar on standard error, or some plain lines if it is not a terminal."""
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=28),
            TaskProgressColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            TimeRemainingColumn(),
        )
        if not self._notes.is_terminal:
            self.note(f"{title}…")
        is_shown = self._notes.is_terminal and not self.is_quiet
        live = Progress(*columns, console=self._notes, disable=not is_shown)
        with live:
            yield Bar(live, live.add_task(with_hidden_shown(title), total=None, detail=""))


class Bar:
    """A running progress bar."""

    def __init__(self, live: Progress, task: TaskID) -> None:
        self._live = live
        self._task = task

    def show(self, fraction: float | None, detail: str) -> None:
        """Update the bar.

        Args:
            fraction: Progress from 0 to 1; None if unknown.
            detail: Text behind the bar.
        """
        total = None if fraction is None else 1.0
        self._live.update(
            self._task, completed=fraction or 0.0, total=total, detail=with_hidden_shown(detail)
        )


class BarProgress:
    """The progress of work in this process, shown on a bar; Ctrl+C cancels by itself."""

    def __init__(self, output: CommandOutput, bar: Bar) -> None:
        self.output = output
        self.bar = bar

    def advance(self, done: int, total: int, what: str) -> None:
        """Update the bar.

        Args:
            done: Finished units.
            total: All units; 0 if unknown.
            what: Name of the step.
        """
        count = f"{done:,}/{total:,}" if total else f"{done:,}"
        self.bar.show(done / total if total else None, f"{what} {count}")

    def warn(self, message: str) -> None:
        """Print a note."""
        self.output.note(message)

    def check(self) -> None:
        """Do nothing: Ctrl+C raises by itself."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2,000 files`.

    Args:
        number: The number.
        noun: Its noun in the singular.
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """Format a fraction in percent: 0.982 is 98.2 %."""
    return "–" if math.isnan(share) else f"{share * 100:.1f} %"


def figure(value: float) -> str:
    """Return a loss or rate with four significant digits."""
    return "–" if math.isnan(value) else f"{value:.4g}"


def rate(value: float) -> str:
    """Return the images per second, without decimals."""
    return "–" if math.isnan(value) else f"{value:,.0f}"


def _wrapped(text: str, console: Console) -> str:
    """Return a text whose lines fit a terminal; further lines are indented deeper than the first.

    Long words stay whole: paths and commands are copied.
    """
    if not console.is_terminal:
        return text
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        lines += textwrap.wrap(
            line,
            console.width,
            subsequent_indent=indent,
            expand_tabs=False,
            replace_whitespace=False,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join(lines)


def _is_figure(text: str) -> bool:
    return text == "–" or re.fullmatch(r"[\d,.]+(e-?\d+)?( %)?", text) is not None


class Session:
    """One call of the command line: its options, where it prints, and its workspace."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = CommandOutput(as_json=options.json, is_quiet=options.quiet)
        self._workspace: Workspace | None = None
        self._queue: JobQueue | None = None

    @property
    def workspace(self) -> Workspace:
        """The workspace that was named, opened when it is first needed.

        Raises:
            StudioError: It cannot be opened.
        """
        if self._workspace is None:
            self._workspace = Workspace.open(self._root)
        return self._workspace

    @property
    def has_workspace(self) -> bool:
        """True if the workspace that was named exists."""
        return Workspace.exists(self._root)

    @property
    def _root(self) -> Path:
        named = self.options.workspace
        return Path(named) if named else default_workspace()

    @property
    def queue(self) -> JobQueue:
        """The queue of the workspace."""
        if self._queue is None:
            self._queue = JobQueue(self.workspace)
        return self._queue


Options = Callable[[Any], object] | tuple["Options", ...]
"""Function that adds options to a parser or a group of one, or a tuple of such functions."""


def argument(*names: str, **settings: Any) -> Options:  # noqa: ANN401 - as argparse has them
    """Declare an option or a positional argument; see `ArgumentParser.add_argument`."""
    return lambda parser: parser.add_argument(*names, **settings)


def add_options(parser: argparse._ActionsContainer, options: Options) -> None:
    """Add options to a parser in order.

    Args:
        parser: The parser.
        options: The options.
    """
    if not isinstance(options, tuple):
        options(parser)
        return
    for each in options:
        add_options(parser, each)


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb, or one noun with several verbs.

    Attributes:
        name: The word on the command line.
        help: One line for `--help`.
        options: Its options.
        run: Does it, and returns the document that `--json` prints.
        verbs: The verbs of a noun; a noun has no `run`.
        source: Where the rest is defined, in a module of `studio.cli` that is only imported for
            this verb: `module:function` for `run`, and "function_options" of the same module for
            `options` if there are any; of a noun, the module with its `VERBS`.
    """

    name: str
    help: str
    options: Options = ()
    run: Callable[[Session], object] | None = None
    verbs: tuple[Verb, ...] = ()
    source: str = ""

    def loaded(self) -> Verb:
        """Return the verb with all that its module defines."""
        if not self.source:
            return self
        name, _, function = self.source.partition(":")
        module = importlib.import_module(f"studio.cli.{name}")
        if not function:
            return replace(self, verbs=module.VERBS, source="")
        options = getattr(module, f"{function}_options", ())
        return replace(self, options=options, run=getattr(module, function), source="")
