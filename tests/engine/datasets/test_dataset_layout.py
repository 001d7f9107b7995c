"""Classes and splits by the folders that images lie in."""

from __future__ import annotations

import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from dataset_pictures import Listener
from hypothesis import assume, given
from hypothesis import strategies as st

from studio.engine.datasets.sources.archive import ArchiveSource
from studio.engine.datasets.sources.base import Scan
from studio.engine.datasets.sources.folder import FolderSource
from studio.engine.datasets.sources.shared.layout import folders_of, layout_of
from studio.engine.datasets.sources.shared.placement import ClassAndSplit
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.split_words import named_split, names_unlabeled, says_nothing

Read = Counter[tuple[str | None, str | None]]

SPLITS = {
    "train": [
        *("train", "train_set", "training_set", "Training Images", "trn", "seg_train", "my_train"),
        *("treino", "Treinamento", "entrenamiento", "conjunto_de_treino", "train2017", "TrainSet"),
    ],
    "val": ["val", "valid_set", "eval", "validação", "validación", "Validation Images", "val2017"],
    "test": ["test", "test_set", "tst", "seg_test", "teste", "prueba", "pruebas", "Test Data"],
}
spellings = st.fixed_dictionaries({split: st.sampled_from(SPLITS[split]) for split in SPLITS})


def read(*keys: str) -> tuple[Read, list[str]]:
    """Class and split of all images, and the warnings; a key ending in *N is N images."""
    folders = []
    for key in keys:
        path, _, count = key.partition("*")
        folders += [folders_of(f"{path}/{number}.png") for number in range(int(count or 1))]
    layout = layout_of(folders, "SOURCE")
    places = [layout.place(parts) for parts in folders]
    assert all(bool(place.reason) == (place.class_name is None) for place in places)
    return Counter(place[:2] for place in places), [str(text) for text in layout.warnings]


def refusal(*keys: str) -> str:
    with pytest.raises(StudioError) as caught:
        read(*keys)
    assert caught.value.hint
    assert caught.value.where == "source"
    return caught.value.message


def test_plain_class_folders() -> None:
    assert read("a*2", "b") == ({("a", None): 2, ("b", None): 1}, [])
    assert read("t/a", "t/b*2") == ({("a", None): 1, ("b", None): 2}, [])
    assert read("a*2") == ({("a", None): 2}, [])
    assert read("train/a", "train/b") == ({("a", None): 1, ("b", None): 1}, [])
    assert layout_of([], "SOURCE").place(()) == ClassAndSplit(
        None, None, "it is outside the class folders and so has no class"
    )


@pytest.mark.parametrize(
    "names",
    [
        *(("train_set", None, "test_set"), ("training_set", None, "test_set")),
        *(("train", "eval", None), ("trn", "val", "tst"), ("treino", "validação", "teste")),
        *(("entrenamiento", "validación", "prueba"), ("Training Images", None, "Test Images")),
        *(("train2017", "val2017", None), ("my_train", "my_val", "my_test"), ("tr", "va", "te")),
        *(("asl_train", None, "asl_test"), ("X_train", "X_valid", "X_test")),
    ],
)
def test_splits_of_many_spellings(names: tuple[str | None, ...]) -> None:
    splits = dict(zip(("train", "val", "test"), names, strict=True))
    keys = [f"top/{name}/{label}" for name in splits.values() if name for label in ("cat", "dog")]
    found, _ = read(*keys)
    assert found == {
        (label, split): 1 for split, name in splits.items() if name for label in ("cat", "dog")
    }


def test_split_folders_inside_folders_of_their_name() -> None:
    found, warnings = read(
        *("seg_train/seg_train/sea*3", "seg_train/seg_train/street*2"),
        *("seg_test/seg_test/sea", "seg_test/seg_test/street", "seg_pred/seg_pred*7"),
    )
    assert found == {
        ("sea", "train"): 3,
        ("street", "train"): 2,
        ("sea", "test"): 1,
        ("street", "test"): 1,
        (None, None): 7,
    }
    assert warnings == [
        'The folder "seg_pred" contains no class folders; its 7 images are left out.'
    ]


