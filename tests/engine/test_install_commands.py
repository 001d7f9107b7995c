"""The command that adds packages fits the way in which Studio was installed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from studio.engine import installation
from studio.engine.installation import install_command, package_command
from studio.engine.training import backends
from studio.engine.training.backends import backend_problems, missing_backend

ROOT = Path(__file__).resolve().parents[2]
UNKNOWN = re.compile(r"studio-trainer\[|pip install (-\S+ )*['\"]?studio(-trainer)?(?![\w-])")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An activated environment: its pip is the first on the path."""
    monkeypatch.setattr(installation, "_pip", lambda: "pip")
    install_command.cache_clear()
    yield
    install_command.cache_clear()


def test_a_checkout_is_installed_from_its_folder() -> None:
    assert install_command("onnx") == f"pip install -e '{ROOT}[onnx]'"
    assert install_command() == f"pip install -e '{ROOT}'"
    assert install_command("gui", "torch") == f"pip install -e '{ROOT}[gui,torch]'"


@pytest.fixture
def own_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The command for packages of a copy with its own Python, which runs this process."""
    monkeypatch.undo()
    program = tmp_path / "bin" / installation.INSTALLER_PIP
    program.parent.mkdir()
    program.touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "python"))
    return program


def test_a_copy_with_its_own_python_names_packages_without_signs_of_shells(
    own_python: Path,
) -> None:
    command = installation._path(own_python)
    assert install_command("medical") == f"{command} install pydicom"
    packages = install_command("onnx").removeprefix(f"{command} install ").split()
    assert set(packages) == {"onnx", "tf2onnx", "onnxruntime"}
    gpu = installation._quoted("jax[cuda12]")
    assert f" {gpu} " in f"{install_command('jax-gpu')} " or sys.platform != "linux"


def test_an_appimage_names_itself_because_its_folder_ends_with_it(
    own_python: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    image = tmp_path / "Studio.AppImage"
    monkeypatch.setenv("APPIMAGE", str(image))
    monkeypatch.setenv("APPDIR", str(tmp_path))
    assert package_command("x") == f"{installation._path(image)} pip install x"

    monkeypatch.setenv("APPDIR", str(tmp_path / "that of a terminal"))
    assert package_command("x") == f"{installation._path(own_python)} install x"


@pytest.mark.parametrize(
    ("name", "start"), [("nt", '& "'), ("posix", "'")], ids=["PowerShell", "sh"]
)
def test_a_program_in_a_folder_with_spaces_can_be_pasted(
    monkeypatch: pytest.MonkeyPatch, name: str, start: str
) -> None:
    path = Path("a folder", "python")
    quote = start[-1]
    monkeypatch.setattr(installation, "_QUOTE", quote)
    with monkeypatch.context() as patched:
        patched.setattr("os.name", name)
        assert installation._path(path) == f"{start}{path}{quote}"


def test_pip_is_that_of_the_python_which_runs_studio(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    folder = tmp_path / "an environment"
    folder.mkdir()
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    program = installation._path(folder / "python")
    assert package_command("x") == f"{program} -m pip install x"

    (folder / ("pip.exe" if sys.platform == "win32" else "pip")).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(folder))
    assert package_command("x") == "pip install x"


def test_a_wheel_that_is_gone_is_not_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = tmp_path / "studio trainer-0.1.0-py3-none-any.whl"
    monkeypatch.setattr(installation, "__file__", str(tmp_path / "studio/engine/module.py"))
    monkeypatch.setattr(installation, "_direct_url", lambda: {"url": wheel.as_uri()})
    assert "pydicom" in install_command("medical")

    install_command.cache_clear()
    wheel.touch()
    assert (
        install_command("medical") == f"pip install 'studio-trainer[medical] @ {wheel.as_uri()}'"
    )


def test_a_backend_without_packages_for_this_python_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = Requirement("tensorflow>=2.21; python_version < '3.0' and extra == 'tensorflow'")
    monkeypatch.setattr(installation, "requirements", lambda: [old])
    monkeypatch.setattr(backends, "is_installed", lambda name: False)

    (problem,) = backend_problems("tensorflow")
    assert problem.hint.startswith("TensorFlow has no package for Python 3.")
    error = missing_backend()
    assert error is not None
    assert "TensorFlow has no package for Python 3." in error.hint
    assert "[jax]" in error.hint
    assert "[tensorflow]" not in error.hint


def test_a_wheel_is_named_and_other_copies_get_the_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wheel = "file:///tmp/studio_trainer-0.1.0-py3-none-any.whl"
    monkeypatch.setattr(installation, "_origin", lambda: wheel)
    assert install_command("onnx") == f"pip install 'studio-trainer[onnx] @ {wheel}'"
    install_command.cache_clear()
    monkeypatch.setattr(installation, "_origin", lambda: "")
    command = install_command("serve")
    assert re.fullmatch(r"pip install 'starlette\S+' 'uvicorn\S+'", command)
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
            assert not UNKNOWN.search(path.read_text(encoding="utf-8")), name


def test_every_extra_of_the_manual_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    known = extras["project"]["optional-dependencies"]
    manual = (ROOT / "assets/help/gpu.md").read_text(encoding="utf-8")
    assert set(re.findall(r"extra `([\w-]+)`", manual)) <= set(known)
    assert any("cuda" in each for each in known["jax-gpu"])
