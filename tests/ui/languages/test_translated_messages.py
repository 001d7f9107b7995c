"""Messages of the engine are shown in the language of the window."""

from __future__ import annotations

import re

import pytest
from pytestqt.qtbot import QtBot

from studio.engine.messages import from_json, joined, message, to_json
from studio.ui.language import translated


def test_numbers_are_written_as_in_the_language(portuguese: None) -> None:
    assert translated(message("{a:,} {b:.1%} {c:.2f}", a=12345, b=0.982, c=1234.5)) == (
        "12.345 98,2% 1234,50"
    )


def test_dates_are_written_as_in_the_language(portuguese: None) -> None:
    text = message("It ended at {time:date}.", time=1_000_000_000.0)

    assert re.fullmatch(r"It ended at 2001-09-0\d \d\d:\d\d\.", text)
    assert re.search(r"0\d/09/2001", translated(text))
    assert translated(from_json(to_json(text))) == translated(text)


def test_names_stay_as_they_are(portuguese: None) -> None:
    assert translated(message("{version}", version="1.5")) == "1.5"
    assert translated(message("{name}", name="Check the path.")) == "Check the path."


def test_messages_within_messages_are_translated(portuguese: None) -> None:
    inner = message("Check the path.")

    assert translated(message("{a}: {b}", a="x", b=inner)) == "x: Verifique o caminho."
    assert translated(joined((inner, inner))) == "Verifique o caminho. Verifique o caminho."


def test_unknown_texts_are_shown_as_they_are(portuguese: None) -> None:
    for text in ("Vrrp zzk. Brrt; klm: no.", "", "word", "Two\nlines of it", "{", "100 %"):
        assert translated(text) == text


def test_english_messages_are_shown_as_they_are(qtbot: QtBot) -> None:
    text = message("{count:,} images", one="one image", count=1)

    assert translated(text) == "one image"


@pytest.mark.parametrize(("count", "shown"), [(1, "1 problema."), (1500, "1.500 problemas.")])
def test_plurals_follow_the_language(portuguese: None, count: int, shown: str) -> None:
    text = message(
        "There are {count:,} more problems.", one="There is one more problem.", count=count
    )

    assert translated(text) == f"Há mais {shown}"
