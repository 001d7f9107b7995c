"""`studio help`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from helpers.command_line import Call, caller
from studio.cli.main import make_parser
from studio.engine.manual import TOPICS


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    return caller(capsys, None)


def test_topics_are_listed_and_read(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [each["topic"] for each in call("help", "--json").document["topics"]] == list(TOPICS)
    assert "troubleshooting" in call("help").out
    assert "confusion matrix" in call("help", "evaluation").out
    assert call("help", "start", "--json").document["title"] == "Start"
    monkeypatch.setenv("LANG", "pt_BR.UTF-8")
    assert "matriz de confusão" in call("help", "evaluation").out


def test_one_word_and_all_words(call: Call) -> None:
    assert call("help", "glossary", "epoch").out == "Epoch: One pass over all training images.\n"
    assert call("help", "glossary", "resnet", "--json").code == 2
    assert len(call("help", "glossary", "--json").document["terms"]) >= 60


def test_mistakes_say_what_to_do(call: Call) -> None:
    assert 'Did you mean "training"?' in call("help", "trainin").mistake
    assert "studio help glossary loss" in call("help", "training", "loss").mistake


def _verbs(parser: argparse.ArgumentParser) -> dict[str, tuple[str, argparse.ArgumentParser]]:
    """The help and the parser of each verb of a parser; the parser is empty until it is used."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            texts = {each.dest: each.help or "" for each in action._choices_actions}
            return {name: (texts[name], inner) for name, inner in action.choices.items()}
    return {}


def _help_texts() -> Iterator[tuple[str, str]]:
    """Every verb and option with its help, without default values and conditions."""
    for verb in _verbs(make_parser([])):
        text, parser = _verbs(make_parser([verb]))[verb]
        yield verb, text
        yield from _options(verb, parser)
        for inner in _verbs(parser):
            text, options = _verbs(_verbs(make_parser([verb, inner]))[verb][1])[inner]
            yield f"{verb} {inner}", text
            yield from _options(f"{verb} {inner}", options)


def _options(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
            continue
        text = (action.help or "").split("; only with")[0].split(" [")[0]
        yield f"{name} {' '.join(action.option_strings) or action.dest}", text


LISTS = ("help topic", "datasets import sources", "runs list --sort", " --monitor")
"""Help that lists names which a user needs, so that it takes more than a line."""


def test_every_verb_and_option_has_one_line_of_help() -> None:
    texts = list(_help_texts())

    assert len(texts) > 600
    assert [name for name, text in texts if not text] == []
    assert [name for name, text in texts if text.endswith(".") and not text.endswith("…")] == []
    assert [text for _, text in texts if text[0].isupper() and text[1].islower()] == []
    assert [name for name, text in texts if len(text) > 110 and not name.endswith(LISTS)] == []
