"""The workspace: records on disk (a folder with a plan, a journal and artifacts), names, trash.

Knows nothing of jobs, images or networks: it keeps folders safe and finds them again.
"""

from studio.engine.workspace.limits import Limits, read_limits, write_limits
from studio.engine.workspace.location import default_workspace, sync_advice
from studio.engine.workspace.records import Record, RecordInfo, RecordKind
from studio.engine.workspace.workspace import (
    MIRROR_FILE,
    InTrashError,
    Workspace,
    is_mirror,
    require_original,
)

__all__ = [
    "MIRROR_FILE",
    "InTrashError",
    "Limits",
    "Record",
    "RecordInfo",
    "RecordKind",
    "Workspace",
    "default_workspace",
    "is_mirror",
    "read_limits",
    "require_original",
    "sync_advice",
    "write_limits",
]
