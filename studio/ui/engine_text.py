"""What the engine says, in the user's language.

The engine writes English sentences into journals and errors, with values in them. Here the pattern
of a finished sentence is found again, and its translation filled with the same values. What
matches no pattern is shown as it is. Numbers are written as the language of the window has them.
The patterns, and which of their places hold numbers, are those of `assets/translations/
engine_texts.json`, which `studio.ui.language_files` takes from the engine's source.

Known limit: words that the engine puts together from pieces stay English where a piece has no
pattern of its own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.assets import asset
from studio.engine.messages import Message
from studio.ui.language import translated

CONTEXT = "engine"
FILE = "translations/engine_texts.json"
_PLACE = re.compile(r"\{(\d+)\}")
_WORD = re.compile(r"\w+")
_WHOLE_WORD = re.compile(r"(?<![\w\0])\w+(?![\w\0])")
_QUOTED = re.compile(r'"\{(\d+)\}"')
# Where one sentence ends and another begins; lists of problems are joined by semicolons, and a
# field or file may stand before a colon.
_JOINTS = re.compile(r"(?<=[.?!…;:]) ")
_END = re.compile(r"[.?!] ")
_NUMBER = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?(e[+-]?\d+)?( ?%)?")
# What is a number whatever its place: 12,345 and 98.2 % and 3.1 MB. Others may be versions.
_QUANTITY = re.compile(
    r"[+-]?(\d{1,3}(,\d{3})+(\.\d+)?"
    r"|\d+(\.\d+)? ?(%|[kMG]i?B|ms|s|min|h|px|°|times))"
)
# A report or a listing is not a sentence.
_LONGEST = 1500
_DEEPEST = 3


class Value(NamedTuple):
    """What stands in a place of a pattern.

    Attributes:
        place: Its number.
        text: What stands there.
        is_name: It is in quotes, so it is a name of the user's.
        is_number: The engine writes a number there.
    """

    place: str
    text: str
    is_name: bool
    is_number: bool = False


class Found(NamedTuple):
    """The pattern that a sentence is of, and its values."""

    pattern: str
    values: list[Value]

    @property
    def is_sure(self) -> bool:
        """Whether no value goes on over the end of a sentence."""
        return not any(_END.search(value.text) for value in self.values)


class Pattern:
    """A sentence with places for values.

    Args:
        text: With `{0}`, `{1}` …
        numbers: Of these, the ones that hold numbers: `0 2`.
    """

    def __init__(self, text: str, numbers: str = "") -> None:
        self.text = text
        self.pieces = _PLACE.split(text)[::2]
        self.weight = sum(map(len, self.pieces))
        self.longest = max(self.pieces, key=len)
        self._quoted = set(_QUOTED.findall(text))
        self._numbers = set(numbers.split())

    @property
    def words(self) -> list[str]:
        """The words that every such sentence has, each between spaces or signs."""
        return _WHOLE_WORD.findall(_PLACE.sub("\0", self.text))

    def values(self, sentence: str) -> list[Value] | None:
        """What stands in the places; None: it is no such sentence."""
        if self.longest not in sentence:
            return None
        found = self._compiled.fullmatch(sentence)
        if found is None:
            return None
        groups = found.groupdict().items()
        return [
            Value(place, text, place in self._quoted, place in self._numbers)
            for place, text in ((name[1:], text) for name, text in groups)
        ]

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        seen: set[str] = set()
        parts = []
        for at, part in enumerate(_PLACE.split(self.text)):
            if at % 2 == 0:
                parts.append(re.escape(part))
            else:
                parts.append(f"(?P=p{part})" if part in seen else f"(?P<p{part}>.*?)")
                seen.add(part)
        return re.compile("".join(parts), re.DOTALL)


class Patterns:
    """All patterns, each found by that of its words which the fewest others have.

    Args:
        texts: The patterns, each with the places of its numbers; those without a space stand
            for values only.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.whole = set(texts)
        patterns = [Pattern(*each) for each in texts.items() if _PLACE.search(each[0])]
        # The one with the most words of its own is meant, where several match.
        patterns.sort(key=lambda pattern: (-pattern.weight, pattern.text))
        uses = Counter(word for pattern in patterns for word in set(pattern.words))
        self._by_word: dict[str, list[tuple[int, Pattern]]] = {}
        for rank, pattern in enumerate(patterns):
            word = min(pattern.words, key=lambda word: (uses[word], word), default="")
            self._by_word.setdefault(word, []).append((rank, pattern))

    def find(self, sentence: str) -> Found | None:
        """The pattern of a sentence and its values; None when there is none."""
        if sentence in self.whole:
            return Found(sentence, [])
        for pattern in self._candidates(sentence):
            values = pattern.values(sentence)
            if values is not None:
                return Found(pattern.text, values)
        return None

    def _candidates(self, sentence: str) -> Iterator[Pattern]:
        ranked = list(self._by_word.get("", ()))
        for word in set(_WORD.findall(sentence)):
            ranked += self._by_word.get(word, ())
        return (pattern for _, pattern in sorted(ranked, key=lambda each: each[0]))


