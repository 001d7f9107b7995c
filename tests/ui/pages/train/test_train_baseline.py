"""The instant baseline on the form of a new run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_records import add_baseline, add_dataset
from pytestqt.qtbot import QtBot

from studio.engine.baselines.report import BaselinePlan
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.navigation import PlanRun
from studio.ui.pages.train.page import View
from studio.ui.shared import baseline_card
from studio.ui.shared.baseline_card import BaselineCard


@pytest.fixture
def dataset(workspace: Workspace, shapes: Path) -> Record:
    return add_dataset(workspace, "shapes", shapes, width=32, height=32, val_percent=25)


def card_of(open_page: Callable[[], View], qtbot: QtBot) -> BaselineCard:
    view = open_page()
    view.open(PlanRun())
    qtbot.waitUntil(view.new_run.train_button.isEnabled, timeout=5000)
    return view.new_run.baseline


def test_the_newest_baseline_of_the_dataset_is_shown(
    open_page: Callable[[], View], workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    add_baseline(workspace, dataset.id, 0.8, State.COMPLETED)
    add_baseline(workspace, dataset.id, 0.9, State.COMPLETED)
    add_baseline(workspace, "another-dataset", 0.2, State.COMPLETED)
    card = card_of(open_page, qtbot)

    qtbot.waitUntil(lambda: card.report is not None, timeout=5000)

    assert card.report is not None
    assert card.report.score == 0.9
    assert "90.0 %" in card.text.text()
    assert "about 3 points" in card.text.text()
    assert card.curve.values() == [0.6, 0.7, 0.9]
    assert card.button.isEnabled()


def test_a_baseline_that_failed_says_why(
    open_page: Callable[[], View], workspace: Workspace, dataset: Record, qtbot: QtBot
) -> None:
    add_baseline(workspace, dataset.id, 0.8, State.FAILED)
    card = card_of(open_page, qtbot)

    qtbot.waitUntil(lambda: "The disk is full." in card.problem.text(), timeout=5000)
    assert card.report is None
    assert card.button.isEnabled()


@pytest.mark.slow
def test_a_baseline_is_measured_by_one_click(
    open_page: Callable[[], View], dataset: Record, qtbot: QtBot
) -> None:
    card = card_of(open_page, qtbot)

    card.button.click()
    qtbot.waitUntil(card.cancel_button.isVisible, timeout=20_000)
    qtbot.waitUntil(lambda: card.report is not None, timeout=240_000)

    assert card.report is not None
    assert card.report.dataset == dataset.id
    assert card.report.low <= card.report.score <= card.report.high
    assert card.button.isVisible()


@pytest.mark.thorough
def test_weights_of_a_file_are_asked_for(
    open_page: Callable[[], View],
    workspace: Workspace,
    dataset: Record,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    assert dataset.id
    file = tmp_path / "none.h5"
    monkeypatch.setattr(baseline_card, "ask_weights_file", lambda _parent: file)
    card = card_of(open_page, qtbot)

    card.file_button.click()
    qtbot.waitUntil(lambda: bool(workspace.records(RecordKind.BASELINE)), timeout=10_000)

    plan = read_plan(workspace.records(RecordKind.BASELINE)[0])
    assert isinstance(plan, BaselinePlan)
    assert plan.weights == str(file)
    qtbot.waitUntil(card.problem.isVisible, timeout=60_000)
    assert "none.h5" in card.problem.text()
