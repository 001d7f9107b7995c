"""Names, comments and texts use the standard terms of the field, not words of our own."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import pytest

from helpers.sources import parsed

REPOSITORY = Path(__file__).resolve().parents[2]
CODE = sorted(
    path for folder in ("studio", "tests") for path in (REPOSITORY / folder).rglob("*.py")
)
MANUAL = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "assets/help/*.md")
    for path in REPOSITORY.glob(pattern)
)

NAMES = {
    "anew": "new, or a verb with re-",
    "aside": "quarantine",
    "checkup": "Validator",
    "deed": "action",
    "desk": "Navigator",
    "ear": "listener",
    "guess": "prediction",
    "guesses": "predictions",
    "hear": "receive",
    "heard": "received",
    "illness": "diagnosis",
    "keeper": "ModelCheckpointer",
    "lesson": "TrainingSetup",
    "moment": "checkpoint, epoch or time",
    "moments": "checkpoints, epochs or times",
    "nobody": "what is absent",
    "pace": "throughput or latency",
    "ruler": "ImageStatistics",
    "shares": "fractions",
    "somebody": "who it is",
    "spot": "CellKey",
    "spots": "keys",
    "teller": "Notifier",
    "tells": "notifies",
    "told": "reported",
    "twin": "duplicate",
    "twins": "duplicates",
    "whoever": "who it is",
    "wish": "request",
    "wished": "requested",
    "wishes": "requests",
}
"""Words that are no part of a name, with what to write instead."""

EXCEPTIONS = {"MomentOptions", "_on_heard", "_on_pace"}
"""Moments of gradients, and receivers of events, named by the tags in stored journals."""

PHRASES = {
    r"anew": "again, or a verb with re-",
    r"any ?more": "no longer",
    r"nobody|somebody|whoever": "who it is, or the passive",
    r"by heart": "overfit, memorize",
    r"(goes|go|went|gone) on": "continue, resume",
    r"(is|are|was|were|be|been) told(?! apart)": "notified, reported",
    r"(is|are|was|were|be|been) taken for": "predicted as, counts as",
    r"takes (it|them) for": "predicts",
    r"put right": "fix, correct",
    r"of now": "current",
    r"so many": "this many, or the number",
    r"looked (at|into)": "read, examined, shown",
    r"(is|are) heard": "received",
    r"(?<!there )(is|are) (?-i:none)(?! of)": "not a …, no …",
    r"wish|wishes|wished": "request, choice",
    r"mend|mends|mended": "fix, repair",
    r"without a word": "silently",
    r"means nothing": "invalid, undefined",
    r"(if|where) (?-i:none)(?! of)": "if no …, unless …, without …: the condition has a subject",
    r"(empty|None|NaN|False|hidden|0|-1) where nothing": "if no …, without …, before …",
}
"""Patterns of the dialect, with what to write instead."""

TRANSLATIONS = REPOSITORY / "assets" / "translations" / "studio_pt_BR.ts"
"""Contains every text of the window, in English and Portuguese."""

IMAGE_WORDS = re.compile(r"\bpictures?\b|\bfiguras?\b", re.IGNORECASE)
"""Other words for an image, which a page must not mix with it."""

PATTERN = re.compile(r"\b(" + "|".join(PHRASES) + r")\b", re.IGNORECASE)
BETWEEN_WORDS = re.compile(r"""(\b[rbf]{1,2})?["']+|\\n|[#\\]""", re.IGNORECASE)
"""Characters of code that may stand between two words of one text."""
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def _names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def _texts(source: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Docstrings, texts of several words, and comments, those of adjacent lines together."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
    first, lines = 0, [""]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != first + len(lines):
                yield first, " ".join(lines)
                first, lines = token.start[0], []
            lines.append(token.string.lstrip("# "))
    yield first, " ".join(lines)


@functools.cache
def _is_suspicious(name: str) -> bool:
    return name not in EXCEPTIONS and not _words(name).isdisjoint(NAMES)


def _own_names(source: str) -> list[str]:
    # Few modules contain such a word at all: parsing all of them takes twenty seconds.
    if not any(map(_is_suspicious, set(IDENTIFIER.findall(source)))):
        return []
    found = []
    for line, name in _names(parsed(source)):
        if name not in EXCEPTIONS and (words := _words(name) & NAMES.keys()):
            found.append(f"{line}: {name}: {', '.join(NAMES[word] for word in sorted(words))}")
    return found


def _may_have_phrases(source: str) -> bool:
    """False if no text of a module has such a phrase, which is found without parsing it."""
    return PATTERN.search(" ".join(BETWEEN_WORDS.sub(" ", source).split())) is not None


def _phrases(text: str, first: int = 1) -> list[str]:
    lines = [" ".join(line.split()) for line in text.split("\n")]
    flat = " ".join(lines)
    ends = list(accumulate(len(line) + 1 for line in lines))
    return [
        f"{first + bisect_right(ends, each.start())}: "
        + flat[max(0, each.start() - 40) : each.end() + 40]
        for each in PATTERN.finditer(flat)
    ]


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def wish_of(x): ...", 1),
        ("class IllnessFound: ...", 1),
        ("def f(told, kept): ...", 1),
        ("self.moment = 1", 1),
        ("earnings = pacemaker = fortold = 1", 0),
        ("x = object.told", 0),
    ],
)
def test_names_of_our_own_are_found(source: str, count: int) -> None:
    assert len(_own_names(source)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The run goes on where it was.", 1),
        ("There is none.", 0),
        ("A picture that is none.", 1),
        ("It does not exist any\n    more.", 1),
        ("Another one is renewed.", 0),
        ("The device is auto where none is named.", 1),
        ("Its checksum; empty if none\n    is published.", 1),
        ("Its mean; NaN where nothing was counted.", 1),
        ("None if none of them was measured; all if None; drawn where nothing is.", 0),
    ],
)
def test_phrases_of_our_own_are_found(text: str, count: int) -> None:
    assert len(_phrases(text)) == count


