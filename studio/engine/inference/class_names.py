"""Class names of models that Studio did not make: from a list, or from a file beside the model."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure, user_path
from studio.engine.messages import as_message, message

OF_MODEL: Final = (
    *("{stem}.labels.txt", "{name}.labels.txt", "{stem}_labels.txt", "{stem}-labels.txt"),
    *("{stem}.classes.txt", "{stem}_classes.txt"),
    *("{stem}.labels.json", "{stem}.classes.json", "{stem}_class_names.json"),
    "{stem}_class_indices.json",
)
"""Names of files with the classes of one model, by the name of its file."""
OF_FOLDER: Final = (
    *("labels.txt", "classes.txt", "class_names.txt", "label_map.txt"),
    *("class_names.json", "class_indices.json", "classes.json", "labels.json"),
    "imagenet_class_index.json",
)
"""Names of files with the classes of the models of a folder."""
LARGEST_FILE: Final = 4 * 2**20
MAX_NAMES: Final = 100_000
_LONGEST_NAME: Final = 200
_LISTS: Final = ("class_names", "classes", "labels", "names", "id2label", "label2id")
_NUMBERED: Final = re.compile(r"(\d{1,6})(?:[ \t]*[:,;\t]|[ \t])[ \t]*(\S.*)")
_HINT: Final = "Write one name per line, in the order of the outputs of the model."


def class_names_of(text: str) -> tuple[str, ...]:
    """Return the names that a person typed: the path of a file, or names between commas.

    Raises:
        StudioError: There is no such file and no comma, or the names cannot be used.
    """
    path = user_path(text)
    if path.is_file():
        return read_class_names(path)
    if "," not in text:
        raise StudioError(
            "There is no file {path} with class names.",
            "Give a file with one name per line, or the names separated by commas.",
            "classes",
            path=text,
        )
    return distinct([name.strip() for name in text.split(",")], text)


def class_file_beside(path: Path) -> Path | None:
    """Return the file with class names that belongs to a model; None if there is none.

    Args:
        path: The model.

    Raises:
        BadDataError: Two files beside it have different names.
    """
    own = [name.format(stem=path.stem, name=path.name) for name in OF_MODEL]
    for names in (own, OF_FOLDER):
        paths = [path.parent / name for name in names]
        found = [each for each in paths if each.is_file() and not describes_model(each)]
        for other in found[1:]:
            _require_same(found[0], other)
        if found:
            return found[0]
    return None


def class_names_inside(path: Path) -> tuple[str, ...]:
    """Return the class names packed into a LiteRT file.

    Args:
        path: The model; files of other kinds have none.

    Raises:
        BadDataError: The text cannot be read, or the names cannot be used.
    """
    if path.suffix.lower() != ".tflite" or not zipfile.is_zipfile(path):
        return ()
    try:
        with zipfile.ZipFile(path) as archive:
            texts = [each for each in archive.infolist() if each.filename.endswith(".txt")]
            if len(texts) != 1:
                return ()
            name = PurePosixPath(texts[0].filename).name
            with archive.open(texts[0]) as file:
                content = file.read(LARGEST_FILE + 1)
            if len(content) > LARGEST_FILE:
                raise _unusable(name, message("it is larger than 4 MB"))
            return distinct(_of_lines(content.decode("utf-8-sig")), name)
    except DAMAGED as error:
        raise _unusable(path.name, message("the text inside it is damaged")) from error


def describes_model(path: Path) -> bool:
    """Return True for a JSON file with more than class names: the card of an export, or damage.

    Args:
        path: A file; those of other kinds describe no model.
    """
    if path.suffix.lower() != ".json":
        return False
    try:
        found = json.loads(path.read_bytes()[: LARGEST_FILE + 1])
    except (OSError, ValueError, RecursionError):
        return True
    return not isinstance(found, list) and not (isinstance(found, dict) and "model" not in found)


def _require_same(first: Path, other: Path) -> None:
    names, others = read_class_names(first), read_class_names(other)
    if names == others:
        return
    raise BadDataError(
        "Two files beside the model name different classes: {first} ({count}) and {other} "
        "({other_count}).",
        "Choose the file with the class names of the model.",
        "classes",
        first=first.name,
        count=len(names),
        other=other.name,
        other_count=len(others),
    )


def read_class_names(path: Path) -> tuple[str, ...]:
    """Return the class names of a text or JSON file, in the order of the outputs.

    A text file has a line for each class; lines such as `0 cat`, numbered from 0, are put in the
    order of their numbers. A JSON file has a list of names, or an object `{"cat": 0}` or
    `{"0": "cat"}`, at its top or under a name such as `class_names`.

    Raises:
        BadDataError: It cannot be read, or the names cannot be used.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise _unusable(path.name, message("it is larger than 4 MB"))
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(path.name, read_failure(error)) from error
    names = _of_json(text, path.name) if path.suffix.lower() == ".json" else _of_lines(text)
    return distinct(names, path.name)


