"""What the window and the command line need to know of an export format."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Literal, get_args

Precision = Literal["float32", "float16", "dynamic", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format.

    Attributes:
        name: As on the command line and in files.
        label: As shown to people.
        summary: One line: what it is good for.
        packages: Modules that must be importable to write and certify it.
        install: What to type to get them.
        precisions: In what numbers it can be written; the first is usual.
        file: Name of what holds the model: a file, or a folder.
        runtime: Name of the script in `assets/export/runtimes` that runs it.
        needs: What whoever runs it types first.
        takes: What of numbers goes in, by precision where it is not float32.
        is_model: Whether it is one more way to hand the model on; others are left out of "all".
        is_archive: Whether it is always one `.zip` file.
        needs_dataset: True if it contains the training images.
    """

    name: str
    label: str
    summary: str
    packages: tuple[str, ...] = ()
    install: str = ""
    precisions: tuple[Precision, ...] = ("float32",)
    file: str = "model"
    runtime: str = "keras"
    needs: str = "pip install keras tensorflow numpy pillow"
    takes: tuple[tuple[Precision, str], ...] = ()
    is_model: bool = True
    is_archive: bool = False
    needs_dataset: bool = False

    def missing(self) -> list[str]:
        """The packages that are not installed, so that it can be shown and not tried."""
        return [name for name in self.packages if importlib.util.find_spec(name) is None]

    def input_type(self, precision: Precision) -> str:
        """The type of the numbers that go in, each from 0 to 255."""
        return dict(self.takes).get(precision, "float32")