@pytest.mark.parametrize(
    "source",
    [
        "text = 'The run goes on.'",
        'text = ("It does not exist any "\n    "more.")',
        'text = (f"It {goes} and goes "\n    f"on.")',
        "text = 'It goes\\non.'",
        "text = 1  # It goes\n# on.",
        'def f():\n    """It does not exist any\n    more."""',
    ],
)
def test_no_phrase_is_overlooked(source: str) -> None:
    assert _may_have_phrases(source)
    found = [each for line, text in _texts(source, parsed(source)) for each in _phrases(text)]
    assert len(found) == 1


def test_names_are_standard_terms() -> None:
    found = []
    for path in CODE:
        name = path.relative_to(REPOSITORY).as_posix()
        stem = _words(path.stem) & NAMES.keys()
        found += [f"{name}: {', '.join(NAMES[word] for word in stem)}"] if stem else []
        found += [f"{name}:{each}" for each in _own_names(path.read_text("utf-8"))]
    assert found == [], "\n".join(found)


def test_comments_and_texts_are_plain_english() -> None:
    found = []
    for path in CODE:
        if path == Path(__file__):
            continue
        name, source = path.relative_to(REPOSITORY).as_posix(), path.read_text("utf-8")
        if not _may_have_phrases(source):
            continue
        for line, text in _texts(source, parsed(source)):
            found += [f"{name}:{each}" for each in _phrases(text, line)]
    for path in MANUAL:
        name = path.relative_to(REPOSITORY).as_posix()
        found += [f"{name}:{each}" for each in _phrases(path.read_text("utf-8"))]
    assert found == [], "\n".join(found)


def test_an_image_has_one_word_in_the_window() -> None:
    """Names of values and of files, such as {picture} and picture.jpg, may have the other word."""
    texts = re.sub(r"\{[^{}]*\}|\bpicture\.jpg", "", TRANSLATIONS.read_text("utf-8"))
    lines = [line.strip() for line in texts.splitlines() if IMAGE_WORDS.search(line)]
    assert lines == [], "say image: " + "\n".join(lines)
