"""The encoding in the import sheet: when its quality counts, and what the preview shows of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_records import picture_folder
from pytestqt.qtbot import QtBot

from studio.engine.datasets.images import EncodedImages
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.plans import fields_of, without_effect
from studio.engine.progress import SilentProgress
from studio.ui.bridge.request import RequestProgress
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.datasets.importing.fields import PreviewCard
from studio.ui.pages.datasets.importing.survey import find_images, results_of
from studio.ui.pages.datasets.messages import outcome_line
from studio.ui.widgets.figures import count


@pytest.mark.parametrize("encoding", ["raw", "png", "jpeg"])
def test_only_jpeg_has_a_quality(encoding: str) -> None:
    recipe = DatasetRecipe.parse({"source": "", "encoding": encoding})
    idle = without_effect(DatasetRecipe, recipe.model_dump())
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


def _ignore(*_progress: object) -> None:
    pass


def test_the_preview_shows_what_jpeg_does(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot  # pictures need an application
    folder = picture_folder(tmp_path / "in", {"cat": 3, "dog": 3})
    found = find_images(DatasetRecipe(source=str(folder)), RequestProgress(_ignore))
    raw = found.recipe.changed(width=64, height=64)
    shown = results_of(found, raw)
    packed = results_of(found, raw.changed(encoding="png"))
    assert [result.image for result in packed] == [result.image for result in shown]
    coarse = results_of(found, raw.changed(encoding="jpeg", jpeg_quality=1))
    assert len(coarse) == len(shown) > 0
    assert all(one.image != other.image for one, other in zip(coarse, shown, strict=True))


@pytest.mark.parametrize("encoding", ["raw", "png", "jpeg"])
def test_the_preview_estimates_the_size_of_the_dataset(
    qtbot: QtBot, context: AppContext, tmp_path: Path, encoding: str
) -> None:
    folder = picture_folder(tmp_path / "in", {"cat": 1, "dog": 1})
    found = find_images(DatasetRecipe(source=str(folder)), RequestProgress(_ignore))
    recipe = found.recipe.changed(encoding=encoding, val_percent=0, test_percent=0)
    results = results_of(found, recipe)
    (tmp_path / "out").mkdir()
    import_dataset(recipe, tmp_path / "out", SilentProgress())
    images = Store.open(tmp_path / "out").images
    card = PreviewCard(context.theme)
    qtbot.addWidget(card)
    card.show_before(found.previews)
    card.show_after(results)
    if encoding == "raw":
        assert [result.packed for result in results] == [0, 0]
        assert card.sizes() == ["", ""]
        return
    assert isinstance(images, EncodedImages)
    real = images._offsets[:, 1].tolist()
    assert [result.packed for result in results] == real
    assert card.sizes() == [f"{count(number)} bytes" for number in real]


@pytest.mark.parametrize(("encoding", "word"), [("raw", ", about"), ("jpeg", ", at most about")])
def test_the_size_of_packed_images_is_a_limit(encoding: str, word: str) -> None:
    recipe = DatasetRecipe.parse({"source": "", "encoding": encoding})
    assert word in outcome_line(recipe, 1_000_000)
