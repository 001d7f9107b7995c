"""Commands of the command line, and what each needs beside the core: nothing, a backend, a window.

They run in this order on a workspace with the dataset `Ziffern ü` and the run `lenet` on it.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Need = Literal["", "backend", "window"]

DATASET: Final = "Ziffern ü"
RUN: Final = "lenet"
BACKENDS: Final = ("tensorflow", "jax", "torch")
WINDOW: Final = ("PySide6", "shiboken6", "pyqtgraph", "qtawesome")

_CORE: Final = """
--version
--help
help
help gpu
help glossary epoch
completion bash
plugins
datasets import digits --name core
datasets import digits --preview
datasets list
datasets show core
datasets browse core --class 3
datasets audit core
datasets versions core
datasets clone core --name copy
datasets rename copy renamed
datasets note renamed words
datasets tag renamed --tag checked
datasets export core --format csv --split test --to {folder}/csv
datasets export core --format folders --split test --to {folder}/folders
label create labels core
label list
label show labels
networks list
networks show small_cnn
networks code lenet --to {folder}/code.py
models list
models show resnet50
runs list
runs show lenet
runs diagnose lenet
runs checkpoints lenet
runs export-csv lenet --to {folder}/lenet.csv
runs note lenet words
runs pack lenet --to {folder}/lenet.zip
logs lenet
sweeps list
evaluations list
exports list
bench list
queue list
queue limits
machines list
trash put renamed
trash list
trash empty --yes
"""
_BACKEND: Final = """
doctor --quick
networks inspect lenet
train --dataset core --network small_cnn --epochs 1 --name first
train --dataset core --epochs 1 --name recommended --dry-run
baseline --dataset core --seconds 5
preflight --dataset core --network lenet
evaluate lenet
predict lenet {picture}
embed lenet --dataset core --images 60
export lenet --format keras --to {folder}/keras
demo --epochs 1
"""


@dataclass(frozen=True, slots=True)
class CoreCommand:
    """A command without `studio`.

    Attributes:
        template: Its words; `{folder}` is a folder to write to, `{picture}` an image.
        needs: What it needs beside the core.
    """

    template: str
    needs: Need = ""

    def words(self, folder: Path, picture: Path) -> list[str]:
        """Return the words of a call."""
        filled = {"folder": str(folder), "picture": str(picture)}
        return [word.format(**filled) for word in shlex.split(self.template)]


COMMANDS: Final = (
    *(CoreCommand(line) for line in _CORE.strip().splitlines()),
    *(CoreCommand(line, "backend") for line in _BACKEND.strip().splitlines()),
    CoreCommand("gui", "window"),
)


def complaint(command: CoreCommand, code: int, errors: str, missing: Need) -> str:
    """Return what is wrong with the end of a command; empty if it is as it should be.

    Args:
        command: The command.
        code: Its exit code.
        errors: What it wrote to standard error.
        missing: What is missing: then such a command ends with a mistake that names a command
            that installs it.
    """
    text = " ".join(errors.split())
    if missing and command.needs == missing:
        extra = {"backend": "torch", "window": "gui"}[missing]
        is_named = "pip install" in text and f"[{extra}]" in text
        return "" if code == 2 and is_named else f"exit code {code}, names no command: {text}"
    return "" if code == 0 else f"exit code {code}: {text}"
