"""Entry point of the command line: finds the verb, runs it, and turns errors into exit codes."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from studio import __version__
from studio.cli.options import OPTION_PREFIX
from studio.cli.verb import Session, Verb, add_options, write_message, write_verbatim
from studio.cli.verbs import VERBS
from studio.engine.errors import JobFailedError, StudioError
from studio.engine.files import clear_system_error

DONE, OUR_BUG, USERS_MISTAKE, INTERRUPTED = 0, 1, 2, 130


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line, like all other errors."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - those of argparse
        super().__init__(**settings)
        # Values that begin with a minus sign: negative numbers, and ranges such as -1..1.
        self._negative_number_matcher = re.compile(r"-\d*\.?\d+(\.\.\S*)?$")

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Report words that no option and no argument takes, with the option that was meant."""
        option = next((word for word in words if word.startswith("-")), "").partition("=")[0]
        hint = self._similar_option(option)
        text = f"Unrecognized arguments: {' '.join(words)}"
        write_message(f"studio: {text}. {hint or f'Try: {self.prog} --help'}")
        raise SystemExit(USERS_MISTAKE)

    def _similar_option(self, option: str) -> str:
        known = [each for action in self._actions for each in action.option_strings]
        other = _OTHER_NAMES.get(option.lstrip("-"), "")
        close = difflib.get_close_matches(option, known, n=1, cutoff=0.7) if option else []
        meant = other if other in known else next(iter(close), "")
        return f"Did you mean {meant}?" if meant else ""

    def error(self, message: str) -> NoReturn:
        unknown = _UNKNOWN_VERB.match(message)
        text = message[:1].upper() + message[1:]
        if unknown is not None:
            text = f'There is no command "{self.prog} {unknown[1]}"'
        hint = "" if unknown is None else _similar_command(self.prog, unknown[1])
        write_message(f"studio: {text}. {hint or f'Try: {self.prog} --help'}")
        raise SystemExit(USERS_MISTAKE)


_OTHER_NAMES = {
    "lr": "--learning-rate",
    "bs": "--batch-size",
    "b": "--batch-size",
    "e": "--epochs",
    "n_epochs": "--epochs",
    "num_epochs": "--epochs",
    "num-epochs": "--epochs",
    "wd": "--weight-decay",
    "model": "--network",
    "arch": "--network",
    "pretrained": "--weights",
    "data": "--dataset",
    "output": "--to",
    "out": "--to",
    "o": "--to",
    "imgsz": "--size",
    "image-size": "--size",
    "opt": "--optimizer",
    "random-state": "--seed",
    "val-split": "--val",
    "silent": "--quiet",
    "debug": "--verbose",
}
"""Options as other programs call them."""
_UNKNOWN_VERB = re.compile(r"argument VERB: invalid choice: '(.*?)' \(choose from")
_SWITCHES = ("--json", "--quiet", "-q", "--verbose", "-v")
_BEFORE_VERBS = ("--workspace", "--version", "--help", "-h", *_SWITCHES)


def _commands(verbs: Sequence[Verb], before: str = "studio") -> Iterator[str]:
    for verb in verbs:
        yield f"{before} {verb.name}"
        yield from _commands(verb.loaded().verbs, f"{before} {verb.name}")


def _similar_command(prog: str, word: str) -> str:
    """Return a hint for an unknown verb: the same word under a noun, or a similar spelling."""
    known = list(_commands(VERBS))
    same = [command for command in known if command.endswith(f" {word}")]
    if same:
        return f"Did you mean: {' or '.join(same)}?"
    close = difflib.get_close_matches(f"{prog} {word}", known, n=1, cutoff=0.7)
    return f"Did you mean: {close[0]}?" if close else ""


def _refuse_misplaced_option(words: Sequence[str]) -> None:
    """Reject an option of a verb that comes before the verb.

    Raises:
        StudioError: There is one; its value would be parsed as the verb.
    """
    for index, word in enumerate(words):
        if index and words[index - 1] == "--workspace":
            continue
        if not word.startswith("-"):
            return
        if word.partition("=")[0] not in _BEFORE_VERBS:
            raise StudioError(
                f"The option {word} comes before the command.",
                "Write it after, for example: studio train --dataset NAME --name RUN",
            )


