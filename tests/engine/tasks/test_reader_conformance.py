"""What an independent writer writes is what is read: every file, split, class, side and pixel."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.written_sets import (
    BOXES,
    CROWD,
    HEIGHT,
    MASKS,
    OBJECTS,
    WIDTH,
    Drawing,
    drawings,
    write_picture,
)
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.annotated import AnnotatedSource
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.boxes import CLASS, VALUES
from studio.engine.tasks.instance_labels import instance_table

_BY_TASK = {"detection": BOXES, "segmentation": MASKS, "instances": OBJECTS}
_ELSEWHERE = {"boxes_alone", "anomaly_folders"}
"""The first is refused always; the second has its own test below."""
_SIDES = 1e-3
"""Accepted difference of a side in pixels: fractions with eight decimals, stored as float32."""


def test_every_format_has_a_writer() -> None:
    for task in TASKS.values():
        written = _BY_TASK.get(task.name, {})
        read = {form.name for form in task.source.formats} if written else set()
        assert read - _ELSEWHERE == written.keys(), task.name
    others = {
        form.name
        for task in TASKS.values()
        if task.source.reads("annotations") and task.name not in _BY_TASK
        for form in task.source.formats
    }
    assert others <= _ELSEWHERE | MASKS.keys()


def _imported(folder: Path, task: str, form: str) -> Store:
    """Import a set that has nothing to report."""
    source = source_for(folder / "in", TASKS[task])
    assert isinstance(source, AnnotatedSource)
    assert source.name == form
    recipe = DatasetRecipe.parse(
        {"task": task, "source": str(folder / "in"), "width": WIDTH, "height": HEIGHT}
    )
    import_dataset(recipe, folder / "out", SilentProgress())
    return Store.open(folder / "out")


def _rows(store: Store, drawn: Sequence[Drawing]) -> dict[str, int]:
    """Compare files, pixels and splits, and return the row of each drawing."""
    rows = {path.rpartition("/")[2]: row for row, path in enumerate(store.paths)}
    found = {}
    for each in drawn:
        (row,) = (row for name, row in rows.items() if _is_of(name, each.name))
        assert np.array_equal(store.images[row], each.pixels), each.name
        assert SPLIT_NAMES[store.split[row]] == each.split, each.name
        found[each.name] = row
    assert len(rows) == len(drawn)
    return found


def _is_of(file: str, name: str) -> bool:
    """Return True for the file of a drawing: formats have rules for names, tables have numbers."""
    stem, number = file.removesuffix(".png"), name[1:]
    return stem.startswith(f"{name}_") or stem in {name, number, f"ADE_train_0000000{number}"}


@pytest.mark.parametrize("form", BOXES)
def test_boxes(tmp_path: Path, form: str) -> None:
    writer = BOXES[form]
    drawn = drawings(3, is_whole=writer.is_whole, flags=writer.flags)
    writer.write(tmp_path / "in", drawn)

    store = _imported(tmp_path, "detection", form)

    for name, row in _rows(store, drawn).items():
        boxes = store.required_regions[row].reshape(-1, VALUES)
        boxes = boxes[boxes[:, CLASS] >= 0]
        # A region where objects of any class may be is one of each class.
        read = sorted(
            {
                (*box[1:5], "" if int(box[5]) & CROWD else store.classes[int(box[0])], int(box[5]))
                for box in boxes.tolist()
            }
        )
        (picture,) = (each for each in drawn if each.name == name)
        written = sorted(
            (*one.box, "" if one.flags & CROWD else writer.names[one.label], one.flags)
            for one in picture.objects
        )
        assert [each[4:] for each in read] == [each[4:] for each in written]
        sides = [np.array([each[:4] for each in boxes]) for boxes in (read, written)]
        assert np.allclose(sides[0], sides[1], rtol=0, atol=_SIDES)
    left_out = read_skipped(tmp_path / "out")
    assert all("kept a" in str(each.reason) for each in left_out), left_out


@pytest.mark.parametrize("form", MASKS)
def test_masks(tmp_path: Path, form: str) -> None:
    writer = MASKS[form]
    drawn = drawings(4, is_whole=True)
    writer.write(tmp_path / "in", drawn)

    store = _imported(tmp_path, "segmentation", form)

    assert read_skipped(tmp_path / "out") == []
    names = [writer.background, *writer.names]
    number = [store.classes.index(name) if name else IGNORE for name in names]
    for name, row in _rows(store, drawn).items():
        (picture,) = (each for each in drawn if each.name == name)
        wanted = np.array(number, np.uint8)[picture.labels]
        assert np.array_equal(store.required_regions[row], wanted), name
    assert {*names} - {""} <= {*store.classes}


@pytest.mark.parametrize("form", OBJECTS)
def test_objects(tmp_path: Path, form: str) -> None:
    writer = OBJECTS[form]
    drawn = [each for each in drawings(5, is_whole=True) if each.objects or writer.has_empty]
    writer.write(tmp_path / "in", drawn)

    store = _imported(tmp_path, "instances", form)

    assert read_skipped(tmp_path / "out") == []
    for name, row in _rows(store, drawn).items():
        labels = store.required_regions[row]
        table = instance_table(labels)
        read = {
            (store.classes[label], (labels == value).tobytes())
            for value, label in zip(table.values.tolist(), table.classes.tolist(), strict=True)
        }
        (picture,) = (each for each in drawn if each.name == name)
        assert read == {(writer.names[one.label], one.inside.tobytes()) for one in picture.objects}


def test_defects(tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    drawn = drawings(6, is_whole=True)
    good = [random.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8) for _ in range(4)]
    root = tmp_path / "in"
    for number, pixels in enumerate(good):
        write_picture(root / ("train", "test")[number // 2] / "good" / f"{number:03}.png", pixels)
    for each in drawn:
        if each.objects:
            write_picture(root / "test" / "scratch" / f"{each.name}.png", each.pixels)
            mask = np.where(each.labels > 0, 255, 0).astype(np.uint8)
            write_picture(root / "ground_truth" / "scratch" / f"{each.name}_mask.png", mask)

    store = _imported(tmp_path, "anomaly", "anomaly_folders")

    assert read_skipped(tmp_path / "out") == []
    assert [*store.classes] == ["good", "scratch"]
    rows = {path: row for row, path in enumerate(store.paths)}
    for number, pixels in enumerate(good):
        row = rows[f"{('train', 'test')[number // 2]}/good/{number:03}.png"]
        assert np.array_equal(store.images[row], pixels)
        assert not store.required_regions[row].any()
        assert (SPLIT_NAMES[store.split[row]] == "test") == (number >= 2)
    for each in drawn:
        if each.objects:
            row = rows[f"test/scratch/{each.name}.png"]
            assert SPLIT_NAMES[store.split[row]] == "test"
            assert np.array_equal(store.images[row], each.pixels)
            assert np.array_equal(store.required_regions[row] == 1, each.labels > 0)
            assert store.required_regions[row].max() == 1
    assert len(rows) == 10


_NAMES = ("cat", "größe, 2", 'the "third"')


def _write_csv(path: Path, rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows(rows)


def _write_semicolons(path: Path, rows: Sequence[Sequence[object]]) -> None:
    def cell(value: object) -> object:
        return str(value).replace(".", ",") if isinstance(value, float) else value

    with path.open("w", newline="", encoding="cp1252") as file:
        csv.writer(file, delimiter=";").writerows([map(cell, row) for row in rows])


def _write_tabs(path: Path, rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-16") as file:
        csv.writer(file, delimiter="\t").writerows(rows)


def _write_parquet(path: Path, rows: Sequence[Sequence[object]]) -> None:
    columns = dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))
    files = [
        {"bytes": (path.parent / str(name)).read_bytes(), "path": name}
        for name in columns.pop("path")
    ]
    pq.write_table(pa.table({"image": files} | columns), path)


def _write_path_table(path: Path, rows: Sequence[Sequence[object]]) -> None:
    columns = zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True)
    pq.write_table(pa.table(dict(columns)), path)


def _records(rows: Sequence[Sequence[object]]) -> list[dict[object, object]]:
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def _write_records(path: Path, rows: Sequence[Sequence[object]]) -> None:
    path.write_text(json.dumps(_records(rows), indent=1), encoding="utf-16")


def _write_lines(path: Path, rows: Sequence[Sequence[object]]) -> None:
    lines = (json.dumps(each, ensure_ascii=False) for each in _records(rows))
    path.write_text("\n".join(lines), encoding="utf-8-sig")


def _write_by_name(path: Path, rows: Sequence[Sequence[object]]) -> None:
    document = {str(each.pop("path")): each for each in _records(rows)}
    path.write_text(json.dumps(document))


def _write_columns(path: Path, rows: Sequence[Sequence[object]]) -> None:
    columns = zip(rows[0], zip(*rows[1:], strict=True), strict=True)
    path.write_text(json.dumps({str(name): dict(enumerate(cells)) for name, cells in columns}))


_TABLES = {
    "JSON list": ("t.json", _write_records),
    "JSON lines": ("t.jsonl", _write_lines),
    "JSON by name": ("t.json", _write_by_name),
    "JSON of pandas": ("t.json", _write_columns),
    "parquet of paths": ("t.parquet", _write_path_table),
    "comma": ("t.csv", _write_csv),
    "semicolon and decimal comma": ("t.csv", _write_semicolons),
    "tab in UTF-16": ("t.tsv", _write_tabs),
    "parquet": ("t.parquet", _write_parquet),
}


@pytest.mark.parametrize("task", ["classification", "multi_label", "regression"])
@pytest.mark.parametrize("kind", _TABLES)
def test_tables(tmp_path: Path, kind: str, task: str) -> None:
    drawn = drawings(7, is_whole=True)
    random = np.random.default_rng(8)
    wanted: dict[str, object] = {}
    rows: list[list[object]] = []
    (tmp_path / "in").mkdir()
    for index, each in enumerate(drawn):
        name = f"{each.name}.png"
        each.save(tmp_path / "in" / name)
        if task == "regression":
            cells: list[object] = [round(float(random.normal(0, 900)), 3), float(index) / 4]
            wanted[each.name] = cells
        elif task == "multi_label":
            cells = random.permutation([0, 0, 1]).tolist()
            wanted[each.name] = cells
        else:
            cells = [_NAMES[(index + index // 3) % 3]]
            wanted[each.name] = _NAMES[(index + index // 3) % 3]
        rows.append([name, *cells, each.split])
    heads = {"regression": ["mass [g]", "speed"], "multi_label": [*_NAMES]}.get(task, ["label"])
    file, write = _TABLES[kind]
    write(tmp_path / "in" / file, [["path", *heads, "split"], *rows])

    fields = {
        "task": task,
        "source": str(tmp_path / "in" / file),
        "width": WIDTH,
        "height": HEIGHT,
    }
    import_dataset(DatasetRecipe.parse(fields), tmp_path / "out", SilentProgress())

    assert read_skipped(tmp_path / "out") == []
    store = Store.open(tmp_path / "out")
    for name, row in _rows(store, drawn).items():
        if task == "classification":
            assert store.classes[store.labels[row]] == wanted[name]
        else:
            assert store.targets[row].tolist() == pytest.approx(wanted[name], rel=1e-6)
    if task == "regression":
        assert ([*store.classes], [*store.units]) == (["mass", "speed"], ["g", ""])
    elif task == "multi_label":
        assert [*store.classes] == [*_NAMES]
