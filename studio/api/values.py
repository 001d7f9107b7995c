"""Images and labels of Python programs as files that an import reads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from studio.engine.csv_cells import CsvWriter
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.tasks import DEFAULT_TASK, TASKS, first_task, named_task
from studio.engine.tasks.outputs import PIXELS
from studio.engine.tasks.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS: Final = {
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validation": "val",
    "test": "test",
}
_IMAGE_KEYS: Final = ("image", "img", "pixel_values", "picture", "x")
_LABEL_KEYS: Final = ("label", "labels", "target", "fine_label", "class", "y")
_MASK_KEYS: Final = ("mask", "annotation")
_MAX_NAMED: Final = 20
"""Keys or types named in a message."""
Kind = Literal["class", "labels", "numbers", "mask"]
_WORDS: Final[Mapping[Kind, str]] = {
    "class": "a class",
    "labels": "several labels",
    "numbers": "numbers",
    "mask": "a mask",
}
_CELLS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "labels": ("a;b", "a", "b;c", "a;c"),
    "numbers": ("0.5", "1.25", "-2.75"),
}
"""Cells of a table by which a task is found that reads such targets."""


@dataclass(frozen=True, slots=True)
class Example:
    """An image and what a network shall learn about it.

    Attributes:
        image: Path, bytes of an image file, pixels or a Pillow image.
        label: Name or number of its class; names of its labels; a number, or numbers by the names
            of their quantities; or a class for each pixel, shape (height, width).
        split: `"train"`, `"val"` or `"test"`; empty to let the import decide.
    """

    image: Any
    label: Any
    split: str = ""


def split_named(name: object, argument: str) -> str:
    """Return the split of a name, such as "val" for "Validation"; empty for no name.

    Args:
        name: The name.
        argument: Argument that has it.

    Raises:
        StudioError: There is no such split.
    """
    if name in ("", None):
        return ""
    if str(name).casefold() not in SPLITS:
        raise StudioError(f'"{name}" is not a split.', "Name them train, val and test.", argument)
    return SPLITS[str(name).casefold()]


def examples_of(
    data: object, image: str = "", label: str = "", split: str = ""
) -> Iterator[Example]:
    """Return the examples of a collection of any library, one after another.

    Args:
        data: Pairs of image and label, or mappings; a dataset of Hugging Face, `tf.data` or
            PyTorch; or a mapping of the names of splits to such collections.
        image: Key of the images in mappings; empty for a usual one.
        label: Key of the labels.
        split: Split of all of them.

    Raises:
        StudioError: It is no such collection.
    """
    if isinstance(data, Mapping):
        for name, part in data.items():
            yield from examples_of(part, image, label, split_named(name, "data"))
        return
    names = _class_names(data, label)
    for number, entry in enumerate(_entries(data)):
        pixels, annotation = _pair(entry, image, label, number)
        yield Example(_channels_last(pixels), plain_label(annotation, names), split)


def _entries(data: object) -> Iterable[Any]:
    """Return the entries of a collection, those of batches one by one."""
    spec = getattr(data, "element_spec", None)  # of tf.data
    if spec is not None:
        first = spec[0] if isinstance(spec, tuple) else next(iter(spec.values()))
        flat: Any = data.unbatch() if len(first.shape) == 4 else data  # type: ignore[attr-defined]  # it was checked above
        return flat.as_numpy_iterator()  # type: ignore[no-any-return]  # it was checked above
    is_sequence = hasattr(data, "__getitem__") and hasattr(data, "__len__")
    if is_sequence and not hasattr(data, "__iter__"):  # of PyTorch
        return (data[index] for index in range(len(data)))  # type: ignore[index,arg-type]  # it was checked above
    if not isinstance(data, Iterable):
        raise StudioError(
            f"Examples must be pairs of image and label; received {type(data).__name__}.",
            "Pass a list of (image, label), or a dataset of Hugging Face, tf.data or PyTorch.",
            "data",
        )
    return data


def _pair(entry: Any, image: str, label: str, number: int) -> tuple[Any, Any]:  # noqa: ANN401
    if isinstance(entry, Mapping):
        return (
            entry[_key(entry, image, _IMAGE_KEYS, "image")],
            entry[_key(entry, label, (*_LABEL_KEYS, *_MASK_KEYS), "label")],
        )
    if isinstance(entry, tuple | list) and len(entry) == 2:
        return entry[0], entry[1]
    raise StudioError(
        f"Example {number} is not a pair of image and label; received {type(entry).__name__}.",
        "Pass (image, label), or mappings with the keys image and label.",
        "data",
    )


def _key(entry: Mapping[str, Any], name: str, usual: Sequence[str], option: str) -> str:
    if name in entry:
        return name
    found = next((each for each in usual if each in entry), "")
    if name or not found:
        keys = ", ".join(itertools.islice(map(str, entry), _MAX_NAMED))
        raise StudioError(
            f"The examples have no {option}: their keys are {keys}.",
            f'Name its key, such as {option}="{next(iter(entry), "key")}".',
            option,
        )
    return found


def _class_names(data: object, label: str) -> Sequence[str]:
    """Return the class names that a dataset of Hugging Face or torchvision has."""
    features = getattr(data, "features", None)
    if isinstance(features, Mapping):
        keys = [label] if label else [key for key in _LABEL_KEYS if key in features]
        for key in keys:
            names = getattr(features.get(key), "names", None)
            if names:
                return list(names)
    classes = getattr(data, "classes", None)
    return list(classes) if isinstance(classes, list | tuple) else ()


def _channels_last(image: Any) -> Any:  # noqa: ANN401 - images of any library
    """Return a tensor of PyTorch as an array with its channels last; others as they are."""
    if not hasattr(image, "detach"):
        return image
    pixels: NDArray[np.generic] = image.detach().cpu().numpy()
    is_first = pixels.ndim == 3 and pixels.shape[0] <= 4
    return pixels.transpose(1, 2, 0) if is_first else pixels


def plain_label(label: Any, names: Sequence[str] = ()) -> Any:  # noqa: ANN401 - of any library
    """Return a label as plain Python, a class by its name.

    Args:
        label: The label.
        names: Names of the classes; empty if they are not known.

    Raises:
        StudioError: The number is that of no class.
    """
    if hasattr(label, "detach"):
        label = label.detach().cpu().numpy()
    if isinstance(label, bytes):
        return label.decode()
    if hasattr(label, "shape") and label.shape == ():
        label = label.item()
    if names and isinstance(label, int) and not isinstance(label, bool):
        if not 0 <= label < len(names):
            raise StudioError(
                f"The label {label} is none of the {len(names)} classes.",
                "Labels are numbered from 0.",
                "labels",
            )
        return names[label]
    return label


@dataclass(slots=True)
class Written:
    """Files of examples, for an import.

    Attributes:
        folder: Their folder.
        task: Name of the task; empty for that of the labels.
        classes: Names of the classes of masks or labels in the order of their numbers.
    """

    folder: Path
    task: str = ""
    classes: Sequence[str] = ()
    _kind: Kind | None = None
    _quantities: list[str] = field(default_factory=list)
    _has_splits: bool = False

    @property
    def table(self) -> Path:
        """The table of the images; images with masks are found by their names."""
        return self.folder / "images.csv"

    @property
    def source(self) -> Path:
        """The source of the import."""
        return self.folder / "images" if self._kind == "mask" else self.table

    @property
    def options(self) -> dict[str, object]:
        """Further arguments of the import."""
        if self._kind != "mask":
            return {"task": self.task or _task_for(self._kind or "class").name}
        names = {"class_names": list(self.classes)} if self.classes else {}
        task = self.task or first_task(PIXELS).name
        return {"task": task, "annotations": self.folder / "masks", "mask_mode": "index", **names}

    def write(self, examples: Iterable[Example]) -> int:
        """Write the examples; returns their number.

        Raises:
            StudioError: One does not fit those before, or there is none.
        """
        rows = 0
        examples = iter(examples)
        first = next(examples, None)
        if first is None:
            raise StudioError("There are no examples.", "Pass images and labels.", "data")
        examples = itertools.chain([first], examples)
        if getattr(first.label, "ndim", 0) == 2:
            self._kind = "mask"
            for rows, example in enumerate(examples, 1):
                self._write_mask(example, rows)
            return rows
        with self.table.open("w", encoding="utf-8", newline="") as file:
            writer = CsvWriter(file)
            for number, example in enumerate(examples):
                row = self._row(example, number)
                if not rows:
                    writer.writerow([*("path", "split"), *self._headings()])
                writer.writerow(row)
                rows += 1
        return rows

    def _headings(self) -> list[str]:
        return self._quantities if self._kind == "numbers" else ["label"]

    def _row(self, example: Example, number: int) -> list[str]:
        cells = self._cells(example.label, number)
        path = self._image(example, number)
        return [path, example.split, *cells]

    def _cells(self, label: Any, number: int) -> list[str]:  # noqa: ANN401 - as in `Example`
        found = _kind_of(label)
        # Whole numbers are classes, unless the task or those before say otherwise.
        is_number = isinstance(label, int) and not isinstance(label, bool)
        is_row = found == "labels" and getattr(label, "ndim", 0) == 1
        if (is_number or is_row) and (self._kind == "numbers" or _takes(self.task, "numbers")):
            found = "numbers"
        self._kind = self._kind or found
        if found != self._kind:
            raise StudioError(
                f"The label of example {number} is {_WORDS[found]}, those before are "
                f"{_WORDS[self._kind]}; received {label!r:.80}.",
                "Give all examples labels of one kind, or name the task.",
                "labels",
            )
        if found == "numbers":
            return self._numbers(label, number)
        if found == "labels":
            return [";".join(self._names_of(label))]
        return [self._named(label)]

    def _numbers(self, label: Any, number: int) -> list[str]:  # noqa: ANN401
        values = label if isinstance(label, Mapping) else _numbered(label)
        names = [str(name) for name in values]
        self._quantities = self._quantities or names
        if names != self._quantities:
            raise StudioError(
                f"Example {number} has the quantities {', '.join(names)}; the first one has "
                f"{', '.join(self._quantities)}.",
                "Give all examples the same quantities.",
                "labels",
            )
        return [repr(float(value)) for value in values.values()]

    def _names_of(self, labels: Any) -> list[str]:  # noqa: ANN401
        if _is_flags(labels):
            if len(labels) != len(self.classes):
                raise StudioError(
                    f"{len(labels)} labels were given for {len(self.classes)} names.",
                    'Name all of them: classes=["a", "b"].',
                    "classes",
                )
            pairs = zip(self.classes, labels, strict=True)
            return [name for name, is_there in pairs if is_there]
        return [self._named(each) for each in labels]

    def _named(self, label: str | int) -> str:
        if isinstance(label, int) and not isinstance(label, bool) and self.classes:
            if not 0 <= label < len(self.classes):
                raise StudioError(
                    f"The label {label} is none of the {len(self.classes)} classes.",
                    "Labels are numbered from 0, as the classes.",
                    "labels",
                )
            return self.classes[label]
        return str(label)

    def _image(self, example: Example, number: int) -> str:
        """Return the path of an image, which is written unless it is a file."""
        from studio.engine.inference.picture_values import write_picture  # noqa: PLC0415

        if isinstance(example.image, str | os.PathLike):
            return str(user_path(os.fspath(example.image)).absolute())
        path = self.folder / f"{number:06d}{_suffix(example.image)}"
        write_picture(example.image, path, number)
        return path.name

    def _write_mask(self, example: Example, number: int) -> None:
        """Write an image and its mask under one name, in folders of the split if there is one."""
        from PIL import Image  # noqa: PLC0415 - as NumPy, `import studio` does without it

        from studio.engine.inference.picture_values import write_picture  # noqa: PLC0415

        image, mask = example.image, example.label
        if mask.dtype.kind not in "bui" or mask.min(initial=0) < 0 or mask.max(initial=0) > 255:
            raise StudioError(
                f"The mask of example {number} must have whole numbers from 0 to 255; received "
                f"{mask.dtype}.",
                "Number the classes from 0; 255 is ignored.",
                "labels",
            )
        suffix = _suffix(image)
        if isinstance(image, str | os.PathLike):
            file = user_path(os.fspath(image))
            image, suffix = file.read_bytes(), file.suffix
        for kind, ending in (("images", suffix), ("masks", ".png")):
            path = self.folder / kind / example.split / f"{number:06d}{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind == "images":
                write_picture(image, path, number)
            else:
                Image.fromarray(mask.astype("uint8")).save(path)


def _suffix(image: Any) -> str:  # noqa: ANN401
    """Return the suffix of the file of an image; the format is recognized by its content."""
    if isinstance(image, bytes | bytearray):
        return ".jpg" if image.startswith(b"\xff\xd8") else ".png"
    dtype = getattr(image, "dtype", None)
    channels = image.shape[2] if getattr(image, "ndim", 0) == 3 else 1
    is_png = dtype is None or (str(dtype) == "uint8" and channels in (1, 3, 4))
    return ".png" if is_png else ".npy"


def _takes(task: str, kind: Kind) -> bool:
    """Return True if a task reads targets of a kind from a table; empty: False."""
    if not task or kind not in _CELLS:
        return False
    chosen = named_task(task)
    rows = [[cell] for cell in _CELLS[kind]]
    return chosen.source.columns and bool(chosen.targets.usable(["value"], rows))


def _task_for(kind: Kind) -> Task:
    """Return the first task that reads labels of a kind."""
    return next((task for task in TASKS.values() if _takes(task.name, kind)), DEFAULT_TASK)


def _kind_of(label: Any) -> Kind:  # noqa: ANN401
    """Return the kind of a label.

    Raises:
        StudioError: There is no such kind.
    """
    if isinstance(label, str | int):
        return "class"
    if isinstance(label, float | Mapping):
        return "numbers"
    if _is_flags(label) or (
        isinstance(label, list | tuple | set | frozenset)
        and all(isinstance(each, str | int) for each in label)
    ):
        return "labels"
    if isinstance(label, list | tuple) or getattr(label, "ndim", 0) == 1:
        return "numbers"
    raise StudioError(
        f"A label is the name or number of a class, names of labels, or numbers; received "
        f"{type(label).__name__}.",
        "Import masks and boxes with import_folder.",
        "labels",
    )


def _is_flags(label: Any) -> bool:  # noqa: ANN401
    """Return True for an array of a 0 or 1 for each class."""
    if getattr(label, "ndim", 0) != 1:
        return False
    return label.dtype.kind == "b" or (
        label.dtype.kind in "iu" and bool(((label == 0) | (label == 1)).all())
    )


def _numbered(label: Any) -> Mapping[str, float]:  # noqa: ANN401
    values = [label] if isinstance(label, float | int) else list(label)
    return {
        f"value {number}" if len(values) > 1 else "value": each
        for number, each in enumerate(values, 1)
    }
