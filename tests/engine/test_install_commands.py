"""The command that adds packages fits the way in which Studio was installed."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from studio.engine import installation
from studio.engine.installation import install_command

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    install_command.cache_clear()


def test_a_checkout_is_installed_from_its_folder() -> None:
    assert install_command("onnx") == f"pip install -e '{ROOT}[onnx]'"
    assert install_command() == f"pip install -e '{ROOT}'"


def test_a_wheel_is_named_and_other_copies_get_the_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wheel = "file:///tmp/studio_trainer-0.1.0-py3-none-any.whl"
    monkeypatch.setattr(installation, "_origin", lambda: wheel)
    assert install_command("onnx") == f"pip install 'studio-trainer[onnx] @ {wheel}'"
    install_command.cache_clear()
    monkeypatch.setattr(installation, "_origin", lambda: "")
    command = install_command("serve")
    assert re.fullmatch(r"pip install 'fastapi\S+' 'uvicorn\S+'", command)
    install_command.cache_clear()


def test_texts_name_no_package_that_no_index_knows() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "studio", "assets/help", "docs", "README.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in (".py", ".md") and path.is_file():
            assert "studio-trainer[" not in path.read_text(encoding="utf-8"), name


def test_every_extra_of_the_manual_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    known = extras["project"]["optional-dependencies"]
    manual = (ROOT / "assets/help/gpu.md").read_text(encoding="utf-8")
    assert set(re.findall(r"extra `([\w-]+)`", manual)) <= set(known)
    assert any("cuda" in each for each in known["jax-gpu"])
