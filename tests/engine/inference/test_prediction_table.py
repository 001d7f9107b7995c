"""Answers as a table, and how many are right."""

from __future__ import annotations

import csv

from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.table import CorrectTally, as_csv
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


def test_only_known_classes_count() -> None:
    tally = CorrectTally().plus(zip(ANSWERS, ["cat", "cat", "dog"], strict=True))
    assert (tally.right, tally.known, tally.unreadable) == (1, 2, 1)
    assert tally.accuracy == 0.5
    assert CorrectTally().plus(zip(ANSWERS, ["", "", ""], strict=True)).accuracy is None
