"""`studio help`."""

from __future__ import annotations

import pytest

from helpers.command_line import Call, caller
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
