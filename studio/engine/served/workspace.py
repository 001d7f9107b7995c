"""The copy of a served workspace as a `Workspace`: reading is local, changes go to the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar, Final, NoReturn
from urllib.parse import quote

from studio.engine.errors import StudioError
from studio.engine.messages import joined
from studio.engine.served.connection import ServerConnection
from studio.engine.served.facts import ServedFacts
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.engine.workspace.records import checked_tags, checked_word

_ROLES: Final = ("read", "run", "admin")
_ON_SERVER: Final = {
    RecordKind.DATASET: (
        "Images are imported on the server itself.",
        "Run there: studio datasets import FOLDER --name NAME",
    ),
    RecordKind.LABELING: (
        "Images are labeled on the server itself.",
        "Label them in a workspace of this computer, or in the window there.",
    ),
    RecordKind.NETWORK: (
        "Networks are drawn on the server itself.",
        "Draw it in the window there, or train a network of the gallery.",
    ),
    RecordKind.BENCHMARK: ("Benchmarks are started on the server itself.", ""),
    RecordKind.OPERATIONS: ("Benchmarks are started on the server itself.", ""),
    RecordKind.PREDICTIONS: ("Benchmarks are started on the server itself.", ""),
}
"""Records that cannot be made from here, and what to do instead."""


def record_address(record: Record) -> str:
    """Return the path of a record on its server."""
    return f"/{record.kind.folder}/{quote(record.id, safe='')}"


class MirroredWorkspace(Workspace):
    """A workspace on a server; its folder is a mirror.

    Args:
        root: Folder of the mirror.
        server: Sends the requests.
        facts: Returns what is known of the server.
    """

    computes_here: ClassVar = False

    def __init__(
        self, root: Path, server: ServerConnection, facts: Callable[[], ServedFacts]
    ) -> None:
        super().__init__(root, read_only=True)
        self.server = server
        self._facts = facts

    @property
    def title(self) -> str:
        """Name of the workspace and of its server."""
        return self._facts().title

    @property
    def place(self) -> str:
        """Address of the server."""
        return self._facts().url

    def refusal(self, kind: RecordKind) -> str:
        """Return why records of a kind cannot be made from here; empty if they can."""
        text, hint = _ON_SERVER.get(kind, ("", ""))
        if text:
            return joined((text, hint))
        return "" if self.allows("run") else self._not_allowed("run").text

    def allows(self, role: str) -> bool:
        """Return True if the token has a role."""
        own = self._facts().role
        return own in _ROLES and _ROLES.index(own) >= _ROLES.index(role)

    def require_role(self, role: str) -> None:
        """Require a role of the token.

        Args:
            role: "run" or "admin".

        Raises:
            StudioError: The token has not that role.
        """
        if not self.allows(role):
            raise self._not_allowed(role)

    def require_writable(self) -> NoReturn:
        """Refuse what would write into the mirror.

        Raises:
            StudioError: Always.
        """
        raise StudioError(
            "This cannot be done in a workspace on a server: {workspace}.",
            "Do it on the server, in the workspace itself.",
            workspace=self.title,
        )

    def rename(self, record: Record, name: str) -> None:
        """Rename a record on the server; see `Workspace`."""
        self._change(record, {"name": name})

    def annotate(
        self,
        record: Record,
        notes: str | None = None,
        tags: tuple[str, ...] | None = None,
        group: str | None = None,
    ) -> None:
        """Replace notes, tags or group of a record on the server; see `Workspace`."""
        body: dict[str, object] = {} if notes is None else {"notes": notes}
        if tags is not None:
            body["tags"] = checked_tags(tags)
        if group is not None:
            body["group"] = checked_word(group)
        self._change(record, body)

    def retag(self, record: Record, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        """Add and remove tags of a record on the server; see `Workspace`."""
        self._change(record, {"add_tags": checked_tags(add), "remove_tags": checked_tags(remove)})

    def trash(self, record: Record) -> Record:
        """Move a record to the trash of the server; return it, for `restore`."""
        self.require_role("admin")
        self.server.json("DELETE", record_address(record))
        return record

    def restore(self, record: Record) -> Record:
        """Restore a record from the trash of the server."""
        self.require_role("admin")
        self.server.json("POST", f"{record_address(record)}/restore")
        return record

    def _change(self, record: Record, body: dict[str, object]) -> None:
        self.require_role("run")
        self.server.json("POST", f"{record_address(record)}/info", body)

    def _not_allowed(self, role: str) -> StudioError:
        return StudioError(
            "Your token for {host} has the role {role}, and this needs {needed}.",
            "Ask for a token with that role, and open the served workspace again.",
            "token",
            host=self._facts().host,
            role=self._facts().role,
            needed=role,
        )
