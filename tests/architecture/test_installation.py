"""What is installed where: a small core, and TensorFlow only where it has packages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from studio.cli.no_window import LIBRARIES
from studio.engine.training.backends import BACKENDS

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
LARGE = {"jax", "pyqtgraph", "pyside6-essentials", "qtawesome", "tensorflow", "torch"}
"""Packages of the window and the backends."""


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    return project


def _names(words: list[str]) -> set[str]:
    return {Requirement(word).name for word in words}


def test_the_core_has_no_window_and_no_backend() -> None:
    project = _project()
    extras = project["optional-dependencies"]

    assert _names(project["dependencies"]) & LARGE == set()
    assert Requirement(extras["all"][0]).extras == {"gui", "tensorflow"}
    assert Requirement(extras["test"][0]).extras == {"all"}
    for backend in BACKENDS.names():
        assert backend in _names(extras[backend]), "the extra of a backend has its name"


def test_all_libraries_of_the_window_are_in_its_extra() -> None:
    packages = {"PySide6": "pyside6-essentials", "shiboken6": "pyside6-essentials"}
    named = {packages.get(name, name) for name in LIBRARIES}

    assert named == _names(_project()["optional-dependencies"]["gui"])


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
    (found,) = map(Requirement, _project()["optional-dependencies"]["tensorflow"])
    assert found.marker is not None

    environment = {"sys_platform": system, "platform_machine": machine, "python_version": python}
    assert found.marker.evaluate(environment) is expected
