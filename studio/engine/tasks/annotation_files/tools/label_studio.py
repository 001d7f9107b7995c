"""Label Studio: JSON with all annotations, JSON-MIN, and CSV with JSON in its cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.json_files import objects, value_of
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.reports import Tally
from studio.engine.tasks.annotation_files.texts import as_utf8, decoded
from studio.engine.tasks.annotation_files.tools.base import DrawingTool, ToolDocument
from studio.engine.tasks.annotation_files.tools.label_studio_names import find_picture, is_picture
from studio.engine.tasks.annotation_files.tools.label_studio_results import (
    add_results,
    count_of,
    labels_in,
    regions_in,
)
from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture
from studio.engine.tasks.annotation_files.values import number_in
from studio.engine.tasks.annotations import LeftOut, Remark

_LIST = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*\[\s*\{")
_JSON = re.compile(
    rb'"(from_name|completed_by|was_cancelled|completions|annotation_id|lead_time|original_width|'
    rb'(rectangle|polygon|brush|ellipse|keypoint|hypertext)labels)"|'
    rb'"format"\s*:\s*"rle"'
)
_COMPLETE = re.compile(rb'"(annotations|completions)"\s*:\s*\[')
"""An entry of complete JSON."""
_COLUMNS = (b"annotation_id", b"lead_time")
"""Columns of all tables; others may have one of them, too."""
_HEADER = re.compile(rb"\A(?:\xef\xbb\xbf)?[^\n]*\b(annotation_id|lead_time)\b")
_CELL = re.compile(
    rb'\[\{[^\r\n]*""((rectangle|polygon|brush|ellipse)labels|original_width)""\s*:'
)
"""A cell of a table with shapes, which may lack the columns above."""
_NOT_LABELS = frozenset(
    {
        *("id", "annotation_id", "annotator", "created_at", "updated_at", "lead_time"),
        *("agreement", "project", "inner_id"),
    }
)
"""Keys of JSON-MIN and CSV that are neither data nor labels."""
_CELLS = {
    delimiter: re.compile(
        rf'(?:"([^"]*(?:""[^"]*)*)"|([^"{delimiter}\r\n]*))({delimiter}|\r\n|\n|\r|\Z)'
    )
    for delimiter in (",", "\t")
}
"""A cell and what is behind it, by the delimiter of the table."""


@dataclass(slots=True)
class _Annotation:
    """The annotation of a task by one person.

    Attributes:
        results: Its entries.
        is_truth: True if it is marked as ground truth.
        is_cancelled: True if the person skipped the task.
    """

    results: list[dict[str, Any]]
    is_truth: bool = False
    is_cancelled: bool = False


@dataclass(slots=True)
class _Task:
    """A task: its data and its annotations.

    Attributes:
        data: Its data by name, among them the picture.
        annotations: In the order of the file.
        predictions: Number of predictions of models.
    """

    data: dict[str, Any]
    annotations: list[_Annotation] = field(default_factory=list)
    predictions: int = 0

    def is_of_pages(self, count: int) -> bool:
        """Return True if each region belongs to one of `count` pictures."""
        regions = [entry for each in self.annotations for entry in regions_in(each.results)]
        return all(_page(entries[0], count) in range(count) for entries in regions)

    def page(self, number: int, count: int) -> _Task:
        """Return the task of one of its pictures, with the entries that belong to it.

        Args:
            number: Index of the picture.
            count: Number of its pictures.
        """
        pages = number, None  # a choice without a page is one for all of them
        return _Task(
            {},
            [
                replace(each, results=[one for one in each.results if _page(one, count) in pages])
                for each in self.annotations
            ],
        )


def _page(entry: dict[str, Any], count: int) -> object:
    """Return the index of the picture of an entry; where there is one, it need not be written.

    Args:
        entry: Entry of an annotation.
        count: Number of pictures of its task.
    """
    value = entry.get("value")
    inner = value.get("item_index") if isinstance(value, dict) else None
    index = entry.get("item_index", inner)
    return 0 if index is None and count == 1 else index


class LabelStudio(DrawingTool):
    """Of several annotations of a task, the ground truth or else the last one is taken.

    Sides are percent of the picture as it is shown. Predictions of models are not used.
    """

    name = "label_studio"
    label = "Label Studio JSON, JSON-MIN or CSV"
    suffixes = (".json", ".csv", ".tsv")
    shapes = re.compile(
        rb'"+(rectangle|polygon|brush|ellipse)(labels)?"+|"+radiusX"+|"+format"+\s*:\s*"+rle"+'
    )
    outlines = re.compile(
        rb'"+(polygon|brush|ellipse)(labels)?"+|"+radiusX"+|"+format"+\s*:\s*"+rle"+'
    )
    labels = re.compile(rb'"+choices"+\s*:')
    hint = (
        "Choose the folder with the images as the source: Label Studio does not export them with "
        "JSON and CSV."
    )

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        if _LIST.search(head):
            return _JSON.search(head) is not None
        return _HEADER.search(head) is not None or _CELL.search(head) is not None

    def has_label(self, data: bytes) -> bool:
        """See `DrawingTool.has_label`; a choice of one is a plain text in JSON-MIN and CSV."""
        if super().has_label(data):
            return True
        if _LIST.search(data):
            is_short = self.is_own(data) and _COMPLETE.search(data) is None
        else:
            is_short = all(column in data for column in _COLUMNS)
        return is_short and not self.has_shape(data)

    def find(self, names: PictureNames, picture: DrawnPicture, path: str) -> str | None:
        """Find a picture, whose upload has another name; see `DrawingTool.find`."""
        return find_picture(names, picture.name, path)

    def parsed(self, data: bytes, path: str, names: PictureNames) -> ToolDocument:
        """Return the pictures of a file; see `DrawingTool.parsed`."""
        is_json = _LIST.search(as_utf8(data))
        tasks = _tasks(value_of(data)) if is_json else _joined(_rows(data))
        document = ToolDocument()
        reading = _Reading(document, names, path)
        for number, task in enumerate(tasks, 1):
            reading.add(number, task)
        reading.warn()
        return document


class _Reading:
    """Collects the pictures of the tasks of a file."""

    def __init__(self, document: ToolDocument, names: PictureNames, path: str) -> None:
        self._document = document
        self._names = names
        self._path = path
        self._several = 0
        self._different = 0
        self._predictions = 0
        self._turned = Tally()

    def add(self, number: int, task: _Task) -> None:
        """Add a task.

        Args:
            number: Its number in the file, from 1.
            task: The task.
        """
        self._predictions += task.predictions
        pictures = [value for value in task.data.values() if is_picture(value)]
        found = [find_picture(self._names, each, self._path) for each in pictures]
        pictures = [each for each in found if each is not None] or pictures
        lists = [pages for value in task.data.values() if (pages := _pictures_in(value))]
        pages = lists[0] if len(lists) == 1 and not pictures else []
        pictures += [page for pages in lists for page in pages]
        label = pictures[0] if pictures else f"task {number}"
        objects = sum(count_of(each.results) for each in task.annotations)
        valid = [each for each in task.annotations if not each.is_cancelled]
        if len(pictures) != 1 and not pages:
            reason = message("its task names {count} images instead of one", count=len(pictures))
            self._problem(label, reason, objects)
        elif not valid:
            self._problem(label, _without_annotation(task), objects)
        elif not task.is_of_pages(len(pictures)):
            self._problem(label, _without_page(len(pictures)), objects)
        else:
            self._note_several(valid)
            for page, name in enumerate(pictures):
                self._document.pictures.append(self._picture(name, task.page(page, len(pictures))))

    def _note_several(self, valid: Sequence[_Annotation]) -> None:
        if len(valid) > 1:
            self._several += 1
            self._different += len({_key(each) for each in valid}) > 1

    def _picture(self, name: str, task: _Task) -> DrawnPicture:
        """Return a picture with the annotation that is taken, and reports about others."""
        valid = [each for each in task.annotations if not each.is_cancelled]
        chosen = next((each for each in valid if each.is_truth), valid[-1])
        picture = DrawnPicture(name)
        add_results(picture, chosen.results)
        picture.labels = labels_in(chosen.results)
        if any(number_in(each.get("image_rotation")) % 360 > 0 for each in chosen.results):
            self._turned.add(name)
        cancelled = sum(count_of(each.results) for each in task.annotations if each.is_cancelled)
        if cancelled:
            reason = message(
                "left out {count} shapes of a skipped annotation",
                one="left out a shape of a skipped annotation",
                count=cancelled,
            )
            picture.others.append(Remark(reason, cancelled))
        if len(valid) > 1:
            others = sum(count_of(each.results) for each in valid if each is not chosen)
            reason = message(
                "left out {count} shapes of other annotations of the task",
                one="left out a shape of another annotation of the task",
                count=others,
            )
            picture.others.append(Remark(reason, others))
        return picture

    def _problem(self, name: str, reason: Text, objects: int) -> None:
        self._document.problems.append(LeftOut(name, reason, objects))

    def warn(self) -> None:
        """Add sentences about what was chosen."""
        if self._several:
            self._document.warnings.append(
                message(
                    "{count} tasks in {file} have more than one annotation, of which {different} "
                    "differ; the ground truth, or else the last one, is used.",
                    one="{count} task in {file} has more than one annotation, and differing ones: "
                    "{different}; the ground truth, or else the last one, is used.",
                    count=self._several,
                    file=self._path,
                    different=self._different,
                )
            )
        if self._turned:
            self._document.warnings.append(
                message(
                    "{count} images, such as {first}, were turned in Label Studio. Check that "
                    "their shapes are where they belong.",
                    one="{first} was turned in Label Studio. Check that its shapes are where they "
                    "belong.",
                    count=self._turned.count,
                    first=self._turned.first,
                )
            )
        if self._predictions:
            self._document.warnings.append(
                message(
                    "{count} predictions of models in {file} are not used.",
                    one="A prediction of a model in {file} is not used.",
                    count=self._predictions,
                    file=self._path,
                )
            )


def _pictures_in(value: object) -> list[str]:
    """Return the pictures of a list of pages or frames; none for any other value."""
    entries = value if isinstance(value, list) else []
    pictures = [each for each in entries if is_picture(each)]
    return pictures if len(pictures) == len(entries) else []


def _without_page(count: int) -> Text:
    return message(
        "its annotation does not say for each shape to which of the {count} images of its task it "
        "belongs (item_index)",
        one="its annotation has shapes for other images than that of its task (item_index)",
        count=count,
    )


def _without_annotation(task: _Task) -> Text:
    if task.annotations:
        return "its task was skipped in Label Studio"
    return "its task has no annotation"


def _key(annotation: _Annotation) -> str:
    """Return the content of an annotation for comparisons, without the ids of its regions."""
    parts = [
        {key: entry.get(key) for key in ("value", "type", "from_name")}
        for entry in annotation.results
    ]
    return json.dumps(sorted(json.dumps(part, sort_keys=True) for part in parts))


# JSON


def _tasks(document: object) -> list[_Task]:
    """Return the tasks of JSON, or of JSON-MIN, where each annotation is an entry.

    Raises:
        BadDataError: It is no list; the message is a short reason.
    """
    if not isinstance(document, list):
        raise BadDataError("its JSON is not a list")
    entries = list(objects(document))
    if any(isinstance(entry.get("data"), dict) for entry in entries):
        return [_full(entry) for entry in entries]
    return _joined(entries)


def _full(entry: dict[str, Any]) -> _Task:
    data = entry.get("data")
    task = _Task(data if isinstance(data, dict) else {})
    predictions = entry.get("predictions")
    task.predictions = sum(isinstance(each, dict) for each in _list(predictions))
    for each in objects(entry.get("annotations", entry.get("completions"))):
        is_cancelled = each.get("was_cancelled") is True or each.get("skipped") is True
        is_truth = each.get("ground_truth") is True
        task.annotations.append(
            _Annotation(list(objects(each.get("result"))), is_truth, is_cancelled)
        )
    return task


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


# JSON-MIN and CSV


def _joined(entries: Sequence[dict[str, Any]]) -> list[_Task]:
    """Return the tasks of entries, one for each annotation."""
    tasks: dict[object, _Task] = {}
    for number, entry in enumerate(entries):
        key = entry.get("id")
        key = key if isinstance(key, str | int) else f"entry {number}"
        data = {
            name: value
            for name, value in entry.items()
            if isinstance(value, str) or _pictures_in(value)
        }
        task = tasks.setdefault(key, _Task(data))
        task.annotations.append(_Annotation(list(_results(entry))))
    return list(tasks.values())


def _results(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the labels of an entry in the form of complete JSON."""
    for name in _label_names(entry):
        value = entry[name]
        if isinstance(value, dict) and isinstance(value.get("choices"), list):
            yield {"type": "choices", "from_name": name, "value": value}
        elif isinstance(value, str):
            yield {"type": "choices", "from_name": name, "value": {"choices": [value]}}
        for each in objects(value):
            size = {key: each.get(key) for key in ("original_width", "original_height")}
            yield {"type": "", "from_name": name, "value": each, **size}


