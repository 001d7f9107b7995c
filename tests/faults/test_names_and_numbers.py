"""Class names of every kind, and a thousand of them, from the import to every file that leaves."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import class_folders, noise_png, recipe

from helpers.evaluations import SUBJECT, leave_evaluation
from studio.engine.csv_cells import original
from studio.engine.datasets.export import export_dataset
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import version_summary
from studio.engine.evaluation.report import Report
from studio.engine.evaluation.report_page import html_page
from studio.engine.evaluation.report_table import csv_text
from studio.engine.files import portable_name
from studio.engine.inference.models import CARD, ImageCard, ModelCard, read_card
from studio.engine.progress import SilentProgress

SILENT = SilentProgress()
NAMES = (
    "ação",
    "قطة سوداء",
    "🐈 gato",
    "<script>alert('x')</script>".replace("/", "|"),
    "a,b;\"c\" 'd' & e",
    "=1+1",
    "x" * 200,
    "two\nlines",
    " spaced ",
)


class _Tags(HTMLParser):
    """What a browser makes of a page: its tags and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def _names() -> tuple[str, ...]:
    """Return the names that folders can have on this system."""
    is_windows = sys.platform == "win32" or "FAKE_WINDOWS_ROOT" in os.environ
    return tuple(each for each in NAMES if not is_windows or portable_name(each) == each)


def test_names_go_through_everything(tmp_path: Path) -> None:
    names = _names()
    source = class_folders(tmp_path / "größe قط", dict.fromkeys(names, 2), noise_png)
    folder = tmp_path / "dataset"
    import_dataset(recipe(source, val_percent=0, test_percent=0), folder, SILENT)
    store = Store.open(folder)
    # A class name is one line: files with a class on each line would break otherwise.
    assert set(store.classes) == {each.replace("\n", " ") for each in names}
    names = tuple(store.classes)
    assert version_summary(folder).classes == store.classes

    for form in ("folders", "csv", "npz"):
        made = export_dataset(store, form, ["train"], tmp_path / "out", "قطة", SILENT)
        if form == "folders":
            assert len([each for each in made.iterdir() if each.is_dir()]) == len(names)
            assert len(list(made.glob("*/*.png"))) == 2 * len(names)
        if form == "csv":
            with made.open(encoding="utf-8", newline="") as file:
                assert {original(row["label"]) for row in csv.DictReader(file)} == set(names)
        if form == "npz":
            assert set(np.load(made)["class_names"].tolist()) == set(names)

    card = ModelCard(model="m", classes=tuple(store.classes), image=ImageCard(width=8, height=8))
    (tmp_path / CARD).write_text(card.model_dump_json(), "utf-8")
    assert read_card(tmp_path) == card

    classes = len(names)
    labels = np.arange(40) % classes
    fractions = np.full((40, classes), 0.02)
    fractions[np.arange(40), (labels + (np.arange(40) % 3 == 0)) % classes] = 1.0
    fractions /= fractions.sum(axis=1, keepdims=True)
    subject = SUBJECT.model_copy(update={"dataset_name": "<marquee>قطة</marquee>"})
    evaluated = leave_evaluation(
        tmp_path, np.arange(40), fractions, labels, classes=store.classes, subject=subject
    )
    assert Report.read(tmp_path) == evaluated.report
    rows = list(csv.DictReader(io.StringIO(csv_text(evaluated.report), newline="")))
    assert {original(row["class"]) for row in rows} == {"", *names}
    page = _Tags()
    page.feed(html_page(evaluated, None))
    assert not page.tags & {"script", "marquee"}
    words = " ".join(page.text.split())
    for name in names:
        assert " ".join(name.split())[:20] in words


@pytest.mark.thorough
def test_a_thousand_classes(tmp_path: Path) -> None:
    """Two pictures of each are imported, exported, measured and reported."""
    names = {f"kind {number:04} قط": 2 for number in range(1000)}
    source = class_folders(tmp_path / "many", names, noise_png)
    folder = tmp_path / "dataset"
    import_dataset(recipe(source, val_percent=50, test_percent=0), folder, SILENT)
    store = Store.open(folder)
    assert len(store.classes) == 1000
    assert store.counts()["train"] == 1000
    assert store.counts()["val"] == 1000
    random = np.random.default_rng(0)
    labels = np.repeat(np.arange(1000), 2)
    fractions = random.random((2000, 1000)) ** 8
    fractions[np.arange(2000), labels] += 2
    fractions /= fractions.sum(axis=1, keepdims=True)
    evaluated = leave_evaluation(
        tmp_path, np.arange(2000), fractions, labels, classes=store.classes, subject=SUBJECT
    )
    assert evaluated.confusion.shape == (1000, 1000)
    assert len(set(evaluated.confused_order().tolist())) == 1000
    assert len(evaluated.confusions(20)) <= 20
    assert len(csv_text(evaluated.report).splitlines()) > 5000
    text = evaluated.report.model_dump_json()
    assert json.loads(text)["classes"] == store.classes
    page = html_page(evaluated, None)
    assert "kind 0999 قط" in page
    assert len(page) < 10_000_000
