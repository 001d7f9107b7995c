"""CONTRIBUTING.md names files, classes and functions that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MAX_FILES: Final = 9


@pytest.mark.parametrize(
    "title",
    [
        "From a loss value in the worker to a pixel",
        "From a dropped picture to a displayed prediction",
    ],
)
def test_the_path_of_a_value_exists_and_is_short(title: str) -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"## {title}\n")[1].split("\n## ")[0]
    steps = re.findall(r"^\d+\. `(\S+\.py)`: ((?:.|\n(?! *\d+\.|\n))+)", section, re.MULTILINE)
    assert 1 < len({path for path, _ in steps}) <= MAX_FILES
    for path, description in steps:
        code = (REPOSITORY / "studio" / path).read_text(encoding="utf-8")
        for name in re.findall(r"`([A-Za-z_.]+)`", description):
            for part in name.split("."):
                assert re.search(rf"\b{part}\b", code), f"{path} does not know {name}"
