"""Words for splits in several languages and spellings, and names that only contain them."""

from __future__ import annotations

import unicodedata

import pytest

from studio.engine.tasks.split_words import (
    named_splits,
    names_unlabeled,
    split_headings,
    split_in,
    split_of,
    split_of_cell,
    split_warnings,
)

NAMES = {
    "train": (
        *("train", "Training", "TRAIN", " train ", "train_set", "training_set", "trainset", "trn"),
        *("TrainingSet", "Training Images", "train2017", "train-1", "01_train", "my_train"),
        *("seg_train", "treino", "Treinamento", "conjunto de treino", "dados_treino"),
        *("entrenamiento", "datos de entrenamiento", "imgs_train", "traindata"),
        *("entraînement", "apprentissage", "allenamento", "Trainingsdaten", "treningowe"),
        *("X_train", "обучение", "训练集", "学習"),
    ),
    "val": (
        *("val", "valid", "Validation", "dev", "val_set", "eval", "Evaluation", "val2017"),
        *("validação", "VALIDAÇÃO", "validacao", "validación", "avaliação", "devset"),
        *("Validierung", "validazione", "convalida", "validatie", "walidacyjne"),
        *("y_val", "Валидация", "验证", "検証"),
    ),
    "test": (
        *("test", "Testing", "tst", "test_set", "Test Data", "teste", "Testes", "prueba"),
        *("pruebas", "test images", "testset", "imagens_teste", "conjunto-de-prueba"),
        *("essai", "prova", "Testdaten", "testowe", "тест", "测试", "テスト"),
    ),
}


@pytest.mark.parametrize("split", NAMES)
def test_names_of_splits(split: str) -> None:
    for name in NAMES[split]:
        for form in ("NFC", "NFD"):
            assert split_of(unicodedata.normalize(form, name)) == split, name


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "cat",
            "test tube",
            "training shoes",
            "valid ticket",
            "developer",
            "latest",
            "tester",
        ),
        *("contest", "trainer", "strain", "trail", "values", "device", "prove", "invalid", "vale"),
        *(
            "tr",
            "te",
            "trainval",
            "train_val",
            "train test",
            "data",
            "images",
            "2017",
            "unlabeled",
        ),
        "train " * 100,
    ],
)
def test_other_names(name: str) -> None:
    assert split_of(name) is None


def test_evaluation_is_what_is_missing() -> None:
    def splits(*names: str) -> dict[str, str]:
        return {name: named.split for name, named in named_splits(names).items()}

    assert splits("train", "eval") == {"train": "train", "eval": "val"}
    assert splits("train", "eval", "test") == {"train": "train", "eval": "val", "test": "test"}
    assert splits("train", "dev", "eval") == {"train": "train", "dev": "val", "eval": "test"}


def test_words_inside_a_name() -> None:
    assert split_in("annotations/instances_train2017.json") == "train"
    assert split_in("validation-00000-of-00002.parquet") == "val"
    assert split_in("strained.csv") is None


def test_names_of_images_without_labels() -> None:
    assert all(map(names_unlabeled, ("unlabeled", "seg_pred", "Unlabelled Images", "predictions")))
    assert not any(map(names_unlabeled, ("predator", "labeled", "cat")))


@pytest.mark.parametrize(
    ("heading", "cells", "expected"),
    [
        ("is_valid", {"1": 2, "0": 8}, {"1": "val", "0": "train"}),
        ("is_valid", {"1": 5, "0": 5}, {"1": "val", "0": "train"}),
        ("is_valid", {"True": 8, "False": 2}, {"True": None, "False": None}),
        ("is_valid", {"True": 8}, {"True": None}),
        ("is_test", {"0": 8}, {"0": None}),
        ("is_test", {"x": 2, "": 8}, {"x": "test", "": None}),
        ("is_train", {"1": 8, "0": 2}, {"1": "train", "0": "test"}),
        ("is_train", {"0": 8}, {"0": None}),
        ("split", {"val": 8}, {"val": "val"}),
    ],
)
def test_a_flag_of_most_images_is_no_split(
    heading: str, cells: dict[str, int], expected: dict[str, str | None]
) -> None:
    headings = split_headings(["path", heading], 1, cells)
    assert {cell: split_of_cell(cell, headings, 1) for cell in cells} == expected
    unknown = {cell for cell, split in expected.items() if split is None and cell}
    assert len(list(split_warnings(heading, cells, headings, 1))) == bool(unknown)
