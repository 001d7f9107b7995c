"""Export formats: what a page and an option need to know of each."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS, ExportFormat


@pytest.mark.parametrize("name", FORMATS.names())
def test_every_format_explains_itself(name: str) -> None:
    chosen = FORMATS[name]

    assert chosen.label
    assert chosen.summary.endswith(".")
    assert bool(chosen.packages) == bool(chosen.install)
    with (Path(__file__).resolve().parents[3] / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    assert set(re.findall(r"pip install -e .*\[(\w+)\]", chosen.install)) <= set(extras)


def test_missing_packages_are_named() -> None:
    there = ExportFormat("a", "A", "Good.", packages=("json", "no_such_package_x"))

    assert there.missing() == ["no_such_package_x"]
    assert FORMATS["keras"].missing() == []


def test_an_unknown_format_brings_the_closest() -> None:
    with pytest.raises(StudioError, match='Did you mean "keras"'):
        FORMATS["kears"]
