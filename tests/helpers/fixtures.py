"""Fixtures for every suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.workers import Launcher, LaunchScripts, install
from studio.engine.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace of its own."""
    return Workspace.open(tmp_path / "my workspace ü")


@pytest.fixture
def launch_scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[LaunchScripts]:
    """Let queues of this process start scripts instead of workers."""
    launchers: list[Launcher] = []

    def make(code: str) -> Launcher:
        launchers.append(install(monkeypatch, code))
        return launchers[-1]

    yield make
    for launcher in launchers:
        launcher.close()
