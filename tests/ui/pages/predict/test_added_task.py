"""The package in CONTRIBUTING, "To add a task": labeled, trained, drawn, written to files."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from page_checks import show_in_window
from page_records import start_jobs
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.command_line import caller
from helpers.digits import do_here
from helpers.plug_ins import importable, write_package
from helpers.target_datasets import squares, target_recipe
from helpers.task_cases import TaskCase, case_plan, trained_case
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.states import State
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.pages.label.page import View as LabelPage
from studio.ui.pages.label.tools.drawn import MaskTools
from studio.ui.pages.predict.page import View
from studio.ui.widgets.heat_overlay import HeatMapOverlay
from studio.ui.widgets.overlay import OverlayStyle, painted

PAGE: Final = Path(__file__).parents[4] / "CONTRIBUTING.md"
LONG: Final = 60_000


def package_of_the_page() -> dict[str, str]:
    """Return the files of the package by their paths, as the page shows them."""
    section = PAGE.read_text(encoding="utf-8").split("## To add a task\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```\w+\n# (\S+)\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return dict(blocks)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of packages with that of the page, installed as pip would."""
    files = package_of_the_page()
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    folder = tmp_path_factory.mktemp("packages")
    write_package(folder, project["name"], files, project["entry-points"])
    with importable(folder, ("glow",)):
        yield folder


@pytest.fixture(scope="module")
def case(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> TaskCase:
    """A dataset of the task, and a run of one epoch."""
    folder = tmp_path_factory.mktemp("glow")
    tables = squares(folder / "squares", 48)
    recipe = target_recipe(tables | {"glow": tables["segmentation"]}, "glow")
    workspace = Workspace.open(folder / "workspace")
    dataset = do_here(workspace, recipe, "squares")
    plan = case_plan(dataset, epochs=1)
    return trained_case(workspace, folder / "squares" / "pictures", dataset, plan)


@pytest.fixture
def host_path(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine host, a process of its own, imports the package, too."""
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH", ""))))
    monkeypatch.setenv("PYTHONPATH", path)


@pytest.fixture
def workspace(case: TaskCase, tmp_path: Path) -> Workspace:
    shutil.copytree(case.workspace.root, tmp_path / "copy")
    return Workspace.open(tmp_path / "copy")


def picture(case: TaskCase) -> Path:
    return min(case.pictures.iterdir())


def test_its_map_is_written(
    case: TaskCase, host_path: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, case.workspace.root)
    words = ("--to", tmp_path / "out", "--maps", "tiff", "color", "--csv", tmp_path / "a.csv")

    (found,) = call("predict", "run", picture(case), *words, "--json").document

    assert found["is_glow"] == (found["score"] >= 0.5)
    with Image.open(found["map"]) as image, Image.open(picture(case)) as original:
        values = np.array(image)
        assert image.size == original.size
    assert values.dtype == np.float32
    assert values.max() == pytest.approx(found["score"])
    with Image.open(found["color"]) as image:
        assert image.mode == "RGB"
    head = (tmp_path / "a.csv").read_text("utf-8").splitlines()[0]
    assert head.startswith("image,score glow,is_glow")


def test_its_images_are_labeled(
    packages: Path,
    qtbot: QtBot,
    context: AppContext,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (16, 12), "red").save(tmp_path / "images" / "red.png")
    call = caller(capsys, context.workspace.root)
    classes = ("--class", "dark", "--class", "bright")
    call("label", "create", "lamps", tmp_path / "images", "--task", "glow", *classes)
    page = LabelPage(context)
    window = show_in_window(qtbot, page)
    qtbot.waitUntil(lambda: page.view is not None and page.view.session.picture is not None)

    assert page.view is not None
    assert isinstance(page.view.single.tools, MaskTools)
    choices = page.form.task
    assert "How strongly each pixel glows" in map(choices.itemText, range(choices.count()))
    canvas, session = page.view.single.canvas, page.view.session
    QTest.keyClick(canvas, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not session.labeling.undecided())
    window.close()


def test_its_export_is_refused_with_the_reason(case: TaskCase, tmp_path: Path) -> None:
    """The script of an export predicts no maps."""
    plan = ExportPlan(run=case.run.record.id, variants=["keras"], to=str(tmp_path / "to"))

    job = do_here(case.workspace, plan, "refused")

    assert job.history.state == State.FAILED
    assert "no maps of numbers" in str(job.history.reason)


def test_its_map_is_drawn(
    case: TaskCase, host_path: None, qtbot: QtBot, context: AppContext
) -> None:
    view = View(context)
    window = show_in_window(qtbot, view, 1000, 640)
    start_jobs(qtbot, context)
    view.take_drop([picture(case)])
    qtbot.waitUntil(lambda: view.preview.view.layer() is not None, timeout=LONG)

    assert view.batch is not None
    assert view.batch.prediction is not None
    assert view.batch.prediction.heat_map is not None
    overlay = view.batch.overlay(view.batch.prediction)
    assert isinstance(overlay, HeatMapOverlay)
    plain = view.preview.view.image()
    assert painted(plain, overlay, OverlayStyle("mask")) != plain
    assert view.card.headline.text().startswith("glow ")
    assert [line.name for line in view.card.bars.lines()] == ["glow"]
    assert view.card.overlay.isVisible()
    assert not view.card.overlay.legend.isVisible(), "a map has no classes"
    names = [action.text() for action in view.saver.menu(view.batch).actions()]
    assert names[0].startswith("Maps as TIFF")
    window.close()
