"""List of the splits of CelebA, which lies beside the tables of its attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.tables.encoding import decoded

PARTITION_FILE: Final = "list_eval_partition.txt"
PARTITIONS: Final = {"0": "train", "1": "val", "2": "test"}
_TABLE_START: Final = "list_"
_MAX_BYTES: Final = 2**28


def partitions_beside(table: Path) -> dict[str, str]:
    """Return the split of each image by its name, from the list beside a table of CelebA.

    Args:
        table: The table; others than `list_…` have no such list.
    """
    path = table.with_name(PARTITION_FILE)
    if not table.name.startswith(_TABLE_START) or not path.is_file():
        return {}
    if path.stat().st_size > _MAX_BYTES:
        return {}
    try:
        text, _ = decoded(path.read_bytes(), path.name)
    except (OSError, BadDataError):
        return {}
    words = (line.split() for line in text.splitlines())
    return {
        each[0]: PARTITIONS[each[1]] for each in words if len(each) == 2 and each[1] in PARTITIONS
    }
