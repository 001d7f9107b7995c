"""Finds commands and records by what somebody types, among ten thousand of them; free of Qt.

What holds all words that were typed comes first; where that is too little, what has the letters in
their order comes behind it. A key is answered in a few milliseconds: finding words is one pass in
C over every text, and of those with the right letters only some are looked at more closely.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from studio.engine.jobs.supervisor import Key
from studio.ui.navigation import Intent

MOST_SHOWN: Final = 60
MOST_LOOKED_AT: Final = 2000
"""Texts in which letters are looked for one by one, for one key."""
_BREAKS: Final = str.maketrans(dict.fromkeys("-_./:…", " "))


@dataclass(frozen=True, slots=True)
class RunCommand:
    """Run a command by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class UseLanguage:
    """Show the window in another language."""

    language: str


@dataclass(frozen=True, slots=True)
class StopJob:
    """Stop a job."""

    job: Key


@dataclass(frozen=True, slots=True)
class PauseJob:
    """Pause a job."""

    job: Key


Choice = Intent | RunCommand | UseLanguage | StopJob | PauseJob


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be chosen.

    Attributes:
        key: Its identity, under which the settings remember that it was chosen; never read back.
        title: What is shown.
        words: By what else it is found.
        kind: The word at its right.
        icon: Name of its icon.
        choice: What choosing it does.
        job: The job that it shows, whose state stands beside it; None for other items.
    """

    key: str
    title: str
    words: str
    kind: str
    icon: str
    choice: Choice
    job: Key | None = None


class Haystack:
    """What can be found; items that come first come first among equals.

    Attributes:
        looked_at: How many texts the last search looked at letter by letter.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self.looked_at = 0
        self._items = list(items)
        self._titles = [f" {_plain(item.title)}" for item in items]
        self._texts = [
            f"{title} {_plain(item.kind)} {_plain(item.words)}"
            for title, item in zip(self._titles, items, strict=True)
        ]
        self._letters = [_letters(title) for title in self._titles]
        self._places = {item.key: place for place, item in enumerate(items)}

    def __len__(self) -> int:
        return len(self._items)

    def find(self, typed: str, recent: Sequence[str] = ()) -> list[Item]:
        """The best items, `MOST_SHOWN` at most; without words the recent ones, then the first.

        Args:
            typed: Words, or parts of them, or letters.
            recent: Keys of what was chosen last; they come first among what begins so.
        """
        self.looked_at = 0
        words = _plain(typed).split()
        known = [self._places[key] for key in recent if key in self._places]
        if not words:
            places = [*known, *range(min(MOST_SHOWN, len(self._items)))]
        else:
            start, rest = f" {words[0]}", words[1:]
            first = [
                place for place in known if start in self._texts[place] and self._has(place, rest)
            ]
            places = list(dict.fromkeys([*first, *self._holding(words)]))
            if len(places) < MOST_SHOWN:
                places += self._scattered("".join(words))
        best = list(dict.fromkeys(places))[:MOST_SHOWN]
        return [self._items[place] for place in best]

    def _holding(self, words: Sequence[str]) -> list[int]:
        """Titles that begin so, then those with a word that does, then all that has the words."""
        word, start = words[0], f" {words[0]}"
        hits = [place for place, text in enumerate(self._texts) if word in text]
        for other in words[1:]:
            hits = [place for place in hits if other in self._texts[place]]
        titles = self._titles
        ranks: tuple[Iterable[int], ...] = (
            (place for place in hits if titles[place].startswith(start)),
            (place for place in hits if start in titles[place]),
            (place for place in hits if word in titles[place]),
            hits,
        )
        found: dict[int, None] = {}
        for rank in ranks:
            # What an earlier rank has comes again.
            found |= dict.fromkeys(islice(rank, MOST_SHOWN + len(found)))
            if len(found) >= MOST_SHOWN:
                break
        return list(found)

    def _has(self, place: int, words: Sequence[str]) -> bool:
        text = self._texts[place]
        return all(word in text for word in words)

    def _scattered(self, letters: str) -> list[int]:
        """Titles that have the letters in their order."""
        needed = _letters(letters)
        close = [place for place, has in enumerate(self._letters) if has & needed == needed]
        close = close[:MOST_LOOKED_AT]
        # Each letter where it comes first: nothing is tried twice.
        pattern = re.compile(
            "".join(f"[^{re.escape(each)}]*{re.escape(each)}" for each in letters)
        )
        self.looked_at = len(close)
        fitting = (place for place in close if pattern.match(self._titles[place]))
        return list(islice(fitting, MOST_SHOWN))


def _plain(text: str) -> str:
    """Small letters without accents, words divided by spaces."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(part for part in parts if not unicodedata.combining(part))
    return text.casefold().translate(_BREAKS)


def _letters(text: str) -> int:
    """A bit for each letter that a text has; several letters may share one."""
    bits = 0
    for letter in set(text) - {" "}:
        bits |= 1 << (ord(letter) % 61)
    return bits
