"""Objects with masks are labeled, proposed, compared and exported in every format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from labeling_pictures import color_labeling
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.annotated import FoundFiles
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.inference.requests import ImagePrediction
from studio.engine.labeling.editors.instances import EDITOR
from studio.engine.labeling.label_files import Labeled
from studio.engine.labeling.output import export_labels, label_forms
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import accept
from studio.engine.labeling.values import InstancesValue
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import AnnotationOptions, Instances
from studio.engine.tasks.instance_labels import IGNORED, instance_table
from studio.engine.tasks.parts.objects import DetectedObject, Objects
from studio.engine.workspace import Workspace

TASK = TASKS["instances"]
NAMES = ("red", "green", "blue")


def drawn() -> Instances:
    """Two objects that touch, one of them with a hole and two parts."""
    labels = np.zeros((16, 24), np.int32)
    labels[2:9, 3:9] = 256 + 1
    labels[4:6, 5:7] = 0
    labels[12:14, 3:5] = 256 + 1
    labels[2:9, 9:14] = 512 + 2
    return labels


@pytest.fixture
def labeling(workspace: Workspace, tmp_path: Path) -> Labeling:
    return color_labeling(workspace, tmp_path / "in", 4, "instances", NAMES)


def test_a_label_image_is_a_file_of_the_record(labeling: Labeling) -> None:
    value = labeling.write_mask(0, drawn())
    labeling.label(0, value, "drawn")
    stored = labeling.labels[0].value
    assert isinstance(stored, InstancesValue)
    assert stored.classes == [1, 2]
    np.testing.assert_array_equal(labeling.read_mask(stored), drawn())
    assert labeling.editor.text(NAMES, stored) == "2 objects"
    assert labeling.counts() == [0, 1, 1]
    with pytest.raises(StudioError, match="int32"):
        labeling.write_mask(0, drawn().astype(np.uint8))
    with pytest.raises(StudioError):
        labeling.write_mask(0, np.where(drawn() > 0, 256 + 9, 0).astype(np.int32))


@pytest.mark.parametrize("form", label_forms(TASK))
def test_objects_are_read_back(labeling: Labeling, tmp_path: Path, form: str) -> None:
    labeling.label(0, labeling.write_mask(0, drawn()), "drawn")
    labeling.label(1, labeling.write_mask(1, np.zeros((16, 24), np.int32)), "drawn")
    labeling.label(
        2, labeling.write_mask(2, np.where(drawn() == 514, 256, 0).astype(np.int32)), "drawn"
    )
    folder = export_labels(labeling, form, tmp_path / "out")
    files = FoundFiles(folder, "").annotated
    reader = next(each for each in TASK.source.formats if each.accepts(files))
    found = reader.read(files, AnnotationOptions(), SilentProgress())
    by_stem = {Path(each.path).stem: each for each in found.pictures}
    assert set(by_stem) == {"0000", "0001", "0002"}
    read, remarks = found.regions(by_stem["0000"].annotation, (24, 16))
    assert remarks == []
    areas = {
        found.names[label]: read == value
        for value, label in zip(
            instance_table(read).values, instance_table(read).classes, strict=True
        )
    }
    assert areas.keys() == {"green", "blue"}
    np.testing.assert_array_equal(areas["green"], drawn() == 256 + 1)
    np.testing.assert_array_equal(areas["blue"], drawn() == 512 + 2)


def test_labels_become_a_dataset(labeling: Labeling, tmp_path: Path) -> None:
    labels = drawn()
    labels[0] = IGNORED
    for item in range(4):
        labeling.label(item, labeling.write_mask(item, labels), "drawn")
    labeled = labeling.labels
    pictures = [
        Labeled(labeling.items[item], tmp_path / "in" / f"{item:04}.png", labeled[item].value)
        for item in range(4)
    ]
    source, fields = EDITOR.write_source(labeling, pictures, tmp_path, SilentProgress())
    recipe = DatasetRecipe.parse(
        {"source": str(source), "task": "instances", "width": 24, "height": 16} | dict(fields)
    )
    import_dataset(recipe, tmp_path / "d", SilentProgress())
    store = Store.open(tmp_path / "d")
    row = store.required_regions[0]
    np.testing.assert_array_equal(row < 0, labels < 0)
    assert len(instance_table(row)) == 2
    assert [store.classes[label] for label in instance_table(row).classes] == ["green", "blue"]


def test_predicted_objects_are_proposed_with_their_masks(labeling: Labeling) -> None:
    ring = ((3.0, 2.0), (9.0, 2.0), (9.0, 9.0), (3.0, 9.0))
    objects = Objects(
        candidates=tuple(
            DetectedObject(
                label=label, score=score, left=3, top=2, right=9, bottom=9, outline=(ring,)
            )
            for label, score in (("green", 0.9), ("unknown", 0.8), ("blue", 0.7))
        ),
        size=(24, 16),
        has_outlines=True,
    )
    prediction = ImagePrediction.model_construct(image="a.png", objects=objects)
    proposal = EDITOR.proposed(labeling, 0, prediction, None)  # type: ignore[arg-type]
    assert proposal is not None
    assert proposal.probability == pytest.approx(0.8)
    accept(labeling, [proposal])
    value = labeling.labels[0].value
    assert isinstance(value, InstancesValue)
    assert value.objects == (1,)  # the less certain one is behind it
    assert (labeling.read_mask(value)[2:9, 3:9] == 256 + 1).all()


def test_agreement_counts_objects_without_a_partner_as_zero() -> None:
    one = drawn()
    other = np.where(one == 512 + 2, 1024 + 2, one).astype(np.int32)
    assert EDITOR.overlap(one, other) == 1.0
    assert EDITOR.overlap(one, np.where(one == 512 + 2, 0, one)) == 0.5
    wrong_class = np.where(one == 512 + 2, 512, one).astype(np.int32)
    assert EDITOR.overlap(one, wrong_class) == pytest.approx(1 / 3)
    nothing = np.zeros_like(one)
    assert EDITOR.overlap(nothing, nothing) == 1.0
    assert EDITOR.overlap(one, nothing) == 0.0


def test_label_images_are_named_on_the_command_line(labeling: Labeling, tmp_path: Path) -> None:
    for name, left in (("a", 0), ("b", 2)):
        numbers = np.zeros((16, 24), np.uint16)
        numbers[:4, left : left + 3], numbers[8:, :2] = 1000, 2000 * (name == "a")
        Image.fromarray(numbers).save(tmp_path / f"{name}.png")
    text = f"green: {tmp_path / 'a.png'}; blue: {tmp_path / 'b.png'}"
    value = EDITOR.parsed(labeling, text, [0])
    assert isinstance(value, InstancesValue)
    assert value.objects == (1, 1, 2)
    with pytest.raises(StudioError, match="class of the objects"):
        EDITOR.parsed(labeling, str(tmp_path / "a.png"), [0])
    with pytest.raises(StudioError, match="cannot be read"):
        EDITOR.parsed(labeling, f"green: {tmp_path / 'none.png'}", [0])
