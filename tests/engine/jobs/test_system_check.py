"""`studio doctor`: what is there, what is missing, and what to do about it."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from studio.engine import system_check
from studio.engine.progress import SilentProgress
from studio.engine.system_check import CheckResult, check_system
from studio.engine.training import backends
from studio.engine.training.backends import backend_problems, default_backend


def _named(found: list[CheckResult], name: str) -> CheckResult:
    return next(finding for finding in found if finding.name == name)


def test_a_machine_that_runs_these_tests_is_healthy(tmp_path: Path) -> None:
    found = check_system(tmp_path / "new", SilentProgress(), ask_backends=False)
    assert [finding for finding in found if finding.level == "bad"] == []
    assert _named(found, "keras").value.startswith("3.")
    assert _named(found, "Python").value.startswith(".".join(map(str, sys.version_info[:2])))
    assert _named(found, "Workspace").value == str(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
    assert not any(finding.name == "pytest" for finding in found)


def test_a_backend_is_asked_in_a_separate_process() -> None:
    (seen,) = system_check._backend("json", "print(['one', 'two'])")
    assert seen == CheckResult("Backends", "json", "sees 'one', 'two'")
    (broken,) = system_check._backend("json", "raise OSError('no driver')")
    assert broken.level == "bad"
    assert "no driver" in broken.value
    assert list(system_check._backend("no_such_backend", "")) == []


@pytest.mark.parametrize(
    ("text", "level", "value"),
    [
        ("no-such-package>=1", "bad", "not installed"),
        ("numpy>=1", "good", ""),
        ("numpy>=99", "bad", "Studio requires >=99"),
        ('no-such-package; extra == "gpu"', "good", "not installed"),
        ('numpy>=99; extra == "gpu"', "advice", "Studio requires >=99"),
    ],
)
def test_packages_are_held_against_what_is_required(text: str, level: str, value: str) -> None:
    (finding,) = system_check._packages([Requirement(text)])
    assert finding.level == level
    assert value in finding.value
    assert ("[gpu]" in finding.hint) == ("gpu" in text)


def test_what_is_for_other_systems_or_for_tests_is_not_missed() -> None:
    texts = ('no-such-package; sys_platform == "plan9"', 'no-such-package; extra == "test"')
    assert list(system_check._packages([Requirement(text) for text in texts])) == []


@pytest.mark.skipif(sys.platform != "linux", reason="libraries of Linux")
def test_missing_display_libraries_are_named_with_their_packages() -> None:
    (finding,) = system_check._display(lambda name: None if name == "EGL" else name)
    assert finding.level == "bad"
    assert finding.hint.endswith("apt-get install libegl1")
    assert next(system_check._display(str)).level == "good"


@pytest.mark.parametrize(
    ("system", "machine", "word"),
    [
        ("linux", "x86_64", "[gpu]"),
        ("darwin", "arm64", "[torch]"),
        ("win32", "AMD64", "WSL2"),
        ("aix", "ppc", "no GPU support"),
    ],
)
def test_each_system_has_its_way_to_a_gpu(system: str, machine: str, word: str) -> None:
    assert word in system_check._gpu_hint(system, machine)


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    workspace, *others = system_check._folders(file / "workspace")
    assert workspace.level == "bad"
    assert "cannot be written" in workspace.value
    assert {finding.level for finding in others} == {"good"}


@pytest.fixture
def only_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorFlow and PyTorch are not installed."""
    version = metadata.version

    def known(name: str) -> str:
        if name == "tensorflow":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(backends, "is_installed", lambda name: name == "jax")
    monkeypatch.setattr(system_check, "is_installed", lambda name: name == "jax")
    monkeypatch.setattr(metadata, "version", known)


@pytest.mark.usefixtures("only_jax")
def test_jax_without_tensorflow_is_healthy(tmp_path: Path) -> None:
    (finding,) = system_check._packages([Requirement("tensorflow; extra == 'tensorflow'")])
    assert (finding.value, finding.level) == ("not installed", "good")
    assert "[tensorflow]" in finding.hint
    assert not [
        each
        for each in check_system(tmp_path, SilentProgress(), ask_backends=False)
        if each.level == "bad"
    ]
    assert default_backend() == "jax"
    (problem,) = backend_problems("tensorflow")
    assert problem.message == "TensorFlow is not installed."
    assert "JAX is installed: choose it (--backend jax)" in problem.hint
    assert backend_problems("jax") == []


def test_a_missing_window_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_check, "is_installed", lambda name: name != "PySide6")
    (finding,) = system_check._display(str)
    assert (finding.value, finding.level) == ("not installed", "good")
    assert "[gui]" in finding.hint


def test_without_any_backend_nothing_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "is_installed", lambda name: False)
    found = check_system(tmp_path, SilentProgress(), ask_backends=False)
    assert _named(found, "Backend").level == "bad"
    assert "[jax]" in _named(found, "Backend").hint


def test_one_backend_that_loads_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = {"json": "print(['cpu'])", "csv": "raise OSError('no driver')"}
    monkeypatch.setattr(system_check, "_DEVICE_QUESTIONS", questions)
    found = check_system(tmp_path, SilentProgress())
    assert _named(found, "json").level == "good"
    assert _named(found, "csv").level == "advice"


def test_a_workspace_in_a_synced_folder_gets_advice(tmp_path: Path) -> None:
    found = check_system(tmp_path / "Dropbox/Studio", SilentProgress(), ask_backends=False)
    finding = _named(found, "Workspace")
    assert finding.level == "advice"
    assert finding.value.endswith("(synced by Dropbox)")
    assert "move the folder" in finding.hint
