from __future__ import annotations

import os
import sys
from io import BytesIO
from pathlib import Path

import h5py
import numpy as np
import pytest
from dataset_pictures import (
    Listener,
    class_folders,
    encoded,
    import_until_killed,
    noise,
    noise_png,
    png_that_claims,
    recipe,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from helpers.sampling import few_examples
from studio.engine.datasets import decode_ahead, writer
from studio.engine.datasets.decode import load_image
from studio.engine.datasets.importer import import_dataset, read_skipped, suggest_recipe
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import base
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.datasets.summary import SUMMARY_NAME, read_summary
from studio.engine.datasets.writer import REMARKS_NAME
from studio.engine.errors import BadDataError, DiskFullError, StudioError
from studio.engine.progress import Cancelled, SilentProgress

SILENT = SilentProgress()


def same_data(one: Path, other: Path) -> bool:
    with h5py.File(one / FILE_NAME) as first, h5py.File(other / FILE_NAME) as second:
        return all(np.array_equal(first[name][:], second[name][:]) for name in first)


def test_every_row_is_what_prediction_would_see(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"cat_a": 7, "dög b": 9})
    asked = recipe(root, val_percent=25, test_percent=25)
    listener = Listener()
    summary = import_dataset(asked, tmp_path / "out", listener)
    assert (summary.count, summary.classes, summary.skipped) == (16, ["cat_a", "dög b"], [])
    assert summary.counts == {"train": 8, "val": 4, "test": 4}
    assert listener.steps[-1] == (16, 16, "Importing images")
    store = Store.open(tmp_path / "out")
    assert store.counts() == summary.counts
    for row, path in enumerate(store.paths):
        assert np.array_equal(store.images[row], load_image(root / path, asked))
        assert store.classes[store.labels[row]] == path.split("/")[0]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "images.h5",
        "import.json",
        "skipped.json",
        "summary.json",
    ]


def test_summary_agrees_with_the_store(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"a": 4, "b": 5})
    (root / "a" / "text.png").write_text("no picture")
    import_dataset(recipe(root), tmp_path / "out", SILENT)
    summary, store = read_summary(tmp_path / "out"), Store.open(tmp_path / "out")
    assert (summary.height, summary.width, summary.channels) == store.shape
    assert summary.classes == store.classes
    assert summary.count == store.counts()
    assert summary.class_counts == store.class_counts()
    assert summary.skipped == 1
    assert summary.total == 9
    mean = store.images[store.split >= 0].mean(axis=(0, 1, 2))
    assert np.allclose(summary.mean_color, mean, atol=1e-3)


def test_unreadable_files_are_listed_and_the_rest_imported(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"a": 3, "b": 3})
    bad = {
        "empty.png": (b"", "empty"),
        "text.png": (b"hello", "not an image"),
        "cut.jpg": (encoded(Image.fromarray(noise(1, 64, 64)), "JPEG")[:-400], "truncated"),
        "bomb.png": (png_that_claims(50_000, 50_000), "million pixels"),
        "two\nlines.png": (b"x", "not an image"),
    }
    for name, (data, _) in bad.items():
        (root / "b" / name).write_bytes(data)
    (root / "b" / "notes.txt").write_text("x")
    summary = import_dataset(recipe(root), tmp_path / "out", SILENT)
    assert summary.count == 6
    skipped = {entry.path: entry.reason for entry in read_skipped(tmp_path / "out")}
    assert skipped.pop("b/notes.txt") == 'unsupported image format: ".txt"'
    assert set(skipped) == {f"b/{name}" for name in bad}
    for name, (_, reason) in bad.items():
        assert reason in skipped[f"b/{name}"]
    assert [entry.path for entry in summary.skipped] == [
        entry.path for entry in read_skipped(tmp_path / "out")
    ]
    assert Store.open(tmp_path / "out").counts() == summary.counts


