"""Installs each extra alone into a fresh environment and runs the commands of Studio there.

    python tests/installation/check_extras.py FOLDER [EXTRA ...]

`core` is no extra. Without EXTRA all are checked but those for GPUs. FOLDER gets the environments,
which take several GB, and `results.json`. Exit code 1 if an extra does not bring a backend or a
window as it should, or a command does not end as it should: those that need no backend and no
window must work in every environment, the others must work where it has what they need, or else
name the command that installs it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from helpers.core_commands import (  # noqa: E402 - the path is set above
    BACKENDS,
    COMMANDS,
    DATASET,
    RUN,
    WINDOW,
    CoreCommand,
    Need,
    complaint,
)

_TENSORFLOW: Final[tuple[Need, ...]] = ("backend",) if sys.version_info < (3, 14) else ()
BROUGHT: Final[dict[str, tuple[Need, ...]]] = {
    "tensorflow": _TENSORFLOW,
    "core": (),
    "gui": ("window",),
    "camera": ("window",),
    "jax": ("backend",),
    "all": ("window", *_TENSORFLOW),
    "torch": ("backend",),
    "hub": _TENSORFLOW,
}
"""What extras bring; TensorFlow has no packages for newer Pythons."""
SECONDS: Final = 900
_SCRIPTS: Final = "Scripts" if os.name == "nt" else "bin"
_OPEN: Final = """
import sys
from PySide6.QtCore import QTimer
from studio.ui import app
from studio.ui.pages import PAGES

def look(window):
    for page in PAGES:
        window.show_page(page.name)
    window.close()

open_it = app.StudioApp.open
def open_and_look(self, root):
    window = open_it(self, root)
    QTimer.singleShot(0, window, lambda: look(window))
    return window
