"""A workspace that an earlier Studio wrote opens completely, and work in it continues."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.command_line import Call, caller

SAMPLES = Path(__file__).parent.parent / "samples"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sample workspace, which the tests of this module share."""
    folder = tmp_path_factory.mktemp("old")
    with tarfile.open(SAMPLES / "workspace_protocol_1.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "workspace"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Path) -> Call:
    return caller(capsys, workspace)


def test_datasets_show_their_images_edits_and_findings(call: Call) -> None:
    document = call("datasets", "show", "photos", "--json").document
    assert document["classes"] == ["blue", "green", "red"]
    assert document["count"] == {"train": 36, "val": 12, "test": 11}
    assert len(call("datasets", "versions", "photos", "--json").document["versions"]) == 2
    findings = call("datasets", "audit", "photos", "--json").document["findings"]
    assert {each["kind"] for each in findings} >= {"dark", "blurred"}
    encoded = call("datasets", "show", "encoded", "--json").document
    assert sum(encoded["count"].values()) == 60


def test_runs_show_their_epochs_and_settings(call: Call) -> None:
    document = call("runs", "show", "whole", "--json").document
    assert document["state"] == "completed"
    assert (document["group"], document["tags"]) == ("color", ["tiny"])
    assert [each["epoch"] for each in document["epochs"]] == [1, 2, 3, 4, 5, 6]
    last = document["epochs"][-1]
    assert last["loss"] == pytest.approx(0.09887, abs=1e-5)
    assert last["accuracy"] == last["val_accuracy"] == 1.0
    assert call("runs", "export-csv", "whole").out.count("\n") >= 6


def test_a_paused_run_resumes_to_the_result_of_the_run_that_was_not_paused(call: Call) -> None:
    whole = call("runs", "show", "whole", "--json").document["epochs"]

    assert call("runs", "resume", "paused", "--json").document["state"] == "completed"

    resumed = call("runs", "show", "paused", "--json").document["epochs"]
    assert [each["epoch"] for each in resumed] == [1, 2, 3, 4, 5, 6]
    # Another processor may round differently than the one that wrote the first five epochs.
    for name in ("loss", "val_loss", "learning_rate"):
        assert resumed[-1][name] == pytest.approx(whole[-1][name], rel=1e-4)


@pytest.mark.thorough
def test_a_model_predicts_evaluates_and_exports(call: Call, tmp_path: Path) -> None:
    with tarfile.open(SAMPLES / "workspace_protocol_1.tar.xz") as archive:
        member = next(each for each in archive.getnames() if "/review/" in each and ".png" in each)
        archive.extract(member, tmp_path, filter="data")
    (answer,) = call("predict", "whole", tmp_path / member, "--json").document
    assert answer["predictions"][0]["class"] == "red"

    measured = call("evaluate", "whole", "--json").document
    assert measured["count"] == 11
    assert measured["accuracy"] == pytest.approx(10 / 11)  # the relabeled picture is red

    exported = call("export", "whole", "--format", "keras", "--json").document
    assert exported["certificate"]["accuracy"] == pytest.approx(10 / 11)


def test_a_sweep_shows_its_trials(call: Call) -> None:
    document = call("sweeps", "show", "sweep", "--json").document
    assert len(document["trials"]) == 3
    assert {each["state"] for each in document["trials"]} == {"completed"}
    assert document["best"] is not None


@pytest.mark.parametrize(
    ("words", "is_complete"),
    [
        (("bench", "show", "operations"), lambda each: each["state"] == "completed"),
        (("bench", "show", "benchmark"), lambda each: each["state"] == "completed"),
        (("bench", "show", "predictions"), lambda each: each["state"] == "completed"),
        (("networks", "list"), lambda each: "Tiny saved" in str(each)),
    ],
)
def test_other_records_are_read(
    call: Call, words: tuple[str, ...], is_complete: Callable[[object], bool]
) -> None:
    assert is_complete(call(*words, "--json").document)


def test_a_deleted_run_is_restored(call: Call) -> None:
    (entry,) = call("trash", "list", "--json").document
    assert entry["name"] == "trashed"
    assert call("runs", "restore", "trashed").code == 0
    assert call("runs", "show", "trashed", "--json").document["state"] == "completed"
