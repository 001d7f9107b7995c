"""Predicted objects: as JSON data, text, cells and files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import Detections
from studio.engine.tasks.detection.prediction import PREDICTOR
from studio.engine.tasks.parts.object_files import ObjectWriter
from studio.engine.tasks.parts.objects import Objects
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


def predicted(rows: Detections, size: tuple[int, int] = (200, 100)) -> Objects:
    found = PREDICTOR.of_decoded(rows, size, MEANING).objects
    assert found is not None
    return found


@pytest.fixture
def objects() -> Objects:
    return predicted(ROWS)


def test_objects_and_candidates(objects: Objects) -> None:
    """Boxes below their threshold are candidates; very weak ones are left out."""
    assert [each.label for each in objects.given] == ["dog", "cat"]
    assert [each.is_given for each in objects.candidates] == [True, True, False]
    assert objects.without_files().candidates == objects.given
    assert objects.size == (200, 100)
    assert [(each.label, each.threshold) for each in objects.highest] == [
        ("dog", 0.3),
        ("cat", 0.5),
    ]
    assert Objects.model_validate_json(objects.model_dump_json()) == objects


def test_data_and_text(objects: Objects) -> None:
    """The document has the objects as the command line's contract wants them."""
    document = objects.document()
    assert document == {
        "boxes": [
            {"class": "dog", "score": pytest.approx(0.9), "box": [10, 20, 110, 70]},
            {"class": "cat", "score": pytest.approx(0.6), "box": [0, 0, 50, 25.13]},
        ]
    }
    assert objects.lines()[0] == "   90.0%  dog  (10, 20, 110, 70)"
    assert objects.brief() == "1 × dog, 1 × cat"
    assert objects.cells() == {"boxes": 2, "count cat": 1, "count dog": 1}
    nothing = predicted(ROWS[4:])
    assert nothing.brief() == "no object"
    assert nothing.lines() == ["no object"]
    assert nothing.cells() == {"boxes": 0, "count cat": 0, "count dog": 0}


def test_files(objects: Objects, tmp_path: Path) -> None:
    """All kinds hold the same objects; pictures of one name have files of their own."""
    writer = ObjectWriter(tmp_path / "boxes", Objects.file_kinds, NAMES, MEANING.colors)
    first, second = (writer.add(f"{folder}/ä.png", objects) for folder in "ab")
    third = writer.add("classes.png", predicted(ROWS[4:], (9, 9)))
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
