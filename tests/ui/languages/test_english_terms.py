"""The window says one thing in one way, in the words that such programs have."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from studio.engine.workspace import RecordKind
from studio.ui.record_kinds import KINDS, job_title

TEXTS = Path(__file__).parents[3] / "assets" / "translations" / "studio_pt_BR.ts"
"""Contains every text of the window and of the engine."""

AVOIDED = {
    r"\b(un)?tick(s|ed|ing)?\b": "check, uncheck",
    r"\b(lay|lays|laid) out\b": "arrange",
    r"\bas the system\b(?<!same as the system)": "the same as the system",
    r"\broughly\b": "about",
    r"\bcreates nothing\b": "what the button does",
    r"\bnumbers of objects \(": "counts per image",
    r"\bfix the marked (?!fields first)": "fix the marked fields first",
}
"""Patterns of other words, with what to write instead."""


def _avoided(text: str) -> list[str]:
    return [word for pattern, word in AVOIDED.items() if re.search(pattern, text, re.IGNORECASE)]


@pytest.mark.parametrize(
    "text",
    ["Tick a class", "Lay out downwards", "Theme: as the system.", "Takes roughly 30 min",
     "Creates nothing.", "Table of numbers of objects (CSV)", "Fix the marked settings."],
)  # fmt: skip
def test_other_words_are_found(text: str) -> None:
    assert len(_avoided(text)) == 1


def test_no_other_word_is_used() -> None:
    texts = {each.findtext("source", "") for each in ET.parse(TEXTS).iter("message")}
    assert len(texts) > 5000
    found = [f"{text!r}: {', '.join(words)}" for text in texts if (words := _avoided(text))]
    assert found == [], "\n".join(found)


def test_each_job_is_called_as_its_page_and_says_of_what_it_is() -> None:
    titles = {kind: job_title(kind, "flowers") for kind in KINDS if KINDS[kind].title}
    assert titles[RecordKind.EVALUATION].startswith("Evaluat")
    assert len(set(titles.values())) == len(titles)
    assert all("flowers" in title for title in titles.values())
