"""Names of the classes of Open Images, whose tables of boxes have codes such as `/m/0jbk`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
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
    known = _descriptions(files.labels) | _descriptions(files.images)
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
        try:
            rows = read_table(files.read(path), path).rows
        except BadDataError:
            continue  # the codes are reported
        pairs = (row.cells[:2] for row in rows if len(row.cells) > 1)
        names |= {code: name for code, name in pairs if _CODE.fullmatch(code) and name}
    return names
