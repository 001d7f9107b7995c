"""A sentence with a count has a form for one, or is worded so that it needs none."""

from __future__ import annotations

import re
from collections import defaultdict

from studio.ui.language_files.texts import all_sources

COUNTED = re.compile(
    r"(?P<before>\w+ )?(?:\{(?:n|count)(?::,)?\}) (?P<noun>(?:[a-z]+ )?[a-z]{2,}(?<![su])s)\b(?!')"
)
"""A count and a plural noun, perhaps with one word before it."""
NOT_COUNTED = {"of", "most", "least", "after", "from", "in", "and", "as"}
"""Words before a count that is not one, is a limit, or is a part of another one."""
VERBS = {"is", "was", "has", "runs", "times"}
ALWAYS_MORE = {
    "{count} runs compared",
    "{count} runs were moved to the trash.",
    "measured on {n} labels",
    "precision and recall on {count} test images",
    "precision and recall on {count} validation images",
    "(measured on {count} validation images)",
    "it has {count:,} channels; the limit is {limit}",
    "it has {count} values besides 0; a mask of one object has one",
    "{count:,} bytes are missing",
    "{n} bytes",
    "{n} locations",
    "{n} serious",
}
"""Parts of texts that are never for one, or are the same for one."""


def without_form_for_one(texts: dict[str, set[str]]) -> list[str]:
    """Texts with a count that have no other text of their context for one.

    Args:
        texts: By context.
    """
    found = []
    for context, group in texts.items():
        for text in sorted(group):
            match = COUNTED.search(text)
            if match is None or any(each in text for each in ALWAYS_MORE):
                continue
            if (match["before"] or "").strip().lower() in NOT_COUNTED:
                continue
            words = match["noun"].split()
            if VERBS & set(words):
                continue
            one = re.compile(
                rf"\b(1|one|the( only)?) ({words[0]} )?{_singular(words[-1])}\b", re.IGNORECASE
            )
            if not any(one.search(other) for other in group - {text}):
                found.append(f"{context}: {text}")
    return found


def _singular(noun: str) -> str:
    for many, one in (("ies", "y"), ("xes", "x"), ("sses", "ss"), ("s", "")):
        if noun.endswith(many):
            return noun.removesuffix(many) + one
    return noun


def test_counts_have_a_form_for_one() -> None:
    texts: dict[str, set[str]] = defaultdict(set)
    for source in all_sources():
        if not source.plural:
            texts[source.context].add(source.text)
    assert without_form_for_one(texts) == []
