"""The wheel, installed into an empty folder, brings everything that the window needs."""

from __future__ import annotations

import configparser
import json
import re
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from helpers.processes import clean_environment
from studio import __version__
from studio.engine.assets import asset

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]

# Opens the window as `studio` does, looks at it from inside, and closes it.
LOOK = """
import json, sys
from functools import partial
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication
import studio
from studio.engine.datasets.samples import SAMPLES
from studio.engine.progress import SilentProgress
from studio.ui import app
from studio.ui.pages import PAGES

def look(window):
    for page in PAGES:
        window.show_page(page.name)
    window.show_page("settings")
    window.commands.run("window.help")
    digits = SAMPLES["digits"].write(Path(sys.argv[1]) / "samples", SilentProgress())
    print(json.dumps({
        "package": studio.__file__,
        "icon": not QApplication.windowIcon().isNull(),
        "glyph": not window.top_bar.help_button.icon().isNull(),
        "home": QCoreApplication.translate("commands", "Home"),
        "help": window.manual.text.toPlainText()[:6],
        "digits": len(list(digits.rglob("*.png"))),
    }))
    window.manual.close()
    window.close()

open_it = app.StudioApp.open
def open_and_look(self, root):
    window = open_it(self, root)
    QTimer.singleShot(0, window, partial(look, window))
    return window
app.StudioApp.open = open_and_look
sys.exit(app.main(["--workspace", sys.argv[1]]))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the installed wheel, and nothing else."""
    root = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(root), cwd=CHECKOUT)
    (wheel,) = root.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert f"studio_trainer-{__version__}.dist-info/licenses/LICENSE" in names
    assert {"studio/assets/studio.desktop", "studio/assets/report/evaluation.html"} <= set(names)
    assert not [name for name in names if name.startswith("tests/")]
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), cwd=root)
    target = root / "installed"
    pip = (sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile")
    run(*pip, "--target", str(target), str(wheel), cwd=root)
    return target


def run(*words: str, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        words, cwd=cwd, env=clean_environment(**variables), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.thorough
def test_the_window_opens_with_all_that_it_shows(installed: Path, tmp_path: Path) -> None:
    said = run(
        *(sys.executable, "-c", LOOK, str(tmp_path / "workspace")),
        cwd=tmp_path,
        PYTHONPATH=str(installed),
        QT_QPA_PLATFORM="offscreen",
        STUDIO_SETTINGS=str(tmp_path / "window.ini"),
        LANG="pt_BR.UTF-8",
    )
    seen = json.loads(said.splitlines()[-1])
    assert Path(seen["package"]).is_relative_to(installed), "not that of the checkout"
    assert seen["icon"]
    assert seen["glyph"]
    assert seen["home"] == "Início", "its translations are there"
    assert seen["help"] == "Teclas"
    assert seen["digits"] == 1797


@pytest.mark.thorough
def test_the_command_line_runs_as_a_module(installed: Path, tmp_path: Path) -> None:
    words = (sys.executable, "-m", "studio", "help", "glossary", "epoch")
    said = run(*words, cwd=tmp_path, PYTHONPATH=str(installed), LANG="C")
    assert said == "Epoch: One pass over all training images.\n"


def test_the_package_page_needs_no_files_of_the_repository() -> None:
    readme = (CHECKOUT / "README.md").read_text("utf-8")
    page_of = runpy.run_path(str(CHECKOUT / "hatch_build.py"))["page_of"]

    assert "![" in readme
    assert not re.findall(r"!\[|\]\((?!https?:|#)", page_of(readme))
    assert page_of("[a](#b), [c](https://example.org), [d\ne](f.md)") == (
        "[a](#b), [c](https://example.org), d\ne"
    )


def test_the_launcher_starts_what_the_wheel_installs() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.read_string(asset("studio.desktop").read_text("utf-8"))
    launcher = entry["Desktop Entry"]
    pyproject = (CHECKOUT / "pyproject.toml").read_text("utf-8")
    command, files = launcher["Exec"].split()
    assert f'{command} = "studio.__main__:main_window"' in pyproject
    assert files == "%F"  # the window opens what was clicked on
    assert asset(f"icons/{launcher['Icon']}.svg").is_file()
    assert asset(f"icons/{launcher['Icon']}.png").is_file()
