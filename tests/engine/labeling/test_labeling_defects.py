"""Good images and painted defects: from decisions to a dataset for anomaly detection and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from labeling_pictures import color_pictures
from PIL import Image

from helpers.digits import do_here
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.labeling.editors.editor import RegionEditor
from studio.engine.labeling.output import dataset_recipe, export_labels
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import add_dataset, add_pictures
from studio.engine.workspace import Workspace


def test_painted_defects_become_a_dataset_and_a_labeling_again(
    workspace: Workspace, tmp_path: Path
) -> None:
    labeling = Labeling.create(workspace, "parts", planned("anomaly", ()))
    add_pictures(labeling, [color_pictures(tmp_path / "in", 6)])
    assert labeling.names == ("good", "defect")
    width, height = labeling.items[0].width, labeling.items[0].height
    marked = np.zeros((height, width), np.uint8)
    marked[2:5, 3:6] = 255
    Image.fromarray(marked).save(tmp_path / "mask.png")
    for item, text in enumerate(["good"] * 4 + [str(tmp_path / "mask.png"), "defect"]):
        labeling.label(item, labeling.editor.parsed(labeling, text, [item]))

    recipe = dataset_recipe(labeling, workspace, width=width, height=height)
    job = do_here(workspace, recipe, "made")
    assert job.history.state == State.COMPLETED, job.history.detail
    store = Store.open(job.record.folder)
    assert store.task.name == "anomaly"
    assert store.classes == ["good", "defect"]
    found = sorted(store.targets[:, 1].tolist())
    assert found == [0, 0, 0, 0, 9, width * height]

    again = Labeling.create(workspace, "again", planned("anomaly", ()))
    add_dataset(again, workspace, job.record, with_labels=True)
    assert isinstance(again.editor, RegionEditor)
    values = [again.value_of(item) for item in range(6)]
    areas = [int((again.editor.regions(again, value) == 1).sum()) for value in values if value]
    assert sorted(areas) == found

    folder = export_labels(labeling, "folders", tmp_path / "out")
    assert len(list((folder / "good").iterdir())) == 4
    assert len(list((folder / "defect").iterdir())) == 2
    assert len(list((folder / "ground_truth" / "defect").iterdir())) == 1


def test_kinds_of_defects_become_kinds_of_a_dataset_and_of_a_labeling_again(
    workspace: Workspace, tmp_path: Path
) -> None:
    kinds = ["Scratch #112233", "dent", "train", "a/b"]
    labeling = Labeling.create(workspace, "parts", planned("anomaly", kinds))
    assert labeling.names == ("good", "Scratch", "dent", "train", "a/b")
    assert labeling.editor.names_classes
    add_pictures(labeling, [color_pictures(tmp_path / "in", 9)])
    width, height = labeling.items[0].width, labeling.items[0].height
    marked = np.zeros((height, width), np.uint8)
    marked[2:5, 3:6] = 1
    marked[6:10, 3:9] = 2
    Image.fromarray(marked).save(tmp_path / "mask.png")
    texts = ["good"] * 4 + [str(tmp_path / "mask.png"), "Scratch", "dent", "train", "a/b"]
    for item, text in enumerate(texts):
        labeling.label(item, labeling.editor.parsed(labeling, text, [item]))

    folder = export_labels(labeling, "folders", tmp_path / "out")
    counts = {each.name: len(list(each.iterdir())) for each in folder.iterdir() if each.is_dir()}
    assert counts.pop("ground_truth") == 1
    assert counts == {"good": 4, "Scratch": 1, "dent": 2, "defect 3": 1, "a_b": 1}
    with Image.open(next((folder / "ground_truth" / "dent").iterdir())) as image:
        assert np.count_nonzero(np.asarray(image)) == 9 + 24, "all defects of the image"

    recipe = dataset_recipe(labeling, workspace, width=width, height=height)
    job = do_here(workspace, recipe, "made")
    assert job.history.state == State.COMPLETED, job.history.detail
    store = Store.open(job.record.folder)
    assert sorted(store.classes[1:]) == ["Scratch", "a_b", "defect 3", "dent"]
    again = Labeling.create(workspace, "again", planned("anomaly", ["dent"]))
    add_dataset(again, workspace, job.record, with_labels=True)
    assert again.names[:2] == ("good", "dent")
    assert set(again.names[2:]) == {"Scratch", "a_b", "defect 3"}
    assert isinstance(again.editor, RegionEditor)
    values = [again.value_of(item) for item in range(9)]
    found = [np.unique(again.editor.regions(again, value)) for value in values if value]
    dents = [each for each in found if 1 in each]
    assert len(dents) == 2


def test_masks_belong_to_one_image(workspace: Workspace, tmp_path: Path) -> None:
    labeling = Labeling.create(workspace, "parts", planned("anomaly", ()))
    add_pictures(labeling, [color_pictures(tmp_path / "in", 2)])
    with pytest.raises(StudioError, match="one image"):
        labeling.editor.parsed(labeling, "good", [0, 1])
