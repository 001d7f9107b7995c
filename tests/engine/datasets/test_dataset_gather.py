"""Several places, separate validation and test images, limits, subsets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import class_folders, noise_png, recipe
from source_cases import as_zip, pictures

from studio.engine.datasets.importer import import_dataset, read_skipped
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

SILENT = SilentProgress()


def names(out: Path, split: str) -> list[str]:
    store = Store.open(out)
    return [store.paths[row] for row in store.rows(split).tolist()]


def test_separate_folders_are_matched_by_name(tmp_path: Path) -> None:
    train = class_folders(tmp_path / "train pictures", {"a": 5, "b": 5, "z": 5})
    val = class_folders(tmp_path / "val pictures", {"z": 3, "unknown": 2})
    test = class_folders(tmp_path / "test pictures", {"a": 1})
    asked = recipe(
        train, val_source=str(val), test_source=str(test), val_percent=50, test_percent=40
    )
    summary = import_dataset(asked, tmp_path / "out", SILENT)
    assert summary.counts == {"train": 15, "val": 3, "test": 1}
    assert summary.classes == ["a", "b", "z"]
    assert [(e.path, e.reason.split(";")[0]) for e in summary.skipped] == [
        ("unknown", "the class has no training images")
    ]
    assert all(path.startswith(f"{val.as_posix()}/z/") for path in names(tmp_path / "out", "val"))


@pytest.mark.parametrize("field", ["val_source", "test_source"])
def test_missing_separate_source(tmp_path: Path, field: str) -> None:
    train = class_folders(tmp_path / "in", {"a": 2, "b": 2})
    with pytest.raises(StudioError, match="does not exist") as caught:
        import_dataset(recipe(train, **{field: str(tmp_path / "gone")}), tmp_path / "out", SILENT)
    assert caught.value.where == field


def test_sources_of_different_kinds_are_merged(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 3, "b": 3})
    (tmp_path / "zip").mkdir()
    archive = as_zip(tmp_path / "zip", pictures(["b", "c"], 4))
    asked = recipe(folder, more_sources=[str(archive)], val_percent=0, test_percent=0)
    summary = import_dataset(asked, tmp_path / "out", SILENT)
    assert summary.classes == ["a", "b", "c"]
    store = Store.open(tmp_path / "out")
    assert store.class_counts()["train"] == [3, 7, 4]
    assert store.paths[0] == "a/image 0.png"
    assert store.paths[-1] == f"{archive.as_posix()}/top/c/image 3.png"
    # Rows of the two places lie class by class, as those of one would.
    assert (np.diff(store.labels) >= 0).all()


def test_adding_moves_nothing_that_was_there(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 10, "b": 10})
    import_dataset(recipe(folder), tmp_path / "one", SILENT)
    more = class_folders(tmp_path / "more", {"a": 10})  # one class is enough here
    asked = recipe(tmp_path / "one", more_sources=[str(more)])
    summary = import_dataset(asked, tmp_path / "two", SILENT)
    assert summary.count == 30
    one, two = Store.open(tmp_path / "one"), Store.open(tmp_path / "two")
    old = {path: row for row, path in enumerate(two.paths) if not path.startswith("/")}
    for row, path in enumerate(one.paths):
        assert np.array_equal(one.images[row], two.images[old[path]])
        assert one.split[row] == two.split[old[path]]
    added = [row for row, path in enumerate(two.paths) if path.startswith(more.as_posix())]
    assert np.bincount(two.split[added]).tolist() == [7, 2, 1]


def test_subset_of_a_dataset(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 10, "b": 10, "c": 10})
    import_dataset(recipe(folder), tmp_path / "one", SILENT)
    asked = recipe(
        tmp_path / "one", only_classes=["a", "c"], only_splits=["train"], test_percent=0
    )
    summary = import_dataset(asked, tmp_path / "two", SILENT)
    assert summary.classes == ["a", "c"]
    assert summary.count == 14
    # Validation images are taken from those for training, where no others are left.
    assert summary.counts["val"] == 3
    test_only = recipe(tmp_path / "one", only_splits=["test"])
    assert import_dataset(test_only, tmp_path / "three", SILENT).counts == {
        "train": 0,
        "val": 0,
        "test": 3,
    }
    with pytest.raises(StudioError, match='no class called "x"') as caught:
        import_dataset(recipe(folder, only_classes=["x"]), tmp_path / "four", SILENT)
    assert caught.value.where == "only_classes"
    with pytest.raises(StudioError, match="At least two classes"):
        import_dataset(recipe(folder, only_classes=["a"]), tmp_path / "four", SILENT)


def test_most_per_class_is_a_seeded_sample(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 40, "b": 5})
    found = {}
    for name, seed in (("one", 0), ("same", 0), ("other", 1)):
        asked = recipe(folder, max_per_class=8, seed=seed, val_percent=0, test_percent=0)
        assert import_dataset(asked, tmp_path / name, SILENT).count == 13
        found[name] = names(tmp_path / name, "train")
    assert found["one"] == found["same"]
    assert found["one"] != found["other"]
    first = [path for path in found["one"] if path.startswith("a/")]
    assert first != [f"a/image {index}.png" for index in range(8)]
    assert first == sorted(first, key=lambda path: int(path[8:-4]))


def test_fewest_per_class_leaves_classes_out_with_a_line(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 5, "b": 5, "few": 2, "broken": 4})
    for index in range(2):
        (folder / "broken" / f"image {index}.png").write_bytes(b"x")
    summary = import_dataset(recipe(folder, min_per_class=3), tmp_path / "out", SILENT)
    assert summary.classes == ["a", "b"]
    lines = {entry.path: entry.reason for entry in read_skipped(tmp_path / "out")}
    assert "2 images to train on; the minimum is 3" in lines["few"]
    assert "2 images to train on; the minimum is 3" in lines["broken"]  # known only after decoding
    store = Store.open(tmp_path / "out")
    assert sum(store.counts().values()) == summary.count == 10
    mean = store.images[store.split >= 0].mean(axis=(0, 1, 2))
    from studio.engine.datasets.summary import read_summary

    assert np.allclose(read_summary(tmp_path / "out").mean_color, mean, atol=1e-3)


def test_limits_of_separate_images_are_their_own(tmp_path: Path) -> None:
    train = class_folders(tmp_path / "train", {"a": 9, "b": 9, "few": 2, "z": 9})
    val = class_folders(tmp_path / "val", {"a": 1, "b": 6, "few": 6, "z": 3})
    test = class_folders(tmp_path / "test", {"a": 4, "b": 5, "z": 2})
    asked = recipe(
        train,
        val_source=str(val),
        test_source=str(test),
        min_per_class=3,
        max_per_class=8,
        val_min_per_class=2,
        val_max_per_class=4,
        test_max_per_class=3,
    )
    summary = import_dataset(asked, tmp_path / "out", SILENT)
    assert summary.classes == ["a", "b", "z"]  # DIGITS loses the last one here
    store = Store.open(tmp_path / "out")
    assert store.class_counts() == {"train": [8, 8, 8], "val": [0, 4, 3], "test": [3, 3, 2]}
    assert [(entry.path, entry.reason) for entry in summary.skipped] == [
        ("few", "the class has 2 images to train on; the minimum is 3"),
        ("a", "the class has 1 image for validation; the minimum is 2"),
    ]
    again = import_dataset(asked, tmp_path / "again", SILENT)
    assert again.counts == summary.counts
    assert names(tmp_path / "again", "val") == names(tmp_path / "out", "val")
    taken = [path.rpartition("/")[2] for path in names(tmp_path / "out", "val") if "/b/" in path]
    assert taken != [f"image {index}.png" for index in range(4)]  # a sample, not the first


def test_limits_hold_for_folders_of_splits(tmp_path: Path) -> None:
    for split, count in (("train", 5), ("val", 4)):
        class_folders(tmp_path / "in" / split, {"a": count, "b": count})
    asked = recipe(tmp_path / "in", val_max_per_class=2, test_percent=0)
    assert import_dataset(asked, tmp_path / "out", SILENT).counts["val"] == 4


def test_limits_without_separate_images_are_reported(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 5, "b": 5})
    warnings: list[str] = []

    class Recorder(SilentProgress):
        def warn(self, message: str) -> None:
            warnings.append(message)

    import_dataset(recipe(folder, test_min_per_class=3), tmp_path / "out", Recorder())
    assert warnings == ["There are no separate test images, so their limits have no effect."]
    for split in ("val_", "test_", ""):
        limits = {f"{split}min_per_class": 3, f"{split}max_per_class": 2}
        with pytest.raises(StudioError, match="is below the minimum of 3"):
            recipe(folder, **limits)


def test_separate_lists_have_their_own_prefixes(tmp_path: Path) -> None:
    sources = {}
    for split, count in (("train", 4), ("val", 2), ("test", 1)):
        folder = class_folders(tmp_path / f"{split} pictures", {"a": count, "b": count})
        files = sorted(file.relative_to(folder) for file in folder.rglob("*.png"))
        sources[split] = tmp_path / f"{split}.txt"
        sources[split].write_text("\n".join(f"{file.as_posix()} {file.parent}" for file in files))
    asked = recipe(
        sources["train"],
        val_source=str(sources["val"]),
        test_source=str(sources["test"]),
        path_prefix=str(tmp_path / "train pictures"),
        val_path_prefix=str(tmp_path / "val pictures"),
        test_path_prefix=str(tmp_path / "test pictures"),
    )
    summary = import_dataset(asked, tmp_path / "out", SILENT)
    assert summary.counts == {"train": 8, "val": 4, "test": 2}
    assert summary.skipped == []
    with pytest.raises(StudioError, match="has no effect: there is no separate source") as caught:
        import_dataset(asked.changed(val_source=""), tmp_path / "two", SILENT)
    assert caught.value.where == "val_path_prefix"


@pytest.mark.parametrize("field", ["labels_file", "path_prefix"])
def test_what_would_be_ignored_is_refused(tmp_path: Path, field: str) -> None:
    folder = class_folders(tmp_path / "in", {"a": 2, "b": 2})
    with pytest.raises(StudioError, match="has no effect") as caught:
        import_dataset(recipe(folder, **{field: str(tmp_path)}), tmp_path / "out", SILENT)
    assert caught.value.where == field


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(StudioError, match="is below the minimum"):
        DatasetRecipe.parse({"source": "x", "min_per_class": 5, "max_per_class": 4})
    assert DatasetRecipe(source="x", min_per_class=5, max_per_class=5).max_per_class == 5


@pytest.mark.parametrize(
    "values",
    [
        {"val_percent": 101},
        {"val_percent": -1},
        {"val_percent": 60, "test_percent": 40},
        {"test_percent": 100},
        {"min_per_class": 0},
        {"max_per_class": 0},
        {"width": 0},
        {"height": 5000},
        {"border": "noise"},
        {"only_splits": ["dev"]},
    ],
)
def test_values_that_cannot_be_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(StudioError):
        DatasetRecipe.parse({"source": "x", **values})


def test_recipes_from_before_still_open() -> None:
    old = DatasetRecipe(source="x").model_dump()
    for name in ("more_sources", "border", "val_source", "min_per_class", "labels_file"):
        old.pop(name)
    assert DatasetRecipe.parse(old) == DatasetRecipe(source="x")


def test_split_folders_of_many_names(tmp_path: Path) -> None:
    for number, val in enumerate(("val", "valid", "Validation")):
        root = class_folders(
            tmp_path / str(number) / "wrapped",
            {"train/a": 2, "train/b": 2, f"{val}/a": 1, "TEST/b": 2},
        )
        (root / "readme.txt").write_text("x")
        out = tmp_path / f"out{number}"
        summary = import_dataset(recipe(root.parent, val_percent=50), out, SILENT)
        assert summary.counts == {"train": 4, "val": 1, "test": 2}
        assert [entry.path for entry in summary.skipped] == ["wrapped/readme.txt"]


def test_training_images_are_shared_out_where_there_is_no_validation(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"train/a": 10, "train/b": 10, "test/a": 3})
    summary = import_dataset(recipe(root), tmp_path / "out", SILENT)
    assert summary.counts == {"train": 16, "val": 4, "test": 3}


def test_a_dataset_deleted_while_it_is_read(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "in", {"a": 20, "b": 20}, noise_png)
    import_dataset(recipe(folder), tmp_path / "one", SILENT)

    class Deleting(SilentProgress):
        def advance(self, done: int, total: int, what: str) -> None:
            if what == "Importing images" and done == 3:
                (tmp_path / "one" / "images.h5").unlink()
                (tmp_path / "one").rename(tmp_path / "gone")

    with pytest.raises(StudioError, match="disappeared"):
        import_dataset(recipe(tmp_path / "one"), tmp_path / "two", Deleting())