def learn_sentences() -> None:
    """Prepare the patterns of all sentences, which takes a while; in any thread."""
    _patterns()


def engine_text(text: str) -> str:
    """A sentence of the engine, or several, in the user's language."""
    if isinstance(text, Message):
        return translated(text)
    if " " not in text or len(text) > _LONGEST:
        return text
    return "\n".join(_sentences(line, 0) for line in text.split("\n"))


def plan_text(text: str) -> str:
    """A label or help text of a plan in the user's language."""
    return QCoreApplication.translate("plans", text) if text else ""


def fill(pattern: str, values: dict[str, str]) -> str:
    """A translated pattern with its values, in whatever order it has them."""
    return _PLACE.sub(lambda place: values.get(place.group(1), place.group()), pattern)


def _sentences(text: str, depth: int) -> str:
    """One sentence, or several after each other."""
    whole = _sentence(text)
    if whole is not None and whole.found.is_sure:
        return whole.translated(depth)
    joints = [joint.start() for joint in _JOINTS.finditer(text)]
    for end in reversed(joints):
        part = _sentence(text[:end])
        if part is not None and part.found.is_sure:
            return f"{part.translated(depth)} {_sentences(text[end + 1 :], depth)}"
    if whole is not None:
        return whole.translated(depth)
    if not joints:
        return text
    return f"{text[: joints[0]]} {_sentences(text[joints[0] + 1 :], depth)}"


class _Sentence(NamedTuple):
    """A sentence whose pattern was found.

    Attributes:
        text: In English.
        found: Its pattern and values.
        end: A sign that stands behind it and is not of the pattern.
    """

    text: str
    found: Found
    end: str

    def translated(self, depth: int) -> str:
        """The same in the user's language; in English itself it stays as it is."""
        translation = QCoreApplication.translate(CONTEXT, self.found.pattern)
        if translation == self.found.pattern:
            return self.text
        filled = fill(
            translation, {value.place: _value(value, depth) for value in self.found.values}
        )
        if self.text[:1].isupper():
            filled = filled[:1].upper() + filled[1:]
        return filled.removesuffix(".") + self.end if self.end else filled


def _sentence(text: str) -> _Sentence | None:
    for variant, end in _variants(text):
        found = _find(variant)
        if found is not None:
            return _Sentence(text, found, end)
    return None


def _variants(text: str) -> Iterator[tuple[str, str]]:
    """As it is, begun with a small letter, with another sign at its end."""
    small = text[:1].lower() + text[1:]
    starts = [text] if small == text else [text, small]
    yield from ((start, "") for start in starts)
    if text.endswith((".", ";", ":")):
        yield from ((start[:-1], text[-1]) for start in starts)
    if text.endswith((";", ":")):
        yield from ((f"{start[:-1]}.", text[-1]) for start in starts)


def _value(value: Value, depth: int) -> str:
    """A name as it is; a number by the locale; a piece of a sentence in the user's language."""
    if value.is_name or depth >= _DEEPEST:
        return value.text
    how = _NUMBER if value.is_number else _QUANTITY
    if how.fullmatch(value.text):
        return _by_locale(value.text)
    return _sentences(value.text, depth + 1)


def _by_locale(number: str) -> str:
    """An English number with the signs that the locale has; no digit is lost by that."""
    locale = QLocale()
    signs: dict[str, str | int | None] = {",": locale.groupSeparator(), ".": locale.decimalPoint()}
    return number.translate(str.maketrans(signs))


@lru_cache(maxsize=2000)
def _find(sentence: str) -> Found | None:
    return _patterns().find(sentence)


@cache
def _patterns() -> Patterns:
    return Patterns(json.loads(asset(FILE).read_text(encoding="utf-8")))
