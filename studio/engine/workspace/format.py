"""The version of a workspace's layout, and the steps from each version to the next.

To add a version: 1. raise `FORMAT`; 2. append a `Migration` to `MIGRATIONS` whose function turns
the previous layout into the new one and may be run again after a crash; 3. write its test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studio import __version__
from studio.engine.errors import StudioError
from studio.engine.files import write_atomically

FORMAT = 1
MARKER = "studio.json"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a layout version to the next."""

    before: int
    after: int
    run: Callable[[Path], None]


MIGRATIONS: tuple[Migration, ...] = ()


def prepare(root: Path, taken: tuple[str, ...]) -> None:
    """Make `root` a workspace of this version: mark a new folder, bring an older one up to date.

    Args:
        root: An existing folder.
        taken: Names of folders that a workspace owns; a folder without the marker that holds one
            of them belongs to something else.

    Raises:
        StudioError: The folder belongs to something else, or to a newer Studio.
    """
    marker = root / MARKER
    if not marker.exists():
        foreign = [name for name in taken if (root / name).exists()]
        if foreign:
            raise StudioError(
                f'{root} is not a Studio workspace, yet it holds "{foreign[0]}".',
                "Choose an empty folder, or a folder that Studio made.",
                str(root),
            )
        _write_marker(marker, FORMAT)
        return
    version = _read_version(marker)
    if version > FORMAT:
        raise StudioError(
            f"The workspace {root} was written by a newer Studio (format {version}, "
            f"this one reads up to {FORMAT}).",
            "Update Studio, or choose another workspace.",
            str(root),
        )
    upgrade(root, version, FORMAT, MIGRATIONS)


def is_marked(root: Path) -> bool:
    """Return True if `root` is a workspace of any version."""
    return (root / MARKER).is_file()


def is_current(root: Path) -> bool:
    """Return True if `root` is a workspace of this version, which needs no migration.

    Raises:
        StudioError: Its marker is damaged.
    """
    return is_marked(root) and _read_version(root / MARKER) == FORMAT


def upgrade(root: Path, version: int, goal: int, migrations: tuple[Migration, ...]) -> None:
    """Run the migrations from `version` to `goal`, marking each step when it is done."""
    by_start = {migration.before: migration for migration in migrations}
    while version < goal:
        migration = by_start[version]
        migration.run(root)
        version = migration.after
        _write_marker(root / MARKER, version)


def _write_marker(marker: Path, version: int) -> None:
    text = json.dumps({"format": version, "written_by": f"Studio {__version__}"}, indent=2)
    write_atomically(marker, text + "\n")


def _read_version(marker: Path) -> int:
    try:
        version = json.loads(marker.read_text(encoding="utf-8"))["format"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StudioError(
            f"{marker} is damaged: it does not say which format the workspace has.",
            f'Restore it from a backup, or write {{"format": {FORMAT}}} into it.',
            str(marker),
        ) from error
    if not isinstance(version, int) or version < 1:
        raise StudioError(
            f"{marker} names the format {version!r}, which is not a version.",
            "Restore the file from a backup.",
            str(marker),
        )
    return version
