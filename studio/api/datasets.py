"""Datasets: import, and what they contain."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from studio.api.notebook import shown_images, table
from studio.api.records import Collection, RecordView, required_report, wait_for
from studio.api.settings import ImportSettings
from studio.api.splits import Split, to_pandas
from studio.api.values import SPLITS, Example, Written, examples_of, plain_label, split_named
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.import_report import ImportReport, read_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary, request_audit, request_import
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import evident_task, explained, source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.files import user_path
from studio.engine.progress import SilentProgress
from studio.engine.tasks import DEFAULT_TASK, TASKS, named_task
from studio.engine.tasks.annotations import AnnotationOptions
from studio.engine.workspace import RecordKind

if TYPE_CHECKING:
    import pandas as pd

    from studio.api.workspace import Workspace

_SHOWN = 8
"""Images and classes that a notebook shows."""
_LOOKED_AT = 32
"""Masks or boxes that are read before the import itself."""


class Datasets(Collection["Dataset"]):
    """The datasets of a workspace, by their names."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, RecordKind.DATASET, Dataset)

    def import_folder(
        self,
        source: str | Path,
        *,
        task: str | None = None,
        annotations: str | Path = "",
        name: str | None = None,
        wait: bool = True,
        **recipe: Unpack[ImportSettings],
    ) -> Dataset:
        """Import images.

        Args:
            source: A folder of class folders, an archive, a table with a column of classes, labels
                or numbers, a file of arrays, an address, or a folder or archive of images with
                masks or boxes.
            task: Name of the task: "classification", "multi_label", "regression", "segmentation"
                or "detection"; None for that of the masks or boxes that are found, otherwise
                "classification".
            annotations: Folder, archive or file with the masks or boxes, if they are not among the
                images.
            name: Name of the dataset; None for that of the folder or file.
            wait: Return when it is imported.
            recipe: Fields of the recipe, such as `width=64`, `height=64` or `val_percent=10`. For
                masks these are also `class_names` (in the order of their index), `class_colors`
                (as "#rrggbb"), `mask_mode` ("index", "color", "binary" or "auto"), `ignore_value`
                (number or color of pixels of no class), `tile_size` (side of the tiles that large
                images are cut into, and size of the images of the dataset unless `width` or
                `height` is given; 0 for none) and `tile_overlap`, in pixels. Without size and
                `tile_size`, tiles are used where resizing would lose small objects. For boxes
                `class_names`, `class_colors` and tiles as well, `keep_empty` (False leaves images
                without objects out) and `least_visible` (fraction of a box that must be inside
                the image or tile).

        Raises:
            StudioError: There is nothing to import, or a field does not fit.
            JobFailedError: The import failed by a bug.
        """
        asked = self._recipe(source, task, annotations, recipe)
        title = name or user_path(source).stem
        return self._import(asked, title, wait=wait, or_similar=not name)

    def from_arrays(
        self,
        images: object,
        labels: object,
        *,
        classes: Sequence[str] = (),
        split: Sequence[str] | None = None,
        task: str | None = None,
        name: str = "arrays",
        **recipe: Unpack[ImportSettings],
    ) -> Dataset:
        """Import arrays.

        Args:
            images: Pixels of shape (n, height, width) or (n, height, width, channels), or a list
                of images of different sizes.
            labels: One for each image: names or numbers of classes, shape (n,); numbers, shape
                (n,) or (n, quantities); 0 and 1 for each of the `classes`, shape (n, classes); or
                a class for each pixel, shape (n, height, width).
            classes: Names of the classes in the order of their numbers.
            split: "train", "val" or "test" of each image; None to split at random.
            task: Name of the task; None for that of the labels. Whole numbers are classes unless
                it is "regression".
            name: Name of the dataset; a number is added if it is taken.
            recipe: Fields of the recipe, see `import_folder`.

        Raises:
            StudioError: There are not as many labels as images, or one does not fit.
        """
        pixels, answers = _listed(images), _listed(labels)
        splits = [""] * len(pixels) if split is None else list(split)
        if not len(pixels) == len(answers) == len(splits):
            raise StudioError(
                f"Received {len(pixels)} images, {len(answers)} labels and {len(splits)} splits.",
                "Give one label for each image.",
                "labels",
            )
        found = (
            Example(pixel, plain_label(answer), split_named(part, "split"))
            for pixel, answer, part in zip(pixels, answers, splits, strict=True)
        )
        return self._from_examples(found, name, task, classes, recipe)

    def from_dataframe(
        self,
        table: pd.DataFrame,
        *,
        image: str = "path",
        label: str | Sequence[str] = "label",
        split: str = "split",
        task: str | None = None,
        name: str = "table",
        **recipe: Unpack[ImportSettings],
    ) -> Dataset:
        """Import the rows of a data frame of pandas.

        Args:
            table: The data frame.
            image: Column with paths, bytes, pixels or Pillow images.
            label: Column with the labels, or columns with numbers.
            split: Column with "train", "val" or "test"; not needed.
            task: Name of the task; None for that of the labels.
            name: Name of the dataset; a number is added if it is taken.
            recipe: Fields of the recipe, see `import_folder`.

        Raises:
            StudioError: A column is missing, or a value does not fit.
        """
        columns = [label] if isinstance(label, str) else list(label)
        known = [str(each) for each in table.columns]
        for column in (image, *columns):
            if column not in known:
                raise StudioError(
                    f'The table has no column "{column}".',
                    f"Its columns are {', '.join(known)}.",
                    column,
                )
        parts = table[split].astype(object) if split in known else None
        splits = [""] * len(table) if parts is None else parts.where(parts.notna(), "")
        answers = (
            table[columns[0]]
            if isinstance(label, str)
            else ({name: row[name] for name in columns} for _, row in table[columns].iterrows())
        )
        found = (
            Example(value, plain_label(answer), split_named(part, "split"))
            for value, answer, part in zip(table[image], answers, splits, strict=True)
        )
        return self._from_examples(found, name, task, (), recipe)

    def from_examples(
        self,
        data: object,
        *,
        image: str = "",
        label: str = "",
        classes: Sequence[str] = (),
        task: str | None = None,
        name: str = "examples",
        **recipe: Unpack[ImportSettings],
    ) -> Dataset:
        """Import pairs of image and label, one after another; they need not fit into memory.

        Args:
            data: Pairs, or mappings with the keys "image" and "label": a list, a generator, a
                dataset of Hugging Face, `tf.data` or PyTorch; or a mapping of the names of splits
                to such collections.
            image: Key of the images; empty for a usual one.
            label: Key of the labels; empty for a usual one.
            classes: Names of the classes in the order of their numbers, if `data` has none.
            task: Name of the task; None for that of the labels.
            name: Name of the dataset; a number is added if it is taken.
            recipe: Fields of the recipe, see `import_folder`.

        Raises:
            StudioError: There are no examples, or one does not fit.
        """
        return self._from_examples(examples_of(data, image, label), name, task, classes, recipe)

    def _from_examples(
        self,
        examples: Iterable[Example],
        name: str,
        task: str | None,
        classes: Sequence[str],
        recipe: Mapping[str, Any],
    ) -> Dataset:
        """Write examples into a temporary folder, and import that.

        Raises:
            StudioError: The import shall not be waited for, or an example does not fit.
        """
        if "wait" in recipe:
            raise StudioError(
                "Images of a program are always imported before the call returns.",
                "Leave wait out, or write files and use import_folder.",
                "wait",
            )
        with tempfile.TemporaryDirectory(prefix="studio-") as folder:
            written = Written(Path(folder), task or "", list(classes))
            written.write(examples)
            title = self._workspace.records.unused_name(RecordKind.DATASET, name)
            options: dict[str, Any] = {**written.options, **recipe}
            dataset = self.import_folder(written.source, name=title, wait=False, **options)
            try:
                return dataset.wait()
            except KeyboardInterrupt:
                if not dataset.job.history.state.is_at_rest:
                    dataset.stop()  # its files are about to be removed
                raise

    def preview(
        self,
        source: str | Path,
        *,
        task: str | None = None,
        annotations: str | Path = "",
        **recipe: Unpack[ImportSettings],
    ) -> ImportReport:
        """Return what `import_folder` would import and leave out, without writing anything.

        Args:
            source: See `import_folder`.
            task: See `import_folder`.
            annotations: See `import_folder`.
            recipe: See `import_folder`.

        Returns:
            Its attributes `classes`, `class_numbers`, `counts` (of the splits), `splits.text`,
            `skipped` and `warnings` say what was understood; `document()` is the JSON data of
            `studio datasets import --preview --json`. Of more than 3,000 images, a random sample
            is examined, see `examined`.

        Raises:
            StudioError: There is nothing to import, or a field does not fit.
        """
        # Loads NumPy and Pillow, which `import studio` must not.
        from studio.engine.datasets.preview import preview_import  # noqa: PLC0415

        return preview_import(self._recipe(source, task, annotations, recipe), SilentProgress())

    def _recipe(
        self,
        source: str | Path,
        task: str | None,
        annotations: str | Path,
        recipe: Mapping[str, Any],
    ) -> DatasetRecipe:
        """Return the recipe of `import_folder`."""
        recipe = {
            field: os.fspath(value) if isinstance(value, os.PathLike) else value
            for field, value in recipe.items()
        }
        path = user_path(source)
        masks = str(user_path(annotations)) if annotations else ""
        names_good = bool(recipe.get("good_classes"))
        if task:
            chosen = named_task(task)
        elif names_good:
            chosen = next(each for each in TASKS.values() if each.source.reads("good_classes"))
        else:
            chosen = evident_task(path, masks) or DEFAULT_TASK
        if masks:
            recipe["annotations"] = masks
        if "ignore_value" in recipe:
            recipe["ignore_value"] = str(recipe["ignore_value"])
        # Loads NumPy and Pillow, which `import studio` must not.
        from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415

        read_as = DEFAULT_TASK if names_good else chosen
        options = SourceOptions(
            labels_file=str(recipe.get("labels_file", "")),
            path_prefix=str(recipe.get("path_prefix", "")),
        ).for_task(read_as, partial(AnnotationOptions, most=_LOOKED_AT), is_part=names_good)
        reader = source_for(path, read_as, masks)
        try:
            suggested = suggest_recipe(
                path, None, SilentProgress(), options, reader, chosen=recipe
            )
        except StudioError as error:
            raise explained(error, path, masks, read_as) from error
        if tile_size := recipe.get("tile_size"):
            recipe = {"width": tile_size, "height": tile_size} | recipe
        asked = suggested.changed(task=chosen.name, **recipe)
        for problem in asked.without_effect():
            if problem.where in recipe:
                raise StudioError(problem.message, problem.hint, problem.where)
        return asked

    def import_sample(self, sample: str, *, name: str | None = None, wait: bool = True) -> Dataset:
        """Import one of the sample datasets, such as "digits".

        Args:
            sample: Name of the sample.
            name: Name of the dataset; by default the sample's.
            wait: False to return while the import is running.

        Raises:
            StudioError: There is no such sample.
        """
        if sample not in SAMPLES:
            names = ", ".join(SAMPLES.names())
            raise StudioError(f'There is no sample "{sample}".', f"There are: {names}.")
        chosen = SAMPLES[sample]
        folder = chosen.write(self._workspace.records.root / "samples", SilentProgress())
        return self._import(chosen.recipe(folder), name or sample, wait=wait, or_similar=not name)

    def _import(
        self, recipe: DatasetRecipe, name: str, *, wait: bool, or_similar: bool
    ) -> Dataset:
        records = self._workspace.records
        title = records.unused_name(RecordKind.DATASET, name) if or_similar else name
        dataset = Dataset(
            self._workspace, request_import(self._workspace.queue, recipe, title).record
        )
        return dataset.wait() if wait else dataset.begin()


