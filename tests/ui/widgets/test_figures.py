from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale

from studio.ui.widgets.figures import (
    count,
    counted,
    duration,
    estimated_duration,
    large,
    percent,
    significant,
    size,
)


@pytest.fixture(autouse=True)
def _american() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_counts_and_fractions() -> None:
    assert count(12500) == "12,500"
    assert plain(percent(0.98214)) == "98.2 %"
    assert plain(percent(0)) == "0.0 %"
    assert percent(math.nan) == "\N{EN DASH}"


def test_percentages_follow_the_locale() -> None:
    QLocale.setDefault(QLocale(QLocale.Language.Portuguese, QLocale.Country.Brazil))
    assert plain(percent(0.98214)) == "98,2 %"


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0234149, "0.02341"), (1.5e-9, "1.500e-09"), (2, "2.000"), (0, "0"), (12345.6, "12,346")],
)
def test_losses_have_four_digits(number: float, text: str) -> None:
    assert significant(number).replace("E", "e") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (8.4, "8 s"), (60, "1 min"), (125, "2 min 5 s"), (4320, "1 h 12 min"),
     (90000, "1 d 1 h"), (-1, "\N{EN DASH}")],
)  # fmt: skip
def test_times_have_their_two_largest_units(seconds: float, text: str) -> None:
    assert plain(duration(seconds)) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(1846, None, "about 30 min"), (59, None, "about 1 min"), (8, None, "about 10 s"),
     (900, 2700, "15 min to 45 min"), (1795, 1846, "about 30 min"),
     (4000, 16_000, "1 h to 4 h 30 min")],
)  # fmt: skip
def test_estimated_times_have_no_more_digits_than_are_known(
    low: float, high: float | None, text: str
) -> None:
    assert plain(estimated_duration(low, high)) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 B"), (999, "999 B"), (3_100_000, "3.1 MB"), (999_600, "1.0 MB"),
     (5 * 10**15, "5,000 TB")],
)  # fmt: skip
def test_sizes(number: int, text: str) -> None:
    assert plain(size(number)) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (61_706, "61.7 k"), (999_600, "1.0 M"), (138_357_544, "138 M"),
     (15_470_000_000, "15.5 G")],
)  # fmt: skip
def test_numbers_of_weights(number: int, text: str) -> None:
    assert plain(large(number)) == text


def test_numbers_of_weights_in_portuguese(portuguese: None) -> None:
    assert plain(large(60_000)) == "60,0 mil"
    assert plain(large(138_357_544)) == "138 mi"


def test_one_thing_is_counted_in_the_singular() -> None:
    texts = [counted(number, "1 run", "{n} runs") for number in (0, 1, 2, 12_500)]
    assert texts == ["0 runs", "1 run", "2 runs", "12,500 runs"]
