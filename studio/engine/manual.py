"""The manual: one short page for each topic, in English and each language of `assets/help/`.

To add a topic: `assets/help/NAME.md`, the same in the folder of each language, one line in
`TOPICS`. The window shows the topic of a page by F1, `studio help NAME` prints it.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.engine.assets import ENGLISH, closest_language, help_file, help_languages
from studio.engine.errors import StudioError, did_you_mean


@dataclass(frozen=True, slots=True)
class Term:
    """A word and what it means.

    Attributes:
        name: The term in the glossary.
        meaning: One sentence.
        aliases: Other spellings in labels and titles.
        source: Its source; empty for common words.
    """

    name: str
    meaning: str
    aliases: tuple[str, ...] = ()
    source: str = ""


@functools.cache
def glossary(language: str = ENGLISH) -> tuple[Term, ...]:
    """Return all terms in a language, in alphabetical order; in English if not translated."""
    english, words = _entries(ENGLISH), _entries(language)
    terms = [_term(name, entry, words.get(name, entry)) for name, entry in english.items()]
    return tuple(sorted(terms, key=lambda term: term.name.casefold()))


def find_term(text: str, language: str = ENGLISH) -> Term:
    """Return the glossary entry with a name or alias, ignoring case.

    Args:
        text: Name or alias.
        language: Language code such as `pt_BR`.

    Raises:
        StudioError: It does not exist; the hint names similar ones.
    """
    requested = text.strip().casefold()
    known = {
        name.casefold(): term for term in glossary(language) for name in (term.name, *term.aliases)
    }
    if requested in known:
        return known[requested]
    raise StudioError(
        'The glossary has no entry "{word}".',
        did_you_mean(requested, list(known)) or "See all: studio help glossary",
        "term",
        word=text,
    )


def term_in(text: str, language: str = ENGLISH) -> Term | None:
    """Return the longest glossary entry that occurs in a text as a whole word, or None.

    Args:
        text: The text.
        language: Language code such as `pt_BR`.
    """
    if not text:
        return None
    found = _pattern(language).search(text)
    return _by_word(language)[found.group(0).casefold()] if found else None


def _entries(language: str) -> dict[str, dict[str, Any]]:
    text = help_file("glossary.json", language).read_text("utf-8")
    entries: dict[str, dict[str, Any]] = json.loads(text)
    return entries


def _term(name: str, english: dict[str, Any], shown: dict[str, Any]) -> Term:
    aliases = tuple(shown.get("aliases", ()))
    return Term(shown.get("name", name), shown["meaning"], aliases, english.get("source", ""))


@functools.cache
def _by_word(language: str) -> dict[str, Term]:
    return {word.casefold(): term for term in glossary(language) for word in _forms(term)}


def _forms(term: Term) -> list[str]:
    """Return the word, its aliases, and their plurals."""
    words = [term.name, *term.aliases]
    return [*words, *(f"{word}s" for word in words)]


@functools.cache
def _pattern(language: str) -> re.Pattern[str]:
    words = {word for term in glossary(language) for word in _forms(term)}
    found = "|".join(_searched(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{found})(?!\w)", re.IGNORECASE)


def _searched(word: str) -> str:
    """Return the pattern of a word; the case of one such as "mAP" matters: it is not a map."""
    is_exact = word[0].islower() and not word.islower()
    return f"(?-i:{re.escape(word)})" if is_exact else re.escape(word)


GLOSSARY = "glossary"
TOPICS: tuple[str, ...] = (
    "start",
    "datasets",
    "folders",
    "tables",
    "annotations",
    "outlines",
    "microscopy",
    "large_images",
    "anomaly_detection",
    "cells",
    "label",
    "click_to_segment",
    "networks",
    "training",
    "sweeps",
    "evaluation",
    "predict",
    "models",
    "explore",
    "export",
    "bench",
    "shortcuts",
    "files",
    "gpu",
    "packages",
    "troubleshooting",
    GLOSSARY,
)


def read_topic(name: str, language: str = ENGLISH) -> str:
    """Return a topic of the manual as Markdown.

    Args:
        name: Name of the topic.
        language: Language code such as `pt_BR`.

    Raises:
        StudioError: There is no such topic; the hint names similar ones.
    """
    if name not in TOPICS:
        raise StudioError(
            'There is no help on "{topic}".', did_you_mean(name, TOPICS), "topic", topic=name
        )
    text = help_file(f"{name}.md", language).read_text("utf-8")
    return f"{text}\n{_terms(language)}" if name == GLOSSARY else text


def title_of(name: str, language: str = ENGLISH) -> str:
    """Return the heading of a topic.

    Args:
        name: Name of the topic.
        language: Language code such as `pt_BR`.

    Raises:
        StudioError: There is no such topic.
    """
    return read_topic(name, language).partition("\n")[0].lstrip("# ").strip()


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that the variables of a terminal ask for, or English."""
    names = (environment.get(key, "") for key in ("LC_ALL", "LC_MESSAGES", "LANG"))
    requested = next(filter(None, names), "")
    return closest_language([requested], help_languages())


def _terms(language: str) -> str:
    lines = []
    for term in glossary(language):
        source = f" ({term.source})" if term.source else ""
        lines += [f"**{term.name}** – {term.meaning}{source}", ""]
    return "\n".join(lines)
