"""The grid of several pictures: wrong answers are outlined where the class is known."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.ui.pages.predict.folder import ResultsGrid
from studio.ui.pages.predict.pictures import Batch
from studio.ui.shared.dataset_pictures import Captioned, CaptionedModel, PictureGrid
from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_grid import WRONG_ROLE

LABELS = ("cat", "dog", "", "cat")
ANSWERS = ("cat", "cat", "cat", "")


def test_wrong_answers_are_outlined(theme: Theme, qtbot: QtBot, tmp_path: Path) -> None:
    pictures, predictions = [], []
    for number, (label, answer) in enumerate(zip(LABELS, ANSWERS, strict=True)):
        path = tmp_path / f"{number}.png"
        image = QImage(20, 20, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        image.save(str(path))
        pictures.append(Picture(path, label))
        scores = (ClassScore(label=answer, score=0.96),) if answer else ()
        error = "" if answer else "It cannot be read."
        predictions.append(
            ImagePrediction(image=str(path), scores=Scores(classes=scores), error=error)
        )
    batch = Batch((tmp_path,), pictures=tuple(pictures), predictions=predictions, selected=9)
    grid = ResultsGrid(theme)
    qtbot.addWidget(grid, before_close_func=ResultsGrid.stop)
    grid.resize(600, 400)
    grid.show_batch(batch)
    grid.show()
    rows = [grid.model().index(row, 0) for row in range(4)]
    assert [index.data(WRONG_ROLE) for index in rows] == [False, True, False, False]
    assert "wrong, it is dog" in rows[1].data(Qt.ItemDataRole.AccessibleTextRole)
    assert "wrong, it is dog" in rows[1].data(Qt.ItemDataRole.ToolTipRole)
    assert "wrong" not in rows[0].data(Qt.ItemDataRole.AccessibleTextRole)
    for mode in ("light", "dark"):
        theme.mode = "dark" if mode == "dark" else "light"
        shot = grid.viewport().grab().toImage()
        bad = QColor(theme.palette.bad)
        marked = [red_on_the_left(shot, grid.visualRect(index).topLeft(), bad) for index in rows]
        assert marked == [False, True, False, False], mode


def test_grids_of_reports_and_runs_outline_wrong_answers(
    theme: Theme, qtbot: QtBot, tmp_path: Path
) -> None:
    model = CaptionedModel()
    model.take([Captioned(0, "96 %", "cat, 96 %"), Captioned(1, "→ dog", "cat → dog", wrong=True)])
    grid = PictureGrid(theme)
    qtbot.addWidget(grid, before_close_func=PictureGrid.stop)
    grid.resize(600, 400)
    white = QImage(20, 20, QImage.Format.Format_RGB32)
    white.fill(QColor("white"))
    grid.set_source(model, lambda _key: white)
    grid.show()
    rows = [model.index(row, 0) for row in range(2)]
    assert [index.data(WRONG_ROLE) for index in rows] == [False, True]
    shot, bad = grid.viewport().grab().toImage(), QColor(theme.palette.bad)
    marked = [red_on_the_left(shot, grid.visualRect(index).topLeft(), bad) for index in rows]
    assert marked == [False, True]


def red_on_the_left(shot: QImage, corner: QPoint, bad: QColor) -> bool:
    """Whether a frame is painted on the left edge of a picture, in its middle."""
    return any(
        shot.pixelColor(corner.x() + x, corner.y() + 50).name() == bad.name() for x in range(12)
    )
