"""Annotations of programs that Studio does not read are named, with what to export instead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.box_files import together
from helpers.tool_files import Picture, label_studio
from studio.engine.datasets.gather import parts_of, scan_parts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import evident_task, explained, source_for
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.annotation_files.foreign import foreign_files

_DOTA = "imagesource:GoogleEarth\ngsd:0.14\n" + "1.0 2 3 4 5 6 7 8 plane 0\n"
FILES: dict[str, tuple[str, str | bytes]] = {
    "Labelbox NDJSON": ("export.ndjson", '{"data_row": {"id": "c"}, "projects": {}}\n'),
    "SuperAnnotate JSON": (
        "x.png.json", '{"metadata": {"name": "x"}, "instances": [{"className": "a"}]}'
    ),
    "V7 Darwin JSON": (
        "x.json", '{"version": "2.0", "item": {"slots": []}, "annotations": [{"name": "a"}]}'
    ),
    "Datumaro JSON": ("train.json", '{"dm_format_version": "1.0", "items": []}'),
    "COCO JSON with captions": (
        "captions.json", '{"images": [{"id": 1}], "annotations": [{"caption": "a cat"}]}'
    ),
    "Amazon SageMaker Ground Truth manifest": (
        "output.manifest", '{"source-ref": "s3://b/x.png", "boxes": {}}\n'
    ),
    "workbook of a spreadsheet program": ("labels.xlsx", b"PK\x03\x04"),
    "TFRecord": ("train.tfrecord", b"\x00\x01"),
    "table with masks as RLE, as of Kaggle": ("train.csv", "ImageId,EncodedPixels\nx.png,1 3\n"),
    "VoTT JSON": ("a-asset.json", '{"asset": {"name": "x.png"}, "regions": []}'),
    "Hasty JSON": ("h.json", '{"label_classes": [], "images": [{"image_name": "x.png"}]}'),
    "CrowdHuman text": ("train.odgt", '{"ID": "x", "gtboxes": []}\n'),
    "text of the format bbGt, as of ExDark and Caltech": (
        "x.png.txt", "% bbGt version=3\nCat 2 3 20 30 0 0 0 0 0 0 0\n"
    ),
    "DOTA text with rotated boxes": ("labels/x.txt", _DOTA),
    "text with a class and a box in pixels in each line": (
        "labels/x.txt", "0 30 20 40.5 30\n1 5 5 2 2\n"
    ),
    "MOT text with tracks": ("gt/gt.txt", "1,1,10,20,30,40,1,1,1\n"),
    "Vertex AI JSONL": ("import.jsonl", '{"imageGcsUri": "gs://b/x.png"}\n'),
    "Azure Custom Vision JSON": (
        "images.json", '[{"originalImageUri": "https://h/x.png", "tags": [], "regions": []}]'
    ),
    "Scale AI JSON": ("tasks.json", '[{"task_id": "t", "params": {"attachment": "x.png"}}]'),
    "Encord JSON": ("export.json", '[{"label_hash": "h", "data_units": {}}]'),
    "Dataloop JSON": (
        "json/x.json", '{"filename": "/x.png", "annotations": [], "itemMetadata": {}}'
    ),
    "FiftyOne JSON": ("samples.json", '{"samples": [{"filepath": "data/x.png"}]}'),
    "MegaDetector JSON": ("md.json", '{"detection_categories": {}, "images": []}'),
    "Edge Impulse labels": ("info.labels", '{"version": 1, "files": [{"label": {"type": "l"}}]}'),
    "nuScenes or nuImages tables": (
        "v1.0/object_ann.json", '[{"bbox": [1, 2, 3, 4], "sample_data_token": "t"}]'
    ),
    "XML with rotated boxes, as of roLabelImg": (
        "x.xml", "<annotation><object><robndbox><cx>1</cx></robndbox></object></annotation>"
    ),
    "XML of Aperio ImageScope": (
        "x.xml", "<Annotations><Annotation><Regions><Region><Vertices/></Region></Regions>"
    ),
    "medical volume": ("imagesTr/x.nii.gz", b"\x1f\x8b"),
    "Zooniverse classifications": ("c.csv", "id,annotations,subject_data\n1,[],{}\n"),
    "ICDAR text with quadrilaterals": ("gt/gt_x.txt", "\ufeff2,3,12,3,12,9,2,9,Hello\n"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("task", ["detection", "segmentation", "classification"])
def test_the_file_is_named(tmp_path: Path, kind: str, task: str) -> None:
    name, content = FILES[kind]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for index in range(2):
        pixels = np.full((8, 8, 3), index, np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{'xy'[index]}.png")
    recipe = DatasetRecipe.parse({"task": task, "source": str(tmp_path)})
    with pytest.raises(StudioError) as caught:
        scan_parts(parts_of(recipe), recipe, SilentProgress())
    assert f"{name} is of the kind “{kind}”" in caught.value.message
    assert caught.value.hint.startswith(("Export", "Convert", "Choose", "Write", "Save"))


@pytest.mark.parametrize("layout", ["classes", "table", "pattern"])
def test_a_workbook_does_not_hide_the_reason(tmp_path: Path, layout: str) -> None:
    (tmp_path / "notes.xlsx").write_bytes(b"PK\x03\x04")
    folders = ("a", "b") if layout == "classes" else (".", ".")
    for index, folder in enumerate(folders):
        (tmp_path / folder).mkdir(exist_ok=True)
        Image.fromarray(np.full((8, 8, 3), index, np.uint8)).save(
            tmp_path / folder / f"{index}.png"
        )
    if layout == "table":
        (tmp_path / "labels.csv").write_text("image,label\n0.png,a\n1.png,b\n")
    elif layout == "pattern":
        (tmp_path / "later").mkdir()
        (tmp_path / "later" / "x.manifest").write_text('{"source-ref": "s3://b/x.png"}\n')

    error = explained(StudioError("The reason."), tmp_path, "", DEFAULT_TASK)

    kind = "Amazon SageMaker Ground Truth manifest"
    assert (kind in error.message) if layout == "pattern" else (error.message == "The reason.")


def test_a_workbook_as_the_source_is_named(tmp_path: Path) -> None:
    (tmp_path / "labels.xlsx").write_bytes(b"PK\x03\x04")

    with pytest.raises(StudioError, match="workbook of a spreadsheet") as caught:
        source_for(tmp_path / "labels.xlsx")

    assert caught.value.hint == "Save the sheet as CSV, and import that file."


def test_choices_of_label_studio_are_no_boxes(tmp_path: Path) -> None:
    for index, name in enumerate("xy"):
        Image.fromarray(np.full((8, 8, 3), index, np.uint8)).save(tmp_path / f"{name}.png")
    pictures = [Picture(f"{name}.png", tags=[tag]) for name, tag in (("x", "cat"), ("y", "dog"))]
    (tmp_path / "export.json").write_text(label_studio(pictures))
    recipe = DatasetRecipe.parse({"task": "detection", "source": str(tmp_path)})
    with pytest.raises(StudioError, match="2 labels of whole"):
        scan_parts(parts_of(recipe), recipe, SilentProgress())
    assert evident_task(tmp_path) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"images": [], "annotations": [], "categories": []}'),
        ("labels/a.txt", "0 0.5 0.5 0.1 0.1\n"),
        ("labels/a.txt", "0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 0.2\n"),
        ("train.txt", "images/a.png\nimages/b.png\n"),
        ("a.csv", "path,label\na.png,cat\n"),
        ("a.txt", "car 0.0 0 0.0 1 2 3 4 1 1 1 1 1 1 1\n"),
    ],
)
def test_known_files_are_not_foreign(name: str, content: str) -> None:
    assert list(foreign_files(together({name: content}).labels)) == []
