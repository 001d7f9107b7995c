"""Multi-label classification and regression on the command line, from a table to a server."""

from __future__ import annotations

import csv
import json
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from helpers.command_line import Call, caller
from helpers.serving import post, serving_run
from helpers.target_datasets import squares
from helpers.zygote import studio
from studio.engine.datasets.store import Store
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind, Workspace

COUNT = 60
TASKS_WITH_TARGETS = ("multi_label", "regression")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return squares(tmp_path_factory.mktemp("squares"), COUNT)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


def _import(call: Call, tables: dict[str, Path], task: str, *words: str) -> Any:
    pictures = tables[task].parent / "pictures"
    source = ("datasets", "import", str(pictures), "--labels", str(tables[task]), "--name", "d")
    return call(*source, "--task", task, *words, "--json").document


def test_labels_are_shown_browsed_set_and_undone(call: Call, tables: dict[str, Path]) -> None:
    assert _import(call, tables, "multi_label")["task"] == "multi_label"
    shown = call("datasets", "show", "d", "--json").document
    assert shown["classes"] == ["blue", "green", "red"]
    images = call("datasets", "browse", "d", "--class", "red", "--json").document["images"]
    assert images
    assert all("red" in image["labels"] for image in images)
    assert shown["targets"]["red"]["share"] == pytest.approx(len(images) / COUNT)
    assert "share" in call("datasets", "show", "d").out

    with_blue = call("datasets", "browse", "d", "--where", "blue=1", "--json").document["count"]
    name = next(image["path"] for image in images if "blue" not in image["labels"])
    short = Path(name).name
    assert call("datasets", "edit", "d", "set", short, "--to", "blue=1", "--json").code == 0
    after = call("datasets", "browse", "d", "--where", "blue = 1", "--json").document["count"]
    assert after == with_blue + 1
    assert ": 1 changed." in call("datasets", "edit", "d", "undo").out
    assert '"gray" added' in call("datasets", "edit", "d", "add-class", "--to", "gray").out
    assert '"gray" removed' in call("datasets", "edit", "d", "undo").out
    assert (
        "a label must be 0 or 1"
        in call("datasets", "edit", "d", "set", name, "--to", "blue=2").mistake
    )
    assert (
        'no label "bleu"' in call("datasets", "edit", "d", "set", name, "--to", "bleu=1").mistake
    )
    assert "NAME=VALUE" in call("datasets", "edit", "d", "set", name, "--to", "blue").mistake


def test_numbers_are_shown_with_units_browsed_set_and_listed(
    call: Call, tables: dict[str, Path]
) -> None:
    document = _import(call, tables, "regression")
    assert document["units"] == ["%", ""]
    shown = call("datasets", "show", "d", "--json").document
    ink = shown["targets"]["ink"]
    assert ink["min"] <= ink["median"] <= ink["max"]
    out = call("datasets", "show", "d").out
    assert "ink [%]" in out
    assert "median" in out
    (listed,) = call("datasets", "list", "--json").document
    assert (listed["task"], listed["outputs"], listed["units"]) == (
        "regression",
        ["ink", "colors"],
        ["%", ""],
    )
    few = call("datasets", "browse", "d", "--where", "colors<=1", "--where", "ink>1", "--json")
    assert few.document["count"] > 0
    assert all(
        image["values"]["colors"] <= 1 < image["values"]["ink"] for image in few.document["images"]
    )
    name = few.document["images"][0]["path"]
    call("datasets", "edit", "d", "set", name, "--to", "ink=12.5")
    (image,) = call("datasets", "browse", "d", "--where", "ink=12.5", "--json").document["images"]
    assert image["path"] == name
    assert "not a condition" in call("datasets", "browse", "d", "--where", "ink is 3").mistake
    assert "pixels of masks" in call("datasets", "browse", "d", "--where", "ink>3%").mistake


def test_target_columns_are_chosen(call: Call, tables: dict[str, Path]) -> None:
    assert _import(call, tables, "regression", "--target-columns", "ink")["classes"] == ["ink"]
    pictures = tables["regression"].parent / "pictures"
    words = ("datasets", "import", str(pictures), "--labels", str(tables["regression"]))
    mistake = call(*words, "--task", "regression", "--target-columns", "weight").mistake
    assert 'no column "weight"' in mistake
    assert "ink [%], colors, remark" in mistake
    assert "add --task regression" in call(*words, "--target-columns", "ink").mistake
    assert 'no task "regresion"' in call(*words, "--task", "regresion").mistake


