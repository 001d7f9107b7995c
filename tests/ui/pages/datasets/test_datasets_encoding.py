"""The encoding in the import sheet: when its quality counts, and what the preview shows of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_records import picture_folder
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.plans import fields_of
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.datasets.idle_fields import idle_fields
from studio.ui.pages.datasets.import_work import Search, find_images, results_of


@pytest.mark.parametrize("encoding", ["raw", "png", "jpeg"])
def test_only_jpeg_has_a_quality(encoding: str) -> None:
    recipe = DatasetRecipe.parse({"source": "", "encoding": encoding})
    idle = idle_fields("folder", {}, recipe)
    assert ("jpeg_quality" in idle) == (encoding != "jpeg")
    assert all(idle.values())
    assert "encoding" not in idle


def test_the_form_has_both(qtbot: QtBot, context: AppContext) -> None:
    form = PlanForm(DatasetRecipe, theme=context.theme)
    qtbot.addWidget(form)
    assert {"encoding", "jpeg_quality"} <= set(form.names())
    fields = {field.name: field for field in fields_of(DatasetRecipe)}
    assert fields["encoding"].choices == ("raw", "png", "jpeg")
    for name in ("encoding", "jpeg_quality"):
        assert fields[name].label
        assert fields[name].help
        assert fields[name].why


def test_the_preview_shows_what_jpeg_does(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot  # pictures need an application
    folder = picture_folder(tmp_path / "in", {"cat": 3, "dog": 3})
    parent = QObject()
    found = find_images(DatasetRecipe(source=str(folder)), Search(parent))
    raw = found.recipe.changed(width=64, height=64)
    shown = results_of(found, raw)
    assert results_of(found, raw.changed(encoding="png")) == shown
    coarse = results_of(found, raw.changed(encoding="jpeg", jpeg_quality=1))
    assert len(coarse) == len(shown) > 0
    assert all(one != other for one, other in zip(coarse, shown, strict=True))
