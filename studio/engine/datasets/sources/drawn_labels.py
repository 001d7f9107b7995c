"""Labels of whole pictures in files of annotation tools, such as choices and tags."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.annotated import FoundFiles, ReadsFound, splits_by_folders
from studio.engine.datasets.sources.shared.members import is_archive, is_zip
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.split_words import split_of

if TYPE_CHECKING:
    from studio.engine.tasks.annotation_files.tools.base import Drawings, DrawingTool
    from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture

_SUFFIXES: Final = (".json", ".xml", ".csv", ".tsv", "list.txt", "trainval.txt", "test.txt")
"""Ends of the names of files that may be of a tool, lower case."""
_MOST_ENTRIES: Final = 20_000
"""Files and folders at most that are examined for files of a tool."""
_COLUMN: Final = "labels"


class DrawnLabels(ReadsFound):
    """Pictures whose classes are in files of an annotation tool. Shapes are left out, reported.

    For a class per picture, the tool must ask one question, and a picture have one answer. For
    several labels, the answers to all questions are the labels.

    Args:
        tool: The tool.
        path: Folder, archive or file that was chosen.
        files: Pictures and annotations.
    """

    name = "drawn_labels"
    takes = frozenset({"annotations", "columns"})

    def __init__(self, tool: DrawingTool, path: Path, files: FoundFiles) -> None:
        super().__init__(path, files)
        self._tool = tool

    @property
    def label(self) -> str:
        """Display name of the files."""
        return self._tool.label

    def scan(
        self,
        path: Path,
        progress: Progress,
        options: base.SourceOptions = base.NO_OPTIONS,
    ) -> base.Scan:
        """Find pictures and their labels; see `Source.scan`."""
        drawings = self._tool.read(self._files.annotated, progress)
        scan = base.Scan(warnings=[*drawings.warnings], problems=self.problems(drawings.problems))
        for picture, drawn in drawings.pictures.items():
            scan.problems += _left_out(picture, drawn)
        scan.warnings += self._about_folders(drawings)
        if options.columns:
            self._add_lists(scan, drawings)
        else:
            self._add_classes(scan, drawings)
            hint = "Answer the question of each image in the tool, and export again."
            base.complete_scan(path, scan, options, hint)
        self._add_splits(scan, drawings)
        return scan

    def _about_folders(self, drawings: Drawings) -> list[Text]:
        """Return a sentence if folders may be classes as well."""
        folders = {path.rpartition("/")[0].rpartition("/")[2] for path in drawings.pictures}
        if len([name for name in folders if split_of(name) is None]) < 2:
            return []
        return [
            message(
                "The labels are those of {tool}, not the names of the folders of the images.",
                tool=message(self._tool.label),
            )
        ]

    def _add_classes(self, scan: base.Scan, drawings: Drawings) -> None:
        """Add the pictures that have one label.

        Raises:
            StudioError: There are several questions, or most pictures have several labels.
        """
        _require_one_question(drawings, self._tool.label)
        several = 0
        for picture, drawn in drawings.pictures.items():
            labels = _labels_of(drawn)
            if len(labels) == 1:
                scan.items.append(self.item(picture, labels[0]))
                continue
            reason: Text = "it has no label of the whole image"
            if labels:
                several += 1
                reason = message(
                    "it has {count} labels: {names}",
                    count=len(labels),
                    names=", ".join(labels[:5]),
                )
            problem = base.Skipped(base.safe_text(picture), reason, is_annotation=True)
            scan.problems.append(problem)
        if several > len(scan.items):
            raise StudioError(
                "{several} of {total} images have several labels.",
                "Choose the task multi-label classification.",
                "task",
                several=several,
                total=len(drawings.pictures),
            )

    def _add_lists(self, scan: base.Scan, drawings: Drawings) -> None:
        """Add all pictures with the list of their labels."""
        scan.columns = (_COLUMN,)
        names = _distinct_names(drawings)
        without = 0
        for picture, drawn in drawings.pictures.items():
            labels = [names[key, name] for key, found in drawn.labels.items() for name in found]
            without += not labels
            item = self.item(picture, "")
            cell = json.dumps(labels, ensure_ascii=False)
            scan.items.append(replace(item, values=(cell,)))
        if without:
            scan.warnings.append(
                message(
                    "{count} images have no label. They are taken as images without any of the "
                    "labels.",
                    one="An image has no label. It is taken as an image without any of the "
                    "labels.",
                    count=without,
                )
            )

    def _add_splits(self, scan: base.Scan, drawings: Drawings) -> None:
        """Set the splits that the files, or else folders, name."""
        given = {path: drawn.split for path, drawn in drawings.pictures.items()}
        by_folder = splits_by_folders(given)
        for index, item in enumerate(scan.items):
            folder = by_folder.get(item.key.rpartition("/")[0])
            scan.items[index] = replace(item, split=given[item.key] or folder)
        if any(given[item.key] for item in scan.items):
            scan.split_origin = "file names"


def _left_out(picture: str, drawn: DrawnPicture) -> Iterator[base.Skipped]:
    """Yield reports about the shapes of a picture, which are not used."""
    path = base.safe_text(picture)
    if count := len(drawn.shapes):
        reason = message(
            "left out {count} shapes: only labels of the whole image are used",
            one="left out a shape: only labels of the whole image are used",
            count=count,
        )
        yield base.Skipped(path, reason, None, True, True, count)
    for remark in drawn.remarks:
        yield base.Skipped(path, remark.reason, None, True, True, remark.objects)


def _labels_of(drawn: DrawnPicture) -> list[str]:
    return [name for found in drawn.labels.values() for name in found]


def _require_one_question(drawings: Drawings, tool: str) -> None:
    """Refuse labels of several questions, which are no classes that exclude each other.

    Raises:
        StudioError: There are several.
    """
    questions = Counter(
        key for drawn in drawings.pictures.values() for key, found in drawn.labels.items() if found
    )
    if len(questions) > 1:
        raise StudioError(
            "The labels of {tool} answer {count} questions about each image ({names}); a class "
            "per image needs one.",
            "Choose the task multi-label classification, or export a project with one question.",
            "source",
            tool=tool,
            count=len(questions),
            names=", ".join(list(questions)[:12]),
        )


def _distinct_names(drawings: Drawings) -> Mapping[tuple[str, str], str]:
    """Return the label of each answer: its name, with its question where several have the name."""
    answers = dict.fromkeys(
        (key, name)
        for drawn in drawings.pictures.values()
        for key, found in drawn.labels.items()
        for name in found
    )
    counts = Counter(name for _, name in answers)
    return {(key, name): name if counts[name] == 1 else f"{key}: {name}" for key, name in answers}


# Recognizing.


def label_source(path: Path, annotations: str = "") -> DrawnLabels | None:
    """Return the source of labels of whole pictures in files of a tool; None without such files.

    Args:
        path: Folder or archive with pictures, or a file of the tool beside them.
        annotations: Place of the annotations, where that is another.
    """
    is_file = path.is_file() and path.name.casefold().endswith(_SUFFIXES)
    if not path.exists() or (annotations and not user_path(annotations).exists()):
        return None
    if not (annotations or is_file or _may_have_files(path)):
        return None
    # Loads NumPy, which the window must not at start.
    from studio.engine.tasks.annotation_files.tools import LABEL_TOOLS  # noqa: PLC0415

    files = FoundFiles(path.parent, str(path)) if is_file else FoundFiles(path, annotations)
    labels = files.annotated.labels
    found = (tool for tool in LABEL_TOOLS if tool.accepts(labels) and tool.has_labels(labels))
    tool = next(found, None)
    return None if tool is None else DrawnLabels(tool, path, files)


def _may_have_files(path: Path) -> bool:
    """Return True if files of a tool may be in a folder, in its folders, or in a ZIP archive."""
    if is_archive(path):
        return path.is_file() and is_zip(path)
    left = _MOST_ENTRIES
    folders = [path] if path.is_dir() else []
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if entry.name.casefold().endswith(_SUFFIXES):
                        return True
                    if folder == path and entry.is_dir() and not entry.name.startswith("."):
                        folders.append(Path(entry.path))
                    if not left:
                        return False
        except OSError:
            continue
    return False