def _listed(values: object) -> Sequence[Any]:
    """Return values one by one, of an array along its first axis.

    Raises:
        StudioError: There is only one.
    """
    if hasattr(values, "shape") or isinstance(values, Sequence):
        return values  # type: ignore[return-value]  # arrays have a length and an order, too
    if isinstance(values, Iterable):
        return list(values)
    raise StudioError(
        f"Images and labels must be arrays or lists; received {type(values).__name__}.",
        "Use from_examples for other collections.",
        "images",
    )


class Dataset(RecordView):
    """A dataset.

    Examples:
        >>> pixels, label = dataset["train"][0]
        >>> pixels.shape, dataset.classes[label]
        ((8, 8, 3), 'car')
        >>> images, labels = dataset["train"].to_numpy()
        >>> images.shape, len(labels), len(dataset)
        ((20, 8, 8, 3), 20, 40)
    """

    def __len__(self) -> int:
        """Return the number of images of all splits."""
        return self.summary.total

    def __getitem__(self, split: str) -> Split:
        """Return the images of a split: "train", "val" or "test".

        Raises:
            StudioError: There is no such split.
        """
        name = SPLITS.get(split.casefold())
        if name is None:
            raise StudioError(f'There is no split "{split}".', did_you_mean(split, SPLITS))
        return Split(self, name)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the splits."""
        return iter(("train", "val", "test"))

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with a row for each image: its path, split and label.

        Raises:
            StudioError: pandas is not installed.
        """
        return to_pandas(self)

    @property
    def summary(self) -> DatasetSummary:
        """Classes, size and numbers of images of its newest version."""
        return dataset_summary(self.record.folder, current_version(self.record.folder))

    @property
    def task(self) -> str:
        """Name of its task."""
        return self.summary.task

    @property
    def classes(self) -> list[str]:
        """Names of its classes, labels or quantities."""
        return list(self.summary.classes)

    @property
    def count(self) -> dict[str, int]:
        """Number of images of each split: "train", "val" and "test"."""
        return dict(self.summary.count)

    @property
    def imported(self) -> ImportReport | None:
        """Summary of its import: formats, classes, splits, what was left out, and warnings."""
        return read_import(self.record.folder)

    def audit(self, **plan: object) -> AuditReport:
        """Look for duplicates, leakage, wrong labels and poor images.

        Args:
            plan: Fields of the audit plan, such as `near_similarity=90`.

        Raises:
            StudioError: The import is not completed, or a field does not fit.
            JobFailedError: The audit failed by a bug.
        """
        requested = AuditPlan.parse({"dataset": self.record.id, **plan})
        job = request_audit(self.workspace.queue, requested)
        wait_for(self.workspace, job)
        return required_report(AuditReport.read(self.record.folder), job)

    def _repr_html_(self) -> str:
        """Return classes, splits and some images for a notebook."""
        if self.state != "completed":
            return f"<p>{escape(repr(self))}</p>"
        summary = self.summary
        rows = [
            (name, *(summary.class_counts[split][index] for split in self))
            for index, name in enumerate(summary.classes[:_SHOWN])
        ]
        images = "".join(shown_images(self["train"], _SHOWN))
        title = f"{self.name}: {len(self):,} images of {summary.width} x {summary.height} pixels"
        return f"<p>{escape(title)}</p>{images}{table(['', *self], rows)}"
