"""The entry of the command line: finds the verb, runs it, and turns errors into exit codes."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from studio import __version__
from studio.cli.following import JobFailedError
from studio.cli.plan_options import OPTION_PREFIX
from studio.cli.verb import Session, Verb
from studio.cli.verbs import VERBS
from studio.engine.errors import StudioError
from studio.engine.files import clear_system_error

DONE, OUR_BUG, USERS_MISTAKE, INTERRUPTED = 0, 1, 2, 130


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as every other mistake is said."""

    def error(self, message: str) -> NoReturn:
        text = message[:1].upper() + message[1:]
        sys.stderr.write(f"studio: {text}. Try: {self.prog} --help\n")
        raise SystemExit(USERS_MISTAKE)


def main(words: Sequence[str]) -> int:
    """Run one verb.

    Args:
        words: The command line without the program's name.

    Returns:
        The exit code: 0 done, 1 our bug, 2 the user's mistake, 130 interrupted.
    """
    try:
        options = make_parser().parse_args(words)
    except SystemExit as end:
        return int(end.code or DONE)
    session = Session(options)
    try:
        session.output.document(options.run(session))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; there is nobody to tell
    except Exception as error:  # noqa: BLE001 - the last line: told, and turned into an exit code
        return _tell(error, options)
    return DONE


def _tell(found: Exception, options: argparse.Namespace) -> int:
    error = clear_system_error(found)
    if isinstance(error, StudioError):
        text = " ".join(str(error).split())
        sys.stderr.write(f"studio: {text}{_option_of(error, text, options)}\n")
        return USERS_MISTAKE
    if isinstance(error, JobFailedError):
        sys.stderr.write(f"studio: {error}\n")
    else:
        sys.stderr.write("studio: this is a bug in Studio; please report what follows.\n")
        traceback.print_exception(error)
    return OUR_BUG


def _option_of(error: StudioError, text: str, options: argparse.Namespace) -> str:
    """The option that puts it right: the engine's hints are also those of the window."""
    there = any(hasattr(options, f"{prefix}{error.where}") for prefix in ("", OPTION_PREFIX))
    if error.where not in ("weights", "network") or not there or "--" in text:
        return ""
    return f" The option is --{error.where}."


def make_parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    parser = _Parser(
        prog="studio",
        description="Train image classifiers. Without a verb the window opens.",
        epilog="Every verb takes --workspace DIR and --json. Exit codes: 0 done, 1 our bug, "
        "2 a mistake that you can put right.",
    )
    parser.add_argument("--version", action="version", version=f"Studio {__version__}")
    _add_common(parser, workspace=None, json=False)
    _add_verbs(parser, VERBS)
    return parser


def _add_verbs(parser: argparse.ArgumentParser, verbs: Sequence[Verb]) -> None:
    choices = parser.add_subparsers(metavar="VERB", required=True)
    for verb in verbs:
        child = choices.add_parser(verb.name, help=verb.help, description=verb.help)
        if verb.verbs:
            _add_verbs(child, verb.verbs)
            continue
        # Suppressed defaults: an option before the verb must survive the verb's own parser.
        _add_common(child, workspace=argparse.SUPPRESS, json=argparse.SUPPRESS)
        if verb.configure is not None:
            verb.configure(child)
        child.set_defaults(run=verb.run)


def _add_common(parser: argparse.ArgumentParser, *, workspace: object, json: object) -> None:
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        default=workspace,
        help="where records are kept (otherwise STUDIO_WORKSPACE, then your documents)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        default=json,
        help="print one JSON document and nothing else",
    )
