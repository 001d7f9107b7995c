"""Answers with boxes: as JSON data, text, cells and files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from studio.engine.tasks.answer import Answer, Calibration
from studio.engine.tasks.detection.prediction import PREDICTOR
from studio.engine.tasks.detection.task import FILE_KINDS
from studio.engine.tasks.prediction import Meaning

NAMES = ("cat", "dog")
MEANING = Meaning(
    NAMES, calibration=Calibration(thresholds=(0.5, 0.3)), colors=("#e69f00", "#56b4e9")
)
ROWS = np.array(
    [
        (1, 10, 20, 110, 70, 0.9),
        (0, 0, 0, 50, 25.126, 0.6),
        (0, 5, 5, 40, 40, 0.4),
        (1, 5, 5, 40, 40, 0.05),
        (-1, 0, 0, 0, 0, 0),
    ],
    np.float32,
)


@pytest.fixture
def answer() -> Answer:
    return PREDICTOR.of_decoded(ROWS, (200, 100), MEANING)


def test_objects_and_candidates(answer: Answer) -> None:
    """Boxes below their threshold are candidates; very weak ones are left out."""
    assert [each.label for each in answer.objects] == ["dog", "cat"]
    assert [each.is_given for each in answer.boxes] == [True, True, False]
    assert PREDICTOR.without_files(answer).boxes == answer.objects
    assert answer.size == (200, 100)
    assert [(each.label, each.threshold) for each in answer.scores] == [("dog", 0.3), ("cat", 0.5)]
    assert Answer.model_validate_json(answer.model_dump_json()) == answer


def test_data_and_text(answer: Answer) -> None:
    """The document has the objects as the command line's contract wants them."""
    document = PREDICTOR.document(answer)
    assert document == {
        "boxes": [
            {"class": "dog", "score": pytest.approx(0.9), "box": [10, 20, 110, 70]},
            {"class": "cat", "score": pytest.approx(0.6), "box": [0, 0, 50, 25.13]},
        ]
    }
    assert PREDICTOR.lines(answer)[0] == "   90.0%  dog  (10, 20, 110, 70)"
    assert PREDICTOR.brief(answer) == "1 × dog, 1 × cat"
    assert PREDICTOR.cells(answer) == {"boxes": 2, "count cat": 1, "count dog": 1}
    nothing = PREDICTOR.of_decoded(ROWS[4:], (200, 100), MEANING)
    assert PREDICTOR.brief(nothing) == "no object"
    assert PREDICTOR.lines(nothing) == ["no object"]
    assert PREDICTOR.cells(nothing) == {"boxes": 0, "count cat": 0, "count dog": 0}


def test_files(answer: Answer, tmp_path: Path) -> None:
    """All kinds hold the same objects; pictures of one name have files of their own."""
    writer = PREDICTOR.writer(tmp_path / "boxes", FILE_KINDS, NAMES, MEANING.colors)
    first, second = (writer.add(f"{folder}/ä.png", answer) for folder in "ab")
    third = writer.add("classes.png", PREDICTOR.of_decoded(ROWS[4:], (9, 9), MEANING))
    paths = writer.finish()

    assert [path.name for path in paths] == ["boxes.csv", "boxes.json", "classes.txt"]
    with paths[0].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["image"] for row in rows] == ["a/ä.png"] * 2 + ["b/ä.png"] * 2
    assert [rows[1][name] for name in ("class", "left", "bottom")] == ["cat", "0.0", "25.13"]
    document = json.loads(paths[1].read_text("utf-8"))
    assert [each["file_name"] for each in document["images"]] == [
        "a/ä.png",
        "b/ä.png",
        "classes.png",
    ]
    assert document["images"][0]["width"] == 200
    assert document["annotations"][0]["bbox"] == [10, 20, 100, 50]
    assert document["annotations"][3]["category_id"] == 1
    assert [each["name"] for each in document["categories"]] == list(NAMES)
    assert paths[2].read_text("utf-8") == "cat\ndog\n"
    names = [Path(each["labels"]).name for each in (first, second, third)]
    assert names == ["ä.txt", "ä-2.txt", "classes-2.txt"]
    lines = Path(first["labels"]).read_text("utf-8").splitlines()
    assert lines[0] == "1 0.300000 0.450000 0.500000 0.500000 0.900000"
    assert Path(third["labels"]).read_text("utf-8") == ""


def test_a_calibration_is_completed() -> None:
    """An exported model has a threshold for each class."""
    assert PREDICTOR.completed(Calibration(), 2).thresholds == (0.3, 0.3)
    assert PREDICTOR.completed(MEANING.calibration, 2) == MEANING.calibration