def _label_names(entry: dict[str, Any]) -> list[str]:
    """Return the keys of labels: those behind the id of the task, where its data end.

    All keys are possible if nothing is behind the id.
    """
    names = list(entry)
    behind = names[names.index("id") + 1 :] if "id" in names else names
    for keys in (behind, names):
        found = [name for name in keys if name not in _NOT_LABELS and not is_picture(entry[name])]
        if found:
            return found
    return []


def _rows(data: bytes) -> list[dict[str, Any]]:
    """Return the rows of a table, with the JSON in its cells as values.

    The module csv refuses cells of 128 KB, and the runs of a brush may have more.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    text = decoded(data)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        found = _CELLS[delimiter].match(text, at)
        if found is None:
            raise BadDataError("it is damaged or not a CSV file")
        quoted, plain, end = found.groups()
        rows[-1].append(plain if quoted is None else quoted.replace('""', '"'))
        at = found.end()
        if end != delimiter:
            rows.append([])
    names, *lines = rows
    return [
        {name: _cell(cell) for name, cell in zip(names, line, strict=False) if name}
        for line in lines
        if any(line)
    ]


def _cell(text: str) -> object:
    if text[:1] not in {"[", "{"}:
        return text
    try:
        return value_of(text)
    except BadDataError:
        return text
