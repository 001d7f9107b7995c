"""Anomaly detection on the command line: documents, files, and a watched folder."""

from __future__ import annotations

import csv
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import caller
from helpers.target_datasets import squares
from studio.cli import predict
from studio.cli.watching import FolderWatch, follow
from studio.engine.errors import StudioError

IMAGES = 80


@pytest.mark.slow
def test_good_images_lead_to_verdicts_maps_and_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = caller(capsys, tmp_path / "workspace")
    source = squares(tmp_path / "in", IMAGES)["anomaly"]
    names = ("--task", "anomaly", "--size", "24x24", "--name", "parts")
    imported = call("datasets", "import", str(source), *names, "--json").document
    assert imported["count"] == IMAGES
    assert list(imported["kinds"]) == ["good", "red"]
    assert sum(imported["kinds"].values()) == IMAGES

    network = ("--network", "small_padim:filters=4", "--name", "first")
    trained = call("train", "--dataset", "parts", *network, "--json").document
    assert trained["state"] == "completed"
    metrics = call("evaluate", "first", "--json").document["metrics"]
    assert {"auroc", "ap", "f1", "pixel_auroc", "pro", "false_alarms"} == metrics.keys()

    picture = str(next((source / "red").iterdir()))
    (found,) = call("predict", "first", picture, "--to", str(tmp_path / "maps"), "--json").document
    with Image.open(found["map"]) as image:
        values = np.asarray(image)
    assert values.dtype == np.float32
    assert values.shape == (24, 24)
    assert found["score"] == pytest.approx(float(values.max()), rel=1e-5)
    assert isinstance(found["is_anomaly"], bool)

    for factor in (0.5, 2):
        limit = ("--threshold", str(found["score"] * factor))
        (other,) = call("predict", "first", picture, *limit, "--json").document
        assert other["is_anomaly"] == (factor < 1)
    assert "at least 0" in call("predict", "first", picture, "--threshold", "-1").mistake

    watched, table = tmp_path / "watched", tmp_path / "verdicts.csv"
    watched.mkdir()
    shutil.copy(picture, watched / "a.png")
    (watched / "b.png").write_bytes(b"no image")
    monkeypatch.setattr(predict, "follow", _three_looks)
    done = call(
        "predict", "first", "--watch", str(watched), "--csv", str(table), "--json"
    ).document
    assert done == {"folder": str(watched), "count": 2, "failed": 1}
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    assert float(rows[0]["score anomaly"]) == pytest.approx(found["score"], rel=1e-5)
    assert rows[0]["is_anomaly"] == str(int(found["is_anomaly"]))
    assert rows[1]["error"]
    assert "watch" in call("predict", "first").mistake
    refused = call("predict", "first", "--watch", str(watched), "--invert").mistake
    assert "--invert cannot be used with --watch" in refused


def _three_looks(
    watch: FolderWatch, predict_all: Callable[[Sequence[Path]], None], ended: threading.Event
) -> None:
    """Look into the folder three times: files that no longer grow are predicted."""
    assert not ended.is_set()
    assert watch.arrived() == []
    predict_all(watch.arrived())
    predict_all(watch.arrived())  # the unreadable one once more


def test_a_file_is_taken_once_it_no_longer_grows(tmp_path: Path) -> None:
    watch = FolderWatch(tmp_path)
    (tmp_path / "a.png").write_bytes(b"1")
    (tmp_path / "notes.txt").write_bytes(b"1")
    assert watch.arrived() == []
    (tmp_path / "a.png").write_bytes(b"12")
    (tmp_path / "b.png").write_bytes(b"")
    assert watch.arrived() == []
    assert watch.arrived() == [tmp_path / "a.png"]
    assert watch.arrived() == []
    (tmp_path / "b.png").write_bytes(b"12")
    assert watch.arrived() == []
    assert watch.arrived() == [tmp_path / "b.png"]


def test_a_file_is_taken_again_when_it_is_replaced_or_could_not_be_read(tmp_path: Path) -> None:
    watch, path = FolderWatch(tmp_path), tmp_path / "a.png"

    def looks() -> list[list[Path]]:
        return [watch.arrived() for _ in range(3)]

    path.write_bytes(b"1")
    assert looks() == [[], [path], []]
    os.utime(path, ns=(1, 1))  # written again with the same size
    assert looks() == [[], [path], []]
    assert watch.retry(path)
    assert looks() == [[path], [], []]
    assert not watch.retry(path), "a damaged file is not read for ever"
    path.unlink()
    assert looks() == [[], [], []]
    path.write_bytes(b"1")
    os.utime(path, ns=(1, 1))
    assert looks() == [[], [path], []], "it is a new file"


def test_a_folder_that_vanishes_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "camera"
    folder.mkdir()
    watch = FolderWatch(folder)
    folder.rmdir()
    with pytest.raises(StudioError, match=r"camera.*cannot be read"):
        watch.arrived()


def test_following_ends_with_its_event(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"1")
    ended, found = threading.Event(), list[Path]()

    def arrived(images: Sequence[Path]) -> None:
        found.extend(images)
        ended.set()

    follow(FolderWatch(tmp_path), arrived, ended)

    assert found == [tmp_path / "a.png"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="missing"):
        FolderWatch(tmp_path / "missing")
