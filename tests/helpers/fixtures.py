"""Fixtures for every suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace of its own."""
    return Workspace.open(tmp_path / "my workspace ü")
