"""The one kind of error that a user can cause, and the problems that checks report.

Anything that is not a `StudioError` is our bug: the window offers a report and the command line
exits with 1.
"""

from __future__ import annotations

import copy
import difflib
import itertools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

from studio.engine.messages import Message, as_message, joined, message

LONGEST_RECEIVED = 80
"""Characters of a received value that errors repeat."""
LONGEST_MESSAGE = 1200
"""Characters of a message, and of a hint, at most: paths and names of others may have any length.
"""
LONGEST_LIST = 1000
"""Characters of a list of problems in one error."""
_LONGEST_VALUES = (1000, 400, 100, 40)
"""Characters of a value, at most, that are tried in turn where a message is too long."""
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Characters that change how a text is shown without being seen: controls but tabs and line feeds,
marks of direction, and what has no width, but joiners within scripts and emoji that need them."""
_BREAKS = re.compile(r"[\t-\r\x1c-\x1e\x85\u2028\u2029]+")


def one_line(text: str) -> str:
    r"""Return a text fit for one line of any screen: what others wrote may hold anything.

    Line breaks become spaces; other control characters, and halves of characters (as in names
    of files that are no UTF-8), are written as `\x1b`.
    """
    if text.isprintable():
        return text
    words = _BREAKS.sub(" ", text)
    return "".join(
        _escaped(char) if unicodedata.category(char) in {"Cc", "Cs"} else char for char in words
    )


def with_hidden_shown(text: str) -> str:
    r"""Return a text whose hidden characters are written as `\x1b` and `\u202e`.

    A terminal would obey control characters: change its title, erase lines, or type into the
    shell. Marks of direction disguise names: `\u202egnp.exe` is shown as "exe.png".
    """
    return HIDDEN.sub(lambda found: _escaped(found[0]), text)


def shortened(text: str, longest: int = LONGEST_RECEIVED) -> str:
    """Return a text cut to a length, with an ellipsis if something was cut.

    Args:
        text: The text.
        longest: Greatest length in characters.
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _middle_cut(text: str, longest: int) -> str:
    """Replace the middle of a text that is too long with an ellipsis."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[: half - 3]} … {text[-half:]}"


def _cleaned(text: str) -> Message:
    """Return a text or message that fits into one line and is not too long.

    Of a message only the values are shortened, so that it can still be translated.
    """
    if isinstance(text, Message):
        text = text.with_texts(one_line)
        for longest in _LONGEST_VALUES:
            if len(text) <= LONGEST_MESSAGE:
                return text
            text = text.with_texts(partial(_middle_cut, longest=longest))
    return as_message(_middle_cut(one_line(text), LONGEST_MESSAGE))


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()


class StudioError(Exception):
    """An error that the user can cause and fix.

    `StudioError("There is no task “{name}”.", hint, name=name)` fills the values into the
    sentence as `message` does. Without values, the sentence stays as it is.

    Attributes:
        message: What happened and what was received, one sentence.
        hint: What to do next, one sentence; may be empty.
        where: The field, file or record it is about; may be empty.
    """

    def __init__(
        self, sentence: str, /, hint: str = "", where: str = "", **values: object
    ) -> None:
        self.message = _cleaned(message(sentence, one="", **values) if values else sentence)
        self.hint = _cleaned(hint)
        self.where = where
        super().__init__(self.message)

    def changed(self, hint: str = "", where: str = "") -> Self:
        """Return an error of the same kind and message.

        Args:
            hint: Another hint; empty to keep it.
            where: Another field, file or record; empty to keep it.
        """
        other = copy.copy(self)
        other.hint = _cleaned(hint) or self.hint
        other.where = where or self.where
        return other

    def __str__(self) -> str:
        """Message and hint on one line, as the command line prints them."""
        return self.text

    @property
    def text(self) -> Message:
        """Message and hint as one message."""
        return joined((self.message, self.hint))


class BadDataError(StudioError):
    """Images, labels or a dataset that cannot be used as asked."""


class UnlabeledError(StudioError):
    """Images without classes, or of a single one, where several are needed."""


class UnwritableError(StudioError):
    """Files of one picture that cannot be written; those of others can."""


class DiskFullError(StudioError):
    """No space was left while writing."""


class BusyError(StudioError):
    """Another process holds a lock that is needed for a moment."""


class NotFiniteError(StudioError):
    """Training produced a loss that is not a number."""


class DeviceLostError(StudioError):
    """The device, or its driver, died under the work."""


class OutOfMemoryError(StudioError):
    """The device or the machine ran out of memory."""


_KINDS: Final[tuple[type[StudioError], ...]] = (StudioError, *StudioError.__subclasses__())
ERROR_KINDS: Final = {each.__name__: each for each in _KINDS}
"""Classes of errors by their names, by which processes send them."""


class JobFailedError(Exception):
    """A job ended because of a bug, or its process was lost."""


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
    """Raise one `StudioError` that names every serious problem of a list, or as many as fit.

    Raises:
        StudioError: At least one problem is serious.
    """
    serious = [problem for problem in problems if problem.serious]
    if not serious:
        return
    texts = [
        message("{where}: {problem}", where=p.where, problem=as_message(p.message))
        if p.where
        else p.message
        for p in serious
    ]
    lengths = itertools.accumulate(map(len, texts))
    fits = max(1, sum(length <= LONGEST_LIST for length in lengths))
    if fits < len(texts):
        more = message(
            "There are {count:,} more problems.",
            one="There is one more problem.",
            count=len(texts) - fits,
        )
        texts[fits:] = [more]
    hints = dict.fromkeys(problem.hint for problem in serious)
    raise StudioError(joined(texts), joined(tuple(hints)), serious[0].where)


def did_you_mean(received: str, known: Iterable[str]) -> str:
    """Return a hint with the closest known word, or with all words if no word is close.

    Args:
        received: The word that is not known.
        known: The words that are.
    """
    words = sorted(known)
    close = difflib.get_close_matches(received, words, n=1)
    if close:
        return message('Did you mean "{name}"?', name=close[0])
    if not words:
        return ""
    shown = ", ".join(words[:12]) + (", …" if len(words) > 12 else "")
    return message("Known: {names}.", names=shown)
