"""The tab that says what is wrong with a run."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.engine.jobs.events import Event, StateChanged
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone, RunHistory, StepsDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument, RunDocument
from studio.ui.pages.train.dashboard.dashboard import Dashboard
from studio.ui.pages.train.dashboard.details import SECTIONS, Doctor, FindingCard

STEPS = 20


def entry_of(workspace: Workspace, losses: list[float], val_losses: list[float]) -> RunDocument:
    """A run that is over, with these losses at the ends of its epochs."""
    plan = TrainingPlan(dataset="gone", epochs=len(losses))
    name = workspace.unused_name(RecordKind.RUN, "run")
    record = workspace.create(RecordKind.RUN, name, plan.to_json())
    history = RunHistory()
    history.apply(
        [
            TrainingBegan(
                epochs=plan.epochs, steps_per_epoch=STEPS, train_images=640, val_images=64,
                parameters=1, trainable_parameters=1, backend="tensorflow", device="cpu",
            ),
            *(event for at in range(len(losses)) for event in epoch(at, losses, val_losses)),
            StateChanged(state=State.COMPLETED),
        ]
    )  # fmt: skip
    return RecordDocument((RecordKind.RUN, record.id), record, record.info(), plan, history)


def epoch(at: int, losses: list[float], val_losses: list[float]) -> tuple[StepsDone, EpochDone]:
    before = losses[at - 1] if at else 2.3
    steps = np.linspace(before, losses[at], STEPS).tolist()
    first = at * STEPS + 1
    return (
        StepsDone(
            first=first,
            last=first + STEPS - 1,
            metrics={"loss": steps, "accuracy": [0.5] * STEPS},
            learning_rate=1e-3,
            images_per_second=1,
        ),
        EpochDone(
            epoch=at + 1,
            step=first + STEPS - 1,
            metrics={
                "loss": losses[at],
                "accuracy": float(np.exp(-losses[at])),
                "val_loss": val_losses[at],
                "val_accuracy": float(np.exp(-val_losses[at])),
            },
            learning_rate=1e-3,
            seconds=1,
            images_per_second=1,
        ),
    )


def overfitting_losses(epochs: int) -> tuple[list[float], list[float]]:
    at = np.arange(1, epochs + 1)
    return (0.05 + 2 * np.exp(-at / 3)).tolist(), (0.41 + 0.03 * np.abs(at - 6)).tolist()


@pytest.fixture
def doctor(context: AppContext, qtbot: QtBot) -> Doctor:
    made = Doctor(context)
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    return made


def test_it_is_a_tab_of_every_run() -> None:
    assert Doctor in SECTIONS


def test_a_finding_is_a_card_that_starts_a_new_run(
    doctor: Doctor, workspace: Workspace, qtbot: QtBot
) -> None:
    entry = entry_of(workspace, *overfitting_losses(14))
    doctor.show_run(entry)
    qtbot.waitUntil(lambda: len(doctor.cards) == 1)
    (card,) = doctor.cards
    assert isinstance(card, FindingCard)
    assert not doctor.verdict.isVisible()
    assert "rose from 0.410 in epoch 6" in card.accessibleDescription()
    assert card.apply_button.isVisibleTo(card)
    with qtbot.waitSignal(doctor.clone_requested) as blocker:
        card.apply_button.click()
    (plan,) = blocker.args
    assert isinstance(plan, TrainingPlan)
    assert plan.early_stopping_patience > 0
    assert plan.augmentation.rotation > 0
    assert plan.dataset == "gone"
    doctor.grab()


def test_what_became_of_the_plan_counts(
    doctor: Doctor, workspace: Workspace, qtbot: QtBot
) -> None:
    entry = entry_of(workspace, *overfitting_losses(14))
    entry.history.changes = {"batch_size": 7, "weight_decay": 0.3}
    doctor.show_run(entry)
    qtbot.waitUntil(lambda: len(doctor.cards) == 1)
    (card,) = doctor.cards
    assert isinstance(card, FindingCard)
    with qtbot.waitSignal(doctor.clone_requested) as blocker:
        card.apply_button.click()
    assert blocker.args is not None
    assert (blocker.args[0].batch_size, blocker.args[0].weight_decay) == (7, 0.3)


def test_a_healthy_run_says_so_in_one_line(
    doctor: Doctor, workspace: Workspace, qtbot: QtBot
) -> None:
    losses = (0.05 + 2 * np.exp(-np.arange(1, 15) / 3)).tolist()
    doctor.show_run(entry_of(workspace, losses, losses))
    qtbot.waitUntil(lambda: "No problems found" in doctor.verdict.text())
    assert doctor.cards == []


def test_it_rescans_after_an_epoch_and_not_at_every_step(
    doctor: Doctor, workspace: Workspace, qtbot: QtBot
) -> None:
    losses, val_losses = overfitting_losses(14)
    entry = entry_of(workspace, losses[:5], val_losses[:5])
    doctor.show_run(entry)
    qtbot.waitUntil(lambda: "No problems found" in doctor.verdict.text())
    new: list[Event] = [each for at in range(5, 14) for each in epoch(at, losses, val_losses)]
    entry.history.apply(new)
    doctor.add(entry, [each for each in new if isinstance(each, StepsDone)])
    assert doctor.context.background.is_idle
    doctor.add(entry, new)
    qtbot.waitUntil(lambda: len(doctor.cards) == 1)


def test_a_run_that_just_began_is_too_young(
    doctor: Doctor, workspace: Workspace, qtbot: QtBot
) -> None:
    entry = entry_of(workspace, [2.0], [2.0])
    entry.history.state = State.RUNNING
    doctor.show_run(entry)
    qtbot.waitUntil(lambda: "Available after a few epochs" in doctor.verdict.text())


def test_the_epochs_of_a_finding_are_shaded_while_the_tab_is_open(
    context: AppContext, workspace: Workspace, qtbot: QtBot
) -> None:
    board = Dashboard(context)
    qtbot.addWidget(board)
    board.show()

    def shaded() -> list[tuple[float, float]]:
        plots = (board.charts.loss.plot, board.charts.metric_chart.plot)
        each = [list(plot.intervals) for plot in plots]
        assert each[0] == each[1]
        return each[0]

    board.show_run(entry_of(workspace, *overfitting_losses(14)))
    board.details.open(Doctor)
    qtbot.waitUntil(lambda: shaded() == [(6, 14)])
    board.charts.loss.set_log_x(log=True)
    assert shaded() == [(6, 14)]
    board.charts.loss.set_log_x(log=False)
    board.details.setCurrentIndex(0)
    assert shaded() == []
    board.details.open(Doctor)
    assert shaded() == [(6, 14)]
    healthy = [1 / (epoch + 1) for epoch in range(6)]
    board.show_run(entry_of(workspace, healthy, healthy))
    qtbot.waitUntil(lambda: shaded() == [])
