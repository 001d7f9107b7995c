"""Location of the default workspace, and detection of folders that a cloud service synchronizes.

Such a service locks files while it uploads them, and may restore older ones. Both can damage a
workspace, so the default workspace is in local application data.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from studio import __version__
from studio.engine.errors import StudioError
from studio.engine.files import user_path, write_atomically
from studio.engine.messages import joined, message

# The version of a workspace's layout, and the steps from each version to the next.
#
# To add a version: 1. raise `FORMAT`; 2. append a `Migration` to `MIGRATIONS` whose function turns
# the previous layout into the new one and may be run again after a crash; 3. write its test.

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
                '{folder} is not a Studio workspace but contains "{name}".',
                "Choose an empty folder, or a workspace of Studio.",
                str(root),
                folder=root,
                name=foreign[0],
            )
        _write_marker(marker, FORMAT)
        return
    version = _read_version(marker)
    if version > FORMAT:
        raise StudioError(
            "The workspace {workspace} was written by a newer Studio (format "
            "{version}, this one reads up to {supported}).",
            "Update Studio, or choose another workspace.",
            str(root),
            workspace=root,
            version=version,
            supported=FORMAT,
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
    """Run migrations of a workspace's format, recording each finished step.

    Args:
        root: Folder of the workspace.
        version: Its current format.
        goal: The format to reach.
        migrations: All known migrations.
    """
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
            "{file} is damaged: the workspace's format is missing.",
            message(
                'Restore it from a backup, or write {{"format": {format}}} into it.', format=FORMAT
            ),
            str(marker),
            file=marker,
        ) from error
    if not isinstance(version, int) or version < 1:
        raise StudioError(
            "{file} names the format {version}, which is not a version.",
            "Restore the file from a backup.",
            str(marker),
            file=marker,
            version=repr(version),
        )
    return version


_ACCOUNT = r"( - .*| \(.*)?"
"""Follows the name of a service, as in `Dropbox (Company)`."""
_SERVICES = {
    "OneDrive": re.compile(rf"onedrive{_ACCOUNT}", re.IGNORECASE),
    "iCloud Drive": re.compile(rf"icloud ?drive{_ACCOUNT}|mobile documents", re.IGNORECASE),
    "Dropbox": re.compile(rf"dropbox{_ACCOUNT}", re.IGNORECASE),
    "Google Drive": re.compile(rf"google ?drive{_ACCOUNT}|my drive", re.IGNORECASE),
    "Nextcloud": re.compile(rf"nextcloud{_ACCOUNT}", re.IGNORECASE),
}
"""Names of the folders of each service."""
_CLOUD_STORAGE = "CloudStorage"
"""The folder of macOS with a folder per service and account, as in `OneDrive-Personal`."""
_ONEDRIVE_VARIABLES = ("OneDrive", "OneDriveConsumer", "OneDriveCommercial")
_ICLOUD_DRIVE = Path("Library/Mobile Documents/com~apple~CloudDocs")


def default_workspace() -> Path:
    """Return `STUDIO_WORKSPACE`, or the workspace in the local application data of the user.

    A workspace that an older version of Studio made in Documents is used as long as there is no
    other.
    """
    named = os.environ.get("STUDIO_WORKSPACE")
    if named:
        return user_path(named)
    local = local_workspace()
    former = platformdirs.user_documents_path() / "Studio"
    return former if not _is_workspace(local) and _is_workspace(former) else local


def local_workspace() -> Path:
    """Return the folder in local application data, which does not roam, for the workspace."""
    data = platformdirs.user_data_path("Studio", appauthor=False, roaming=False)
    # A folder of its own: on macOS and Windows the settings are in the one above.
    return data / "Workspace"


def sync_service(
    folder: Path,
    *,
    environment: Mapping[str, str] = os.environ,
    home: Path | None = None,
    system: str = sys.platform,
) -> str:
    """Return the name of the service that synchronizes a folder; empty for an ordinary folder.

    Args:
        folder: The folder, which need not exist.
        environment: Environment variables; those of OneDrive name its folders.
        home: The home folder of the user; None for that of the current user.
        system: Name of the system, as in `sys.platform`.
    """
    home = home or Path.home()
    for path in {folder.absolute(), folder.resolve()}:
        for variable in _ONEDRIVE_VARIABLES:
            synced = environment.get(variable)
            if synced and path.is_relative_to(synced):
                return "OneDrive"
        for parent, part in zip(("", *path.parts), path.parts, strict=False):
            is_account = parent == _CLOUD_STORAGE
            service = _service_named(part.partition("-")[0] if is_account else part)
            if service:
                return service
        if system == "darwin" and _is_in_icloud(path, home):
            return "iCloud Drive"
    return ""


def sync_advice(folder: Path) -> tuple[str, str]:
    """Return the problem of a synchronized workspace folder, and advice.

    Args:
        folder: The folder of the workspace.

    Returns:
        The service that synchronizes it and the advice; both empty if there is none.
    """
    service = sync_service(folder)
    if not service:
        return "", ""
    target = local_workspace()
    if _is_workspace(target) or sync_service(target):
        how = "Close Studio, move the folder to one that is not synced, and open it there."
    else:
        how = message("Close Studio and move the folder to {folder}.", folder=target)
    danger = message(
        "{service} can lock files that Studio writes, or restore old ones.", service=service
    )
    return service, joined((danger, how))


def _service_named(part: str) -> str:
    return next((name for name, known in _SERVICES.items() if known.fullmatch(part)), "")


def _is_in_icloud(path: Path, home: Path) -> bool:
    """Return True for Desktop and Documents of macOS if iCloud Drive synchronizes them."""
    return any(
        path.is_relative_to(home / name) and (home / _ICLOUD_DRIVE / name).exists()
        for name in ("Desktop", "Documents")
    )


def _is_workspace(folder: Path) -> bool:
    try:
        return is_marked(folder)
    except OSError:  # macOS asks the user before a program reads Documents
        return False
