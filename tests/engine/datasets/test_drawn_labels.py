"""Labels of whole images in files of Label Studio and CVAT: read for classes, or reported."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from helpers.accounting import Contents, check_accounting
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

SILENT = SilentProgress()
Labels = Mapping[str, Sequence[str]]
"""Labels by the names of images."""
LABELS: Labels = {
    "a 1.png": ["cat"],
    "b.png": ["dog"],
    "c.png": ["cat", 'dog; "old"'],
    "d.png": [],
    "gone.png": ["cat"],
}


def _upload(name: str) -> str:
    return f"/data/upload/3/0123abcd-{name.replace(' ', '_')}"


def _task(name: str, labels: Sequence[str]) -> dict[str, object]:
    entry = {"type": "choices", "from_name": "kind", "value": {"choices": [*labels]}}
    result = [entry] if labels else []
    return {"data": {"image": _upload(name)}, "annotations": [{"result": result}]}


def label_studio(labels: Labels) -> str:
    return json.dumps([{"id": n} | _task(*each) for n, each in enumerate(labels.items())])


def _rows(labels: Labels) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for number, (name, found) in enumerate(labels.items()):
        row: dict[str, object] = {"image": _upload(name), "city": "Rio", "id": number}
        row["kind"] = found[0] if len(found) == 1 else {"choices": [*found]}
        rows.append(row | {"annotator": 1, "annotation_id": number, "lead_time": 2.5})
    return rows


def label_studio_min(labels: Labels) -> str:
    return json.dumps(_rows(labels))


def label_studio_csv(labels: Labels) -> str:
    rows = _rows(labels)
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(rows[0])
    for row in rows:
        table.writerow(json.dumps(v) if isinstance(v, dict) else v for v in row.values())
    return file.getvalue()


def cvat(labels: Labels) -> str:
    root = ET.Element("annotations")
    ET.SubElement(root, "version").text = "1.1"
    for name, found in labels.items():
        image = ET.SubElement(root, "image", {"name": name, "width": "8", "height": "8"})
        for label in found:
            ET.SubElement(image, "tag", {"label": label, "source": "manual"})
    return ET.tostring(root, encoding="unicode")


def via(labels: Labels) -> str:
    answers: list[object] = [
        found[0] if len(found) == 1 else {**dict.fromkeys(found, True), "bird": False}
        for found in labels.values()
    ]
    return json.dumps(
        {
            f"{name}99": {"filename": name, "regions": [], "file_attributes": {"kind": answer}}
            for name, answer in zip(labels, answers, strict=True)
        }
    )


FILES: dict[str, tuple[str, Callable[[Labels], str]]] = {
    "json": ("export.json", label_studio),
    "min": ("min.json", label_studio_min),
    "csv": ("table.csv", label_studio_csv),
    "cvat": ("annotations.xml", cvat),
    "via": ("via_project.json", via),
}


def written(folder: Path, kind: str, labels: Labels = LABELS) -> Path:
    """Write the images that exist, and the file of a tool beside them; return its path."""
    folder.mkdir()
    for number, name in enumerate(labels):
        if not name.startswith("gone"):
            Image.new("RGB", (8, 8), (30 * number, 9, 9)).save(folder / name)
    name, write = FILES[kind]
    (folder / name).write_text(write(labels), encoding="utf-8")
    return folder / name


def recipe(source: Path, task: str, **values: object) -> DatasetRecipe:
    fields = {"task": task, "source": str(source), "width": 8, "height": 8}
    return DatasetRecipe.parse(fields | {"val_percent": 0, "test_percent": 0} | values)


@pytest.mark.parametrize("kind", FILES)
def test_several_labels_of_an_image(tmp_path: Path, kind: str) -> None:
    file = written(tmp_path / "in", kind)
    for source in (file, file.parent):
        preview = preview_import(recipe(source, "multi_label"), SILENT)
        assert preview.count == 4
    report = import_dataset(recipe(file.parent, "multi_label"), tmp_path / "out", SILENT)
    assert report.format == "drawn_labels"
    store = Store.open(tmp_path / "out")
    assert set(store.classes) == {"cat", "dog", 'dog; "old"'}
    found = {
        store.paths[row]: {store.classes[at] for at in np.flatnonzero(store.targets[row])}
        for row in range(4)
    }
    assert found == {name: {*LABELS[name]} for name in LABELS if name != "gone.png"}
    (gone,) = report.skipped
    assert gone.path.endswith("gone.png")
    assert "the image does not exist" in gone.reason
    assert str(report.warnings[0]).startswith("An image has no label.")


@pytest.mark.parametrize("kind", FILES)
def test_a_class_of_each_image(tmp_path: Path, kind: str) -> None:
    file = written(tmp_path / "in", kind)
    report = preview_import(recipe(file.parent, "classification"), SILENT)
    assert dict(zip(report.classes, report.class_images, strict=True)) == {"cat": 1, "dog": 1}
    reasons = {each.path: str(each.reason) for each in report.skipped}
    assert reasons["c.png"] == 'it has 2 labels: cat, dog; "old"'
    assert reasons["d.png"] == "it has no label of the whole image"
    assert len(reasons) == 3


def test_annotations_in_another_place_and_an_archive(tmp_path: Path) -> None:
    file = written(tmp_path / "in", "cvat")
    lone = file.rename(tmp_path / "annotations.xml")
    asked = recipe(tmp_path / "in", "multi_label", annotations=str(lone))
    assert preview_import(asked, SILENT).count == 4
    with zipfile.ZipFile(tmp_path / "task.zip", "w") as archive:
        archive.write(lone, "annotations.xml")
        for path in (tmp_path / "in").iterdir():
            archive.write(path, f"images/train/{path.name}")
    report = preview_import(recipe(tmp_path / "task.zip", "multi_label"), SILENT)
    assert report.counts["train"] == 4


def test_folders_that_may_be_classes_are_pointed_out(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    file = written(folder, "cvat", {"a.png": ["cat"], "b.png": ["dog"]})
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / f"{name}.png").rename(folder / name / f"{name}.png")
    file.write_text(file.read_text().replace("a.png", "a/a.png").replace("b.png", "b/b.png"))
    report = preview_import(recipe(folder, "classification"), SILENT)
    assert report.classes == ["cat", "dog"]
    assert [str(each) for each in report.warnings] == [
        "The labels are those of CVAT XML, not the names of the folders of the images."
    ]


def test_other_tables_are_lists(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    written(folder, "cvat").unlink()
    table = folder / "table.csv"
    table.write_text("image,annotation_id,width,label\na 1.png,7,8,cat\nb.png,9,8,dog\n")
    report = preview_import(recipe(table, "classification"), SILENT)
    assert (report.format, report.classes) == ("list_file", ["cat", "dog"])


def test_several_questions(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    file = written(folder, "json", {"a.png": ["sun"], "b.png": ["sun"], "c.png": ["rain"]})
    tasks = json.loads(file.read_text())
    for task, answer in zip(tasks, (["cat"], ["sun"], ["dog"]), strict=True):
        entry = {"type": "choices", "from_name": "animal", "value": {"choices": answer}}
        task["annotations"][0]["result"].append(entry)
    file.write_text(json.dumps(tasks))
    with pytest.raises(StudioError, match=r"answer 2 questions .* \(kind, animal\)"):
        preview_import(recipe(folder, "classification"), SILENT)
    report = preview_import(recipe(folder, "multi_label"), SILENT)
    assert set(report.classes) == {"kind: sun", "animal: sun", "rain", "cat", "dog"}


def test_shapes_are_reported_and_labels_are_pointed_out_for_boxes(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    file = written(folder, "cvat", {"a.png": ["cat"], "b.png": ["dog"]})
    box = '<box label="nut" xtl="1" ytl="1" xbr="5" ybr="5"/>'
    file.write_text(file.read_text().replace("</image>", f"{box}{box}</image>", 1))
    report = preview_import(recipe(folder, "classification"), SILENT)
    (left,) = report.skipped
    assert (left.path, left.objects, left.is_partial) == ("a.png", 2, True)
    boxes = preview_import(recipe(folder, "detection"), SILENT)
    assert any("2 labels of whole images, such as cat" in str(each) for each in boxes.warnings)


@pytest.mark.parametrize("kind", FILES)
@settings(max_examples=10, deadline=None)
@given(
    labels=st.dictionaries(
        st.sampled_from([f"{word} {at}.png" for word in ("img", "gone") for at in range(4)]),
        st.lists(st.sampled_from(["cat", "dog", "größe ± 日本"]), max_size=2, unique=True),
        max_size=6,
    )
)
def test_everything_is_read_or_reported(kind: str, labels: dict[str, list[str]]) -> None:
    labels = {"a.png": ["cat"], "b.png": ["dog"], "c.png": ["cat"], "d.png": ["dog"]} | labels
    with TemporaryDirectory() as place:
        folder = Path(place) / "in"
        written(folder, kind, labels)
        names = {
            Path(_upload(name)).name
            if kind not in ("cvat", "via") and name.startswith("gone")
            else name
            for name in labels
        }
        classes = {name: found[0] for name, found in labels.items() if len(found) == 1}
        contents = Contents(names, labels=classes)
        check_accounting(recipe(folder, "classification"), contents, Path(place) / "out")
