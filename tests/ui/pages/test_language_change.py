"""The language is changed while a window with a filled workspace is open."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import visible_texts
from page_records import add_baseline, add_dataset, add_model, began, picture_folder
from sweep_records import add_sweep

from helpers.evaluations import leave_evaluation
from helpers.processes import run_python
from helpers.runs import append_events
from studio.engine.benchmarks.history import CellChanged
from studio.engine.benchmarks.plan import StudyPlan, cell_keys
from studio.engine.benchmarks.results import Cell, CellFigures, CellOutcome
from studio.engine.datasets.store import Store
from studio.engine.documents import REPORT
from studio.engine.evaluation.report import EvaluatedModel, EvaluationPlan
from studio.engine.jobs.events import Artifact, StateChanged
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordKind, Workspace

CLASSES = ["ash", "birch", "cedar"]
TESTS = Path(__file__).parents[2]
SCRIPT = f"""
import runpy, sys
sys.path.append({str(TESTS)!r})
runpy.run_path({visible_texts.__file__!r}, run_name="__main__")
"""


@pytest.fixture
def filled(workspace: Workspace, tmp_path: Path) -> Workspace:
    """A workspace with a record of each kind that a page shows."""
    source = picture_folder(tmp_path / "src", dict.fromkeys(CLASSES, 12))
    dataset = add_dataset(workspace, "trees", source, val_percent=25, test_percent=25)
    run = add_model(workspace, "net", dataset)
    append_events(run, [StateChanged(state=State.COMPLETED)])
    add_baseline(workspace, dataset.id, 0.9, State.COMPLETED)
    add_sweep(workspace, dataset=dataset.id)
    add_evaluation(workspace, dataset, run)
    add_study(workspace)
    return workspace


def add_evaluation(workspace: Workspace, dataset: Record, run: Record) -> None:
    record = workspace.create(
        RecordKind.EVALUATION, "net on trees", EvaluationPlan(run=run.id).to_json()
    )
    store = Store.open(dataset.folder)
    rows = store.rows("test")
    probabilities = np.full((len(rows), len(CLASSES)), 0.1)
    probabilities[:, 1] = 0.8
    subject = EvaluatedModel(
        model="net", run=run.id, dataset=dataset.id, dataset_name="trees", dataset_version=0,
        split="test",
    )  # fmt: skip
    labels = store.labels[rows]
    leave_evaluation(record.folder, rows, probabilities, labels, classes=CLASSES, subject=subject)
    done = [Artifact(name=REPORT, path=REPORT), StateChanged(state=State.COMPLETED)]
    append_events(record, [*began(), *done])


def add_study(workspace: Workspace) -> None:
    plan = StudyPlan(networks=("lenet",), batch_sizes=(1, 8))
    record = workspace.create(RecordKind.BENCHMARK, "study", plan.to_json())
    figures = CellFigures(
        steps=4,
        step_seconds=0.1,
        median_step_seconds=0.1,
        warm_up_seconds=1,
        epoch_losses=(2.0, 0.5),
        process_bytes=3 * 10**8,
        utilization=71.0,
        power=120.0,
    )
    measured = CellOutcome(state="measured", figures=figures)
    cells = [
        CellChanged(cell=Cell.of(number, index, measured))
        for number, index in enumerate(cell_keys(plan))
    ]
    append_events(record, [*began(), *cells, StateChanged(state=State.COMPLETED)])


def shown(workspace: Workspace, folder: Path, *languages: str) -> list[dict[str, list[str]]]:
    """Texts of a window that speaks one language after the other, by page."""
    answer = run_python(SCRIPT, workspace.root, folder / f"{languages[0]}.ini", *languages)
    assert answer.returncode == 0, answer.stderr
    found: list[dict[str, list[str]]] = json.loads(answer.stdout)
    return found


@pytest.mark.thorough
def test_a_changed_language_shows_what_a_window_that_began_in_it_shows(
    filled: Workspace, tmp_path: Path
) -> None:
    english, changed = shown(filled, tmp_path, "en", "pt_BR")
    (portuguese,) = shown(filled, tmp_path, "pt_BR")

    def differences(found: dict[str, list[str]]) -> dict[str, list[str]]:
        return {page: sorted({*texts} ^ {*portuguese[page]}) for page, texts in found.items()}

    assert {page: texts for page, texts in differences(changed).items() if texts} == {}
    assert all(differences(english).values()), "every page speaks another language"
    for page, kind, text in (
        ("networks", "title", "Redes"),
        ("networks", "name of a network", "CNN pequena"),
        ("train", "heading of a table", "Época"),
        ("train", "menu", "Salvar PNG…"),
        ("sweeps", "heading of a table", "Estado"),
    ):
        assert text in changed[page], (page, kind)
