"""Documents in the folder of a job: one pydantic model per JSON file."""

from __future__ import annotations

import lzma
import math
import struct
import tarfile
import tokenize
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, Field, ValidationError

from studio.engine.errors import BadDataError
from studio.engine.files import write_atomically
from studio.engine.messages import english

Document = TypeVar("Document", bound=BaseModel)

DAMAGED_CONTENT = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
    SyntaxError,
    MemoryError,
    struct.error,
    lzma.LZMAError,
    tarfile.TarError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
)
"""Errors raised by reading foreign files that are damaged, or claim to be larger than any memory;
without what the disk itself raises."""
DAMAGED = (OSError, *DAMAGED_CONTENT)
"""Read a document; damage and an unreadable disk have the same message."""


def plain_data(document: object) -> object:
    """Return data as JSON allows them: messages in English, None for NaN and infinity."""
    return _finite(english(document))


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inside) for inside in value]
    return value


def write_document(path: Path, document: BaseModel) -> Path:
    """Write a document as JSON and return its path.

    Args:
        path: File to write; an existing one is replaced atomically.
        document: The content.

    Raises:
        DiskFullError: No space was left; the previous file stays.
    """
    write_atomically(path, document.model_dump_json(indent=1) + "\n")
    return path


def read_document(path: Path, kind: type[Document], name: str, hint: str) -> Document | None:
    """Read a document, or None while there is none.

    Args:
        path: The file.
        kind: Type of the content.
        name: Display name, such as “baseline”.
        hint: What to do if it is damaged.

    Raises:
        BadDataError: It is damaged.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise BadDataError(
            "The {document} in {folder} cannot be read.",
            hint,
            str(path),
            document=name,
            folder=path.parent,
        ) from error


REPORT = "report"
"""Name of the artifact of a job that holds its report."""


class JobReport(BaseModel, frozen=True):
    """Results of a job, stored as one JSON file in a folder.

    Attributes:
        FILE: Name of the file.
        LABEL: Name of the report in error messages, such as "baseline".
        HINT: What to do if the file is damaged.
        INDENT: Indentation of the JSON text; None for one line.
    """

    FILE: ClassVar[str]
    LABEL: ClassVar[str]
    HINT: ClassVar[str]
    INDENT: ClassVar[int | None] = 1

    version: Literal[1] = 1
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))

    def write(self, folder: Path) -> Path:
        """Write the report into a folder and return the path of its file.

        Raises:
            DiskFullError: The disk is full; the previous report is unchanged.
        """
        text = self.model_dump_json(indent=self.INDENT) + "\n"
        write_atomically(folder / self.FILE, text)
        return folder / self.FILE

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read the report in a folder; None if there is none.

        Raises:
            BadDataError: The file is damaged.
        """
        return read_document(folder / cls.FILE, cls, cls.LABEL, cls.HINT)
