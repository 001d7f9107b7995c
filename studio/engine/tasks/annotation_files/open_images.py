"""Names of the classes of Open Images, whose tables have codes such as `/m/0jbk`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tables.rows import read_table
from studio.engine.tasks.annotations import AnnotatedFiles, Tree

_CODE = re.compile(r"/[a-z]/[0-9a-z_]+")
_FILES: Final = re.compile(r"(oidv\d+-)?class-descriptions.*\.csv", re.IGNORECASE)


def names_of_codes(
    codes: Iterable[str], files: AnnotatedFiles, warnings: list[Text]
) -> dict[str, str]:
    """Return the names of the classes that are codes; a code without a name is its own.

    They are in the table `class-descriptions-boxable.csv` among the annotations or pictures.

    Args:
        codes: Classes of a table.
        files: Pictures and annotations.
        warnings: Receives a sentence about codes without a name.
    """
    found = [code for code in codes if _CODE.fullmatch(code)]
    if not found:
        return {}
    return _named(found, _descriptions(files.labels) | _descriptions(files.images), warnings)


def names_beside(codes: Iterable[str], table: Path, warnings: list[Text]) -> dict[str, str]:
    """Return the names of the classes of a lone table, see `names_of_codes`.

    Args:
        codes: Classes of the table.
        table: The table; the descriptions are in its folder.
        warnings: Receives a sentence about codes without a name.
    """
    found = [code for code in codes if _CODE.fullmatch(code)]
    if not found:
        return {}
    known: dict[str, str] = {}
    for path in sorted(table.parent.iterdir()):
        if _FILES.fullmatch(path.name) and path.is_file():
            with contextlib.suppress(OSError, BadDataError):  # the codes are reported
                known |= _described(path.read_bytes(), path.name)
    return _named(found, known, warnings)


def _named(found: Sequence[str], known: Mapping[str, str], warnings: list[Text]) -> dict[str, str]:
    """Return the names of codes, and warn of those without."""
    unknown = [code for code in found if code not in known]
    if unknown:
        warnings.append(
            message(
                "{count} classes are codes of Open Images without a name, such as {first}. Put "
                "class-descriptions-boxable.csv of Open Images beside the table to get names.",
                one="The class {first} is a code of Open Images without a name. Put "
                "class-descriptions-boxable.csv of Open Images beside the table to get its name.",
                count=len(unknown),
                first=unknown[0],
            )
        )
    return {code: known.get(code, code) for code in found}


def _descriptions(files: Tree) -> dict[str, str]:
    """Return the names of codes in the tables of a tree."""
    names: dict[str, str] = {}
    for path in files.paths:
        if not _FILES.fullmatch(PurePosixPath(path).name):
            continue
        with contextlib.suppress(BadDataError):  # the codes are reported
            names |= _described(files.read(path), path)
    return names


def _described(data: bytes, file: str) -> dict[str, str]:
    """Return the names of codes in a table of descriptions.

    Raises:
        BadDataError: It is no table; the message is a short reason.
    """
    pairs = (row.cells[:2] for row in read_table(data, file).rows if len(row.cells) > 1)
    return {code: name for code, name in pairs if _CODE.fullmatch(code) and name}