def main(words: Sequence[str]) -> int:
    """Run one verb.

    Args:
        words: The command line without the program's name.

    Returns:
        The exit code: 0 done, 1 internal error, 2 wrong input, 130 interrupted.
    """
    try:
        _refuse_misplaced_option(words)
        options, unknown = make_parser(words).parse_known_args(words)
        if unknown:
            options.parser.refuse_unknown(unknown)
    except StudioError as error:
        write_message(f"studio: {error}")
        return USERS_MISTAKE
    except SystemExit as end:
        return int(end.code or DONE)
    session = Session(options)
    code = DONE
    try:
        session.output.document(options.run(session))
        session.output.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as in `studio … | head -1`. Python flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:  # noqa: BLE001 - the last line: shown, and turned into an exit code
        code = _report_error(error, options)
    return INTERRUPTED if session.output.interrupted else code


def _report_error(found: Exception, options: argparse.Namespace) -> int:
    error = clear_system_error(found)
    if isinstance(error, StudioError):
        if options.verbose:
            write_verbatim("".join(traceback.format_exception(found)).rstrip())
        text = _with_option(error, options)
        write_message(f"studio: {text}{_option_of(error, text, options)}")
        return USERS_MISTAKE
    if isinstance(error, JobFailedError):
        write_message(f"studio: {error}")
    else:
        write_message("studio: internal error. Please report the following text.")
        write_verbatim("".join(traceback.format_exception(error)).rstrip())
    return OUR_BUG


# Options whose name is not that of the field of the plan that they set.
_OPTIONS = {"width": "size", "height": "size", "val_percent": "val", "test_percent": "test"}


_ITEM = re.compile(r"\.\d+$")
"""The position of a value in the list of a field."""


def _with_option(error: StudioError, options: argparse.Namespace) -> str:
    """Return an error on one line; a field of a plan at its beginning becomes its option."""
    text = " ".join(str(error).split())
    field = error.where
    if not field or not text.startswith(f"{field}: "):
        return text
    whole = _ITEM.sub("", field)
    name = _OPTIONS.get(whole, whole)
    if not any(hasattr(options, f"{prefix}{name}") for prefix in ("", OPTION_PREFIX)):
        return f"--set {text}" if hasattr(options, "assignments") else text
    rest = text.removeprefix(f"{field}:")
    # "--epochs must be at least 1", but "--network: there is no network …".
    sign = "" if rest.startswith(" must ") else ":"
    return f"--{name.replace('_', '-')}{sign}{rest}"


def _option_of(error: StudioError, text: str, options: argparse.Namespace) -> str:
    """Return the option that puts it right: the engine's hints are also those of the window."""
    there = any(hasattr(options, f"{prefix}{error.where}") for prefix in ("", OPTION_PREFIX))
    if error.where not in ("weights", "network") or not there or "--" in text:
        return ""
    return f" The option is --{error.where}."


def make_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Args:
        words: The words that are parsed: verbs that do not occur in them have no options, so that
            their modules are not imported. None for all verbs with all options.
    """
    parser = _Parser(
        prog="studio",
        description="Train image models. Without a verb the window opens.",
        epilog="Every verb takes --workspace DIR, --json, -q and -v. Exit codes: 0 done, "
        "1 internal error, 2 wrong input, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"Studio {__version__}")
    _add_common(parser, workspace=None, switch=False)
    _add_verbs(parser, VERBS, words)
    return parser


def _add_verbs(
    parser: argparse.ArgumentParser, verbs: Sequence[Verb], words: Sequence[str] | None
) -> None:
    choices = parser.add_subparsers(metavar="VERB", required=True)
    for verb in verbs:
        child = choices.add_parser(verb.name, help=verb.help, description=verb.help)
        if words is not None and verb.name not in words:
            continue
        loaded = verb.loaded()
        if loaded.verbs:
            _add_verbs(child, loaded.verbs, words)
            continue
        # Suppressed defaults: an option before the verb must survive the verb's own parser.
        _add_common(child, workspace=argparse.SUPPRESS, switch=argparse.SUPPRESS)
        add_options(child, loaded.options)
        child.set_defaults(run=loaded.run, parser=child)


def _add_common(parser: argparse.ArgumentParser, *, workspace: object, switch: object) -> None:
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        default=workspace,
        help="folder of all records [STUDIO_WORKSPACE, or the local application data]",
    )
    switches = {
        ("--json",): "print one JSON document only",
        ("-q", "--quiet"): "print results and errors, but no progress and no notes",
        ("-v", "--verbose"): "also print the log of the job, and where an error was raised",
    }
    for names, text in switches.items():
        parser.add_argument(*names, action="store_true", default=switch, help=text)
