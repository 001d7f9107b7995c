"""The words of deep learning that Studio uses, each in a sentence.

To add a word: one entry in `glossary_terms.py`, and its translation in
`assets/help/<language>/glossary.json`. Tooltips of the window find words in titles and labels by
`term_in`; `studio help glossary` lists them.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import replace

from studio.engine.assets import asset
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.glossary_terms import TERMS, Term

ENGLISH = "en"


def glossary(language: str = ENGLISH) -> tuple[Term, ...]:
    """All words in a language, in the order of the alphabet; English where there is no other."""
    return _sorted(language)


def find_term(text: str, language: str = ENGLISH) -> Term:
    """The word of that name or alias, in any case.

    Raises:
        StudioError: There is none; says which are like it.
    """
    wanted = text.strip().casefold()
    known = {
        name.casefold(): term for term in glossary(language) for name in (term.name, *term.aliases)
    }
    if wanted in known:
        return known[wanted]
    raise StudioError(
        f'The glossary has no word "{text}".',
        did_you_mean(wanted, list(known)) or "See all: studio help glossary",
        "term",
    )


def term_in(text: str, language: str = ENGLISH) -> Term | None:
    """The longest word of the glossary that stands in a text as a whole word, or None."""
    if not text:
        return None
    found = _pattern(language).search(text)
    return _by_word(language)[found.group(0).casefold()] if found else None


@functools.cache
def _sorted(language: str) -> tuple[Term, ...]:
    return tuple(sorted(_translated(language), key=lambda term: term.name.casefold()))


def _translated(language: str) -> list[Term]:
    if language == ENGLISH:
        return list(TERMS)
    words = json.loads(asset(f"help/{language}/glossary.json").read_text("utf-8"))
    return [
        replace(
            term,
            name=words[term.name]["name"],
            meaning=words[term.name]["meaning"],
            aliases=tuple(words[term.name].get("aliases", ())),
        )
        if term.name in words
        else term
        for term in TERMS
    ]


@functools.cache
def _by_word(language: str) -> dict[str, Term]:
    return {word.casefold(): term for term in _sorted(language) for word in _forms(term)}


def _forms(term: Term) -> list[str]:
    """The word, its aliases, and their plurals."""
    words = [term.name, *term.aliases]
    return [*words, *(f"{word}s" for word in words)]


@functools.cache
def _pattern(language: str) -> re.Pattern[str]:
    words = sorted(_by_word(language), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
