"""Films that a network can only memorize: the default split measures that it learned nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller

FILMS, FRAMES = 100, 6


@pytest.fixture
def seed() -> int:
    """Seed of the films, the split and the network."""
    return 0


@pytest.fixture
def films(tmp_path: Path, seed: int) -> Path:
    """Write two classes of films; only the background, which is another in each, tells them."""
    random = np.random.default_rng(seed)
    for film in range(FILMS):
        background = random.integers(0, 256, (6, 6, 3)).astype(np.float64)
        folder = tmp_path / "films" / ("cat", "dog")[film % 2]
        folder.mkdir(parents=True, exist_ok=True)
        for frame in range(FRAMES):
            pixels = background + random.normal(0, 8, background.shape)
            image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
            image.save(folder / f"film{film}_{frame:04}.png")
    return tmp_path / "films"


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(5))
def test_a_network_that_memorizes_films(
    films: Path, tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, tmp_path / "workspace")
    accuracy, texts = {}, {}
    for name, origins in (("unseen", "auto"), ("random", "none"), ("both", "auto")):
        _import(call, films, name, origins, seed)
        if name == "both":
            parts = "--known-percent", "10", "--test-percent", "20", "--val-percent", "5"
            split = ("split", *parts, "--seed", str(seed))
            assert call("datasets", "edit", name, *split, "--json").code == 0
        steps = ("--epochs", "60", "--batch-size", "8")
        # The best epoch is one before the films are memorized: unseen ones measure it.
        training = (*steps, "--keep", "last", "--learning-rate", "0.001", "--seed", str(seed))
        plan = ("--network", "mlp", *training)
        assert call("train", "--dataset", name, "--name", name, *plan, "--json").code == 0
        report = call("evaluate", name, "--split", "test", "--json").document
        accuracy[name] = report["accuracy"]
        texts[name] = call("evaluate", name, "--split", "test").out
    assert accuracy["random"] > 0.95
    assert 0.2 < accuracy["unseen"] < 0.8, "near chance"
    assert "Measured on unseen films." in texts["unseen"]
    assert "The origins of the measured images are unknown" in texts["random"]
    gap = call("evaluate", "both", "--split", "test", "--json").document["gap"]
    assert gap["known"]["metrics"]["accuracy"] > 0.9
    assert 0.2 < gap["unseen"]["metrics"]["accuracy"] < 0.8
    assert gap["intervals"]["accuracy"][0] > 0
    assert "on known films" in texts["both"]


def _import(call: Call, films: Path, name: str, origins: str, seed: int) -> None:
    made = call(
        *("datasets", "import", films, "--name", name, "--origins", origins, "--size", "6x6"),
        *("--val", "20", "--test", "30", "--seed", str(seed), "--json"),
    ).document
    assert made["origins"]["kind"] == ("video" if origins == "auto" else "none")


@pytest.mark.thorough
def test_a_baseline_shows_the_gap_between_known_and_unseen_films(
    films: Path, tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, tmp_path / "workspace")
    _import(call, films, "films", "auto", seed)
    found = call("baseline", "--dataset", "films", "--json").document["origin_gap"]
    assert found["groups"] == 0.8 * FILMS, "those of training and test"
    assert found["known"] > 0.9
    # Without anything to learn, folds that leave out films of one class see more of the other one,
    # so their accuracy may be below chance, but not above.
    assert found["unseen_interval"][0] < 0.5
    assert found["unseen"] < 0.75
    assert "on unseen films" in call("baseline", "--dataset", "films").out


def test_a_preview_says_how_films_are_split(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, tmp_path / "workspace")
    options = ("datasets", "import", films, "--preview", "--val", "20", "--test", "30")
    shown = call(*options, "--json").document
    splits = shown["origins"].pop("splits")
    assert sum(splits.values()) == FILMS
    assert shown["origins"]["kind"] == "video"
    assert shown["origins"]["groups"] == FILMS
    assert (
        f"{FILMS * FRAMES} frames of {FILMS} films: {splits['train']} for training"
        in call(*options).out
    )
    single = call(*options, "--origins", "none", "--json").document
    assert single["origins"]["groups"] == 0
    assert "No origins of the kind" in call(*options, "--origins", "stack").mistake
