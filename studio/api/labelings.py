"""Labelings: pictures without labels, and the labels that they get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.api.datasets import Dataset
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import Value

if TYPE_CHECKING:
    from studio.api.workspace import Workspace


class PictureLabeling:
    """Pictures without labels, and the labels that they get.

    Examples:
        >>> toys = workspace.labeling("toys", task="classification", classes=["car", "duck"])
        >>> numbers = toys.add(photos)
        >>> toys.set(numbers[:2], "duck")
        >>> toys
        <labeling toys: 2 of 3 labeled>
        >>> toys.undo()

    Args:
        workspace: The workspace.
        opened: The open labeling, with everything that the window can do.
    """

    def __init__(self, workspace: Workspace, opened: Labeling) -> None:
        self.workspace = workspace
        self.opened = opened

    def __repr__(self) -> str:
        return f"<labeling {self.name}: {self.opened.labeled_count} of {len(self)} labeled>"

    def __len__(self) -> int:
        return len(self.opened.items)

    @property
    def name(self) -> str:
        """Its name."""
        return self.opened.record.name

    @property
    def classes(self) -> list[str]:
        """Names of its classes, labels or quantities."""
        return list(self.opened.names)

    @property
    def labels(self) -> dict[int, Value]:
        """Values of the labeled pictures by their numbers."""
        return {item: label.value for item, label in self.opened.labels.items()}

    def add(self, *paths: str | Path) -> list[int]:
        """Add pictures and folders; returns the numbers of the new pictures.

        Raises:
            StudioError: A path does not exist, or there is no picture.
        """
        from studio.engine.labeling.sources import add_pictures  # noqa: PLC0415 - NumPy, Pillow

        return add_pictures(self.opened, [user_path(path) for path in paths]).items

    def set(self, items: int | Sequence[int], value: str | Value | None) -> None:
        """Give pictures a value, or take it away.

        Args:
            items: Number of a picture, or several.
            value: A text, such as the name of a class, which is added if it is new, or "a;b" for
                labels; or a value of `studio.engine.labeling.values`; None for undecided.

        Raises:
            StudioError: The value does not fit the task.
        """
        if isinstance(value, str):
            chosen = [items] if isinstance(items, int) else list(items)
            value = self.opened.editor.parsed(self.opened, value, chosen)
        self.opened.label(items, value, "typed")

    def undo(self) -> None:
        """Take back the last decision."""
        self.opened.undo()

    def suggest(
        self,
        network: str = "",
        weights: str = "",
        *,
        texts: str = "",
        language: str = "",
        templates: Sequence[str] = (),
        words: Mapping[str, str] | None = None,
    ) -> list[Proposal]:
        """Return proposals for undecided pictures, the most certain first.

        Args:
            network: Network of the features; empty for the best available without a download.
            weights: Its weights: "imagenet", a file, or "run:ID".
            texts: Propose by the names of the classes instead, which needs no label: a source of
                texts in the library, or the folder of a preset of CLIP or SigLIP.
            language: Language of the texts, "en" or "pt"; empty for English.
            templates: Own texts in place of these, such as "a scan of a {name}".
            words: Other words for names of classes.

        Raises:
            StudioError: There are not enough labels yet, or the texts cannot be used.
        """
        if texts:
            return self._by_texts(texts, language, templates, words)
        from studio.engine.labeling.assist import Assistant  # noqa: PLC0415
        from studio.engine.labeling.certain import most_certain  # noqa: PLC0415

        assistant = Assistant(
            self.opened, self.workspace.records, self.workspace.host, network, weights
        )
        status = assistant.finish()
        if status.reason:
            raise StudioError(status.reason)
        return most_certain(status, len(self))

    def _by_texts(
        self, texts: str, language: str, templates: Sequence[str], words: Mapping[str, str] | None
    ) -> list[Proposal]:
        from studio.engine.labeling.prompts import prompts_of, text_proposals  # noqa: PLC0415

        labeling, root = self.opened, self.workspace.records.root
        prompts = prompts_of(texts, language, templates, words)
        found = text_proposals(labeling, root, self.workspace.host, prompts, labeling.undecided())
        return sorted(found, key=lambda each: -each.probability)

    def export(self, folder: str | Path, format: str = "csv") -> Path:  # noqa: A002
        """Write annotation files; returns the new file or folder.

        Args:
            folder: Folder for the new files.
            format: "csv", "voc", "coco", "yolo", "masks" …, by the task.

        Raises:
            StudioError: There is no such format, or nothing is labeled.
        """
        from studio.engine.labeling.output import export_labels  # noqa: PLC0415

        return export_labels(self.opened, format, user_path(folder))

    def dataset(
        self,
        name: str,
        *,
        into: Dataset | str | None = None,
        wait: bool = True,
        **recipe: object,
    ) -> Dataset:
        """Import the labeled pictures as a dataset.

        Args:
            name: Name of the dataset.
            into: A dataset whose images the new one has, too.
            wait: Return when it is imported.
            recipe: Fields of the recipe, such as `width=64`.

        Raises:
            StudioError: Nothing is labeled, or a field does not fit.
            JobFailedError: The import failed by a bug.
        """
        from studio.engine.labeling.output import request_dataset  # noqa: PLC0415

        other = self.workspace.datasets[into] if isinstance(into, str) else into
        record = None if other is None else other.record
        job = request_dataset(self.opened, self.workspace.queue, name, None, record, **recipe)
        made = Dataset(self.workspace, job.record)
        return made.wait() if wait else made.begin()
