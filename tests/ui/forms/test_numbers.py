from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale

from studio.ui.forms.numbers import format_number, parse_number, stepped

LOCALES = [
    QLocale(QLocale.Language.English, QLocale.Country.UnitedStates),
    QLocale(QLocale.Language.Portuguese, QLocale.Country.Brazil),
    QLocale(QLocale.Language.German, QLocale.Country.Germany),
]


@pytest.mark.parametrize("locale", LOCALES, ids=["en", "pt", "de"])
@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_shown_reads_back_as_the_same(locale: QLocale, number: float) -> None:
    assert parse_number(format_number(number, locale), locale) == number


@pytest.mark.parametrize("locale", LOCALES, ids=["en", "pt", "de"])
def test_the_notation_of_code_is_understood_everywhere(locale: QLocale) -> None:
    assert parse_number("0.001", locale) == 0.001
    assert parse_number(" 1e-3 ", locale) == 0.001
    assert parse_number("abc", locale) is None
    assert parse_number("", locale) is None


def test_the_notation_of_the_locale_is_understood() -> None:
    assert parse_number("0,001", LOCALES[1]) == 0.001
    assert format_number(0.001, LOCALES[1]) == "0,001"
    assert format_number(20.0, LOCALES[0]) == "20"


def test_steps() -> None:
    assert stepped(0.001, 1, "log", None) == 0.002
    assert stepped(0.001, -1, "log", None) == 0.0005
    assert stepped(20.0, 1, "linear", 100) == 21
    assert stepped(0.5, -1, "linear", 1.0) == 0.49
