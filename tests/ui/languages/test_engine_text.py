"""What the engine says is found again and filled, whatever the values are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from string import digits
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.assets import asset
from studio.engine.errors import Problem, StudioError, raise_if_serious
from studio.engine.registry import Named, Registry
from studio.ui.engine_text import FILE, Patterns, engine_text, fill
from studio.ui.language import Translation
from studio.ui.theme.theme import Theme
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.notices import Notice, NoticeCard

TEXTS: dict[str, str] = json.loads(asset(FILE).read_text(encoding="utf-8"))
PATTERNS = Patterns(TEXTS)
WITH_PLACES = [text for text in TEXTS if "{0}" in text]


@pytest.fixture
def portuguese(qtbot: QtBot) -> Iterator[None]:
    translation = Translation()
    translation.use("pt_BR")
    yield
    translation.remove()


@given(data=st.data(), text=st.sampled_from(WITH_PLACES))
def test_every_sentence_is_found_again_whatever_its_values_are(
    data: st.DataObject, text: str
) -> None:
    # Values in another script: with the words of other patterns in them they could match those.
    value = st.text(alphabet=f"{digits}αβγδεζ./\\-_éü日本", min_size=1, max_size=30)
    places = sorted(set(re.findall(r"\{(\d+)\}", text)))
    values = {place: data.draw(value) for place in places}
    sentence = fill(text, values)

    found = PATTERNS.find(sentence)

    assert found is not None
    pattern, taken = found
    assert fill(pattern, {each.place: each.text for each in taken}) == sentence
    assert pattern == text


def test_sentences_without_values_are_found() -> None:
    for text in set(TEXTS) - set(WITH_PLACES):
        assert PATTERNS.find(text) == (text, [])


def test_sentences_of_the_engine_are_put_into_the_language(portuguese: None) -> None:
    known: Registry[Named] = Registry("network", [])
    with pytest.raises(StudioError) as missing:
        known["resnet"]
    problems = [Problem(where, "must be a number.") for where in ("epochs", "")]
    with pytest.raises(StudioError) as several:
        raise_if_serious(problems)

    assert engine_text(str(missing.value)) == 'Não há rede com o nome "resnet".'
    assert engine_text(str(several.value)) == "epochs: deve ser um número. deve ser um número."


@pytest.mark.parametrize(
    ("english", "shown"),
    [
        # A number by the locale, and a second sentence.
        (
            "Images with nothing in them: 12,345. Leave them out.",
            "Imagens sem nada nelas: 12.345. Deixe-as de fora.",
        ),
        # A sentence that has another as a value; what follows is a sentence of its own.
        (
            "The picture a.png cannot be read: it is not there any more. Choose one.",
            "A imagem a.png não pode ser lida: não existe mais. Choose one.",
        ),
        # What is in quotes is a name of the user's, even where it is a word of ours.
        (
            'The dataset "image" has no training images.',
            'O conjunto de dados "image" não tem imagens de treinamento.',
        ),
        # Each line by itself.
        ("Check the path.\nsomething", "Verifique o caminho.\nsomething"),
    ],
)
def test_values_are_put_into_the_language_too(portuguese: None, english: str, shown: str) -> None:
    assert engine_text(english) == shown


@pytest.mark.parametrize(
    ("english", "shown"),
    [
        # Numbers are those that the source writes as numbers, with all their digits.
        (
            "lenet: cpu with jax, float32 and batches of 8: 1,234.50 images per second, measured.",
            "lenet: cpu com jax, float32 e lotes de 8: 1.234,50 imagens por segundo, medido.",
        ),
        (
            "A learning rate lies between 0 and 10; received 2.5e+03.",
            "Uma taxa de aprendizado fica entre 0 e 10; recebido 2,5e+03.",
        ),
        # A version is none, nor is a name that looks like a number.
        ("Install version 2.9 on all of its nodes.", "Instale a versão 2.9 em todos os nós dele."),
        ('There is no network called "1.5".', 'Não há rede com o nome "1.5".'),
    ],
)
def test_numbers_are_written_as_in_the_language(
    portuguese: None, english: str, shown: str
) -> None:
    assert engine_text(english) == shown


@pytest.mark.parametrize("how", ["1.5", "12.5 %", "1,234.5", "7.1e-05"])
def test_no_number_of_the_engine_keeps_its_english_signs(portuguese: None, how: str) -> None:
    """Whatever the sentence, a place for a number holds one of the language."""
    shown = how.translate(str.maketrans(".,", ",."))
    for text, numbers in TEXTS.items():
        places = set(re.findall(r"\{(\d+)\}", text))
        values = {place: how if place in numbers.split() else "βαβ" for place in places}
        for place in places & set(re.findall(r'"\{(\d+)\}"', text)):
            values[place] = "βαβ"  # a name
        told = engine_text(fill(text, values))
        assert how not in told, text
        assert told.count(shown) >= (how in values.values()), text


def test_in_english_everything_stays_as_it_is() -> None:
    for text in TEXTS:
        sentence = fill(text, dict.fromkeys("0123456789", "1,234"))
        assert engine_text(f"{sentence} {sentence}") == f"{sentence} {sentence}"


def test_what_nobody_knows_is_shown_as_it_is(portuguese: None) -> None:
    for text in ("Vrrp zzk. Brrt; klm: no.", "", "word", "Two\nlines of it", "A" * 5000):
        assert engine_text(text) == text


def test_a_sentence_is_looked_up_in_far_less_than_a_millisecond() -> None:
    sentences = [fill(text, dict.fromkeys("0123456789", "42 of them")) for text in WITH_PLACES]
    for sentence in sentences:
        PATTERNS.find(sentence)  # patterns are compiled when they are first met
    times = []
    for _ in range(3):
        began = thread_time()
        for sentence in sentences:
            PATTERNS.find(sentence)
        times.append((thread_time() - began) / len(sentences))

    assert min(times) < 0.0005


def test_labels_and_notices_speak_the_language(
    portuguese: None, theme: Theme, qtbot: QtBot
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    hint = HintLabel("Check the path.", "problem", parent)
    card = NoticeCard(theme, Notice("error", "Nothing is added.", "Choose a class."), parent)

    assert hint.text() == hint.accessibleName() == "Verifique o caminho."
    assert card.accessibleName() == "Nada é adicionado. Escolha uma classe."