def test_unlabeled_images_beside_splits_are_left_out() -> None:
    for others in (("train/a", "train/b", "test/a"), ("train/a", "train/b")):
        found, warnings = read(*others, "unlabeled*5")
        assert found[None, None] == 5
        assert found["a", "train"] == 1
        assert '"unlabeled"' in warnings[0]
        assert "5 images" in warnings[0]


def test_test_images_without_classes_are_left_out() -> None:
    found, warnings = read("train/a*3", "train/b*3", "test*4")
    assert found == {("a", "train"): 3, ("b", "train"): 3, (None, None): 4}
    assert '"test" contains no class folders; its 4 images' in warnings[0]


def test_splits_without_classes_are_refused() -> None:
    for names in (
        ("train", "test"),
        ("treino", "val", "teste"),
        ("trainA", "trainB", "testA", "testB"),
        ("train", "unlabeled"),
    ):
        assert "but no class folders" in refusal(*names)
    assert "class folders with training images" in refusal("train*9", "test/a", "test/b")
    assert "class folders with training images" in refusal("val/a", "val/b", "test/a", "test/b")


def test_splits_beside_an_unknown_folder_with_the_same_classes_are_refused() -> None:
    text = refusal("train/a", "train/b", "test/a", "test/b", "extra/a", "extra/b")
    assert '"extra" is not, but contains the same folders (a, b)' in text
    assert '"other" is not' in refusal("train/a", "train/b", "other/a", "other/b")


def test_another_folder_beside_splits_is_left_out() -> None:
    found, warnings = read(
        *("train/a", "train/b", "val/a", "val/b", "x*2", "y*2", "z*2", "docs/figures", "docs/more")
    )
    assert found[None, None] == 8
    assert {split for _, split in found} == {"train", "val", None}
    assert len(warnings) == 4


def test_classes_may_have_words_of_splits() -> None:
    for names in (
        *(("training", "match", "test tube"), ("train", "car", "bus"), ("test tube", "training")),
        *(("valid", "invalid"), ("test tube", "training shoes"), ("dev", "sport", "test", "x")),
        *(("tr", "te"), ("train/red", "train/blue", "car", "bus")),
    ):
        found, _ = read(*names)
        classes = {name.partition("/")[0] for name in names}
        assert set(found) == {(name, None) for name in classes}


def test_sessions_with_the_same_folders() -> None:
    found, warnings = read(
        *("day1/cat*2", "day1/dog", "day2/cat", "day2/dog", "day2/bird", "day3/dog", "day3/cat")
    )
    assert found == {("cat", None): 4, ("dog", None): 3, ("bird", None): 1}
    assert "day1, day2, day3 contain the same folders cat, dog," in warnings[0]
    assert "sessions" in warnings[0]


def test_several_training_folders_without_others_are_sessions() -> None:
    assert read("train_1/a", "train_1/b", "train_2/a", "train_2/b")[0] == {
        ("a", None): 2,
        ("b", None): 2,
    }


def test_splits_inside_the_class_folders() -> None:
    found, warnings = read(
        *("cat/train*3", "cat/test", "dog/train*2", "dog/test", "dog/raw*4", "cat/raw")
    )
    assert found == {
        ("cat", "train"): 3,
        ("cat", "test"): 1,
        ("dog", "train"): 2,
        ("dog", "test"): 1,
        (None, None): 5,
    }
    assert "test, train inside the class folders" in warnings[0]
    assert (
        '"raw" inside the class folders are not called like splits; their images are left out: 5'
        in warnings[1]
    )


def test_folders_that_are_no_classes_do_not_become_them() -> None:
    for inner in (("images", "masks"), ("day1", "day2"), ("2024-01-02", "2024-01-03")):
        found, _ = read(*(f"{top}/{name}" for top in ("cat", "dog") for name in inner))
        assert set(found) == {("cat", None), ("dog", None)}
    assert set(read("cat/images", "dog/images")[0]) == {("cat", None), ("dog", None)}


def test_folders_that_only_count_are_no_classes() -> None:
    found, warnings = read(*(f"{top}/w{number}" for top in ("0", "1") for number in (1, 2, 3)))
    assert found == {("0", None): 3, ("1", None): 3}
    assert "6 folders inside the class folders" in warnings[0]
    found, _ = read(*(f"writer {top}/{number}" for top in (1, 2) for number in range(3)))
    assert set(found) == {("0", None), ("1", None), ("2", None)}


