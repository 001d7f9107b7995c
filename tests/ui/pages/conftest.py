"""What every page is given in its tests: the real thing, in a workspace of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from trained_run import TrainedRun, trained_run_of

from helpers.digits import Digits
from studio.engine.jobs.host import EngineHost
from studio.engine.workspace import Workspace
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext, Navigator
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme


@pytest.fixture
def context(theme: Theme, workspace: Workspace, tmp_path: Path) -> Iterator[AppContext]:
    """What `app.py` makes. `jobs` is not started: call `start_jobs` once the records are there."""
    background = Background()
    made = AppContext(
        workspace=workspace,
        settings=Settings(tmp_path / "window.ini"),
        theme=theme,
        background=background,
        jobs=Jobs(workspace, background),
        engine=EngineHost(),
        navigator=Navigator(),
    )
    yield made
    made.jobs.close()
    background.close()
    made.engine.close()


@pytest.fixture(scope="session")
def trained_run(digits: Digits, tmp_path_factory: pytest.TempPathFactory) -> TrainedRun:
    """LeNet on the digits, from a real worker; shared, so never written to."""
    return trained_run_of(digits, tmp_path_factory.mktemp("trained run") / "trained")
