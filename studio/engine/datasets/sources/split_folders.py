"""A folder that holds the folders `train`, `val` and `test`, each with one folder per class."""

from __future__ import annotations

from pathlib import Path

from studio.engine.datasets.sources.base import NO_OPTIONS, Scan, SourceOptions
from studio.engine.datasets.sources.folder import SingleFiles
from studio.engine.datasets.sources.shared.names import known_images, split_of
from studio.engine.datasets.sources.shared.walk import Walk, inner_folder, visible_folders
from studio.engine.errors import StudioError
from studio.engine.progress import Progress


class SplitFoldersSource(SingleFiles):
    """The splits are the user's; classes and images lie in them as in a folder of classes."""

    name = "split_folders"
    label = "Folder with train, val and test folders"
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Whether `path` holds a folder of training classes and one for another split."""
        return path.is_dir() and bool(_splits(path, inner_folder(path)))

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Find the images of every split and class; see `Source.scan`."""
        start = inner_folder(path)
        walk = Walk(path, progress)
        walk.top_level(start)  # lists the files that lie beside the splits
        empty: list[str] = []
        for name, split in _splits(path, start).items():
            folder = f"{start}/{name}".lstrip("/")
            classes, _ = walk.top_level(folder)
            empty += [
                f"{folder}/{label}"
                for label in classes
                if not walk.read_class(label, folder, split)
            ]
        _require_classes(path, walk.scan, options)
        for folder in empty:
            progress.warn(f'The folder "{folder}" holds no images.')
        return walk.scan


def _splits(path: Path, start: str) -> dict[str, str]:
    """The folders of splits by name, training first; none where the folder is laid out else."""
    root = path / start
    names, images = visible_folders(root)
    splits = {name: split for name in sorted(names) if (split := split_of(name))}
    is_other = images or len(splits) < 2 or len(splits) < len(names)
    if is_other or "train" not in splits.values():
        return {}
    training = [name for name, split in splits.items() if split == "train"]
    if not all(visible_folders(root / name)[0] for name in training):
        return {}  # classes that are called so, with their images directly inside
    order = ("train", "val", "test")
    return dict(sorted(splits.items(), key=lambda pair: order.index(pair[1])))


def _require_classes(path: Path, scan: Scan, options: SourceOptions) -> None:
    classes = {item.class_name for item in scan.items if item.split == "train"}
    if not classes:
        raise StudioError(
            f"The training folders in {path} hold no images.", known_images(), "source"
        )
    if len(classes) < options.fewest_classes:
        raise StudioError(
            f'{path} holds training images of one class only: "{classes.pop()}".',
            "A network learns to tell at least two classes apart; add a folder for another.",
            "source",
        )
