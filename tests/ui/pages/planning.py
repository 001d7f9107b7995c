"""What tests of the form of a new run do with it."""

from __future__ import annotations

from typing import Any

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from studio.engine.training.plan import TrainingPlan
from studio.ui.pages.train.plan.cards import ChoiceCard
from studio.ui.pages.train.plan.new_run import NewRun


def planned(new_run: NewRun) -> TrainingPlan:
    """The plan as it stands; there must be one."""
    plan = new_run.plan()
    assert plan is not None
    return plan


def choose(card: ChoiceCard[Any], name: str) -> None:
    """Choose from the list of a card, as a person does."""
    card.box.setCurrentIndex(card.box.findData(name))
    card.box.activated.emit(card.box.currentIndex())


def type_into(card: ChoiceCard[Any], field: str, text: str) -> None:
    """Type over what a field of a card holds."""
    form = card.form
    assert form is not None
    edit = form.editor(field).control
    assert isinstance(edit, QLineEdit)
    edit.selectAll()
    QTest.keyClicks(edit, text)
