"""Sources of annotations: names of folders, columns of a table, or separate files."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.registry import Registry

if TYPE_CHECKING:
    from studio.engine.tasks.annotations import (
        AnnotatedPicture,
        AnnotationFormat,
        AnnotationOptions,
        Annotations,
        WritableFormat,
    )


class NestedFolders(Protocol):
    """A folder with the folders inside, by name."""

    @property
    def folders(self) -> Mapping[str, NestedFolders]:
        """The folders inside, by name."""


class AnnotationSource:
    """Place of the annotations of images; each task has one.

    Readers of datasets, their forms and options ask it what it can read, not for its kind.

    Examples:
        >>> from studio.engine.tasks import named_task
        >>> named_task("segmentation").source.reads("class_names")  # --classes has an effect
        True

    Attributes:
        fields: Fields of the recipe of an import that only this source reads.
        columns: True if all columns of a table are read instead of one with the class.
        joins_rows: True if several rows of a table about the same image are joined.
        takes_unlabeled: True if images without annotations suffice.
        headings: Columns of a table with annotations; empty if no table is read.
    """

    fields: frozenset[str] = frozenset()
    headings: tuple[str, ...] = ()
    columns: bool = False
    joins_rows: bool = False
    takes_unlabeled: bool = False

    def reads(self, field: str) -> bool:
        """Return True if a field of the recipe of an import is read."""
        return field in self.fields

    def options(
        self,
        known: Callable[[], AnnotationOptions],  # noqa: ARG002 - of files
    ) -> AnnotationOptions | None:
        """Return known facts about annotations in files; None where these are not read.

        Args:
            known: Returns the facts.
        """
        return None

    def of_classes(
        self,
        images: Sequence[AnnotatedPicture],  # noqa: ARG002 - of tasks that convert classes
        good: Sequence[str],  # noqa: ARG002
    ) -> Annotations:
        """Return the annotations of images that have classes; for `good_classes` in `fields`.

        Args:
            images: The images; the annotation of each is the name of its class.
            good: Names of the classes of good images.

        Raises:
            StudioError: The names do not fit.
            TypeError: The task does not convert classes.
        """
        raise TypeError("classes become no annotations of this task")

    def min_classes(self, outputs: int) -> int:  # noqa: ARG002 - of classes
        """Return the minimum number of classes of images.

        Args:
            outputs: Minimum number of outputs of a network.
        """
        return 1

    def word(self, names: tuple[str, str]) -> str:
        """Return the name of the annotation of an image.

        Args:
            names: Names of one output and of several.
        """
        return names[1]

    def refusal(self, *, fits: bool, is_table: bool) -> str:  # noqa: ARG002 - of columns, files
        """Return why annotations cannot be read from images that were found; empty if they can.

        Args:
            fits: True if a column of a table suits the task.
            is_table: True if the images were found by a table with columns.
        """
        return ""

    def claims(self, root: NestedFolders, source: object) -> StudioError | None:  # noqa: ARG002
        """Return the error for folders that only this task can read; None for others.

        Folders are read as classes unless another task is chosen; so it says which one to choose.

        Args:
            root: The innermost folder around all folders of images.
            source: The source, for messages.
        """
        return None

    @property
    def formats(self) -> Registry[AnnotationFormat]:
        """Formats of files; none for other sources."""
        return Registry("annotation format", [])

    @property
    def export_formats(self) -> Registry[WritableFormat]:
        """Those of `formats` that datasets can be exported in."""
        return Registry("annotation format", [])


class ClassNames(AnnotationSource):
    """Each image has one class: the name of its folder, or a cell of a table."""

    def min_classes(self, outputs: int) -> int:
        """Return the minimum number of outputs; see `AnnotationSource.min_classes`."""
        return outputs

    def word(self, names: tuple[str, str]) -> str:
        """Return the name of one class; see `AnnotationSource.word`."""
        return names[0]


class TargetColumns(AnnotationSource):
    """Columns of a table.

    Args:
        joins_rows: True if several rows of a table about the same image are joined.
    """

    fields = frozenset({"target_columns"})
    columns = True

    def __init__(self, *, joins_rows: bool = False) -> None:
        self.joins_rows = joins_rows

    def refusal(self, *, fits: bool, is_table: bool) -> str:
        """Refuse images without a suitable column; see `AnnotationSource.refusal`."""
        if fits:
            return ""
        if is_table:
            return message("The table has no suitable column.")
        return message(
            "Needs a file with the targets of each image: a table (CSV, TSV, Parquet) or arrays "
            "(HDF5, NPZ). Choose it instead of a folder."
        )


class AnnotationFiles(AnnotationSource):
    """Files beside the images, or in another folder.

    Args:
        module: Module with the formats, in `FORMATS` and, of those that can be written,
            `WRITABLE`.
        takes_unlabeled: True if images without annotations suffice.
        headings: See `AnnotationSource`.
    """

    fields = frozenset({"annotations", "class_names", "class_colors", "labels_file"})

    def __init__(
        self, module: str, *, takes_unlabeled: bool = False, headings: tuple[str, ...] = ()
    ) -> None:
        self._module = module
        self.takes_unlabeled = takes_unlabeled
        self.headings = headings

    def options(self, known: Callable[[], AnnotationOptions]) -> AnnotationOptions | None:
        """Return known facts about the files; see `AnnotationSource.options`."""
        return known()

    def refusal(self, *, fits: bool, is_table: bool) -> str:  # noqa: ARG002 - of columns
        """Refuse tables; see `AnnotationSource.refusal`."""
        return (
            message("Needs a folder of images with annotation files, not a table.")
            if is_table
            else ""
        )

    # Imported only when they are needed: they take NumPy, and every command starts with a task.

    @property
    def formats(self) -> Registry[AnnotationFormat]:
        """Formats that are read."""
        found: Registry[AnnotationFormat] = importlib.import_module(self._module).FORMATS
        return found

    @property
    def export_formats(self) -> Registry[WritableFormat]:
        """Formats that are written, too."""
        found: Registry[WritableFormat] = importlib.import_module(self._module).WRITABLE
        return found


CLASS_NAMES = ClassNames()
TARGET_COLUMNS = TargetColumns()
