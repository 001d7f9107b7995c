"""The interface of editors, and the two bases: values in a table, and regions in files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.labeling.label_files import Labeled, write_annotations, write_table
from studio.engine.labeling.model import Learner
from studio.engine.labeling.pixel_files import CLASS_PIXELS, PixelFile
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import Value
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import Regions
from studio.engine.tasks.metric import with_unit
from studio.engine.tasks.task import Task

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling

CSV: Final = "csv"
_PREFERRED: Final = ("masks", "coco")
"""Formats that keep everything, for datasets of regions."""
_SAME: Final = 0.999
"""Similarity from which on two values count as equal."""
Pair = tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class Compared:
    """The values that two annotators gave the same pictures, compared.

    Attributes:
        measure: Name of the measure, see `quality.Agreement`.
        value: The measure; NaN if it cannot be measured.
        each: Similarity of each pair.
        is_same: True for each pair of equal values.
    """

    measure: str
    value: float
    each: Sequence[float]
    is_same: Sequence[bool]


class Editor(ABC):
    """The decisions of a person about the images of a task, and what becomes of them.

    Every module of labeling asks the editor of the task, so that a task of another package is
    labeled as the others are: it names the module of an editor in `Task.labeling`.

    Examples:
        A package whose images get one number each:

        >>> from studio.engine.labeling.editors.numbers import NumbersEditor
        >>> EDITOR = NumbersEditor(quantities=(LabelClass(name="age", unit="years"),))
        >>> EDITOR.kind, EDITOR.has_units
        ('numbers', True)

    Attributes:
        kind: Kind of the values, `kind` in `labels.jsonl`; the window has a set of tools for each.
        classes: Classes of every labeling; empty where a person names them.
        adds_classes: True if a person names further ones beside `classes`.
        has_units: True if the classes are quantities with units.
        counts_classes: True if the pictures with a class can be counted.
        gives_classes: True if a class can be given to many pictures at once, see `with_class`.
        takes_texts: True if texts about the classes can propose values, see `prompts`.
        first_class: Index of the class that is drawn with at first.
        is_drawn: True if regions are drawn on the pictures.
        learner: Learner of a model from features; None where proposals come from runs only.
        pixels: Files of what is drawn pixel by pixel.
    """

    kind: ClassVar[str]
    classes: tuple[LabelClass, ...] = ()
    adds_classes: ClassVar[bool] = False
    has_units: ClassVar[bool] = False
    counts_classes: ClassVar[bool] = True
    gives_classes: ClassVar[bool] = False
    takes_texts: ClassVar[bool] = False
    is_drawn: ClassVar[bool] = False
    first_class: ClassVar[int] = 0
    learner: Learner | None = None
    pixels: PixelFile = CLASS_PIXELS

    @property
    def names_classes(self) -> bool:
        """True if a person names classes."""
        return self.adds_classes or not self.classes

    def first_classes(self, named: Sequence[LabelClass]) -> list[LabelClass]:
        """Return the classes of a new labeling.

        Args:
            named: Classes that a person named; none unless `names_classes`.
        """
        return list(named or self.classes)

    # Decisions.

    @abstractmethod
    def parsed(self, labeling: Labeling, text: str, items: Sequence[int]) -> Value:
        """Return the value that a person typed on the command line.

        Args:
            labeling: The labeling; new classes are added.
            text: The text.
            items: Numbers of the pictures that get it.

        Raises:
            StudioError: The text is no value.
        """

    @abstractmethod
    def text(self, names: Sequence[str], value: Value) -> str:
        """Return a value in a line.

        Args:
            names: Names of the classes.
            value: A value of this kind.
        """

    def caption(
        self,
        classes: Sequence[LabelClass],  # noqa: ARG002 - of regions
        value: Value,  # noqa: ARG002
    ) -> str:
        """Return a value in a few letters; empty where pictures say it better.

        Args:
            classes: Classes of the labeling.
            value: A value of this kind.
        """
        return ""

    def misfit(
        self,
        labeling: Labeling,  # noqa: ARG002 - of numbers
        value: Value,  # noqa: ARG002
    ) -> StudioError | None:
        """Return why a value of this kind with known classes does not fit; None if it does.

        Args:
            labeling: The labeling.
            value: The value.
        """
        return None

    def with_class(
        self,
        before: Sequence[Value | None],
        index: int,
    ) -> list[Value]:
        """Return the values of pictures that get a class, see `gives_classes`.

        Args:
            before: Their values.
            index: Index of the class.
        """
        raise NotImplementedError(self.kind)

    def renumbered(
        self,
        labeling: Labeling,
        item: int,  # noqa: ARG002 - of masks
        value: Value,
        indices: Sequence[int],
    ) -> Value:
        """Return the value with other indices of its classes.

        Args:
            labeling: The labeling.
            item: Number of the picture.
            value: Its value.
            indices: New index of each class.
        """
        return value.renumbered(indices, len(labeling.classes))

    # Data sets and models.

    def dataset_classes(self, store: Store) -> list[LabelClass]:
        """Return the classes of a dataset as those of a labeling."""
        units = store.units or [""] * len(store.classes)
        colors = store.colors or [""] * len(store.classes)
        return [
            LabelClass(name=name, unit=unit, color=color)
            for name, unit, color in zip(store.classes, units, colors, strict=True)
        ]

    @abstractmethod
    def imported(
        self, labeling: Labeling, store: Store, row: int, indices: Sequence[int], item: int
    ) -> Value:
        """Return the annotation of an image of a dataset as a value.

        Args:
            labeling: The labeling.
            store: The dataset.
            row: Row of the image.
            indices: Index in the labeling of each of `dataset_classes`.
            item: Number of the picture in the labeling.
        """

    @abstractmethod
    def proposed(
        self, labeling: Labeling, item: int, prediction: ImagePrediction, model: ModelSource
    ) -> Proposal | None:
        """Return a prediction as a proposal; None if the labeling has none of its classes.

        Args:
            labeling: The labeling.
            item: Number of the picture.
            prediction: The prediction.
            model: The model.
        """

    # Agreement of annotators.

    @abstractmethod
    def compared(self, labeling: Labeling, pairs: Sequence[Pair]) -> Compared:
        """Compare the values that two annotators gave the same pictures.

        Args:
            labeling: The labeling.
            pairs: Values of each picture by both; at least one.
        """

    # Files.

    @abstractmethod
    def forms(self, task: Task) -> tuple[str, ...]:
        """Return the names of the formats that labels can be exported in."""

    @abstractmethod
    def suffix(self, form: str) -> str:
        """Return the suffix of the exported file; empty for a folder."""

    @abstractmethod
    def write(
        self,
        labeling: Labeling,
        labeled: Sequence[Labeled],
        form: str,
        path: Path,
        progress: Progress,
    ) -> None:
        """Write annotations.

        Args:
            labeling: The labeling.
            labeled: The pictures with their values.
            form: One of `forms`.
            path: New file or folder.
            progress: Receives the progress and may cancel.
        """

    @abstractmethod
    def write_source(
        self, labeling: Labeling, labeled: Sequence[Labeled], folder: Path, progress: Progress
    ) -> tuple[Path, Mapping[str, object]]:
        """Write what the import of a dataset reads.

        Args:
            labeling: The labeling.
            labeled: The pictures with their values.
            folder: Folder for the files.
            progress: Receives the progress and may cancel.

        Returns:
            The source of the import, and fields of its recipe.
        """


def same_pairs(pairs: Sequence[Pair], each: Sequence[float]) -> list[bool]:
    """Return True for each pair of equal values.

    Args:
        pairs: The pairs.
        each: Their similarity.
    """
    return [
        one == other or alike >= _SAME for (one, other), alike in zip(pairs, each, strict=True)
    ]


class TableEditor(Editor):
    """Values that are the cells of a table: a line for each image."""

    def columns(self, classes: Sequence[LabelClass]) -> list[str]:
        """Return the headings of the columns behind that of the paths."""
        return [with_unit(each.name, each.unit) for each in classes]

    @abstractmethod
    def cells(self, names: Sequence[str], value: Value) -> list[object]:
        """Return the cells of a value.

        Args:
            names: Names of the classes.
            value: A value of this kind.
        """

    def forms(self, task: Task) -> tuple[str, ...]:  # noqa: ARG002 - of regions
        """Return the format of tables."""
        return (CSV,)

    def suffix(self, form: str) -> str:  # noqa: ARG002 - there is one
        """Return that of a table."""
        return ".csv"

    def write(
        self,
        labeling: Labeling,
        labeled: Sequence[Labeled],
        form: str,  # noqa: ARG002 - there is one
        path: Path,
        progress: Progress,  # noqa: ARG002 - it takes no time
    ) -> None:
        """Write a table; see `Editor.write`."""
        names = labeling.names
        rows = ((each, self.cells(names, each.value)) for each in labeled)
        write_table(path, self.columns(labeling.classes), rows)

    def write_source(
        self, labeling: Labeling, labeled: Sequence[Labeled], folder: Path, progress: Progress
    ) -> tuple[Path, Mapping[str, object]]:
        """Write a table; see `Editor.write_source`."""
        source = folder / "labels.csv"
        self.write(labeling, labeled, CSV, source, progress)
        return source, {"target_columns": self.columns(labeling.classes)}


class RegionEditor(Editor):
    """Regions that are drawn on the pictures, and written in the formats of the task."""

    is_drawn = True

    @abstractmethod
    def regions(self, labeling: Labeling, value: Value) -> Regions:
        """Return the regions of a value.

        Args:
            labeling: The labeling.
            value: A value of this kind.
        """

    def similarity(self, labeling: Labeling, one: Value, other: Value) -> float:
        """Return the mean IoU of the regions of two values, 0 to 1.

        Args:
            labeling: The labeling.
            one: A value of this kind.
            other: Another one.
        """
        return self.overlap(self.regions(labeling, one), self.regions(labeling, other))

    @abstractmethod
    def overlap(self, one: Regions, other: Regions) -> float:
        """Return the mean IoU of regions of the same picture, 0 to 1.

        Args:
            one: Regions by an annotator.
            other: Regions by another one.
        """

    def compared(self, labeling: Labeling, pairs: Sequence[Pair]) -> Compared:
        """Return the mean IoU; see `Editor.compared`."""
        each = [self.similarity(labeling, *pair) for pair in pairs]
        return Compared("mean_iou", float(np.mean(each)), each, same_pairs(pairs, each))

    def forms(self, task: Task) -> tuple[str, ...]:
        """Return the formats that datasets of the task can be exported in."""
        return tuple(dict.fromkeys(form.export for form in task.source.export_formats))

    def suffix(self, form: str) -> str:  # noqa: ARG002 - all are folders
        """Return no suffix: pictures lie beside the annotations."""
        return ""

    def write(
        self,
        labeling: Labeling,
        labeled: Sequence[Labeled],
        form: str,
        path: Path,
        progress: Progress,
    ) -> None:
        """Write pictures and their regions in a format; see `Editor.write`."""
        formats = labeling.task.source.export_formats
        writer_type = next(each.writer for each in formats if each.export == form)
        path.mkdir()
        writer = writer_type(path, labeling.names, [each.color for each in labeling.classes])
        pairs = ((each, self.regions(labeling, each.value)) for each in labeled)
        write_annotations(writer, pairs, len(labeled), path, progress)

    def write_source(
        self, labeling: Labeling, labeled: Sequence[Labeled], folder: Path, progress: Progress
    ) -> tuple[Path, Mapping[str, object]]:
        """Write the format that keeps everything; see `Editor.write_source`."""
        forms = self.forms(labeling.task)
        form = next((each for each in _PREFERRED if each in forms), forms[0])
        source = folder / "annotated"
        self.write(labeling, labeled, form, source, progress)
        colors = [each.color for each in labeling.classes]
        return source, {"class_names": list(labeling.names), "class_colors": colors}


def parts_of(text: str) -> list[str]:
    """Return the parts of a text between semicolons."""
    return [part.strip() for part in text.split(";") if part.strip()]


def number_of(text: str) -> float:
    """Return the number that a person typed.

    Raises:
        StudioError: The text is no number.
    """
    try:
        return float(text)
    except ValueError as error:
        raise StudioError(
            '"{text}" is not a number.', 'Separate several numbers by ";".', "value", text=text
        ) from error
