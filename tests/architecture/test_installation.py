"""What is installed where: TensorFlow only on systems that it has packages for."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@pytest.mark.parametrize(
    ("system", "machine", "python", "expected"),
    [
        ("linux", "x86_64", "3.11", True),
        ("linux", "aarch64", "3.13", True),
        ("win32", "AMD64", "3.12", True),
        ("win32", "ARM64", "3.12", False),
        ("darwin", "arm64", "3.13", True),
        ("darwin", "x86_64", "3.12", False),
        ("linux", "x86_64", "3.14", False),
    ],
)
def test_tensorflow_is_asked_for_where_it_exists(
    system: str, machine: str, python: str, expected: bool
) -> None:
    words = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    (found,) = (each for each in map(Requirement, words) if each.name == "tensorflow")
    assert found.marker is not None

    environment = {"sys_platform": system, "platform_machine": machine, "python_version": python}
    assert found.marker.evaluate(environment) is expected
