"""Answers as a table, and how many are right."""

from __future__ import annotations

import csv
from pathlib import Path

from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.table import CorrectTally, TableWriter, as_csv
from studio.engine.tasks.classification.prediction import PREDICTOR
from studio.engine.tasks.parts.scores import ClassScore, Scores


def answer(image: str, *labels: str) -> ImagePrediction:
    scores = tuple(
        ClassScore(label=label, score=1 / (2 + index)) for index, label in enumerate(labels)
    )
    return ImagePrediction(
        image=image, scores=Scores(classes=scores), error="" if labels else "it is empty"
    )


ANSWERS = [answer("a.png", "cat", "dog"), answer("b,c.png", "dog"), answer("d.png")]


def test_the_table_has_a_line_for_every_picture() -> None:
    rows = list(csv.reader(as_csv(ANSWERS, PREDICTOR, ["cat", "", "dog"]).splitlines()))

    assert rows[0] == [
        *("image", "class", "score", "class_2", "score_2", "label", "right", "error")
    ]
    assert rows[1] == ["a.png", "cat", "0.5", "dog", str(1 / 3), "cat", "1", ""]
    assert rows[2] == ["b,c.png", "dog", "0.5", "", "", "", "", ""]
    assert rows[3] == ["d.png", "", "", "", "", "dog", "", "it is empty"]


def test_the_table_leaves_out_what_is_not_known() -> None:
    plain = as_csv(ANSWERS[:1], PREDICTOR)

    assert plain.splitlines()[0] == "image,class,score,class_2,score_2"
    assert as_csv([], PREDICTOR) == "image,class,score\n"


def test_a_table_grows_and_is_written_again_for_new_columns(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("older")
    table = TableWriter(path, PREDICTOR)
    table.add([*ANSWERS[2:], answer("=f.png", "cat")])
    table.add(ANSWERS[1:2])
    before = path.read_bytes()
    table.add(ANSWERS[1:2])
    assert path.read_bytes().startswith(before)
    table.add([answer("=e.png", "cat", "dog")])

    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    extra = ("differences", "warnings", "error")
    assert rows[0] == ["image", "class", "score", "class_2", "score_2", *extra]
    assert rows[1] == ["d.png", "", "", "", "", "", "", "it is empty"]
    assert rows[2] == ["'=f.png", "cat", "0.5", "", "", "", "", ""]
    assert rows[3] == rows[4] == ["b,c.png", "dog", "0.5", "", "", "", "", ""]
    assert rows[5] == ["'=e.png", "cat", "0.5", "dog", str(1 / 3), "", "", ""]


def test_only_known_classes_count() -> None:
    tally = CorrectTally().plus(zip(ANSWERS, ["cat", "cat", "dog"], strict=True))
    assert (tally.right, tally.known, tally.unreadable) == (1, 2, 1)
    assert tally.accuracy == 0.5
    assert CorrectTally().plus(zip(ANSWERS, ["", "", ""], strict=True)).accuracy is None
