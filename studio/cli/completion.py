"""`studio completion`: the script with which a shell completes commands, options and choices."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import shtab

from studio.cli.verb import Session, argument
from studio.engine.errors import StudioError, did_you_mean

SHELLS = ("bash", "zsh", "fish", "powershell")

_CHOICES = re.compile(r"\{([^{}]+)\}")
_FILES = re.compile(r"(FILE|F|PATH|IMAGE|PICTURE)\b")
_FOLDERS = re.compile(r"(DIR|FOLDER)\b")

run_options = argument("shell", metavar=f"{{{','.join(SHELLS)}}}", help="the shell")


def run(session: Session) -> object:
    """Print the script of a shell.

    Raises:
        StudioError: There is no script for that shell.
    """
    # The parser imports this module by its name, when the verb is called.
    from studio.cli.main import make_parser  # noqa: PLC0415

    shell = session.options.shell
    if shell not in SHELLS:
        raise StudioError(
            f'There is no completion for the shell "{shell}".',
            did_you_mean(shell, SHELLS) or f"One of: {', '.join(SHELLS)}.",
            "shell",
        )
    parser = make_parser()
    for action in _actions(parser):
        _describe(action)
    script = shtab.complete(parser, shell)
    session.output.write(script.rstrip())
    return {"shell": shell, "script": script}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield all options and arguments of a parser and of the verbs below it."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for inner in action.choices.values():
                yield from _actions(inner)
        else:
            yield action


def _describe(action: argparse.Action) -> None:
    """Say what values an option takes, as its `metavar` names them: choices, files or folders.

    Studio checks choices itself, with better messages than argparse, which therefore has none.
    """
    shown = action.metavar if isinstance(action.metavar, str) else ""
    found = _CHOICES.fullmatch(shown)
    if found is not None and action.choices is None:
        action.choices = found[1].split(",")
    elif _FOLDERS.search(shown):
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # read by shtab
    elif _FILES.search(shown):
        action.complete = shtab.FILE  # type: ignore[attr-defined]  # read by shtab
