"""Finding a record in the trash by the name that a person knows."""

from __future__ import annotations

from datetime import datetime

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.files import one_form
from studio.engine.workspace.records import Record, RecordKind
from studio.engine.workspace.workspace import Workspace


def find_trashed(workspace: Workspace, kind: RecordKind, name: str) -> Record:
    """The newest record in the trash of that name, or that of that id.

    Raises:
        StudioError: There is none; the hint names the closest.
    """
    wanted, names = one_form(name), dict[str, tuple[datetime, Record]]()
    for record in workspace.trashed(kind):
        try:
            info = record.info()
        except StudioError:
            continue  # as in `infos`
        if record.id == name:
            return record
        known = names.get(info.name)
        if known is None or known[0] < info.created:
            names[info.name] = (info.created, record)
    if wanted not in names:
        hint = did_you_mean(name, names) or "The trash is empty."
        raise StudioError(f'There is no {kind.value} called "{name}" in the trash.', hint)
    return names[wanted][1]
