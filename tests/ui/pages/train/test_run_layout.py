"""How the page of a run shares its height between charts and tabs."""

from __future__ import annotations

from page_checks import show_in_window
from page_records import add_run, start_jobs
from pytestqt.qtbot import QtBot

from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard import Dashboard
from studio.ui.pages.train.sections.confusion import LEAST_MATRIX, Confusion


def test_the_tabs_have_half_of_the_height_and_the_matrix_stays_readable(
    qtbot: QtBot, context: AppContext, workspace: Workspace
) -> None:
    run = add_run(workspace, "run", "none", [0.5, 0.6], State.COMPLETED)
    dashboard = Dashboard(context)
    window = show_in_window(qtbot, dashboard)
    start_jobs(qtbot, context)
    entry = context.jobs.get(RecordKind.RUN, run.id)
    assert entry is not None
    dashboard.show_run(entry)
    for height in (560, 700, 560):
        window.resize(900, height)
        qtbot.waitUntil(
            lambda: dashboard.details.height() >= dashboard.charts.height(), timeout=5000
        )
    matrix = dashboard.details.open(Confusion).view
    assert matrix.minimumHeight() == LEAST_MATRIX == 240
    assert dashboard.bar.sizePolicy().retainSizeWhenHidden()
    window.close()