def test_a_dataset_says_its_task(call: Call, tables: dict[str, Path], tmp_path: Path) -> None:
    _import(call, tables, "regression")
    again = call("datasets", "import", "d", "--name", "again", "--json").document
    assert (again["task"], again["classes"]) == ("regression", ["ink", "colors"])
    assert "is for regression" in call("datasets", "import", "d", "--task", "multi_label").mistake
    call("datasets", "export", "d", "--format", "folders", "--to", str(tmp_path))
    words = ("datasets", "import", str(tmp_path / "d" / "targets.csv"), "--task", "regression")
    copied = call(*words, "--name", "copied", "--json").document
    assert (copied["classes"], copied["units"]) == (["ink", "colors"], ["%", ""])


def test_a_table_of_another_task_gets_a_hint(call: Call, tables: dict[str, Path]) -> None:
    pictures = tables["regression"].parent / "pictures"
    table = pictures / "numbers.csv"
    lines = tables["regression"].read_text(encoding="utf-8").splitlines()
    try:
        table.write_text("\n".join(f"{index};{line}" for index, line in enumerate(lines)))
        table.write_text(table.read_text().replace(",", ";").replace("0;image", "id;image"))
        mistake = call("datasets", "import", str(table)).mistake
        assert "look like regression; for that, add --task regression" in mistake
        assert "--task" not in call("datasets", "import", str(table), "--task", "regression").err
    finally:
        table.unlink()


def test_help_names_every_task(call: Call) -> None:
    for words in (("datasets", "import"), ("demo",)):
        out = " ".join(call(*words, "--help").out.split())
        assert f"one of {', '.join(TASKS)} [" in out


@pytest.fixture(scope="module", params=TASKS_WITH_TARGETS)
def demo(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Workspace, dict[str, Any]]:
    """The workspace and the document of a demonstration of a task."""
    folder = tmp_path_factory.mktemp("demo")
    done = studio(
        "demo", "--task", request.param, "--epochs", "2", "--json", "--workspace", folder
    )
    assert done.returncode == 0, done.stderr
    return Workspace.open(folder), json.loads(done.stdout)


@pytest.mark.thorough
def test_the_demo_of_a_task(demo: tuple[Workspace, dict[str, Any]]) -> None:
    workspace, document = demo
    task = TASKS[document["task"]]
    assert document["metrics"].keys() == {spec.name for spec in task.reporter.whole}
    assert document["workspace"] == str(workspace.root)
    assert (Path(document["export"]) / "model.keras").is_file()
    store = Store.open(workspace.find(RecordKind.DATASET, document["dataset"]).folder)
    assert store.task == task
    assert sum(store.counts().values()) == 3000


@pytest.mark.thorough
def test_a_folder_is_predicted_into_a_table(
    demo: tuple[Workspace, dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    workspace, document = demo
    call = caller(capsys, workspace.root)
    store = Store.open(workspace.find(RecordKind.DATASET, document["dataset"]).folder)
    pictures = tmp_path / "digits"
    pictures.mkdir()
    for number in range(3):
        with Image.open(store.origin(number)) as picture:
            picture.save(pictures / f"{number}.png")
    (pictures / "broken.png").write_text("no picture")
    table = tmp_path / "table.csv"
    answered = call("predict", document["run"], str(pictures), "--csv", str(table), "--json")
    assert "broken.png" in answered.err
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert [bool(row["error"]) for row in rows] == [False, False, False, True]
    assert "right" not in rows[0]
    for row, image in zip(rows, json.loads(answered.out), strict=False):
        if document["task"] == "regression":
            assert float(row["sum"]) == pytest.approx(image["values"]["sum"])
            assert row["ink_low"]
        else:
            assert row["labels"].split(";") == image["labels"] or not image["labels"]
            assert all(row[f"score {name}"] for name in store.classes), "not only the highest"
            assert {each["class"] for each in image["predictions"]} >= set(image["labels"])


@pytest.fixture
def served(demo: tuple[Workspace, dict[str, Any]]) -> Iterator[str]:
    workspace, document = demo
    with serving_run(workspace, document["run"]) as address:
        yield address


@pytest.mark.thorough
def test_a_server_answers_for_every_task(
    demo: tuple[Workspace, dict[str, Any]], served: str
) -> None:
    workspace, document = demo
    store = Store.open(workspace.find(RecordKind.DATASET, document["dataset"]).folder)
    body = Path(store.origin(0)).read_bytes()

    answer = json.loads(post(f"{served}/predict?top=3", body))
    assert answer["milliseconds"] > 0
    if document["task"] == "regression":
        assert answer["values"].keys() == {"ink", "sum"}
        assert answer["units"] == {"ink": "%"}
        low, high = answer["intervals"]["sum"]
        assert low < answer["values"]["sum"] < high
    else:
        assert len(answer["predictions"]) == 3
        assert set(answer["labels"]) <= set(store.classes)
    maps = [post(f"{served}/explain?output={name}", body) for name in store.classes[:2]]
    assert all(each.startswith(b"\x89PNG") for each in maps)
    assert maps[0] != maps[1]
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(f"{served}/explain?output=nothing", body)
    assert caught.value.code == 400
