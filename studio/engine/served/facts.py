"""Facts about the server of a mirror, and the folders of mirrors."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import platformdirs
from pydantic import BaseModel

from studio.engine.documents import read_document, write_document
from studio.engine.errors import StudioError
from studio.engine.files import portable_name
from studio.engine.jobs.devices import Device
from studio.engine.workspace import MIRROR_FILE, RecordKind

_HINT: Final = "Open the served workspace again."


class ServedFacts(BaseModel, frozen=True):
    """Facts about the server of a mirror.

    Attributes:
        url: Address of the server.
        name: Name of the workspace there.
        role: Role of the token: "read", "run" or "admin".
        server_version: Version of Studio there.
        insecure: True if the user allowed to send the token without encryption.
        devices: Devices of the server.
    """

    version: int = 1
    url: str
    name: str
    role: str = "read"
    server_version: str = ""
    insecure: bool = False
    devices: tuple[Device, ...] = ()

    @property
    def host(self) -> str:
        """Name of the server, with the port where it is not the usual one."""
        return urlsplit(self.url).netloc

    @property
    def title(self) -> str:
        """Name of the workspace and its server, for display."""
        return f"{self.name} @ {self.host}"


def mirror_folder(facts: ServedFacts) -> Path:
    """Return the folder for the copy of a workspace."""
    host = facts.host.replace(":", " ")
    return served_folder() / portable_name(host) / portable_name(facts.name)


def served_folder() -> Path:
    """Return the folder of all mirrors, in local application data, which does not roam."""
    data = platformdirs.user_data_path("Studio", appauthor=False, roaming=False)
    return data / "Served"


def write_facts(root: Path, facts: ServedFacts) -> None:
    """Make a folder a mirror, or update what is known of its server.

    Args:
        root: The folder.
        facts: What is known.
    """
    for kind in RecordKind:
        (root / kind.folder).mkdir(parents=True, exist_ok=True)
    write_document(root / MIRROR_FILE, facts)


def read_facts(root: Path) -> ServedFacts | None:
    """Return the facts about the server of a mirror; None if the folder is not a mirror.

    Raises:
        BadDataError: The file is damaged.
    """
    return read_document(root / MIRROR_FILE, ServedFacts, "served workspace", _HINT)


def title_and_place(root: Path) -> tuple[str, str]:
    """Return the name of a workspace for display, and where it is.

    Args:
        root: Its folder; of a mirror, name and address are those of its server.
    """
    try:
        facts = read_facts(root)
    except StudioError:
        facts = None
    return (root.name, str(root)) if facts is None else (facts.title, facts.url)
