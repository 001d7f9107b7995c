"""ruff, mypy and import-linter find nothing; they run beside the other tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.checks import TOOLS, result_file
from helpers.waiting import wait_until


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_finds_nothing(checks: Path, tool: str) -> None:
    result = result_file(checks, tool)
    wait_until(result.exists, f"{tool} has ended", timeout=500)
    code, output = json.loads(result.read_text())
    assert code == 0, f"\n{output}"