def test_same_recipe_same_bytes(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"a": 12, "b": 8})
    for name in ("one", "two"):
        import_dataset(recipe(root), tmp_path / name, SILENT)
    assert same_data(tmp_path / "one", tmp_path / "two")
    one, two = (tmp_path / name / SUMMARY_NAME for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    import_dataset(recipe(root, seed=1), tmp_path / "three", SILENT)
    assert not same_data(tmp_path / "one", tmp_path / "three")


def test_cancel_and_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = class_folders(tmp_path / "in", {"a": 40, "b": 40})
    (root / "a" / "bad.png").write_text("x")
    import_dataset(recipe(root), tmp_path / "whole", SILENT)
    with pytest.raises(Cancelled):
        import_dataset(recipe(root), tmp_path / "out", Listener(cancel_after=50))
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert left == {FILE_NAME + ".partial", REMARKS_NAME}
    seen = count_decodes(monkeypatch)
    listener = Listener()
    import_dataset(recipe(root), tmp_path / "out", listener)
    assert len(seen) <= 81 - 49 + 1
    assert listener.steps[-1][:2] == (81, 81)
    assert same_data(tmp_path / "whole", tmp_path / "out")
    summaries = [(tmp_path / name / SUMMARY_NAME).read_bytes() for name in ("whole", "out")]
    assert summaries[0] == summaries[1]
    assert read_skipped(tmp_path / "whole") == read_skipped(tmp_path / "out")


def count_decodes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Watch the decoder; it keeps working."""
    seen: list[str] = []
    decode = decode_ahead.decode_picture

    def watched(*arguments: object) -> object:
        seen.append("")
        return decode(*arguments)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(decode_ahead, "decode_picture", watched)
    return seen


@pytest.mark.parametrize("change", ["file", "recipe", "added"])
def test_a_source_that_changed_meanwhile_starts_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    root = class_folders(tmp_path / "in", {"a": 10, "b": 10})
    with pytest.raises(Cancelled):
        import_dataset(recipe(root), tmp_path / "out", Listener(cancel_after=10))
    if change == "file":
        os.utime(root / "a" / "image 0.png", ns=(1, 1))
    if change == "added":
        (root / "a" / "new.png").write_bytes(noise_png(99))
    asked = recipe(root, seed=5 if change == "recipe" else 0)
    seen = count_decodes(monkeypatch)
    import_dataset(asked, tmp_path / "out", SILENT)
    assert len(seen) == 20 + (change == "added")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_and_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = class_folders(tmp_path / "in", {"a": 20, "b": 20})
    asked = recipe(root)
    import_until_killed(asked, tmp_path / "out")
    seen = count_decodes(monkeypatch)
    import_dataset(asked, tmp_path / "out", SILENT)
    assert len(seen) == 20
    import_dataset(asked, tmp_path / "whole", SILENT)
    assert same_data(tmp_path / "whole", tmp_path / "out")


def test_full_disk_leaves_something_to_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = class_folders(tmp_path / "in", {"a": 5, "b": 5})
    write = writer.StoreWriter.write

    def full(self: writer.StoreWriter, row: int, *rest: object) -> None:
        if row == 6:
            self._file.handle.close()
            self._file.handle = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115, PTH123
        write(self, row, *rest)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(writer.StoreWriter, "write", full)
    monkeypatch.setattr(writer, "ROWS_BETWEEN_FLUSHES", 2)
    with pytest.raises(DiskFullError, match="no space left"):
        import_dataset(recipe(root), tmp_path / "out", SILENT)
    monkeypatch.undo()
    seen = count_decodes(monkeypatch)
    import_dataset(recipe(root), tmp_path / "out", SILENT)
    assert len(seen) == 4
    assert sum(Store.open(tmp_path / "out").counts().values()) == 10


def test_a_class_without_a_good_image_is_dropped(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"a": 3, "b": 0, "c": 3})
    (root / "b" / "bad.png").write_text("x")
    summary = import_dataset(recipe(root), tmp_path / "out", SILENT)
    assert summary.classes == ["a", "c"]
    store = Store.open(tmp_path / "out")
    assert store.classes == ["a", "c"]
    assert store.paths[store.class_rows(1)[0]].startswith("c/")


def test_fewer_than_two_classes_survive(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"a": 3, "b": 0})
    (root / "b" / "bad.png").write_text("x")
    with pytest.raises(BadDataError, match=r'only "a".*b/bad\.png: not an image'):
        import_dataset(recipe(root), tmp_path / "out", SILENT)
    assert [entry.path for entry in read_skipped(tmp_path / "out")] == ["b/bad.png"]
    assert not list((tmp_path / "out").glob("images*"))


def test_nothing_already_there_is_lost(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"a": 3, "b": 3})
    import_dataset(recipe(root), tmp_path / "out", SILENT)
    before = (tmp_path / "out" / FILE_NAME).read_bytes()
    with pytest.raises(StudioError, match="already holds a dataset"):
        import_dataset(recipe(root, seed=3), tmp_path / "out", SILENT)
    assert (tmp_path / "out" / FILE_NAME).read_bytes() == before
    with pytest.raises(StudioError, match="does not exist"):
        import_dataset(recipe(tmp_path / "gone"), tmp_path / "other", SILENT)
    assert not (tmp_path / "other").exists()


def test_source_that_vanishes_is_not_a_list_of_bad_files(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "in", {"a": 30, "b": 30})

    class Unplugged(SilentProgress):
        def advance(self, done: int, total: int, what: str) -> None:
            if done == 3 and root.exists():
                root.rename(tmp_path / "elsewhere")

    with pytest.raises(StudioError, match="disappeared"):
        import_dataset(recipe(root), tmp_path / "out", Unplugged())
    (tmp_path / "elsewhere").rename(root)
    assert import_dataset(recipe(root), tmp_path / "out", SILENT).count == 60


def test_damaged_side_files_are_clear(tmp_path: Path) -> None:
    assert read_skipped(tmp_path) == []
    with pytest.raises(BadDataError, match="summary"):
        read_summary(tmp_path)
    (tmp_path / SUMMARY_NAME).write_text("{")
    (tmp_path / "skipped.json").write_text('[{"path": 3}]')
    with pytest.raises(BadDataError, match="summary"):
        read_summary(tmp_path)
    with pytest.raises(BadDataError, match="left out"):
        read_skipped(tmp_path)


@settings(max_examples=few_examples())
@given(
    st.lists(st.one_of(st.binary(max_size=80), st.integers(0, 9)), min_size=1, max_size=8),
    st.lists(
        st.text(
            st.characters(codec="utf-8", exclude_characters="/\0"),
            min_size=1,
            max_size=12,
        ).map(lambda name: "x" + name),
        min_size=8,
        max_size=8,
        unique_by=str.casefold,
    ),
)
def test_any_bytes_under_any_name(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes | int], names: list[str]
) -> None:
    root = class_folders(tmp_path_factory.mktemp("any"), {"a": 2, "b": 2})
    for content, name in zip(contents, names, strict=False):
        data = noise_png(content) if isinstance(content, int) else content
        (root / "b" / f"{name}.png").write_bytes(data)
    out = tmp_path_factory.mktemp("out")
    summary = import_dataset(recipe(root), out, SILENT)
    assert summary.count + len(summary.skipped) == 4 + len(contents)
    good = sum(isinstance(content, int) for content in contents)
    assert summary.count >= 4 + good
    assert all(entry.reason for entry in read_skipped(out))


def test_suggestion_finds_size_and_gray(tmp_path: Path) -> None:
    def photo(seed: int) -> bytes:
        return noise_png(seed, 90, 110)

    def gray_jpeg(seed: int) -> bytes:
        return encoded(Image.fromarray(noise(seed, 500, 400, 1)).convert("RGB"), "JPEG")

    colored = class_folders(tmp_path / "colored", {"a": 5, "b": 5}, photo)
    found = suggest_recipe(colored)
    assert (found.width, found.height, found.color) == (96, 96, "rgb")
    assert found.source == str(colored)
    gray = class_folders(tmp_path / "gray", {"a": 3, "b": 3}, gray_jpeg)
    (gray / "a" / "bad.png").write_text("x")
    found = suggest_recipe(gray)
    assert (found.width, found.color) == (224, "gray")
    bad = class_folders(tmp_path / "bad", {"a": 2, "b": 2}, lambda _: b"x")
    assert suggest_recipe(bad) == DatasetRecipe(source=str(bad))


def test_file_that_is_too_large_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = class_folders(tmp_path / "in", {"a": 3, "b": 3})
    (root / "a" / "huge.bmp").write_bytes(encoded(Image.new("RGB", (100, 100)), "BMP"))
    monkeypatch.setattr(base, "LARGEST_FILE", 20_000)
    summary = import_dataset(recipe(root), tmp_path / "out", SILENT)
    assert [entry.path for entry in summary.skipped] == ["a/huge.bmp"]
    assert "larger than" in summary.skipped[0].reason


def test_bytes_and_file_agree(tmp_path: Path) -> None:
    data = noise_png(3)
    (tmp_path / "x.png").write_bytes(data)
    from_bytes = load_image(BytesIO(data), recipe())
    assert np.array_equal(from_bytes, load_image(tmp_path / "x.png", recipe()))