@pytest.mark.parametrize("around", ["", "bottle/", "mvtec/bottle/"])
def test_data_for_anomaly_detection_is_refused_by_its_name(around: str) -> None:
    folders = ["train/good*4", "test/good*2", "test/crack*2", "test/hole"]
    for more in ([], ["ground_truth/crack*2", "ground_truth/hole"]):
        text = refusal(*(f"{around}{folder}" for folder in (*folders, *more)))
        assert "looks like data for anomaly detection" in text
        assert "only the test images have crack, hole" in text
    # Two kinds to learn are classes.
    assert read("train/good*4", "train/crack", "test/good*2", "test/crack*2")[1] == []


def test_several_datasets_with_splits_are_refused() -> None:
    keys = [
        f"fold{fold}/{split}/{label}"
        for fold in (1, 2)
        for split in ("train", "test")
        for label in ("a", "b")
    ]
    assert "fold1, fold2 in SOURCE have splits of their own (test, train)" in refusal(*keys)

    keys = [f"animals/{split}/{label}" for split in ("train", "test") for label in ("cat", "dog")]
    keys += [
        f"flowers/{split}/{label}" for split in ("train", "test") for label in ("rose", "fig")
    ]
    assert "animals" in refusal(*keys)


def test_objects_with_splits_and_other_states_are_classes() -> None:
    found, warnings = read(
        *(
            "bottle/train/whole*5",
            "bottle/test/whole",
            "bottle/test/broken",
            "bottle/truth/broken",
        ),
        *("cable/train/whole*3", "cable/test/whole", "cable/test/bent", "cable/truth/bent"),
    )
    assert found == {
        ("bottle", "train"): 5,
        ("bottle", "test"): 2,
        (None, None): 2,
        ("cable", "train"): 3,
        ("cable", "test"): 2,
    }
    assert len(warnings) == 2


def test_sub_folders_of_classes_are_pointed_out() -> None:
    found, warnings = read("pets/cat", "pets/dog", "plants/rose", "plants/tulip")
    assert found == {("pets", None): 2, ("plants", None): 2}
    assert "4 folders inside the class folders, such as pets/cat," in warnings[0]
    assert not read("a/deep/er", "b")[1]
    _, warnings = read("benign/SOB/x", "benign/SOB/y", "malignant/SOB/z")
    assert "such as benign/SOB/x," in warnings[0]


def test_splits_inside_some_class_folders_only_are_pointed_out() -> None:
    found, warnings = read("cat/train", "cat/test", "dog", "owl")
    assert found == {("cat", None): 2, ("dog", None): 1, ("owl", None): 1}
    assert len(warnings) == 1
    assert "Only some class folders" in warnings[0]
    assert "cat/train" in warnings[0]
    assert "cat/test" in warnings[0]
    assert not any("Only some" in each for each in read("cat/front", "cat/back", "dog")[1])


def test_accents_in_either_form_are_one_folder() -> None:
    decomposed = unicodedata.normalize("NFD", "café")
    assert read("train/café", "train/thé", f"val/{decomposed}", "val/thé")[0] == {
        ("café", split) if name == "café" else (name, split): 1
        for split in ("train", "val")
        for name in ("café", "thé")
    }


def test_folders_and_archives_are_read_alike(tmp_path: Path) -> None:
    keys = ["treino/a/1.png", "treino/b/1.png", "teste/a/1.png", "extra/1.png", "x.png"]
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for key in keys:
            (tmp_path / "in" / key).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "in" / key).write_bytes(b"?")
            archive.writestr(key, b"?")

    def facts(scan: Scan) -> object:
        items = [(item.key, item.class_name, item.split) for item in scan.items]
        problems = {(each.path, each.reason) for each in scan.problems}
        return items, problems, scan.warnings

    one = FolderSource().scan(tmp_path / "in", Listener())
    assert facts(one) == facts(ArchiveSource().scan(tmp_path / "x.zip", Listener()))
    assert [item.split for item in one.items] == ["test", "train", "train"]
    assert len(one.items) + len(one.problems) == len(keys)


