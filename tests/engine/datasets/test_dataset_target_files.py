"""Labels and numbers of images in arrays, in Parquet tables and in datasets, and their export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from dataset_pictures import noise_png
from numpy.typing import NDArray

from helpers.target_datasets import COLORS, squares, target_recipe
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.export import FORMATS, all_splits, export_dataset
from studio.engine.datasets.gather import annotated, parts_of, scan_parts
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import recipe_to_add
from studio.engine.datasets.sources.base import Scan
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_summary
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.targets import Annotated

SILENT = SilentProgress()
COUNT = 40
TASKS_WITH_TARGETS = ("multi_label", "regression")
IMAGES = np.random.default_rng(3).integers(0, 256, (6, 8, 8, 3), np.uint8)
LABELS = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]])
NUMBERS = np.array([[0.1, -7], [1e-7, 2], [3.25, 5e9], [4, 0], [5, 1], [6, 2]], np.float32)


def _read(path: Path, task: str, **values: object) -> tuple[Scan, Annotated]:
    recipe = DatasetRecipe.parse({"source": str(path), "task": task, **values})
    parts = parts_of(recipe)
    scan = scan_parts(parts, recipe, SILENT)
    found = annotated(parts, scan, recipe)
    assert found is not None
    return scan, found


def _imported(folder: Path, source: Path, task: str, **values: object) -> Store:
    size: dict[str, object] = {"width": 24, "height": 24, "val_percent": 0, "test_percent": 0}
    fields = {"source": str(source), "task": task} | size | values
    import_dataset(DatasetRecipe.parse(fields), folder, SILENT)
    return Store.open(folder)


@pytest.fixture(scope="module", params=TASKS_WITH_TARGETS)
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp(request.param)
    tables = squares(folder / "squares", COUNT)
    import_dataset(target_recipe(tables, request.param), folder / "dataset", SILENT)
    edit_dataset(folder / "dataset", [Exclude(rows="3")])
    return Store.open(folder / "dataset")


def _content(store: Store) -> dict[bytes, tuple[str, list[float]]]:
    return {
        store.images[row].tobytes(): (split, store.targets[row].tolist())
        for split in ("train", "val", "test")
        for row in store.rows(split).tolist()
    }


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_is_imported_as_it_was(dataset: Store, tmp_path: Path, form: str) -> None:
    path = export_dataset(dataset, form, all_splits(dataset), tmp_path / "out", "d", SILENT)
    table = path / "targets.csv" if path.is_dir() else path
    again = _imported(tmp_path / "again", table, dataset.task.name)

    assert again.classes == dataset.classes
    assert again.units == dataset.units
    assert _content(again) == _content(dataset)
    assert not read_summary(tmp_path / "again").skipped


def test_one_split_as_folder_has_a_table(dataset: Store, tmp_path: Path) -> None:
    path = export_dataset(dataset, "folders", ["val"], tmp_path / "out", "d", SILENT)

    assert {entry.name for entry in path.iterdir()} == {"val", "targets.csv"}
    with pytest.raises(StudioError, match="left to train on"):
        _read(path / "targets.csv", dataset.task.name)
    scan, _ = _read(path / "targets.csv", dataset.task.name, only_splits=["val"])
    assert {item.split for item in scan.items} == {"val"}
    assert len(scan.items) == len(dataset.rows("val"))


def test_a_dataset_is_imported_from_and_added_to(dataset: Store, tmp_path: Path) -> None:
    folder, task = dataset.path.parent, dataset.task.name
    more = squares(tmp_path / "more", 10, seed=5)
    old = dataset.recipe.changed(path_prefix=str(tmp_path / "more" / "pictures"))
    recipe = recipe_to_add(folder, old, dataset.counts(), [more[task]])
    recipe = recipe.changed(path_prefix=str(tmp_path / "more" / "pictures"))
    import_dataset(recipe, tmp_path / "both", SILENT)
    both = Store.open(tmp_path / "both")

    assert both.task == dataset.task
    assert both.classes == dataset.classes
    assert sum(both.counts().values()) == COUNT - 1 + 10
    assert _content(dataset).items() <= _content(both).items()


def _csv(path: Path, text: str) -> str:
    (path.parent / f"{path.stem}.png").write_bytes(noise_png(len(path.stem)))
    path.write_text(text.format(image=f"{path.stem}.png"))
    return str(path)


def test_sources_with_different_labels_have_the_union_of_labels(tmp_path: Path) -> None:
    one = _csv(tmp_path / "a.csv", "path,labels\n{image},dog;cat\n")
    two = _csv(tmp_path / "ab.csv", "path,bird,cat\n{image},1,1\n")
    scan, found = _read(Path(one), "multi_label", more_sources=[two])

    assert found.names == ("cat", "dog", "bird")
    assert found.values.tolist() == [[1, 1, 0], [1, 0, 1]]
    assert len(scan.items) == 2


def test_sources_with_other_quantities_or_units_are_refused(tmp_path: Path) -> None:
    one = _csv(tmp_path / "a.csv", "path,mass [g]\n{image},1\n")
    more = _csv(tmp_path / "ab.csv", "path,height,mass [g]\n{image},2,3\n")
    _, found = _read(Path(one), "regression", more_sources=[more])
    assert (found.names, found.units) == (("mass",), ("g",))
    assert found.values.tolist() == [[1], [3]]

    other = _csv(tmp_path / "abc.csv", "path,height\n{image},2\n")
    with pytest.raises(StudioError, match='no column "mass"; it has height') as caught:
        _read(Path(one), "regression", more_sources=[other])
    assert caught.value.where == "more_sources"
    unit = _csv(tmp_path / "abcd.csv", "path,mass [kg]\n{image},2\n")
    with pytest.raises(StudioError, match='"mass" in kg, but the first source has g'):
        _read(Path(one), "regression", more_sources=[unit])


def test_a_dataset_of_another_task_says_so(dataset: Store) -> None:
    recipe = DatasetRecipe(source=str(dataset.path.parent))
    parts = parts_of(recipe)
    with pytest.raises(StudioError, match=dataset.task.label.lower()):
        scan_parts(parts, recipe, SILENT)


def test_the_original_file_of_an_image_is_named(dataset: Store) -> None:
    assert all(Path(dataset.origin(row)).is_file() for row in range(COUNT))


def _saved(path: Path, **arrays: NDArray[Any]) -> Path:
    if path.suffix == ".npz":
        np.savez(path, **arrays)  # type: ignore[arg-type]  # its stubs take the flag for one
        return path
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            if array.dtype.kind == "U":
                file.create_dataset(name, data=array.astype(object), dtype=h5py.string_dtype())
            else:
                file[name] = array
    return path


@pytest.fixture(params=[".npz", ".h5"])
def arrays(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return tmp_path / f"arrays{request.param}"


def test_a_matrix_of_labels(arrays: Path) -> None:
    for kind in (np.uint8, np.bool_, np.float32, np.int64):
        _saved(arrays, images=IMAGES, labels=LABELS.astype(kind), label_names=np.array(COLORS))
        scan, found = _read(arrays, "multi_label")
        assert found.names == COLORS
        assert np.array_equal(found.values, LABELS)
        assert not scan.problems


def test_a_matrix_of_numbers_with_units(arrays: Path) -> None:
    names, units = np.array(["ink", "sum"]), np.array(["%", ""])
    _saved(arrays, x=IMAGES, y=NUMBERS, target_names=names, target_units=units)
    _, found = _read(arrays, "regression")

    assert (found.names, found.units) == (("ink", "sum"), ("%", ""))
    assert found.values.dtype == np.float32
    assert np.array_equal(found.values, NUMBERS)
    _, chosen = _read(arrays, "regression", target_columns=["ink"])
    assert chosen.names == ("ink",)


def test_one_number_per_image_needs_no_name(arrays: Path) -> None:
    _saved(arrays, x_train=IMAGES, y_train=NUMBERS[:, 0], x_test=IMAGES, y_test=NUMBERS[:, :1])
    scan, found = _read(arrays, "regression")

    assert found.names == ("y",)
    assert [item.split for item in scan.items] == ["train"] * 6 + ["test"] * 6


def test_names_of_targets_from_a_labels_file(arrays: Path, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("a\nb\nc\n")
    _saved(arrays, x=IMAGES, y=LABELS)
    _, found = _read(arrays, "multi_label", labels_file=str(tmp_path / "names.txt"))
    assert found.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("targets", "more", "message"),
    [
        (NUMBERS, {}, "2 columns of targets have no names"),
        (NUMBERS, {"names": np.array(["a"])}, "2 columns of targets and 1 names"),
        (NUMBERS, {"names": np.array(["a", "a"])}, "empty or repeated"),
        (NUMBERS, {"names": np.array(["a", " "])}, "empty or repeated"),
        (NUMBERS, {"names": np.array(["a", "b"]), "units": np.array(["g"])}, "1 units"),
        (NUMBERS[:5], {}, "contains no images with labels"),
        (np.zeros((6, 2, 2)), {}, "contains no images with labels"),
        (np.zeros((6, 0)), {}, "have no names"),
        (NUMBERS.astype(np.complex64), {"names": np.array(["a", "b"])}, "complex64"),
        (np.full((6, 2), np.nan), {"names": np.array(["a", "b"])}, "no column of numbers"),
    ],
)
def test_arrays_that_hold_no_targets(
    arrays: Path, targets: NDArray[Any], more: dict[str, NDArray[Any]], message: str
) -> None:
    _saved(arrays, x=IMAGES, y=targets, **more)
    with pytest.raises(StudioError, match=message):
        _read(arrays, "regression")


def test_python_objects_are_not_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=IMAGES, y=np.array([[1], 2, 3, 4, 5, 6], object))
    with pytest.raises(StudioError, match="contains no images with labels") as caught:
        _read(tmp_path / "a.npz", "regression")
    assert "Python objects" in caught.value.hint


def test_a_target_that_is_no_number_costs_its_image(arrays: Path) -> None:
    damaged = NUMBERS.copy()
    damaged[1, 1], damaged[4, 0] = np.nan, np.inf
    _saved(arrays, x=IMAGES, y=damaged, names=np.array(["ink", "sum"]))
    scan, found = _read(arrays, "regression")

    assert len(found.values) == len(scan.items) == 4
    assert [(each.path, each.reason) for each in scan.problems] == [
        ("x/1", 'the column "sum" contains "nan", which is not a number'),
        ("x/4", 'the column "ink" contains "inf", which is not a number'),
    ]


def test_parts_with_other_targets_are_left_out(arrays: Path) -> None:
    _saved(arrays, x_train=IMAGES, y_train=NUMBERS[:, 0], x_test=IMAGES, target_test=NUMBERS[:, 0])
    scan, _ = _read(arrays, "regression")

    assert len(scan.items) == 6
    (problem,) = scan.problems
    assert problem.path == "x_test"
    assert "those of the first array are y" in problem.reason


def _table(path: Path, columns: dict[str, Any], metadata: object = None) -> Path:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    count = len(next(iter(columns.values())))
    images = pa.array(
        [{"bytes": noise_png(seed), "path": None} for seed in range(count)],
        pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
    )
    table = pa.table({"image": images, **columns})
    if metadata is not None:
        features = json.dumps({"info": {"features": metadata}})
        table = table.replace_schema_metadata({"huggingface": features})
    pq.write_table(table, path)
    return path


def test_numbers_of_a_parquet_table(tmp_path: Path) -> None:
    columns = {
        "weight [g]": [0.1, 2.5, None, 4.0],
        "count": [1, 2, 3, 4],
        "remark": ["a", "b", "c", "d"],
        "split": ["train", "test", "train", "train"],
    }
    scan, found = _read(_table(tmp_path / "a.parquet", columns), "regression")

    assert (found.names, found.units) == (("weight", "count"), ("g", ""))
    assert found.values.tolist() == [[np.float32(0.1), 1], [2.5, 2], [4, 4]]
    assert [item.split for item in scan.items] == ["train", "test", "train"]
    assert [(each.path, each.reason) for each in scan.problems] == [
        ("a.parquet/2", 'the column "weight" is empty')
    ]


def test_labels_of_a_parquet_table(tmp_path: Path) -> None:
    columns = {"cat": [True, False, True], "dog": [False, False, True]}
    _, found = _read(_table(tmp_path / "a.parquet", columns), "multi_label")
    assert found.names == ("cat", "dog")
    assert found.values.tolist() == [[1, 0], [0, 0], [1, 1]]


def test_lists_of_labels_in_a_parquet_table(tmp_path: Path) -> None:
    lists = [["traffic light"], [], ["car", "traffic light"], ["car"]]
    _, found = _read(_table(tmp_path / "a.parquet", {"labels": lists}), "multi_label")
    assert found.names == ("car", "traffic light")
    assert found.values.tolist() == [[0, 1], [0, 0], [1, 1], [1, 0]]


def test_numbered_labels_of_a_parquet_table_have_names(tmp_path: Path) -> None:
    feature = {"feature": {"names": ["car", "bus"], "_type": "ClassLabel"}, "_type": "Sequence"}
    path = _table(tmp_path / "a.parquet", {"labels": [[0], [1, 0], [9]]}, {"labels": feature})
    scan, found = _read(path, "multi_label")

    assert found.names == ("bus", "car")
    assert found.values.tolist() == [[0, 1], [1, 1]]
    assert [each.reason for each in scan.problems] == [
        "the label 9 has no name: there are 2 names"
    ]


def test_a_parquet_table_without_targets(tmp_path: Path) -> None:
    path = _table(tmp_path / "a.parquet", {"remark": ["a", "b"]})
    with pytest.raises(StudioError, match="no column of numbers"):
        _read(path, "regression")
    with pytest.raises(StudioError, match='no column "weight"; it has remark'):
        _read(path, "regression", target_columns=["weight"])
