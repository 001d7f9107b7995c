from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_pictures import Listener, noise_png, recipe
from source_cases import as_parquet, pictures

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.sources import shared
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.sources.parquet import ParquetSource
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.installation import install_command
from studio.engine.progress import SilentProgress

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
SOURCE = ParquetSource()


def table(
    path: Path, images: Sequence[object], labels: Sequence[object], name: str = "label"
) -> Path:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    pq.write_table(pa.table({"image": pa.array(images, kind), name: labels}), path)
    return path


def row(seed: int) -> dict[str, object]:
    return {"bytes": noise_png(seed), "path": f"{seed}.png"}


def test_without_the_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = as_parquet(tmp_path, pictures(["a", "b"], 2))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, f"{shared.__name__}.tables", raising=False)
    monkeypatch.delattr(shared, "tables", raising=False)
    with pytest.raises(StudioError, match="pyarrow, which is not installed") as caught:
        SOURCE.scan(path, Listener())
    assert install_command("parquet") in caught.value.hint


def test_files_of_splits_in_one_folder(tmp_path: Path) -> None:
    for number, name in enumerate(("train-00000-of-00001", "validation-0", "test-0", "x")):
        rows = [row(10 * number + seed) for seed in range(4)]
        table(tmp_path / f"{name}.parquet", list(rows), ["a", "b", "a", "b"])
    summary = import_dataset(recipe(tmp_path), tmp_path / "out", SilentProgress())
    assert summary.counts == {"train": 8, "val": 4, "test": 4}


def test_rows_that_cannot_be_used_are_lines(tmp_path: Path) -> None:
    images = [row(1), None, {"bytes": None, "path": "away.png"}, row(2), row(3), row(4)]
    path = table(tmp_path / "in.parquet", images, [0, 1, 1, 1, None, -1])
    summary = import_dataset(recipe(path), tmp_path / "out", SilentProgress())
    assert summary.count == 2
    assert {entry.path: entry.reason for entry in summary.skipped} == {
        "in.parquet/1": "the row contains no image",
        "in.parquet/2": "the table contains only the path of this image, not the image",
        "in.parquet/4": "it has no label",
        "in.parquet/5": "the label -1 is negative",
    }


@pytest.mark.parametrize(
    ("labels", "classes", "left_out"),
    [
        ([1.0, 2.0, 1.0, None], ["1", "2"], 1),
        (["cat", "dog", "nan", "None"], ["cat", "dog"], 2),
        ([1.5, 1.0, 2.0, 1.0], ["1", "2"], 1),
    ],
)
def test_labels_of_pandas(
    tmp_path: Path, labels: list[object], classes: list[str], left_out: int
) -> None:
    images = [row(seed) for seed in range(4)]
    path = table(tmp_path / "in.parquet", list(images), labels)
    found = SOURCE.scan(path, SilentProgress())
    assert found.classes() == classes
    assert len(found.problems) == left_out


def test_tables_without_the_columns(tmp_path: Path) -> None:
    path = table(tmp_path / "in.parquet", [row(1), row(2)], ["a", "b"], "remark")
    with pytest.raises(StudioError, match="no column of labels, only image, remark"):
        SOURCE.scan(path, Listener())
    pq.write_table(pa.table({"label": [1, 2]}), path)
    with pytest.raises(StudioError, match="no column of images"):
        SOURCE.scan(path, Listener())


