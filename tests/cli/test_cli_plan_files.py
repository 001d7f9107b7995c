"""Plans of trainings as files: JSON, YAML and TOML, with the dataset by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from helpers.command_line import Call, caller
from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.errors import StudioError
from studio.engine.training.plan_files import MAX_BYTES, read_plan_file
from studio.engine.workspace import RecordKind, Workspace

PLAN = {
    "dataset": "toys",
    "network": "perceptron",
    "epochs": 3,
    "schedule": "step",
    "schedule_options": {"steps": 2},
}
TEXTS = {
    "plan.json": json.dumps(PLAN),
    "plan.yaml": yaml.safe_dump(PLAN),
    "plan.toml": 'dataset = "toys"\nnetwork = "perceptron"\nepochs = 3\nschedule = "step"\n'
    "[schedule_options]\nsteps = 2\n",
}


@pytest.fixture
def studio(workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    source = picture_folder(tmp_path / "pictures", 30)
    do_here(workspace, small_recipe(source, test_percent=20), "toys")
    return caller(capsys, workspace.root)


def test_a_plan_is_the_same_in_every_format(
    studio: Call, workspace: Workspace, tmp_path: Path
) -> None:
    plans = []
    for name, text in TEXTS.items():
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        plans.append(studio("train", "--plan", str(file), "--print-plan", "--json").document)
    assert plans[0] == plans[1] == plans[2]
    assert plans[0]["dataset"] == "toys"
    assert (plans[0]["epochs"], plans[0]["schedule_options"]["steps"]) == (3, 2)
    assert workspace.records(RecordKind.RUN) == [], "nothing is trained"


def test_a_printed_plan_is_read_again_and_a_dry_run_checks_it(
    studio: Call, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "again.yaml"
    words = ("--dataset", "toys", "--network", "perceptron", "--epochs", "5")
    file.write_text(studio("train", *words, "--print-plan").out, encoding="utf-8")
    assert yaml.safe_load(file.read_text(encoding="utf-8"))["epochs"] == 5

    checked = studio("train", "--plan", str(file), "--dry-run").out
    assert "can be trained on toys. Nothing was started." in checked
    refused = studio("train", "--plan", str(file), "--dry-run", "--network", "alexnet").mistake
    assert "alexnet" in refused.casefold()
    assert workspace.records(RecordKind.RUN) == []


def test_what_a_file_says_is_kept_beside_a_recommended_network(
    studio: Call, tmp_path: Path
) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("dataset: toys\nepochs: 3\noptimizer: sgd\n", encoding="utf-8")
    plan = studio("train", "--plan", str(file), "--print-plan", "--json").document
    assert (plan["epochs"], plan["optimizer"]) == (3, "sgd")
    assert plan["network"]
    plan = studio("train", "--plan", str(file), "--epochs", "4", "--print-plan", "--json").document
    assert (plan["epochs"], plan["optimizer"]) == (4, "sgd")


@pytest.mark.slow
def test_a_run_is_repeated_with_changes(studio: Call, tmp_path: Path) -> None:
    words = ("--dataset", "toys", "--network", "perceptron", "--epochs", "1", "--name", "one")
    studio("train", *words)
    plan = studio("train", "--like", "one", "--batch-size", "7", "--print-plan", "--json").document
    assert (plan["network"], plan["epochs"], plan["batch_size"]) == ("perceptron", 1, 7)
    assert "no run called" in studio("train", "--like", "two", "--dry-run").mistake
    file = tmp_path / "plan.json"
    file.write_text(TEXTS["plan.json"], encoding="utf-8")
    both = studio("train", "--like", "one", "--plan", str(file)).mistake
    assert "Leave one of them out" in both


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("plan.txt", "dataset: toys", "its suffix is none of"),
        ("plan.yaml", "a: &b [1]\nc: *b\n", "references"),
        ("plan.yaml", "a: [1", "expected"),
        ("plan.yaml", "- 1\n- 2\n", "contains no fields"),
        ("plan.yaml", "1: 2", "contains no fields"),
        ("plan.yaml", "a: !!python/object/apply:os.system [exit]", "could not determine"),
        ("plan.toml", "dataset = ", "Invalid value"),
        ("plan.json", "{", "not valid JSON"),
        ("plan.json", "[" * 100_000, "recursion"),
        ("plan.json", " " * (MAX_BYTES + 1), "bytes, more than"),
    ],
)
def test_what_is_no_plan_is_refused(
    workspace: Workspace, tmp_path: Path, name: str, text: str, reason: str
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StudioError, match=reason):
        read_plan_file(file, workspace)
