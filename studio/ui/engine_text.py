"""What the engine says, in the user's language.

The engine writes English sentences into journals and errors, with values in them. Here the pattern
of a finished sentence is found again, and its translation filled with the same values. What
matches no pattern is shown as it is. The patterns are those of `assets/translations/
engine_texts.json`, which `studio.ui.language_files` takes from the engine's source.

Known limit: words that the engine puts together from pieces stay English where a piece has no
pattern of its own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.assets import asset

CONTEXT = "engine"
FILE = "translations/engine_texts.json"
_PLACE = re.compile(r"\{(\d+)\}")
_WORD = re.compile(r"\w+")
_WHOLE_WORD = re.compile(r"(?<![\w\0])\w+(?![\w\0])")
_QUOTED = re.compile(r'"\{(\d+)\}"')
# Where one sentence ends and another begins; lists of problems are joined by semicolons, and a
# field or file may stand before a colon.
_JOINTS = re.compile(r"(?<=[.?!…;:]) ")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+")
_PERCENT = re.compile(r"(\d+)\.(\d+)( ?%)")
# A report or a listing is not a sentence.
_LONGEST = 1500
_DEEPEST = 3


Value = tuple[str, str, bool]
"""The number of a place, what stands there, and whether it is in quotes."""

Found = tuple[str, list[Value]]
"""A pattern and its values."""


class Pattern:
    """A sentence with places for values.

    Args:
        text: With `{0}`, `{1}` …
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = _PLACE.split(text)[::2]
        self.weight = sum(map(len, self.pieces))
        self.longest = max(self.pieces, key=len)
        self._quoted = set(_QUOTED.findall(text))

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
        return [(name[1:], value, name[1:] in self._quoted) for name, value in groups]

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
        texts: The patterns; those without a space stand for values only.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.whole = set(texts)
        patterns = [Pattern(text) for text in self.whole if _PLACE.search(text)]
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
            return sentence, []
        for pattern in self._candidates(sentence):
            values = pattern.values(sentence)
            if values is not None:
                return pattern.text, values
        return None

    def _candidates(self, sentence: str) -> Iterator[Pattern]:
        ranked = list(self._by_word.get("", ()))
        for word in set(_WORD.findall(sentence)):
            ranked += self._by_word.get(word, ())
        return (pattern for _, pattern in sorted(ranked, key=lambda each: each[0]))


def engine_text(text: str) -> str:
    """A sentence of the engine, or several, in the user's language."""
    if " " not in text or len(text) > _LONGEST:
        return text
    return "\n".join(_sentences(line, 0) for line in text.split("\n"))


def fill(pattern: str, values: dict[str, str]) -> str:
    """A translated pattern with its values, in whatever order it has them."""
    return _PLACE.sub(lambda place: values.get(place.group(1), place.group()), pattern)


def _sentences(text: str, depth: int) -> str:
    whole = _translated(text, depth)
    if whole is not None:
        return whole
    ends = [joint.start() for joint in _JOINTS.finditer(text)]
    for end in reversed(ends):
        part = _translated(text[:end], depth)
        if part is not None:
            return f"{part} {_sentences(text[end + 1 :], depth)}"
    if not ends:
        return text
    return f"{text[: ends[0]]} {_sentences(text[ends[0] + 1 :], depth)}"


def _translated(text: str, depth: int) -> str | None:
    """The translation of one sentence; None when it matches nothing."""
    for variant, end in _variants(text):
        found = _find(variant)
        if found is None:
            continue
        pattern, values = found
        translation = QCoreApplication.translate(CONTEXT, pattern)
        if translation == pattern:
            return text
        filled = fill(translation, {n: _value(v, depth, quoted) for n, v, quoted in values})
        if text[:1].isupper():
            filled = filled[:1].upper() + filled[1:]
        return filled.removesuffix(".") + end if end else filled
    return None


def _variants(text: str) -> Iterator[tuple[str, str]]:
    """A sentence as it is, begun with a small letter, and with the full stop that a list took."""
    yield text, ""
    small = text[:1].lower() + text[1:]
    if small != text:
        yield small, ""
    if text.endswith((";", ":")):
        for start in {text[:-1], small[:-1]}:
            yield start, text[-1]
            yield f"{start}.", text[-1]


def _value(value: str, depth: int, quoted: bool) -> str:
    """A value as it is; a number by the locale, a piece of a sentence in the user's language."""
    if quoted or depth >= _DEEPEST:
        return value
    if _GROUPED.fullmatch(value):
        return QLocale().toString(int(value.replace(",", "")))
    percent = _PERCENT.fullmatch(value)
    if percent is not None:
        whole, decimals, sign = percent.groups()
        return QLocale().toString(float(f"{whole}.{decimals}"), "f", len(decimals)) + sign
    return _sentences(value, depth + 1)


@lru_cache(maxsize=2000)
def _find(sentence: str) -> Found | None:
    return _patterns().find(sentence)


@cache
def _patterns() -> Patterns:
    return Patterns(json.loads(asset(FILE).read_text(encoding="utf-8")))
