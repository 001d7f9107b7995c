"""How long the table of all runs takes with ten thousand of them: opening, sorting, scrolling.

Milliseconds of this thread's own processor time, the best of several turns, so that other work on
the machine counts little. Aim: opening under 100 ms, a frame of scrolling under 17 ms.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/runs_table.py [--runs 10000]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtWidgets import QApplication

from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext, Navigator
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.train.runs.table import RunsTable
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme

EPOCHS, TURNS = 20, 5


def made_up(number: int, root: Path) -> RecordDocument:
    """A run that never was."""
    plan = TrainingPlan(dataset="d", learning_rate=1e-3 * (1 + number % 3))
    history = JobHistory()
    top = 0.5 + (number * 7919 % 1000) / 3000
    epochs = [
        EpochDone(
            epoch=epoch,
            step=epoch,
            metrics={
                "loss": 1 / epoch,
                "accuracy": 0.5,
                "val_loss": 1 / epoch,
                "val_accuracy": top + epoch / 200,
            },
            learning_rate=1e-3,
            seconds=1,
            images_per_second=100,
            is_best=True,
        )
        for epoch in range(1, EPOCHS + 1)
    ]
    history.apply(
        [StateChanged(state=State.RUNNING), *epochs, StateChanged(state=State.COMPLETED)]
    )
    info = RecordInfo(
        id=f"r{number}",
        kind=RecordKind.RUN,
        name=f"run {number}",
        created=datetime.now(UTC) + timedelta(seconds=number),
        tags=("odd",) if number % 2 else (),
        group=f"group {number % 7}",
    )
    key = (RecordKind.RUN, info.id)
    return RecordDocument(key, Record(RecordKind.RUN, root / info.id), info, plan, history)


def main() -> None:
    """Measure, and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    runs = parser.parse_args().runs
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        theme, background = Theme("light"), Background()
        theme.apply(app)
        workspace = Workspace.open(root / "workspace")
        jobs = Jobs(workspace, background)
        settings = Settings(root / "window.ini")
        context = AppContext(
            workspace, settings, theme, background, jobs, EngineHost(), Navigator()
        )
        for number in range(runs):
            entry = made_up(number, root)
            jobs._entries[entry.key] = entry
        print(json.dumps({"runs": runs, **measured(app, context)}, indent=2))
        background.close()


def measured(app: QApplication, context: AppContext) -> dict[str, float]:
    """Milliseconds for each thing that a person does."""
    tables: list[RunsTable] = []

    def opened() -> None:
        table = RunsTable(context)
        table.resize(1100, 800)
        table.show()
        tables.append(table)

    found = {"open": best(app, opened)}
    table = tables[-1]
    while not context.background.is_idle:
        app.processEvents()

    def all_again() -> None:
        table.view.clearSelection()
        table.view.selectAll()

    bar = table.view.verticalScrollBar()
    by_accuracy = iter([True, False] * TURNS)
    texts = iter(["run 77", ""] * TURNS)
    sort = table.view.content.sort_by
    return {
        **found,
        "scroll": best(app, lambda: bar.setValue(bar.value() + 96)),
        "sort": best(app, lambda: sort([("best_val_accuracy", next(by_accuracy))])),
        "search": best(app, lambda: table.search.setText(next(texts))),
        "select_all": best(app, all_again),
    }


def best(app: QApplication, act: Callable[[], object]) -> float:
    """The shortest of several turns, with what is painted after it."""
    times = []
    for _ in range(TURNS):
        began = time.thread_time()
        act()
        app.processEvents()
        times.append(1000 * (time.thread_time() - began))
    return round(min(times), 1)


if __name__ == "__main__":
    main()
