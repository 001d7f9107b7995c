"""The one kind of error that a user can cause, and the problems that checks report.

Anything that is not a `StudioError` is our bug: the window offers a report and the command line
exits with 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


class StudioError(Exception):
    """Something a user can cause, and can put right.

    Attributes:
        message: What happened and what was received, one sentence.
        hint: What to do next, one sentence; may be empty.
        where: The field, file or record it is about; may be empty.
    """

    def __init__(self, message: str, hint: str = "", where: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where

    def __str__(self) -> str:
        """Message and hint on one line, as the command line prints them."""
        return " ".join(part for part in (self.message, self.hint) if part)


class BadDataError(StudioError):
    """Images, labels or a dataset that cannot be used as asked."""


class DiskFullError(StudioError):
    """No space was left while writing."""


class NotFiniteError(StudioError):
    """Training produced a loss that is not a number."""


class DeviceLostError(StudioError):
    """The device, or its driver, died under the work."""


class OutOfMemoryError(StudioError):
    """The device or the machine ran out of memory."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of a check. Checks return lists of these and never raise.

    Attributes:
        where: Dotted name of the field (`"schedule.rate"`), or empty for the whole.
        message: What is wrong and what was received.
        hint: What to do about it; may be empty.
        serious: True where the plan cannot be carried out, False for advice.
    """

    where: str
    message: str
    hint: str = ""
    serious: bool = True


def raise_if_serious(problems: Iterable[Problem]) -> None:
    """Raise one `StudioError` that names every serious problem of a list.

    Raises:
        StudioError: At least one problem is serious.
    """
    serious = [problem for problem in problems if problem.serious]
    if not serious:
        return
    texts = [f"{p.where}: {p.message}" if p.where else p.message for p in serious]
    # One sentence: a full stop stands at its end only.
    text = "; ".join([text.removesuffix(".") for text in texts[:-1]] + texts[-1:])
    raise StudioError(
        text, " ".join(dict.fromkeys(p.hint for p in serious if p.hint)), serious[0].where
    )


def did_you_mean(received: str, known: Iterable[str]) -> str:
    """A hint that names the closest known word, or lists them all when none is close."""
    words = sorted(known)
    close = difflib.get_close_matches(received, words, n=1)
    if close:
        return f'Did you mean "{close[0]}"?'
    if not words:
        return ""
    shown = ", ".join(words[:12]) + (", …" if len(words) > 12 else "")
    return f"Known are: {shown}."