app.StudioApp.open = open_and_look
sys.exit(app.main(["--workspace", sys.argv[1]]))
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The check of one environment.

    Attributes:
        extra: The extra, or `core`.
        megabytes: Size of the environment.
        packages: Number of packages.
        commands: Number of commands that were run.
        wrong: What is wrong, by command or need.
    """

    extra: str
    megabytes: int
    packages: int
    commands: int
    wrong: dict[str, str]


class Environment:
    """A fresh virtual environment with one extra.

    Args:
        folder: Where it is made; removed first.
        wheel: The wheel of Studio.
        extra: The extra, or `core`.
    """

    def __init__(self, folder: Path, wheel: Path, extra: str) -> None:
        self.extra = extra
        self.folder = folder
        self.python = folder / _SCRIPTS / "python"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        brackets = "" if extra == "core" else f"[{extra}]"
        address = f"studio-trainer{brackets} @ {wheel.as_uri()}"
        self.call(str(self.python), "-m", "pip", "install", "--quiet", address).check_returncode()

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the environment, outside of the checkout."""
        dropped = ("PYTHONPATH", "STUDIO_WORKSPACE", "KERAS_BACKEND", "VIRTUAL_ENV")
        variables = {key: value for key, value in os.environ.items() if key not in dropped}
        variables |= {
            "PATH": os.pathsep.join((str(self.folder / _SCRIPTS), os.environ["PATH"])),
            "QT_QPA_PLATFORM": "offscreen",
            "DISPLAY": os.environ.get("DISPLAY", ":0"),
            "STUDIO_SETTINGS": str(self.folder / "window.ini"),
            "COLUMNS": "200",
        }
        return subprocess.run(
            words,
            env=variables,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def studio(self, workspace: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `studio WORDS…` on a workspace."""
        program = str(self.folder / _SCRIPTS / "studio")
        return self.call(program, "--workspace", str(workspace), *words)

    def has(self, *modules: str) -> bool:
        """Return True if one of some modules can be found."""
        code = f"import importlib.util as u; exit(not any(map(u.find_spec, {modules!r})))"
        return self.call(str(self.python), "-c", code).returncode == 0

    def prepare(self, workspace: Path) -> None:
        """Make the workspace that the commands need."""
        words = ("train", "--dataset", DATASET, "--network", RUN, "--name", RUN, "--epochs", "1")
        for each in (("datasets", "import", "digits", "--name", DATASET), words):
            self.studio(workspace, *each).check_returncode()


def check(environment: Environment, prepared: Path, folder: Path) -> Result:
    """Run all commands in an environment, on a copy of the workspace.

    Args:
        environment: The environment.
        prepared: The workspace with the dataset and the run.
        folder: An empty folder for the copy and what the commands write.
    """
    workspace = folder / "workspace"
    shutil.copytree(prepared, workspace)
    picture = next(prepared.rglob("*.png"))
    missing: dict[Need, bool] = {
        "": False,
        "backend": not environment.has(*BACKENDS),
        "window": not environment.has(*WINDOW),
    }
    wrong = unexpected(environment.extra, missing)
    for command in COMMANDS:
        lacks: Need = command.needs if missing[command.needs] else ""
        done = _run(environment, command, workspace, command.words(folder, picture), lacks)
        text = complaint(command, done.returncode, done.stderr, lacks)
        if text:
            wrong[f"studio {command.template}"] = text
    listed = environment.call(str(environment.python), "-m", "pip", "list", "--format=json")
    size = sum(
        path.lstat().st_size for path in environment.folder.rglob("*") if not path.is_symlink()
    )
    return Result(
        environment.extra, size // 10**6, len(json.loads(listed.stdout)), len(COMMANDS), wrong
    )


def unexpected(extra: str, missing: Mapping[Need, bool]) -> dict[str, str]:
    """Return the needs that an extra fulfills by mistake or does not fulfill, with what is wrong.

    Args:
        extra: The extra, or `core`.
        missing: What its environment lacks.
    """
    return {
        need: "is not installed" if is_missing else "is installed, but not expected"
        for need, is_missing in missing.items()
        if need and is_missing == (need in BROUGHT.get(extra, ()))
    }


def _run(
    environment: Environment, command: CoreCommand, workspace: Path, words: list[str], lacks: Need
) -> subprocess.CompletedProcess[str]:
    if command.needs == "window" and not lacks:
        return environment.call(str(environment.python), "-c", _OPEN, str(workspace))
    return environment.studio(workspace, *words)


def every_extra() -> list[str]:
    """Return the extras of the project without those for GPUs and developers, and `core`.

    The first one brings a backend, with which the workspace is prepared.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    others = set(project["optional-dependencies"]) - {"gpu", "jax-gpu", "test", "all"}
    return ["all", "core", *sorted(others)]


def main(words: list[str]) -> int:
    """Check the environments and print a line for each.

    Args:
        words: The folder, then extras; all of them if there are none.
    """
    root = Path(words[0]).resolve()
    extras = words[1:] or every_extra()
    root.mkdir(parents=True, exist_ok=True)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir")
    shutil.rmtree(root / "dist", ignore_errors=True)
    subprocess.run([*pip, str(root / "dist"), str(ROOT)], check=True)
    (wheel,) = (root / "dist").glob("*.whl")
    results = []
    prepared = root / "prepared"
    for extra in extras:
        environment = Environment(root / f"environment-{extra}", wheel, extra)
        if not prepared.is_dir():
            environment.prepare(prepared)
        folder = root / f"work-{extra}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        result = check(environment, prepared, folder)
        results.append(result)
        failed = sum(name.startswith("studio ") for name in result.wrong)
        print(
            f"{extra}: {result.megabytes} MB, {result.packages} packages, "
            f"{result.commands - failed} of {result.commands} commands as expected",
            flush=True,
        )
        for name, text in result.wrong.items():
            print(f"  {name}: {text}", flush=True)
        shutil.rmtree(environment.folder)
        lines = json.dumps([asdict(each) for each in results], indent=1)
        (root / "results.json").write_text(lines + "\n", encoding="utf-8")
    return int(any(result.wrong for result in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
