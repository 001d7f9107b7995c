"""The boxes of a real run, as the dashboard shows them."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from helpers.box_datasets import NAMES
from helpers.box_runs import box_case
from studio.engine.training.insights import read_insight
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks.detection.view import VIEW
from studio.ui.tasks.region_results import RegionInsights
from studio.ui.tasks.view import ValidationInsight
from studio.ui.theme.theme import Theme
from studio.ui.widgets.overlay import BoxOverlay

COLORS = ("#e69f00", "#56b4e9")


@pytest.mark.slow
def test_a_trained_run_shows_the_figures_of_its_journal(
    theme: Theme, qtbot: QtBot, tmp_path_factory: pytest.TempPathFactory
) -> None:
    case = box_case(tmp_path_factory)
    run = case.run
    kept = run.history.insights[-1]
    insight = read_insight(run.record.folder / kept.path)
    assert insight.boxes is not None
    view = RegionInsights(theme, VIEW.report)
    qtbot.addWidget(view)

    pictures = DatasetPictures(case.dataset.record.folder)
    view.show_insight(
        ValidationInsight(insight.targets, NAMES, [""] * 2, pictures, COLORS, boxes=insight.boxes)
    )

    epoch = run.history.epochs[-1]
    precision, at_50 = view.table.content.rows[0].values[:2]
    # Those of the journal are approximate, most of all for few images.
    assert precision == pytest.approx(epoch.value("val_map"), abs=0.05)
    assert at_50 == pytest.approx(epoch.value("val_ap50"), abs=0.05)
    assert at_50 > 0.05, "something was learned"
    assert [image.row for image in view.grid.images()] == insight.boxes.rows.tolist()
    source = view.grid._images_of
    assert source is not None
    shown = [source.overlay_of(row) for row in insight.boxes.rows.tolist()]
    assert all(isinstance(each, BoxOverlay) for each in shown)
    for index in range(view.box.count()):
        view.box.setCurrentIndex(index)
    assert np.isfinite(view.table.content.rows[1].values[0])