names = (
    st.text(st.sampled_from("abcdfgoué19 _-"), min_size=1, max_size=6)
    .map(str.strip)
    .filter(
        lambda name: (
            bool(name)
            and named_split(name) is None
            and not names_unlabeled(name)
            and not says_nothing(name)
        )
    )
)
classes = st.lists(names, min_size=2, max_size=5, unique_by=str.casefold)


@given(spellings, classes, st.sampled_from(["", "top/"]), st.booleans(), st.booleans())
def test_splits_are_never_classes(
    spelled: dict[str, str], labels: list[str], top: str, is_nested: bool, has_val: bool
) -> None:
    splits = [split for split in spelled if split != "val" or has_val]
    assume(len({spelled[split] for split in splits}) == len(splits))
    keys = [
        f"{top}{spelled[split]}/{spelled[split] + '/' if is_nested else ''}{label}*{number + 1}"
        for split in splits
        for number, label in enumerate(labels)
    ]
    found, _ = read(*keys)
    assert found == {
        (label, split): number + 1 for split in splits for number, label in enumerate(labels)
    }


@given(classes)
def test_class_folders_are_classes(labels: list[str]) -> None:
    assert read(*labels) == ({(label, None): 1 for label in labels}, [])


words = st.one_of(names, st.sampled_from([*SPLITS["train"], *SPLITS["test"], "images", "pred"]))


@given(st.lists(st.lists(words, max_size=4).map("/".join), min_size=1, max_size=12))
def test_all_images_are_placed_or_left_out_with_a_reason(folders: list[str]) -> None:
    refused = False
    try:
        found, _ = read(*folders)
    except StudioError as error:
        refused = bool(error.hint)
    assert refused or sum(found.values()) == len(folders)


def test_a_folder_with_folders_called_like_its_siblings_is_no_class() -> None:
    assert '"augmented" contains folders' in refusal(
        "cat", "dog", "bird", "augmented/cat", "augmented/dog"
    )
    assert read("cat/small", "dog/small", "small/cat")[0] == {
        ("cat", None): 1,
        ("dog", None): 1,
        ("small", None): 1,
    }


def test_tables_in_a_folder_without_classes_are_named(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train/1.png").touch()
    (tmp_path / "labels.CSV").touch()
    with pytest.raises(StudioError) as caught:
        FolderSource().scan(tmp_path, SilentProgress())
    assert "labels.CSV" in caught.value.hint


@pytest.mark.parametrize("count", [1, 2])
def test_images_left_out_are_counted(count: int) -> None:
    _, warnings = read("train/a", "train/b", "test/a", "test/b", f"extra*{count}")
    assert ("its only image is" in warnings[0]) == (count == 1)


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        ({"a": "1 2", "b": "3 4", "thumbs": "1 2 3 4"}, True),
        ({"a": "1 2", "b": "3 4", "masks": "1 4"}, True),
        ({"a": "1 2", "b": "3 4", "c": "5 6"}, False),
        ({"a": "1 2", "b": "1 2", "c": "1 2"}, False),
        ({"a": "1 2", "b": "1 2"}, False),
        ({"a": "1 2", "b": "3 4", "c": "1 2"}, False),
    ],
)
def test_a_folder_with_the_names_of_images_in_others_is_pointed_out(
    tmp_path: Path, folders: dict[str, str], said: bool
) -> None:
    for label, names in folders.items():
        (tmp_path / label).mkdir()
        for name in names.split():
            (tmp_path / label / f"{name}.png").touch()
    warnings = " ".join(map(str, FolderSource().scan(tmp_path, SilentProgress()).warnings))
    assert ("have the names of images in other folders, such as a" in warnings) == said


@pytest.mark.parametrize("ending", ["_mask", "_mask_1", " - thumb", ".segmentation"])
def test_masks_beside_images_of_classes_are_pointed_out(tmp_path: Path, ending: str) -> None:
    for label in ("benign", "malignant"):
        (tmp_path / label).mkdir()
        for name in ("a (1)", f"a (1){ending}", "b_mask"):
            (tmp_path / label / f"{name}.png").touch()
    (warning,) = FolderSource().scan(tmp_path, SilentProgress()).warnings
    assert "2 images of classes are called like masks" in warning
    assert f"benign/a (1){ending}.png beside benign/a (1).png" in warning
