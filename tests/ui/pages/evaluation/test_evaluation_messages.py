"""Figures of the evaluation page as text."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from studio.engine.compute.measured import CORRUPTIONS
from studio.engine.evaluation.report import Interval
from studio.engine.tasks.metric import fraction_metric
from studio.ui.language import Translation
from studio.ui.pages.evaluation.messages import metric_cell, strength_name


@pytest.mark.parametrize(
    ("value", "interval", "text"),
    [
        (0.972, (0.941, 0.994), "97.2 % (94–99)"),
        (0.9912, (0.9861, 0.9958), "99.1 % (98.6–99.6)"),
        (1.0, (1.0, 1.0), "100.0 % (100–100)"),
        (0.5, None, "50.0 %"),
        (None, None, "–"),
    ],
)
def test_a_share_stands_with_its_interval(
    value: float | None, interval: Interval | None, text: str
) -> None:
    recall = fraction_metric(name="recall", label="Recall", validation_label="Val recall")
    shown = metric_cell(recall, value, interval).text
    assert shown.replace("\N{NO-BREAK SPACE}", " ") == text


def test_the_strength_of_spoiling_speaks_the_language(qtbot: QtBot) -> None:
    translation = Translation()
    translation.use("pt_BR")
    names = [strength_name(kind.unit) for kind in CORRUPTIONS]
    translation.remove()

    assert sorted(names) == ["%", "% da área", "% do lado", "níveis", "qualidade", "°"]
