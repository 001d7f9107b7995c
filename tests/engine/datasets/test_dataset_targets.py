"""Datasets whose images have labels or numbers instead of one class."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from helpers.target_datasets import COLORS, squares, target_recipe
from studio.engine.datasets.edits import AddClass, Exclude, Relabel, RenameClass, SetTarget
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.splits import TRAIN, VAL
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped, read_summary
from studio.engine.datasets.versions import compare_versions, edit_dataset, resplit_dataset, undo
from studio.engine.datasets.writer import TARGETS_NAME
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress

COUNT = 80


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return squares(tmp_path_factory.mktemp("squares"), COUNT)


def _imported(tables: dict[str, Path], task: str, folder: Path, **values: object) -> Store:
    import_dataset(target_recipe(tables, task, **values), folder, SilentProgress())
    return Store.open(folder)


def _rows(table: Path) -> dict[str, dict[str, str]]:
    with table.open(newline="", encoding="utf-8") as file:
        return {row["image"]: row for row in csv.DictReader(file)}


def _file_names(store: Store) -> list[str]:
    return [Path(path).name for path in store.paths]


def test_numbers_of_a_table_become_targets(tables: dict[str, Path], tmp_path: Path) -> None:
    store = _imported(tables, "regression", tmp_path / "d")
    rows = _rows(tables["regression"])

    assert store.task.name == "regression"
    assert store.classes == ["ink", "colors"]
    expected = [
        [float(rows[name]["ink [%]"]), float(rows[name]["colors"])] for name in _file_names(store)
    ]
    np.testing.assert_allclose(store.targets, expected, rtol=1e-6)
    summary = read_summary(tmp_path / "d")
    assert summary.units == ["%", ""]
    assert sum(summary.count.values()) == COUNT
    assert summary.class_counts["val"] == [summary.count["val"]] * 2


def test_labels_of_a_table_become_targets(tables: dict[str, Path], tmp_path: Path) -> None:
    store = _imported(tables, "multi_label", tmp_path / "d")
    rows = _rows(tables["multi_label"])

    assert store.classes == sorted(COLORS)
    for name, row in zip(_file_names(store), store.targets, strict=True):
        given = {store.classes[index] for index in np.flatnonzero(row)}
        assert given == set(filter(None, rows[name]["labels"].split(";")))
    counts = store.class_counts()
    assert sum(counts[split][0] for split in counts) == store.targets[:, 0].sum()
    assert len(store.class_rows(0)) == store.targets[:, 0].sum()


def test_every_split_has_its_share_of_every_label(tables: dict[str, Path], tmp_path: Path) -> None:
    store = _imported(tables, "multi_label", tmp_path / "d")

    for column in store.targets.T:
        for split in ("val", "test"):
            here = column[store.rows(split)].sum()
            assert abs(here - column.sum() / 4) <= 1.5


def test_only_the_columns_that_are_asked_for(tables: dict[str, Path], tmp_path: Path) -> None:
    store = _imported(tables, "regression", tmp_path / "d", target_columns=["colors"])
    assert store.classes == ["colors"]

    with pytest.raises(StudioError, match='no column "age"'):
        _imported(tables, "regression", tmp_path / "e", target_columns=["age"])


def test_a_column_beside_the_lists_of_labels_is_no_label(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    lines = tables["multi_label"].read_text(encoding="utf-8").splitlines()
    table = tmp_path / "table.csv"
    sites = ["site", *(["north", "south"] * len(lines))]
    table.write_text(
        "\n".join(f"{line},{site}" for line, site in zip(lines, sites, strict=False)),
        encoding="utf-8",
    )

    store = _imported(tables, "multi_label", tmp_path / "d", source=str(table))

    assert store.classes == sorted(COLORS)


def test_an_image_with_a_bad_cell_is_left_out(tables: dict[str, Path], tmp_path: Path) -> None:
    lines = tables["regression"].read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace(lines[3].split(",")[1], "much")
    table = tmp_path / "table.csv"
    table.write_text("\n".join(lines), encoding="utf-8")
    recipe = target_recipe(tables, "regression", source=str(table))

    import_dataset(recipe, tmp_path / "d", SilentProgress())

    (skipped,) = read_skipped(tmp_path / "d")
    assert '"ink" contains "much"' in skipped.reason
    assert len(Store.open(tmp_path / "d").labels) == COUNT - 1


def test_a_folder_has_no_targets(tables: dict[str, Path], tmp_path: Path) -> None:
    folder = tables["regression"].parent / "pictures"
    with pytest.raises(StudioError, match="needs a table"):
        _imported(tables, "regression", tmp_path / "d", source=str(folder), path_prefix="")


def test_targets_are_edited_and_undone(tables: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "d"
    before = _imported(tables, "regression", folder)
    edit_dataset(folder, [SetTarget(rows="0-1", output=1, value=7.5), Exclude(rows="2")])
    after = Store.open(folder)

    assert after.targets[:2, 1].tolist() == [7.5, 7.5]
    changes = compare_versions(before, after)
    assert changes.relabeled.tolist() == [0, 1]
    assert changes.excluded.tolist() == [2]
    undo(folder)
    again = Store.open(folder)
    assert compare_versions(before, again).is_empty


def test_a_label_can_be_added_and_renamed(tables: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "d"
    before = _imported(tables, "multi_label", folder)
    set_label = SetTarget(rows="4", output=3, value=1)
    edit_dataset(folder, [AddClass(name="round"), set_label, RenameClass(label=0, name="azul")])
    store = Store.open(folder)

    assert store.classes == ["azul", "green", "red", "round"]
    assert store.class_rows(3).tolist() == [4]
    assert compare_versions(before, store).relabeled.tolist() == [4]


@pytest.mark.parametrize(
    ("task", "edit"),
    [
        ("multi_label", SetTarget(rows="0", output=0, value=0.5)),
        ("multi_label", SetTarget(rows="0", output=9, value=1)),
        ("multi_label", Relabel(rows="0", label=0)),
        ("regression", AddClass(name="weight")),
        ("regression", SetTarget(rows="0", output=0, value=1e300)),
    ],
)
def test_edits_that_mean_nothing_are_refused(
    tables: dict[str, Path], tmp_path: Path, task: str, edit: SetTarget | Relabel | AddClass
) -> None:
    folder = tmp_path / "d"
    _imported(tables, task, folder)
    with pytest.raises(StudioError):
        edit_dataset(folder, [edit])
    assert Store.open(folder).version == 0


@pytest.mark.parametrize("task", ["multi_label", "regression"])
def test_split_again(tables: dict[str, Path], tmp_path: Path, task: str) -> None:
    folder = tmp_path / "d"
    _imported(tables, task, folder)
    resplit_dataset(folder, SplitPlan(val_percent=50, test_percent=0))
    # Some of the pictures are near-duplicates, which stay together.
    assert abs(len(Store.open(folder).rows("val")) - COUNT / 2) <= 6

    folds = []
    for fold in range(4):
        resplit_dataset(folder, SplitPlan(method="kfold", folds=4, fold=fold, test_percent=0))
        folds.append(Store.open(folder).rows("val"))
    seen = np.concatenate(folds)
    assert len(np.unique(seen)) == len(seen) == COUNT
    assert {TRAIN, VAL} == set(Store.open(folder).split.tolist())


def test_damaged_targets_are_reported(tables: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "d"
    _imported(tables, "regression", folder)
    (folder / TARGETS_NAME).write_bytes(b"\x93NUMPY no more")
    with pytest.raises(BadDataError, match="targets"):
        Store.open(folder)
    np.save(folder / TARGETS_NAME, np.zeros((3, 2), np.float32))
    with pytest.raises(BadDataError, match="shape"):
        Store.open(folder)