def distinct(names: Sequence[str], origin: str) -> tuple[str, ...]:
    """Return names that can be told apart: repeated ones get the number of their output.

    ImageNet has two classes "crane" and two "maillot".

    Args:
        names: The names, in the order of the outputs.
        origin: File or text that they come from, for messages.

    Raises:
        BadDataError: There are none, too many, or a name is empty or too long.
    """
    if not 0 < len(names) <= MAX_NAMES:
        reason = message("it has {count:,} class names", count=len(names))
        raise _unusable(origin, reason)
    for number, name in enumerate(names):
        if not name or len(name) > _LONGEST_NAME:
            reason = message(
                "the name of class {number}, counted from 0, is empty or too long", number=number
            )
            raise _unusable(origin, reason)
    counts = Counter(names)
    return tuple(
        f"{name} ({number})" if counts[name] > 1 else name for number, name in enumerate(names)
    )


def _of_lines(text: str) -> list[str]:
    lines = [line.strip() for line in text.rstrip().split("\n")]
    matches = [_NUMBERED.fullmatch(line) for line in lines]
    numbered = {int(found[1]): found[2].strip() for found in matches if found is not None}
    if len(numbered) == len(lines) and _are_counted(numbered):
        return [numbered[number] for number in range(len(lines))]
    return lines


def _are_counted(names: Mapping[int, object]) -> bool:
    """Return True if the keys are 0, 1, 2 …, in any order."""
    return bool(names) and set(names) == set(range(len(names)))


def _of_json(text: str, origin: str) -> list[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unusable(origin, message("it is not valid JSON")) from error
    inner = [found[key] for key in _LISTS if key in found] if isinstance(found, dict) else []
    names = _listed(inner[0] if inner and isinstance(inner[0], dict | list) else found)
    if names is None:
        raise _unusable(origin, message("it has no list of class names"))
    return names


def _listed(found: object) -> list[str] | None:
    """Return the names in a list, or in an object of names by numbers or numbers by names."""
    if isinstance(found, list):
        return [each.strip() for each in found] if _are_texts(found) else None
    if not isinstance(found, dict) or not found:
        return None
    if all(type(value) is int for value in found.values()):
        by_number = {value: name.strip() for name, value in found.items()}
    elif all(key.isdecimal() and len(key) < 7 for key in found):
        by_number = {int(key): _last_text(value) for key, value in found.items()}
    else:
        return None
    is_complete = len(by_number) == len(found) and _are_counted(by_number)
    return [by_number[number] for number in range(len(found))] if is_complete else None


def _are_texts(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _last_text(value: object) -> str:
    """Return a name; ImageNet's index has pairs of a WordNet id and a name."""
    last = value[-1] if isinstance(value, list) and value else value
    return last.strip() if isinstance(last, str) else ""


def _unusable(origin: str, reason: str) -> BadDataError:
    return BadDataError(
        "The class names in {origin} cannot be used: {reason}.",
        _HINT,
        "classes",
        origin=origin[:_LONGEST_NAME],
        reason=as_message(reason),
    )
