"""What is counted from the answers of an evaluation, and the reports that leave Studio."""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from helpers.evaluations import SUBJECT, learned, leave_evaluation
from studio.engine.csv_cells import original
from studio.engine.errors import BadDataError, StudioError
from studio.engine.evaluation.evaluated_classes import PROBABILITIES_FILE, EvaluatedClasses
from studio.engine.evaluation.mcnemar import compare
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.report_page import EmbeddedPictures, html_page, json_text
from studio.engine.evaluation.report_table import csv_text
from studio.engine.workspace import Workspace

CLASSES = ["<b>bold</b>", 'quo"ted & ü', "=plain", "d", "e", "f"]


@pytest.fixture
def evaluated(tmp_path: Path) -> EvaluatedClasses:
    probabilities, labels = learned(120, 6, 4)
    rows = np.arange(10, 130)
    return leave_evaluation(tmp_path, rows, probabilities, labels, resamples=40, classes=CLASSES)


def test_images_come_with_the_surest_first(evaluated: EvaluatedClasses) -> None:
    answers = evaluated.answers
    for label in range(6):
        wrong, right = evaluated.surest_wrong(label, 100), evaluated.surest_right(label, 100)
        assert len(wrong) + len(right) == (answers.truth == label).sum()
        assert (answers.predicted[right] == label).all()
        assert (answers.predicted[wrong] != label).all()
        for indices in (wrong, right):
            assert (np.diff(answers.scores[indices]) <= 0).all()
    (worst, *_) = evaluated.confusions(5)
    mistakes = evaluated.confusion - np.diag(np.diag(evaluated.confusion))
    assert mistakes[worst.truth, worst.predicted] == worst.count == mistakes.max()


def test_classes_that_are_confused_stand_together(tmp_path: Path) -> None:
    # 0 and 3 are confused with each other, so are 1 and 5, and 2 and 4 less often.
    labels = np.array([0, 3, 0, 1, 5, 2, 4, 0, 1, 2, 3, 4, 5])
    answers = np.array([3, 0, 3, 5, 1, 4, 4, 0, 1, 2, 3, 4, 5])
    evaluated = leave_evaluation(tmp_path, np.arange(13), np.eye(6)[answers], labels)

    order = evaluated.confused_order().tolist()

    assert sorted(order) == [0, 1, 2, 3, 4, 5]
    assert [set(order[at : at + 2]) for at in (0, 2, 4)] == [{0, 3}, {1, 5}, {2, 4}]


class _Page(HTMLParser):
    """Refuses tags that are not closed, and what would have to be fetched."""

    alone = frozenset({"meta", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.images = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.images += tag == "img"
        assert tag not in {"script", "link", "iframe"}
        for name, value in attrs:
            assert name not in {"src", "href"} or (value or "").startswith("data:")
        if tag not in self.alone:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


class _Pictures:
    def address(self, row: int) -> str:
        return f"data:image/jpeg;base64,{row}"


def test_the_page_needs_nothing_else_and_escapes_names(evaluated: EvaluatedClasses) -> None:
    page = _Page()
    text = html_page(evaluated, None)
    page.feed(text)

    assert page.open == []
    assert "<b>bold" not in text
    for name in CLASSES:
        assert name in page.text
    assert "The dataset was deleted" in page.text


def test_the_page_escapes_the_names_of_images_notes_and_a_comparison(tmp_path: Path) -> None:
    probabilities, labels = learned(60, 3, 4)
    hostile = ["<script>a</script>", "'\"><img src=x>", "</svg></title><i>"]
    subject = SUBJECT.model_copy(update={"model": "</style>{{ 7 * 7 }}"})
    evaluated = leave_evaluation(
        tmp_path,
        np.arange(60),
        probabilities,
        labels,
        classes=hostile,
        subject=subject,
        notes=("<script>note</script>",),
    )
    one = evaluated.report, evaluated.answers
    pictures = cast("EmbeddedPictures", _Pictures())

    page = _Page()
    page.feed(html_page(evaluated, pictures, compare(one, one)))

    assert page.open == []
    mistakes, shown = (
        evaluated.answers.mistakes(36),
        (evaluated.surest_right, evaluated.surest_wrong),
    )
    of_classes = sum(len(find(label, 5)) for label in range(3) for find in shown)
    assert page.images == len(mistakes) + of_classes
    for text in (*hostile, "<script>note</script>", "Only </style>{{ 7 * 7 }} right"):
        assert text in page.text


def test_table_and_data_hold_every_figure(evaluated: EvaluatedClasses) -> None:
    report = evaluated.report
    rows = list(csv.DictReader(csv_text(report).splitlines()))
    figures = {(row["figure"], original(row["class"])): row for row in rows}
    accuracy = figures["accuracy", ""]
    assert float(accuracy["value"]) == report.metrics["accuracy"]
    assert (float(accuracy["low"]), float(accuracy["high"])) == report.intervals["accuracy"]
    for name, each in zip(CLASSES, report.outputs, strict=True):
        assert float(figures["f1", name]["value"]) == each.metrics["f1"]
        assert float(figures["roc_auc", name]["low"]) == each.intervals["roc_auc"][0]

    data = json.loads(json_text(evaluated))
    assert data["confusion_matrix"] == evaluated.confusion.tolist()
    for label, curves in enumerate(data["curves"]):
        assert curves["class"] == CLASSES[label]
        found = evaluated.curves(label, 101)
        assert found is not None
        assert curves["roc"]["true_positive_rate"] == found[0][1].tolist()


def test_missing_and_older_files_are_reported(evaluated: EvaluatedClasses) -> None:
    folder = evaluated.folder
    (folder / PROBABILITIES_FILE).write_bytes(b"no table")
    with pytest.raises(BadDataError, match=PROBABILITIES_FILE):
        evaluated.curves(0)
    (folder / "report.json").unlink()
    with pytest.raises(BadDataError, match="older Studio"):
        EvaluatedClasses.open(Workspace(folder.parent), folder)


def test_plans_of_before_are_read_and_what_contradicts_itself_is_not() -> None:
    before = {"version": 1, "run": "lenet-1", "split": "val", "batch_size": 64}
    plan = EvaluationPlan.parse(before)
    assert (plan.checkpoint, plan.dataset, plan.robustness, plan.resamples) == (
        "",
        "",
        False,
        1000,
    )

    for wrong, message in (
        ({}, "either a run or a model file"),
        ({"run": "a", "model_file": "/m.keras", "dataset": "d"}, "either a run or a model file"),
        ({"model_file": "/m.keras"}, "needs a dataset"),
        ({"model_file": "/m.keras", "dataset": "d", "checkpoint": "3"}, "only runs"),
    ):
        with pytest.raises(StudioError, match=message):
            EvaluationPlan.parse(wrong)
