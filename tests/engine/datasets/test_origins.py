"""Origins of images: films, folders, columns, bursts; their splits, exports and versions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from box_pictures import box_folder
from mask_pictures import mask_folders
from PIL import ExifTags, Image

from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.export import export_dataset
from studio.engine.datasets.groups import units_of
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.origins.bursts import Capture, burst_groups, read_capture
from studio.engine.datasets.origins.columns import origin_column
from studio.engine.datasets.origins.counts import measured_on
from studio.engine.datasets.origins.evidence import ImagesFound, recognize_origins
from studio.engine.datasets.origins.folders import proposed_folders
from studio.engine.datasets.origins.names import proposed_series
from studio.engine.datasets.origins.record import Origins
from studio.engine.datasets.origins.sidecar import read_sidecar, write_sidecar
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import origin_problems
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.splits import TEST, TRAIN, VAL, assign_splits
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, resplit_dataset
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS

SILENT = SilentProgress()


def _numbered(stems: list[str], count: int = 5, form: str = "{stem}_{number:04}.png") -> list[str]:
    return [form.format(stem=stem, number=3 * n) for stem in stems for n in range(count)]


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (_numbered(["film1", "film2", "film10"]), "video"),
        (_numbered(["0001TP", "Seq05VD"], form="images/{stem}_f{number:05}.png"), "video"),
        (_numbered(["clip-a", "clip-b"], form="{stem} frame {number}.jpg"), "video"),
        (_numbered(["stack1", "stack2"], form="{stem}_z{number:02}.tif"), "stack"),
        (_numbered(["item12", "item31"], form="{stem}-{number}.jpg"), "file_names"),
        (_numbered(["2026-05-01", "2026-05-02"]), "file_names"),
        (_numbered(["film1", "film2"], form="{stem}_{number:04}_leftImg8bit.png"), "video"),
    ],
)
def test_series_of_file_names_are_recognized(keys: list[str], kind: str) -> None:
    found = proposed_series(keys, [""] * len(keys))
    assert found is not None
    assert found[0] == kind
    assert len(set(found[1])) == len(keys) // 5


@pytest.mark.parametrize(
    "keys",
    [
        _numbered(["IMG"], 30),
        _numbered(["FudanPed", "PennPed"]),
        _numbered(["Abyssinian", "american_bulldog", "pug"]),
        _numbered(["2007", "2008"]),
        _numbered(["raccoon"], form="{stem}-{number}.jpg"),
        [f"{number:06}.png" for number in range(20)],
        [f"film{number}.png" for number in range(20)],
        [f"IMG_2026053{day}_{time:06}.jpg" for day in (1, 2) for time in (81203, 84411, 123059)],
        _numbered(["item12", "item31"])[:4] + [f"x{number}.png" for number in range(30)],
    ],
)
def test_names_without_strong_evidence_are_no_origins(keys: list[str]) -> None:
    assert proposed_series(keys, [""] * len(keys)) is None


def test_series_that_are_classes_are_no_origins() -> None:
    keys = [f"{digit}/{digit}_{n:03}.png" for digit in range(10) for n in range(5)]
    assert proposed_series(keys, [key[0] for key in keys]) is None
    films = [f"{'ab'[n % 2]}/film{n % 4}_{n:03}.png" for n in range(40)]
    assert proposed_series(films, [key[0] for key in films]) is not None


@pytest.mark.parametrize(
    ("keys", "classes", "names"),
    [
        (["day 1/cat/1.png", "day 2/cat/1.png"], "cc", ["day 1", "day 2"]),
        (["x/p1/train/1.png", "x/p2/train/1.png"], "", ["p1", "p2"]),
        (["2026-05-01/1.png", "2026-05-03/1.png"], "", ["2026-05-01", "2026-05-03"]),
        (["ann/cat/1.png", "bob/cat/1.png", "ann/dog/1.png", "bob/dog/2.png"], "ccdd", None),
        (["cat/1.png", "dog/2.png"], "cd", None),
        (["a/aachen/1.png", "a/bochum/2.png"], "", None),
        (["train/images/1.png", "val/images/2.png"], "", None),
    ],
)
def test_folders_that_look_like_sessions(
    keys: list[str], classes: str, names: list[str] | None
) -> None:
    words = {"c": "cat", "d": "dog"}
    labels = [words[each] for each in classes] or [""] * len(keys)
    found = proposed_folders(keys * 4, labels * 4)
    if names is None and classes == "ccdd":
        assert found is not None
        assert set(found) == {"ann", "bob"}
    else:
        assert (found and found[: len(keys)]) == names


@pytest.mark.parametrize(
    ("header", "values", "column"),
    [
        (["age", "patient_id"], ["p1", "p1", "p2", "p2"], 1),
        (["", "Video"], ["a", "a", "b", "b"], 1),
        (["", "remark"], ["film 1", "film 1", "film 2", "film 2"], 1),
        (["", "remark"], ["good", "good", "bad", "bad"], None),
        (["", "patient"], ["p1", "p2", "p3", "p4"], None),
        (["", "group"], ["all", "all", "all", "all"], None),
    ],
)
def test_columns_of_origins(header: list[str], values: list[str], column: int | None) -> None:
    assert origin_column(header, [["30", value] for value in values]) == column


def test_a_chosen_kind_needs_no_strong_evidence_but_origins() -> None:
    keys = ["a/aachen/1.png", "a/bochum/2.png"]
    images = ImagesFound(keys, ["", ""], ["", ""], "none")
    assert recognize_origins(images, "auto").kind == "none"
    assert list(recognize_origins(images, "folder").names) == ["aachen", "bochum"]
    assert recognize_origins(images, "none").kind == "none"
    films = ImagesFound(keys, ["", ""], ["a", "b"], "video", "film")
    assert recognize_origins(films, "column").kind == "video"
    with pytest.raises(StudioError, match="No origins of the kind “Films”"):
        recognize_origins(images, "video")


def test_bursts_are_images_of_one_camera_within_seconds(tmp_path: Path) -> None:
    captures = {0: Capture(100, "A"), 2: Capture(104, "A"), 3: Capture(101, "B")}
    captures[4] = Capture(108, "A")
    captures[5] = Capture(114, "A")
    assert units_of(burst_groups(captures, 6)).sizes.tolist() == [3, 1, 1, 1]
    exif = Image.Exif()
    exif[ExifTags.Base.Make], exif[ExifTags.Base.Model] = "Maker", "One"
    details = exif.get_ifd(ExifTags.IFD.Exif)
    details[ExifTags.Base.DateTimeOriginal] = "2026:05:31 12:30:05"
    details[ExifTags.Base.SubsecTimeOriginal] = "25"
    path = tmp_path / "a.jpg"
    Image.new("RGB", (8, 8)).save(path, exif=exif)
    capture = read_capture(path.read_bytes())
    assert capture is not None
    assert capture.camera == "Maker One"
    assert capture.seconds % 60 == pytest.approx(5.25)
    Image.new("RGB", (8, 8)).save(path)
    assert read_capture(path.read_bytes()) is None


def test_related_images_join_origins_unless_nearly_all_would_be_one() -> None:
    names = [f"film{row // 4}" for row in range(40)]
    related = np.arange(40)
    related[4] = 0  # films 0 and 1 have a frame in common
    assert len(units_of(Origins.named("video", names, related).groups).sizes) == 9
    related[::4] = 0  # all films begin with the same frame
    assert len(units_of(Origins.named("video", names, related).groups).sizes) == 10


@pytest.mark.parametrize("sizes", [[50, 50], [50, 50, 50], [90, 30, 20], [400, 5, 5]])
def test_each_split_gets_an_origin_if_there_are_enough(sizes: list[int]) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    split = assign_splits(np.arange(len(groups)) % 2, 20, 10, 0, groups=groups)
    found = [len(np.unique(groups[split == part])) for part in (TRAIN, VAL, TEST)]
    assert found == [1, 1, len(sizes) - 2]


def _films(folder: Path, films: int = 9, frames: int = 10) -> Path:
    """Write two classes in frames of films; each film has a background of its own."""
    random = np.random.default_rng(0)
    for film in range(films):
        background = np.kron(random.integers(30, 220, (6, 6, 3)), np.ones((6, 6, 1)))
        for frame in range(frames):
            path = folder / ("cat", "dog")[frame % 2] / f"film{film}_{frame:04}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            pixels = (background + random.normal(0, 4, background.shape)).clip(0, 255)
            Image.fromarray(pixels.astype(np.uint8)).save(path)
    return folder


def _imported(source: Path, folder: Path, **fields: object) -> Store:
    recipe = DatasetRecipe.parse({"source": str(source), "width": 36, "height": 36, **fields})
    import_dataset(recipe, folder, SILENT)
    return Store.open(folder)


def _film_of(store: Store) -> list[str]:
    return [path.rpartition("/")[2].partition("_")[0] for path in store.paths]


def _splits_of_films(store: Store) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for film, split in zip(_film_of(store), store.split.tolist(), strict=True):
        found.setdefault(film, set()).add(split)
    return found


def test_films_are_split_as_wholes_and_the_report_says_so(tmp_path: Path) -> None:
    source = _films(tmp_path / "frames")
    recipe = DatasetRecipe(source=str(source), width=36, height=36, val_percent=12)
    preview = preview_import(recipe, SILENT)
    store = _imported(source, tmp_path / "films", val_percent=12)

    assert str(preview.splits.text) == (
        "random 78/12/10 (seed 0); 90 frames of 9 films: 7 for training, 1 for validation, 1 for "
        "test"
    )
    assert preview.document()["origins"] == {
        "kind": "video",
        "groups": 9,
        "images": 90,
        "splits": {"train": 7, "val": 1, "test": 1},
        "common_with_training": {"val": 0, "test": 0},
        "text": str(preview.splits.origins.text),
    }
    assert all(len(splits) == 1 for splits in _splits_of_films(store).values())
    assert [store.origins.name(row) for row in range(90)] == _film_of(store)
    (warning,) = preview.warnings
    assert "validation or test have a single origin (90 frames of 9 films)" in warning


def test_versions_and_folds_follow_origins(tmp_path: Path) -> None:
    store = _imported(_films(tmp_path / "frames"), tmp_path / "films")
    folder = tmp_path / "films"
    edit_dataset(folder, [Exclude(rows="0-3")])
    measured = np.zeros(90, np.int64)
    for fold in range(4):
        resplit_dataset(folder, SplitPlan(method="kfold", folds=4, fold=fold))
        version = Store.open(folder)
        measured += version.split == VAL
        own = [splits - {-1} for splits in _splits_of_films(version).values()]
        assert all(len(splits) == 1 for splits in own)
    assert measured.max() == 1
    resplit_dataset(folder, SplitPlan(by_origin=False, seed=3))
    assert any(len(splits - {-1}) > 1 for splits in _splits_of_films(Store.open(folder)).values())
    resplit_dataset(folder, SplitPlan(pattern=r"/film(\d)"))
    assert Store.open(folder).origins.kind == "pattern"
    assert Store.open(folder, 0).origins.names == store.origins.names


def test_a_test_of_known_and_of_unseen_origins(tmp_path: Path) -> None:
    """Whole films test, and a part of the frames of each film that is trained on."""
    _imported(_films(tmp_path / "frames"), tmp_path / "films")
    folder = tmp_path / "films"
    resplit_dataset(folder, SplitPlan(known_percent=10))
    store = Store.open(folder)
    films = _splits_of_films(store)
    trained = [name for name, splits in films.items() if TRAIN in splits]
    assert all(splits == {TRAIN, TEST} for name, splits in films.items() if name in trained)
    assert any(splits == {TEST} for splits in films.values())
    found = measured_on(store.origins, store.rows("train"), store.rows("test"))
    assert found.is_mixed
    assert found.common == 9, "10 % of 90 frames"
    assert measured_on(store.origins, store.rows("train"), store.rows("val")).is_unseen
    by_film = np.array(_film_of(store))[store.rows("test")]
    assert max((by_film == name).sum() for name in trained) <= 2, "evenly over the films"
    resplit_dataset(folder, SplitPlan(known_percent=60, pattern=r"/film(\d)"))
    assert all(
        TRAIN in splits
        for splits in _splits_of_films(Store.open(folder)).values()
        if len(splits) > 1
    )


def test_known_origins_need_origins(tmp_path: Path) -> None:
    _imported(_films(tmp_path / "frames", films=3), tmp_path / "single", origins="none")
    with pytest.raises(StudioError, match="origins of the images, such as films"):
        resplit_dataset(tmp_path / "single", SplitPlan(known_percent=10))
    with pytest.raises(StudioError, match="need origins that stay together"):
        SplitPlan.parse({"known_percent": 10, "by_origin": False})
    with pytest.raises(StudioError, match="leaves nothing to train on"):
        SplitPlan.parse({"known_percent": 75})


def test_single_images_and_a_single_film(tmp_path: Path) -> None:
    source = _films(tmp_path / "frames", films=3)
    store = _imported(source, tmp_path / "single", origins="none")
    assert store.origins.kind == "none"
    assert any(len(splits) > 1 for splits in _splits_of_films(store).values())
    for path in source.glob("*/film[12]_*"):
        path.unlink()
    store = _imported(source, tmp_path / "one", origins="file_names")
    assert min(store.counts().values()) > 0
    report = preview_import(store.recipe, SILENT)
    assert "cannot be estimated" in report.warnings[0]


def test_origins_survive_exports_and_datasets_of_datasets(tmp_path: Path) -> None:
    store = _imported(_films(tmp_path / "frames"), tmp_path / "films")
    films = dict(zip(store.paths, _film_of(store), strict=True))
    for form in ("folders", "csv", "npz"):
        path = export_dataset(store, form, ["train", "val"], tmp_path / form, "e", SILENT)
        prefix = {"path_prefix": str(tmp_path)} if form == "csv" else {}
        again = _imported(path, tmp_path / f"again {form}", **prefix)
        assert again.origins.kind == "video"
        assert len(again.origins.names) == len(set(films.values())) - 1
    with np.load(path) as arrays:
        for split in ("train", "val"):
            written = arrays[f"{split}_origins"].tolist()
            assert written == [films[each] for each in arrays[f"{split}_paths"].tolist()]
            for row, key in enumerate(again.paths):
                if key.startswith(split):
                    assert again.origins.name(row) == written[int(key.rpartition("/")[2])]
    copy = _imported(tmp_path / "films", tmp_path / "copy")
    assert [copy.origins.name(row) for row in range(90)] == [films[p] for p in copy.paths]
    assert np.array_equal(np.sort(copy.split), np.sort(store.split))


def test_a_column_of_a_table_is_no_target_and_keeps_patients_together(tmp_path: Path) -> None:
    _films(tmp_path, films=6, frames=4)
    files = sorted(tmp_path.glob("*/*.png"))
    lines = [f"{path},{index % 3 / 7},{index % 6}" for index, path in enumerate(files)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["path,size,patient", *lines]))
    store = _imported(table, tmp_path / "d", task="regression")
    assert store.classes == ["size"]
    assert (store.origins.kind, store.origins.column) == ("column", "patient")
    assert len(store.origins.names) == 6
    with pytest.raises(StudioError, match='no column "plate"'):
        _imported(table, tmp_path / "e", task="regression", origin_column="plate")


def test_splits_of_the_source_are_kept_and_common_origins_reported(tmp_path: Path) -> None:
    source = _films(tmp_path / "all", films=4)
    for path in sorted(source.glob("*/*.png")):
        part = "val" if path.stem.endswith(("1", "2")) else "train"
        target = tmp_path / "frames" / part / path.parent.name / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    recipe = DatasetRecipe(source=str(tmp_path / "frames"), width=36, height=36, test_percent=0)
    report = preview_import(recipe, SILENT)
    assert report.counts["val"] == 8
    assert report.splits.origins.common == {"val": 8, "test": 0}
    assert "too: 8 for validation, 0 for the test" in report.warnings[0]


def test_the_audit_finds_films_in_several_splits(tmp_path: Path) -> None:
    _imported(_films(tmp_path / "frames"), tmp_path / "films")
    plan = AuditPlan(dataset="d", doubt_labels=False)
    assert audit_dataset(tmp_path / "films", plan, SILENT).finding("common_origins") is None
    resplit_dataset(tmp_path / "films", SplitPlan(by_origin=False))
    found = audit_dataset(tmp_path / "films", plan, SILENT).finding("common_origins")
    assert found is not None
    assert found.severity == "serious"
    store = Store.open(tmp_path / "films")
    assert found.count == len(store.rows("val")) + len(store.rows("test"))
    assert "90 frames of 9 films" in found.message
    (problem,) = origin_problems(tmp_path / "films", None)
    assert not problem.serious
    assert "90 frames of 9 films" in problem.message
    assert not origin_problems(tmp_path / "films", 0)


def test_what_was_measured_is_said() -> None:
    train, rows = np.arange(6), np.arange(6, 12)
    films = Origins.named("video", [f"film{row // 3}" for row in range(12)], np.arange(12))
    found = measured_on(films, train, rows)
    assert (found.groups, found.images, found.common) == (2, 6, 0)
    assert str(found.text) == "Measured on unseen films."
    mixed = measured_on(films, train[:4], np.array([4, 5, 6]))
    assert (mixed.is_unseen, mixed.common) == (False, 2)
    assert "an origin that training images have, too: 2 of 3." in mixed.text
    unknown = measured_on(Origins.none(12), train, rows)
    assert not unknown.is_unseen
    assert "origins of the measured images are unknown" in unknown.text


@pytest.mark.parametrize(
    ("task", "form"),
    [
        (name, form.export)
        for name in ("detection", "segmentation")
        for form in TASKS[name].source.export_formats
    ],
)
def test_formats_of_annotations_keep_origins(tmp_path: Path, task: str, form: str) -> None:
    folder = tmp_path / "in"
    source = box_folder(folder, 16) if task == "detection" else mask_folders(folder, 16)
    films = {f"images/{number:03}.png": f"film {number % 8}" for number in range(16)}
    write_sidecar(source, "origin_video", films)
    fields = {"task": task, "val_percent": 25, "test_percent": 25}
    store = _imported(source, tmp_path / "films", **fields)
    assert store.origins.kind == "video"

    path = export_dataset(store, form, ["train", "val", "test"], tmp_path, "again", SILENT)
    again = _imported(path, tmp_path / "dataset", task=task)

    assert again.origins.kind == "video"
    named = [
        {each.images[row].tobytes(): each.origins.name(row) for row in range(16)}
        for each in (store, again)
    ]
    assert named[0] == named[1]
    assert again.counts() == store.counts()


def test_a_table_of_origins_is_read_as_it_was_written(tmp_path: Path) -> None:
    origins = {"=1+1.png": "-film", "a/@b.png": "a;=b", "c\t+d.png": "\u202ex", "plain.png": "=1"}
    write_sidecar(tmp_path, "origin_video", origins)

    assert read_sidecar(tmp_path) == ("origin_video", origins)


def test_tiles_are_named_by_their_pictures(tmp_path: Path) -> None:
    source = mask_folders(tmp_path / "in", 8, width=32, height=32)
    store = _imported(source, tmp_path / "tiles", task="segmentation", tile_size=16)
    assert store.origins.kind == "tile"
    assert (len(store.origins.names), len(store.labels)) == (8, 32)
    path = export_dataset(store, "masks", ["train", "val", "test"], tmp_path, "again", SILENT)
    again = _imported(path, tmp_path / "dataset", task="segmentation")
    assert (again.origins.kind, len(again.origins.names)) == ("tile", 8)
