"""The manual and the glossary: complete, in every language, and true to what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from studio.cli.main import make_parser
from studio.engine.assets import asset, closest_language, help_languages
from studio.engine.errors import StudioError
from studio.engine.manual import (
    GLOSSARY,
    TOPICS,
    find_term,
    glossary,
    language_of,
    read_topic,
    term_in,
    title_of,
)


@pytest.mark.parametrize("language", help_languages())
def test_every_topic_exists_and_is_short(language: str) -> None:
    for name in TOPICS:
        text = read_topic(name, language)
        assert text.startswith("# "), name
        assert title_of(name, language)
        if name != GLOSSARY:
            assert 60 < len(text.split()) < 400, name
    folder = Path(asset("help")) / ("" if language == "en" else language)
    assert {path.stem for path in folder.glob("*.md")} == {*TOPICS}


@pytest.mark.parametrize("language", help_languages())
def test_the_commands_that_it_names_are_understood(language: str) -> None:
    parser = make_parser()
    for name in TOPICS:
        for line in re.findall(r"`studio ([^`]+)`", read_topic(name, language)):
            if line.startswith("-"):
                continue
            try:
                parser.parse_args(line.split())
            except SystemExit:
                pytest.fail(f"{name}: studio {line}")


def test_an_unknown_topic_suggests_a_similar_one() -> None:
    with pytest.raises(StudioError, match='Did you mean "sweeps"'):
        read_topic("sweps")


@pytest.mark.parametrize("language", help_languages())
def test_the_glossary_has_one_sentence_for_each_word(language: str) -> None:
    terms = glossary(language)
    assert len(terms) == len(glossary()) >= 60
    assert len({term.name.casefold() for term in terms}) == len(terms)
    for term in terms:
        assert term.meaning.endswith("."), term.name
        assert len(term.meaning) < 170, term.name
    if language != "en":
        english = {term.meaning for term in glossary()}
        assert [term.name for term in terms if term.meaning in english] == []


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Batch size", "en", "Batch size"),
        ("Batches", "en", None),
        ("Val loss", "en", "Validation"),
        ("epochs to go", "en", "Epoch"),
        ("Glossy", "en", None),
        ("F1", "en", "F1"),
        ("Top-5 accuracy", "en", "Top-5"),
        ("Val mAP", "en", "mAP"),
        ("Map of the pictures", "en", None),
        ("Box loss", "en", "Bounding box"),
        ("Taxa de aprendizado", "pt_BR", "Taxa de aprendizado"),
        ("Épocas", "pt_BR", "Época"),
        ("", "en", None),
    ],
)
def test_words_are_found_in_labels(text: str, language: str, expected: str | None) -> None:
    found = term_in(text, language)
    assert (found.name if found else None) == expected


def test_a_word_is_found_by_its_alias_and_a_wrong_one_is_refused() -> None:
    assert find_term("HEAT map").name == "Grad-CAM"
    with pytest.raises(StudioError, match='Did you mean "momentum"'):
        find_term("momentun")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "pt_BR"),
        ({"LANG": "pt_BR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_MESSAGES": "pt_PT", "LANG": "de_DE"}, "pt_BR"),
        ({"LANG": "fr_FR"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
    ],
)
def test_the_language_of_a_terminal(environment: dict[str, str], expected: str) -> None:
    assert language_of(environment) == expected


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (["zh-Hant-TW", "zh-TW"], "zh_TW"),
        (["zh"], "zh_CN"),
        (["de-AT"], "de"),
        (["xx", "de"], "de"),
        (["xx"], "en"),
        ([], "en"),
    ],
)
def test_the_closest_language_may_be_of_another_region(
    requested: list[str], expected: str
) -> None:
    assert closest_language(requested, ["en", "de", "zh_CN", "zh_TW"]) == expected
