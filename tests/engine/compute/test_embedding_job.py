"""Maps of images as jobs and on the command line, and heat maps on the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from helpers.command_line import caller
from helpers.digits import Digits, do_here
from studio.engine.datasets.store import Store
from studio.engine.embeddings.embedding import (
    EMBEDDING_FILE,
    Embedding,
    read_embedding,
    write_embedding,
)
from studio.engine.embeddings.requests import EmbeddingPlan
from studio.engine.errors import BadDataError
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State


def _embedded(digits: Digits, name: str, **values: object) -> Job:
    plan = {"model": f"run:{digits.run.record.id}", "dataset": digits.dataset.record.id, **values}
    return do_here(digits.workspace, EmbeddingPlan.parse(plan), name)


def _read(job: Job) -> Embedding:
    assert job.history.state == State.COMPLETED, (job.history.reason, job.history.detail)
    return read_embedding(job.record.folder / EMBEDDING_FILE)


def _next_is_alike(points: NDArray[np.float32], labels: NDArray[np.int32]) -> float:
    """For how many points the nearest other one is of the same class."""
    distances = ((points[:, None] - points[None]) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    return float((labels[distances.argmin(1)] == labels).mean())


def test_maps_of_the_discriminative_pixels(untouched: Digits, tmp_path: Path) -> None:
    store = Store.open(untouched.dataset.record.folder)
    pca = _embedded(untouched, "pca", split="test")
    found = _read(pca)

    assert (found.rows == store.rows("test")).all()
    assert (found.labels == store.labels[found.rows]).all()
    assert found.paths[0] == store.paths[found.rows[0]]
    right = found.right()
    assert right is not None
    assert pca.history.result["accuracy"] == pytest.approx(right.mean())
    assert right.mean() > 0.9
    centered = found.features - found.features.mean(0)
    spread = np.linalg.svd(centered, compute_uv=False)
    assert found.points.std(0) == pytest.approx(spread[:2] / np.sqrt(len(found.rows)), rel=1e-3)
    assert found.explained == pytest.approx((spread**2 / (spread**2).sum())[:2], rel=1e-3)

    tsne = _read(_embedded(untouched, "tsne", method="tsne", images=200, perplexity=400))
    assert len(tsne.rows) == 200
    assert len(np.unique(tsne.splits)) > 1
    assert _next_is_alike(tsne.points, tsne.labels) > 0.85  # a tenth by chance

    def draws(history: JobHistory) -> bool:
        return history.progress is not None and history.progress.what == "Drawing the map"

    plan = EmbeddingPlan(
        model=f"run:{untouched.run.record.id}",
        dataset=untouched.dataset.record.id,
        method="tsne",
        images=1500,
    )
    stopped = do_here(untouched.workspace, plan, "stopped", stop_when=draws)
    assert stopped.history.state == State.STOPPED
    assert not (stopped.record.folder / EMBEDDING_FILE).exists()

    bad = _embedded(untouched, "bad", layer="none")
    assert bad.history.state == State.FAILED
    assert 'no layer "none"' in bad.history.reason
    broken = tmp_path / "broken.npz"
    broken.write_bytes((pca.record.folder / EMBEDDING_FILE).read_bytes()[:-200])
    with pytest.raises(BadDataError, match="cannot be read"):
        read_embedding(broken)


@pytest.mark.thorough
def test_on_the_command_line(
    digits: Digits, untouched: Digits, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, untouched.workspace.root)
    words = ("embed", "lenet", "--dataset", "Ziffern ü", "--split", "val", "--to")
    table = tmp_path / "table.csv"
    said = call(*words, table, "--json").document
    assert said["path"] == str(table)
    with table.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == said["images"] == said["images_there"]
    assert {line["split"] for line in lines} == {"val"}
    right = sum(line["class"] == line["prediction"] for line in lines)
    assert said["accuracy"] == pytest.approx(right / len(lines))
    assert len([name for name in lines[0] if name.startswith("f")]) == said["features"]
    assert "ends in .npz or .csv" in call(*words, tmp_path / "table.txt").mistake
    assert "no run and no model file" in call("embed", "x", "--dataset", "Ziffern ü").mistake

    picture = next(digits.pictures.rglob("*.png"))
    folder = tmp_path / "heat"
    answers = call("predict", "lenet", picture, "--explain", folder, "--json").document
    path = Path(answers[0]["explanation"])
    assert path == folder / f"{picture.stem}-heat.png"
    with Image.open(path) as shown:
        assert min(shown.size) == 256
        assert np.ptp(np.asarray(shown).astype(int), axis=2).max() > 50  # gray has got color


def test_a_damaged_map_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    good = Embedding(
        rows=np.arange(3),
        points=np.zeros((3, 2), np.float32),
        features=np.zeros((3, 5), np.float32),
        labels=np.zeros(3, np.int32),
        splits=np.zeros(3, np.int8),
        predictions=np.zeros(3, np.int32),
        scores=np.ones(3, np.float32),
        classes=("á",),
        outputs=("other",),
        paths=("a.png", "b.png", "ç.png"),
        layer="drop",
        method="pca",
    )
    write_embedding(path, good)
    assert read_embedding(path).paths == good.paths
    assert good.right() is None
    for name, value in (("labels", np.full(3, 4)), ("points", np.zeros((2, 2))), ("rows", 1)):
        with np.load(path) as file:
            columns = dict(file)
        np.savez(tmp_path / "bad.npz", **{**columns, name: np.asarray(value)})
        with pytest.raises(BadDataError):
            read_embedding(tmp_path / "bad.npz")