def test_damaged_table_costs_only_its_own_images(tmp_path: Path) -> None:
    for name in ("train-0", "train-1"):
        table(tmp_path / f"{name}.parquet", [row(1), row(2)], ["a", "b"])
    data = (tmp_path / "train-0.parquet").read_bytes()
    for broken in (b"", b"text", data[:-9], data[: len(data) // 2]):
        (tmp_path / "train-0.parquet").write_bytes(broken)
        found = SOURCE.scan(tmp_path, Listener())
        assert len(found.items) == 2
        assert "damaged" in found.problems[0].reason
    flipped = bytearray(data)
    flipped[100:160] = b"\xff" * 60
    (tmp_path / "train-0.parquet").write_bytes(bytes(flipped))
    summary = import_dataset(recipe(tmp_path), tmp_path / "out", SilentProgress())
    assert 2 <= summary.count <= 4
    assert summary.count + len(summary.skipped) == 4


@pytest.mark.parametrize(
    ("heading", "values", "kind"),
    [
        ("patient_id", [number // 4 for number in range(24)], "column"),
        ("video", [f"film {number // 4}" for number in range(24)], "video"),
        ("where", [f"day {number // 4}" for number in range(24)], "column"),
        ("remark", [f"{number} spots" for number in range(24)], "none"),
    ],
)
def test_a_column_of_origins_keeps_its_images_together(
    tmp_path: Path, heading: str, values: list[object], kind: str
) -> None:
    split = pa.array(["train"] * 24)  # validation and test images are drawn from them
    for number in range(2):  # two files of one table
        part = slice(12 * number, 12 * number + 12)
        columns = {
            "image": pa.array(
                [row(seed) for seed in range(24)][part],
                pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
            ),
            "label": ["a", "b"] * 6,
            "set": split[part.start : part.stop],
            heading: values[part],
        }
        pq.write_table(pa.table(columns), tmp_path / f"part-{number}.parquet")
    import_dataset(recipe(tmp_path), tmp_path / "out", SilentProgress())
    store = Store.open(tmp_path / "out")
    assert store.origins.kind == kind
    if kind == "none":
        return
    names = [store.origins.name(int(each)) for each in range(24)]
    assert sorted(names) == sorted(str(each) for each in values)
    splits = {name: {int(each) for each in store.split[np.array(names) == name]} for name in names}
    assert all(len(found) == 1 for found in splits.values())


def test_a_proposed_column_of_origins_is_read_with_dictionaries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that is stored once and named often would fill the memory."""
    columns = {
        "image": pa.array([row(seed)["bytes"] for seed in range(8)]),
        "label": ["a", "b"] * 4,
        "remark": ["a long text"] * 8,
        "tags": pa.array([["x"]] * 8),
        "patient": [f"P{seed // 4}" for seed in range(8)],
    }
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    decoded: set[str] = set()

    batches = pq.ParquetFile.iter_batches

    def recorded(opened: Any, *args: object, **options: object) -> Iterator[Any]:
        for batch in batches(opened, *args, **options):
            decoded.update(f.name for f in batch.schema if not pa.types.is_dictionary(f.type))
            yield batch

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", recorded)

    found = SOURCE.scan(tmp_path / "in.parquet", SilentProgress())

    assert found.origin_column == "patient"
    assert decoded == set()


@pytest.mark.parametrize("columns", [True, False])
def test_words_that_name_no_split_are_pointed_out(tmp_path: Path, columns: bool) -> None:
    for number in range(2):  # two files of one table
        values = {
            "image": [row(4 * number + seed)["bytes"] for seed in range(4)],
            "label": ["1", "2"] * 2,
            "set": ["train", "holdout", None, "holdout"],
        }
        pq.write_table(pa.table(values), tmp_path / f"part-{number}.parquet")

    found = SOURCE.scan(tmp_path, SilentProgress(), SourceOptions(columns=columns, min_classes=1))

    (warning,) = map(str, found.warnings)
    assert warning.startswith('The column "set" has 4 cells that name no split: holdout.')
    assert [item.split for item in found.items].count("train") == 2


def test_a_column_of_origins_is_no_target_and_can_be_named(tmp_path: Path) -> None:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    columns = {
        "image": pa.array([row(seed) for seed in range(12)], kind),
        "weight": [float(number) for number in range(12)],
        "plate": [f"P{number // 3}" for number in range(12)],
        "well": [number // 2 for number in range(12)],
    }
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    options = SourceOptions(columns=True, min_classes=1)
    found = SOURCE.scan(tmp_path / "in.parquet", SilentProgress(), options)
    assert (found.origin_column, found.columns) == ("plate", ("weight", "well"))
    assert [item.origin for item in found.items[:4]] == ["P0", "P0", "P0", "P1"]
    named = replace(options, origin_column="well")
    found = SOURCE.scan(tmp_path / "in.parquet", SilentProgress(), named)
    assert (found.origin_column, found.columns) == ("well", ("weight", "plate"))
    with pytest.raises(StudioError, match='no column "film"; it has weight'):
        SOURCE.scan(
            tmp_path / "in.parquet", SilentProgress(), replace(options, origin_column="film")
        )


@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize(
    ("heading", "expected"),
    [("is_test", ["train", "train", "test", "train"]), ("is_valid", [None] * 4)],
)
def test_flags_are_splits_unless_most_images_have_them(
    tmp_path: Path, columns: bool, heading: str, expected: list[str | None]
) -> None:
    flags = [heading == "is_valid", False, True, heading == "is_valid"]
    for number in range(2):  # two files of one table
        part = slice(2 * number, 2 * number + 2)
        values = {
            "image": [row(seed)["bytes"] for seed in range(4)][part],
            "label": ["1", "2"],
            heading: flags[part],
        }
        pq.write_table(pa.table(values), tmp_path / f"part-{number}.parquet")

    found = SOURCE.scan(tmp_path, SilentProgress(), SourceOptions(columns=columns, min_classes=1))

    splits = {item.key: item.split for item in found.items}
    assert [splits[key] for key in sorted(splits)] == expected
    assert found.split_origin == ("table column" if expected[0] else "file names")
    assert ["4 cells that name no split" in str(each) for each in found.warnings] == (
        [] if expected[0] else [True]
    )


def test_images_of_which_a_table_has_the_paths_alone(tmp_path: Path) -> None:
    names = [f"{seed}.png" for seed in range(4)]
    (tmp_path / "images").mkdir()
    for seed, name in enumerate(names):
        (tmp_path / "images" / name).write_bytes(noise_png(seed))
    paths = [{"bytes": None, "path": f"images/{name}"} for name in names]
    path = table(tmp_path / "t.parquet", paths, ["cat", "dog", "cat", None])
    found = SOURCE.scan(path, SilentProgress())
    classes = {item.key: item.class_name for item in found.items}
    assert classes == {"images/0.png": "cat", "images/1.png": "dog", "images/2.png": "cat"}
    assert [str(each.reason) for each in found.problems] == ["it has no label"]
    (dog,) = (item for item in found.items if item.class_name == "dog")
    ((_, fetch),) = SOURCE.read(path, [dog])
    assert fetch() == noise_png(1)
