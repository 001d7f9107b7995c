"""Datasets: import, and what they contain."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.api.records import Collection, RecordView
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.import_report import ImportReport, read_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary, request_import
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import evident_task, source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.progress import SilentProgress
from studio.engine.tasks import DEFAULT_TASK, named_task
from studio.engine.tasks.annotations import AnnotationOptions
from studio.engine.workspace import RecordKind

if TYPE_CHECKING:
    from studio.api.workspace import Workspace

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
        **recipe: object,
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
                `height` is given) and `tile_overlap`, in pixels. For boxes `class_names`,
                `class_colors` and tiles as well, `keep_empty` (False leaves images without objects
                out) and `least_visible` (fraction of a box that must be inside the image or tile).

        Raises:
            StudioError: There is nothing to import, or a field does not fit.
            JobFailedError: The import failed by a bug.
        """
        asked = self._recipe(source, task, annotations, recipe)
        title = name or user_path(source).stem
        return self._import(asked, title, wait=wait, or_similar=not name)

    def preview(
        self,
        source: str | Path,
        *,
        task: str | None = None,
        annotations: str | Path = "",
        **recipe: object,
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
        recipe: dict[str, object],
    ) -> DatasetRecipe:
        """Return the recipe of `import_folder`."""
        path = user_path(source)
        masks = str(user_path(annotations)) if annotations else ""
        chosen = named_task(task) if task else evident_task(path, masks) or DEFAULT_TASK
        if masks:
            recipe["annotations"] = masks
        if "ignore_value" in recipe:
            recipe["ignore_value"] = str(recipe["ignore_value"])
        # Loads NumPy and Pillow, which `import studio` must not.
        from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415

        options = SourceOptions(
            labels_file=str(recipe.get("labels_file", "")),
            path_prefix=str(recipe.get("path_prefix", "")),
        ).for_task(chosen, partial(AnnotationOptions, most=_LOOKED_AT))
        suggested = suggest_recipe(
            path, None, SilentProgress(), options, source_for(path, chosen, masks)
        )
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


class Dataset(RecordView):
    """A dataset."""

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
