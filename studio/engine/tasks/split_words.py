"""Names of splits in folders, files, columns and cells: languages, abbreviations, spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from studio.engine.messages import Text, message
from studio.engine.tables.cells import NO, YES, is_missing

_WORDS: Final = {
    "train": (
        *("train", "training", "trn", "trains", "trained"),
        *("treino", "treinos", "treinamento", "treinar"),
        *("entrenamiento", "entrenamientos", "entreno", "entrenar"),
        *("entrainement", "apprentissage", "addestramento", "allenamento"),
        *("trainieren", "trainingsdaten", "treningowe", "treningowy"),
        *(
            "обучение",
            "обучающая",
            "тренировка",
            "тренировочная",
            "训练",
            "训练集",
            "学習",
            "訓練",
        ),
    ),
    "val": (
        *("val", "valid", "validation", "validate", "validating", "vld", "dev", "development"),
        *("validacao", "validacoes", "validar", "validacion", "validaciones", "validazione"),
        *("convalida", "validierung", "validieren", "validierungsdaten", "validatie"),
        *("walidacyjne", "walidacyjny", "walidacja"),
        *("валидация", "валидационная", "验证", "验证集", "検証"),
    ),
    "test": (
        *("test", "tests", "testing", "tst"),
        *("teste", "testes", "prueba", "pruebas", "prova", "essai", "essais"),
        *("testen", "testdaten", "testowe", "testowy"),
        *("тест", "тестовая", "тестирование", "测试", "测试集", "テスト"),
    ),
}
_EVALUATION: Final = frozenset(
    {"eval", "evaluation", "evaluate", "avaliacao", "evaluacion", "valutazione"}
)
"""Words for validation images, or for test images where others are for validation."""
_SHORT: Final = {
    "tr": "train",
    "trainval": "train",
    "va": "val",
    "vl": "val",
    "te": "test",
    "ts": "test",
}
"""Words that name a split only beside others, in folders with the same classes."""
_NEUTRAL: Final = frozenset(
    {
        *("set", "sets", "split", "splits", "data", "dataset", "datasets", "folder", "folders"),
        *("image", "images", "img", "imgs", "jpeg", "jpegs", "jpg", "png", "picture", "pictures"),
        *("pic", "pics", "photo", "photos", "file", "files", "sample", "samples", "subset"),
        *("dir", "class", "classes", "full", "final", "my", "the", "of", "for", "seg", "cls"),
        *("conjunto", "conjuntos", "dados", "datos", "imagem", "imagens", "imagen", "imagenes"),
        *("foto", "fotos", "pasta", "carpeta", "amostra", "amostras", "muestras", "base"),
        *("de", "do", "da", "dos", "del", "para", "os", "as", "los", "las", "meu", "mi", "mis"),
    }
)
"""Words that say nothing beside that of a split, as in "train_set" or "conjunto de teste"."""
_ARRAYS: Final = frozenset({"x", "y"})
"""Letters that say nothing beside the word of a split, as in "X_train"."""
_UNLABELED: Final = frozenset(
    {
        *("unlabeled", "unlabelled", "unlabel", "unsupervised", "unsup", "unannotated"),
        *("pred", "preds", "predict", "prediction", "predictions", "inference", "infer"),
    }
)
_SPLIT_OF: Final = {word: split for split, words in _WORDS.items() for word in words}
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_SHOWN: Final = 3
_LONGEST: Final = 200
"""Characters of a name that can be one of a split."""


class NamedSplit(NamedTuple):
    """The split that a name contains.

    Attributes:
        split: `"train"`, `"val"` or `"test"`.
        others: The other words of the name, without those that say nothing.
        is_assumed: True if the word can mean another split, or another thing.
    """

    split: str
    others: tuple[str, ...]
    is_assumed: bool = False


def words_in(name: str) -> list[str]:
    """Return the words and numbers of a name, without accents and in lower case."""
    letters = unicodedata.normalize("NFKD", name[:_LONGEST])
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _WORD.findall(_CAMEL.sub(" ", plain).casefold())


def split_of(name: str) -> str | None:
    """Return the split that a folder, an array, a file or a cell names, or None.

    All words must be about it: "Training Images" is a split, "training shoes" is not.
    """
    if len(name) > _LONGEST:
        return None
    named = named_split(name)
    return None if named is None or named.others else named.split


def split_of_cell(cell: str, header: Sequence[str] = (), column: int = 0) -> str | None:
    """Return the split that a cell of a table names, or None.

    Yes and no are splits below a heading such as "is_test", if it is the only such one: an image
    that is not for training is then for the test.

    Args:
        cell: The cell.
        header: Headings of the table, see `split_headings`; none if it has no header.
        column: Index of the column.
    """
    if (split := split_of(cell)) is not None or len(header) <= column:
        return split
    flag, word = _flagged(header[column]), cell.strip().casefold()
    if flag is None or sum(_flagged(each) is not None for each in header) > 1:
        return None
    if word in NO:
        return "test" if flag == "train" else "train"
    return flag if word in YES else None


def split_headings(header: Sequence[str], column: int, cells: Mapping[str, int]) -> Sequence[str]:
    """Return the headings to give to `split_of_cell`; empty if a flag does not divide the images.

    It does not if all cells are the same, or if most images would be for validation or test:
    "is_valid" may say that an image is usable.

    Args:
        header: Headings of the table; none if it has no header.
        column: Index of the column.
        cells: Cells of the column, and how often each occurs.
    """
    flag = _flagged(header[column]) if column < len(header) else None
    words = [(cell.strip().casefold(), count) for cell, count in cells.items()]
    yes, no = (sum(count for word, count in words if word in known) for known in (YES, NO))
    total = sum(cells.values())
    is_split = max(yes, no) < total and (flag == "train" or yes <= total / 2)
    return header if flag is None or is_split else ()


def split_warnings(
    column: str, cells: Mapping[str, int], header: Sequence[str] = (), index: int = 0
) -> Iterator[Text]:
    """Yield a sentence if cells of a column of splits name none.

    Args:
        column: Name of the column.
        cells: Its cells, and how often each occurs.
        header: Headings of all columns, see `split_headings`.
        index: Index of the column.
    """
    unknown = {
        cell: count
        for cell, count in cells.items()
        if not is_missing(cell) and split_of_cell(cell, header, index) is None
    }
    if unknown:
        yield message(
            'The column "{column}" has {count} cells that name no split: {words}. Their '
            "images are divided like images without a split.",
            one='The column "{column}" has a cell that names no split: {words}. Its image is '
            "divided like images without a split.",
            count=sum(unknown.values()),
            column=column,
            words=", ".join(list(unknown)[:_SHOWN]),
        )


@lru_cache(4096)
def _flagged(heading: str) -> str | None:
    """Return the split of a heading such as "is_test" or "isTrainingImage"."""
    words = words_in(heading)
    rest = words[1:] if words[:1] == ["is"] else ["".join(words).removeprefix("is")]
    return split_of(" ".join(rest)) if "".join(words).startswith("is") else None


def split_in(text: str) -> str | None:
    """Return the split that the first such word of a text names: "instances_train2017.json"."""
    return next((split for word in words_in(text) if (split := _split_of_word(word))), None)


@lru_cache(4096)
def named_split(name: str) -> NamedSplit | None:
    """Return the split that a name contains, and its other words; None for none or several."""
    splits: list[str] = []
    others: list[str] = []
    is_assumed = False
    for word in words_in(name):
        if split := _split_of_word(word):
            splits.append(split)
            is_assumed = is_assumed or _is_evaluation(word)
        elif not (word in _NEUTRAL or word in _ARRAYS or word.isdecimal()):
            others.append(word)
    if not splits and (short := _short_word(name)):
        return NamedSplit(_SHORT[short], (short,), is_assumed=True)
    if len(set(splits)) != 1:
        return None
    return NamedSplit(splits[0], tuple(others), is_assumed or bool(others))


def named_splits(names: Iterable[str]) -> dict[str, NamedSplit]:
    """Return the splits of folders that lie side by side, by their names.

    "eval" is the test beside "val" if nothing else is.
    """
    found = {name: named for name in names if (named := named_split(name)) is not None}
    unsure = [name for name in found if any(map(_is_evaluation, words_in(name)))]
    sure = {named.split for name, named in found.items() if name not in unsure}
    if "val" in sure and "test" not in sure:
        found |= {name: found[name]._replace(split="test") for name in unsure}
    return found


def names_unlabeled(name: str) -> bool:
    """Return True if a folder is called like one of images without labels."""
    return any(word in _UNLABELED for word in words_in(name))


def says_nothing(name: str) -> bool:
    """Return True if a folder is called like any folder of images: "images", "data set"."""
    words = words_in(name)
    return bool(words) and all(word in _NEUTRAL for word in words)


def _split_of_word(word: str) -> str | None:
    if _is_evaluation(word):
        return "val"
    return _SPLIT_OF.get(word) or _SPLIT_OF.get(_bare(word))


def _is_evaluation(word: str) -> bool:
    return word in _EVALUATION or _bare(word) in _EVALUATION


@lru_cache(4096)
def _bare(word: str) -> str:
    """Return a word without what says nothing at its end: "trainset", "testdata"."""
    endings = (word[:end] for end in range(3, len(word)) if word[end:] in _NEUTRAL)
    return next((start for start in endings if start in _SPLIT_OF or start in _EVALUATION), word)


def _short_word(name: str) -> str | None:
    words = words_in(name)
    return words[0] if len(words) == 1 and words[0] in _SHORT else None
