"""Documents that a job leaves in its folder: one pydantic model in one JSON file."""

from __future__ import annotations

import lzma
import struct
import tarfile
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from studio.engine.errors import BadDataError
from studio.engine.files import write_atomically

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
"""What reading foreign files raises where they are damaged, or claim to be larger than any memory;
without what the disk itself raises."""
DAMAGED = (OSError, *DAMAGED_CONTENT)
"""The same where damage and a disk that cannot be read are told in the same words."""


def write_document(path: Path, document: BaseModel) -> Path:
    """Write a document; `path` again.

    Raises:
        DiskFullError: No space was left; an older document stays.
    """
    write_atomically(path, document.model_dump_json(indent=1) + "\n")
    return path


def read_document(path: Path, kind: type[Document], name: str, hint: str) -> Document | None:
    """Read a document, or None while there is none.

    Args:
        path: The file.
        kind: What it holds.
        name: What people call it, such as “baseline”.
        hint: What to do where it is damaged.

    Raises:
        BadDataError: It is damaged.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise BadDataError(
            f"The {name} in {path.parent} cannot be read.", hint, str(path)
        ) from error
