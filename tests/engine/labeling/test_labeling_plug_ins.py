"""Tasks of other packages are labeled as ours: from decisions to a dataset and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from labeling_pictures import color_pictures

from helpers.command_line import caller
from helpers.digits import do_here
from helpers.plug_ins import installed
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.labeling.editors import editor_of, no_labeling
from studio.engine.labeling.output import dataset_recipe, label_forms
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import Proposal, accept
from studio.engine.labeling.sources import add_dataset, add_pictures
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import Capabilities
from studio.engine.workspace import Record, Workspace


@pytest.fixture(autouse=True)
def plug_ins(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path / "plug-ins"):
        yield


def _labeling(workspace: Workspace, task: str, folder: Path, *classes: str) -> Labeling:
    labeling = Labeling.create(workspace, task, planned(task, classes))
    add_pictures(labeling, [color_pictures(folder / "in", 8)])
    return labeling


def _dataset(workspace: Workspace, labeling: Labeling) -> tuple[Record, Store]:
    recipe = dataset_recipe(labeling, workspace, width=8, height=8)
    job = do_here(workspace, recipe, "made")
    assert job.history.state == State.COMPLETED, job.history.detail
    return job.record, Store.open(job.record.folder)


def test_directions_become_cosines_and_sines_and_directions_again(
    workspace: Workspace, tmp_path: Path
) -> None:
    labeling = _labeling(workspace, "angle", tmp_path)
    for item in range(8):
        labeling.label(item, labeling.editor.parsed(labeling, str(45 * item), [item]))
    record, store = _dataset(workspace, labeling)

    assert store.task.name == "angle"
    angles = np.deg2rad(45 * np.arange(8))
    expected = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    order = np.argsort(np.array(store.paths))
    np.testing.assert_allclose(store.targets[order], expected, atol=1e-6)
    again = Labeling.create(workspace, "again", planned("angle", ()))
    add_dataset(again, workspace, record, with_labels=True)
    assert again.names == ("angle",)
    found = [value.targets(1)[0] for item in range(8) if (value := again.value_of(item))]
    assert sorted(found) == pytest.approx([45 * item for item in range(8)], abs=1e-3)


def test_masks_of_a_package_are_labeled(workspace: Workspace, tmp_path: Path) -> None:
    labeling = _labeling(workspace, "areas", tmp_path, "field", "road")
    for item in range(8):
        mask = np.zeros((16, 24), np.uint8)
        mask[:, 12:] = 1
        accept(labeling, [Proposal(item, None, 1.0, mask=mask)])
    _, store = _dataset(workspace, labeling)

    assert store.task.name == "areas"
    assert [*store.classes] == ["field", "road"]
    assert store.required_regions[0][0].tolist() == [0] * 4 + [1] * 4
    assert "masks" in label_forms(TASKS["areas"])


def test_the_quantity_of_a_package_is_fixed(workspace: Workspace) -> None:
    assert [each.name for each in planned("angle", ()).classes] == ["angle"]
    with pytest.raises(StudioError, match="are fixed; received size"):
        planned("angle", ["size"])


def test_a_task_without_labeling_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "directions in space are measured"
    task = replace(
        TASKS["angle"], labeling="", capabilities=Capabilities(missing={"labeling": reason})
    )
    assert no_labeling(task) == reason
    with pytest.raises(StudioError, match=reason):
        editor_of(task)
    assert [name for name, each in TASKS.items() if no_labeling(each)] == []


def test_directions_are_labeled_on_the_command_line(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, workspace.root)
    pictures = color_pictures(tmp_path / "in", 3)
    made = call("label", "create", "hands", pictures, "--task", "angle", "--json").document
    assert [each["name"] for each in made["classes"]] == ["angle"]

    call("label", "set", "hands", "1", "--to", "90", "--json")
    shown = call("label", "show", "hands", "--items", "--json").document
    assert shown["items"][1]["text"] == "angle 90"
    assert "numbers received: 2" in call("label", "set", "hands", "0", "--to", "1;2").mistake
